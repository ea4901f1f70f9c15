// binary_partition and labeled_partition: the members of a group that agree.
#pragma once
#include <__lanza/groups/tile.h>

namespace cooperative_groups {

// Groups whose members are lanes of one warp.
template <class Group>
constexpr bool __lanza_in_a_warp = false;
template <>
constexpr bool __lanza_in_a_warp<coalesced_group> = true;
template <unsigned int Size, class Parent>
constexpr bool __lanza_in_a_warp<thread_block_tile<Size, Parent>> = Size <= 32;

template <class Group>
__attribute__((convergent)) __LANZA_FN coalesced_group binary_partition(const Group& group, bool predicate) {
  static_assert(__lanza_in_a_warp<Group>,
                "binary_partition divides a coalesced_group or a thread_block_tile of at most 32 threads");
  unsigned int mask = group.__lanza_mask(), yes = __ballot_sync(mask, predicate);
  if (yes == mask || yes == 0) return coalesced_group::__lanza_make(mask);
  return coalesced_group::__lanza_make(predicate ? yes : mask & ~yes, predicate, 2);
}

template <class Group, class Label>
__attribute__((convergent)) __LANZA_FN coalesced_group labeled_partition(const Group& group, Label label) {
  static_assert(__lanza_in_a_warp<Group>,
                "labeled_partition divides a coalesced_group or a thread_block_tile of at most 32 threads");
  static_assert(std::is_integral<Label>::value || std::is_pointer<Label>::value,
                "the label of labeled_partition is an integer or a pointer");
  if constexpr (std::is_same<Label, bool>::value) {
    return binary_partition(group, label);
  } else {
    unsigned int mask = group.__lanza_mask(), same = __match_any_sync(mask, (unsigned long long)label);
    unsigned int lowest = same & (0 - same), leaders = __ballot_sync(mask, (1u << __lanza_lane()) == lowest);
    return coalesced_group::__lanza_make(same, static_cast<unsigned int>(__popc(leaders & (lowest - 1))),
                                         static_cast<unsigned int>(__popc(leaders)));
  }
}

}  // namespace cooperative_groups
