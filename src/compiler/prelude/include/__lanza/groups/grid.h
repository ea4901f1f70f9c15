// grid_group, and cluster_group with the one block that a cluster has here.
#pragma once
#include <__lanza/groups/groups.h>

namespace cooperative_groups {

__LANZA_FN unsigned long long __lanza_linear(const uint3& index, const dim3& size) {
  return index.x +
         static_cast<unsigned long long>(size.x) * (index.y + static_cast<unsigned long long>(size.y) * index.z);
}
__LANZA_FN unsigned long long __lanza_blocks() {
  return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
}
__LANZA_FN unsigned long long __lanza_grid_size() { return __lanza_blocks() * __lanza_block_size(); }
__LANZA_FN unsigned long long __lanza_grid_rank() {
  return __lanza_linear(blockIdx, gridDim) * __lanza_block_size() + __lanza_block_rank();
}

class grid_group : public thread_group {
 public:
  struct arrival_token {};

  // A launch that was not cooperative has no barrier of the grid.
  __LANZA_FN bool is_valid() const { return __lanza_grid_workspace() != 0; }
  __attribute__((convergent)) __LANZA_FN void sync() const { __lanza_grid_sync(); }
  __LANZA_FN arrival_token barrier_arrive() const { return {}; }
  __attribute__((convergent)) __LANZA_FN void barrier_wait(arrival_token&&) const { sync(); }

  static __LANZA_FN unsigned long long num_threads() { return __lanza_grid_size(); }
  static __LANZA_FN unsigned long long size() { return num_threads(); }
  static __LANZA_FN unsigned long long thread_rank() { return __lanza_grid_rank(); }
  static __LANZA_FN dim3 thread_index() {
    return dim3(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                blockIdx.z * blockDim.z + threadIdx.z);
  }
  static __LANZA_FN dim3 dim_threads() {
    return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
  }
  static __LANZA_FN dim3 group_dim() { return gridDim; }
  static __LANZA_FN dim3 dim_blocks() { return gridDim; }
  static __LANZA_FN dim3 block_index() { return blockIdx; }
  static __LANZA_FN unsigned long long num_blocks() { return __lanza_blocks(); }
  static __LANZA_FN unsigned long long block_rank() { return __lanza_linear(blockIdx, gridDim); }
  static __LANZA_FN dim3 dim_clusters() { return gridDim; }
  static __LANZA_FN dim3 cluster_index() { return blockIdx; }
  static __LANZA_FN unsigned long long num_clusters() { return num_blocks(); }
  static __LANZA_FN unsigned long long cluster_rank() { return block_rank(); }

 private:
  __LANZA_FN grid_group() : thread_group(__lanza_grid_kind) {}
  friend __device__ grid_group this_grid();
};

__LANZA_FN grid_group this_grid() { return {}; }

// Launched without cluster dimensions, a cluster is its block; with them the kernel does not compile.
class cluster_group : public thread_group {
 public:
  struct arrival_token {};

  __attribute__((convergent)) static __LANZA_FN void sync() { __syncthreads(); }
  static __LANZA_FN arrival_token barrier_arrive() { return {}; }
  __attribute__((convergent)) static __LANZA_FN void barrier_wait() { __syncthreads(); }
  __attribute__((convergent)) static __LANZA_FN void barrier_wait(arrival_token&&) { __syncthreads(); }
  static __LANZA_FN unsigned int query_shared_rank(const void*) { return 0; }
  template <class T>
  static __LANZA_FN T* map_shared_rank(T* address, int) {
    return address;
  }
  static __LANZA_FN dim3 block_index() { return dim3(0, 0, 0); }
  static __LANZA_FN unsigned int block_rank() { return 0; }
  static __LANZA_FN dim3 thread_index() { return threadIdx; }
  static __LANZA_FN unsigned int thread_rank() { return __lanza_block_rank(); }
  static __LANZA_FN dim3 dim_blocks() { return dim3(1, 1, 1); }
  static __LANZA_FN unsigned int num_blocks() { return 1; }
  static __LANZA_FN dim3 dim_threads() { return blockDim; }
  static __LANZA_FN unsigned int num_threads() { return __lanza_block_size(); }
  static __LANZA_FN unsigned int size() { return num_threads(); }

 private:
  __LANZA_FN cluster_group() : thread_group(__lanza_block_kind) {}
  friend __device__ cluster_group this_cluster();
};

__LANZA_FN cluster_group this_cluster() { return {}; }

// On the CPU the executor waits for the blocks. On a GPU the driver gives a cooperative launch a word in memory: each
// block adds 1, block 0 what is missing to 2^31, so that the top bit flips when all have come.
__LANZA_FN void __lanza_grid_sync() {
  if (!__lanza_reflect(LANZA_REFLECT_PTX)) {
    __lanza_sync(LANZA_SYNC_GRID, 0, 0, 0, 0);
    return;
  }
  unsigned long long workspace = __lanza_grid_workspace();
  if (workspace == 0) __trap();
  __syncthreads();
  if (__lanza_block_rank() == 0) {
    unsigned int* arrived = reinterpret_cast<unsigned int*>(workspace) + 1;
    unsigned int others = static_cast<unsigned int>(__lanza_blocks()) - 1;
    __threadfence();
    unsigned int before = atomicAdd(arrived, __lanza_linear(blockIdx, gridDim) == 0 ? 0x80000000u - others : 1u);
    while (((before ^ *static_cast<volatile unsigned int*>(arrived)) & 0x80000000u) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}

}  // namespace cooperative_groups
