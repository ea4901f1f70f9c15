// The search for the plug-in, and the check that it is the one that this liblanza was built for.
#include "compiler/loader.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <filesystem>
#include <lanza/error.hpp>

#include "lanza_compiler_version.h"
#include "support/environment.hpp"
#include "support/library.hpp"

namespace lanza::compiler {
namespace {

std::atomic<bool> is_loaded{false};

std::vector<std::filesystem::path> candidates() {
  if (const auto file = environment("LANZA_COMPILER")) return {*file};
  const auto folder = own_library_path().parent_path();
  return {folder / "lanza/liblanza-compiler.so", folder / "liblanza-compiler.so"};
}

// The table of a plug-in that is ours, or null and a line that says what is wrong.
const LanzaCompiler* load_from(const std::filesystem::path& path, std::vector<std::string>& attempts) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    attempts.push_back(fmt::format("{}: no such file", path.string()));
    return nullptr;
  }
  // Local: the plug-in's LLVM and others in the process never meet. Now: a symbol that is missing is a message here, no
  // crash later.
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    attempts.push_back(fmt::format("{}: cannot be loaded: {}", path.string(), ::dlerror()));
    return nullptr;
  }
  const auto entry = reinterpret_cast<LanzaCompilerEntry>(::dlsym(handle, LANZA_COMPILER_SYMBOL));
  const LanzaCompiler* table = entry ? entry(LANZA_COMPILER_INTERFACE) : nullptr;
  if (!table)
    attempts.push_back(
        fmt::format("{}: {}", path.string(),
                    entry ? "speaks another version of the interface" : "is not a compiler plug-in of Lanza"));
  else if (std::string_view(table->version) != LANZA_COMPILER_VERSION)
    attempts.push_back(fmt::format("{}: is of version {}, this liblanza needs {}", path.string(), table->version,
                                   LANZA_COMPILER_VERSION));
  else
    return table;
  return nullptr;
}

const LanzaCompiler& load() {
  std::vector<std::string> attempts;
  for (const auto& path : candidates()) {
    if (const LanzaCompiler* table = load_from(path, attempts)) {
      is_loaded = true;
      return *table;
    }
  }
  throw Unavailable(fmt::format(
      "the compiler plug-in was not found: {}; set LANZA_COMPILER to the path of a liblanza-compiler.so of version {}",
      fmt::join(attempts, "; "), LANZA_COMPILER_VERSION));
}

}  // namespace

const LanzaCompiler& plugin() {
  static const LanzaCompiler& table = load();  // tried again by the next call when it throws
  return table;
}

bool loaded() noexcept { return is_loaded; }

const char* expected_version() noexcept { return LANZA_COMPILER_VERSION; }

std::vector<std::string> diagnosis() {
  std::vector<std::string> lines{fmt::format("version that this liblanza needs: {}", LANZA_COMPILER_VERSION)};
  for (const auto& path : candidates()) {
    std::error_code error;
    const bool there = std::filesystem::exists(path, error);
    lines.push_back(fmt::format("{}: {}", path.string(),
                                !there     ? "no such file"
                                : loaded() ? "there; a plug-in is loaded"
                                           : "there"));
  }
  return lines;
}

}  // namespace lanza::compiler
