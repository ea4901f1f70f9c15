"""cuda::barrier, latch, semaphores and pipelines: threads that wait for each other through objects."""

import numpy as np
from harness import BLOCKS, case

BEGIN = """
#include <cuda/barrier>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
"""


@case
def arrive_and_wait(run):
    """Rounds through a barrier in shared memory: everybody sees what all wrote before."""
    out = np.zeros(run.threads, np.int32)
    run(
        BEGIN
        + """
        #pragma nv_diag_suppress static_var_with_dynamic_init
        __global__ void k(int* out) {
          extern __shared__ int values[];
          __shared__ barrier bar;
          auto block = cg::this_thread_block();
          unsigned t = block.thread_rank(), n = block.size();
          if (t == 0) init(&bar, n);
          block.sync();
          int sum = 0;
          for (int round = 1; round <= 4; ++round) {
            values[t] = t * round;
            bar.arrive_and_wait();
            sum += values[(t + round) % n];
            bar.wait(bar.arrive());
          }
          out[t] = sum;
        }
        """,
        out,
        shared=4 * run.threads,
    )
    t, n = np.arange(run.threads), run.threads
    run.same(out, sum((t + r) % n * r for r in range(1, 5)))


@case
def split_arrival(run):
    """A thread arrives, does something else, and waits later with its token; tokens of two phases."""
    out = np.zeros(run.threads, np.int32)
    run(
        BEGIN
        + """
        __global__ void k(int* out) {
          extern __shared__ int values[];
          __shared__ barrier bar;
          auto block = cg::this_thread_block();
          unsigned t = block.thread_rank(), n = block.size();
          if (t == 0) init(&bar, n);
          block.sync();
          values[t] = t + 1;
          barrier::arrival_token token = bar.arrive();
          int own = values[t] * 2;
          bar.wait(cuda::std::move(token));
          int next = values[(t + 1) % n];
          auto second = bar.arrive();
          bar.wait(cuda::std::move(second));
          values[t] = -1;
          out[t] = own + next;
        }
        """,
        out,
        shared=4 * run.threads,
    )
    t, n = np.arange(run.threads), run.threads
    run.same(out, (t + 1) * 2 + (t + 1) % n + 1)


@case
def producers_and_consumers(run):
    """Two barriers between a half that writes and a half that reads: neither waits for its own half."""
    if run.threads % 2:
        return
    out = np.zeros(run.threads // 2, np.int32)
    run(
        BEGIN
        + """
        __global__ void k(int* out) {
          extern __shared__ int values[];
          __shared__ barrier full, empty;
          auto block = cg::this_thread_block();
          unsigned t = block.thread_rank(), n = block.size(), half = n / 2;
          if (t == 0) { init(&full, n); init(&empty, n); }
          block.sync();
          if (t < half) {
            for (int i = 0; i < 3; ++i) {
              empty.arrive_and_wait();
              values[t] = t * 10 + i;
              (void)full.arrive();
            }
          } else {
            int sum = 0;
            (void)empty.arrive();
            for (int i = 0; i < 3; ++i) {
              full.arrive_and_wait();
              sum += values[n - 1 - t] * (i + 1);
              if (i < 2) (void)empty.arrive();
            }
            out[t - half] = sum;
          }
        }
        """,
        out,
        shared=2 * run.threads,
    )
    half = run.threads // 2
    source = half - 1 - np.arange(half)
    run.same(out, sum((source * 10 + i) * (i + 1) for i in range(3)))


@case
def arrive_and_drop(run):
    """Threads leave a barrier one after the other; those that stay still meet."""
    out = np.zeros(run.threads, np.int32)
    run(
        BEGIN
        + """
        __global__ void k(int* out) {
          __shared__ barrier bar;
          __shared__ int left;
          auto block = cg::this_thread_block();
          unsigned t = block.thread_rank(), n = block.size();
          if (t == 0) { init(&bar, n); left = 0; }
          block.sync();
          int rounds = 0;
          for (unsigned i = 0; i < 5; ++i) {
            if (t % 5 == i && t != 0) { atomicAdd(&left, 1); bar.arrive_and_drop(); break; }
            bar.arrive_and_wait();
            rounds += *(volatile int*)&left;
            bar.arrive_and_wait();
          }
          out[t] = rounds;
        }
        """,
        out,
    )
    t, n = np.arange(run.threads), run.threads
    expected = np.zeros(n, np.int64)
    gone = t != 0
    for i in range(5):
        stays = ~gone | (t % 5 > i)
        left = (gone & (t % 5 <= i)).sum()
        expected += np.where(stays, left, 0)
    run.same(out, expected)


@case
def completion_function(run):
    """A barrier with a completion function: it runs once a phase, before anybody goes on."""
    out = np.zeros((run.threads, 3), np.int32)
    run(
        BEGIN
        + """
        struct Count { int* n; __device__ void operator()() { *n += 1; } };
        using counting = cuda::barrier<cuda::thread_scope_block, Count>;
        __global__ void k(int* out) {
          __shared__ int phases;
          __shared__ __align__(16) char memory[sizeof(counting)];
          auto block = cg::this_thread_block();
          counting* bar = (counting*)memory;
          if (block.thread_rank() == 0) { phases = 0; init(bar, block.size(), Count{&phases}); }
          block.sync();
          for (int i = 0; i < 3; ++i) {
            bar->arrive_and_wait();
            out[3 * block.thread_rank() + i] = *(volatile int*)&phases;
            block.sync();
          }
        }
        """,
        out,
    )
    run.same(out, np.broadcast_to([1, 2, 3], out.shape))


@case
def parity(run):
    """wait_parity: phases told apart by one bit."""
    out = np.zeros(run.threads, np.int32)
    run(
        BEGIN
        + """
        __global__ void k(int* out) {
          extern __shared__ int values[];
          __shared__ barrier bar;
          auto block = cg::this_thread_block();
          unsigned t = block.thread_rank(), n = block.size();
          if (t == 0) init(&bar, n);
          block.sync();
          int sum = 0;
          for (int i = 0; i < 5; ++i) {
            values[t] = t + i;
            (void)bar.arrive();
            bar.wait_parity(i % 2);
            sum += values[(t + 1) % n];
            block.sync();
          }
          out[t] = sum;
        }
        """,
        out,
        shared=4 * run.threads,
    )
    t, n = np.arange(run.threads), run.threads
    run.same(out, 5 * ((t + 1) % n) + 10)


@case
def memcpy_async(run):
    """cuda::memcpy_async of a group and of a thread, tracked by a barrier."""
    source = np.arange(2048 + run.threads, dtype=np.int32) * 3
    out = np.zeros_like(source)
    run(
        BEGIN
        + """
        __global__ void k(const int* in, int* out) {
          extern __shared__ __align__(16) int values[];
          __shared__ barrier bar;
          auto block = cg::this_thread_block();
          unsigned t = block.thread_rank();
          if (t == 0) init(&bar, block.size());
          block.sync();
          cuda::memcpy_async(block, values, in, cuda::aligned_size_t<16>(4 * 2048), bar);
          cuda::memcpy_async(values + 2048 + t, in + 2048 + t, sizeof(int), bar);
          bar.arrive_and_wait();
          for (unsigned i = t; i < 2048 + block.size(); i += block.size()) out[i] = values[i];
        }
        """,
        source,
        out,
        shared=source.nbytes,
    )
    run.same(out, source)


@case
def annotated_pointers(run):
    """annotated_ptr of each property: reads, writes, memcpy_async; associate_ and apply_access_property."""
    source, out = np.arange(run.threads, dtype=np.int32) * 7, np.zeros(run.threads, np.int32)
    run(
        BEGIN
        + """
        #include <cuda/annotated_ptr>
        using property = cuda::access_property;
        struct Pair { int first, second; };
        __global__ void k(const int* in, int* out) {
          extern __shared__ __align__(16) int values[];
          __shared__ barrier bar;
          __shared__ Pair pair;
          auto block = cg::this_thread_block();
          const int t = block.thread_rank(), n = block.size();
          if (t == 0) { init(&bar, n); pair = {3, 4}; }
          block.sync();
          cuda::annotated_ptr<const int, property::streaming> from(in);
          cuda::annotated_ptr<const int, property> chosen(in, property::persisting{}), any = chosen;
          cuda::annotated_ptr<int, property::shared> near(values);
          cuda::memcpy_async(block, near.get(), from, sizeof(int) * n, bar);
          bar.arrive_and_wait();
          if (t == 0) cuda::apply_access_property(in, sizeof(int), property::persisting{});
          cuda::annotated_ptr<int, property::global> to(out);
          cuda::annotated_ptr<Pair, property::shared> both(&pair);
          const int* plain = cuda::associate_access_property(in, property(property::normal{}, 0.5f));
          to[t] = near[n - 1 - t] + both->first * chosen[t] + both->second * plain[t] + any.get()[t] + *from + !to;
        }
        """,
        source,
        out,
        shared=source.nbytes,
    )
    run.same(out, source[::-1] + 8 * source)


@case
def barrier_between_blocks(run):
    """A barrier in global memory with device scope: four blocks meet at it."""
    out, values = np.zeros((4, run.threads), np.int32), np.zeros((4, run.threads), np.int32)
    run(
        """
        #include <cuda/barrier>
        using barrier = cuda::barrier<cuda::thread_scope_device>;
        __device__ char memory[sizeof(barrier)] __attribute__((aligned(16)));
        __device__ int ready;
        __global__ void k(int* values, int* out) {
          barrier* bar = reinterpret_cast<barrier*>(memory);
          const unsigned n = blockDim.x * blockDim.y * blockDim.z;
          const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), g = blockIdx.x * n + t;
          if (g == 0) { init(bar, n * gridDim.x); __threadfence(); atomicExch(&ready, 1); }
          while (atomicAdd(&ready, 0) == 0) {}
          __threadfence();
          values[g] = g + 1;
          bar->arrive_and_wait();
          out[g] = values[n * gridDim.x - 1 - g];
        }
        """,
        values,
        out,
        grid=4,
        cooperative=True,
        fresh=True,
    )
    run.same(out.reshape(-1), np.arange(out.size, 0, -1))


@case
def latch(run):
    """cuda::latch of two blocks: some count down first and wait later, the others do both at once."""
    out = np.zeros((2, run.threads), np.int32)
    run(
        """
        #include <cuda/latch>
        __device__ cuda::latch<cuda::thread_scope_device> everybody{THREADS};
        __device__ int arrived;
        __global__ void k(int* out) {
          const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          atomicAdd(&arrived, 1);
          if (t % 2) everybody.count_down(); else everybody.arrive_and_wait();
          if (t % 2) everybody.wait();
          out[blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t] = *(volatile int*)&arrived + everybody.try_wait();
        }
        """.replace("THREADS", str(2 * run.threads)),
        out,
        grid=2,
        fresh=True,
    )
    run.same(out, np.full_like(out, 2 * run.threads + 1))


@case(blocks=[b for b in BLOCKS if np.prod(b) <= 256])
def semaphores(run):
    """A counting semaphore lets three threads in at a time, a binary one one; of two blocks."""
    out = np.zeros(3, np.int32)
    run(
        """
        #include <cuda/semaphore>
        __device__ cuda::counting_semaphore<cuda::thread_scope_device, 3> three{3};
        __device__ cuda::binary_semaphore<cuda::thread_scope_device> one{1};
        __global__ void k(int* out) {
          three.acquire();
          int inside = atomicAdd(out, 1) + 1;
          atomicMax(out + 1, inside);
          one.acquire();
          *(volatile int*)(out + 2) = *(volatile int*)(out + 2) + 1;
          one.release();
          atomicSub(out, 1);
          three.release();
        }
        """,
        out,
        grid=2,
        fresh=True,
    )
    run.same(out[[0, 2]], [0, 2 * run.threads])
    assert 1 <= out[1] <= 3, f"{out[1]} threads were inside at once"


@case
def pipeline_of_a_thread(run):
    """make_pipeline(): a thread's own copies, two stages ahead."""
    source = np.arange(8 * run.threads, dtype=np.int32)
    out = np.zeros(run.threads, np.int32)
    run(
        """
        #include <cuda/pipeline>
        __global__ void k(const int* in, int* out) {
          extern __shared__ int values[];
          const unsigned n = blockDim.x * blockDim.y * blockDim.z;
          const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          auto pipe = cuda::make_pipeline();
          int sum = 0;
          for (unsigned i = 0; i < 9; ++i) {
            if (i < 8) {
              pipe.producer_acquire();
              cuda::memcpy_async(values + i % 2 * n + t, in + i * n + t, sizeof(int), pipe);
              pipe.producer_commit();
            }
            if (i > 0) {
              if (i < 8) cuda::pipeline_consumer_wait_prior<1>(pipe); else cuda::pipeline_consumer_wait_prior<0>(pipe);
              sum += values[(i - 1) % 2 * n + t] * i;
              pipe.consumer_release();
            }
          }
          out[t] = sum;
        }
        """,
        source,
        out,
        shared=8 * run.threads,
    )
    run.same(out, (source.reshape(8, -1) * np.arange(1, 9)[:, None]).sum(0))


@case
def pipeline_of_a_block(run):
    """A pipeline with two stages in shared memory that all threads fill and read."""
    source = np.arange(6 * run.threads, dtype=np.int32)
    out = np.zeros(run.threads, np.int32)
    run(
        """
        #include <cuda/pipeline>
        #include <cooperative_groups.h>
        __global__ void k(const int* in, int* out) {
          extern __shared__ int values[];
          __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
          auto block = cooperative_groups::this_thread_block();
          unsigned t = block.thread_rank(), n = block.size();
          auto pipe = cuda::make_pipeline(block, &state);
          int sum = 0;
          for (unsigned i = 0; i < 7; ++i) {
            if (i < 6) {
              pipe.producer_acquire();
              cuda::memcpy_async(block, values + i % 2 * n, in + i * n, sizeof(int) * n, pipe);
              pipe.producer_commit();
            }
            if (i > 0) {
              pipe.consumer_wait();
              sum += values[(i - 1) % 2 * n + (t + i) % n] * i;
              pipe.consumer_release();
            }
          }
          out[t] = sum;
        }
        """,
        source,
        out,
        shared=8 * run.threads,
    )
    t, n = np.arange(run.threads), run.threads
    run.same(out, sum(source.reshape(6, -1)[i - 1][(t + i) % n] * i for i in range(1, 7)))


@case(blocks=[64, 256, (16, 16), 1000])
def pipeline_with_roles(run):
    """Producers fill the stages of a pipeline, consumers empty them."""
    half = run.threads // 2
    source = np.arange(5 * half, dtype=np.int32)
    out = np.zeros(half, np.int32)
    run(
        """
        #include <cuda/pipeline>
        #include <cooperative_groups.h>
        __global__ void k(const int* in, int* out) {
          extern __shared__ int values[];
          __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
          auto block = cooperative_groups::this_thread_block();
          unsigned t = block.thread_rank(), half = block.size() / 2;
          auto role = t < half ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
          auto pipe = cuda::make_pipeline(block, &state, role);
          int sum = 0;
          for (unsigned i = 0; i < 5; ++i) {
            if (t < half) {
              pipe.producer_acquire();
              cuda::memcpy_async(values + i % 3 * half + t, in + i * half + t, sizeof(int), pipe);
              pipe.producer_commit();
            } else {
              pipe.consumer_wait();
              sum += values[i % 3 * half + (t + i) % half] * (i + 1);
              pipe.consumer_release();
            }
          }
          if (t >= half) out[t - half] = sum;
        }
        """,
        source,
        out,
        shared=6 * run.threads,
    )
    t = np.arange(half, 2 * half)
    run.same(out, sum(source.reshape(5, -1)[i][(t + i) % half] * (i + 1) for i in range(5)))
