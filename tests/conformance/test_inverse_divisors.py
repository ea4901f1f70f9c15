"""Quotients and remainders of what all threads share, in loops that do not change the divisor: of all signs and sizes."""

import numpy as np
from harness import case, kernel

SIGNED = (0, 1, 2, 3, 7, 63, 64, 1000, 65535, 65536, 2**30, 2**31 - 2, 2**31 - 1)
UNSIGNED = (*SIGNED, 2**31, 2**31 + 1, 2**32 - 2, 2**32 - 1)


def dividends(values, dtype):
    generator = np.random.default_rng(len(values))
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return np.concatenate([np.array(values, dtype), generator.integers(low, high, 20, dtype, endpoint=True)])


def quotients_of(run, of, divisors, c_type):
    body = """
    for (int k = 0; k < turns; ++k) {
      if (k % 3 == 2 && d == 1) continue;
      out[2 * (k * n + t)] = of[k] / d + t;
      out[2 * (k * n + t) + 1] = of[k] % d;
    }"""
    source = kernel(f"const {c_type}* of, {c_type}* out, int turns, {c_type} d", body)
    turns = len(of)
    for d in divisors:
        out = np.zeros((turns, run.threads, 2), of.dtype)
        run(source, of, out, turns, d)
        wide, by = of.astype(np.int64), int(d)
        quotient = np.sign(wide) * np.sign(by) * (np.abs(wide) // abs(by))
        expected = np.zeros_like(out)
        with np.errstate(over="ignore"):
            expected[:, :, 0] = quotient.astype(of.dtype)[:, None] + np.arange(run.threads, dtype=of.dtype)
        expected[:, :, 1] = (wide - quotient * by).astype(of.dtype)[:, None]
        if by == 1:
            expected[2::3] = 0
        run.same(out, expected, f"by {d}")


@case(blocks=[1, 64, 100])
def without_signs(run):
    quotients_of(run, dividends(UNSIGNED, np.uint32), np.array(UNSIGNED[1:], np.uint32), "unsigned")


@case(blocks=[1, 64, 100])
def with_signs(run):
    both = [v for value in SIGNED for v in (value, -value)] + [-(2**31)]
    divisors = [v for v in both if v not in (0, -1)]  # by -1 the least number has no quotient
    quotients_of(run, dividends(both, np.int32), np.array(divisors, np.int32), "int")
