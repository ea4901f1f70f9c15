"""Control flow of a thread: loops and their exits, goto, switch, flow that no loop describes."""

import numpy as np
from harness import case, kernel


@case
def nested_divergent_loops(run):
    """Loops whose bounds differ between threads, with break and continue on both levels."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            int sum = 0;
            for (int i = 0; i < t % 7; ++i) {
              if (i == 3 && t % 2) continue;
              for (int j = 0; j < i + t % 5; ++j) {
                if (j == 2) continue;
                if (i + j == 6) break;
                sum += i * 10 + j;
              }
              if (sum > 100) break;
            }
            out[t] = sum;
            """,
        ),
        out,
    )

    def expected(t):
        total = 0
        for i in range(t % 7):
            if i == 3 and t % 2:
                continue
            for j in range(i + t % 5):
                if j == 2:
                    continue
                if i + j == 6:
                    break
                total += i * 10 + j
            if total > 100:
                break
        return total

    run.same(out, run.of(expected))


@case
def loop_of_each_kind(run):
    """while, do-while and for inside each other, their conditions different in every thread."""
    out = np.zeros(run.threads, np.uint32)
    run(
        kernel(
            "unsigned* out",
            """
            unsigned x = t + 1, steps = 0;
            do {
              while (x % 2 == 0) { x /= 2; ++steps; }
              for (int i = 0; i < 3 && x % 3 == 0; ++i) { x /= 3; steps += 100; }
              if (x > 1) --x;
            } while (x > 1);
            out[t] = steps;
            """,
        ),
        out,
    )

    def expected(t):
        x, steps = t + 1, 0
        while True:
            while x % 2 == 0:
                x, steps = x // 2, steps + 1
            for _ in range(3):
                if x % 3:
                    break
                x, steps = x // 3, steps + 100
            x -= x > 1
            if x <= 1:
                return steps

    run.same(out, run.of(expected))


@case
def collatz(run):
    """A loop that ends after up to hundreds of rounds, at another one in each thread."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            long long x = t + 1; int steps = 0;
            while (x != 1) { x = x & 1 ? 3 * x + 1 : x >> 1; ++steps; }
            out[t] = steps;
            """,
        ),
        out,
    )

    def expected(t):
        x, steps = t + 1, 0
        while x != 1:
            x, steps = 3 * x + 1 if x & 1 else x // 2, steps + 1
        return steps

    run.same(out, run.of(expected))


@case
def goto_out_of_three_loops(run):
    """A multi-level exit by goto, and a second one to another place."""
    out = np.zeros((run.threads, 4), np.int32)
    run(
        kernel(
            "int* out",
            """
            int i = 0, j = 0, k = 0, where = 0;
            for (i = 0; i < 8; ++i)
              for (j = 0; j < 8; ++j)
                for (k = 0; k < 8; ++k) {
                  if (i * 64 + j * 8 + k == t) goto found;
                  if (t % 3 == 0 && j == 5 && i == 1) goto given_up;
                }
            where = 1;
            goto done;
            given_up:
            where += 2;
            found:
            where += 4;
            done:
            out[4 * t] = where; out[4 * t + 1] = i; out[4 * t + 2] = j; out[4 * t + 3] = k;
            """,
        ),
        out,
    )

    def expected(t):
        for i in range(8):
            for j in range(8):
                for k in range(8):
                    if i * 64 + j * 8 + k == t:
                        return 4, i, j, k
                    if t % 3 == 0 and j == 5 and i == 1:
                        return 6, i, j, k
        return 1, 8, 8, 8

    run.same(out, run.of(expected))


@case
def goto_backwards(run):
    """Loops made of labels alone, one around another."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            int x = t % 50, rounds = 0, inner;
            again:
            inner = 0;
            more:
            ++rounds;
            if (++inner < x % 4) goto more;
            x -= 3;
            if (x > 0) goto again;
            out[t] = rounds * 100 + inner;
            """,
        ),
        out,
    )

    def expected(t):
        x, rounds = t % 50, 0
        while True:
            inner = max(1, x % 4)
            rounds += inner
            x -= 3
            if x <= 0:
                return rounds * 100 + inner

    run.same(out, run.of(expected))


MACHINE = """
int x = t, steps = 0, which = t % 3;
if (which == 0) goto a;
if (which == 1) goto b;
goto c;
a: steps += 1; x = x * 5 + 1 & 1023; if (x % 7 == 0) goto done; if (x & 1) goto c;
b: steps += 100; x = x * 3 + 2 & 1023; if (x % 7 == 1) goto done; if (x & 2) goto a;
c: steps += 10000; x = x * 9 + 4 & 1023; if (x % 7 == 2) goto done; if (x & 4) goto b; goto a;
done:
out[t] = steps;
"""


@case
def irreducible_machine(run):
    """Three labels that all jump to each other, entered at any of them."""
    out = np.zeros(run.threads, np.int32)
    run(kernel("int* out", MACHINE), out)

    def expected(t):
        x, steps, state = t, 0, "abc"[t % 3]
        while True:
            add, factor, plus, last, bit, following, otherwise = {
                "a": (1, 5, 1, 0, 1, "c", "b"),
                "b": (100, 3, 2, 1, 2, "a", "c"),
                "c": (10000, 9, 4, 2, 4, "b", "a"),
            }[state]
            steps += add
            x = (x * factor + plus) & 1023
            if x % 7 == last:
                return steps
            state = following if x & bit else otherwise

    run.same(out, run.of(expected))


@case
def computed_states(run):
    """A state machine in a switch inside a loop, with return, break and continue in its cases."""
    out = np.full(run.threads, -1, np.int32)
    run(
        kernel(
            "int* out",
            """
            int state = t % 5, n_ = 0;
            for (;;) {
              ++n_;
              switch (state) {
                case 0: state = 3; continue;
                case 1: state = t & 8 ? 4 : 2; break;
                case 2: out[t] = 200 + n_; return;
                case 3: state = 1;
                default: if (n_ > 4) { out[t] = 900 + n_; return; }
              }
              n_ += 2;
              if (state == 4 && n_ > 20) break;
            }
            out[t] = n_;
            """,
        ),
        out,
    )

    def expected(t):
        state, n = t % 5, 0
        while True:
            n += 1
            if state == 0:
                state = 3
                continue
            if state == 1:
                state = 4 if t & 8 else 2
            elif state == 2:
                return 200 + n
            else:
                state = 1 if state == 3 else state
                if n > 4:
                    return 900 + n
            n += 2
            if state == 4 and n > 20:
                return n

    run.same(out, run.of(expected))


@case
def switch_fall_through(run):
    """A switch that falls through, its default in the middle, on negative and distant values."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            const int values[8] = {-5, 0, 1, 2, 3, 1000000, -2147483647 - 1, 7};
            int sum = 0;
            switch (values[t % 8]) {
              case -5: sum += 1;
              case 0: sum += 10; break;
              case 1:
              case 2: sum += 100;
              default: sum += 1000;
              case 1000000: sum += 10000; break;
              case -2147483647 - 1: sum = -1;
            }
            out[t] = sum;
            """,
        ),
        out,
    )
    run.same(out, np.array([11, 10, 11100, 11100, 11000, 10000, -1, 11000])[np.arange(run.threads) % 8])


@case
def switch_dense(run):
    """A switch with enough neighbouring cases for a jump table."""
    cases = " ".join(f"case {i}: out[t] = {i * i + 7}; break;" for i in range(40))
    out = np.zeros(run.threads, np.int32)
    run(kernel("int* out", f"switch (t % 43) {{ {cases} default: out[t] = -1; }}"), out)
    run.same(out, run.of(lambda t: (t % 43) ** 2 + 7 if t % 43 < 40 else -1))


@case
def switch_of_64_bits(run):
    """A switch on long long: cases that agree in their low 32 bits are different."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out, long long high",
            """
            switch (t % 4 + (t & 4 ? high : 0)) {
              case 0x100000000LL: out[t] = 1; break;
              case 0: out[t] = 2; break;
              case 0x100000002LL: out[t] = 3; break;
              case 3: out[t] = 4; break;
              default: out[t] = 5;
            }
            """,
        ),
        out,
        1 << 32,
    )
    run.same(out, np.array([2, 5, 5, 4, 1, 5, 3, 5])[np.arange(run.threads) % 8])


@case
def duffs_device(run):
    """A switch into the middle of a loop."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            const int count = t % 23 + 1;
            int rounds = (count + 3) / 4, sum = 0;
            switch (count % 4) {
              case 0: do { sum += 1;
              case 3: sum += 10;
              case 2: sum += 100;
              case 1: sum += 1000;
                    } while (--rounds > 0);
            }
            out[t] = sum;
            """,
        ),
        out,
    )

    def expected(t):
        count = t % 23 + 1
        steps = [(-i) % 4 for i in range(count, 0, -1)]  # which of the four, from the entry on
        return sum((1, 10, 100, 1000)[s] for s in steps)

    run.same(out, run.of(expected))


@case
def short_circuit(run):
    """&& and || call their right side only where they must; ?: only one of its sides."""
    out = np.zeros((run.threads, 2), np.int32)
    run(
        kernel(
            "int* out",
            """
            int calls = 0;
            bool a = t % 2 && hit(calls, t % 3) || hit(calls, t % 5 == 0);
            int b = a ? hit(calls, 1) + 10 : (t % 7 ? hit(calls, 0) || hit(calls, 1) : 3);
            out[2 * t] = b; out[2 * t + 1] = calls;
            """,
            "__device__ __noinline__ bool hit(int& calls, int value) { ++calls; return value != 0; }",
        ),
        out,
    )

    def expected(t):
        calls = 0

        def hit(value):
            nonlocal calls
            calls += 1
            return bool(value)

        a = (t % 2 and hit(t % 3)) or hit(t % 5 == 0)
        b = hit(1) + 10 if a else (hit(0) or hit(1) if t % 7 else 3)
        return int(b), calls

    run.same(out, run.of(expected))


@case
def returns_in_inlined_functions(run):
    """Functions with several returns inside loops, called in conditions of loops."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            "int s = 0; for (int i = 0; find(i, t) >= 0 && i < 30; i += 1 + (find(t, i) & 3)) s += find(i, t) + 1; out[t] = s;",
            """
            __device__ int find(int x, int y) {
              for (int i = 0; i < 20; ++i) {
                if (i * i > x + y) return i;
                if ((i ^ y) == 9) { if (x & 1) return 50 + i; else continue; }
                if (i == 12 && x > 25) return -1;
              }
              return 99;
            }
            """,
        ),
        out,
    )

    def find(x, y):
        for i in range(20):
            if i * i > x + y:
                return i
            if i ^ y == 9:
                if x & 1:
                    return 50 + i
                continue
            if i == 12 and x > 25:
                return -1
        return 99

    def expected(t):
        total, i = 0, 0
        while find(i, t) >= 0 and i < 30:
            total += find(i, t) + 1
            i += 1 + (find(t, i) & 3)
        return total

    run.same(out, run.of(expected))


@case
def loop_that_some_threads_never_enter(run):
    """Bounds below the start, counters that wrap, steps that pass over the end."""
    out = np.zeros((run.threads, 3), np.uint32)
    run(
        kernel(
            "unsigned* out",
            """
            unsigned a = 0, b = 0, c = 0;
            for (int i = t - 40; i < t % 9 - 4; i += 3) ++a;
            for (unsigned char i = 250; i != (unsigned char)(t & 7); ++i) ++b;
            for (unsigned i = t; i < 0xffffffffu - t && c < 50; i += 0x10000000u + t) ++c;
            out[3 * t] = a; out[3 * t + 1] = b; out[3 * t + 2] = c;
            """,
        ),
        out,
    )

    def expected(t):
        c, i = 0, t
        while i < 0xFFFFFFFF - t and c < 50:
            c, i = c + 1, (i + 0x10000000 + t) & 0xFFFFFFFF
        return len(range(t - 40, t % 9 - 4, 3)), 6 + (t & 7), c

    run.same(out, run.of(expected))
