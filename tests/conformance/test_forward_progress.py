"""Threads that wait for other warps, other blocks or the host: each way to write the loop, and who it waits for."""

import time

import numpy as np
from harness import case

import lanza

THREAD = "const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
SIZE = "const int n = blockDim.x * blockDim.y * blockDim.z;\n"
BLOCKS_AT_ONCE = 8  # which any GPU runs at the same time


def waits(run, wait: str, more: str = "", device: str = "", flag: str = "*flag = 1") -> None:
    """
    Block 0 waits with the statement `wait` on `int* flag`, which the last block sets; then all read what it wrote before.
    """
    source = (
        f"{device}\n__global__ void k(int* flag, int* data, int* out) {{\n{THREAD}"
        "if (blockIdx.x + 1 == gridDim.x) {\n"
        f"  if (t == 0) {{ *(volatile int*)data = 42; __threadfence(); {flag}; }}\n"
        "  return;\n}\n"
        f"{more}\n{wait}\n"
        "out[t] = *(volatile int*)data;\n}"
    )
    out = np.zeros(run.threads, np.int32)
    run(source, np.zeros(1, np.int32), np.zeros(1, np.int32), out, grid=2, fresh=bool(device))
    run.same(out, 42)


# Every way to look at memory that another block writes.

LOOKS = {
    "volatile": "while (*(volatile int*)flag == 0) {}",
    "atomicAdd_zero": "while (atomicAdd(flag, 0) == 0) {}",
    "atomicOr_zero": "while (atomicOr(flag, 0) == 0) {}",
    "atomicMax": "while (atomicMax(flag, 0) == 0) {}",
    "atomicExch": "if (t == 0) { while (atomicExch(flag, 0) == 0) {} } __syncthreads();",
    "atomicCAS": "if (t == 0) { while (atomicCAS(flag, 1, 2) != 1) {} } __syncthreads();",
    "do_while_nanosleep": "do { __nanosleep(100); } while (*(volatile int*)flag == 0);",
    "nanosleep_backoff": (
        "unsigned wait = 8; while (*(volatile int*)flag == 0) { __nanosleep(wait); if (wait < 256) wait *= 2; }"
    ),
    "nanosleep_plain": "while (true) { __nanosleep(32); if (*flag) break; __threadfence(); }",
    "fence_plain": "while (true) { __threadfence(); if (*flag) break; }",
    "fence_pointer": "while (true) { int* p = flag; __threadfence(); p += threadIdx.x / 2048; if (*p) break; }",
    "loop_inside": (
        "for (int seen = 0; !seen;) { for (int i = 0; i < 3; ++i) seen |= *(volatile int*)flag; }"
    ),
    "loop_outside": (
        "for (int times = 0; times < 5; ++times) { while (*(volatile int*)flag == 0) {} }"
    ),
    "two_exits": (
        "for (int tries = 0;; ++tries) { if (*(volatile int*)flag) break; if (tries == 2147483647) return; }"
    ),
    "goto": "again: if (*(volatile int*)flag == 0) goto again;",
    "status_in_a_switch": (
        "for (bool ready = false; !ready;) {\n"
        "  switch (*(volatile int*)flag) { case 0: break; case 1: case 2: ready = true; break; default: return; }\n"
        "}"
    ),
    "ballot": "while (!__any_sync(__activemask(), *(volatile int*)flag)) {}",
    "one_lane_looks": (
        "int seen = 0;\n"
        "do { if (t == 0) seen = *(volatile int*)flag; __syncthreads(); } while (!__syncthreads_or(seen));"
    ),
    "through_shared": (
        "__shared__ int seen;\n"
        "do { __syncthreads(); if (t == 0) seen = atomicAdd(flag, 0); __syncthreads(); } while (!seen);"
    ),
    "plain_between_barriers": (
        "bool seen;\n"
        "do { __threadfence(); seen = *flag != 0; } while (!__syncthreads_or(seen));"
    ),
}  # fmt: skip


@case(each=LOOKS)
def look(run, wait):
    """Block 0 waits for the last one."""
    waits(run, wait)


@case(each=["ldcg", "ldcv"], cpu_only=True, reason="NVRTC takes these loads, which are not volatile, out of the loop")
def look_past_the_cache(run, load):
    """Block 0 waits for the last one, with loads that pass the caches."""
    waits(run, f"while (__{load}(flag) == 0) {{}}")


@case
def look_in_a_function(run):
    """The loop asks a function."""
    waits(run, "while (!ready(flag)) {}", device="__device__ bool ready(int* flag) { return atomicAdd(flag, 0) != 0; }")


@case
def look_in_a_recursive_function(run):
    """The loop asks a function that is not inlined, since it calls itself."""
    device = """
    __device__ int look(volatile int* flag, int depth) { return depth ? look(flag, depth - 1) | *flag : *flag; }
    """
    waits(run, "while (!look(flag, 1 + threadIdx.x % 4)) {}", device=device)


@case
def look_by_a_function_pointer(run):
    """The loop asks through a pointer to a function."""
    device = """
    __device__ int look_once(volatile int* flag) { return *flag; }
    __device__ int look_twice(volatile int* flag) { return *flag | *flag; }
    """
    more = "int (*ask)(volatile int*) = t % 2 ? look_once : look_twice;"
    waits(run, "while (!ask(flag)) {}", more=more, device=device)


@case
def look_by_a_class(run):
    """Acquire and release in a class, as portable code wraps them."""
    device = """
    template <class T> class Flag {
     public:
      __device__ explicit Flag(T* word) : word_(word) {}
      __device__ T acquire() const { T v = *(volatile T*)word_; __threadfence(); return v; }
      __device__ void wait() const { while (!acquire()) {} }
     private:
      T* word_;
    };
    """
    waits(run, "Flag<int>(flag).wait();", device=device)


@case
def look_at_a_device_variable(run):
    """The flag is a __device__ variable."""
    waits(
        run,
        "while (!*(volatile int*)&signal) {}",
        device="__device__ int signal;",
        flag="atomicExch(&signal, 1)",
    )


@case(cpu_only=True, reason="NVRTC does not have GCC's __atomic builtins")
def look_by_builtin(run):
    """The loop uses the compiler's atomic builtins."""
    waits(run, "while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) {}")


# Between blocks.


# Between warps of a block.


@case(blocks=[33, 64, 100, 256, 1000, 1024, (8, 8, 16)])
def producer_and_consumer_warps(run):
    """Warp 0 fills a buffer in shared memory, the others wait for each item and add them up."""
    out = np.zeros(run.threads, np.int32)
    source = f"""
    __global__ void k(int* out) {{
      {THREAD} {SIZE}
      __shared__ volatile int item, number, readers;
      if (t == 0) number = readers = 0;
      __syncthreads();
      if (t < 32) {{
        if (t == 0)
          for (int i = 1; i <= 10; ++i) {{
            item = i * i;
            __threadfence_block();
            number = i;
            while (readers != i * (n - 32)) {{}}
          }}
        return;
      }}
      int sum = 0;
      for (int i = 1; i <= 10; ++i) {{
        while (number < i) {{}}
        __threadfence_block();
        sum += item;
        atomicAdd((int*)&readers, 1);
      }}
      out[t] = sum;
    }}
    """
    run(source, out)
    run.same(out, np.where(run.warp > 0, 385, 0))


@case
def spin_with_syncwarp(run):
    """A warp spins with __syncwarp in its loop while another has still to begin: warps take turns."""
    out = np.zeros(run.threads, np.int32)
    source = f"""
    __global__ void k(int* out) {{
      {THREAD} {SIZE}
      __shared__ volatile int ready;
      if (t == 0) ready = 0;
      __syncthreads();
      const unsigned mask = __activemask();
      if (t / 32 == (n - 1) / 32) ready = 1;
      while (!ready) __syncwarp(mask);
      out[t] = ready;
    }}
    """
    run(source, out)
    run.same(out, 1)


# No waiting, though it looks like it.


@case
def retries_end(run):
    """Compare-and-swap loops that retry with what they saw: maximum of floats, product of integers."""
    source = f"""
    __global__ void k(float* most, unsigned* product) {{
      {THREAD}
      int* bits = (int*)most;
      int seen = *bits;
      while (__int_as_float(seen) < t * 0.5f) {{
        const int before = seen;
        seen = atomicCAS(bits, before, __float_as_int(t * 0.5f));
        if (seen == before) break;
      }}
      unsigned old = *product, assumed;
      do {{ assumed = old; old = atomicCAS(product, assumed, assumed * 3u); }} while (old != assumed);
    }}
    """
    most, product = np.zeros(1, np.float32), np.ones(1, np.uint32)
    run(source, most, product, grid=3)
    run.same(most, [(run.threads - 1) * 0.5])
    run.same(product, [pow(3, 3 * run.threads, 1 << 32)])


@case
def work_queue(run):
    """Threads take numbers from a counter until there are none: some take many, nobody waits."""
    count = 5000
    out = np.zeros(count, np.int32)
    source = """
    __global__ void k(int* next, int* out, int count) {
      int i;
      while ((i = atomicAdd(next, 1)) < count) out[i] = 2 * i + 1;
    }
    """
    run(source, np.zeros(1, np.int32), out, count, grid=3)
    run.same(out, 2 * np.arange(count) + 1)


# The host.


@case(cpu_only=True, reason="the host cannot reach a GPU's memory while a kernel runs, except through mapped memory")
def flag_of_the_host(run):
    """The kernel spins until the host writes a flag, while it runs; then answers, while the host watches."""
    device = run.device
    words = np.zeros(2, np.int32)  # which the CPU device uses in place
    source = """
    __global__ void k(volatile int* words) {
      if (threadIdx.x + threadIdx.y + threadIdx.z) return;
      words[1] = 1;
      while (words[0] == 0) {}
      words[1] = words[0] + 1;
    }
    """
    stream = lanza.Stream(device)
    run.module(source).k(words, block=run.block, stream=stream, wait=False, timeout=60.0)

    def wait_for(value: int) -> None:
        deadline = time.monotonic() + 30
        while words[1] != value:
            assert time.monotonic() < deadline, f"the kernel did not write {value}"
            time.sleep(0.0005)

    wait_for(1)
    assert not stream.query()
    words[0] = 41
    wait_for(42)
    stream.synchronize()
