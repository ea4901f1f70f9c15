// The operators of reductions and scans, the scan of lanes that both are made of, and updates of atomic objects.
#pragma once
#include <__lanza/groups/partition.h>

namespace cooperative_groups {

#define __LANZA_OPERATOR(NAME, RESULT)                         \
  template <class T>                                           \
  struct NAME {                                                \
    __LANZA_FN T operator()(T x, T y) const { return RESULT; } \
  };
__LANZA_OPERATOR(plus, x + y)
__LANZA_OPERATOR(less, y < x ? y : x)
__LANZA_OPERATOR(greater, x < y ? y : x)
__LANZA_OPERATOR(bit_and, x& y)
__LANZA_OPERATOR(bit_or, x | y)
__LANZA_OPERATOR(bit_xor, x ^ y)
#undef __LANZA_OPERATOR

template <class Group>
constexpr bool __lanza_is_tile = __lanza_in_a_warp<Group>;
template <unsigned int Size, class Parent>
constexpr bool __lanza_is_tile<thread_block_tile<Size, Parent>> = true;

// Kogge and Stone's scan over the members of a group that lies in a warp.
template <class Group, class T, class Operator>
__attribute__((convergent)) __LANZA_FN T __lanza_inclusive(const Group& group, T value, Operator& combine) {
  unsigned int rank = group.thread_rank(), members = group.size();
  for (unsigned int distance = 1; distance < members; distance *= 2) {
    unsigned int source = distance <= rank ? group.__lanza_member(rank - distance) : __lanza_lane();
    T before = __lanza_fetch<T>(group.__lanza_mask(), value, source);
    if (distance <= rank) value = combine(value, before);
  }
  return value;
}

// Combines `value` into an atomic object and returns what it held.
template <class Atomic, class T, class Operator>
__LANZA_FN T __lanza_update(Atomic& destination, T value, Operator& combine) {
  T old = destination.load();
  while (!destination.compare_exchange_weak(old, combine(old, value))) {
  }
  return old;
}

}  // namespace cooperative_groups
