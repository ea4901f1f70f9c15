"""Blocks that go through a volume plane by plane: the next plane's index, and values handed on from turn to turn."""

import numpy as np
from harness import case

F = np.float32
TURNS = 7

# How a thread finds its place in the planes: START begins the loop's turns, AT is the place, STEP leads to the next one.
WAYS = {
    "an int": ("int at = start;", "at", "at += plane;"),
    "an unsigned": ("unsigned at = start;", "at", "at += plane;"),
    "a long": ("long at = start;", "at", "at += plane;"),
    "a pointer": ("const int* p = x + start;", "p - x", "p += plane;"),
    "backwards": ("int at = start + (TURNS - 1) * plane;", "at", "at -= plane;"),
    "also compared": ("int at = start;", "at", "if (at < 3 * plane) sum += 5; at += plane;"),
}
WALK = """
__global__ void k(int* out, const int* x, int plane) {
  __shared__ int tile[THREADS];
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int start = blockIdx.x * THREADS + t, sum = 0;
  START
  for (int z = 0; z < TURNS; ++z) {
    __syncthreads();
    tile[t] = x[AT + 1];
    if (t == 0) tile[t] += x[AT + 2] - x[AT];
    __syncthreads();
    sum = sum * 3 + tile[THREADS - 1 - t];
    STEP
  }
  out[start] = sum;
}
"""


def walked(x, plane, threads, way):
    """What WALK gives for two blocks."""
    sums = np.zeros((2, threads), np.int64)
    for z in reversed(range(TURNS)) if way == "backwards" else range(TURNS):
        for block in range(2):
            first = z * plane + block * threads
            tile = x[first + 1 : first + 1 + threads].astype(np.int64)
            tile[0] += int(x[first + 2]) - int(x[first])
            sums[block] = sums[block] * 3 + tile[::-1]
            if way == "also compared":
                sums[block] += 5 * (first + np.arange(threads) < 3 * plane)
    return sums.reshape(-1).astype(np.int32)


@case
def an_index_goes_from_plane_to_plane(run):
    """By a step that the block shares; as an index of 32 bits, of 64, and as a pointer."""
    n = run.threads
    for plane in (2 * n + 2, 2 * n + 5):
        x = (np.arange(TURNS * plane + 2) * 7 % 101 - 50).astype(np.int32)
        for way, (start, at, step) in WAYS.items():
            source = WALK.replace("START", start).replace("AT", at).replace("STEP", step)
            out = np.zeros(2 * n, np.int32)
            run(source.replace("TURNS", str(TURNS)).replace("THREADS", str(n)), out, x, plane, grid=2)
            run.same(out, walked(x, plane, n, way), f"{way}, planes of {plane}")


QUEUE = """
template <int LENGTH, int THREADS>
__global__ void k(float* out, const float* x, int turns) {
  __shared__ float tile[THREADS];
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  float queue[LENGTH];
  for (int i = 0; i < LENGTH; ++i) queue[i] = x[i * THREADS + t];
  for (int z = 0; z < turns; ++z) {
    __syncthreads();
    tile[t] = queue[LENGTH / 2];
    __syncthreads();
    float sum = tile[(t + 1) % THREADS] - tile[(t + z) % THREADS];
    for (int i = 0; i < LENGTH; ++i) sum += (i + 1) * queue[i];
    out[z * THREADS + t] = sum;
    if (LEAVES) break;
    for (int i = 0; i + 1 < LENGTH; ++i) queue[i] = queue[i + 1];
    queue[LENGTH - 1] = x[(z + LENGTH) * THREADS + t];
  }
  if (STAYS) out[turns * THREADS + t] = queue[0] + queue[LENGTH - 1];
}
"""


def queued(x, length, turns, leaves, stays):
    """What QUEUE gives; exact, as all values are small integers."""
    threads = x.shape[1]
    out = np.zeros((turns + 1, threads))
    done = turns
    for z in range(turns):
        tile = x[z + length // 2]
        out[z] = np.roll(tile, -1) - np.roll(tile, -z)
        out[z] += sum((i + 1) * x[z + i] for i in range(length))
        if leaves(z):
            done = z
            break
    if stays:
        out[turns] = x[done] + x[done + length - 1]
    return out.astype(F)


@case
def values_handed_on_from_turn_to_turn(run):
    """A queue of what the last planes held, in registers; two that change places; one that is left in the middle."""
    n = run.threads
    for length, turns, leave in ((2, 5, None), (3, 6, None), (5, 7, 4), (8, 9, None), (3, 1, None), (3, 0, None)):
        for stays in (False, True):
            x = (np.arange((turns + length) * n) * 13 % 17 - 8).astype(F).reshape(-1, n)
            out = np.zeros((turns + 1, n), F)
            source = QUEUE.replace("LEAVES", "false" if leave is None else f"z == {leave}")
            source = source.replace("STAYS", str(stays).lower())
            run(source, out, x, turns, names=[f"k<{length}, {n}>"])
            run.same(
                out, queued(x, length, turns, lambda z, at=leave: z == at, stays), f"{length} values, {turns} turns"
            )


SWAP = """
template <int THREADS>
__global__ void k(int* out, const int* x, int turns) {
  __shared__ int tile[THREADS];
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int a = x[t], b = x[THREADS + t], c = x[2 * THREADS + t];
  for (int z = 0; z < turns; ++z) {
    __syncthreads();
    tile[t] = a + z;
    __syncthreads();
    out[z * THREADS + t] = tile[(t + 1) % THREADS] * 3 + b - c;
    int first = a;
    a = b;
    if (z % 3 == 2) { b = first; } else { b = c; c = first + 1; }
  }
  out[turns * THREADS + t] = a * 5 + b * 3 + c;
}
"""


@case
def values_that_change_places(run):
    """Two of them, or three, as the turn says."""
    n, turns = run.threads, 8
    x = (np.arange(3 * n) * 29 % 31).astype(np.int32).reshape(3, n)
    out = np.zeros((turns + 1, n), np.int32)
    run(SWAP, out, x, turns, names=[f"k<{n}>"])
    expected = np.zeros_like(out)
    a, b, c = x
    for z in range(turns):
        expected[z] = (np.roll(a, -1) + z) * 3 + b - c
        a, b, c = (b, a, c) if z % 3 == 2 else (b, c, a + 1)
    expected[turns] = a * 5 + b * 3 + c
    run.same(out, expected)
