// thread_block_tile of more than a warp: barriers of the block for its warps, shared memory for their values.
#pragma once
#include <__lanza/groups/tile.h>

namespace cooperative_groups {

// A word of shared memory for each warp.
template <class T>
__LANZA_FN T* __lanza_warp_words() {
  static __shared__ __align__(16) unsigned char memory[32 * sizeof(T)];
  return reinterpret_cast<T*>(memory);
}

template <unsigned int Size>
class __lanza_tile_warps {
 public:
  static constexpr __LANZA_FN unsigned int num_threads() { return Size; }
  static constexpr __LANZA_FN unsigned int size() { return Size; }
  static __LANZA_FN unsigned int thread_rank() { return __lanza_block_rank() & (Size - 1); }
  __attribute__((convergent)) static __LANZA_FN void sync() {
    __lanza_sync(LANZA_SYNC_BARRIER, __lanza_barrier(), 0, 0, Size);
  }
  __attribute__((convergent)) __LANZA_FN int any(int predicate) const {
    return __lanza_exchange(__any_sync(0xffffffffu, predicate), __lanza_lane() == 0, [](const int* warps) {
      int any = 0;
      for (unsigned int w = 0; w < Size / 32; ++w) any |= warps[w];
      return any;
    });
  }
  __attribute__((convergent)) __LANZA_FN int all(int predicate) const { return !any(!predicate); }
  template <class T>
  __attribute__((convergent)) __LANZA_FN __lanza_plain<T> shfl(T&& value, int rank) const {
    unsigned int source = static_cast<unsigned int>(rank) & (Size - 1);
    return __lanza_exchange<__lanza_plain<T>>(value, thread_rank() == source,
                                              [&](const __lanza_plain<T>* words) { return words[source / 32]; });
  }

  // One lane of each warp gives a value; then `read` sees them all, by warp.
  template <class T, class Read>
  __attribute__((convergent)) __LANZA_FN auto __lanza_exchange(const T& value, bool gives, Read read) const {
    T* words = __lanza_warp_words<T>() + (__lanza_block_rank() & ~(Size - 1)) / 32;
    if (gives) words[thread_rank() / 32] = value;
    sync();
    auto result = read(words);
    sync();
    return result;
  }

 private:
  // Tiles of different sizes may wait at the same time, so each has a barrier of its own: they are numbered as the
  // nodes of a binary tree. Here they come after the 16 that PTX gives to a source; a GPU has only these 16, of which 0
  // is
  // __syncthreads: enough for all but tiles of 64 in blocks of more than 512 threads.
  static __LANZA_FN unsigned int __lanza_barrier() {
    if (!__lanza_reflect(LANZA_REFLECT_PTX)) return 16 + (1024 + __lanza_block_rank()) / Size;
    unsigned int root = __lanza_block_size() > 512 ? 1024 : 512, node = (root + __lanza_block_rank()) / Size;
    if (node > 15) __trap();
    return node;
  }
};

template <unsigned int Size, class Parent>
class __lanza_wide_tile : public __lanza_tile_warps<Size> {
 public:
  __LANZA_FN __lanza_wide_tile(unsigned int, unsigned int) {}
  static __LANZA_FN unsigned int meta_group_rank() { return Parent::thread_rank() / Size; }
  static __LANZA_FN unsigned int meta_group_size() { return (Parent::size() + Size - 1) / Size; }
};
template <unsigned int Size>
class __lanza_wide_tile<Size, void> : public __lanza_tile_warps<Size> {
 public:
  __LANZA_FN __lanza_wide_tile(unsigned int meta_rank, unsigned int meta_size)
      : meta_rank_(meta_rank), meta_size_(meta_size) {}
  __LANZA_FN unsigned int meta_group_rank() const { return meta_rank_; }
  __LANZA_FN unsigned int meta_group_size() const { return meta_size_; }

 private:
  unsigned int meta_rank_, meta_size_;
};

}  // namespace cooperative_groups
