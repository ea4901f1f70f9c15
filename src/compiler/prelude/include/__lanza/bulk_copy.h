// Copies that several threads share, and aligned_size_t: a number of bytes that promises an alignment.
#pragma once

namespace cuda {
template <size_t Alignment>
struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  explicit constexpr __LANZA_HD aligned_size_t(size_t bytes) : value(bytes) {}
  constexpr __LANZA_HD operator size_t() const { return value; }
};
}  // namespace cuda

template <class Unit>
__LANZA_FN void __lanza_copy_units(size_t rank, size_t threads, void* to, const void* from, size_t bytes) {
  Unit* target = static_cast<Unit*>(to);
  const Unit* source = static_cast<const Unit*>(from);
  for (size_t i = rank; i < bytes / sizeof(Unit); i += threads) target[i] = source[i];
}

// The share of thread `rank` of `threads`.
__LANZA_FN void __lanza_copy(size_t rank, size_t threads, void* to, const void* from, size_t bytes) {
  size_t together = reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from) | bytes;
  if (together % 16 == 0)
    __lanza_copy_units<uint4>(rank, threads, to, from, bytes);
  else if (together % 4 == 0)
    __lanza_copy_units<unsigned int>(rank, threads, to, from, bytes);
  else
    __lanza_copy_units<unsigned char>(rank, threads, to, from, bytes);
}
