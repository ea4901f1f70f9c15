// A look at CUDA C++ text without compiling it: the kernels that it declares, for the names of their parameters and,
// where the symbol carries no types (extern "C"), for the types too. Macros and templates are not expanded: what is
// unclear is left out.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lanza::cuda_backend {

struct SourceParameter {
  std::vector<std::string> type;  ///< tokens without the name: "const", "float", "*"
  std::string name;               ///< empty: none
};

struct SourceKernel {
  std::string name;  ///< unqualified
  std::vector<SourceParameter> parameters;
  bool readable = true;  ///< false: the parameter list holds something that is not read here
};

struct SourceSummary {
  std::vector<SourceKernel> kernels;
  /// typedef, using and object-like macros whose meaning is a type: "real" -> "float". Names with two meanings are left
  /// out.
  std::map<std::string, std::vector<std::string>> aliases;

  /// The kernel of that name with so many parameters, when there is exactly one (declarations of the same list count
  /// once).
  const SourceKernel* find(std::string_view name, std::size_t parameters) const;
};

SourceSummary scan_source(std::string_view source);
/// Adds the aliases of -D options.
void add_macro(SourceSummary&, std::string_view definition);

/// Tokens of C++ text: identifiers, numbers, literals (as one token each) and single punctuation characters; comments
/// are left out, and preprocessor lines too unless `directive` is given, which gets each of them joined to one line.
std::vector<std::string> tokenise(std::string_view source, std::vector<std::string>* directives = nullptr);

}  // namespace lanza::cuda_backend
