"""fmaxf, fminf and their kin where zeros have signs and NaNs signal: of what is loaded, computed, the greatest so far."""

import numpy as np
from harness import case, kernel

WORDS = {
    np.float32: [
        0x7FC00001,
        0xFFC00002,
        0x7F800003,
        0xFF800004,
        0x7F800000,
        0xFF800000,
        0,
        1 << 31,
        1,
        0x3F800000,
        0xBF800000,
    ],
    np.float64: [
        *(0x7FF8000000000001, 0xFFF8000000000002, 0x7FF0000000000003, 0xFFF0000000000004, 0x7FF0000000000000),
        *(0xFFF0000000000000, 0, 1 << 63, 1, 0x3FF0000000000000, 0xBFF0000000000000),
    ],
}
TYPES = {np.float32: ("float", "f", np.uint32), np.float64: ("double", "", np.uint64)}
TURNS = 6


def specials(kind, shape, seed):
    """Infinities, NaNs of both kinds, zeros of both signs, ones, the least of all."""
    words = np.array(WORDS[kind], TYPES[kind][2])
    return words[np.random.default_rng(seed).integers(0, len(words), shape)].view(kind)


def extremum(x, y, largest):
    """The number of a number and a NaN; of zeros the positive one is greater."""
    bits = TYPES[x.dtype.type][2]
    with np.errstate(invalid="ignore"):
        zero = (x.view(bits) & y.view(bits) if largest else x.view(bits) | y.view(bits)).view(x.dtype)
        beyond = np.where((x > y) == largest, x, y)
        return np.where(np.isnan(x), y, np.where(np.isnan(y), x, np.where(x == y, zero, beyond)))


@case
def so_far(run):
    """The greatest and the least of some values, from a number on; of magnitudes, from 0."""
    for kind, (name, suffix, _) in TYPES.items():
        values = specials(kind, (TURNS, run.threads), 7)
        result = np.zeros((4, run.threads), kind)
        body = f"""
          {name} high = -1.0{suffix}, low = 1.0{suffix}, size = 0, any = values[t];
          for (int k = 0; k < turns; ++k) {{
            const {name} v = values[k * n + t];
            high = fmax{suffix}(high, v);
            low = fmin{suffix}(v, low);
            size = fmax{suffix}(size, fabs{suffix}(v));
            any = fmax{suffix}(any, v);
          }}
          to[t] = high; to[n + t] = low; to[2 * n + t] = size; to[3 * n + t] = any;
        """
        run(kernel(f"const {name}* values, {name}* to, int turns", body), values, result, TURNS)
        high, low = np.full(run.threads, -1, kind), np.ones(run.threads, kind)
        size, any_one = np.zeros(run.threads, kind), values[0].copy()
        for row in values:
            high, low = extremum(high, row, True), extremum(row, low, False)
            size, any_one = extremum(size, np.abs(row), True), extremum(any_one, row, True)
        run.same(result, np.stack([high, low, size, any_one]), name)


@case
def of_results(run):
    """Of sums and products, among them zeros of either sign and NaNs that the operation makes."""
    for kind, (name, suffix, _) in TYPES.items():
        a, b = specials(kind, run.threads, 8), specials(kind, run.threads, 9)
        result = np.zeros((3, run.threads), kind)
        body = f"""
          const {name} sum = a[t] + b[t], product = a[t] * b[t];
          to[t] = fmax{suffix}(sum, product);
          to[n + t] = fmin{suffix}(product, sum);
          to[2 * n + t] = fmin{suffix}(fmax{suffix}(product, sum), a[t]);
        """
        run(kernel(f"const {name}* a, const {name}* b, {name}* to", body), a, b, result)
        with np.errstate(invalid="ignore", under="ignore"):
            total, product = a + b, a * b
        expected = [extremum(total, product, True), extremum(product, total, False)]
        run.same(result, np.stack([*expected, extremum(extremum(product, total, True), a, False)]), name)


@case(blocks=[32, 64, 100, 256, (8, 8, 4)])
def of_a_warp(run):
    """By shuffles, of numbers so far and of what was loaded; the result behind a barrier, by one lane."""
    values = specials(np.float32, (TURNS, run.threads), 10)
    for start in ("-INFINITY", "values[t]"):
        result = np.zeros(-(-run.threads // 32), np.float32)
        body = f"""
          float high = {start};
          for (int k = 0; k < turns; ++k) high = fmaxf(high, values[k * n + t]);
          for (int d = 16; d; d /= 2) {{
            const float other = __shfl_xor_sync(0xffffffff, high, d);
            high = fmaxf(high, (t ^ d) < n ? other : high);
          }}
          __syncthreads();
          if (t % 32 == 0) to[t / 32] = high;
        """
        run(kernel("const float* values, float* to, int turns", body), values, result, TURNS)
        rows = np.full((TURNS, len(result) * 32), np.nan, np.float32)
        rows[:, : run.threads] = values
        high = np.full(len(result), np.nan if start == "values[t]" else -np.inf, np.float32)
        for row in rows:
            for lane in range(32):
                high = extremum(high, row[lane::32], True)
        run.same(result, high, start)


@case
def of_exchanges(run):
    """Numbers sorted by exchanges, and the greatest least side of boxes: of few threads some are special, of most none."""
    values = np.random.default_rng(11).uniform(-4, 4, (5, run.threads)).astype(np.float32)
    few = np.arange(run.threads) % 64 >= 48
    values[:, few] = specials(np.float32, (5, np.count_nonzero(few)), 12)
    exchanges = [(0, 1), (3, 4), (2, 4), (2, 3), (0, 3), (0, 2), (1, 4), (1, 3), (1, 2)]
    body = f"""
      float v[5];
      for (int k = 0; k < 5; ++k) v[k] = values[k * n + t];
      const float sides = fmaxf(fmaxf(fminf(v[0], v[1]), fminf(v[2], v[3])), fmaxf(fminf(v[4], v[0]), fminf(v[1], 1.5f)));
      {"".join(f"{{ const float less = fminf(v[{a}], v[{b}]); v[{b}] = fmaxf(v[{a}], v[{b}]); v[{a}] = less; }}" for a, b in exchanges)}
      for (int k = 0; k < 5; ++k) to[k * n + t] = v[k];
      to[5 * n + t] = sides;
    """
    result = np.zeros((6, run.threads), np.float32)
    run(kernel("const float* values, float* to", body), values, result)
    v = list(values)
    pairs = [extremum(v[0], v[1], False), extremum(v[2], v[3], False), extremum(v[4], v[0], False)]
    pairs.append(extremum(v[1], np.full_like(v[1], 1.5), False))
    sides = extremum(extremum(pairs[0], pairs[1], True), extremum(pairs[2], pairs[3], True), True)
    for a, b in exchanges:
        v[a], v[b] = extremum(v[a], v[b], False), extremum(v[a], v[b], True)
    run.same(result, np.stack([*v, sides]))


@case
def of_a_chosen_zero(run):
    """What is equal to something may be a negative zero, whatever it is chosen from."""
    a, b = np.full(run.threads, -0.0, np.float32), np.zeros(run.threads, np.float32)
    a[1::3], b[1::3] = 2, 2
    c, low = np.ones(run.threads, np.float32), np.zeros((2, run.threads), np.float32)
    body = """
      const float x = a[t], f = fabsf(c[t]), chosen = x == b[t] ? x : f;
      float least = 3.f;
      for (int k = 0; k < turns; ++k) least = fminf(least, fabsf(b[t]));
      to[t] = fminf(least, chosen);
      to[n + t] = fminf(chosen, least);
    """
    run(kernel("const float* a, const float* b, const float* c, float* to, int turns", body), a, b, c, low, np.int32(5))
    run.same(low, np.stack([np.where(a == 0, np.float32(-0.0), np.float32(2))] * 2))
