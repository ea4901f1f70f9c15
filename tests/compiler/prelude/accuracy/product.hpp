// A mathematical function as users' kernels get it: compiled from source by the product and run on its CPU device.
#pragma once

#include <lanza/lanza.hpp>
#include <span>
#include <string>

namespace lanza::test {

/// CUDA C++ source of a kernel k(y, x0, x1, ..., n): y[i] = name(x0[i], x1[i], ...). `types`: of the result and
/// operands.
std::string kernel_source(const std::string& name, std::initializer_list<const char*> types);

/// name(x) for float and double, name(x, y), name(n, x).
template <class T, class... Operands>
class Product {
 public:
  explicit Product(const std::string& name);
  /// One thread a result, in blocks of this size.
  void operator()(std::span<T> result, std::span<const Operands>... operands, unsigned block = 256) const;

 private:
  Kernel kernel_;
};

}  // namespace lanza::test
