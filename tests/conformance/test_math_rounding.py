"""Arithmetic and conversions with a named rounding (__fadd_rz, __double2int_ru, ...), against exact fractions."""

from fractions import Fraction
from math import isqrt

import numpy as np
from harness import case, kernel

MODES = ("rn", "rz", "ru", "rd")
COUNT = 6  # values a thread
FORMATS = {np.float32: (24, -126, 127), np.float64: (53, -1022, 1023)}  # digits, smallest and largest exponent


def rounded(exact, dtype, mode, zero=0.0):
    """The fraction as a floating-point number; `zero` where it is 0."""
    if exact == 0:
        return zero
    digits, low, high = FORMATS[dtype]
    size, negative = abs(exact), exact < 0
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** (max(exponent, low) - digits + 1)
    steps, rest = divmod(size, unit)
    away = {
        "rn": 2 * rest > unit or (2 * rest == unit and steps % 2 == 1),
        "rz": False,
        "ru": rest > 0 and not negative,
        "rd": rest > 0 and negative,
    }[mode]
    size = (steps + away) * unit
    if size >= Fraction(2) ** (high + 1):
        inward = mode == "rz" or (mode == "rd" and not negative) or (mode == "ru" and negative)
        size = float(np.finfo(dtype).max) if inward else float("inf")
    return -float(size) if negative else float(size)


def root(x):
    """The square root with 40 digits to spare, its last one odd where it is not exact: no rounding sees the difference."""
    scale = 2400
    whole = (x.numerator << 2 * scale) // x.denominator
    r = isqrt(whole)
    exact = r * r == whole and (x.numerator << 2 * scale) % x.denominator == 0
    return Fraction(2 * r + (not exact), 1 << scale + 1)


def values(run, dtype, seed):
    """Numbers of like size with few digits (exact results and ties), and of all sizes."""
    random, n = np.random.default_rng(seed), COUNT * run.threads
    short = random.integers(-4096, 4096, n) * 2.0 ** random.integers(-6, 6, n)
    spread = 30 if dtype is np.float32 else 250
    wide = random.uniform(-1, 1, n) * 2.0 ** random.integers(-spread, spread, n)
    return np.where(np.arange(n) % 2 == 0, short, wide).astype(dtype)


def sum_zero(a, b, mode):
    """What a sum that vanishes is: the zero of both signs, else +0, or -0 when rounded down."""
    if np.signbit(a) and np.signbit(b):
        return -0.0
    return -0.0 if mode == "rd" and (np.signbit(a) or np.signbit(b)) else 0.0


def product_zero(a, b):
    return -0.0 if np.signbit(a) != np.signbit(b) else 0.0


# operands and the exact result, with what a vanishing one is
OPERATIONS = {
    "add": (2, lambda a, b: a + b, sum_zero),
    "sub": (2, lambda a, b: a - b, lambda a, b, mode: sum_zero(a, -b, mode)),
    "mul": (2, lambda a, b: a * b, lambda a, b, mode: product_zero(a, b)),
    "div": (2, lambda a, b: a / b, lambda a, b, mode: product_zero(a, b)),
    "fma": (3, lambda a, b, c: a * b + c, lambda a, b, c, mode: sum_zero(product_zero(a, b), c, mode)),
    "rcp": (1, lambda a: 1 / a, None),
    "sqrt": (1, root, lambda a, mode: a),
}
PREFIX = {np.float32: "__f", np.float64: "__d"}


def intrinsic(operation, dtype, mode):
    if operation == "fma":
        return f"__fma{'f' if dtype is np.float32 else ''}_{mode}"
    return f"{PREFIX[dtype]}{operation}_{mode}"


def type_name(dtype):
    return "float" if dtype is np.float32 else "double"


@case(
    each={intrinsic(o, d, m): (o, d, m) for o in OPERATIONS for d in PREFIX for m in MODES},
    blocks=[1, 33, 64, (7, 5, 1)],
)
def arithmetic(run, what):
    """One operation, rounded to nearest, towards zero, up or down."""
    operation, dtype, mode = what
    arity, exact, zero = OPERATIONS[operation]
    operands = [values(run, dtype, seed) for seed in range(arity)]
    if operation == "sqrt":
        operands = [np.abs(operands[0])]
    if operation in ("div", "rcp"):
        operands[-1][operands[-1] == 0] = 1
    out = np.zeros(COUNT * run.threads, dtype)
    name, letters = intrinsic(operation, dtype, mode), "abc"[:arity]
    body = f"for (int i = t; i < {COUNT} * n; i += n) out[i] = {name}({', '.join(f'{x}[i]' for x in letters)});"
    parameters = ", ".join(["T* out", *(f"const T* {x}" for x in letters)])
    run(kernel(parameters, body, f"typedef {type_name(dtype)} T;"), out, *operands)

    def expected(*row):
        result = exact(*(Fraction(float(x)) for x in row))
        return rounded(result, dtype, mode, zero(*row, mode) if zero and result == 0 else 0.0)

    run.same(out, [expected(*row) for row in zip(*operands, strict=True)], name)


@case(each=MODES, blocks=[1, 33, 64])
def fmaf_ieee(run, mode):
    """__fmaf_ieee_rn and its kind round as __fmaf_rn and its kind do."""
    a, b, c = (values(run, np.float32, seed) for seed in range(3))
    out = np.zeros(len(a), np.float32)
    body = f"for (int i = t; i < {COUNT} * n; i += n) out[i] = __fmaf_ieee_{mode}(a[i], b[i], c[i]);"
    run(kernel("float* out, const float* a, const float* b, const float* c", body), out, a, b, c)

    def expected(x, y, z):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        return rounded(exact, np.float32, mode, sum_zero(product_zero(x, y), z, mode))

    run.same(out, [expected(*row) for row in zip(a, b, c, strict=True)])


@case(each=MODES, blocks=[1, 33, 64], options=["-ftz=true"])
def fmaf_ieee_keeps_denormals(run, mode):
    """-ftz=true leaves denormal operands and results of __fmaf_ieee_rn and its kind alone."""
    random, n = np.random.default_rng(3), COUNT * run.threads
    a, b = (random.uniform(-1, 1, n) * 2.0 ** random.integers(-90, -55, n) for _ in range(2))
    c = random.uniform(-1, 1, n) * 2.0 ** random.integers(-152, -122, n)
    b[::4], a[1::4] = 1.0, c[1::4]
    b[1::4] = random.choice([-1.0, 0.5, 1.0, 2.0**25], b[1::4].size)
    a, b, c = (x.astype(np.float32) for x in (a, b, c))
    out = np.zeros(n, np.float32)
    body = f"for (int i = t; i < {COUNT} * n; i += n) out[i] = __fmaf_ieee_{mode}(a[i], b[i], c[i]);"
    run(kernel("float* out, const float* a, const float* b, const float* c", body), out, a, b, c)

    def expected(x, y, z):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        return rounded(exact, np.float32, mode, sum_zero(product_zero(x, y), z, mode))

    run.same(out, np.float32([expected(*row) for row in zip(a, b, c, strict=True)]))


INTEGERS = {"int": np.int32, "uint": np.uint32, "ll": np.int64, "ull": np.uint64}
C_NAMES = {"int": "int", "uint": "unsigned", "ll": "long long", "ull": "unsigned long long"}


def whole(exact, mode):
    """The fraction as an integer."""
    down = exact.numerator // exact.denominator
    if mode == "rn":
        return round(exact)
    return {"rd": down, "ru": -(-exact.numerator // exact.denominator), "rz": down if exact >= 0 else -(-exact // 1)}[
        mode
    ]


@case(
    each={
        f"__{s}2{i}_{m}": (d, i, m)
        for d, s in ((np.float32, "float"), (np.float64, "double"))
        for i in INTEGERS
        for m in MODES
    },
    blocks=[1, 33, 64],
)
def to_integer(run, what):
    """Floating point to an integer, rounded as named; values beyond its range give its ends."""
    dtype, integer, mode = what
    x = values(run, dtype, 3)
    ends = np.array(
        [
            0.0,
            -0.0,
            0.5,
            -0.5,
            1.5,
            2.5,
            -1.5,
            2e9,
            2.2e9,
            -2.2e9,
            4.2e9,
            4.4e9,
            9e18,
            1e19,
            2e19,
            -1e19,
            np.inf,
            -np.inf,
        ]
    )
    x[: len(ends)] = ends.astype(dtype)[: len(x)]
    out = np.zeros(len(x), INTEGERS[integer])
    name = f"__{type_name(dtype)}2{integer}_{mode}"
    body = f"for (int i = t; i < {COUNT} * n; i += n) out[i] = {name}(x[i]);"
    run(kernel(f"{C_NAMES[integer]}* out, const {type_name(dtype)}* x", body), out, x)
    limits = np.iinfo(out.dtype)

    def expected(v):
        if np.isinf(v):
            return int(limits.max) if v > 0 else int(limits.min)
        return min(max(whole(Fraction(float(v)), mode), int(limits.min)), int(limits.max))

    run.same(out, np.array([expected(v) for v in x], object), name)


FROM_INTEGER = [
    *((i, np.float32, m) for i in INTEGERS for m in MODES),
    *((i, np.float64, m) for i in ("ll", "ull") for m in MODES),
    *((i, np.float64, "rn") for i in ("int", "uint")),
]


@case(each={f"__{i}2{type_name(d)}_{m}": (i, d, m) for i, d, m in FROM_INTEGER}, blocks=[1, 33, 64])
def from_integer(run, what):
    """Integers to floating point, rounded as named."""
    integer, dtype, mode = what
    random, n = np.random.default_rng(4), COUNT * run.threads
    kind = np.dtype(INTEGERS[integer])
    free = random.integers(0, 1 << 64, n, np.uint64, endpoint=False)
    x = (free >> random.integers(0, 64, n).astype(np.uint64)).astype(f"u{kind.itemsize}").view(kind)
    x[:3] = [0, np.iinfo(kind).max, np.iinfo(kind).min]
    out = np.zeros(n, dtype)
    name = f"__{integer}2{type_name(dtype)}_{mode}"
    body = f"for (int i = t; i < {COUNT} * n; i += n) out[i] = {name}(x[i]);"
    run(kernel(f"{type_name(dtype)}* out, const {C_NAMES[integer]}* x", body), out, x)
    run.same(out, [rounded(Fraction(int(v)), dtype, mode) for v in x], name)


@case(each=MODES, blocks=[1, 33, 64])
def double_to_float(run, mode):
    """__double2float_rn and its kind; overflow and subnormal results."""
    x = values(run, np.float64, 5)
    ends = [3.5e38, -3.5e38, 1e-40, -1e-40, 1e-46, -1e-46]
    x[: len(ends)] = ends
    out = np.zeros(len(x), np.float32)
    body = f"for (int i = t; i < {COUNT} * n; i += n) out[i] = __double2float_{mode}(x[i]);"
    run(kernel("float* out, const double* x", body), out, x)
    zeros = [-0.0 if v < 0 else 0.0 for v in x]

    def expected(v, zero):
        value = rounded(Fraction(float(v)), np.float32, mode, zero)
        return zero if value == 0 else value

    run.same(out, [expected(v, z) for v, z in zip(x, zeros, strict=True)])


@case(blocks=[1, 33, 64])
def reciprocal_square_root(run):
    """__frsqrt_rn is correctly rounded."""
    x = np.abs(values(run, np.float32, 6))
    x[x == 0] = 4
    out = np.zeros(len(x), np.float32)
    run(
        kernel("float* out, const float* x", f"for (int i = t; i < {COUNT} * n; i += n) out[i] = __frsqrt_rn(x[i]);"),
        out,
        x,
    )
    run.same(out, [rounded(root(1 / Fraction(float(v))), np.float32, "rn") for v in x])


@case(blocks=[1, 33])
def fast_division(run):
    """__fdividef: a quotient within 2 ULP for |y| up to 2^126, zero beyond, NaN for an infinite dividend there."""
    x = np.array([1, -3, 5e37, 1, -1, np.inf, 2, 0], np.float32)
    y = np.array([3, 7, 0.3, 2.0**127, 1.5 * 2.0**126, 2.0**127, -0.0, 2], np.float32)
    out = np.zeros(8, np.float32)
    run(
        kernel(
            "float* out, const float* x, const float* y",
            "for (int i = t; i < 8; i += n) out[i] = __fdividef(x[i], y[i]);",
        ),
        out,
        x,
        y,
    )
    run.close(out[:3], x[:3] / y[:3], 2)
    run.same(out[3:], [0.0, -0.0, np.nan, -np.inf, 0.0])


@case(
    each={"double2int": np.int32, "double2uint": np.uint32, "double2ll": np.int64, "double2ull": np.uint64},
    blocks=[1, 33],
)
def rounding_as_argument(run, dtype):
    """double2int(x, cudaRoundZero) and its kind, the older names."""
    name = {np.int32: "int", np.uint32: "uint", np.int64: "ll", np.uint64: "ull"}[dtype]
    x = np.array([0.5, 1.5, 2.25, 7.75], np.float64)
    out = np.zeros((5, 4), dtype)
    modes = ("cudaRoundNearest", "cudaRoundZero", "cudaRoundPosInf", "cudaRoundMinInf")
    calls = " ".join(f"out[{4 * k} + i] = double2{name}(x[i], {mode});" for k, mode in enumerate(modes))
    body = f"for (int i = t; i < 4; i += n) {{ {calls} out[16 + i] = double2{name}(x[i]); }}"
    run(kernel(f"{C_NAMES[name]}* out, const double* x", body), out, x)
    run.same(out, [[0, 2, 2, 8], [0, 1, 2, 7], [1, 2, 3, 8], [0, 1, 2, 7], [0, 1, 2, 7]])
