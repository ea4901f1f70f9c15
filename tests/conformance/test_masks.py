"""What goes wrong when threads become lanes under masks: inactive lanes that compute, indices that wrap, values that leave
loops at different times."""

import numpy as np
from harness import case, kernel

INT, U, F = np.int32, np.uint32, np.float32


@case
def narrow_indices_wrap(run):
    """Sums of unsigned char, unsigned short and unsigned int that wrap inside a group of lanes, as indices."""
    x = np.random.default_rng(1).integers(0, 1000, 65536 + 1100, INT)
    out = np.zeros((4, run.threads), INT)
    source = kernel(
        "const int* x, int* out, unsigned base",
        """
  const unsigned char c = (unsigned char)(t + 250);
  const unsigned short s = (unsigned short)(t + 65530);
  const unsigned u = t + base;
  out[t] = x[c];
  out[n + t] = x[s];
  out[2 * n + t] = x[u + 20];
  out[3 * n + t] = x[(signed char)t + 128];
""",
    )
    run(source, x, out, 0xFFFFFFF0)
    t = np.arange(run.threads)
    expected = [
        x[(t + 250) % 256],
        x[(t + 65530) % 65536],
        x[(t - 16 + 20) % 2**32],
        x[t.astype(np.int8).astype(int) + 128],
    ]
    run.same(out, np.array(expected))


@case
def inactive_lanes_do_not_divide(run):
    """Quotients and remainders under a guard against zero and against the smallest number over -1."""
    rng = np.random.default_rng(2)
    a, b = rng.integers(-50, 50, run.threads, INT), rng.integers(-2, 3, run.threads, INT)
    a[::5] = -(2**31)
    out = np.zeros((2, run.threads), INT)
    source = kernel(
        "const int* a, const int* b, int* out",
        "if (b[t] != 0 && !(a[t] == -2147483647 - 1 && b[t] == -1)) { out[t] = a[t] / b[t]; out[n + t] = a[t] % b[t]; }",
    )
    run(source, a, b, out)
    fits = (b != 0) & ~((a == -(2**31)) & (b == -1))
    wide, by = a.astype(np.int64), np.where(fits, b, 1).astype(np.int64)
    quotient = np.trunc(wide / by).astype(np.int64)
    run.same(out, np.where(fits, [quotient, wide - quotient * by], 0))


@case
def turns_that_wait_for_each_other(run):
    """Loops without memory in which each turn needs the last one's result: several registers of lanes at a time."""
    out = np.zeros((3, run.threads), U)
    limit = run.threads - run.threads // 5
    source = kernel(
        "unsigned* out, int turns, int limit",
        """
  unsigned state = t * 2654435761u + 1u, hits = 0, v = t + 1, steps = 0;
  for (int k = 0; k < turns; k++) {
    state = state * 1664525u + 1013904223u;
    if (state >> 16 < 40000u) hits++;
  }
  if (t < limit) {
    while (v != 1 && steps < 60) {
      v = v & 1 ? 3 * v + 1 : v / 2;
      steps++;
    }
  }
  out[t] = hits; out[n + t] = steps; out[2 * n + t] = v;
""",
    )
    run(source, out, 37, limit)
    t = np.arange(run.threads)
    state, hits = (t * 2654435761 + 1) % 2**32, np.zeros(run.threads, U)
    for _ in range(37):
        state = (state * 1664525 + 1013904223) % 2**32
        hits += state >> 16 < 40000
    v, steps = t + 1, np.zeros(run.threads, U)
    for _ in range(60):
        on = (v != 1) & (t < limit)
        v = np.where(on, np.where(v % 2, 3 * v + 1, v // 2), v)
        steps += on
    run.same(out, np.array([hits, steps, v.astype(U)]))


@case
def values_leave_loops_at_different_times(run):
    """What the loop knew in each thread's last iteration: counter, sum, a value that is the same for all inside."""
    out = np.zeros((4, run.threads), INT)
    source = kernel(
        "int* out, const int* table",
        """
  int sum = 0, i = 0, seen = -1, last = 0;
  while (true) {
    seen = table[i];        // the same for all threads that are still here
    if (i * 7 > t) break;
    last = sum;
    sum += seen + i;
    i++;
  }
  out[t] = sum; out[n + t] = i; out[2 * n + t] = seen; out[3 * n + t] = last;
""",
    )
    table = np.random.default_rng(3).integers(0, 100, 200, INT)
    run(source, out, table)

    def walk(t):
        total, i, last = 0, 0, 0
        while i * 7 <= t:
            last, total, i = total, total + int(table[i]) + i, i + 1
        return total, i, int(table[i]), last

    run.same(out, np.array([walk(t) for t in range(run.threads)]).T)


@case
def loops_with_several_exits(run):
    """A search that ends by finding, by a limit or by a return from the middle, in nested loops."""
    width = 9
    m = np.random.default_rng(4).integers(0, 60, (8, width), INT)
    out = np.full(run.threads, -5, INT)
    source = kernel(
        "const int* m, int* out, int width",
        """
  int steps = 0;
  for (int r = 0; r < 8; r++) {
    for (int c = 0; c < width; c++) {
      const int v = m[r * width + c];
      if (v == t % 60) { out[t] = r * 100 + c; return; }
      if (v > t) break;
      if (++steps > 25) goto late;
      if (v & 1) continue;
      steps++;
    }
  }
  out[t] = -steps;
  return;
late:
  out[t] = 10000 + steps;
""",
    )
    run(source, m, out, width)

    def walk(t):
        steps = 0
        for r in range(8):
            for c in range(width):
                v = m[r, c]
                if v == t % 60:
                    return r * 100 + c
                if v > t:
                    break
                steps += 1
                if steps > 25:
                    return 10000 + steps
                if not v & 1:
                    steps += 1
        return -steps

    run.same(out, run.of(walk))


@case
def swapped_values_in_a_divergent_loop(run):
    """Greatest common divisors: two values exchanged each iteration, other counts in each thread."""
    out = np.zeros((2, run.threads), U)
    source = kernel(
        "unsigned* out",
        """
  unsigned a = 7 * t + 360, b = 5 * t + 84, turns = 0;
  while (b) { const unsigned r = a % b; a = b; b = r; turns++; }
  out[t] = a; out[n + t] = turns;
""",
    )
    run(source, out)

    def walk(t):
        a, b, turns = 7 * t + 360, 5 * t + 84, 0
        while b:
            a, b, turns = b, a % b, turns + 1
        return a, turns

    run.same(out, np.array([walk(t) for t in range(run.threads)]).T)


@case
def private_arrays_under_masks(run):
    """A stack that each thread fills and empties at its own pace; only some threads store."""
    out = np.zeros(run.threads, INT)
    source = kernel(
        "int* out",
        """
  int stack[12], top = 0, sum = 0, x = t;
  while (x && top < 12) { if (x & 1) stack[top++] = x; x >>= 1; }
  for (int i = 0; i < 12; i++) if (i < top) stack[i] = stack[i] * 3 + stack[top - 1 - i];
  while (top > 0) sum = sum * 5 + stack[--top];
  out[t] = sum;
""",
    )
    run(source, out)

    def walk(t):
        stack = []
        while t and len(stack) < 12:
            if t & 1:
                stack.append(t)
            t >>= 1
        for i in range(len(stack)):
            stack[i] = stack[i] * 3 + stack[len(stack) - 1 - i]
        total = 0
        for v in reversed(stack):
            total = total * 5 + v
        return (total + 2**31) % 2**32 - 2**31

    run.same(out, run.of(walk))


@case
def one_thread_of_many_stores(run):
    """Each kind of single store: by lane, by warp's leader, by the last thread, by the only one that fits a value."""
    out = np.zeros(8, INT)
    leaders = np.zeros(40, INT)
    source = kernel(
        "int* out, int* leaders",
        """
  if (t == 0) out[0] = n;
  if (t == n - 1) out[1] = t;
  if ((t & 31) == 0) leaders[t >> 5] = t + 1;
  if (t * 37 % 1024 == 37 * 5 % 1024) out[2] = t;
  if (threadIdx.x == blockDim.x / 2 && threadIdx.y == 0 && threadIdx.z == blockDim.z - 1) out[3] = t;
""",
    )
    run(source, out, leaders)
    n, (x, y, z) = run.threads, run.block
    run.same(out[:4], [n, n - 1, 5 if n > 5 else 0, x // 2 + x * y * (z - 1)])
    run.same(leaders, [32 * w + 1 if 32 * w < n else 0 for w in range(40)])


@case
def strides_and_patterns(run):
    """Loads and stores at strides 2 to 8, of pairs, quads, by exchange of neighbours, spread and gathered."""
    n = run.threads
    x = np.random.default_rng(5).integers(0, 1 << 30, 8 * n + 8, INT)
    out = np.zeros((6, n), INT)
    spread = np.zeros((3, 8 * n), INT)
    source = kernel(
        "const int* x, int* out, int* spread",
        """
  out[t] = x[2 * t] + x[2 * t + 1] * 3;
  out[n + t] = x[3 * t + 2] - x[3 * t];
  out[2 * n + t] = x[5 * t + 4];
  out[3 * n + t] = x[8 * t] ^ x[8 * t + 7];
  out[4 * n + t] = x[t ^ 1] + x[t / 2] + x[t % 4] + x[t & ~3];
  out[5 * n + t] = x[n - 1 - t];
  spread[2 * t] = x[t]; spread[2 * t + 1] = -x[t];
  for (int k = 0; k < 3; k++) spread[8 * n + 3 * t + k] = x[t] + k;
  if (t & 1) spread[16 * n + 7 * t + 3] = x[t];
""",
    )
    run(source, x, out, spread)
    t = np.arange(n)
    rows = [
        x[2 * t].astype(int) + x[2 * t + 1].astype(int) * 3,
        x[3 * t + 2].astype(int) - x[3 * t],
        x[5 * t + 4],
        x[8 * t] ^ x[8 * t + 7],
        x[t ^ 1].astype(int) + x[t // 2] + x[t % 4] + x[t & ~3],
        x[n - 1 - t],
    ]
    run.same(out, np.array([np.asarray(r, object) for r in rows]))
    expected = np.zeros((3, 8 * n), INT)
    expected[0, 2 * t], expected[0, 2 * t + 1] = x[t], -x[t]
    for k in range(3):
        expected[1, 3 * t + k] = x[t] + k
    odd = t[t % 2 == 1]
    expected[2, 7 * odd + 3] = x[odd]
    run.same(spread, expected)


@case
def atomics_of_some_lanes(run):
    """Sums, extremes and exchanges by the threads that a mask lets through; each gets another old value."""
    n = run.threads
    cells, old = np.zeros(40, INT), np.full(n, -1, INT)
    cells[35] = 1 << 30
    source = kernel(
        "int* cells, int* old",
        """
  if (t % 3 != 1) old[t] = atomicAdd(&cells[32], 1);
  if (t & 4) atomicAdd(&cells[t & 31], t);
  if (t % 5 == 2) { atomicMax(&cells[34], t * 7 % 1000); atomicMin(&cells[35], t * 7 % 1000); }
  for (int i = 0; i < t % 3; i++) atomicAdd(&cells[36], i + 1);
  if (t % 2) atomicXor(&cells[37], 1 << (t % 31));
""",
    )
    run(source, cells, old)
    t = np.arange(n)
    some = t % 3 != 1
    run.same(np.sort(old[some]), np.arange(some.sum()))
    run.same(old[~some], np.full((~some).sum(), -1))
    expected = np.zeros(40, np.int64)
    expected[32] = some.sum()
    np.add.at(expected, (t & 31)[(t & 4) > 0], t[(t & 4) > 0])
    picked = t[t % 5 == 2] * 7 % 1000
    expected[34], expected[35] = max(picked, default=0), min(picked, default=1 << 30)
    expected[36] = (t % 3 * (t % 3 + 1) // 2).sum()
    expected[37] = np.bitwise_xor.reduce(1 << (t[t % 2 == 1] % 31)) if n > 1 else 0
    run.same(cells, expected)


@case
def floats_that_only_compare(run):
    """Branches on NaNs, zeros of both signs and infinities; minima and maxima of them."""
    special = np.array([np.nan, 0.0, -0.0, np.inf, -np.inf, 1.5, -1.5, 1e-40], F)
    a, b = (np.random.default_rng(s).choice(special, run.threads) for s in (6, 7))
    bits, least = np.zeros(run.threads, INT), np.zeros((2, run.threads), F)
    source = kernel(
        "const float* a, const float* b, int* bits, float* least",
        """
  const float x = a[t], y = b[t];
  int r = 0;
  if (x < y) r |= 1;
  if (x <= y) r |= 2;
  if (x == y) r |= 4; else r |= 8;
  if (!(x > y)) r |= 16;
  if (x != x) r |= 32;
  if (signbit(x)) r |= 64;
  bits[t] = r + (isinf(y) ? 128 : isnan(y) ? 256 : 0);
  least[t] = fminf(x, y);
  least[n + t] = x > y ? x : y;
""",
    )
    run(source, a, b, bits, least)
    with np.errstate(invalid="ignore"):
        parts = [a < b, a <= b, a == b, a != b, ~(a > b), np.isnan(a), np.signbit(a), np.isinf(b), np.isnan(b)]
        # Of a NaN only its being one is looked at.
        parts[6] = np.where(np.isnan(a), bits & 64 != 0, parts[6])
        run.same(bits, sum(np.where(p, 1 << i, 0) for i, p in enumerate(parts)))
        low, high = np.fmin(a, b), np.where(a > b, a, b)
    zeros = (a == 0) & (b == 0)
    run.same(np.where(zeros, 0, least[0]).astype(F), np.where(zeros, 0, low).astype(F))
    run.same(least[1], high)


@case
def a_switch_that_falls_through(run):
    """Lanes enter at different labels and meet on the way."""
    out = np.zeros(run.threads, INT)
    source = kernel(
        "int* out",
        """
  int r = 0;
  switch (t % 7) {
    case 0: r = 5; break;
    case 3: r += 100;
    case 1: r += t; if (t & 8) break;
    case 5: for (int i = 0; i < t % 4; i++) r = r * 3 + i;
    case 6: r ^= 0x55;
      break;
    default: r = -t;
  }
  out[t] = r;
""",
    )
    run(source, out)

    def walk(t):
        r, at = 0, t % 7
        if at == 0:
            return 5
        if at in (2, 4):
            return -t
        if at == 3:
            r += 100
        if at in (3, 1):
            r += t
            if t & 8:
                return r
        if at in (3, 1, 5):
            for i in range(t % 4):
                r = r * 3 + i
        return r ^ 0x55

    run.same(out, run.of(walk))


@case
def barriers_after_threads_have_left(run):
    """Threads return one stride after the other between the barriers of a loop; a sum over those that stay."""
    out = np.zeros(run.threads, INT)
    source = kernel(
        "int* out, int rounds",
        """
  __shared__ int cells[1024];
  cells[t] = t;
  __syncthreads();
  if (t % 5 == 3) { out[t] = -1; return; }
  int sum = 0;
  for (int r = 0; r < rounds; r++) {
    const int other = (t * 3 + r) % n;
    const int v = cells[other];
    __syncthreads();
    cells[t] = v + r;
    __syncthreads();
    sum += v;
    if (r == 1 && t >= n - 3) { out[t] = sum; return; }
  }
  out[t] = sum + 1000000;
""",
    )
    run(source, out, 4)
    n = run.threads
    cells, total, alive, expected = np.arange(n), np.zeros(n, int), np.arange(n) % 5 != 3, np.full(n, -1)
    for r in range(4):
        v = cells[(np.arange(n) * 3 + r) % n]
        cells = np.where(alive, v + r, cells)
        total = total + v
        if r == 1:
            leave = alive & (np.arange(n) >= n - 3)
            expected[leave] = total[leave]
            alive = alive & ~leave
    expected[alive] = total[alive] + 1000000
    run.same(out, expected)


@case
def values_that_live_across_barriers(run):
    """Booleans, bytes, halves of words, doubles, pointers and a small array, kept over two barriers."""
    out = np.zeros((3, run.threads), np.float64)
    source = kernel(
        "double* out, const double* x",
        """
  __shared__ double s[1024];
  const bool odd = t & 1;
  const unsigned char byte = (unsigned char)(t * 3);
  const short half = (short)(t * 77);
  const double* mine = odd ? x + t : x + n - 1 - t;
  double few[3] = {x[t], x[t] * 2, -x[t]};
  s[t] = x[t];
  __syncthreads();
  few[t % 3] += s[n - 1 - t];
  const double next = s[(t + 1) % n];
  __syncthreads();
  s[t] = next + *mine;
  __syncthreads();
  out[t] = few[0] + few[1] * few[2] + (odd ? byte : half);
  out[n + t] = s[(t + 7) % n];
  out[2 * n + t] = *mine;
""",
    )
    n = run.threads
    x = np.random.default_rng(8).integers(-100, 100, n).astype(np.float64)
    run(source, out, x)
    t = np.arange(n)
    odd = t % 2 == 1
    mine = np.where(odd, x, x[::-1])
    few = np.array([x, x * 2, -x])
    few[t % 3, t] += x[::-1]
    kept = np.where(odd, (t * 3) % 256, (t * 77).astype(np.int16))
    s = np.roll(x, -1) + mine
    run.same(out, np.array([few[0] + few[1] * few[2] + kept, s[(t + 7) % n], mine]))
