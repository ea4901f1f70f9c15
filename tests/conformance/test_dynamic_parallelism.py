"""Kernels that launch kernels: children run after the blocks of their parent, before the launch is done."""

import numpy as np
import pytest
from harness import Run, case

import lanza

REASON = "needs cudadevrt"  # NVRTC would have to compile with -rdc=true and link the device runtime
BLOCKS = (1, 33, 100, (7, 5, 1), (4, 4, 4))
INDEX = """__device__ int thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
"""


@case(blocks=BLOCKS, cpu_only=True, reason=REASON)
def one_thread_launches(run):
    """One thread launches a grid of many blocks."""
    source = f"""{INDEX}
__global__ void child(int* out, int n) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * i;
}}
__global__ void parent(int* out, int n) {{
  if (thread() == 0) child<<<(n + 31) / 32, 32>>>(out, n);
}}"""
    out = np.full(1000, -1, np.int32)
    run(source, out, 999, kernel="parent")
    run.same(out, np.append(3 * np.arange(999), -1))


@case(blocks=BLOCKS, cpu_only=True, reason=REASON)
def every_thread_launches(run):
    """Each thread of several blocks launches its own child."""
    source = f"""{INDEX}
__global__ void child(int* out, int first) {{ out[first + threadIdx.x] = first + blockDim.x; }}
__global__ void parent(int* out) {{
  const int n = blockDim.x * blockDim.y * blockDim.z;
  child<<<1, 3>>>(out, 3 * (blockIdx.x * n + thread()));
}}"""
    threads = 4 * run.threads
    out = np.zeros(3 * threads, np.int32)
    run(source, out, grid=4, kernel="parent")
    run.same(out, np.repeat(3 * np.arange(threads), 3) + 3)


@case(blocks=(1,), cpu_only=True, reason=REASON)
def three_dimensional_children(run):
    """Grid and block of a child have three dimensions."""
    source = """
__global__ void child(int* out) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
  out[i] = i + gridDim.y * 1000 + blockDim.z * 10000;
}
__global__ void parent(int* out) {
  const dim3 grid(2, 3, 4);
  child<<<grid, dim3(5, 3, 2)>>>(out);
}"""
    out = np.zeros(24 * 30, np.int32)
    run(source, out, kernel="parent")
    run.same(out, np.arange(24 * 30) + 3000 + 20000)


@case(blocks=BLOCKS, cpu_only=True, reason=REASON)
def a_child_sees_what_its_parent_wrote(run):
    """Writes to global memory and to variables before a launch are there in the child."""
    source = f"""{INDEX}
__device__ int factor;
__global__ void child(const int* in, int* out) {{ out[threadIdx.x] = in[threadIdx.x] * factor; }}
__global__ void parent(int* in, int* out) {{
  const int n = blockDim.x * blockDim.y * blockDim.z;
  in[thread()] = thread() + 1;
  if (thread() == 0) factor = 7;
  __syncthreads();
  if (thread() == n - 1) child<<<1, n>>>(in, out);
}}"""
    written, out = np.zeros(run.threads, np.int32), np.zeros(run.threads, np.int32)
    run(source, written, out, kernel="parent")
    run.same(out, 7 * (np.arange(run.threads) + 1))


@case(blocks=BLOCKS, cpu_only=True, reason=REASON)
def the_next_launch_sees_what_children_wrote(run):
    """A launch is complete when its children are: the next one in the stream comes after them."""
    source = f"""{INDEX}
__global__ void child(int* out) {{ atomicAdd(out + threadIdx.x, 1); }}
__global__ void parent(int* out) {{ if (thread() == 0) child<<<5, 64>>>(out); }}
__global__ void doubled(int* out) {{ for (int i = thread(); i < 64; i += blockDim.x * blockDim.y * blockDim.z) out[i] *= 2; }}
"""
    out = run.on_device(np.zeros(64, np.int32))
    run(source, out, grid=2, kernel="parent")
    run(source, out, kernel="doubled")
    run(source, out, kernel="parent")
    run.same(run.contents(out), np.full(64, 25))


@case(blocks=BLOCKS, cpu_only=True, reason=REASON)
def children_of_a_block_run_in_order(run):
    """Children in the default stream of a block see the results of those before."""
    source = f"""{INDEX}
__global__ void append(int* out, int digit) {{ *out = *out * 3 + digit; }}
__global__ void parent(int* out) {{
  if (thread() != 0) return;
  for (int i = 0; i < 12; ++i) append<<<1, 1>>>(out + blockIdx.x, i % 3);
}}"""
    out = np.zeros(5, np.int32)
    run(source, out, grid=5, kernel="parent")
    expected = 0
    for i in range(12):
        expected = expected * 3 + i % 3
    run.same(out, np.full(5, expected))


@case(blocks=(1,), cpu_only=True, reason=REASON)
def recursion(run):
    """Quicksort: a kernel that launches itself for both halves."""
    source = """
__global__ void sort(int* values, int low, int high) {
  if (low >= high) return;
  const int pivot = values[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (values[i] < pivot) ++i;
    while (values[j] > pivot) --j;
    if (i > j) break;
    const int other = values[i];
    values[i++] = values[j];
    values[j--] = other;
  }
  if (low < j) sort<<<1, 1>>>(values, low, j);
  if (i < high) sort<<<1, 1>>>(values, i, high);
}"""
    values = np.random.default_rng(1).integers(0, 1000, 300).astype(np.int32)
    expected = np.sort(values)
    run(source, values, 0, values.size - 1)
    run.same(values, expected)


@case(blocks=(1,), cpu_only=True, reason=REASON)
def quadtree(run):
    """A grid of four blocks a node, each of which launches its own node."""
    source = """
__global__ void node(int* count, int size, int x, int y) {
  x += size * (blockIdx.x % 2);
  y += size * (blockIdx.x / 2);
  if (size == 1) count[y * 16 + x] += 1 + x * y;
  else node<<<4, 1>>>(count, size / 2, x, y);
}"""
    out = np.zeros((16, 16), np.int32)
    run(source, out, 8, 0, 0, grid=4)
    run.same(out, 1 + np.outer(np.arange(16), np.arange(16)))


@case(blocks=(1,), cpu_only=True, reason=REASON)
def depth_of_24(run):
    """Kernels nest 24 deep; the next launch gets an error."""
    source = """
__global__ void deep(int* out, int depth) {
  out[depth] = depth + 1;
  deep<<<1, 1>>>(out, depth + 1);
  out[30] = cudaGetLastError();
  if (depth < 24) out[31 + depth] = out[30];
}"""
    out = np.zeros(64, np.int32)
    run(source, out, 0)
    run.same(out, [*range(1, 26), 0, 0, 0, 0, 0, 65, *[0] * 33])


@case(blocks=BLOCKS, cpu_only=True, reason=REASON)
def templates(run):
    """A template that nobody named is launched by a template, with types and values."""
    source = f"""{INDEX}
namespace tools {{
template <class T, int factor> __global__ void child(T* out, T value) {{ out[threadIdx.x] = value * factor; }}
}}
template <class T> __global__ void parent(T* out) {{
  if (thread() == 0) tools::child<T, (8 >> 1)><<<1, 16>>>(out, T(2.5));
  if (thread() == 0) ::tools::child<T, 3><<<1, 16>>>(out + 16, 2);
}}"""
    for names, kind, value in ((["parent<int>"], np.int32, 8), (["parent<double>"], np.float64, 10)):
        out = np.zeros(32, kind)
        run(source, out, names=names)
        run.same(out, [value] * 16 + [6] * 16)


@case(blocks=BLOCKS, cpu_only=True, reason=REASON)
def overloaded_kernels(run):
    """Overloads, default arguments and deduced template arguments are chosen as those of a call."""
    source = f"""{INDEX}
__global__ void set(int* out, int value = 7) {{ *out = value; }}
__global__ void set(float* out, float value) {{ *out = value; }}
template <int add, class T, class... More> __global__ void sum(T* out, T value, More... more) {{
  *out = (value + ... + more) + add;
}}
template <class F> __global__ void apply(int* out, F f) {{ *out = f(2); }}
__global__ void parent(int* out, float* real) {{
  if (thread() != 0) return;
  set<<<1, 1>>>(out);
  set<<<1, 1>>>(out + 1, 9.75);
  set<<<1, 1>>>(real, 2.5f);
  sum<100><<<1, 1>>>(out + 2, 1, 2, 3L);
  sum<1><<<1, 1>>>(real + 1, 0.5f);
  const int factor = out[4];
  apply<<<1, 1>>>(out + 3, [=](int x) {{ return x * factor; }});
}}"""
    out, real = np.array([0, 0, 0, 0, 21], np.int32), np.zeros(2, np.float32)
    run(source, out, real, kernel="parent")
    run.same(out, [7, 9, 106, 42, 21])
    run.same(real, [2.5, 1.5])


@case(blocks=BLOCKS, cpu_only=True, reason=REASON)
def launches_through_pointers(run):
    """Tables of kernels in memory, kernels as template arguments, pointers that one kernel gives to the next."""
    source = f"""{INDEX}
struct Pair {{ int a, b; }};
using Kernel = void (*)(int*, Pair);
__global__ void plus(int* out, Pair p) {{ *out = p.a + p.b; }}
__global__ void minus(int* out, Pair p) {{ *out = p.a - p.b; }}
__global__ void other(int* out, int a) {{ *out = a; }}
__device__ Kernel table[] = {{plus, minus}};
__constant__ void (*single)(int*, int) = other;
constexpr Kernel fixed = minus;
template <auto kernel, class... A> __device__ void start(A... arguments) {{ kernel<<<1, 1>>>(arguments...); }}
__global__ void chosen(int* out, Kernel kernel) {{ kernel<<<1, 1>>>(out, Pair{{5, 3}}); }}
__global__ void parent(int* out) {{
  const int t = thread();
  if (t < 4) table[t % 2]<<<1, 1>>>(out + t, Pair{{10 * t, 1}});
  if (t != 0) return;
  single<<<1, 1>>>(out + 4, 77);
  fixed<<<1, 1>>>(out + 5, Pair{{1, 2}});
  start<plus>(out + 6, Pair{{3, 4}});
  start<other>(out + 7, 8);
  chosen<<<1, 1>>>(out + 8, table[1]);
}}"""
    out = np.zeros(9, np.int32)
    run(source, out, kernel="parent")
    ran = [1, 9, 21, 29][: run.threads] + [0] * (4 - min(4, run.threads))
    run.same(out, [*ran, 77, -1, 7, 8, 2])


@case(blocks=BLOCKS, cpu_only=True, reason=REASON)
def arguments_of_all_kinds(run):
    """Arguments are converted to the parameters' types, and laid out by their alignment; structs go by value."""
    source = f"""{INDEX}
struct Inner {{ char c; double d; }};
struct Pair {{ short a; Inner in; float f[3]; }};
__global__ void child(char c, double d, bool b, short s, float4 v, Pair p, unsigned char u, long long l, float* out) {{
  out[0] = c; out[1] = d; out[2] = b; out[3] = s; out[4] = v.x + v.w; out[5] = p.a; out[6] = p.in.c; out[7] = p.in.d;
  out[8] = p.f[2]; out[9] = u; out[10] = l >> 32;
}}
__global__ void parent(Pair p, float* out) {{
  p.f[2] = 9.5f;
  if (thread() == 0) child<<<1, 1>>>(65, 1, 7, 300.9, make_float4(1, 2, 3, 4), p, 258, 5LL << 32, out);
}}"""
    inner = np.dtype([("c", np.int8), ("d", np.float64)], align=True)
    pair = np.zeros(1, np.dtype([("a", np.int16), ("in", inner), ("f", np.float32, 3)], align=True))
    pair["a"], pair["in"]["c"], pair["in"]["d"] = -5, 7, 0.25
    out = np.zeros(11, np.float32)
    run(source, pair[0], out, kernel="parent")
    run.same(out, [65, 1, 1, 300, 5, -5, 7, 0.25, 9.5, 2, 5])


@case(blocks=BLOCKS, cpu_only=True, reason=REASON)
def children_with_barriers_and_shared_memory(run):
    """A child has its own shared memory, static and dynamic, barriers and shuffles."""
    source = f"""{INDEX}
__global__ void child(const int* in, int* out) {{
  extern __shared__ int dynamic[];
  __shared__ int total;
  const int i = threadIdx.x;
  if (i == 0) total = 0;
  dynamic[i] = in[i];
  __syncthreads();
  int sum = dynamic[blockDim.x - 1 - i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (i % 32 == 0) atomicAdd(&total, sum);
  __syncthreads();
  out[i] = total - dynamic[blockDim.x - 1 - i];
}}
__global__ void parent(const int* in, int* out) {{
  __shared__ int own[64];
  own[thread() % 64] = 1;
  if (thread() == 0) child<<<1, 128, 128 * sizeof(int)>>>(in, out);
}}"""
    values = np.arange(128, dtype=np.int32) ** 2
    out = np.zeros(128, np.int32)
    run(source, values, out, kernel="parent")
    run.same(out, values.sum() - values[::-1])


@case(blocks=BLOCKS, cpu_only=True, reason=REASON)
def tail_launches(run):
    """cudaStreamTailLaunch runs after all other children and what they launched."""
    source = f"""{INDEX}
__global__ void add(int* out, int n) {{
  *out += 1;
  if (n > 0) add<<<1, 1>>>(out, n - 1);
}}
__global__ void twice(int* out) {{ *out *= 2; }}
__global__ void parent(int* out) {{
  if (thread() != 0) return;
  twice<<<1, 1, 0, cudaStreamTailLaunch>>>(out);
  add<<<1, 1>>>(out, 3);
  twice<<<1, 1, 0, cudaStreamTailLaunch>>>(out);
  add<<<1, 1>>>(out, 1);
}}"""
    out = np.zeros(1, np.int32)
    run(source, out, kernel="parent")
    run.same(out, [24])


@case(blocks=BLOCKS, cpu_only=True, reason=REASON)
def streams(run):
    """cudaStreamFireAndForget and a stream of the block's own."""
    source = f"""{INDEX}
__global__ void child(int* out, int value) {{ *out += value; }}
__global__ void parent(int* out) {{
  if (thread() != 0) return;
  cudaStream_t stream;
  out[2] = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  child<<<1, 1, 0, stream>>>(out, 1);
  child<<<1, 1, 0, stream>>>(out, 2);
  out[3] = cudaStreamDestroy(stream);
  child<<<1, 1, 0, cudaStreamFireAndForget>>>(out + 1, 4);
  out[4] = cudaGetLastError();
}}"""
    out = np.array([0, 0, 9, 9, 9], np.int32)
    run(source, out, kernel="parent")
    run.same(out, [3, 4, 0, 0, 0])


@case(blocks=BLOCKS, cpu_only=True, reason=REASON)
def errors_of_launches(run):
    """A launch without blocks or with a block too large is an error of its thread alone, until it is asked for."""
    source = f"""{INDEX}
__global__ void child(int* out) {{ *out = 1; }}
__global__ void __launch_bounds__(64) bounded(int* out) {{ *out = 1; }}
__global__ void parent(int* never, int* out) {{
  const int t = blockIdx.x * blockDim.x * blockDim.y * blockDim.z + thread();
  if (t % 4 == 0) child<<<0, 1>>>(never);
  if (t % 4 == 1) child<<<1, dim3(32, 33)>>>(never);
  if (t % 4 == 2) bounded<<<1, 65>>>(never);
  out[3 * t] = cudaPeekAtLastError();
  out[3 * t + 1] = cudaGetLastError();
  out[3 * t + 2] = cudaGetLastError();
}}"""
    never, out = np.zeros(1, np.int32), np.full((3 * run.threads, 3), -1, np.int32)
    run(source, never, out, grid=3, kernel="parent")
    fails = np.arange(3 * run.threads) % 4 != 3
    run.same(out, np.where(fails[:, None], [9, 9, 0], 0))
    run.same(never, [0])


@case(blocks=(1,), cpu_only=True, reason=REASON)
def launches_in_macros(run):
    """A macro that holds a launch."""
    source = """
#define LAUNCH(name, n, ...) do { \\
    name<<<1, n>>>(__VA_ARGS__); \\
  } while (0)
__global__ void child(int* out, int value) { out[threadIdx.x] = value; }
__global__ void parent(int* out) { LAUNCH(child, 4, out, 1 << 3); }"""
    out = np.zeros(5, np.int32)
    run(source, out, kernel="parent")
    run.same(out, [8, 8, 8, 8, 0])


@case(blocks=(1,), cpu_only=True, reason=REASON)
def launches_in_functions(run):
    """Device functions, member functions and lambdas launch, and functors are arguments."""
    source = """
template <class T> struct Fill { T* to; T value; __device__ void operator()(int i) const { to[i] = value + i; } };
template <class F> __global__ void apply(F f, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) f(i); }
template <class F> __device__ void each(F f, int n) { apply<F><<<1, 3>>>(f, n); }
namespace { __global__ void hidden(int* out) { *out = 7; } }
struct Tools { static __device__ void start(int* out) { hidden<<<1, 1>>>(out); } };
__global__ void parent(int* out) {
  each(Fill<int>{out, 10}, 4);
  Tools::start(out + 4);
  auto start = [=](int i) { hidden<<<1, 1>>>(out + i); };
  start(6);
}"""
    out = np.zeros(8, np.int32)
    run(source, out, kernel="parent")
    run.same(out, [10, 11, 12, 13, 7, 0, 7, 0])


@case(blocks=(1,), cpu_only=True, reason=REASON)
def printf_of_children(run):
    """Children print after their parent, in the order in which they run."""
    source = """
__global__ void child(int i) { printf("child %d %d\\n", i, blockIdx.x); }
__global__ void parent() {
  child<<<2, 1>>>(blockIdx.x);
  printf("parent %d\\n", blockIdx.x);
}"""
    with run.printed() as lines:
        run(source, grid=3, kernel="parent")
    assert lines == [*(f"parent {i}" for i in range(3)), *(f"child {i} {b}" for i in range(3) for b in range(2))]


def failure(run: Run, source: str, *args, **more) -> str:
    with pytest.raises(lanza.LaunchError) as error:
        run(source, *args, **more)
    return str(error.value)


@case(blocks=(1,), cpu_only=True, reason=REASON)
def a_child_that_fails(run):
    """The error names the parent, the child and the place; what comes later does not run."""
    source = """
__global__ void child(int* out, int limit) {
  assert(out[0] < limit);
  out[0] += 1;
}
__global__ void middle(int* out, int limit) { child<<<1, 1>>>(out, limit); }
__global__ void parent(int* out) {
  for (int i = 0; i < 5; ++i) middle<<<1, 1>>>(out, 2);
}"""
    out = run.on_device(np.zeros(1, np.int32))
    text = failure(run, source, out, kernel="parent")
    assert text.startswith(
        "parent: its child kernel middle failed: its child kernel child failed: assertion `out[0] < limit` failed"
    ), text
    run.same(run.contents(out), [2])


@case(blocks=(1,), cpu_only=True, reason=REASON)
def a_child_that_hangs(run):
    """The time limit of a launch holds for its children too."""
    source = """
__global__ void waiting(volatile int* flag) { while (*flag == 0) {} }
__global__ void endless(int* out) { for (;;) ++*out; }
__global__ void outer(int* out) { endless<<<1, 1>>>(out); }
__global__ void waits(int* out) { waiting<<<1, 1>>>(out); }
__global__ void loops(int* out) { outer<<<1, 1>>>(out); }
__global__ void launches(int* out) { for (;;) endless<<<0, 1>>>(out); }"""
    for kernel in ("waits", "loops", "launches"):
        text = failure(run, source, np.zeros(1, np.int32), kernel=kernel, timeout=0.2)
        assert text == f"{kernel}: timed out after 200 ms"
