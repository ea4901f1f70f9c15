#include "compiler/frontend/options.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace lanza::compiler {
namespace {

using std::string_view;

struct Spelling {
  string_view name;       // as NVRTC writes it
  string_view long_name;  // empty: none
};

/// The arguments, one after the other.
class Arguments {
 public:
  Arguments(const LanzaBytes* arguments, std::size_t count) : arguments_(arguments), count_(count) {}
  bool empty() const { return next_ == count_; }
  string_view take() {
    const LanzaBytes& a = arguments_[next_++];
    return {a.data, a.size};
  }

 private:
  const LanzaBytes* arguments_;
  std::size_t count_, next_ = 0;
};

bool starts_with(string_view text, string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

/// One option being read: the argument that names it and, where its value stands apart, the next one.
class Reader {
 public:
  Reader(string_view argument, Arguments& rest) : argument_(argument), rest_(rest) {}

  bool is(string_view name) const { return argument_ == name; }

  /// Value of an option that takes one: "-Dx", "-D x" (joined), "--define-macro=x", "--define-macro x". None: another
  /// option.
  std::optional<std::string> value(Spelling s, bool joined) {
    for (const string_view name : {s.name, s.long_name}) {
      if (name.empty() || !starts_with(argument_, name)) continue;
      string_view tail = argument_.substr(name.size());
      if (tail.empty()) return next();
      if (tail[0] == '=') return std::string(tail.substr(1));
      if (joined && name == s.name) return std::string(tail);
    }
    return std::nullopt;
  }

  /// Value of "-fmad=true" and the like, "--fmad true" included. None: another option, or no boolean (then failed()
  /// says so).
  std::optional<bool> boolean(string_view name) {
    for (const std::string& spelled : {"-" + std::string(name), "--" + std::string(name)}) {
      if (argument_ != spelled && !starts_with(argument_, spelled + "=")) continue;
      const std::string text = argument_ == spelled ? next() : std::string(argument_.substr(spelled.size() + 1));
      if (text == "true" || text == "1") return true;
      if (text == "false" || text == "0") return false;
      problem_ = "option " + spelled + " takes true or false, got '" + text + "'";
    }
    return std::nullopt;
  }

  const std::string& problem() const { return problem_; }
  void fail(std::string sentence) { problem_ = std::move(sentence); }

 private:
  std::string next() {
    if (!rest_.empty()) return std::string(rest_.take());
    problem_ = "option " + std::string(argument_) + " needs a value, but it is the last one";
    return {};
  }

  string_view argument_;
  Arguments& rest_;
  std::string problem_;
};

constexpr std::array standards{"c++11", "c++14", "c++17", "c++20", "c++23"};

bool take_standard(Reader& r, Options& o) {
  const auto value = r.value({"-std", "--std"}, false);
  if (!value) return false;
  for (const string_view standard : standards) {
    if (*value != standard) continue;
    o.standard = *value;
    return true;
  }
  if (r.problem().empty())
    r.fail("option -std=" + *value + ": Lanza's compiler takes c++11, c++14, c++17, c++20 and c++23");
  return true;
}

bool take_preprocessor(Reader& r, Options& o) {
  if (auto v = r.value({"-D", "--define-macro"}, true)) return o.macros.push_back("-D" + *v), true;
  if (auto v = r.value({"-U", "--undefine-macro"}, true)) return o.macros.push_back("-U" + *v), true;
  if (auto v = r.value({"-include", "--pre-include"}, false)) return o.pre_includes.push_back(*v), true;
  if (auto v = r.value({"-I", "--include-path"}, true)) return o.include_dirs.push_back(*v), true;
  return false;
}

bool take_arithmetic(Reader& r, Options& o) {
  if (r.is("-use_fast_math") || r.is("--use_fast_math")) {
    o.fast_math = o.ftz = o.fmad = true;
    o.prec_div = o.prec_sqrt = false;
    return true;
  }
  struct Switch {
    string_view name;
    bool Options::* value;
  };
  for (const Switch s : {Switch{"fmad", &Options::fmad},
                         {"ftz", &Options::ftz},
                         {"prec-div", &Options::prec_div},
                         {"prec-sqrt", &Options::prec_sqrt}}) {
    if (const auto v = r.boolean(s.name)) return o.*s.value = *v, true;
    if (!r.problem().empty()) return true;
  }
  return false;
}

bool take_warnings(Reader& r, string_view argument, Options& o) {
  if (r.is("-w") || r.is("--disable-warnings")) return o.warnings.push_back("-w"), true;
  if (r.is("-Werror=all-warnings") || r.is("--warning-as-error=all-warnings"))
    return o.warnings.push_back("-Werror"), true;
  if (starts_with(argument, "--warning-as-error="))
    return o.warnings.push_back("-Werror=" + std::string(argument.substr(19))), true;
  // -Werror, -Werror=..., -Wno-... are passed on as clang has them.
  if (starts_with(argument, "-W") && argument.size() > 2 && argument.find(',') == string_view::npos)
    return o.warnings.push_back(std::string(argument)), true;
  return false;
}

// NVRTC's options that change no result here, each with why it does not.
constexpr std::array flags_without_effect{
    // Kernels of one source are the whole program; what it does not define is an error of its own.
    Spelling{"-dc", "--device-c"}, Spelling{"-dw", "--device-w"}, Spelling{"-ewp", "--extensible-whole-program"},
    Spelling{"-dlto", "--dlink-time-opt"}, Spelling{"-gen-opt-lto", "--gen-opt-lto"},
    // Line tables are always there, optimisation is off with -G alone.
    Spelling{"-lineinfo", "--generate-line-info"}, Spelling{"-dopt", "--dopt"}, Spelling{"-dopt=on", "--dopt=on"},
    Spelling{"-extra-device-vectorization", "--extra-device-vectorization"},
    // The prelude is always precompiled, and the cache is lanza.compile's.
    Spelling{"-pch", "--pch"}, Spelling{"-no-cache", "--no-cache"}, Spelling{"-minimal", "--minimal"},
    // A promise of the user's, and types that are always there.
    Spelling{"-restrict", "--restrict"}, Spelling{"-device-int128", "--device-int128"},
    // Diagnostics are clang's: without numbers.
    Spelling{"-Wreorder", "--Wreorder"}, Spelling{"-err-no", "--display-error-number"},
    Spelling{"-no-err-no", "--no-display-error-number"}};
constexpr std::array values_without_effect{
    // Kernels see __CUDA_ARCH__ 800, and have registers and stack enough.
    Spelling{"-arch", "--gpu-architecture"}, Spelling{"-maxrregcount", "--maxrregcount"},
    Spelling{"-modify-stack-limit", "--modify-stack-limit"},
    Spelling{"-device-stack-protector", "--device-stack-protector"}, Spelling{"-rdc", "--relocatable-device-code"},
    // For ptxas, or how NVRTC itself works.
    Spelling{"-Xptxas", "--ptxas-options"}, Spelling{"-Ofc", "--Ofast-compile"},
    Spelling{"-jtd", "--jump-table-density"}, Spelling{"-frandom-seed", "--frandom-seed"},
    Spelling{"-split-compile", "--split-compile"}, Spelling{"-create-pch", "--create-pch"},
    Spelling{"-use-pch", "--use-pch"}, Spelling{"-pch-dir", "--pch-dir"}, Spelling{"-pch-verbose", "--pch-verbose"},
    Spelling{"-pch-messages", "--pch-messages"},
    Spelling{"-instantiate-templates-in-pch", "--instantiate-templates-in-pch"},
    // std::move, std::forward and std::initializer_list are the headers'.
    Spelling{"-builtin-move-forward", "--builtin-move-forward"},
    Spelling{"-builtin-initializer-list", "--builtin-initializer-list"},
    // Diagnostics are clang's: without numbers, and optimisations are not reported.
    Spelling{"-diag-error", "--diag-error"}, Spelling{"-diag-suppress", "--diag-suppress"},
    Spelling{"-diag-warn", "--diag-warn"}, Spelling{"-brief-diag", "--brief-diagnostics"},
    Spelling{"-opt-info", "--optimization-info"}};

bool take_without_effect(Reader& r) {
  for (const Spelling s : flags_without_effect)
    if (r.is(s.name) || r.is(s.long_name)) return true;
  for (const Spelling s : values_without_effect)
    if (r.value(s, false)) return true;
  return false;
}

struct Refused {
  Spelling spelling;
  string_view why;
};

// NVRTC's options whose result a user would miss.
constexpr std::array refused{
    Refused{{"-optix-ir", "--optix-ir"}, "there is no OptiX on the CPU device"},
    Refused{{"-device-float128", "--device-float128"}, "there is no __float128 in kernels"},
    Refused{{"-time", "--time"}, "no file of times is written; Module.compile_seconds says how long it took"},
    Refused{{"-fdevice-time-trace", "--fdevice-time-trace"}, "no trace is written; Kernel.report() has the phases"},
    Refused{{"-fdevice-syntax-only", "--fdevice-syntax-only"}, "a module without code cannot be loaded"}};

bool take_refused(Reader& r) {
  for (const Refused& o : refused) {
    if (!r.is(o.spelling.name) && !r.is(o.spelling.long_name) && !r.value(o.spelling, false)) continue;
    r.fail("option " + std::string(o.spelling.name) + ": " + std::string(o.why) + "; leave the option out");
    return true;
  }
  return false;
}

bool take_code_generation(Reader& r, Options& o) {
  if (auto v = r.value({"--debug-directory", ""}, false)) return o.debug_directory = *v, true;
  if (r.is("-G") || r.is("--device-debug") || r.is("-g")) return o.debug = true, true;
  if (r.is("-no-source-include") || r.is("--no-source-include")) return o.source_include = false, true;
  if (r.is("-default-device") || r.is("--device-as-default-execution-space")) return o.default_device = true, true;
  return false;
}

std::string unknown(string_view argument) {
  std::string text = "option '" + std::string(argument) + "' is not known to Lanza's compiler; ";
  if (!starts_with(argument, "-"))
    return text + "an option begins with '-': leave it out, or join it to the option that it is the value of";
  return text +
         "leave it out (it knows -D, -U, -I, -include, -std, -default-device, -fmad, -ftz, -prec-div, -prec-sqrt, "
         "-use_fast_math, "
         "-G, -lineinfo, -w, -W..., -arch, -maxrregcount, -rdc and NVRTC's other options)";
}

}  // namespace

std::string parse_options(const LanzaBytes* arguments, std::size_t count, Options& options) {
  Arguments rest(arguments, count);
  while (!rest.empty()) {
    const string_view argument = rest.take();
    if (argument.find('\0') != string_view::npos)
      return "option '" + std::string(argument) + "' contains a zero byte; remove it";
    Reader reader(argument, rest);
    const bool known = take_preprocessor(reader, options) || take_standard(reader, options) ||
                       take_arithmetic(reader, options) || take_code_generation(reader, options) ||
                       take_without_effect(reader) || take_warnings(reader, argument, options) || take_refused(reader);
    if (!reader.problem().empty()) return reader.problem();
    if (!known) return unknown(argument);
  }
  return {};
}

}  // namespace lanza::compiler
