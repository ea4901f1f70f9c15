"""Loops that each thread leaves in a turn of its own and that only store: to places of their own, in their order."""

import numpy as np
from harness import case, kernel

INT = np.int32
SPACE = 512

# Of a thread with its step `p` (1 to 40) and its `first` place; `s` has SPACE elements.
LOOPS = {
    "marks": "for (int m = first; m < SPACE; m += p) s[m] = 7;",
    "numbers": "for (int m = first; m < SPACE; m += p) s[m] = m;",
    "turns": "int k = 0; for (int m = first; m < SPACE; m += p) s[m] = ++k; r = k;",
    "at least one": "int m = first; do { s[m] = 3; m += p; } while (m < SPACE); r = m;",
    "two": "for (int m = first; m + 1 < SPACE; m += p) { s[m] = 5; s[m + 1] = p; }",
    "backwards": "int m = first + 8 * p; for (; m >= first; m -= p) s[m % SPACE] = m; r = m;",
    "unsigned": "for (unsigned m = first; m < SPACE; m += p) s[m & (SPACE - 1)] = 9;",
    "rows": "for (int j = 0; j < 3; ++j) for (int m = first + j; m < SPACE; m += p * (j + 1)) s[m] = j + 1;",
    "none": "if (p % 3 == 0) for (int m = first; m < SPACE; m += p) s[m] = 2;",
    "own": "short a[64]; for (int m = 0; m < 64; ++m) a[m] = 0; for (int m = p; m < 64; m += p) a[m] = m; "
    "for (int m = 0; m < 64; ++m) r = r * 3 + a[m]; s[first] = r;",
}


def model(what, s, first, p):
    """Stores of one thread, and what it has at the end."""
    places = range(first, SPACE, p)
    if what == "marks":
        s[list(places)] = 7
    elif what == "numbers":
        s[list(places)] = list(places)
    elif what == "turns":
        s[list(places)] = np.arange(1, len(places) + 1)
        return len(places)
    elif what == "at least one":
        s[list(places)] = 3
        return places[-1] + p
    elif what == "two":
        for m in range(first, SPACE - 1, p):
            s[m], s[m + 1] = 5, p
    elif what == "backwards":
        for m in range(first + 8 * p, first - 1, -p):
            s[m % SPACE] = m
        return first - p
    elif what == "unsigned":
        s[list(places)] = 9
    elif what == "rows":
        for j in range(3):
            s[first + j :: p * (j + 1)] = j + 1
    elif what == "none" and p % 3 == 0:
        s[list(places)] = 2
    elif what == "own":
        r = 0
        for m in range(64):
            r = r * 3 + (m if m and m % p == 0 else 0)
        r = (r + 2**31) % 2**32 - 2**31
        s[first] = r
        return r
    return 0


@case(each=LOOPS)
def stores_of_some_turns(run, loop):
    """In global memory, each thread in a part of its own, of words and of narrower ones; and in what guards leave."""
    what = next(name for name in LOOPS if LOOPS[name] == loop)
    n = run.threads
    steps = (np.arange(n, dtype=INT) * 37 % 40 + 1).astype(INT)
    firsts = (np.arange(n, dtype=INT) * 11 % 90).astype(INT)
    for word, kind in (("int", INT), ("unsigned char", np.uint8), ("double", np.float64)):
        for guard in ("true", "p & 2"):
            source = kernel(
                f"const int* steps, const int* firsts, {word}* out, int* ends",
                f"const int p = steps[t], first = firsts[t]; {word}* s = out + t * SPACE; int r = 0; if ({guard}) {{ {loop} }} ends[t] = r;".replace(
                    "SPACE", str(SPACE)
                ),
            )
            out, ends = np.zeros((n, SPACE), kind), np.full(n, -1, INT)
            run(source, steps, firsts, out, ends)
            wanted, last = np.zeros((n, SPACE), np.int64), np.zeros(n, np.int64)
            for t in range(n):
                if guard == "true" or steps[t] & 2:
                    last[t] = model(what, wanted[t], int(firsts[t]), int(steps[t]))
            run.same(out, wanted.astype(kind), f"{word}, {guard}")
            run.same(ends, last, f"{word}, {guard}: ends")


@case
def a_sieve_in_shared_memory(run):
    """Threads mark the same bytes with the same value, between barriers, in loops that some enter and some do not."""
    for word in ("unsigned char", "int"):
        source = kernel(
            "const int* primes, int count, int* out",
            f"""
            __shared__ {word} s[1024];
            const int low = blockIdx.x * 1024;
            for (int i = t; i < 1024; i += n) s[i] = 1;
            __syncthreads();
            for (int k = t; k < count; k += n) {{
              const int p = primes[k];
              for (int m = max(p * p, (low + p - 1) / p * p); m < low + 1024; m += p) s[m - low] = 0;
            }}
            __syncthreads();
            for (int i = t; i < 1024; i += n) out[low + i] = s[i];
            """,
        )
        numbers = np.arange(4096)
        primes = np.array([p for p in range(2, 64) if all(p % q for q in range(2, p))], INT)
        wanted = np.ones(4096, INT)
        for p in primes:
            wanted[(numbers >= p * p) & (numbers % p == 0)] = 0
        out = np.full(4096, -1, INT)
        run(source, primes, len(primes), out, grid=4)
        run.same(out, wanted, word)
