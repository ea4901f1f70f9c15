"""Arithmetic on bytes and shorts: C++ does it in 32 bits, whatever the compiler makes of it."""

import numpy as np
from harness import case, kernel


def bytes_of(run, factor, offset, dtype):
    return ((np.arange(run.threads) * factor + offset) % 256).astype(np.uint8).view(dtype)


@case
def differences_of_bytes(run):
    """Differences, magnitudes, saturation, averages: between -255 and 510."""
    a, b = bytes_of(run, 37, 11, np.uint8), bytes_of(run, 101, 250, np.uint8)
    out = np.zeros((4, run.threads), np.uint8)
    run(
        kernel(
            "const unsigned char* a, const unsigned char* b, unsigned char* out",
            """
            int d = a[t] - b[t], m = d < 0 ? -d : d;
            out[t] = m > 40 ? 255 : m * 3 >> 1;
            out[n + t] = (a[t] + b[t] + 1) >> 1;
            out[2 * n + t] = min(max(d * 2 + 100, 0), 255);
            out[3 * n + t] = (a[t] ^ b[t]) & ~(a[t] >> 3);
            """,
        ),
        a,
        b,
        out,
    )
    x, y = a.astype(int), b.astype(int)
    m = abs(x - y)
    expected = [
        np.where(m > 40, 255, m * 3 >> 1),
        (x + y + 1) >> 1,
        np.clip((x - y) * 2 + 100, 0, 255),
        (x ^ y) & ~(x >> 3) & 255,
    ]
    run.same(out, np.array(expected).astype(np.uint8))


@case
def products_of_bytes(run):
    """Products of two fit into 16 bits as unsigned, of signed ones as signed, of three into neither."""
    a, b = bytes_of(run, 73, 200, np.uint8), bytes_of(run, 29, 127, np.int8)
    out = np.zeros((4, run.threads), np.int32)
    run(
        kernel(
            "const unsigned char* a, const signed char* b, int* out",
            """
            out[t] = a[t] * a[t];
            out[n + t] = b[t] * b[t] - a[t] * 128;
            out[2 * n + t] = a[t] * a[t] * b[t];
            out[3 * n + t] = (b[t] << 7) + (b[t] >> 2);
            """,
        ),
        a,
        b,
        out,
    )
    x, y = a.astype(int), b.astype(int)
    run.same(out, np.array([x * x, y * y - x * 128, x * x * y, (y << 7) + (y >> 2)]).astype(np.int32))


@case
def bytes_against_bounds(run):
    """Comparisons with bounds that are arguments, at and beyond what bytes and shorts can be."""
    a, s = bytes_of(run, 91, 3, np.uint8), ((np.arange(run.threads) * 7919) % 65536).astype(np.uint16).view(np.int16)
    for bound in (-(2**31), -32769, -32768, -1, 0, 128, 255, 256, 32767, 32768, 65535, 2**31 - 1):
        out = np.zeros(run.threads, np.int32)
        run(
            kernel(
                "const unsigned char* a, const short* s, int bound, int* out",
                """
                int x = a[t], y = s[t], d = a[t] - 100;
                out[t] = (x > bound) + 2 * (x <= bound) + 4 * (y >= bound) + 8 * (y < bound) + 16 * (x == bound) + 32 * (y != bound)
                  + 64 * (d < bound) + 128 * ((unsigned)x < (unsigned)bound) + 256 * ((unsigned)y > (unsigned)bound);
                """,
            ),
            a,
            s,
            np.int32(bound),
            out,
        )
        x, y = a.astype(int), s.astype(int)
        bits = [x > bound, x <= bound, y >= bound, y < bound, x == bound, y != bound, x - 100 < bound]
        bits += [x < bound % 2**32, y % 2**32 > bound % 2**32]
        run.same(out, sum(bit.astype(np.int32) << k for k, bit in enumerate(bits)))


@case
def shorts_that_wrap(run):
    """Sums of shorts do not wrap before they are stored."""
    a = ((np.arange(run.threads) * 7919 + 30000) % 65536).astype(np.uint16).view(np.int16)
    out, low = np.zeros((3, run.threads), np.int32), np.zeros(run.threads, np.int16)
    run(
        kernel(
            "const short* a, int* out, short* low",
            """
            out[t] = a[t] + a[t];
            out[n + t] = max(-a[t], a[t]) - 1;
            out[2 * n + t] = (unsigned short)a[t] + 1;
            low[t] = a[t] * 3 - 7;
            """,
        ),
        a,
        out,
        low,
    )
    x = a.astype(int)
    run.same(out, np.array([2 * x, abs(x) - 1, x % 65536 + 1]).astype(np.int32))
    run.same(low, (x * 3 - 7).astype(np.int64).astype(np.int16))
