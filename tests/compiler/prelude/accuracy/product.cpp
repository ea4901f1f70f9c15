#include "product.hpp"

#include <type_traits>

namespace lanza::test {
namespace {

template <class T>
constexpr const char* name_of() {
  if constexpr (std::is_same_v<T, float>) return "float";
  if constexpr (std::is_same_v<T, double>) return "double";
  return "int";
}

Kernel compiled(const std::string& source) {
  static const Device device("cpu");
  return compile(source, {.device = device}).kernel("k");
}

}  // namespace

std::string kernel_source(const std::string& name, std::initializer_list<const char*> types) {
  std::string parameters, arguments;
  int i = 0;
  for (const char* type : types) {
    const std::string operand = "x" + std::to_string(i);
    parameters += (i == 0 ? "" : "const ") + std::string(type) + "* " + (i == 0 ? "y" : operand) + ", ";
    if (i > 0) arguments += (i > 1 ? ", " : "") + operand + "[i]";
    ++i;
  }
  return "extern \"C\" __global__ void k(" + parameters +
         "int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = " + name + "(" + arguments + "); }";
}

template <class T, class... Operands>
Product<T, Operands...>::Product(const std::string& name)
    : kernel_(compiled(kernel_source(name, {name_of<T>(), name_of<Operands>()...}))) {}

template <class T, class... Operands>
void Product<T, Operands...>::operator()(std::span<T> result, std::span<const Operands>... operands,
                                         unsigned block) const {
  const unsigned blocks = static_cast<unsigned>((result.size() + block - 1) / block);
  kernel_({.grid = blocks, .block = block}, out(result), in(operands)..., static_cast<int>(result.size()));
}

template class Product<float, float>;
template class Product<double, double>;
template class Product<float, float, float>;
template class Product<double, double, double>;
template class Product<float, int, float>;
template class Product<double, int, double>;

}  // namespace lanza::test
