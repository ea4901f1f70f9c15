// Reads the Itanium C++ ABI's mangled names of kernels: the name as people write it and the types of the parameters.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanza::cuda_backend {

struct CppType {
  enum class Kind {
    Builtin,    ///< `name` is its spelling: "unsigned int"
    Named,      ///< class, enumeration or vector type; `name` is qualified: "ns::P<float>"
    Pointer,    ///< `inner`
    Reference,  ///< `inner`
    Array,      ///< `inner`, extent in `name`
    Function,   ///< `name` is the list of parameters, `inner` the result
    Unknown     ///< a construct that is not read here
  };
  Kind kind = Kind::Unknown;
  std::string name;
  bool is_const = false;
  std::shared_ptr<const CppType> inner;
};

/// "const float*", "int (*)[4]", "ns::P<float>": no space before a star.
std::string to_string(const CppType&);

struct Demangled {
  std::string name;  ///< "axpy<float>", "ns::duplicar"; anonymous namespaces are left out
  std::vector<CppType> parameters;
};

/// Nothing for a symbol that is not mangled, or holds a construct that kernels' names have not (lambdas, decltype,
/// operators).
std::optional<Demangled> demangle(std::string_view symbol);

}  // namespace lanza::cuda_backend
