"""`__restrict__` says that no other pointer leads there, not that no other thread writes there."""

import numpy as np
from harness import case

BY_ITSELF = """
__global__ void k(int* __restrict__ data, int turns) {
  const int t = threadIdx.x + blockDim.x * threadIdx.y;
  for (int i = 0; i < turns; i++) {
    const int other = data[SIZE - 1 - t] + 1;
    __syncthreads();
    data[t] = other;
    __syncthreads();
  }
}"""
BY_FUNCTIONS = """
__device__ int taken(const int* __restrict__ from, int at) { return from[at]; }
__device__ void turn(int* __restrict__ data, int t) {
  const int other = taken(data, SIZE - 1 - t) + 1;
  __syncthreads();
  data[t] = other;
  __syncthreads();
}
__global__ void k(int* __restrict__ data, int turns) {
  const int t = threadIdx.x + blockDim.x * threadIdx.y;
  for (int i = 0; i < turns; i++) turn(data, t);
}"""
ONCE = """
__device__ int turned(int* __restrict__ data, int t) {
  const int before = data[t];
  __syncthreads();
  data[SIZE - 1 - t] = before + 1;
  __syncthreads();
  return data[t];
}
__global__ void k(int* __restrict__ data, int turns) {
  const int t = threadIdx.x + blockDim.x * threadIdx.y;
  int found = 0;
  for (int i = 0; i < turns; i++) found = turned(data, t);
  data[t] = found;
}"""
BY_A_LAMBDA = """
__global__ void k(int* __restrict__ data, int turns) {
  const int t = threadIdx.x + blockDim.x * threadIdx.y;
  auto turn = [&] {
    const int other = data[SIZE - 1 - t];
    __syncthreads();
    data[t] = other;
    __syncthreads();
    const int found = data[t];
    __syncthreads();
    data[t] = found + 1;
    __syncthreads();
  };
  for (int i = 0; i < turns; i++) turn();
}"""
SOURCES = {"by itself": BY_ITSELF, "by functions": BY_FUNCTIONS, "found again": ONCE, "by a lambda": BY_A_LAMBDA}


@case(blocks=[64, (16, 8), 32], each=list(SOURCES))
def memory_that_threads_hand_each_other(run, name):
    turns, size = 5, run.threads
    data = np.arange(size, dtype=np.int32)
    run(SOURCES[name].replace("SIZE", str(size)), data, np.int32(turns))
    expected = np.arange(size)
    for _ in range(turns):
        expected = expected[::-1] + 1
    run.same(data, expected)
