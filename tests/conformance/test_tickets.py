"""What an atomic operation found in shared memory, used behind a barrier: every thread has its own."""

import numpy as np
from harness import case

SOURCE = """
__device__ int by_swaps(int* place) {
  int seen, old = *place;
  do {
    seen = old;
    old = atomicCAS(place, seen, seen + 1);
  } while (old != seen);
  return old;
}
__global__ void k(int* tickets, int* taken, int* counts, int groups) {
  __shared__ int next[GROUPS], s[SIZE];
  const int t = threadIdx.x + blockDim.x * threadIdx.y;
  const int own = GROUP;
  if (t < GROUPS) next[t] = 0;
  s[t] = -1;
  __syncthreads();
  const int ticket = TAKE;
  __syncthreads();
  tickets[t] = ticket;
  s[own * (SIZE / GROUPS) + ticket] = t;
  __syncthreads();
  taken[t] = s[t];
  if (t < GROUPS) counts[t] = next[t];
}"""
# Of each thread: which counter it takes from.
GROUPS = {"one for all": (1, "0"), "a column each": (8, "t % 8"), "a row each": (4, "t / (SIZE / 4)")}
WAYS = {
    "add": "atomicAdd(&next[own], 1)",
    "add some": "atomicAdd(&next[own], groups > 0)",
    "increment": "(int)atomicInc((unsigned*)&next[own], 100000u)",
    "by swaps": "by_swaps(&next[own])",
}


@case(blocks=[64, 256, (16, 8), (8, 8)], each=[f"{group}, {way}" for group in GROUPS for way in WAYS])
def tickets_behind_a_barrier(run, name):
    group, way = name.split(", ")
    count, of_thread = GROUPS[group]
    size = run.threads
    tickets, taken, counts = np.zeros(size, np.int32), np.zeros(size, np.int32), np.zeros(count, np.int32)
    source = SOURCE.replace("TAKE", WAYS[way]).replace("GROUPS", str(count)).replace("GROUP", of_thread)
    run(source.replace("SIZE", str(size)), tickets, taken, counts, np.int32(count))
    t = np.arange(size)
    own = {"one for all": 0 * t, "a column each": t % 8, "a row each": t // (size // 4)}[group]
    run.same(counts, np.full(count, size // count))
    for k in range(count):  # in whatever order they came
        run.same(np.sort(tickets[own == k]), np.arange(size // count), f"tickets of {k}")
    expected = np.zeros(size, np.int32)
    expected[own * (size // count) + tickets] = t
    run.same(taken, expected)
