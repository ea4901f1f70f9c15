// What twins that are written with vector types share: one register of the target.
#pragma once

#include <utility>

namespace bench {

#ifdef __AVX512F__
inline constexpr int register_bytes = 64;
#else
inline constexpr int register_bytes = 32;
#endif
inline constexpr int lanes = register_bytes / 4;

typedef float Floats __attribute__((vector_size(register_bytes)));
typedef int Ints __attribute__((vector_size(register_bytes)));
typedef unsigned Words __attribute__((vector_size(register_bytes)));

template <class V, class T>
V load(const T* from) {
  V value;
  __builtin_memcpy(&value, from, sizeof(V));
  return value;
}
template <class V, class T>
void store(T* to, V value) {
  __builtin_memcpy(to, &value, sizeof(V));
}

/// Lane l takes lane l - By's value, the first ones 0.
template <int By, int... L>
Floats moved_up(Floats v, std::integer_sequence<int, L...>) {
  return __builtin_shufflevector(Floats{}, v, L + lanes - By...);
}

/// out[i] = in[0] + ... + in[i], for a count that is a multiple of `lanes`: sums within a register, then what came
/// before it.
inline void scan(const float* __restrict in, float* __restrict out, int count) {
  constexpr std::make_integer_sequence<int, lanes> all;
  float before = 0;
  for (int i = 0; i < count; i += lanes) {
    Floats v = load<Floats>(in + i);
    v += moved_up<1>(v, all);
    v += moved_up<2>(v, all);
    v += moved_up<4>(v, all);
    if constexpr (lanes == 16) v += moved_up<8>(v, all);
    store(out + i, v + before);
    before += v[lanes - 1];
  }
}

}  // namespace bench
