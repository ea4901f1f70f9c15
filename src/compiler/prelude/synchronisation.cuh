// Barriers and fences. __syncthreads is a builtin of clang; it arrives as llvm.nvvm.barrier0.
#pragma once

__attribute__((convergent)) __LANZA_FN int __syncthreads_count(int predicate) {
  return static_cast<int>(__lanza_sync(LANZA_SYNC_BARRIER_COUNT, 0, 0, predicate != 0, 0));
}
__attribute__((convergent)) __LANZA_FN int __syncthreads_or(int predicate) {
  return __syncthreads_count(predicate) != 0;
}
__attribute__((convergent)) __LANZA_FN int __syncthreads_and(int predicate) {
  return __syncthreads_count(predicate == 0) == 0;
}
__attribute__((convergent)) __LANZA_FN void __barrier_sync(unsigned int id) {
  __lanza_sync(LANZA_SYNC_BARRIER, id, 0, 0, 0);
}
__attribute__((convergent)) __LANZA_FN void __barrier_sync_count(unsigned int id, unsigned int count) {
  __lanza_sync(LANZA_SYNC_BARRIER, id, 0, 0, count);
}
__attribute__((convergent)) __LANZA_FN void __syncwarp(unsigned int mask = 0xffffffffu) {
  __lanza_sync(LANZA_SYNC_WARP, 0, mask, 0, 0);
}
__attribute__((convergent)) __LANZA_FN void __nanosleep(unsigned int nanoseconds) {
  __lanza_sync(LANZA_SYNC_YIELD, 0, 0, nanoseconds, 0);
}

// A block runs on one worker: within it only the compiler could reorder.
__LANZA_FN void __threadfence_block() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
__LANZA_FN void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__LANZA_FN void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
