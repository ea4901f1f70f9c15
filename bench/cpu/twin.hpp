// Twins: the kernels' results in C++ as an expert writes it for a CPU, what the kernels are measured against. A twin
// takes the kernel's own arguments, by the same names in the same order, and does the part [begin, end) of the work, in
// units of its own, so that threads can share it. All twins are compiled by each compiler and for each target into a
// library of its own, which exports one symbol.
#pragma once

#include <cstddef>
#include <utility>

namespace bench {

using RunTwin = void (*)(int begin, int end, void* const* arguments);

struct Twin {
  const char* name;
  RunTwin run;
  const Twin* next;
};

/// `const Twin* twins()`: the first of the library's list.
inline constexpr char twins_symbol[] = "twins";

#ifdef BENCH_TWINS  // within such a library
const Twin*& first_twin();

template <class... A>
struct Typed {
  template <void (*F)(int, int, A...)>
  static void run(int begin, int end, void* const* arguments) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      F(begin, end, *static_cast<A*>(arguments[I])...);
    }(std::index_sequence_for<A...>{});
  }
};

template <auto F>
struct Registered;
template <class... A, void (*F)(int, int, A...)>
struct Registered<F> {
  explicit Registered(const char* name) : twin{name, &Typed<A...>::template run<F>, first_twin()} {
    first_twin() = &twin;
  }
  Twin twin;
};

/// TWIN(saxpy, int n, float a, ...) { body over begin and end }
#define TWIN(name, ...)                                       \
  __attribute__((noinline)) void name(int, int, __VA_ARGS__); \
  const bench::Registered<&name> name##_registered(#name);    \
  void name([[maybe_unused]] int begin, [[maybe_unused]] int end, __VA_ARGS__)
#endif

}  // namespace bench
