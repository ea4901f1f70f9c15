"""Loops that wait for other blocks, and who of the block may be needed to end them: the vector engine runs groups in turn."""

import numpy as np
from harness import case
from test_forward_progress import BLOCKS_AT_ONCE, SIZE, THREAD


@case
def look_back_by_a_warp(run):
    """A scan in one pass: dynamic block numbers, and a warp that looks at 32 predecessors at a time."""
    blocks, threads = 100, 96
    data = np.random.default_rng(1).integers(0, 100, blocks * threads).astype(np.int32)
    out = np.zeros_like(data)
    source = """
    __global__ void k(const int* in, int* out, unsigned long long* state, unsigned* ticket) {
      __shared__ int s[96], before;
      __shared__ unsigned number;
      const int t = threadIdx.x;
      if (t == 0) number = atomicAdd(ticket, 1u);
      __syncthreads();
      const int b = number;
      s[t] = in[b * 96 + t];
      __syncthreads();
      for (int d = 1; d < 96; d *= 2) {
        const int x = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += x;
        __syncthreads();
      }
      if (t < 32) {
        const unsigned total = s[95];
        unsigned sum = 0;
        if (t == 0) atomicExch(&state[b], (b ? 1ull : 2ull) << 32 | total);
        for (int p = b - 1 - t; b != 0; p -= 32) {
          unsigned long long w;
          do {
            w = p >= 0 ? *(volatile unsigned long long*)&state[p] : 2ull << 32;
          } while (__any_sync(0xffffffffu, w >> 32 == 0));
          const unsigned full = __ballot_sync(0xffffffffu, w >> 32 == 2);
          unsigned mine = !full || t < __ffs(full) ? (unsigned)w : 0;
          for (int d = 16; d; d /= 2) mine += __shfl_xor_sync(0xffffffffu, mine, d);
          sum += mine;
          if (full) break;
        }
        if (t == 0 && b) atomicExch(&state[b], 2ull << 32 | (unsigned)(sum + total));
        if (t == 0) before = sum;
      }
      __syncthreads();
      out[b * 96 + t] = s[t] + before;
    }
    """
    run(source, data, out, np.zeros(blocks, np.uint64), np.zeros(1, np.uint32), grid=blocks, block=threads)
    run.same(out, np.cumsum(data))


@case
def each_lane_waits_for_its_own(run):
    """The lanes of a warp wait for a word each, of the block before."""
    blocks = BLOCKS_AT_ONCE
    out = np.zeros((blocks + 1, 64), np.int32)
    out[0] = np.arange(64) + 1
    source = """
    __global__ void k(volatile int* out) {
      const int t = threadIdx.x;
      int seen = 0;
      if (t < 32) {
        while ((seen = out[blockIdx.x * 64 + t]) == 0) __nanosleep(10);
        seen = __shfl_sync(0xffffffffu, seen, t ^ 1);
      }
      __syncthreads();
      out[(blockIdx.x + 1) * 64 + t] = seen + 1;
    }
    """
    run(source, out, grid=blocks, block=64)
    expected = [np.arange(32) + 1]
    for _ in range(blocks):
        expected.append(expected[-1][np.arange(32) ^ 1] + 1)
    run.same(out[:, :32], expected)


@case
def grid_barriers_that_sleep(run):
    """All threads write in front of a barrier of the grid, and read behind it what other blocks wrote."""
    n, rounds = BLOCKS_AT_ONCE * run.threads, 4
    values = np.zeros((rounds + 1, n), np.int32)
    values[0] = np.arange(n)
    source = f"""
    __global__ void k(unsigned* arrived, volatile int* values, int all) {{
      {THREAD} {SIZE}
      const int i = blockIdx.x * n + t;
      for (int round = 0; round < {rounds}; ++round) {{
        values[(round + 1) * all + i] = values[round * all + (i + n + 1) % all] + i;
        __threadfence();
        __syncthreads();
        if (t == 0) {{
          atomicAdd(arrived, 1u);
          while (atomicAdd(arrived, 0u) < (round + 1) * gridDim.x) __nanosleep(20);
        }}
        __syncthreads();
      }}
    }}
    """
    run(source, np.zeros(1, np.uint32), values, n, grid=BLOCKS_AT_ONCE)
    for r in range(rounds):
        expected = np.roll(values[r], -run.threads - 1) + np.arange(n)
        run.same(values[r + 1], expected)


@case
def all_threads_wait_for_one_word(run):
    """Every thread of a block polls the word that the block before it writes."""
    words = np.zeros(BLOCKS_AT_ONCE + 1, np.int32)
    words[0] = 5
    out = np.zeros(BLOCKS_AT_ONCE * run.threads, np.int32)
    source = f"""
    __global__ void k(volatile int* words, int* out) {{
      {THREAD} {SIZE}
      int word;
      while ((word = words[blockIdx.x]) == 0) {{}}
      __syncthreads();
      out[blockIdx.x * n + t] = word + t;
      __threadfence();
      if (t == n - 1) words[blockIdx.x + 1] = word + 1;
    }}
    """
    run(source, words, out, grid=BLOCKS_AT_ONCE)
    run.same(out, np.add.outer(np.arange(BLOCKS_AT_ONCE) + 5, np.arange(run.threads)).ravel())


@case
def written_before_the_branch(run):
    """The last thread writes what the first one waits for, in front of the branch that parts them."""
    out = np.zeros((3, run.threads + 1), np.int32)
    source = f"""
    __global__ void k(volatile int* out) {{
      {THREAD} {SIZE}
      volatile int* mine = out + blockIdx.x * (n + 1);
      mine[t] = t + 1;
      if (t == 0) {{
        while (mine[n - 1] == 0) {{}}
        mine[n] = mine[n - 1] + mine[n / 2];
      }}
    }}
    """
    run(source, out, grid=3)
    run.same(out[:, -1], [run.threads + run.threads // 2 + 1] * 3)


@case
def written_behind_the_branch(run):
    """The last thread writes what the first one waits for, behind the branch that parts them, and on its other side."""
    out = np.zeros((3, 2), np.int32)
    source = f"""
    __global__ void k(volatile int* out) {{
      {THREAD} {SIZE}
      volatile int* mine = out + blockIdx.x * 2;
      if (t == 0 && n > 1) {{
        while (mine[0] == 0) {{}}
      }} else if (t == n / 2) {{
        mine[0] = 7;
      }}
      if (t == n - 1) mine[1] = 9;
      if (t == 0) while (mine[1] == 0) {{}}
    }}
    """
    run(source, out, grid=3)
    run.same(out[:, 1], [9] * 3)


@case
def each_thread_waits_for_the_one_before(run):
    """A chain through all threads of a block, and through its blocks."""
    out = np.zeros(3 * run.threads + 1, np.int32)
    out[0] = 1
    source = f"""
    __global__ void k(volatile int* out) {{
      {THREAD} {SIZE}
      const int i = blockIdx.x * n + t;
      int seen;
      while ((seen = out[i]) == 0) {{}}
      out[i + 1] = seen + 1;
    }}
    """
    run(source, out, grid=3)
    run.same(out, np.arange(3 * run.threads + 1) + 1)


@case
def waits_in_shared_memory(run):
    """The first thread waits for a word of shared memory that another one writes."""
    out = np.zeros(2, np.int32)
    source = f"""
    __global__ void k(int* out) {{
      {THREAD} {SIZE}
      __shared__ volatile int word;
      if (t == 0) word = n == 1 ? 3 : 0;
      __syncthreads();
      if (t == 0) {{
        while (word == 0) {{}}
        out[blockIdx.x] = word;
      }} else if (t == n - 1) {{
        word = 3;
      }}
    }}
    """
    run(source, out, grid=2)
    run.same(out, [3, 3])


@case(blocks=[32])
def crowd_at_a_gate(run):
    """Many more blocks than run at once come to a gate that opens later: those that wait are not all begun."""
    source = """
    __device__ unsigned long long now() {
      unsigned long long t;
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
      return t;
    }
    __global__ void k(unsigned long long* first, int* gate, int* out) {
      if (threadIdx.x == 0) {
        const unsigned long long me = now(), before = atomicCAS(first, 0ull, me), start = before ? before : me;
        while (atomicAdd(gate, 0) == 0)
          if (now() > start + 1500000000ull) atomicExch(gate, 1);
        out[blockIdx.x] = blockIdx.x;
      }
    }
    """
    blocks = 60000
    first, gate, out = np.zeros(1, np.uint64), np.zeros(1, np.int32), np.zeros(blocks, np.int32)
    run(source, first, gate, out, grid=blocks)
    run.same(out, np.arange(blocks, dtype=np.int32))
