"""Quotients by a constant, or by what all threads share: rounded as any other, whatever way they are computed."""

import numpy as np
from harness import case, kernel

CONSTANTS = ("3.0f", "255.0f", "0.1f", "1.9999999f", "1e-20f", "1e30f", "-7.0f", "6.0f")
DIVISORS = (3.0, 255.0, 0.1, 63.69617, 1.0409735, 1.9936446e17, -3.0, 2.0**-60, 2.0**61, 1e-40, 0.0, np.inf, np.nan)


DOUBLES = (*DIVISORS, 1e120, 2.0**-400, 2.0**401, 1e-310, 1.0000000000000002, 9007199254740993.0)


def wide_dividends(threads, turns):
    generator = np.random.default_rng(threads)
    bits = generator.integers(0, 1 << 64, (turns, threads), np.uint64, endpoint=False)
    bits[: turns // 2] = bits[: turns // 2] & 0x80FFFFFFFFFFFFFF | 0x3F00000000000000  # from 2^-15 to 2
    values = bits.view(np.float64)
    values[::3, ::5] = 0.0
    values[1::3, ::7] = -0.0
    values[turns - 1, ::11] = np.inf
    return values


def dividends(threads, turns):
    """Of all sizes, and of those between which a quotient is computed by products; zeros, infinities, NaN among them."""
    generator = np.random.default_rng(threads)
    bits = generator.integers(0, 1 << 32, (turns, threads), np.uint32)
    bits[: turns // 2] = bits[: turns // 2] & 0x87FFFFFF | 0x38000000  # some zero to 2^17
    values = bits.view(np.float32)
    values[::3, ::5] = 0.0
    values[1::3, ::7] = -0.0
    values[turns - 1, ::11] = np.inf
    return values


@case(blocks=[1, 64, 100, (16, 16)])
def by_constants(run):
    turns = 12
    values = dividends(run.threads, turns)
    for constant in CONSTANTS:
        body = f"for (int k = 0; k < turns; ++k) out[k * n + t] = in[k * n + t] / {constant};"
        out = np.zeros_like(values)
        run(kernel("const float* in, float* out, int turns", body), values, out, turns)
        with np.errstate(all="ignore"):
            run.same(out, values / np.float32(constant[:-1]), constant)


@case(blocks=[1, 64, 100, (16, 16)])
def by_what_all_share(run):
    turns = 12
    values = dividends(run.threads, turns)
    source = kernel(
        "const float* in, float* out, int turns, float c",
        "for (int k = 0; k < turns; ++k) out[k * n + t] = in[k * n + t] / c + in[k * n + t] / (c + 1.0f) * 0.0f;",
    )
    for divisor in np.array(DIVISORS, np.float32):
        out = np.zeros_like(values)
        run(source, values, out, turns, divisor)
        with np.errstate(all="ignore"):
            expected = values / divisor + values / (divisor + np.float32(1)) * np.float32(0)
        run.same(out, expected, str(divisor))


@case(blocks=[1, 64, 100, (16, 16)])
def of_integers(run):
    """Bytes, and integers of 32 bits with and without a sign, that become floats."""
    for spelled, dtype in (("unsigned char", np.uint8), ("int", np.int32), ("unsigned", np.uint32)):
        ends = np.iinfo(dtype)
        values = np.random.default_rng(3).integers(ends.min, ends.max, 7 * run.threads, dtype, endpoint=True)
        values[::4] = 0
        for constant in ("255.0f", "3.0f", "0.001f"):
            body = f"for (int k = 0; k < 7; ++k) out[k * n + t] = in[k * n + t] / {constant};"
            out = np.zeros(values.size, np.float32)
            run(kernel(f"const {spelled}* in, float* out", body), values, out)
            run.same(out, values.astype(np.float32) / np.float32(constant[:-1]), f"{spelled} by {constant}")


@case(blocks=[1, 64, 100, (16, 16)])
def doubles(run):
    """By a constant, by an argument, and by a number of each turn; a running mean waits for each quotient."""
    turns = 12
    values = wide_dividends(run.threads, turns)
    source = kernel(
        "const double* in, double* out, double* means, int turns, double c",
        """
        double mean = 0.0;
        for (int k = 0; k < turns; ++k) {
          const double x = in[k * n + t];
          out[3 * (k * n + t)] = x / c;
          out[3 * (k * n + t) + 1] = x / 255.0;
          out[3 * (k * n + t) + 2] = x / (k + 0.1);
          mean += (x - mean) / (k + 1);
        }
        means[t] = mean;
        """,
    )
    for divisor in DOUBLES:
        out, means = np.zeros((*values.shape, 3)), np.zeros(run.threads)
        run(source, values, out, means, np.int32(turns), np.float64(divisor))
        with np.errstate(all="ignore"):
            by_turn = values / (np.arange(turns)[:, None] + 0.1)
            run.same(out, np.stack([values / divisor, values / 255.0, by_turn], axis=-1), str(divisor))
            mean = np.zeros(run.threads)
            for k, x in enumerate(values):
                mean = mean + (x - mean) / (k + 1)
        run.same(means, mean, str(divisor))


@case(blocks=[64, 100, (16, 16)])
def by_a_number_of_the_turn(run):
    turns = 12
    values = dividends(run.threads, 2 * turns)
    source = kernel(
        "const float* in, float* out, int turns, float c",
        """
        for (int k = 0; k < turns; ++k) {
          const float by = c * k + 0.1f;
          out[2 * k * n + t] = in[2 * k * n + t] / by;
          out[(2 * k + 1) * n + t] = in[(2 * k + 1) * n + t] / by;
        }
        """,
    )
    for divisor in np.array(DIVISORS[:8], np.float32):
        out = np.zeros_like(values)
        run(source, values, out, np.int32(turns), divisor, options=["-fmad=false"])
        with np.errstate(all="ignore"):
            by = np.repeat(divisor * np.arange(turns, dtype=np.float32) + np.float32(0.1), 2)
            run.same(out, values / by[:, None], str(divisor))
