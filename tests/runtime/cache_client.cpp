// One process of the cache's tests: loads a source file on the CPU, runs its kernel `k(int*)`, and says what that took.
// Its handles are globals, made before anything of Lanza and destroyed after it: leaving main must be harmless.
//   cache_client SOURCE [-IDIR | OPTION]...
#include <cstdio>
#include <lanza/lanza.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/loader.hpp"

namespace {
std::optional<lanza::Buffer<int>> buffer;
std::optional<lanza::Stream> stream;
std::optional<lanza::Event> event;
std::optional<lanza::Kernel> kernel;
}  // namespace

int main(int argc, char** argv) {
  const lanza::Device cpu("cpu");
  lanza::CompileOptions options{.device = cpu};
  for (int i = 2; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("-I")) {
      options.include_dirs.emplace_back(argument.substr(2));
    } else {
      options.options.emplace_back(argument);
    }
  }
  try {
    kernel = lanza::load(argv[1], options).kernel("k");
    stream.emplace(cpu);
    buffer.emplace(1, cpu, *stream);
    (*kernel)({.block = 1, .stream = *stream}, *buffer);
    event = stream->record();
    std::vector<int> result(1);
    lanza::copy(result, *buffer, *stream);
    std::printf("%d %s %s\n", result[0], kernel->module().cached() ? "cached" : "compiled",
                lanza::compiler::loaded() ? "loaded" : "not-loaded");
  } catch (const lanza::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
