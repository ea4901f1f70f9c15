// Short and long spellings of the options that have values.
#include "backend/cuda/compile_options.hpp"

#include <fmt/format.h>

#include <lanza/error.hpp>

namespace lanza::cuda_backend {
namespace {

struct Valued {
  std::string_view short_name, long_name;
  bool joined;  ///< the value may follow the short name directly: -Idir
};

enum Which { IncludePath, DefineMacro, UndefineMacro, PreInclude, Architecture, Standard, MaxRegisters };
constexpr Valued valued[] = {
    {"-I", "--include-path", true},
    {"-D", "--define-macro", true},
    {"-U", "--undefine-macro", true},
    {"-include", "--pre-include", false},
    {"-arch", "--gpu-architecture", false},
    {"-std", "--std", false},
    {"-maxrregcount", "--maxrregcount", false},
};

/// The value within the option itself; `apart` when it is the next one.
bool matches(const Valued& v, std::string_view option, std::string_view& value, bool& apart) {
  for (const std::string_view name : {v.long_name, v.short_name}) {
    if (option.substr(0, name.size()) != name) continue;
    const std::string_view tail = option.substr(name.size());
    apart = tail.empty();
    if (tail.empty() || tail[0] == '=') {
      value = tail.empty() ? tail : tail.substr(1);
      return true;
    }
    if (v.joined && name == v.short_name) {
      value = tail;
      return true;
    }
  }
  return false;
}

void take(CompileOptions& o, Which which, const std::string& value) {
  switch (which) {
    case IncludePath:
      o.include_dirs.push_back(value);
      break;
    case DefineMacro:
      o.macros.push_back(value);
      break;
    case PreInclude:
      o.pre_includes.push_back(value);
      break;
    case Architecture:
      o.architecture = value;
      break;
    case Standard:
      o.has_standard = true;
      break;
    default:
      break;
  }
  o.passed.push_back(fmt::format("{}={}", valued[which].long_name, value));
}

}  // namespace

CompileOptions read_options(const std::vector<std::string>& options) {
  CompileOptions result;
  for (std::size_t i = 0; i < options.size(); ++i) {
    bool known = false;
    for (int which = IncludePath; which <= MaxRegisters && !known; ++which) {
      std::string_view value;
      bool apart = false;
      if (!matches(valued[which], options[i], value, apart)) continue;
      known = true;
      if (apart && i + 1 == options.size())
        throw InvalidArgument(fmt::format("the compile option {} needs a value, but it is the last one", options[i]));
      take(result, static_cast<Which>(which), apart ? options[++i] : std::string(value));
    }
    // NVRTC has no -g; that of other compilers means -G on a GPU.
    if (!known) result.passed.push_back(options[i] == "-g" ? "-G" : options[i]);
  }
  return result;
}

}  // namespace lanza::cuda_backend
