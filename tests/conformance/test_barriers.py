"""Barriers under every kind of control flow: uniform, divergent, in functions, after threads have left."""

import numpy as np
from harness import case, kernel

SHARED = "__shared__ int s[1024];"


def rotated(values, by):
    """What thread t reads at (t + by) % n."""
    return np.roll(values, -by)


@case
def in_a_uniform_loop(run):
    """Two barriers a round: every thread passes its value on to its neighbour."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out, int rounds",
            SHARED
            + """
            int value = t * t;
            for (int i = 0; i < rounds; ++i) {
              s[t] = value + i;
              __syncthreads();
              value = s[(t + 1) % n];
              __syncthreads();
            }
            out[t] = value;
            """,
        ),
        out,
        9,
    )
    run.same(out, rotated(np.arange(run.threads) ** 2, 9) + 36)


@case(each={"up": (0, 7, 1), "by steps": (3, 40, 5), "at once": (4, 4, 1), "never": (9, 2, 3), "down": (30, -3, -4)})
def from_a_place_to_a_place(run, ends):
    """A loop from each thread's own place to a bound as far from it for all: they leave it together."""
    first, last, step = ends
    out = np.zeros(run.threads, np.int32)
    less = "<" if step > 0 else ">"
    run(
        kernel(
            "int* out, int first, int last, int step",
            SHARED
            + f"""
            int value = t;
            for (int i = first + t; i {less} last + t; i += step) {{
              s[t] = value + i;
              __syncthreads();
              value = s[(t + 1) % n];
              __syncthreads();
            }}
            out[t] = value;
            """,
        ),
        out,
        first,
        last,
        step,
    )
    expected = np.arange(run.threads)
    for i in range(first, last, step):
        expected = rotated(expected + i + np.arange(run.threads), 1)
    run.same(out, expected)


@case
def in_an_unrolled_loop(run):
    """A loop of constant length around a barrier, with a private array that lives across it."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            SHARED
            + """
            int history[6];
            #pragma unroll
            for (int i = 0; i < 6; ++i) {
              s[t] = t * (i + 1);
              __syncthreads();
              history[i] = s[(t + i) % n];
              __syncthreads();
            }
            int sum = 0;
            for (int i = 0; i < 6; ++i) sum = sum * 3 + history[(i + t) % 6];
            out[t] = sum;
            """,
        ),
        out,
    )

    def expected(t):
        history = [(t + i) % run.threads * (i + 1) for i in range(6)]
        total = 0
        for i in range(6):
            total = total * 3 + history[(i + t) % 6]
        return total

    run.same(out, run.of(expected))


@case
def tree_reduction(run):
    """The sum of a block by halves, for sizes that are no power of two."""
    out = np.zeros(1, np.int32)
    run(
        kernel(
            "int* out",
            SHARED
            + """
            s[t] = t * 3 + 1;
            __syncthreads();
            for (int size = n; size > 1; size = (size + 1) / 2) {
              const int half = (size + 1) / 2;
              if (t + half < size) s[t] += s[t + half];
              __syncthreads();
            }
            if (t == 0) out[0] = s[0];
            """,
        ),
        out,
    )
    run.same(out, (np.arange(run.threads) * 3 + 1).sum())


@case
def scan_with_two_buffers(run):
    """An inclusive scan (Hillis and Steele): one barrier a round, buffers swapped by index."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ int s[2][1024];
            int from = 0;
            s[0][t] = t % 13 - 3;
            __syncthreads();
            for (int d = 1; d < n; d *= 2) {
              s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
              from = 1 - from;
              __syncthreads();
            }
            out[t] = s[from][t];
            """,
        ),
        out,
    )
    run.same(out, np.cumsum(np.arange(run.threads) % 13 - 3))


@case
def in_uniform_conditionals(run):
    """Barriers in branches, nested branches and switches that the whole block takes alike."""
    for mode in range(4):
        out = np.zeros(run.threads, np.int32)
        run(
            kernel(
                "int* out, int mode",
                SHARED
                + """
                s[t] = t;
                if (mode & 1) {
                  __syncthreads();
                  out[t] = s[n - 1 - t];
                  if (mode & 2) { __syncthreads(); s[t] = out[t] + 1; __syncthreads(); out[t] = s[(t + 1) % n]; }
                } else {
                  switch (mode) {
                    case 0: __syncthreads(); out[t] = s[(t + 1) % n];
                    case 2: __syncthreads(); out[t] += s[(t + 2) % n]; break;
                  }
                }
                """,
            ),
            out,
            mode,
        )
        t, n = np.arange(run.threads), run.threads
        expected = {
            0: (t + 1) % n + (t + 2) % n,
            1: n - 1 - t,
            2: (t + 2) % n,
            3: rotated(n - t, 1),
        }[mode]
        run.same(out, expected, f"mode {mode}")


@case
def in_device_functions(run):
    """Barriers in functions, inlined or not, called twice and from a loop."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            SHARED
            + """
            int a = exchange(s, t, n, t * 7);
            int b = exchange(s, t, n, a + 1);
            for (int i = 0; i < 3; ++i) b = twice(s, t, n, b + i);
            out[t] = b;
            """,
            """
            __device__ __noinline__ int exchange(int* s, int t, int n, int value) {
              s[t] = value;
              __syncthreads();
              const int result = s[(t + 1) % n];
              __syncthreads();
              return result;
            }
            __device__ __forceinline__ int twice(int* s, int t, int n, int value) {
              return exchange(s, t, n, exchange(s, t, n, value) + 5);
            }
            """,
        ),
        out,
    )
    run.same(out, rotated(np.arange(run.threads) * 7, 8) + 1 + 0 + 1 + 2 + 15)


@case
def in_conditions(run):
    """A barrier inside an expression: the condition of a loop, of &&, an argument."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            SHARED
            + """
            int left = 5, rounds = 0, value = t;
            while (share(s, t, left), s[0] > 0 && share(s, t, value)) { --left; ++rounds; value = s[(t + 1) % n]; __syncthreads(); }
            out[t] = value * 10 + rounds;
            """,
            "__device__ bool share(int* s, int t, int value) { __syncthreads(); s[t] = value; __syncthreads(); return true; }",
        ),
        out,
    )
    run.same(out, rotated(np.arange(run.threads), 5) * 10 + 5)


@case
def loop_until_the_block_agrees(run):
    """A loop that goes on while __syncthreads_or finds a thread that wants to."""
    out = np.zeros((run.threads, 2), np.int32)
    run(
        kernel(
            "int* out",
            """
            int rounds = 0, own = 0, want = t * 37 % 101;
            do { if (want > 0) { want -= 7; ++own; } ++rounds; } while (__syncthreads_or(want > 0));
            out[2 * t] = own; out[2 * t + 1] = rounds;
            """,
        ),
        out,
    )
    own = -(-(np.arange(run.threads) * 37 % 101) // 7)
    run.same(out, np.stack([own, np.full(run.threads, max(1, own.max()))], 1))


@case
def turns_from_memory(run):
    """Loops of barriers that are alike for all threads by value only: from global memory, from shared, by a barrier."""
    turns = np.array([3, 4], np.int32)
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out, const int* turns",
            """
            __shared__ int s[1024], many;
            if (t == n - 1) many = turns[1];
            __syncthreads();
            int value = t;
            for (int i = 0; i < turns[0]; ++i)
              for (int k = i; k < many; ++k) {
                s[t] = value + k;
                __syncthreads();
                value = s[(t + 1) % n];
                __syncthreads();
              }
            const int least = min(n, 3);
            while (__syncthreads_count(value % 1000 > t) >= least && s[0] < 10000) {
              __syncthreads();
              if (t == 0) s[0] += 3000;
              value += 1000;
            }
            out[t] = value;
            """,
        ),
        out,
        turns,
    )
    n, t = run.threads, np.arange(run.threads)
    value, first = t.copy(), 0
    for i in range(3):
        for k in range(i, 4):
            first = value[0] + k
            value = rotated(value + k, 1)
    while (value % 1000 > t).sum() >= min(n, 3) and first < 10000:
        first += 3000
        value = value + 1000
    run.same(out, value)


@case
def barrier_count_differs_between_threads(run):
    """Each lane leaves after its own number of barriers; those that remain still meet."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            SHARED
            + """
            s[t] = 0;
            __barrier_sync(0);
            int sum = 0;
            for (int i = 0; i <= t * 5 % 11; ++i) {
              s[t] = i + 1;
              __barrier_sync(0);
              sum += s[(t + 1) % n];
              __barrier_sync(0);
            }
            out[t] = sum;
            """,
        ),
        out,
    )

    def expected(t):
        # The neighbour's last value stays when it has left.
        last = (t + 1) % run.threads * 5 % 11
        return sum(min(i, last) + 1 for i in range(t * 5 % 11 + 1))

    run.same(out, run.of(expected))


@case
def barriers_on_both_sides_of_a_divergent_branch(run):
    """Threads take different numbers of steps between barriers, in loops of their own."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            SHARED
            + """
            s[t] = 0;
            __barrier_sync(0);
            int sum = 0;
            if (t % 3 == 0) {
              for (int i = 0; i < 4; ++i) { s[t] = i + 1; __barrier_sync(0); sum += s[(t + 1) % n]; __barrier_sync(0); }
            } else {
              int i = 0;
              do { s[t] = 10 * (i + 1); __barrier_sync(0); sum += s[(t + 1) % n] * 2; __barrier_sync(0); } while (++i < 4);
            }
            out[t] = sum;
            """,
        ),
        out,
    )

    def expected(t):
        neighbour = (1 if (t + 1) % run.threads % 3 == 0 else 10) * 10
        return neighbour * (1 if t % 3 == 0 else 2)

    run.same(out, run.of(expected))


@case
def value_of_an_irreducible_loop_behind_a_barrier(run):
    """Threads leave a loop with two entries in different turns; what each has then is used behind a barrier."""
    turns = (np.arange(run.threads) * 7 % 5).astype(np.int32)
    for start in (0, 3):
        out = np.zeros(run.threads, np.int32)
        run(
            kernel(
                "const int* turns, int* out, int start",
                """
                int value = start, i = 0;
                if (start > 1) goto middle;
                top: value += 2;
                middle: value ^= 5;
                if (++i < 6 && i <= turns[t]) goto top;
                __syncthreads();
                out[t] = value;
                """,
            ),
            turns,
            out,
            start,
        )

        def expected(t, start=start):
            value, i = start, 0
            if start <= 1:
                value += 2
            while True:
                value ^= 5
                i += 1
                if not (i < 6 and i <= turns[t]):
                    return value
                value += 2

        run.same(out, [expected(t) for t in range(run.threads)])


@case
def irreducible_uniform_loop(run):
    """A loop with two entries that the block enters alike, barriers on both ways."""
    for entry in (0, 1):
        out = np.zeros(run.threads, np.int32)
        run(
            kernel(
                "int* out, int entry",
                SHARED
                + """
                int value = t, i = 0;
                if (entry) goto second;
                first:
                s[t] = value + 1; __syncthreads(); value = s[(t + 1) % n]; __syncthreads();
                second:
                s[t] = value * 2; __syncthreads(); value = s[(t + 1) % n] % 1000; __syncthreads();
                if (++i < 4) goto first;
                out[t] = value;
                """,
            ),
            out,
            entry,
        )
        value = np.arange(run.threads)
        for i in range(4):
            if i or not entry:
                value = rotated(value + 1, 1)
            value = rotated(value * 2, 1) % 1000
        run.same(out, value, f"entry {entry}")


@case
def values_live_across(run):
    """Values of many types, and pointers to private and shared memory, live across a barrier."""
    out = np.zeros((run.threads, 4), np.float64)
    run(
        kernel(
            "double* out",
            SHARED
            + """
            char c = t; short h = t * 3; long long l = (long long)t << 33; float f = t / 3.0f; double d = t / 7.0;
            bool b = t % 3 == 0; float4 v = make_float4(t, t + 1, t + 2, t + 3); int private_[3] = {t, t * 2, t * 3};
            int* p = t & 1 ? &private_[1] : &s[t];
            *p = t + 50;
            __syncthreads();
            *p += 1;
            __syncthreads();
            out[4 * t] = c + h + l; out[4 * t + 1] = d; out[4 * t + 2] = f + (b ? v.x : v.w);
            out[4 * t + 3] = private_[1] * 10000 + *p;
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    f = (t / np.float32(3)).astype(np.float32) + np.where(t % 3 == 0, t, t + 3).astype(np.float32)
    columns = [
        t.astype(np.int8) + (t * 3).astype(np.int16) + (t << 33),
        t / 7.0,
        f,
        np.where(t & 1, t + 51, t * 2) * 10000 + t + 51,
    ]
    run.same(out, np.stack(columns, 1))


@case
def blocks_do_not_meet(run):
    """Barriers and shared memory belong to a block: a grid of blocks of unlike length."""
    out = np.zeros((6, run.threads), np.int32)
    run(
        kernel(
            "int* out",
            SHARED
            + """
            const int b = blockIdx.x + gridDim.x * blockIdx.y;
            s[t] = b;
            for (int i = 0; i <= b; ++i) { __syncthreads(); const int v = s[(t + 1) % n]; __syncthreads(); s[t] = v + 1; }
            __syncthreads();
            out[b * n + t] = s[(t + 1) % n];
            """,
        ),
        out,
        grid=(3, 2),
    )
    run.same(out, (2 * np.arange(6) + 1)[:, None])
