// inclusive_scan and exclusive_scan, and their relatives that add the total to an atomic object.
#pragma once
#include <__lanza/groups/operators.h>
#include <cooperative_groups.h>

namespace cooperative_groups {

// What stands before each member: for sums of integers by subtraction, else the neighbour's value, and T{} in front.
template <class Group, class T, class Operator>
__attribute__((convergent)) __LANZA_FN T __lanza_exclusive(const Group& group, T value, T inclusive, Operator&) {
  if constexpr (std::is_same<Operator, plus<T>>::value && std::is_integral<T>::value) {
    return inclusive - value;
  } else {
    unsigned int rank = group.thread_rank();
    T before =
        __lanza_fetch<T>(group.__lanza_mask(), inclusive, rank == 0 ? __lanza_lane() : group.__lanza_member(rank - 1));
    return rank == 0 ? T{} : before;
  }
}

struct __lanza_no_update {
  static constexpr bool updates = false;
};
template <class Atomic>
struct __lanza_update_of {
  static constexpr bool updates = true;
  Atomic& destination;
};

template <bool Inclusive, class Group, class T, class Operator, class Update>
__attribute__((convergent)) __LANZA_FN T __lanza_scan_warp(const Group& group, T value, Operator& combine,
                                                           Update update) {
  T sum = __lanza_inclusive(group, value, combine), result = sum;
  if constexpr (!Inclusive) result = __lanza_exclusive(group, value, sum, combine);
  if constexpr (Update::updates) {
    T old = value;
    unsigned int last = group.size() - 1;
    if (group.thread_rank() == last) old = __lanza_update(update.destination, sum, combine);
    old = group.shfl(old, static_cast<int>(last));
    result = combine(old, result);
  }
  return result;
}

template <bool Inclusive, class Group, class T, class Operator, class Update>
__attribute__((convergent)) __LANZA_FN T __lanza_scan_wide(const Group& group, T value, Operator& combine,
                                                           Update update) {
  __lanza_tile_lanes<32> warp;
  T sum = __lanza_inclusive(warp, value, combine), result = sum;
  if constexpr (!Inclusive) result = warp.shfl_up(sum, 1);
  // Every warp scans the warps' totals for itself.
  constexpr unsigned int warps = Group::size() / 32;
  __lanza_tile_lanes<warps> totals;
  unsigned int mine = group.thread_rank() / 32;
  T total = group.__lanza_exchange(sum, __lanza_lane() == 31,
                                   [](const T* sums) { return sums[__lanza_lane() & (warps - 1)]; });
  total = __lanza_inclusive(totals, total, combine);
  T before = totals.shfl(total, static_cast<int>(mine) - 1);
  bool first = mine == 0;
  if constexpr (Update::updates) {
    T old = value;
    if (group.thread_rank() == Group::size() - 1) old = __lanza_update(update.destination, total, combine);
    old = group.shfl(old, static_cast<int>(Group::size() - 1));
    before = first ? old : combine(before, old);
    first = false;
  }
  if (!Inclusive && __lanza_lane() == 0) return first ? T{} : before;
  return first ? result : combine(result, before);
}

template <bool Inclusive, class Group, class T, class Operator, class Update>
__attribute__((convergent)) __LANZA_FN T __lanza_scan(const Group& group, T value, Operator& combine, Update update) {
  static_assert(__lanza_is_tile<Group>, "scans take a coalesced_group or a thread_block_tile");
  if constexpr (__lanza_in_a_warp<Group>)
    return __lanza_scan_warp<Inclusive>(group, value, combine, update);
  else
    return __lanza_scan_wide<Inclusive>(group, value, combine, update);
}

#define __LANZA_SCAN(NAME, INCLUSIVE)                                                                             \
  template <class Group, class T, class Operator>                                                                 \
  __attribute__((convergent)) __LANZA_FN auto NAME(const Group& group, T&& value, Operator&& combine)             \
      -> decltype(combine(value, value)) {                                                                        \
    return __lanza_scan<INCLUSIVE>(group, static_cast<__lanza_plain<T>>(value), combine, __lanza_no_update{});    \
  }                                                                                                               \
  template <class Group, class T>                                                                                 \
  __attribute__((convergent)) __LANZA_FN __lanza_plain<T> NAME(const Group& group, T&& value) {                   \
    return cooperative_groups::NAME(group, value, plus<__lanza_plain<T>>());                                      \
  }                                                                                                               \
  template <class Group, class Atomic, class T, class Operator>                                                   \
  __attribute__((convergent)) __LANZA_FN auto NAME##_update(const Group& group, Atomic&& destination, T&& value,  \
                                                            Operator&& combine)                                   \
      ->decltype(combine(value, value)) {                                                                         \
    return __lanza_scan<INCLUSIVE>(group, static_cast<__lanza_plain<T>>(value), combine,                          \
                                   __lanza_update_of<typename std::remove_reference<Atomic>::type>{destination}); \
  }                                                                                                               \
  template <class Group, class Atomic, class T>                                                                   \
  __attribute__((convergent)) __LANZA_FN __lanza_plain<T> NAME##_update(const Group& group, Atomic&& destination, \
                                                                        T&& value) {                              \
    return cooperative_groups::NAME##_update(group, destination, value, plus<__lanza_plain<T>>());                \
  }
__LANZA_SCAN(inclusive_scan, true)
__LANZA_SCAN(exclusive_scan, false)
#undef __LANZA_SCAN

}  // namespace cooperative_groups
