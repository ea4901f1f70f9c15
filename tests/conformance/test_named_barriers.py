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
