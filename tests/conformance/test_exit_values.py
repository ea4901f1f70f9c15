"""What threads take out of loops that they leave in different turns: counters, places made of them, sums."""

import numpy as np
from harness import case, kernel


@case
def a_counter_and_what_is_made_of_it(run):
    """The loop's last index is the thread's own: written through it, and through a place made of it."""
    n = run.threads
    values, out, at = (
        (np.arange(2 * n + 2, dtype=np.int32) * 7 % 101),
        np.zeros(2 * n + 2, np.int32),
        np.zeros(n, np.int32),
    )
    run(
        kernel(
            "const int* in, int* out, int* at",
            """
            int j = 0, sum = 0, place;
            for (;; ++j) {
              place = 2 * j + 1;
              sum += in[place] * (j + 1);
              if (j == (int)t) break;
            }
            out[place] = sum;
            at[t] = j * j + place;
            """,
        ),
        values,
        out,
        at,
    )
    j = np.arange(n)
    expected = np.zeros_like(out)
    expected[2 * j + 1] = np.cumsum(values[2 * j + 1] * (j + 1))
    run.same(out, expected)
    run.same(at, (j * j + 2 * j + 1).astype(np.int32))


@case
def counters_that_step_and_wrap(run):
    """By three, downwards, in a byte that wraps, from a start of one's own, and threads that never come in."""
    n = run.threads
    out = np.zeros((n, 5), np.int64)
    run(
        kernel(
            "long long* out",
            """
            int by = t % 5;
            for (; by < (int)(t % 37); by += 3) out[5 * t + 4] += by;
            int down = t % 29;
            while (down > 4) { out[5 * t + 4] -= down; --down; }
            unsigned char wraps = 200;
            for (; wraps != (unsigned char)(t * 3); ++wraps) out[5 * t + 4] ^= wraps;
            long long wide = (long long)t << 33, end = wide + t % 11;
            for (; wide < end; ++wide) out[5 * t + 4] += wide & 3;
            out[5 * t] = by * 2ll - 7;
            out[5 * t + 1] = down;
            out[5 * t + 2] = wraps + 1;
            out[5 * t + 3] = wide * 3;
            """,
        ),
        out,
    )

    def expected(t):
        last = 0
        by = t % 5
        while by < t % 37:
            last += by
            by += 3
        down = t % 29
        while down > 4:
            last -= down
            down -= 1
        wraps = 200
        while wraps != t * 3 % 256:
            last ^= wraps
            wraps = (wraps + 1) % 256
        wide = t << 33
        for _ in range(t % 11):
            last += wide & 3
            wide += 1
        return [by * 2 - 7, down, wraps + 1, wide * 3, last]

    run.same(out, run.of(expected))


@case
def two_ways_out(run):
    """A bound of the thread's own and a find that ends the loop before: what is taken out follows from neither alone."""
    n = run.threads
    values, out = (np.arange(n + 40, dtype=np.int32) * 13 % 31), np.zeros((n, 2), np.int32)
    run(
        kernel(
            "const int* in, int* out",
            """
            int j = 0, end = t % 40;
            while (j < end && in[t + j] != 5) ++j;
            out[2 * t] = j;
            out[2 * t + 1] = in[t + j];
            """,
        ),
        values,
        out,
    )

    def expected(t):
        j = 0
        while j < t % 40 and values[t + j] != 5:
            j += 1
        return [j, values[t + j]]

    run.same(out, run.of(expected))
