"""Barriers with a number, and threads that wait at different ones."""

import numpy as np
from harness import case, kernel
from test_barriers import SHARED, rotated


@case
def lanes_at_different_barriers(run):
    """Lanes of a warp wait for the same barrier at different places of the source."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            SHARED
            + """
            if (t & 1) {
              s[t] = t * 2;
              __barrier_sync(0);
              out[t] = s[(t + 1) % n];
            } else {
              s[t] = t * 3;
              __barrier_sync(0);
              out[t] = s[(t + 1) % n] + 5000;
            }
            __barrier_sync(0);
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    s = np.where(t & 1, t * 2, t * 3)
    run.same(out, rotated(s, 1) + np.where(t & 1, 0, 5000))


@case(blocks=[64, 256, 1024, (16, 16, 1), (8, 8, 16)])
def named_barriers(run):
    """Producing and consuming warps meet at two numbered barriers, each for the whole block by count."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            SHARED
            + """
            const int half = n / 2;
            if (t < half) {
              for (int i = 0; i < 5; ++i) { s[t] = i * 100 + t; __barrier_sync_count(1, n); __barrier_sync_count(2, n); }
            } else {
              int sum = 0;
              for (int i = 0; i < 5; ++i) { __barrier_sync_count(1, n); sum += s[t - half]; __barrier_sync_count(2, n); }
              out[t] = sum;
            }
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    half = run.threads // 2
    run.same(out, np.where(t < half, 0, 1000 + 5 * (t - half)))


@case(blocks=[64, 256, 960, (16, 16, 1)])
def named_barrier_of_some_warps(run):
    """Each pair of warps has a barrier of its own and uses it a different number of times."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            SHARED
            + """
            const int pair = t / 64, at = t % 64;
            int value = t;
            for (int i = 0; i < pair % 5 + 1; ++i) {
              s[t] = value;
              __barrier_sync_count(1 + pair, 64);
              value = s[pair * 64 + (at + 33) % 64] + 1;
              __barrier_sync_count(1 + pair, 64);
            }
            out[t] = value;
            """,
        ),
        out,
    )

    def expected(t):
        rounds = t // 64 % 5 + 1
        return t // 64 * 64 + (t % 64 + 33 * rounds) % 64 + rounds

    run.same(out, run.of(expected))


PRODUCER_AND_CONSUMER = """
__device__ void arrive(int barrier, int threads) {
  asm volatile("ARRIVE %0, %1;" :: "r"(barrier), "r"(threads) : "memory");
}
__device__ void wait(int barrier, int threads) {
  asm volatile("SYNC %0, %1;" :: "r"(barrier), "r"(threads) : "memory");
}
"""
FORMS = {
    "bar": ("bar.arrive", "bar.sync"),
    "bar.cta": ("bar.cta.arrive", "bar.cta.sync"),
    "barrier": ("barrier.arrive", "barrier.sync"),
    "barrier.aligned": ("barrier.arrive.aligned", "barrier.cta.sync.aligned"),
}


def producer_and_consumer(form="bar"):
    """The functions arrive() and wait() in a form of PTX."""
    arrive, sync = FORMS[form]
    return PRODUCER_AND_CONSUMER.replace("ARRIVE", arrive).replace("SYNC", sync)


@case(blocks=[64, 256, 1024, (16, 16, 1), (8, 8, 16)], each=list(FORMS))
def arriving_without_waiting(run, form):
    """bar.arrive counts and goes on: producers fill two buffers in turn, and wait only for one that is still read."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ int buffer[2][512];
            const int half = n / 2, at = t % half;
            if (t < half) {
              for (int i = 0; i < 7; ++i) {
                wait(3 + i % 2, n);  // empty
                buffer[i % 2][at] = 100 * i + at;
                arrive(1 + i % 2, n);  // full
              }
            } else {
              int sum = 0;
              arrive(3, n);
              arrive(4, n);
              for (int i = 0; i < 7; ++i) {
                wait(1 + i % 2, n);
                sum = 3 * sum + buffer[i % 2][half - 1 - at];
                if (i < 5) arrive(3 + i % 2, n);
              }
              out[t] = sum;
            }
            """,
            producer_and_consumer(form),
        ),
        out,
    )

    def expected(t):
        half, total = run.threads // 2, 0
        for i in range(7):
            total = 3 * total + 100 * i + half - 1 - t % half
        return total if t >= half else 0

    run.same(out, run.of(expected))


@case(blocks=[96, 128, 256, 1024, (32, 4, 4)])
def arriving_and_leaving(run):
    """Threads that have arrived may end: their arrival counts, and the last warp waits for it alone."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            SHARED
            + """
            const int warp = t / 32, last = n / 32 - 1;
            s[t] = 5 * t;
            if (warp == 0) {
              arrive(1, n);
              return;
            }
            if (warp != last) {
              for (int i = 0; i < 3 * warp; ++i) __syncwarp();
              s[t] += 1;
              arrive(1, n);
              for (int i = 0; i < warp; ++i) __syncwarp();
              return;
            }
            wait(1, n);
            out[t] = s[t % 32] + s[32 + t % 32];
            """,
            producer_and_consumer(),
        ),
        out,
    )
    t = np.arange(run.threads)
    sums = 5 * (t % 32) + 5 * (32 + t % 32) + 1
    run.same(out, np.where(t // 32 == run.threads // 32 - 1, sums, 0))


@case(blocks=[64, 256, 960, (16, 16, 1)])
def reductions_of_some_warps(run):
    """bar.red with a number of threads: each pair of warps has its own, in the aligned form and the other."""
    out = np.zeros((run.threads, 2), np.uint32)
    run(
        kernel(
            "unsigned* out",
            """
            const int pair = t / 64;
            unsigned count, all;
            asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %3, 0;"
                         " barrier.cta.red.popc.aligned.u32 %0, %2, 64, p;"
                         " barrier.red.and.pred q, %2, 64, p; selp.u32 %1, 1, 0, q; }"
                         : "=r"(count), "=r"(all) : "r"(1 + pair), "r"(t % (pair + 2)) : "memory");
            out[2 * t] = count;
            out[2 * t + 1] = all;
            """,
        ),
        out,
    )

    def count(t):
        pair = t // 64
        return sum(1 for u in range(64 * pair, 64 * pair + 64) if u % (pair + 2))

    run.same(out, np.stack([run.of(count), np.zeros(run.threads)], 1))
