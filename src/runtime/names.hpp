// How a name that a user writes finds a kernel or variable of a module.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"

namespace lanza::detail {

/// White space only where it separates words: " axpy< unsigned  int >" is "axpy<unsigned int>".
std::string canonical_name(std::string_view);

/// The index of the entry: by the expression that asked for it, its symbol, its name, its name with parameter types
/// ("scale(float*, int)"), or its name without namespaces and template arguments. Nothing when none fits; throws
/// InvalidArgument and lists the candidates when several do. `where`: the module's file name.
std::optional<std::size_t> find_kernel(const std::vector<backend::KernelInfo>&, std::string_view name,
                                       std::string_view where);
std::optional<std::size_t> find_variable(const std::vector<backend::VariableInfo>&, std::string_view name,
                                         std::string_view where);

/// "no kernel 'sumar' in kernel.cu; it has: multiplicar". `reason`: said in between, may be empty.
[[noreturn]] void throw_no_kernel(const std::vector<backend::KernelInfo>&, std::string_view name,
                                  std::string_view where, std::string_view reason = {});
[[noreturn]] void throw_no_variable(const std::vector<backend::VariableInfo>&, std::string_view name,
                                    std::string_view where);

}  // namespace lanza::detail
