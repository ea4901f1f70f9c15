// reduce and its relatives that store or update a value.
#pragma once
#include <__lanza/groups/operators.h>
#include <cooperative_groups.h>

namespace cooperative_groups {

// Butterfly in tiles and whole warps, else a scan whose last value all take: CUDA's order.
template <unsigned int Size, class T, class Operator>
__attribute__((convergent)) __LANZA_FN T __lanza_reduce_tile(const __lanza_tile_lanes<Size>& tile, T value,
                                                             Operator& combine) {
#pragma unroll
  for (unsigned int bits = Size / 2; bits > 0; bits /= 2) value = combine(value, tile.shfl_xor(value, bits));
  return value;
}
template <class T, class Operator>
__attribute__((convergent)) __LANZA_FN T __lanza_reduce(const coalesced_group& group, T value, Operator& combine) {
  if (group.size() == 32) return __lanza_reduce_tile(__lanza_tile_lanes<32>(), value, combine);
  T sum = __lanza_inclusive(group, value, combine);
  return group.shfl(sum, static_cast<int>(group.size() - 1));
}
template <unsigned int Size, class Parent, class T, class Operator>
__attribute__((convergent)) __LANZA_FN T __lanza_reduce(const thread_block_tile<Size, Parent>& tile, T value,
                                                        Operator& combine) {
  if constexpr (Size <= 32) {
    return __lanza_reduce_tile<Size>(tile, value, combine);
  } else {
    T sum = __lanza_reduce_tile(__lanza_tile_lanes<32>(), value, combine);
    constexpr unsigned int warps = Size / 32;
    T other = tile.__lanza_exchange(sum, __lanza_lane() == 0,
                                    [](const T* sums) { return sums[__lanza_lane() & (warps - 1)]; });
    return __lanza_reduce_tile(__lanza_tile_lanes<warps>(), other, combine);
  }
}

template <class Group, class T, class Operator>
__attribute__((convergent)) __LANZA_FN auto reduce(const Group& group, T&& value, Operator&& combine)
    -> decltype(combine(value, value)) {
  static_assert(__lanza_is_tile<Group>, "reduce takes a coalesced_group or a thread_block_tile");
  return __lanza_reduce<>(group, static_cast<__lanza_plain<T>>(value), combine);
}

// The result is there when the call returns, in the destination; the other members need not wait for it.
template <class Group, class Destination, class T, class Operator>
__attribute__((convergent)) __LANZA_FN void reduce_update_async(const Group& group, Destination&& destination,
                                                                T&& value, Operator&& combine) {
  auto result = cooperative_groups::reduce(group, value, combine);
  if (group.thread_rank() == 0) __lanza_update(destination, result, combine);
}
template <class Group, class T, class U, class Operator>
__attribute__((convergent)) __LANZA_FN void reduce_store_async(const Group& group, T* destination, U&& value,
                                                               Operator&& combine) {
  auto result = cooperative_groups::reduce(group, value, combine);
  if (group.thread_rank() == 0) *destination = result;
}
template <class Group, class Atomic, class T, class Operator>
__attribute__((convergent)) __LANZA_FN auto reduce_store_async(const Group& group, Atomic&& destination, T&& value,
                                                               Operator&& combine)
    -> decltype(destination.store(value)) {
  auto result = cooperative_groups::reduce(group, value, combine);
  if (group.thread_rank() == 0) destination.store(result);
}

}  // namespace cooperative_groups
