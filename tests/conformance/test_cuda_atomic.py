"""cuda::atomic, atomic_ref and atomic_flag: every operation and type, waiting, publishing, fences."""

import numpy as np
from harness import case

THREAD = "const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);"
INTEGERS = {
    "int": np.int32,
    "unsigned": np.uint32,
    "long long": np.int64,
    "unsigned long long": np.uint64,
}
FETCH = {
    "add": np.add,
    "sub": np.subtract,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "min": np.minimum,
    "max": np.maximum,
}


def operands(run, dtype):
    bits = (np.arange(run.threads, dtype=np.uint64) + 1) * np.uint64(0x9E3779B97F4A7C15)
    return (bits >> np.uint64(64 - 8 * np.dtype(dtype).itemsize)).astype(f"u{np.dtype(dtype).itemsize}").view(dtype)


@case(each=FETCH)
def fetch(run, operation):
    """fetch_add ... fetch_max of cuda::atomic_ref on global memory, every integer type; the old values are all different."""
    name = next(n for n, f in FETCH.items() if f is operation)
    for kind, dtype in INTEGERS.items():
        values = operands(run, dtype)
        start = np.array([0x5555], dtype)
        total, old = start.copy(), np.zeros_like(values)
        run(
            f"""
            #include <cuda/atomic>
            __global__ void k({kind}* total, const {kind}* in, {kind}* old) {{
              {THREAD}
              cuda::atomic_ref<{kind}, cuda::thread_scope_device> a(*total);
              old[t] = a.fetch_{name}(in[t], cuda::memory_order_relaxed);
            }}
            """,
            total,
            values,
            old,
        )
        with np.errstate(over="ignore"):
            expected = start.copy()
            for v in values:
                expected[0] = operation(expected[0], v)
        run.same(total, expected, kind)
        if name == "add":
            # Sorted by what they saw, each saw the sum of those before.
            run.same(np.sort(old), np.sort(chain(old, values, start, expected)), f"{kind}, old values")


def chain(old, values, start, end):
    """The old values that an order of additions gives: followed from the start, or nothing."""
    with np.errstate(over="ignore"):
        after = {int(o): int((o + v).astype(o.dtype)) for o, v in zip(old, values, strict=True)}
    seen, at = [], int(start[0])
    while at in after and len(seen) < len(old):
        seen.append(at)
        at = after[at]
    assert at == int(end[0])
    return np.array(seen, old.dtype)


@case
def in_shared_memory(run):
    """A cuda::atomic in shared memory: every operator."""
    out = np.zeros(8, np.int32)
    run(
        f"""
        #include <cuda/atomic>
        __global__ void k(int* out) {{
          __shared__ cuda::atomic<int, cuda::thread_scope_block> a[8];
          {THREAD}
          if (t == 0) for (int i = 0; i < 8; ++i) a[i].store(i == 5 ? -1 : 0, cuda::memory_order_relaxed);
          __syncthreads();
          a[0]++; ++a[1]; a[2]--; a[3] += (int)t; a[4] -= 2; a[5] &= ~(1 << (t % 31)); a[6] |= 1 << (t % 31);
          a[7] ^= (int)t * 77;
          __syncthreads();
          if (t < 8) out[t] = a[t];
          if (t == 0) for (int i = 0; i < 8; ++i) out[i] = a[i].load();
        }}
        """,
        out,
    )
    t = np.arange(run.threads, dtype=np.int64)
    bits = int(np.bitwise_or.reduce(1 << (t % 31)))
    n = run.threads
    run.same(out, [n, n, -n, t.sum(), -2 * n, ~bits, bits, np.bitwise_xor.reduce(t * 77)])


@case(each=["float", "double"])
def floating_point(run, kind):
    """fetch_add, fetch_sub, fetch_min and fetch_max of floating-point values."""
    dtype = np.float32 if kind == "float" else np.float64
    values = ((np.arange(run.threads) * 37 % 101) - 50).astype(dtype)
    out = np.zeros(4, dtype)
    run(
        f"""
        #include <cuda/atomic>
        __global__ void k(const {kind}* in, {kind}* out) {{
          {THREAD}
          cuda::atomic_ref<{kind}>(out[0]).fetch_add(in[t]);
          cuda::atomic_ref<{kind}>(out[1]).fetch_sub(in[t]);
          cuda::atomic_ref<{kind}>(out[2]).fetch_min(in[t]);
          cuda::atomic_ref<{kind}>(out[3]).fetch_max(in[t]);
        }}
        """,
        values,
        out,
    )
    run.same(out, [values.sum(), 0 - values.sum(), min(values.min(), 0), max(values.max(), 0)])


@case
def small_types_and_structs(run):
    """load, store, exchange and compare_exchange of 1 and 2 bytes, of bool, enum and structs of 8 bytes."""
    out = np.zeros((run.threads, 8), np.int32)
    run(
        f"""
        #include <cuda/atomic>
        struct Pair {{ int a; float b; }};
        enum class Colour : short {{ red, green }};
        __global__ void k(int* out) {{
          {THREAD}
          int* mine = out + 8 * t;
          cuda::atomic<unsigned char> byte((unsigned char)t);
          mine[0] = byte.exchange(7) * 1000 + byte.load();
          cuda::atomic<short> word((short)t);
          short seen = 5;
          mine[1] = word.compare_exchange_strong(seen, -3) * 100000 + seen * 10 + (word.load() == -3);
          cuda::atomic<bool> flag(t % 2 == 0);
          mine[2] = flag.exchange(true) + 2 * flag.load();
          cuda::atomic<Colour> colour(Colour::red);
          colour = Colour::green;
          mine[3] = (int)colour.load();
          mine[4] = sizeof(cuda::atomic<Pair>);
          cuda::atomic<Pair> pair(Pair{{(int)t, 0.5f}});
          Pair old = pair.load();
          while (!pair.compare_exchange_weak(old, Pair{{old.a + 1, old.b + 1}})) {{}}
          mine[5] = pair.load().a * 10 + (int)(pair.load().b * 2);
          mine[6] = sizeof(cuda::atomic<Pair>) * 10 + alignof(cuda::atomic<short>);
          mine[7] = cuda::atomic<int>::is_always_lock_free + 2 * pair.is_lock_free();
        }}
        """,
        out,
    )
    t = np.arange(run.threads)
    equal = t == 5
    expected = [t % 256 * 1000 + 7, np.where(equal, 100051, t * 10), (t % 2 == 0) + 2, t * 0 + 1]
    run.same(out, np.stack([*expected, t * 0 + 8, t * 10 + 13, t * 0 + 84, t * 0 + 3], 1))


@case(
    cpu_only=True,
    reason="CCCL of CUDA 13.0 on an H200 gives other addresses for atomics in local memory, why is not known",
)
def pointers(run):
    """Atomics of pointers count in elements."""
    out = np.zeros(run.threads, np.int32)
    run(
        f"""
        #include <cuda/atomic>
        __global__ void k(int* out) {{
          {THREAD}
          cuda::atomic<int*> pointer(out);
          pointer += 3; pointer--;
          const int before = (int)(pointer.fetch_add(2) - out);
          out[t] = before * 10 + (int)(pointer.load() - out);
        }}
        """,
        out,
    )
    run.same(out, 24)


@case
def compare_exchange_loop(run):
    """A CAS loop that multiplies: all factors arrive."""
    out = np.ones(1, np.uint64)
    run(
        f"""
        #include <cuda/atomic>
        __global__ void k(unsigned long long* out) {{
          {THREAD}
          cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> a(*out);
          unsigned long long old = a.load(cuda::memory_order_relaxed);
          while (!a.compare_exchange_weak(old, old * (2 * t + 3), cuda::memory_order_acq_rel,
                                          cuda::memory_order_relaxed)) {{}}
        }}
        """,
        out,
        grid=3,
    )
    product = 1
    for t in range(run.threads):
        product = product * pow(2 * t + 3, 3) % 2**64
    run.same(out, np.array([product], np.uint64))


@case
def publish_with_release(run):
    """Threads wait one for the other in a chain: data published by a release store is there after the acquire load."""
    flags, data = np.zeros(run.threads + 1, np.int32), np.zeros(run.threads + 1, np.int32)
    flags[0] = 1
    run(
        f"""
        #include <cuda/atomic>
        __global__ void k(int* flags, int* data) {{
          {THREAD}
          cuda::atomic_ref<int, cuda::thread_scope_device> before(flags[t]), mine(flags[t + 1]);
          while (before.load(cuda::memory_order_acquire) == 0) {{}}
          data[t + 1] = data[t] + 3;
          mine.store(1, cuda::memory_order_release);
        }}
        """,
        flags,
        data,
    )
    run.same(data, 3 * np.arange(run.threads + 1))


@case
def wait_and_notify(run):
    """wait() returns when another thread, of another block too, has changed the value and notified."""
    state, out = np.zeros(2, np.int32), np.zeros((2, run.threads), np.int32)
    run(
        f"""
        #include <cuda/atomic>
        __global__ void k(int* state, int* out) {{
          {THREAD}
          cuda::atomic_ref<int, cuda::thread_scope_device> turn(state[0]);
          if (blockIdx.x == 1 && t == 0) {{
            state[1] = 42;
            turn.store(1, cuda::memory_order_release);
            turn.notify_all();
          }}
          turn.wait(0, cuda::memory_order_acquire);
          out[blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t] = state[1];
        }}
        """,
        state,
        out,
        grid=2,
    )
    run.same(out, np.full_like(out, 42))


@case
def flag_as_a_lock(run):
    """cuda::std::atomic_flag as a spin lock between all threads of two blocks."""
    out = np.zeros(1, np.int32)
    run(
        """
        #include <cuda/std/atomic>
        __device__ cuda::std::atomic_flag lock;
        __global__ void k(int* out) {
          bool done = false;
          while (!done) {
            if (!lock.test_and_set(cuda::std::memory_order_acquire)) {
              volatile int* shared = out;
              *shared = *shared + 1;
              lock.clear(cuda::std::memory_order_release);
              done = true;
            }
          }
        }
        """,
        out,
        grid=2,
        fresh=True,
    )
    run.same(out, [2 * run.threads])


@case
def fences(run):
    """atomic_thread_fence with every scope: plain flags publish plain data."""
    for scope in ("system", "device", "block"):
        flag, data = np.zeros(1, np.int32), np.zeros(run.threads, np.int32)
        out = np.zeros(run.threads, np.int32)
        run(
            f"""
            #include <cuda/atomic>
            __global__ void k(int* flag, int* data, int* out) {{
              {THREAD}
              cuda::atomic_ref<int, cuda::thread_scope_{scope}> arrived(*flag);
              const unsigned n = blockDim.x * blockDim.y * blockDim.z;
              data[t] = 5 * t;
              cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_{scope});
              arrived.fetch_add(1, cuda::memory_order_relaxed);
              while (arrived.load(cuda::memory_order_relaxed) != (int)n) {{}}
              cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_{scope});
              out[t] = data[n - 1 - t];
            }}
            """,
            flag,
            data,
            out,
        )
        run.same(out, 5 * np.arange(run.threads)[::-1], scope)


@case
def std_names(run):
    """cuda::std::atomic, its aliases and its free functions."""
    out = np.zeros(3, np.int32)
    run(
        f"""
        #include <cuda/std/atomic>
        __global__ void k(int* out) {{
          __shared__ cuda::std::atomic<int> sum;
          __shared__ cuda::std::atomic_uint highest;
          {THREAD}
          if (t == 0) {{
            cuda::std::atomic_store(&sum, 1);
            highest = 0;
          }}
          __syncthreads();
          cuda::std::atomic_fetch_add(&sum, 2);
          unsigned seen = highest.load(cuda::std::memory_order_relaxed);
          while (seen < t && !cuda::std::atomic_compare_exchange_weak(&highest, &seen, t)) {{}}
          cuda::std::atomic_ref<int>(out[2]).fetch_add(1);
          __syncthreads();
          if (t == 0) {{
            out[0] = cuda::std::atomic_load_explicit(&sum, cuda::std::memory_order_acquire);
            out[1] = highest;
          }}
        }}
        """,
        out,
    )
    run.same(out, [1 + 2 * run.threads, run.threads - 1, run.threads])


@case
def reduce_update_async(run):
    """cooperative_groups::reduce_update_async and inclusive_scan_update into a cuda::atomic."""
    total, out = np.zeros(2, np.int32), np.zeros(run.threads, np.int32)
    run(
        """
        #include <cuda/atomic>
        #include <cooperative_groups.h>
        #include <cooperative_groups/reduce.h>
        #include <cooperative_groups/scan.h>
        namespace cg = cooperative_groups;
        __global__ void k(int* total, int* out) {
          auto block = cg::this_thread_block();
          auto tile = cg::tiled_partition<32>(block);
          unsigned t = block.thread_rank();
          if (t / 32 * 32 + 32 > block.size()) return;
          cuda::atomic_ref<int, cuda::thread_scope_block> sum(total[0]), place(total[1]);
          cg::reduce_update_async(tile, sum, (int)t, cg::plus<int>());
          // Every thread takes as many places as its rank says: they do not overlap.
          out[t] = cg::exclusive_scan_update(tile, place, (int)tile.thread_rank() + 1, cg::plus<int>());
        }
        """,
        total,
        out,
    )
    n = run.threads // 32 * 32
    t = np.arange(n)
    run.same(total, [t.sum(), n // 32 * 528])
    first = np.sort(out[:n:32])
    run.same(first, np.arange(n // 32) * 528)
    run.same(out[:n] - np.repeat(out[:n:32], 32), t % 32 * (t % 32 + 1) // 2)
