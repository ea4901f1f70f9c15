"""Functions that call themselves: with barriers and without, to different depths, too deep."""

import numpy as np
import pytest
from harness import case

import lanza

THREAD = "const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
SIZE = "const int n = blockDim.x * blockDim.y * blockDim.z;\n"


@case
def recursion(run):
    """Fibonacci numbers, a depth of its own in each thread."""
    out = np.zeros(run.threads, np.int32)
    source = f"""
    __device__ int fibonacci(int n) {{ return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }}
    __global__ void k(int* out) {{ {THREAD} out[t] = fibonacci(t % 12); }}
    """
    run(source, out)
    numbers = [0, 1]
    while len(numbers) < 12:
        numbers.append(numbers[-1] + numbers[-2])
    run.same(out, np.array(numbers)[np.arange(run.threads) % 12])


@case
def mutual_recursion(run):
    """Two functions that call each other, and know their thread."""
    out = np.zeros(run.threads, np.int32)
    source = f"""
    __device__ int odd(int n);
    __device__ int even(int n) {{ return n == 0 ? 1000 + threadIdx.x : odd(n - 1) + 1; }}
    __device__ int odd(int n) {{ return n == 0 ? 2000 + threadIdx.x : even(n - 1) + 2; }}
    __global__ void k(int* out) {{ {THREAD} out[t] = even(t % 40); }}
    """
    run(source, out)
    n = np.arange(run.threads) % 40
    run.same(out, np.where(n % 2, 2000, 1000) + run.thread.x + (n + 1) // 2 + n // 2 * 2)


@case
def recursion_reads_shared_memory(run):
    """The block's, also where the kernel itself could keep it elsewhere."""
    out = np.zeros(run.threads, np.int32)
    source = f"""
    __shared__ int tile[1024];
    __device__ int walk(int depth, int i) {{
      return depth == 0 ? tile[i] : walk(depth - 1, i) + (depth % 2 ? walk(depth - 1, i) : 0);
    }}
    __global__ void k(int* out) {{
      {THREAD}{SIZE}
      tile[t] = t * 3;
      __syncthreads();
      out[t] = walk(5, (t + 1) % n);
    }}
    """
    run(source, out)
    run.same(out, (np.arange(run.threads) + 1) % run.threads * 3 * 8)


@case
def recursion_with_private_memory(run):
    """Each call has an array of its own, to which the callee has a pointer."""
    out = np.zeros(run.threads, np.int32)
    source = f"""
    __device__ int sum(const int* above, int depth) {{
      int mine[8];
      for (int i = 0; i < 8; ++i) mine[i] = above[i] + i;
      if (depth == 0) return mine[7] * 100 + mine[1];
      const int below = sum(mine, depth - 1);
      return below + mine[depth % 8] * 0;
    }}
    __global__ void k(int* out) {{
      {THREAD}
      int zero[8] = {{}};
      out[t] = sum(zero, t % 20);
    }}
    """
    run(source, out)
    calls = np.arange(run.threads) % 20 + 1
    run.same(out, 700 * calls + calls)


@case
def recursion_on_a_tree(run):
    """A search in a tree of nodes in memory, with two calls a node."""
    depth = 7
    values = np.random.default_rng(3).integers(0, 50, 2**depth - 1).astype(np.int32)
    out = np.zeros(run.threads, np.int32)
    source = f"""
    __device__ int count(const int* values, int node, int size, int wanted) {{
      if (node >= size) return 0;
      return (values[node] == wanted) + count(values, 2 * node + 1, size, wanted) +
             count(values, 2 * node + 2, size, wanted);
    }}
    __global__ void k(const int* values, int size, int* out) {{ {THREAD} out[t] = count(values, 0, size, t % 50); }}
    """
    run(source, values, values.size, out)
    run.same(out, np.bincount(values, minlength=50)[np.arange(run.threads) % 50])


@case
def recursion_with_barriers(run):
    """A reduction whose every level is a call with a barrier in it."""
    out = np.zeros(run.threads, np.int32)
    source = f"""
    __device__ int reduce(int* s, int t, int active) {{
      __syncthreads();
      if (active == 1) return s[0];
      const int half = (active + 1) / 2;
      if (t < active / 2) s[t] += s[t + half];
      return reduce(s, t, half);
    }}
    __global__ void k(int* out) {{
      {THREAD} {SIZE}
      __shared__ int s[1024];
      s[t] = 3 * t + 1;
      out[t] = reduce(s, t, n);
    }}
    """
    run(source, out)
    run.same(out, sum(3 * t + 1 for t in range(run.threads)))


def descend_to(run, depth_of_thread, depth):
    """Threads go so many calls deep, with two barriers in each; the others meet them in a loop."""
    out = np.zeros(run.threads, np.int32)
    source = f"""
    __device__ int descend(int* s, int t, int n, int left) {{
      __syncthreads();
      s[t] += 1;
      __syncthreads();
      const int other = s[(t + 1) % n];
      const int below = left ? descend(s, t, n, left - 1) : 0;
      return below * 2 + other;
    }}
    __global__ void k(int* out) {{
      {THREAD} {SIZE}
      __shared__ int s[1024];
      s[t] = 0;
      __syncthreads();
      const int depth = {depth_of_thread};
      out[t] = descend(s, t, n, depth);
      for (int i = depth; i < 2; ++i) {{ __syncthreads(); __syncthreads(); }}
    }}
    """
    run(source, out)
    neighbour = np.roll(depth, -1)
    expected = np.zeros(run.threads, np.int64)
    for level in range(2, -1, -1):
        seen = np.minimum(neighbour, level) + 1
        expected = np.where(depth >= level, expected * 2 + seen, expected)
    run.same(out, expected)


@case
def recursion_with_barriers_to_different_depths(run):
    """Warps meet at barriers of different calls, and each comes back through its own."""
    descend_to(run, "t / 32 % 3", run.warp % 3)


@case(cpu_only=True, reason="undefined: a GPU hangs where lanes of a warp are at different __syncthreads()")
def recursion_of_lanes_with_barriers_to_different_depths(run):
    """The same with threads of one warp at different barriers."""
    descend_to(run, "t % 3", np.arange(run.threads) % 3)


@case
def mutual_recursion_with_warp_operations(run):
    """Two functions that call each other and shuffle, with results that pass through all calls."""
    out = np.zeros(run.threads, np.int32)
    source = f"""
    __device__ int pong(unsigned mask, int x, int left);
    __device__ int ping(unsigned mask, int x, int left) {{
      const int got = __shfl_sync(mask, x, 0);
      return left ? pong(mask, x + got, left - 1) * 3 : got;
    }}
    __device__ int pong(unsigned mask, int x, int left) {{
      const int got = __popc(__ballot_sync(mask, x % 2));
      return left ? ping(mask, x + 1, left - 1) + got : x;
    }}
    __global__ void k(int* out) {{ {THREAD} out[t] = ping(__activemask(), t, 5); }}
    """
    run(source, out)
    expected = np.zeros(run.threads, np.int64)
    for first in range(0, run.threads, 32):
        expected[first : first + 32] = ping(np.arange(first, min(first + 32, run.threads)), 5)
    run.same(out, expected)


def ping(x, left):
    got = x[0]
    return pong(x + got, left - 1) * 3 if left else np.full_like(x, got)


def pong(x, left):
    got = np.count_nonzero(x % 2)
    return ping(x + 1, left - 1) + got if left else x


@case(blocks=[32, 64, 256, 1024])
def recursive_sort(run):
    """Bitonic sort, written as the recursion that it is, over the block."""
    data = np.random.default_rng(5).integers(-1000, 1000, run.threads).astype(np.int32)
    source = f"""
    __device__ void exchange(int* s, int t, int distance, bool up) {{
      __syncthreads();
      if (!(t & distance)) {{
        const int a = s[t], b = s[t | distance];
        if ((a > b) == up) {{ s[t] = b; s[t | distance] = a; }}
      }}
      if (distance > 1) exchange(s, t, distance / 2, up);
    }}
    __device__ void sort(int* s, int t, int size) {{
      if (size > 2) sort(s, t, size / 2);
      exchange(s, t, size / 2, (t & size) == 0);
    }}
    __global__ void k(int* data) {{
      {THREAD} {SIZE}
      __shared__ int s[1024];
      s[t] = data[t];
      sort(s, t, n);
      __syncthreads();
      data[t] = s[t];
    }}
    """
    expected = np.sort(data)
    run(source, data)
    run.same(data, expected)


@case(blocks=[1, 33, 256])
def recursion_that_is_never_begun(run):
    """A call under a condition that the compiler finds to be false leaves nothing of the function."""
    source = f"""
    __device__ int f(int d, int* x) {{ __syncthreads(); return d > 0 ? f(d - 1, x) + x[d] : 0; }}
    __global__ void k(int* out) {{
      {THREAD}
      const float v[2] = {{0.0f, 5.0f}};
      out[t] = (int)fminf(fmaxf(v[0], -1.0f), v[1]) % 5 == 1 ? f(3, out) : 7;
    }}
    """
    out = np.zeros(run.threads, np.int32)
    run(source, out)
    run.same(out, np.full(run.threads, 7))


OVERFLOW = {
    "plain": "__device__ int deeper(volatile int* p, int n) { int a[64]; a[n % 64] = p[0]; "
    "return deeper(p, n + 1) + a[(n + p[0]) % 64]; }",
    "with_barrier": "__device__ int deeper(volatile int* p, int n) { __syncthreads(); return deeper(p, n + 1) + p[0]; }",
}


@case(each=OVERFLOW, blocks=[1, 64], cpu_only=True, reason="a GPU's context is lost with the launch")
def recursion_without_end(run, function):
    """An error that says so, after which others run."""
    source = f"{function}\n__global__ void k(int* out) {{ out[0] = deeper(out, 0); }} __global__ void f(int* out) {{ out[0] = 5; }}"
    out = np.zeros(1, np.int32)
    with pytest.raises(lanza.LaunchError, match="stack overflow"):
        run(source, out, kernel="k")
    run(source, out, kernel="f")
    run.same(out, [5])
