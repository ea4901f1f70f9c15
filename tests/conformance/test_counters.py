"""Counters in global memory: many threads add to few of them, near and far, and some look at what they did."""

import numpy as np
from harness import case, kernel

BLOCKS = 64


def keys_of(run, most):
    """So many launches of few threads, too, that a call of the code has more than a handful."""
    blocks = max(BLOCKS, 40000 // run.threads)
    return blocks, np.random.default_rng(5).integers(0, most, blocks * run.threads).astype(np.int32)


@case
def few_and_many_counters(run):
    """All of them near the start, some far from it, all far from it; 32 and 64 bits; added and subtracted."""
    for most, first, dtype, name, operation, sign in (
        (100, 0, np.int32, "int", "atomicAdd", 1),
        (5000, 0, np.uint32, "unsigned", "atomicAdd", 1),
        (3000, 8000, np.int32, "int", "atomicSub", -1),
        (4096, 0, np.uint64, "unsigned long long", "atomicAdd", 1),
    ):
        blocks, keys = keys_of(run, most)
        keys += first
        bins = np.arange(most + first, dtype=dtype)
        expected = bins.copy()
        np.add.at(expected, keys, (sign * (np.arange(len(keys)) % 5)).astype(dtype))
        body = f"int i = blockIdx.x * n + t; {operation}(&bins[keys[i]], ({name})(i % 5));"
        run(kernel(f"const int* keys, {name}* bins", body), keys, bins, grid=blocks)
        run.same(bins, expected, f"{most} from {first}")


@case
def counters_before_the_start(run):
    """Keys below 0, of a pointer into the middle; guarded, in a loop, of two arrays."""
    blocks, keys = keys_of(run, 600)
    keys -= 300
    left, right = np.zeros(600, np.int32), np.zeros(600, np.int32)
    body = """
      left += 300;
      for (int i = blockIdx.x * n + t, k = 0; k < 2; ++k)
        if (keys[i] % 3 != k) { atomicAdd(left + keys[i], k + 1); atomicAdd(&right[keys[i] + 300], 7); }
    """
    parameters = "const int* __restrict__ keys, int* __restrict__ left, int* __restrict__ right"
    run(kernel(parameters, body), keys, left, right, grid=blocks)
    expected_left, expected_right = np.zeros(600, np.int32), np.zeros(600, np.int32)
    for k in range(2):
        taken = keys[np.fmod(keys, 3) != k] + 300
        np.add.at(expected_left, taken, k + 1)
        np.add.at(expected_right, taken, 7)
    run.same(left, expected_left)
    run.same(right, expected_right)


@case
def counters_that_are_looked_at(run):
    """A variable of the device; each thread's own addition is there when it looks."""
    blocks, keys = keys_of(run, 700)
    seen = np.zeros(len(keys), np.int32)
    body = "int i = blockIdx.x * n + t; atomicAdd(&counters[keys[i]], 1); seen[i] = counters[keys[i]] > 0;"
    run(kernel("const int* keys, int* seen", body, "__device__ int counters[700];"), keys, seen, grid=blocks)
    run.same(seen, np.ones(len(keys), np.int32))


@case
def counters_of_the_module(run):
    """A variable of the device, read by another launch."""
    blocks, keys = keys_of(run, 700)
    out = np.zeros(700, np.int32)
    before = "__device__ int counters[700];"
    body = """
      int i = blockIdx.x * n + t;
      if (counts) atomicAdd(&counters[keys[i]], 3);
      else if (i < 700) out[i] = counters[i];
    """
    source = kernel("const int* keys, int* out, bool counts", body, before)
    for counts in (True, False):
        run(source, keys, out, np.bool_(counts), grid=blocks, fresh=counts)
    run.same(out, 3 * np.bincount(keys, minlength=700).astype(np.int32))


@case
def counters_of_blocks_that_wait(run):
    """Histograms in shared memory, merged behind a barrier: neighbours, and by keys; in two rounds, with a count beside."""
    blocks, keys = keys_of(run, 96)
    bins, others, rounds = np.zeros(96, np.int32), np.zeros(300, np.uint64), np.zeros(1, np.int32)
    body = """
      __shared__ int local[96];
      for (int round = 0; round < 2; ++round) {
        for (int i = t; i < 96; i += n) local[i] = 0;
        __syncthreads();
        int key = keys[blockIdx.x * n + t];
        atomicAdd(&local[key], round + 1);
        __syncthreads();
        for (int i = t; i < 96; i += n) atomicAdd(&bins[i], local[i]);
        atomicAdd(&others[key + 200], 5ull);
        if (t == 0) atomicAdd(&rounds[0], 1);
        __syncthreads();
      }
    """
    run(
        kernel("const int* keys, int* bins, unsigned long long* others, int* rounds", body),
        keys,
        bins,
        others,
        rounds,
        grid=blocks,
    )
    counts = np.bincount(keys, minlength=96)
    run.same(bins, 3 * counts.astype(np.int32))
    run.same(others[200:296], 10 * counts.astype(np.uint64))
    run.same(rounds, np.array([2 * blocks], np.int32))


@case
def counters_seen_behind_a_barrier(run):
    """Each thread of a block looks at what its neighbour has added before the barrier."""
    blocks, _ = keys_of(run, 1)
    bins, seen = np.zeros(blocks * run.threads, np.int32), np.zeros(blocks * run.threads, np.int32)
    body = """
      int i = blockIdx.x * n + t, other = blockIdx.x * n + (t + 1) % n;
      atomicAdd(&bins[i], 7);
      __syncthreads();
      seen[i] = bins[other];
    """
    run(kernel("int* bins, int* seen", body), bins, seen, grid=blocks)
    run.same(seen, np.full(len(seen), 7, np.int32))


@case(each=["atomicMax", "atomicMin", "atomicAdd", "atomicXor"])
def results_of_walks(run, operation):
    """A block's threads walk through an array together, and each block leaves one result of its part."""
    combine = {"Max": np.maximum, "Min": np.minimum, "Add": np.add, "Xor": np.bitwise_xor}[operation[6:]]
    start, grid = 12345, 3
    for name, dtype in (("int", np.int32), ("unsigned", np.uint32)):
        code = kernel(
            f"const {name}* in, {name}* out, int size",
            f"""
            __shared__ {name} all;
            if (t == 0) all = {start};
            __syncthreads();
            for (int i = blockIdx.x * n + t; i < size; i += gridDim.x * n) {operation}(&all, in[i]);
            __syncthreads();
            if (t == 0) out[blockIdx.x] = all;
            """,
        )
        total = grid * run.threads
        for size in (0, 1, run.threads - 1, total, 5 * total, 5 * total + run.threads + 3):
            values = np.random.default_rng(size).integers(0, 2**32, size, np.uint32).view(dtype)
            out = np.zeros(grid, dtype)
            run(code, values, out, size, grid=grid)
            block = np.arange(size) % total // run.threads
            expected = [combine.reduce(np.append(values[block == b], dtype(start)), dtype=dtype) for b in range(grid)]
            run.same(out, expected, f"{name}, {size}")
