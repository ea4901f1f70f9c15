// memcpy_async and wait: the members copy at once, the wait is the group's barrier.
#pragma once
#include <cooperative_groups.h>

namespace cooperative_groups {

template <class Unit, class Group>
__LANZA_FN void __lanza_copy_units(const Group& group, void* to, const void* from, size_t bytes) {
  Unit* target = static_cast<Unit*>(to);
  const Unit* source = static_cast<const Unit*>(from);
  for (size_t i = group.thread_rank(); i < bytes / sizeof(Unit); i += group.size()) target[i] = source[i];
}

template <class Group>
__LANZA_FN void __lanza_copy(const Group& group, void* to, const void* from, size_t bytes) {
  size_t together = reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from) | bytes;
  if (together % 16 == 0)
    __lanza_copy_units<uint4>(group, to, from, bytes);
  else if (together % 4 == 0)
    __lanza_copy_units<unsigned int>(group, to, from, bytes);
  else
    __lanza_copy_units<unsigned char>(group, to, from, bytes);
}

// `bytes`: an integer or cuda::aligned_size_t.
template <class Group, class T, class Bytes>
__LANZA_FN void memcpy_async(const Group& group, T* to, const T* from, const Bytes& bytes) {
  __lanza_copy(group, to, from, static_cast<size_t>(bytes));
}
// Counts of elements: the smaller one is copied.
template <class Group, class T, class To, class From>
__LANZA_FN void memcpy_async(const Group& group, T* to, const To& to_count, const T* from, const From& from_count) {
  size_t n = static_cast<size_t>(to_count), m = static_cast<size_t>(from_count);
  __lanza_copy(group, to, from, (m < n ? m : n) * sizeof(T));
}

template <unsigned int Stages, class Group>
__attribute__((convergent)) __LANZA_FN void wait_prior(const Group& group) {
  group.sync();
}
template <class Group>
__attribute__((convergent)) __LANZA_FN void wait(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
