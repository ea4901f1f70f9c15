// What twins that are written with vector types share: one register of the target.
#pragma once

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

}  // namespace bench
