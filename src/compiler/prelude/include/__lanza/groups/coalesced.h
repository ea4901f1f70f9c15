// coalesced_group: the lanes of a warp that run together, or a part of them.
#pragma once
#include <__lanza/groups/lanes.h>

namespace cooperative_groups {

class coalesced_group : public thread_group {
 public:
  __LANZA_FN unsigned int num_threads() const { return static_cast<unsigned int>(__popc(__mask)); }
  __LANZA_FN unsigned int size() const { return num_threads(); }
  __LANZA_FN unsigned int thread_rank() const {
    return static_cast<unsigned int>(__popc(__mask & __lanza_lanes_below()));
  }
  __LANZA_FN unsigned int meta_group_rank() const { return __meta_rank; }
  __LANZA_FN unsigned int meta_group_size() const { return __meta_size; }
  __attribute__((convergent)) __LANZA_FN void sync() const { __syncwarp(__mask); }

  template <class T>
  __attribute__((convergent)) __LANZA_FN __lanza_plain<T> shfl(T&& value, int rank) const {
    return __lanza_fetch<__lanza_plain<T>>(__mask, value, __lanza_member(static_cast<unsigned int>(rank)));
  }
  // From the member `delta` ranks up or down; at the ends the own value.
  template <class T>
  __attribute__((convergent)) __LANZA_FN __lanza_plain<T> shfl_down(T&& value, unsigned int delta) const {
    unsigned int rank = thread_rank() + delta;
    return __lanza_fetch<__lanza_plain<T>>(__mask, value, rank < size() ? __lanza_member(rank) : __lanza_lane());
  }
  template <class T>
  __attribute__((convergent)) __LANZA_FN __lanza_plain<T> shfl_up(T&& value, int delta) const {
    int rank = static_cast<int>(thread_rank()) - delta;
    return __lanza_fetch<__lanza_plain<T>>(
        __mask, value, rank >= 0 ? __lanza_member(static_cast<unsigned int>(rank)) : __lanza_lane());
  }

  __attribute__((convergent)) __LANZA_FN int any(int predicate) const { return __any_sync(__mask, predicate); }
  __attribute__((convergent)) __LANZA_FN int all(int predicate) const { return __all_sync(__mask, predicate); }
  __attribute__((convergent)) __LANZA_FN unsigned int ballot(int predicate) const {
    return __lanza_pack(__ballot_sync(__mask, predicate));
  }
  template <class T>
  __attribute__((convergent)) __LANZA_FN unsigned int match_any(T value) const {
    return __lanza_pack(__match_any_sync(__mask, value));
  }
  template <class T>
  __attribute__((convergent)) __LANZA_FN unsigned int match_all(T value, int& all) const {
    return __lanza_pack(__match_all_sync(__mask, value, &all));
  }

  __LANZA_FN unsigned int __lanza_mask() const { return __mask; }
  // The lane of the member with this rank.
  __LANZA_FN unsigned int __lanza_member(unsigned int rank) const {
    if (__mask == 0xffffffffu) return rank & 31;
    unsigned int rest = __mask;
    while (rank-- != 0) rest &= rest - 1;
    return static_cast<unsigned int>(__ffs(static_cast<int>(rest)) - 1) & 31;
  }
  static __LANZA_FN coalesced_group __lanza_make(unsigned int mask, unsigned int meta_rank = 0,
                                                 unsigned int meta_size = 1, bool regular = false) {
    coalesced_group group(mask);
    group.__meta_rank = meta_rank;
    group.__meta_size = meta_size;
    group.__regular = regular;
    return group;
  }
  // Pieces of `size` members, by rank.
  __LANZA_FN coalesced_group __lanza_split(unsigned int size) const {
    if (num_threads() <= size) return *this;
    unsigned int piece = thread_rank() / size, rest = __mask;
    for (unsigned int skipped = piece * size; skipped != 0; --skipped) rest &= rest - 1;
    unsigned int beyond = rest;
    for (unsigned int taken = size; taken != 0; --taken) beyond &= beyond - 1;
    // A tile counts whole pieces only.
    unsigned int pieces = __regular ? num_threads() / size : (num_threads() + size - 1) / size;
    return __lanza_make(rest & ~beyond, piece, pieces, __regular);
  }

 private:
  __LANZA_FN explicit coalesced_group(unsigned int mask) : thread_group(__lanza_lanes_kind, mask) {}

  // Bits of lanes to bits of ranks.
  __LANZA_FN unsigned int __lanza_pack(unsigned int lanes) const {
    if (__mask == 0xffffffffu) return lanes;
    unsigned int packed = 0, bit = 1;
    for (unsigned int rest = __mask; rest != 0; rest &= rest - 1, bit <<= 1)
      if (lanes & rest & (0 - rest)) packed |= bit;
    return packed;
  }

  friend __device__ thread_group tiled_partition(const thread_group& parent, unsigned int size);
};

__attribute__((convergent)) __LANZA_FN coalesced_group coalesced_threads() {
  return coalesced_group::__lanza_make(__activemask());
}

}  // namespace cooperative_groups
