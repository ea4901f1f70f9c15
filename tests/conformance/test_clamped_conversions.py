"""Conversions to integers of what was clamped, and quotients of what is small."""

import numpy as np
from harness import case, kernel

SPECIAL = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1e30, -1e30, 127.5, -128.5, 126.5, 254.5, 0.5, -0.5, 1e-40]


def numbers(run):
    """Within and beyond the bounds, on halves, and special ones."""
    values = ((np.arange(run.threads) * 7919) % 2048 - 1024).astype(np.float32) / np.float32(2)
    special = np.array(SPECIAL, np.float32)
    values[::3] = np.resize(special, values[::3].size)
    return values


@case
def bytes_of_clamped_floats(run):
    """A clamped value is no NaN: fmaxf gives the bound for it, a choice what stands behind the colon."""
    x = numbers(run)
    out = np.zeros((5, run.threads), np.int32)
    run(
        kernel(
            "const float* x, int* out",
            """
            float v = x[t];
            out[t] = (signed char)fminf(fmaxf(rintf(v), -128.f), 127.f);
            out[n + t] = (unsigned char)(__saturatef(v) * 255.f + 0.5f);
            float low = v > 0.f ? v : 0.f;
            out[2 * n + t] = (unsigned short)(low < 300.f ? low : 300.f);
            out[3 * n + t] = (int)fmaxf(v, -3.f);
            float at_most = v < 8.f ? v : 8.f, or_nan = v > 8.f ? 8.f : v;
            out[4 * n + t] = isnan(at_most) * 2 + isnan(or_nan) + (fminf(v, 1.f) > 1.f) * 4;
            """,
        ),
        x,
        out,
    )
    nan = np.isnan(x)
    clean = np.where(nan, np.float32(0), x)
    expected = [
        np.where(nan, -128, np.clip(np.rint(clean), -128, 127)),
        np.clip(clean, 0, 1) * np.float32(255) + np.float32(0.5),
        np.clip(clean, 0, 300),
        np.where(nan, -3, np.clip(clean.astype(np.float64), -3, 2**31 - 1)),
        nan,
    ]
    run.same(out, np.array([np.trunc(e).astype(np.int64) for e in expected]).astype(np.int32))


@case
def quotients_of_small_numbers(run):
    """Sums of products of bytes by constants, with signs, and what is left."""
    a = ((np.arange(run.threads) * 37 + 11) % 256).astype(np.uint8)
    b = ((np.arange(run.threads) * 101 + 255) % 256).astype(np.uint8)
    a[::5], b[::5] = 255, 255
    out = np.zeros((6, run.threads), np.int32)
    run(
        kernel(
            "const unsigned char* a, const unsigned char* b, int* out",
            """
            int m = b[t], blend = a[t] * m + (255 - m) * 200 + 127, d = (a[t] - b[t]) * 641;
            out[t] = blend / 255;
            out[n + t] = blend % 28;
            out[2 * n + t] = d / 7;
            out[3 * n + t] = d % 100;
            out[4 * n + t] = (unsigned)(a[t] * b[t] * 64 + m) / 64999u;
            out[5 * n + t] = (a[t] + b[t]) / 3 + (a[t] * 1001 + m) % 1000;
            """,
        ),
        a,
        b,
        out,
    )
    x, y = a.astype(np.int64), b.astype(np.int64)
    blend, d = x * y + (255 - y) * 200 + 127, (x - y) * 641
    quotient = np.sign(d) * (abs(d) // 7)
    rest = d - np.sign(d) * (abs(d) // 100) * 100
    expected = [
        blend // 255,
        blend % 28,
        quotient,
        rest,
        (x * y * 64 + y) // 64999,
        (x + y) // 3 + (x * 1001 + y) % 1000,
    ]
    run.same(out, np.array(expected).astype(np.int32))


def saturated(x):
    """(int)x, and of a NaN 0, of a double's the least integer."""
    of_nan = 0 if x.dtype == np.float32 else -(2**31)
    inside = np.where(np.isnan(x), 0, x).astype(np.float64).clip(-(2.0**31), 2.0**31 - 1)
    return np.where(np.isnan(x), of_nan, np.trunc(inside)).astype(np.int64)


@case
def integers_clamped(run):
    """Converted, then clamped: ends of either sign, that floats have or have not, one after the other, of one side."""
    beyond = [
        2.0**31,
        -(2.0**31),
        2.0**31 - 128,
        -(2.0**31) - 256,
        16777217.0,
        16777220.0,
        254.99,
        255.01,
        -127.99,
        1.0,
    ]
    cases = [
        (-127, 127),
        (0, 255),
        (-128, 127),
        (0, 65535),
        (5, 100),
        (-100, -5),
        (0, 0),
        (-3, 16777216),
        (0, 16777217),
    ]
    cases += [(-(2**31), 255), (0, 2**31 - 1), (-(2**31), 2**31 - 1)]
    for word, kind in (("float", np.float32), ("double", np.float64)):
        x = numbers(run).astype(kind)
        x[1::4] = np.resize(np.array(beyond, kind), x[1::4].size)
        lines, expected = [], []
        for low, high in cases:
            a, b = (str(end) if end > -(2**31) else "(-2147483647 - 1)" for end in (low, high))
            lines += [
                f"min(max((int)v, {a}), {b})",
                f"max(min((int)v, {b}), {a})",
                f"min(max(__{word}2int_rn(v), {a}), {b})",
            ]
            if low >= -(2**15) and high < 2**15:
                lines += [f"(signed char)min(max((int)v, {a}), {b})", f"(short)max(min((int)(v + 0.5f), {b}), {a}) * 3"]
            whole, rounded = saturated(x).clip(low, high), saturated(np.rint(x)).clip(low, high)
            expected += [whole, whole, rounded]
            if low >= -(2**15) and high < 2**15:
                half = saturated(x + kind(0.5)).clip(low, high)
                expected += [whole.astype(np.int8).astype(np.int64), half * 3]
        lines.append("(v > 3 ? min(max((int)v, 0), 255) : -7)")
        expected.append(np.where(x > 3, saturated(x).clip(0, 255), -7))
        lines.append("min(max((int)v, 0), 255) + (int)v")
        expected.append((saturated(x).clip(0, 255) + saturated(x) + 2**31) % 2**32 - 2**31)
        body = f"{word} v = x[t];" + "".join(f" out[{i} * n + t] = {line};" for i, line in enumerate(lines))
        body = body.replace(
            "min(max((int)v, 0), 255) + (int)v", "(int)((unsigned)min(max((int)v, 0), 255) + (unsigned)(int)v)"
        )
        out = np.zeros((len(lines), run.threads), np.int32)
        run(kernel(f"const {word}* x, int* out", body), x, out)
        run.same(out, np.array(expected).astype(np.int32), word)


@case
def integers_as_they_come(run):
    """Not clamped: words, shorts and bytes, with signs and without, cut off and rounded, together and in records."""
    ends = [2.0**31, -(2.0**31), 2.0**31 - 128, -(2.0**31) - 256, 2.0**32, 2.0**32 - 256, 2.0**33, -0.75, -2.5]
    x = numbers(run)
    x[1::4] = np.resize(np.array(ends, np.float32), x[1::4].size)
    lines = {
        "(int)v": saturated(x),
        "__float2int_rn(v)": saturated(np.rint(x)),
        "(signed char)(int)v": saturated(x).astype(np.int8),
        "(short)__float2int_rn(v)": saturated(np.rint(x)).astype(np.int16),
        "(int)floorf(v)": saturated(np.floor(x)),
    }
    positive = np.where(x > 0, x, np.float32(0)).astype(np.float64).clip(0, 2.0**32 - 1)
    lines["(int)__float2uint_rz(v)"] = np.trunc(positive).astype(np.int64)
    lines["(int)__float2uint_rn(v)"] = np.rint(positive).astype(np.int64)
    lines["(int)(unsigned char)__float2uint_rz(v)"] = np.trunc(positive).astype(np.int64).astype(np.uint8)
    body = "float v = x[t];" + "".join(f" out[{i} * n + t] = {line};" for i, line in enumerate(lines))
    body += "for (int i = 0; i < 4; i++) bytes[4 * t + i] = (signed char)__float2int_rn(x[(t + i) % n] * 2.0f);"
    out, of_bytes = np.zeros((len(lines), run.threads), np.int32), np.zeros((run.threads, 4), np.int8)
    run(kernel("const float* x, int* out, signed char* bytes", body), x, out, of_bytes)
    expected = [values.astype(np.int64) for values in lines.values()]
    run.same(out, (np.array(expected) & 0xFFFFFFFF).astype(np.uint32).view(np.int32))
    doubled = saturated(np.rint(x * np.float32(2))).astype(np.int8)
    run.same(of_bytes, np.stack([np.roll(doubled, -i) for i in range(4)], 1))
