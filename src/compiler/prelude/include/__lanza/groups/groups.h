// thread_group, which stands for any group up to a block, and thread_block.
#pragma once
#include <type_traits>
#include <utility>

namespace cooperative_groups {

enum __lanza_group_kind : unsigned char { __lanza_lanes_kind, __lanza_block_kind, __lanza_grid_kind };

__LANZA_FN unsigned int __lanza_block_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__LANZA_FN unsigned int __lanza_block_size() { return blockDim.x * blockDim.y * blockDim.z; }
__LANZA_FN unsigned int __lanza_lanes_below() { return (1u << __lanza_lane()) - 1; }
__attribute__((convergent)) __LANZA_FN void __lanza_grid_sync();
__LANZA_FN unsigned long long __lanza_grid_rank();
__LANZA_FN unsigned long long __lanza_grid_size();

class thread_group {
 public:
  __LANZA_FN unsigned long long num_threads() const {
    if (__kind == __lanza_grid_kind) return __lanza_grid_size();
    return __kind == __lanza_block_kind ? __lanza_block_size() : static_cast<unsigned int>(__popc(__mask));
  }
  __LANZA_FN unsigned long long size() const { return num_threads(); }
  __LANZA_FN unsigned long long thread_rank() const {
    if (__kind == __lanza_grid_kind) return __lanza_grid_rank();
    return __kind == __lanza_block_kind ? __lanza_block_rank()
                                        : static_cast<unsigned int>(__popc(__mask & __lanza_lanes_below()));
  }
  __attribute__((convergent)) __LANZA_FN void sync() const {
    if (__kind == __lanza_grid_kind)
      __lanza_grid_sync();
    else if (__kind == __lanza_block_kind)
      __syncthreads();
    else
      __syncwarp(__mask);
  }

 protected:
  __LANZA_FN explicit thread_group(__lanza_group_kind kind, unsigned int mask = 0)
      : __kind(kind), __regular(false), __mask(mask), __meta_rank(0), __meta_size(1) {}

  __lanza_group_kind __kind;
  bool __regular;       // lanes: a tile of the warp, not what a branch left
  unsigned int __mask;  // lanes: the members
  unsigned int __meta_rank, __meta_size;

  friend __device__ thread_group tiled_partition(const thread_group& parent, unsigned int size);
};

class thread_block : public thread_group {
 public:
  struct arrival_token {};

  static __LANZA_FN unsigned int num_threads() { return __lanza_block_size(); }
  static __LANZA_FN unsigned int size() { return num_threads(); }
  static __LANZA_FN unsigned int thread_rank() { return __lanza_block_rank(); }
  static __LANZA_FN dim3 group_index() { return blockIdx; }
  static __LANZA_FN dim3 thread_index() { return threadIdx; }
  static __LANZA_FN dim3 group_dim() { return blockDim; }
  static __LANZA_FN dim3 dim_threads() { return blockDim; }
  __attribute__((convergent)) static __LANZA_FN void sync() { __syncthreads(); }
  // As CUDA's own: the arrival costs nothing, the wait is the whole barrier.
  __LANZA_FN arrival_token barrier_arrive() const { return {}; }
  __attribute__((convergent)) __LANZA_FN void barrier_wait(arrival_token&&) const { __syncthreads(); }

 private:
  __LANZA_FN thread_block() : thread_group(__lanza_block_kind) {}
  friend __device__ thread_block this_thread_block();
};

__LANZA_FN thread_block this_thread_block() { return {}; }

// Scratch memory that CUDA wants for tiles of more than a warp; here a block has it anyway.
template <unsigned int MaxBlockSize = 1024>
struct __align__(8) block_tile_memory {
  unsigned char __bytes[MaxBlockSize / 32 * 8 + 8];
};
template <unsigned int MaxBlockSize>
__attribute__((convergent)) __LANZA_FN thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
  __syncthreads();
  return this_thread_block();
}

template <class Group>
__attribute__((convergent)) __LANZA_FN void sync(const Group& group) {
  group.sync();
}
template <class Group>
__LANZA_FN auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <class Group>
__LANZA_FN auto group_size(const Group& group) -> decltype(group.num_threads()) {
  return group.num_threads();
}

namespace experimental {
using cooperative_groups::block_tile_memory;
using cooperative_groups::this_thread_block;
}  // namespace experimental

}  // namespace cooperative_groups
