"""Barriers between reading neighbours and writing over them: in place, by code that runs one group after the other."""

from random import Random

import numpy as np
from harness import case

LINES = ((48, 1, 1), (64, 1, 1), (100, 1, 1), (256, 1, 1), (1024, 1, 1))
PLANES = ((16, 8, 1), (32, 4, 1), (8, 16, 1), (64, 4, 1), (5, 7, 1))


def shifted(a, by, fill=0):
    """What stands `by` places before each element."""
    result = np.full_like(a, fill)
    if by >= 0:
        result[by:] = a[: len(a) - by]
    else:
        result[:by] = a[-by:]
    return result


@case(blocks=LINES)
def scans_in_place(run):
    """Each step reads what stands some places before or behind, waits, and adds it to its own."""
    n, steps = run.threads, (1, 2, 3, 5, 16, 17, 32, 40)
    for sign in (1, -1):
        source = f"""
        __global__ void k(int* out) {{
          __shared__ int s[{n}];
          const int t = threadIdx.x;
          s[t] = 3 * t + 1;
          __syncthreads();
          for (int d : {{{", ".join(map(str, steps))}}}) {{
            const int at = t - {sign} * d, other = at >= 0 && at < {n} ? s[at] : 0;
            __syncthreads();
            s[t] = 3 * s[t] ^ other;
            __syncthreads();
          }}
          out[t] = s[t];
        }}"""
        out = np.zeros(n, np.int32)
        run(source, out)
        a = (3 * np.arange(n) + 1).astype(np.int32)
        for d in steps:
            a = 3 * a ^ (shifted(a, sign * d) if d < n else 0)
        run.same(out, a, f"sign {sign}")


@case(blocks=LINES)
def distances_of_the_launch(run):
    """The same where the distance is a loop's, and unknown when the kernel is compiled."""
    n = run.threads
    source = f"""
    __global__ void k(int* out, int first, int last) {{
      __shared__ int s[{n}];
      const int t = threadIdx.x;
      s[t] = t * t;
      __syncthreads();
      for (int d = first; d < last; d += d) {{
        const int before = t >= d ? s[t - d] : 7;
        __syncthreads();
        s[t] += before;
        __syncthreads();
      }}
      out[t] = s[t];
    }}"""
    out = np.zeros(n, np.int32)
    for first, last in ((1, n), (3, 2 * n), (16, 17)):
        run(source, out, np.int32(first), np.int32(last))
        a, d = (np.arange(n) ** 2).astype(np.int32), first
        while d < last:
            a, d = a + (shifted(a, d, 7) if d < n else np.int32(7)), 2 * d
        run.same(out, a, f"from {first}")


@case(blocks=LINES)
def both_ways_at_once(run):
    """Two arrays that want opposite orders, one array read on both sides, and sums that move down a line."""
    n = run.threads
    source = f"""
    __global__ void k(int* out, int steps) {{
      __shared__ int up[{n} + 2], down[{n} + 2], mid[{n} + 2];
      const int t = threadIdx.x + 1;
      up[t] = t; down[t] = 5 * t; mid[t] = t ^ 21;
      if (t == 1) up[0] = down[0] = mid[0] = up[{n} + 1] = down[{n} + 1] = mid[{n} + 1] = 9;
      __syncthreads();
      for (int i = 0; i < steps; ++i) {{
        const int a = up[t + 1], b = down[t - 1], c = mid[t - 1] - mid[t + 1];
        __syncthreads();
        up[t] += a;
        __syncthreads();
        down[t] -= b;
        mid[t] ^= c;
        const int d = up[t - 1];
        __syncthreads();
        up[t] += d;
        __syncthreads();
      }}
      out[t - 1] = up[t] + 3 * down[t] + 7 * mid[t];
    }}"""
    out = np.zeros(n, np.int32)
    run(source, out, np.int32(4))
    t = np.arange(1, n + 1)
    up, down, mid = (np.pad(a, 1, constant_values=9).astype(np.int32) for a in (t, 5 * t, t ^ 21))
    for _ in range(4):
        a, b, c = up[2:].copy(), down[:-2].copy(), mid[:-2] - mid[2:]
        up[1:-1] += a
        down[1:-1] -= b
        mid[1:-1] ^= c
        up[1:-1] += up[:-2].copy()
    run.same(out, (up + 3 * down + 7 * mid)[1:-1])


@case(blocks=PLANES)
def rows_in_place(run):
    """Planes: neighbours above, below, left and right, each overwritten behind a barrier of its own."""
    w, h = run.block[:2]
    for dx, dy in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1)):
        source = f"""
        __global__ void k(int* out, int steps) {{
          __shared__ int s[{h} + 2][{w} + 2];
          const int x = threadIdx.x + 1, y = threadIdx.y + 1;
          for (int i = threadIdx.y * {w} + threadIdx.x; i < {(h + 2) * (w + 2)}; i += {w * h}) s[i / {w + 2}][i % {w + 2}] = i;
          __syncthreads();
          for (int i = 0; i < steps; ++i) {{
            const int other = s[y + {dy}][x + {dx}];
            __syncthreads();
            s[y][x] = 5 * s[y][x] + other;
            __syncthreads();
          }}
          out[threadIdx.y * {w} + threadIdx.x] = s[y][x];
        }}"""
        out = np.zeros((h, w), np.int32)
        run(source, out, np.int32(3))
        s = np.arange((h + 2) * (w + 2), dtype=np.int32).reshape(h + 2, w + 2)
        for _ in range(3):
            other = s[1 + dy : h + 1 + dy, 1 + dx : w + 1 + dx].copy()
            s[1:-1, 1:-1] = 5 * s[1:-1, 1:-1] + other
        run.same(out, s[1:-1, 1:-1], f"{dx}, {dy}")


@case(blocks=LINES)
def global_memory_in_place(run):
    """The same in global memory, with some threads gone, guards on both sides, and sums handed on by one of them."""
    n = run.threads
    source = f"""
    __global__ void k(int* a, int* total, int size) {{
      __shared__ int sum;
      const int t = threadIdx.x, i = blockIdx.x * {n} + t;
      if (t == 0) sum = 0;
      const int next = t + 1 < {n} && i + 1 < size ? a[i + 1] : 0;
      __syncthreads();
      if (i < size) a[i] = 2 * a[i] - next;
      if (t == {n // 2}) sum += a[i];
      __syncthreads();
      const int half = sum;
      __syncthreads();
      if (t == {n - 1}) sum += half;
      __syncthreads();
      if (i < size) total[i] = sum + half;
    }}"""
    blocks, size = 3, 2 * n + n // 2 + 1
    a = np.random.default_rng(2).integers(-99, 99, blocks * n).astype(np.int32)
    got, total = a.copy(), np.zeros(blocks * n, np.int32)
    run(source, got, total, np.int32(size), grid=blocks)
    want, sums = a.copy(), np.zeros(blocks * n, np.int32)
    for b in range(blocks):
        part = a[b * n : (b + 1) * n]
        inside = np.arange(b * n, (b + 1) * n) < size
        following = np.where(np.append(inside[1:], False), shifted(part, -1), 0)
        want[b * n : (b + 1) * n] = np.where(inside, 2 * part - following, part)
        sums[b * n : (b + 1) * n] = np.where(inside, 3 * want[b * n + n // 2], 0)
    run.same(got, want)
    run.same(total, sums, "sums")


@case(blocks=(*LINES, (128, 1, 1)))
def read_again_in_each_turn(run):
    """A loop around barriers that reads what its own last turn has written, far from what each thread writes."""
    n, size = run.threads, run.threads + 80
    source = f"""
    __global__ void k(int* all, int* out, int turns) {{
      __shared__ int s[{size}], u[{size}], v[{size}];
      const int t = threadIdx.x, b = blockIdx.x;
      int* a = all + b * {size};
      for (int i = t; i < {size}; i += {n}) s[i] = i * 3 + b;
      for (int i = t; i < {size}; i += {n}) u[i] = i * 5 + b;
      for (int i = t; i < {size}; i += {n}) v[i] = i * 7 + b;
      __syncthreads();
      for (int turn = 0; turn < turns; ++turn) {{
        const int near = a[t + 37] + a[t + 39];
        if (t < 73) u[t + 40] += near;
        const int other = v[t + 73], far = a[t + 73];
        __syncthreads();
        a[t + 41] ^= far + other;
        __syncthreads();
      }}
      int* o = out + b * {3 * size};
      for (int i = t; i < {size}; i += {n}) o[i] = s[i];
      for (int i = t; i < {size}; i += {n}) o[{size} + i] = u[i];
      for (int i = t; i < {size}; i += {n}) o[{2 * size} + i] = v[i];
    }}"""
    blocks = np.arange(3, dtype=np.int32)[:, None]
    a, out = np.arange(3 * size, dtype=np.int32).reshape(3, size) * 7, np.zeros((3, 3, size), np.int32)
    want, s, u, v = a.copy(), *(np.arange(size, dtype=np.int32) * k + blocks for k in (3, 5, 7))
    run(source, a, out, np.int32(4), grid=3)
    t = np.arange(n)
    for _ in range(4):
        u[:, 40 : 40 + min(n, 73)] += (want[:, t + 37] + want[:, t + 39])[:, :73]
        want[:, t + 41] ^= want[:, t + 73] + v[:, t + 73]
    run.same(a, want, "in place")
    run.same(out, np.stack([s, u, v], 1), "sums")


@case(blocks=(*LINES, (128, 1, 1)))
def one_barrier_alone(run):
    """A kernel whose only barrier is between reading a neighbour and writing over it, on either side."""
    n = run.threads
    for sign in (1, -1):
        source = f"""
        __global__ void k(int* all) {{
          int* a = all + blockIdx.x * {n + 80};
          const int t = threadIdx.x, other = a[t + {40 - sign}], far = a[t + {40 - 17 * sign}];
          __syncthreads();
          a[t + 40] += 3 * other + far;
        }}"""
        a = np.arange(2 * (n + 80), dtype=np.int32).reshape(2, n + 80) * 5
        want, t = a.copy(), np.arange(40, n + 40)
        want[:, t] += 3 * a[:, t - sign] + a[:, t - 17 * sign]
        run(source, a, grid=2)
        run.same(a, want, f"sign {sign}")


ARRAYS = ("s", "u", "a")  # two in shared memory, one of the launch's
RIM = 40  # elements on either side that threads read and none writes
DISTANCES = (1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33)


def random_phases(random):
    """[(reads, array, place, operator, how many threads)]: between two barriers all read, then some write."""
    found = []
    for _ in range(random.randint(1, 4)):
        way = random.choice((1, -1, 0))
        reads = [
            (random.choice(ARRAYS), random.choice((0, *DISTANCES)) * (way or random.choice((1, -1))))
            for _ in range(random.randint(1, 3))
        ]
        place, operator = random.choice((0, 0, 0, 1, -1, 16, -3)), random.choice(("", "+", "^"))
        found.append((reads, random.choice(ARRAYS), place, operator, random.choice((1, 1, random.random()))))
    return found


def source_of(phases, n):
    size, lines = n + 2 * RIM, []
    for k, (reads, array, place, operator, part) in enumerate(phases):
        lines += [f"const int v{k}_{i} = {name}[t + {RIM + by}];" for i, (name, by) in enumerate(reads)]
        total = " + ".join(f"v{k}_{i}" for i in range(len(reads)))
        lines += ["__syncthreads();", f"if (t < {int(part * n)}) {array}[t + {RIM + place}] {operator}= {total};"]
        lines += ["__syncthreads();"]
    return f"""
    __global__ void k(int* all, int* out, int turns) {{
      __shared__ int s[{size}], u[{size}];
      const int t = threadIdx.y * blockDim.x + threadIdx.x;
      int *a = all + blockIdx.x * {size}, *o = out + blockIdx.x * {2 * size};
      for (int i = t; i < {size}; i += {n}) s[i] = 3 * i + blockIdx.x;
      for (int i = t; i < {size}; i += {n}) u[i] = i ^ 77;
      __syncthreads();
      for (int turn = 0; turn < turns; ++turn) {{
        {" ".join(lines)}
      }}
      for (int i = t; i < {size}; i += {n}) o[i] = s[i];
      for (int i = t; i < {size}; i += {n}) o[{size} + i] = u[i];
    }}"""


def turn(phases, n, memory):
    t = np.arange(n) + RIM
    for reads, array, place, operator, part in phases:
        total = sum(memory[name][:, t + by] for name, by in reads)[:, : int(part * n)]
        there = memory[array][:, RIM + place : RIM + place + int(part * n)]
        there[:] = there + total if operator == "+" else there ^ total if operator == "^" else total


@case(blocks=((64, 1, 1), (100, 1, 1), (128, 1, 1), (256, 1, 1), (16, 8, 1), (32, 4, 1), (20, 6, 1)))
def random_kernels_in_place(run):
    """Random sequences of reads around each thread and writes behind a barrier, in loops, of up to three arrays."""
    n, blocks = run.threads, np.arange(3, dtype=np.int32)[:, None]
    size, random = n + 2 * RIM, Random(n + run.block[0])
    for _ in range(10):
        phases, turns = random_phases(random), random.randint(0, 4)
        i = np.arange(size, dtype=np.int32)
        memory = {"s": 3 * i + blocks, "u": (i ^ 77) + 0 * blocks, "a": 7 * i + 1000 * blocks}
        a, out, source = memory["a"].copy(), np.zeros((3, 2, size), np.int32), source_of(phases, n)
        for _ in range(turns):
            turn(phases, n, memory)
        run(source, a, out, np.int32(turns), grid=3)
        run.same(a, memory["a"], source)
        run.same(out, np.stack([memory["s"], memory["u"]], 1), source)
