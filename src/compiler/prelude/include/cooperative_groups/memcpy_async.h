// memcpy_async and wait: the members copy at once, the wait is the group's barrier.
#pragma once
#include <__lanza/bulk_copy.h>
#include <cooperative_groups.h>

namespace cooperative_groups {

// `bytes`: an integer or cuda::aligned_size_t.
template <class Group, class T, class Bytes>
__LANZA_FN void memcpy_async(const Group& group, T* to, const T* from, const Bytes& bytes) {
  __lanza_copy(group.thread_rank(), group.size(), to, from, static_cast<size_t>(bytes));
}
// Counts of elements: the smaller one is copied.
template <class Group, class T, class To, class From>
__LANZA_FN void memcpy_async(const Group& group, T* to, const To& to_count, const T* from, const From& from_count) {
  size_t n = static_cast<size_t>(to_count), m = static_cast<size_t>(from_count);
  __lanza_copy(group.thread_rank(), group.size(), to, from, (m < n ? m : n) * sizeof(T));
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
