"""Barriers that some threads, warps or rows of threads do not come to any more."""

import numpy as np
from harness import case, kernel

SHARED = "__shared__ int s[1024];"


def rotated(values, by):
    """What thread t reads at (t + by) % n."""
    return np.roll(values, -by)


@case
def threads_that_left_before(run):
    """An early return before a barrier: it counts the threads that are still there."""
    for modulus, rest in ((2, 0), (3, 1), (64, 40), (2000, 0)):
        out = np.full(run.threads, -1, np.int32)
        run(
            kernel(
                "int* out, int modulus, int rest",
                SHARED
                + """
                s[t] = -5;
                __syncthreads();
                if (t % modulus == rest) return;
                s[t] = t + 100;
                __syncthreads();
                out[t] = s[n - 1 - t];
                """,
            ),
            out,
            modulus,
            rest,
        )
        t = np.arange(run.threads)
        left = t % modulus == rest
        s = np.where(left, -5, t + 100)
        run.same(out, np.where(left, -1, s[::-1]), f"{modulus}, {rest}")


@case
def blocks_that_are_full_and_those_that_are_not(run):
    """The threads behind the end leave; the others read back to front, and behind another barrier front to back."""
    n = run.threads
    for length in (3 * n, 3 * n - 1, 2 * n + 1, 2 * n + n // 2 + 1, n // 2 + 1):
        x = np.arange(length, dtype=np.int32) * 5 + 2
        out = np.full(3 * n, -1, np.int32)
        run(
            kernel(
                "const int* x, int* out, int length",
                SHARED
                + """
                int first = blockIdx.x * n, i = first + t;
                if (i >= length) return;
                s[t] = x[i];
                __syncthreads();
                int live = min(n, length - first);
                int v = s[live - 1 - t];
                __syncthreads();
                s[t] = v + t;
                __syncthreads();
                out[i] = v * 3 + s[(t + 1) % live];
                """,
            ),
            x,
            out,
            length,
            grid=3,
        )
        expected = np.full(3 * n, -1, np.int32)
        for first in range(0, length, n):
            turned = x[first : first + n][::-1]
            expected[first : first + len(turned)] = turned * 3 + rotated(turned + np.arange(len(turned)), 1)
        run.same(out, expected, str(length))


@case
def all_of_some_that_leave(run):
    """The threads of a branch leave, all of them or none; the others go on."""
    for some in ("t < 20", "t % 2", "t % 64 > 31", "t == n - 1"):
        for leaves in (True, False):
            out = np.full(run.threads, -1, np.int32)
            body = f"""
              s[t] = t;
              __syncthreads();
              if ({some}) {{
                s[t] += 1000;
                if (leaves) return;
              }}
              __syncthreads();
              int v = s[n - 1 - t];
              __syncthreads();
              s[t] = v;
              __syncthreads();
              out[t] = s[t] * 2 + s[n - 1];
            """
            run(kernel("int* out, bool leaves", SHARED + body), out, np.bool_(leaves))
            t, n = np.arange(run.threads), run.threads
            marked = eval(some, {"t": t, "n": n}).astype(bool)
            s = t + 1000 * marked
            gone = marked & leaves
            s = np.where(gone, s, s[::-1])
            run.same(out, np.where(gone, -1, s * 2 + s[-1]), f"{some}, {leaves}")


@case
def whole_warps_that_left(run):
    """Warps that return at different barriers of a chain."""
    out = np.full(run.threads, -1, np.int32)
    run(
        kernel(
            "int* out",
            SHARED
            + """
            const int w = t / 32;
            for (int i = 0;; ++i) {
              s[t] = i * 1000 + t;
              __syncthreads();
              out[t] = s[n - 1];
              if (i == w) return;
              __syncthreads();
            }
            """,
        ),
        out,
    )
    # The last thread is in the last warp, the last to leave.
    run.same(out, run.warp * 1000 + run.threads - 1)


@case
def whole_rows_of_threads_that_left(run):
    """Only the first few threads come to the barriers of a chain; the rest of the block has left."""
    for stay in (1, 5, 17, 37, 2000):
        out = np.full(run.threads, -1, np.int32)
        run(
            kernel(
                "int* out, int stay",
                SHARED
                + """
                s[t] = -7;
                __syncthreads();
                if (t >= stay) return;
                int value = t;
                for (int i = 0; i < 5; ++i) {
                  s[t] = value + i;
                  __syncthreads();
                  value = s[(t + 1) % n];
                  __syncthreads();
                }
                out[t] = value;
                """,
            ),
            out,
            stay,
        )
        n, t = run.threads, np.arange(run.threads)
        value = t.copy()
        for i in range(5):
            value = rotated(np.where(t < stay, value + i, -7), 1)
        run.same(out, np.where(t < stay, value, -1), f"{stay} of {n}")


@case
def leaving_threads_write_first(run):
    """What a thread writes on its way out, those that stay find behind their next barrier."""
    for modulus in (2, 3, 64):
        out = np.zeros(run.threads, np.int32)
        run(
            kernel(
                "int* out, int modulus",
                SHARED
                + """
                s[t] = -1;
                __syncthreads();
                if (t / modulus % 2 == 0) { s[t] = t + 1000; return; }
                __syncthreads();
                out[t] = s[(t + n - 1) % n] + s[(t + n - modulus) % n];
                """,
            ),
            out,
            modulus,
        )
        t, n = np.arange(run.threads), run.threads
        gone = t // modulus % 2 == 0
        s = np.where(gone, t + 1000, -1)
        run.same(out, np.where(gone, 0, s[(t + n - 1) % n] + s[(t + n - modulus) % n]), f"{modulus}")


@case
def some_threads_skip_the_barriers(run):
    """Barriers under a condition that only some threads meet; what comes behind it, the others do before."""
    for stay in (1, 3, 40):
        out = np.zeros(run.threads, np.int32)
        run(
            kernel(
                "int* out, int stay",
                """
                __shared__ int s[1024], seen[1024];
                s[t] = t; seen[t] = 0;
                __syncthreads();
                int value = 5;
                if (t < stay) {
                  s[t] = t * 3;
                  __syncthreads();
                  value = s[n - 1 - t] + seen[n - 1];
                  __syncthreads();
                  s[t] = 77;
                }
                seen[t] = s[t] + 100;
                out[t] = value;
                """,
            ),
            out,
            stay,
        )
        t, n = np.arange(run.threads), run.threads
        s = np.where(t < stay, t * 3, t)
        # The last thread, where it did not stay, has written before the others' barrier.
        seen = n - 1 + 100 if n > stay else 0
        run.same(out, np.where(t < stay, s[::-1] + seen, 5), f"{stay}")


@case
def leaving_a_loop_with_work_to_do(run):
    """A thread that leaves a loop of barriers reads and writes shared memory before the others go on."""
    out = np.zeros((run.threads, 2), np.int32)
    run(
        kernel(
            "int* out",
            SHARED
            + """
            const int own = t % 5;
            int i = 0;
            s[t] = 0;
            __syncthreads();
            for (; i < 5; ++i) {
              if (t == 0 || own > i) s[t] = 10 * (i + 1) + own;
              __syncthreads();
              if (t != 0 && own == i) break;
              __syncthreads();
            }
            out[2 * t] = s[0] + i;
            out[2 * t + 1] = s[n - 1];
            """,
        ),
        out,
    )
    t, n = np.arange(run.threads), run.threads
    own = t % 5
    left = np.where(t == 0, 5, own)  # the turn in which it leaves; nobody does in the fifth
    first = np.where(t == 0, 50, 10 * (left + 1))
    last = n - 1
    at_last = [
        0 if last == 0 else max([0] + [10 * (i + 1) + last % 5 for i in range(turn + 1) if last % 5 > i])
        for turn in left
    ]
    at_last = np.where(last == 0, 50, at_last)
    run.same(out, np.stack([first + left, at_last], 1))


@case
def values_of_those_who_stay(run):
    """Where ways meet, each with one value for all who take it, threads have different values; on one of them all leave."""
    out = np.zeros(run.threads, np.float32)
    run(
        """
        __global__ void k(float* out, const int* numbers, int n) {
          __shared__ unsigned long long s[128];
          const unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
          const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
          for (unsigned i = t; i < 128; i += threads) s[i] = (i * 10 + 4) & 63;
          __syncthreads();
          float value = n;
          unsigned next = 1;
          if (t > 1) {
            value = s[1];
            int turn = 0;
            do { next = s[next & 127]; } while (++turn < n % 4 + 1 && next <= 1);
          } else {
            if (s[__mulhi(-2147483647 - 1, int(s[__float2int_rd(float(numbers[1])) & 127])) & 127] & 8) {
              out[t] = 33;
              return;
            }
            value *= 0.0f;
          }
          __syncthreads();
          out[t] = value;
        }
        """,
        out, np.zeros(4, np.int32), 4,
    )  # fmt: skip
    run.same(out, np.where(np.arange(run.threads) > 1, np.float32(14), np.float32(0)))


@case
def until_all_are_done(run):
    """A loop with a known number of rounds that is left when all threads have what they want, as tiles of splats are."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out, int rounds",
            SHARED
            + """
            int value = 0;
            bool done = false;
            for (int i = 0; i < rounds; ++i) {
              if (__syncthreads_count(done) == n) break;
              s[t] = t % 5 + 1;
              __syncthreads();
              for (int j = 0; j < n && !done; ++j) {
                value += s[j];
                done = value > t;
              }
            }
            out[t] = value;
            """,
        ),
        out,
        9,
    )
    steps = np.cumsum(np.tile(np.arange(run.threads) % 5 + 1, 9))
    at = np.searchsorted(steps, np.arange(run.threads), side="right")
    run.same(out, steps[np.minimum(at, len(steps) - 1)])
