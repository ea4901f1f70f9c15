"""Arithmetic: division, shifts, conversions, wrap-around, NaNs and denormals, contraction, -ftz, -use_fast_math."""

import numpy as np
from harness import case, kernel

INTEGERS = {
    "char": np.int8,
    "unsigned char": np.uint8,
    "short": np.int16,
    "unsigned short": np.uint16,
    "int": np.int32,
    "unsigned int": np.uint32,
    "long long": np.int64,
    "unsigned long long": np.uint64,
}
SPECIAL_FLOATS = np.array(
    [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 1.1754944e-38, 3.4e38, -3.4e38, 2.5e-39, 0.1],
    np.float32,
)
SPECIAL_DOUBLES = np.array(
    [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 5e-324, -1e-310, 2.3e-308, 1.7e308, -1.7e308, 1e-300, 0.1]
)


def edge_values(dtype, n):
    """Pairs of integers: extremes against each other first, then any."""
    info = np.iinfo(dtype)
    edges = [v for v in (0, 1, 2, 3, 7, -1, -2, -7, info.min, info.min + 1, info.max, info.max - 1) if v >= info.min]
    a, b = (x.reshape(-1) for x in np.meshgrid(*[np.array(edges, dtype)] * 2))
    rng = np.random.default_rng(n)
    more = rng.integers(0, 256, (2, n, np.dtype(dtype).itemsize)).astype(np.uint8).view(dtype)[..., 0]
    return np.concatenate([a, more[0]]), np.concatenate([b, more[1]])


def over(run, source, out, *inputs, **more):
    """Runs a kernel over elements i < size, all of which the block's threads share."""
    run(
        kernel(
            "R* out, " + ", ".join(f"const {t}* {n}" for t, n, _ in inputs) + ", int size",
            f"for (int i = t; i < size; i += n) {{ {source} }}",
            more.pop("before", ""),
        ),
        out,
        *(values for _, _, values in inputs),
        out.shape[0],
        **more,
    )


def floor_free_division(a, b):
    """C's quotient and remainder, which round to zero, as Python integers."""
    q = abs(a) // abs(b)
    q = -q if (a < 0) != (b < 0) else q
    return q, a - q * b


def divide(run, name, a, b):
    """Quotients and remainders of all pairs."""
    out = np.zeros((a.size, 2), a.dtype)
    over(
        run,
        "out[2 * i] = a[i] / b[i]; out[2 * i + 1] = a[i] % b[i];",
        out,
        (name, "a", a),
        (name, "b", b),
        before=f"typedef {name} R;",
    )
    run.same(out, np.array([floor_free_division(int(x), int(y)) for x, y in zip(a, b, strict=True)], object))


@case(each=list(INTEGERS))
def integer_division(run, name):
    """Quotients and remainders; the smallest integer by -1 wraps."""
    dtype = INTEGERS[name]
    a, b = edge_values(dtype, 200)
    keep = b != 0
    a, b = a[keep], b[keep]
    divide(run, name, a, b)


@case(each=["int", "unsigned int", "short"])
def division_of_short_integers(run, name):
    """Dividends beside multiples of the divisor, groups of short ones alone and with long ones among them."""
    dtype = INTEGERS[name]
    rng = np.random.default_rng(7)
    bits = min(np.iinfo(dtype).bits - 2, 24)
    b = (2 ** rng.uniform(0, bits / 2, 4096)).astype(np.int64)
    a = b * (2 ** rng.uniform(0, bits / 2, b.size)).astype(np.int64) + rng.integers(-1, 2, b.size)
    a[2048::37] += 2**bits
    if np.iinfo(dtype).min < 0:
        a, b = a * rng.choice([1, -1], a.size), b * rng.choice([1, -1], b.size)
    a, b = a.astype(dtype), b.astype(dtype)
    divide(run, name, a, b)


@case(each=["int", "unsigned int", "long long", "unsigned long long"])
def integer_division_by_zero(run, name):
    """Division by zero ends no kernel; the other lanes of the warp get their results."""
    dtype = INTEGERS[name]
    out = np.zeros((run.threads, 2), dtype)
    run(
        kernel(
            "R* out, const R* b",
            "const R q = (R)(t + 100) / b[t], r = (R)(t + 100) % b[t]; out[2 * t] = q; out[2 * t + 1] = r;",
            f"typedef {name} R;",
        ),
        out,
        (np.arange(run.threads) % 3).astype(dtype),
    )
    t = np.arange(run.threads)
    known = t % 3 != 0
    divisor = np.where(known, t % 3, 1)
    run.same(out[known], np.stack([(t + 100) // divisor, (t + 100) % divisor], 1)[known])


@case(each=["int", "unsigned int", "long long", "unsigned long long"])
def quotient_by_zero(run, name):
    """An integer by zero is all ones, as NVIDIA's code has it: of 32 bits where a dividend of 64 bits has no more.

    Remainders are not compared: beside the quotient NVIDIA's compiler makes them of it, which gives the dividend.
    """
    dtype = INTEGERS[name]
    out = np.zeros((run.threads, 2), dtype)
    body = "const R small = t + 1; out[2 * t] = small / zero; out[2 * t + 1] = ~small / zero;"
    run(kernel("R* out, R zero", body, f"typedef {name} R;"), out, 0)
    few = 0xFFFFFFFF if np.dtype(dtype).itemsize == 8 else -1
    run.same(out, np.tile(np.array([few, -1], object), (run.threads, 1)))


@case(each=["int", "unsigned int", "long long", "unsigned long long"])
def division_by_constants(run, name):
    """Division by constants, which compilers turn into products and shifts."""
    dtype = INTEGERS[name]
    a, _ = edge_values(dtype, 400)
    divisors = [1, 2, 3, 7, 10, 64, 641, 1 << 30] + ([-1, -3, -8] if np.iinfo(dtype).min else [])
    out = np.zeros((a.size, 2 * len(divisors)), dtype)
    body = "".join(
        f"out[{2 * len(divisors)} * i + {2 * k}] = a[i] / (R)({d}); out[{2 * len(divisors)} * i + {2 * k + 1}] = a[i] % (R)({d});"
        for k, d in enumerate(divisors)
    )
    over(run, body, out, (name, "a", a), before=f"typedef {name} R;")
    run.same(out, np.array([[v for d in divisors for v in floor_free_division(int(x), d)] for x in a], object))


@case(each=["int", "unsigned int", "long long", "unsigned long long"])
def shifts(run, name):
    """Shifts by less than the width, by the width and beyond: zeros come in, or the sign."""
    dtype = INTEGERS[name]
    width = 8 * np.dtype(dtype).itemsize
    a, _ = edge_values(dtype, 60)
    amounts = [0, 1, 5, 31, 32, 33, 63, 64, 65, 100, 255, 256, 1 << 20, 0x7FFFFFFF]
    values, by = (x.reshape(-1) for x in np.meshgrid(a, amounts))
    out = np.zeros((values.size, 2), dtype)
    over(
        run,
        "out[2 * i] = a[i] << by[i]; out[2 * i + 1] = a[i] >> by[i];",
        out,
        (name, "a", values),
        ("int", "by", by.astype(np.int32)),
        before=f"typedef {name} R;",
    )
    expected = [
        (int(v) << min(b, width), int(v) >> min(b, width)) for v, b in zip(values.tolist(), by.tolist(), strict=True)
    ]
    run.same(out, np.array(expected, object))


@case(blocks=[32])
def constants_through_functions(run):
    """What LLVM would fold when a function is inlined: shifts by 32 and more, conversions out of range, extrema of NaN."""
    out, integers = np.zeros(run.threads, np.float32), np.zeros((5, run.threads), np.int32)
    source = """
        __device__ int left(int x, int by) { return x << by; }
        __device__ int right(int x, int by) { return x >> by; }
        __device__ int whole(float x) { return (int)x; }
        __device__ float size(float x) { return fabsf(x); }
        __device__ bool is_negative(float x, float other) { return fmaxf(size(x), other) < 0.0f; }
        __global__ void k(const float* x, float* out, int* integers, int n) {
          const int t = threadIdx.x;
          out[t] = is_negative(x[t], -5.0f);
          integers[t] = left(1, 40);
          integers[n + t] = right(-7, 33);
          integers[2 * n + t] = whole(3e10f);
          integers[3 * n + t] = whole(-3e10f);
          integers[4 * n + t] = whole(__int_as_float(0x7fc00000));
        }"""
    values = np.resize(np.array([np.nan, 3, -3, 0, np.inf], np.float32), run.threads)
    run(source, values, out, integers, run.threads)
    run.same(out, np.isnan(values).astype(np.float32))
    limits = np.iinfo(np.int32)
    expected = np.array([[0], [-1], [limits.max], [limits.min], [0]], np.int32)
    # C++ leaves constant shifts by so much undefined, and on the way to PTX LLVM does as it likes.
    first = 2 if run.engine == "cuda" else 0
    run.same(integers[first:], np.repeat(expected[first:], run.threads, axis=1))


@case(each=list(INTEGERS))
def wrapping(run, name):
    """Sums, differences, products and negatives wrap; small types are promoted to int first."""
    dtype = INTEGERS[name]
    a, b = edge_values(dtype, 200)
    if name == "short" and run.engine == "cuda":  # NVRTC 13.0 forgets to extend the sign after neg.s16: 32768 comes out
        a, b = (x[a != np.iinfo(dtype).min] for x in (a, b))
    unsigned = {"int": "unsigned int", "long long": "unsigned long long"}.get(name, name)
    out = np.zeros((a.size, 6), np.int64)
    over(
        run,
        """
        const U x = a[i], y = b[i];
        out[6 * i] = (T)(x + y); out[6 * i + 1] = (T)(x - y); out[6 * i + 2] = (T)((U)x * y); out[6 * i + 3] = (T)(0u - x);
        out[6 * i + 4] = (a[i] < b[i]) + 2 * (a[i] == b[i]) + 4 * (a[i] >= b[i]); out[6 * i + 5] = (T)(~x ^ (y & x | y));
        """,
        out,
        (name, "a", a),
        (name, "b", b),
        before=f"typedef long long R; typedef {name} T; typedef {unsigned} U;",
    )

    def row(x, y):
        return x + y, x - y, x * y, -x, None, ~x ^ (y & x | y)

    def wrap(v):
        return int(np.array([v & (1 << 8 * np.dtype(dtype).itemsize) - 1], object).astype(np.uint64).astype(dtype)[0])

    expected = []
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        values = row(x, y)
        expected.append([wrap(v) if v is not None else (x < y) + 2 * (x == y) + 4 * (x >= y) for v in values])
    run.same(out, np.array(expected, object))


@case
def mixed_types(run):
    """Promotions and comparisons between signed and unsigned, bool arithmetic, characters."""
    out = np.zeros((run.threads, 6), np.int64)
    run(
        kernel(
            "long long* out",
            """
            signed char c = t - 128; unsigned char u = t; short s = t * 300; unsigned w = t; long long* o = out + 6 * t;
            o[0] = c + u; o[1] = -w; o[2] = (-1 < w) + 2 * (c < u); o[3] = s * s;
            o[4] = true + (t > 5) + (bool)(t & 6) * 10 + !t * 100; o[5] = (c >> 1) + (u << 4) + ('a' + t % 26);
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    c, u, s = (t - 128).astype(np.int8).astype(int), t & 255, (t * 300).astype(np.int16).astype(int)
    columns = [
        c + u,
        -t & 0xFFFFFFFF,
        2 * (c < u),
        (s * s).astype(np.int32),
        1 + (t > 5) + ((t & 6) > 0) * 10 + (t == 0) * 100,
        (c >> 1) + (u << 4) + 97 + t % 26,
    ]
    run.same(out, np.stack(columns, 1))


def saturated(values, dtype, source):
    """PTX's cvt.rzi: to zero, ends of the range beyond it; NaN is 0, or the top bit where one side has 64 bits."""
    info = np.iinfo(dtype)
    wide = source == np.float64 or info.bits == 64
    nan = 1 << (info.bits - 1) if wide else 0

    def convert(v):
        if np.isnan(v):
            return nan
        if np.isinf(v):
            return info.max if v > 0 else info.min
        return min(max(int(v), info.min), info.max)

    return np.array([convert(float(v)) for v in values], object)


@case(
    each=[
        f"{a} to {b}" for a in ("float", "double") for b in ("int", "unsigned int", "long long", "unsigned long long")
    ]
)
def saturating_conversions(run, what):
    """Floating point to integer: rounds to zero, saturates; NaN as PTX says."""
    source, _, target = what.partition(" to ")
    dtype = {"float": np.float32, "double": np.float64}[source]
    values = [0.0, -0.0, 0.99, -0.99, 1.5, -1.5, np.inf, -np.inf, np.nan, 1e30, -1e30, 5e-324, 3.4e38]
    for p in (31, 32, 53, 63, 64):
        for v in (2.0**p, -(2.0**p)):
            values += [
                v,
                float(np.nextafter(dtype(v), dtype(0))),
                float(np.nextafter(dtype(v), dtype(v * 2))),
                v + 0.5,
                v - 1,
            ]
    with np.errstate(over="ignore"):
        values = np.array(values).astype(dtype)
    out = np.zeros(values.size, INTEGERS[target])
    over(run, "out[i] = (R)a[i];", out, (source, "a", values), before=f"typedef {target} R;")
    run.same(out, saturated(values, INTEGERS[target], dtype))


@case(
    each=[
        f"{a} to {b}" for a in ("int", "unsigned int", "long long", "unsigned long long") for b in ("float", "double")
    ]
)
def conversions_from_integers(run, what):
    """Integers to floating point, to nearest even."""
    source, _, target = what.partition(" to ")
    a, _ = edge_values(INTEGERS[source], 300)
    if a.dtype.itemsize == 8:  # ties of both kinds
        a = np.concatenate([a, (np.arange(64, dtype=np.uint64) + (1 << 60)).astype(a.dtype) * 64 + 32]).astype(a.dtype)
    out = np.zeros(a.size, {"float": np.float32, "double": np.float64}[target])
    over(run, "out[i] = (R)a[i];", out, (source, "a", a), before=f"typedef {target} R;")
    run.same(out, a.astype(out.dtype))


@case
def conversions_between_floats(run):
    """double to float rounds to nearest even, overflows to infinity, goes down into denormals."""
    values = np.concatenate(
        [SPECIAL_DOUBLES, [1 + 2**-24, 1 + 3 * 2**-24, 3.4028235677973366e38, 3.4028235e38, 1e-40, 7e-46, 7.1e-46]]
    )
    values = np.concatenate(
        [values, np.random.default_rng(0).standard_normal(200) * 10.0 ** np.arange(-50, 50).repeat(2)]
    )
    out = np.zeros(values.size, np.float32)
    over(run, "out[i] = (float)a[i];", out, ("double", "a", values), before="typedef float R;")
    with np.errstate(over="ignore", under="ignore"):
        run.same(out, values.astype(np.float32))
    back = np.zeros(out.size, np.float64)
    over(run, "out[i] = a[i];", back, ("float", "a", out), before="typedef double R;")
    run.same(back, out.astype(np.float64))


@case(each=["float", "double"])
def ieee_arithmetic(run, name):
    """Sums, differences, products, quotients and roots of special and random values, denormals kept."""
    special = SPECIAL_FLOATS if name == "float" else SPECIAL_DOUBLES
    dtype = special.dtype
    rng = np.random.default_rng(4)
    a, b = (x.reshape(-1) for x in np.meshgrid(special, special))
    bits = rng.integers(0, 256, (2, 300, dtype.itemsize)).astype(np.uint8).view(dtype)[..., 0]
    a, b = np.concatenate([a, bits[0]]), np.concatenate([b, bits[1]])
    out = np.zeros((a.size, 5), dtype)
    over(
        run,
        "R* o = out + 5 * i; o[0] = a[i] + b[i]; o[1] = a[i] - b[i]; o[2] = a[i] * b[i]; o[3] = a[i] / b[i]; o[4] = sqrt(a[i]);",
        out,
        (name, "a", a),
        (name, "b", b),
        before=f"typedef {name} R;",
    )
    with np.errstate(all="ignore"):
        run.same(out, np.stack([a + b, a - b, a * b, a / b, np.sqrt(a)], 1))


@case(each=["unsigned char", "signed char", "unsigned short", "short"], blocks=[64, 100])
def small_integers_by_constants(run, name):
    """Quotients of bytes and shorts by constants, of floats and of doubles, are those of the numbers that they are."""
    dtype = INTEGERS.get(name, np.int8)
    values = np.arange(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, dtype=dtype)
    divisors = ["3", "-7", "10", "100", "127", "255", "-256", "1000", "32767", "65535", "0.1", "1e-3", "3e38", "2e-38"]
    for real, suffix in ((np.float32, "f"), (np.float64, "")):
        out = np.zeros((len(divisors), values.size), real)
        kind = "float" if suffix else "double"
        constants = [f"{d}{'' if '.' in d or 'e' in d else '.'}{suffix}" for d in divisors]
        body = f"const {kind} v = x[i];" + "".join(f"out[{k} * n + i] = v / {c};" for k, c in enumerate(constants))
        source = f"""
            __global__ void k(const {name}* x, {kind}* out, int n) {{
              for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {{ {body} }}
            }}"""
        run(source, values, out, values.size, grid=4)
        for k, d in enumerate(divisors):
            with np.errstate(over="ignore", under="ignore"):
                run.same(out[k], values.astype(real) / real(d), f"{kind}: by {d}")


@case(each=["float", "double"])
def comparisons_of_nan(run, name):
    """Every comparison with a NaN is false but !=; 0 equals -0; min and max give the number."""
    special = SPECIAL_FLOATS if name == "float" else SPECIAL_DOUBLES
    a, b = (x.reshape(-1) for x in np.meshgrid(special, special))
    out = np.zeros(a.size, np.int32)
    over(
        run,
        """
        const T x = a[i], y = b[i], low = fmin(x, y), high = fmax(x, y);
        out[i] = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 | !(x < y) << 6 | (x ? 1 << 7 : 0)
               | (isnan(x) ? 1 << 8 : 0) | (isinf(x) ? 1 << 9 : 0) | (signbit(x) ? 1 << 10 : 0) | (isfinite(x) ? 1 << 11 : 0)
               | (low != low) << 12 | (high != high) << 13 | (low == x) << 14 | (high == y) << 15;
        """,
        out,
        (name, "a", a),
        (name, "b", b),
        before=f"typedef int R; typedef {name} T;",
    )
    low, high = np.fmin(a, b), np.fmax(a, b)
    flags = [
        a < b, a <= b, a > b, a >= b, a == b, a != b, ~(a < b), a != 0, np.isnan(a), np.isinf(a), np.signbit(a),
        np.isfinite(a), np.isnan(low), np.isnan(high), low == a, high == b,
    ]  # fmt: skip
    run.same(out, sum(flag.astype(int) << i for i, flag in enumerate(flags)))


@case
def sign_bits_of_nan(run):
    """Negation, fabs and copysign change the sign bit only, of NaNs too."""
    bits = np.array([0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF, 0x80000000, 0, 0x3F800000], np.uint32)
    out = np.zeros((bits.size, 3), np.uint32)
    over(
        run,
        "const float x = __uint_as_float(a[i]); out[3 * i] = __float_as_uint(-x); out[3 * i + 1] = __float_as_uint(fabsf(x));"
        "out[3 * i + 2] = __float_as_uint(copysignf(x, -1.0f));",
        out,
        ("unsigned", "a", bits),
        before="typedef unsigned R;",
    )
    sign = np.uint32(1 << 31)
    known = ~np.isnan(bits.view(np.float32))  # what a NaN holds after an operation is not said
    expected = np.stack([bits ^ sign, bits & ~sign, bits | sign], 1)
    run.same(out[known], expected[known])
    run.same(np.isnan(out[~known].view(np.float32)), True)


@case
def order_of_sums_is_kept(run):
    """No reassociation: a long sum of floats is added up in the order of the source."""
    values = np.random.default_rng(11).standard_normal(64 + run.threads).astype(np.float32)
    out = np.zeros(run.threads, np.float32)
    run(
        kernel(
            "float* out, const float* v", "float s = 0; for (int i = 0; i < 64; ++i) s += v[t + i] * 0.3f; out[t] = s;"
        ),
        out,
        values,
    )
    expected = np.zeros(run.threads, np.float32)
    for i in range(64):
        expected = expected + values[i : i + run.threads] * np.float32(0.3)
    run.same(out, expected)


@case
def reinterpretation_of_bits(run):
    """__float_as_int, __int_as_float, __double_as_longlong, __longlong_as_double, __hiloint2double and their kin."""
    rng = np.random.default_rng(run.threads)
    words = rng.integers(0, 1 << 32, run.threads, np.uint32)
    longs = rng.integers(0, 1 << 63, run.threads, np.int64) * 2 + 1
    out = np.zeros((run.threads, 4), np.int64)
    run(
        kernel(
            "long long* out, const unsigned* w, const long long* l",
            """
            long long* o = out + 4 * t; const double d = __longlong_as_double(l[t]);
            o[0] = __float_as_uint(__uint_as_float(w[t])); o[1] = __float_as_int(__int_as_float((int)w[t]));
            o[2] = __double_as_longlong(d); o[3] = __double_as_longlong(__hiloint2double(__double2loint(d), __double2hiint(d)));
            """,
        ),
        out,
        words,
        longs,
    )
    halves = (longs & 0xFFFFFFFF) << 32 | (longs >> 32 & 0xFFFFFFFF)
    run.same(out, np.stack([words.astype(np.int64), words.view(np.int32).astype(np.int64), longs, halves], 1))
