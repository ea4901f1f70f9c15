// The command `lanza`, for `python -m lanza`.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.hpp"
#include "tools/cli.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace lanza::python {
namespace {

int command_line(const std::vector<std::string>& arguments, const nb::callable& run) {
  return cli::main(arguments, [&](const cli::Program& program) {
    run(program.name, program.arguments, "module"_a = program.module);
    return 0;
  });
}

}  // namespace

void bind_command_line(nb::module_& m) {
  m.def("_command_line", &command_line, "arguments"_a, "run"_a,
        "The command with these arguments; `run` runs a Python program. Returns the exit status.");
}

}  // namespace lanza::python
