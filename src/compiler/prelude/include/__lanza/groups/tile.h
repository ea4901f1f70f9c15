// thread_block_tile of at most a warp, and tiled_partition.
#pragma once
#include <__lanza/groups/coalesced.h>

namespace cooperative_groups {

template <unsigned int Size, class Parent = void>
class thread_block_tile;

template <unsigned int Size>
class __lanza_tile_lanes {
 public:
  static constexpr __LANZA_FN unsigned int num_threads() { return Size; }
  static constexpr __LANZA_FN unsigned int size() { return Size; }
  static __LANZA_FN unsigned int thread_rank() { return __lanza_lane() & (Size - 1); }
  __attribute__((convergent)) static __LANZA_FN void sync() { __syncwarp(__lanza_mask()); }

  template <class T>
  __attribute__((convergent)) __LANZA_FN __lanza_plain<T> shfl(T&& value, int rank) const {
    return __lanza_fetch<__lanza_plain<T>>(__lanza_mask(), value, __lanza_shfl_source(rank, Size));
  }
  template <class T>
  __attribute__((convergent)) __LANZA_FN __lanza_plain<T> shfl_down(T&& value, unsigned int delta) const {
    return __lanza_fetch<__lanza_plain<T>>(__lanza_mask(), value, __lanza_shfl_down_source(delta, Size));
  }
  template <class T>
  __attribute__((convergent)) __LANZA_FN __lanza_plain<T> shfl_up(T&& value, unsigned int delta) const {
    return __lanza_fetch<__lanza_plain<T>>(__lanza_mask(), value, __lanza_shfl_up_source(delta, Size));
  }
  template <class T>
  __attribute__((convergent)) __LANZA_FN __lanza_plain<T> shfl_xor(T&& value, unsigned int bits) const {
    return __lanza_fetch<__lanza_plain<T>>(__lanza_mask(), value,
                                           __lanza_shfl_xor_source(static_cast<int>(bits), Size));
  }

  __attribute__((convergent)) __LANZA_FN int any(int predicate) const { return __any_sync(__lanza_mask(), predicate); }
  __attribute__((convergent)) __LANZA_FN int all(int predicate) const { return __all_sync(__lanza_mask(), predicate); }
  __attribute__((convergent)) __LANZA_FN unsigned int ballot(int predicate) const {
    return __ballot_sync(__lanza_mask(), predicate) >> __lanza_first();
  }
  template <class T>
  __attribute__((convergent)) __LANZA_FN unsigned int match_any(T value) const {
    return __match_any_sync(__lanza_mask(), value) >> __lanza_first();
  }
  template <class T>
  __attribute__((convergent)) __LANZA_FN unsigned int match_all(T value, int& all) const {
    return __match_all_sync(__lanza_mask(), value, &all) >> __lanza_first();
  }

  static __LANZA_FN unsigned int __lanza_mask() { return (0xffffffffu >> (32 - Size)) << __lanza_first(); }
  // The lane of the member with rank 0, or another one.
  static __LANZA_FN unsigned int __lanza_first() { return __lanza_lane() & ~(Size - 1); }
  static __LANZA_FN unsigned int __lanza_member(unsigned int rank) { return __lanza_first() + (rank & (Size - 1)); }
};

// The place in the parent is known from the type ...
template <unsigned int Size, class Parent>
class __lanza_warp_tile : public __lanza_tile_lanes<Size> {
 public:
  __LANZA_FN __lanza_warp_tile(unsigned int, unsigned int) {}
  static __LANZA_FN unsigned int meta_group_rank() { return Parent::thread_rank() / Size; }
  static __LANZA_FN unsigned int meta_group_size() { return (Parent::size() + Size - 1) / Size; }
};
// ... or kept, where the type has forgotten it.
template <unsigned int Size>
class __lanza_warp_tile<Size, void> : public thread_group, public __lanza_tile_lanes<Size> {
  typedef __lanza_tile_lanes<Size> lanes;

 public:
  __LANZA_FN __lanza_warp_tile(unsigned int meta_rank, unsigned int meta_size)
      : thread_group(__lanza_lanes_kind, lanes::__lanza_mask()) {
    this->__meta_rank = meta_rank;
    this->__meta_size = meta_size;
    this->__regular = true;
  }
  using lanes::num_threads;
  using lanes::size;
  using lanes::sync;
  using lanes::thread_rank;
  __LANZA_FN unsigned int meta_group_rank() const { return this->__meta_rank; }
  __LANZA_FN unsigned int meta_group_size() const { return this->__meta_size; }
};

template <unsigned int Size, class Parent>
class __lanza_wide_tile;

template <unsigned int Size, class Parent>
class thread_block_tile
    : public std::conditional<(Size <= 32), __lanza_warp_tile<Size, Parent>, __lanza_wide_tile<Size, Parent>>::type {
  static_assert(Size >= 1 && Size <= 1024 && (Size & (Size - 1)) == 0,
                "a thread_block_tile has 1, 2, 4, ... 1024 threads");
  typedef
      typename std::conditional<(Size <= 32), __lanza_warp_tile<Size, Parent>, __lanza_wide_tile<Size, Parent>>::type
          base;

 public:
  __LANZA_FN thread_block_tile(unsigned int meta_rank = 0, unsigned int meta_size = 1) : base(meta_rank, meta_size) {}
  // A tile forgets its parent, as a parameter of type thread_block_tile<Size> wants it.
  __LANZA_FN operator thread_block_tile<Size, void>() const {
    return thread_block_tile<Size, void>(this->meta_group_rank(), this->meta_group_size());
  }
};
template <unsigned int Size>
class thread_block_tile<Size, void>
    : public std::conditional<(Size <= 32), __lanza_warp_tile<Size, void>, __lanza_wide_tile<Size, void>>::type {
  typedef
      typename std::conditional<(Size <= 32), __lanza_warp_tile<Size, void>, __lanza_wide_tile<Size, void>>::type base;

 public:
  __LANZA_FN thread_block_tile(unsigned int meta_rank = 0, unsigned int meta_size = 1) : base(meta_rank, meta_size) {}
};

// Of what size a group's tiles must be less; 0: it has none.
template <class Group>
constexpr unsigned int __lanza_tiles_below = 0;
template <>
constexpr unsigned int __lanza_tiles_below<thread_block> = 2048;
template <unsigned int Size, class Parent>
constexpr unsigned int __lanza_tiles_below<thread_block_tile<Size, Parent>> = Size;

template <unsigned int Size, class Parent>
__LANZA_FN thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  static_assert(__lanza_tiles_below<Parent> != 0,
                "tiled_partition<Size> divides a thread_block or a thread_block_tile; for a coalesced_group use "
                "tiled_partition(group, size)");
  static_assert(__lanza_tiles_below<Parent> == 0 || Size < __lanza_tiles_below<Parent>,
                "the tiles of tiled_partition<Size> are smaller than their parent");
  return {};
}
__LANZA_FN thread_block_tile<1> this_thread() { return {}; }

// Sizes that are known at run time only: at most a warp.
__LANZA_FN void __lanza_check_tile(unsigned int size) {
  if (size == 0 || size > 32 || (size & (size - 1)) != 0) __trap();
}
__LANZA_FN coalesced_group tiled_partition(const coalesced_group& parent, unsigned int size) {
  __lanza_check_tile(size);
  return parent.__lanza_split(size);
}
__LANZA_FN thread_group tiled_partition(const thread_group& parent, unsigned int size) {
  __lanza_check_tile(size);
  if (parent.__kind == __lanza_lanes_kind)
    return coalesced_group::__lanza_make(parent.__mask, parent.__meta_rank, parent.__meta_size, parent.__regular)
        .__lanza_split(size);
  unsigned int rank = __lanza_block_rank(), left = __lanza_block_size() - (rank & ~(size - 1));
  unsigned int members = 0xffffffffu >> (32 - (left < size ? left : size));
  return coalesced_group::__lanza_make(members << (__lanza_lane() & ~(size - 1)), rank / size,
                                       (__lanza_block_size() + size - 1) / size, true);
}
__LANZA_FN thread_group tiled_partition(const thread_block& parent, unsigned int size) {
  return tiled_partition(static_cast<const thread_group&>(parent), size);
}

}  // namespace cooperative_groups
