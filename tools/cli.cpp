// The arguments of `lanza`.
#include "tools/cli.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <lanza/diagnosis.hpp>
#include <lanza/error.hpp>
#include <system_error>

#include "tools/commands.hpp"
#include "tools/text.hpp"

namespace lanza::cli {
namespace {

constexpr int problem = 1, wrong_usage = 2;

// A command's own errors; those of a program that `run` executes are the program's.
int guarded(int (*command)()) {
  try {
    const int status = command();
    std::fflush(stdout);
    return status;
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe) return problem;  // who reads our output has gone: `lanza info | head`
    fmt::print(stderr, "lanza: {}\n", error.what());
    return problem;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    fmt::print(stderr, "lanza: {}\n", error.what());
    return problem;
  }
}

int usage_error(const CLI::App& app, std::string_view message) {
  fmt::print(stderr, "lanza: {}\n\n{}", message, app.help());
  return wrong_usage;
}

// The arguments from the program on are the program's, whatever they look like; CLI11 never sees them.
struct Split {
  std::vector<std::string> own;
  Program program;
};

Split split_at_program(const std::vector<std::string>& arguments) {
  Split split{arguments, {}};
  if (arguments.empty() || arguments[0] != "run") return split;
  auto name = arguments.begin() + 1;
  while (name != arguments.end() && name->size() > 1 && name->front() == '-') ++name;
  split.own.assign(arguments.begin(), name);
  if (name == arguments.end()) return split;
  split.program.name = *name;
  split.program.arguments.assign(name + 1, arguments.end());
  return split;
}

}  // namespace

int main(const std::vector<std::string>& arguments, const RunProgram& run_program) {
  CLI::App app("CUDA C++ compiled at run time, on NVIDIA GPUs and on the CPU.", "lanza");
  app.set_version_flag("--version", fmt::format("lanza {}", version()));
  app.require_subcommand(1);

  auto* info_command = app.add_subcommand("info", "show the devices, the cache and the version");
  auto* doctor_command =
      app.add_subcommand("doctor", "look for what is missing or broken; run a kernel on each device");
  auto* cache_command = app.add_subcommand("cache", "the cache of compiled code: show, clear or path");
  std::string action = "show";
  cache_command->add_option("action", action, "what to do")
      ->check(CLI::IsMember({"show", "clear", "path"}))
      ->capture_default_str();
  auto* run_command =
      app.add_subcommand("run", "run [-m] PROGRAM [ARGS]: a Python program; what it imports of pycuda is Lanza's");
  bool module = false;
  run_command->add_flag("-m", module, "PROGRAM is a module");

  Split split = split_at_program(arguments);
  try {
    std::reverse(split.own.begin(), split.own.end());  // as CLI11 wants them
    app.parse(split.own);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);  // prints help, version or what is wrong
    std::fflush(stdout);
    return status == 0 ? 0 : wrong_usage;
  }

  if (*info_command) return guarded(info);
  if (*doctor_command) return guarded(doctor);
  if (*cache_command) return guarded(action == "clear" ? cache_clear : action == "path" ? cache_path : cache_show);
  if (split.program.name.empty()) return usage_error(*run_command, "run: which program?");
  split.program.module = module;
  return run_program(split.program);
}

}  // namespace lanza::cli
