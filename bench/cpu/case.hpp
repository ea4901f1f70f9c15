// What is measured: a kernel with its launch and arguments, and the twin that gets the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <lanza/lanza.hpp>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace bench {

/// Of one case; the arguments follow (Cases::add).
struct About {
  std::string name;    ///< with the size
  double goal;         ///< time as a ratio to the twin's
  std::string file;    ///< of the kernel, below bench/cpu
  std::string kernel;  ///< as it is launched: "matmul<16>"
  lanza::Dim3 grid, block;
  std::string twin;
  int units;               ///< of the twin's work
  double tolerance = 0;    ///< greatest difference, relative to the greatest value; integers: share that may differ
  int launches = 1;        ///< one after the other; the argument `Number` counts them
  std::size_t shared = 0;  ///< dynamic shared memory, bytes
};

/// An argument: the number of the launch, from 0; an int to the kernel.
struct Number {};

/// An argument: memory, the same for the kernel and for the twin: which physical pages it has decides how they lie in
/// the caches, and that alone made one program 25 % faster or slower than itself.
template <class T>
struct Array {
  std::vector<T> initial;
  bool compared;
  std::vector<T> kept{};
  lanza::Buffer<T> buffer{initial.size()};

  T* address() const { return reinterpret_cast<T*>(buffer.ptr()); }
  void reset() { lanza::copy(buffer, initial); }
};
template <class T>
Array<T> in(std::vector<T> values) {
  return {std::move(values), false};
}
template <class T>
Array<T> out(int n) {
  return {std::vector<T>(static_cast<std::size_t>(n)), true};
}
template <class T>
Array<T> inout(std::vector<T> values) {
  return {std::move(values), true};
}

/// Vector types of CUDA, as arrays of their elements where they are compared.
template <class E, int N>
struct Vector {
  using Element = E;
  E values[N];
};
using Float2 = Vector<float, 2>;
using Float4 = Vector<float, 4>;
using Uchar3 = Vector<std::uint8_t, 3>;
using Uchar4 = Vector<std::uint8_t, 4>;
using Int3 = Vector<int, 3>;
/// The bits of an IEEE binary16.
struct Half {
  std::uint16_t bits;
};

double difference(const float* a, const float* b, std::size_t n);
double difference(const double* a, const double* b, std::size_t n);
double difference(const Half* a, const Half* b, std::size_t n);
/// The share of the elements that differ.
double share_of_differing(const void* a, const void* b, std::size_t size, std::size_t n);

template <class T>
double difference_of(const T* a, const T* b, std::size_t n) {
  if constexpr (requires { typename T::Element; })
    return difference_of(a->values, b->values, n * sizeof(T) / sizeof(typename T::Element));
  else if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, Half>)
    return difference(a, b, n);
  else
    return share_of_differing(a, b, sizeof(T), n);
}

/// An argument as other launchers than Lanza's need it.
struct Memory {
  bool is_array, is_number;
  void* address;  ///< of the kernel's array, or of the value
  std::size_t bytes;
};

struct Case {
  About about;
  std::function<void(const lanza::Kernel&, int number)> launch;
  std::function<void()> reset;    ///< all arrays as they were
  std::function<void()> keep;     ///< the results
  std::function<double()> error;  ///< how the results differ from those kept
  std::vector<void*> arguments;   ///< the twin's, addresses of values
  std::vector<Memory> memory;     ///< the arguments once more
  std::shared_ptr<int> number;    ///< the one of them that is a Number
  std::shared_ptr<void> owner;
};

class Cases {
 public:
  template <class... A>
  void add(About about, A... arguments) {
    makers_.push_back({about.name, [about, arguments...] { return make(about, arguments...); }});
  }

  struct Maker {
    std::string name;
    std::function<Case()> make;  ///< allocates
  };
  const std::vector<Maker>& all() const { return makers_; }

 private:
  template <class T>
  struct Held {
    T value;
    const T& for_kernel(int) const { return value; }
    void* for_twin() { return &value; }
    Memory memory() { return {false, false, &value, sizeof value}; }
    void reset() {}
    void keep() {}
    double error() const { return 0; }
  };
  template <class T>
  struct Held<Array<T>> {
    Array<T> value;
    T* address = value.address();
    const lanza::Buffer<T>& for_kernel(int) const { return value.buffer; }
    void* for_twin() { return &address; }
    Memory memory() { return {true, false, address, value.buffer.size_bytes()}; }
    void reset() { value.reset(); }
    void keep() {
      if (value.compared) value.kept.assign(address, address + value.initial.size());
    }
    double error() const {
      if (!value.compared) return 0;
      return difference_of(value.kept.data(), static_cast<const T*>(address), value.kept.size());
    }
  };
  template <class... A>
  static Case make(const About& about, const A&... given);

  std::vector<Maker> makers_;
};

template <>
struct Cases::Held<Number> {
  Number value;
  std::shared_ptr<int> now = std::make_shared<int>(0);
  int for_kernel(int number) const { return number; }
  void* for_twin() { return now.get(); }
  Memory memory() { return {false, true, now.get(), sizeof(int)}; }
  void reset() {}
  void keep() {}
  double error() const { return 0; }
};

template <class... A>
Case Cases::make(const About& about, const A&... given) {
  using All = std::tuple<Held<A>...>;
  auto all = std::make_shared<All>(Held<A>{given}...);
  Case made{.about = about, .owner = all};
  const auto each = [all = all.get()](auto&& f) { std::apply([&](auto&... held) { (f(held), ...); }, *all); };
  made.launch = [all = all.get(),
                 config = lanza::LaunchConfig{.grid = about.grid, .block = about.block, .shared = about.shared}](
                    const lanza::Kernel& kernel, int number) {
    std::apply([&](auto&... held) { kernel(config, held.for_kernel(number)...); }, *all);
  };
  made.reset = [each] { each([](auto& held) { held.reset(); }); };
  made.keep = [each] { each([](auto& held) { held.keep(); }); };
  made.error = [each] {
    double worst = 0;
    each([&](auto& held) { worst = std::max(worst, held.error()); });
    return worst;
  };
  each([&]<class H>(H& held) {
    made.arguments.push_back(held.for_twin());
    made.memory.push_back(held.memory());
    if constexpr (std::is_same_v<H, Held<Number>>) made.number = held.now;
  });
  return made;
}

// One function a file *_cases.cpp: whole kernels (list/), and idioms of GPU code, each on its own (idioms/).
void add_elementwise(Cases&);
void add_list(Cases&);
void add_others(Cases&);
void add_loops(Cases&);
void add_memory(Cases&);
void add_cooperation(Cases&);

}  // namespace bench
