"""Blocks that wait for each other: locks, flags, look-back, barriers made by hand."""

import numpy as np
from harness import case
from test_forward_progress import BLOCKS_AT_ONCE, SIZE, THREAD


@case
def lock_of_blocks(run):
    """A lock that all blocks take, held across a barrier of the block."""
    out = np.zeros(2, np.int32)
    source = f"""
    __global__ void k(int* out) {{
      {THREAD}
      if (t == 0) {{
        while (atomicCAS(&out[0], 0, 1) != 0) {{}}
        __threadfence();
      }}
      __syncthreads();
      const int seen = *(volatile int*)&out[1];
      __syncthreads();
      if (t == 0) {{
        *(volatile int*)&out[1] = seen + 1;
        __threadfence();
        atomicExch(&out[0], 0);
      }}
    }}
    """
    run(source, out, grid=50)
    run.same(out, [0, 50])


@case
def ticket_lock_of_blocks(run):
    """A fair lock: every thread of every block takes a ticket and waits until it is served."""
    state, order = np.zeros(2, np.uint32), np.zeros(4 * run.threads, np.int32)
    source = f"""
    __global__ void k(unsigned* state, int* order) {{
      {THREAD} {SIZE}
      const unsigned mine = atomicAdd(&state[0], 1u);
      while (*(volatile unsigned*)&state[1] != mine) {{}}
      order[mine] = t + n * blockIdx.x;
      __threadfence();
      *(volatile unsigned*)&state[1] = mine + 1;
    }}
    """
    run(source, state, order, grid=4)
    run.same(state, [4 * run.threads] * 2)
    run.same(np.sort(order), np.arange(4 * run.threads))


@case
def chain_of_blocks_backwards(run):
    """Each block waits for the one after it, against the order in which they begin."""
    values = np.zeros(BLOCKS_AT_ONCE + 1, np.int32)
    values[-1] = 1
    source = f"""
    __global__ void k(int* values) {{
      {THREAD}
      __shared__ int before;
      if (t == 0) {{
        while ((before = *(volatile int*)&values[blockIdx.x + 1]) == 0) {{}}
      }}
      __syncthreads();
      if (t == blockDim.x * blockDim.y * blockDim.z - 1) atomicExch(&values[blockIdx.x], before * 3);
    }}
    """
    run(source, values, grid=BLOCKS_AT_ONCE)
    run.same(values, 3 ** np.arange(BLOCKS_AT_ONCE, -1, -1))


@case
def decoupled_look_back(run):
    """A scan in one pass: each block publishes its sum, then looks back until it finds a full prefix."""
    blocks = 64
    rng = np.random.default_rng(1)
    data = rng.integers(0, 100, blocks * run.threads).astype(np.int32)
    out = np.zeros_like(data)
    source = f"""
    enum {{ NOTHING = 0, SUM = 1, PREFIX = 2 }};
    __global__ void k(const int* in, int* out, int* next, volatile int* state, volatile int* sums, volatile int* prefixes) {{
      {THREAD} {SIZE}
      __shared__ int tile, before, scan[1024];
      if (t == 0) tile = atomicAdd(next, 1);
      __syncthreads();
      scan[t] = in[tile * n + t];
      __syncthreads();
      for (int step = 1; step < n; step *= 2) {{
        const int left = t >= step ? scan[t - step] : 0;
        __syncthreads();
        scan[t] += left;
        __syncthreads();
      }}
      if (t == 0) {{
        const int sum = scan[n - 1];
        sums[tile] = sum;
        __threadfence();
        state[tile] = SUM;
        int prefix = 0;
        for (int i = tile - 1; i >= 0; --i) {{
          int seen;
          while ((seen = state[i]) == NOTHING) {{}}
          __threadfence();
          if (seen == PREFIX) {{ prefix += prefixes[i]; break; }}
          prefix += sums[i];
        }}
        prefixes[tile] = prefix + sum;
        __threadfence();
        state[tile] = PREFIX;
        before = prefix;
      }}
      __syncthreads();
      out[tile * n + t] = before + scan[t];
    }}
    """
    state = [np.zeros(blocks, np.int32) for _ in range(3)]
    run(source, data, out, np.zeros(1, np.int32), *state, grid=blocks)
    run.same(out, np.cumsum(data))


@case
def grid_barrier_by_hand(run):
    """All blocks meet several times at a barrier made of one counter, and read what the others wrote before it."""
    rounds = 5
    values = np.zeros(2 * BLOCKS_AT_ONCE, np.int32)
    source = f"""
    __device__ void meet(unsigned* arrived, unsigned goal) {{
      __syncthreads();
      if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {{
        __threadfence();
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned*)arrived < goal) {{}}
        __threadfence();
      }}
      __syncthreads();
    }}
    __global__ void k(unsigned* arrived, volatile int* values) {{
      {THREAD}
      for (unsigned round = 0; round < {rounds}; ++round) {{
        volatile int* from = values + round % 2 * gridDim.x;
        volatile int* to = values + (round + 1) % 2 * gridDim.x;
        if (t == 0) to[blockIdx.x] = from[(blockIdx.x + 1) % gridDim.x] + blockIdx.x + 1;
        meet(arrived, (round + 1) * gridDim.x);
      }}
    }}
    """
    run(source, np.zeros(1, np.uint32), values, grid=BLOCKS_AT_ONCE)
    expected, numbers = np.zeros(BLOCKS_AT_ONCE, np.int64), np.arange(BLOCKS_AT_ONCE)
    for _ in range(rounds):
        expected = np.roll(expected, -1) + numbers + 1
    run.same(values.reshape(2, -1)[rounds % 2], expected)


@case
def last_block_done(run):
    """The block that finishes last adds up what all wrote: no waiting, only a counter and fences."""
    blocks = 40
    sums, total = np.zeros(blocks, np.int32), np.zeros(1, np.int64)
    source = f"""
    __device__ unsigned finished;
    __global__ void k(volatile int* sums, long long* total) {{
      {THREAD}
      __shared__ bool last;
      if (t == 0) {{
        sums[blockIdx.x] = blockIdx.x * 7 + 1;
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
      }}
      __syncthreads();
      if (last && t == 0) for (int i = 0; i < gridDim.x; ++i) *total += sums[i];
    }}
    """
    run(source, sums, total, grid=blocks)
    run.same(total, [sum(7 * i + 1 for i in range(blocks))])


@case
def queue_between_blocks(run):
    """Block 0 produces into a ring of four places, the others consume: counters on both sides."""
    items, consumers = 60, 3
    taken, state = np.zeros(items, np.int32), np.zeros(3, np.uint32)
    source = f"""
    __global__ void k(volatile unsigned* state, int* taken, int items) {{  // state: written, taken, claimed
      {THREAD}
      static __device__ volatile int ring[4];
      if (t) return;
      if (blockIdx.x == 0) {{
        for (int i = 0; i < items; ++i) {{
          while (i - (int)state[1] >= 4) {{}}
          ring[i % 4] = i * i;
          __threadfence();
          state[0] = i + 1;
        }}
        return;
      }}
      for (;;) {{
        const unsigned mine = atomicAdd((unsigned*)&state[2], 1u);
        if (mine >= items) break;
        while (state[0] <= mine) {{ __nanosleep(20); }}
        __threadfence();
        taken[mine] = ring[mine % 4];
        __threadfence();
        while (state[1] != mine) {{}}
        state[1] = mine + 1;
      }}
    }}
    """
    run(source, state, taken, items, grid=1 + consumers)
    run.same(taken, np.arange(items) ** 2)


@case
def readers_and_a_writer(run):
    """A sequence lock: one block writes pairs, the others read until both halves belong together."""
    bad, pair = np.zeros(1, np.int32), np.zeros(3, np.int32)
    source = f"""
    __global__ void k(volatile int* pair, int* bad) {{  // sequence number, two halves
      {THREAD}
      if (blockIdx.x == 0) {{
        if (t) return;
        for (int i = 1; i <= 20; ++i) {{
          pair[0] = 2 * i - 1;
          __threadfence();
          pair[1] = i;
          pair[2] = -i;
          __threadfence();
          pair[0] = 2 * i;
        }}
        return;
      }}
      int before, after, a, b;
      do {{
        do {{ before = pair[0]; }} while (before % 2);
        __threadfence();
        a = pair[1];
        b = pair[2];
        __threadfence();
        after = pair[0];
      }} while (before != after || before != 40);
      if (a + b) atomicAdd(bad, 1);
    }}
    """
    run(source, pair, bad, grid=3)
    run.same(bad, [0])
