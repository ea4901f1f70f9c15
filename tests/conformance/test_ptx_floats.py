"""Inline PTX: floating-point arithmetic in every rounding, functions, conversions, halves."""

from fractions import Fraction

import numpy as np
from harness import case
from ptx import TYPES, clamped, operands, run_statement

FLOATS = ("f32", "f64")
TINY = np.finfo(np.float32).tiny


def rounded(value, dtype, mode):
    """A Fraction as a floating-point number: rn, rz, rp, rm."""
    info = np.finfo(dtype)
    if value == 0:
        return dtype(0)
    magnitude, sign = abs(value), -1 if value < 0 else 1
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    place = Fraction(2) ** (max(exponent, int(info.minexp)) - info.nmant)
    whole, rest = divmod(magnitude / place, 1)
    away = {"rz": False, "rp": sign > 0, "rm": sign < 0}.get(mode)
    tie = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)
    up = tie if mode == "rn" else away and rest > 0
    result = (whole + up) * place
    largest = Fraction(float(info.max))
    if result > largest:
        return dtype(sign * (np.inf if away or mode == "rn" else info.max))
    return dtype(np.copysign(float(result), sign))


def directed(name, mode, dtype, row, nearest):
    """The exact result in a direction; special values and signs of zeros are those of `nearest`."""
    if not all(np.isfinite(row)):
        return nearest
    a, *rest = (Fraction(float(x)) for x in row)
    if name in ("div", "rcp") and (rest[0] if rest else a) == 0:
        return nearest
    exact = {
        "add": lambda: a + rest[0],
        "sub": lambda: a - rest[0],
        "mul": lambda: a * rest[0],
        "fma": lambda: a * rest[0] + rest[1],
        "div": lambda: a / rest[0],
        "rcp": lambda: 1 / a,
    }[name]()
    if exact == 0:
        sums = {"add": (row[0], row[1]), "sub": (row[0], -row[1])}.get(name)
        if name == "fma":
            sums = (row[0] * row[1], row[2])
        if sums and mode == "rm" and any(np.signbit(x) for x in sums):
            return dtype(-0.0)
        return nearest if not sums or mode != "rm" else dtype(0)
    return rounded(exact, dtype, mode)


def nearest_of(name, values):
    a, b = (*values, values[0])[:2]
    with np.errstate(all="ignore"):
        if name == "fma":
            return None
        return {
            "add": lambda: a + b,
            "sub": lambda: a - b,
            "mul": lambda: a * b,
            "div": lambda: a / b,
            "rcp": lambda: a.dtype.type(1) / a,
        }[name]()


def fused(row, dtype):
    """a * b + c, rounded once; NaN and infinities as usual."""
    a, b, c = row
    with np.errstate(all="ignore"):
        if not all(np.isfinite(row)):
            return dtype(float(a) * float(b) + float(c))
        exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        return rounded(exact, dtype, "rn") if exact else dtype(float(a) * float(b) + float(c))


ARITHMETIC = [
    f"{name}.{mode}.{kind}"
    for name in ("add", "sub", "mul", "fma", "div", "rcp")
    for mode in ("rn", "rz", "rp", "rm")
    for kind in FLOATS
]


@case(each=ARITHMETIC, blocks=(1, 33, (7, 5, 1), 256))
def arithmetic(run, statement):
    """An operation in a rounding: the exact result, rounded once."""
    name, mode, kind = statement.split(".")
    count = {"fma": 3, "rcp": 1}.get(name, 2)
    values = operands(run, [kind] * count)
    if name == "fma":
        values = [np.where(np.abs(v) < TINY, v.dtype.type(0.75), v) for v in values]
    written = ", ".join(f"%{i}" for i in range(count + 1))
    out = run_statement(run, f"{statement} {written};", kind, [kind] * count, values)
    dtype = TYPES[kind][2]
    rows = list(zip(*values, strict=True))
    nearest = nearest_of(name, values) if name != "fma" else np.array([fused(r, dtype) for r in rows], dtype)
    if mode == "rn":
        return run.same(out, nearest, statement)
    run.same(
        out, np.array([directed(name, mode, dtype, r, n) for r, n in zip(rows, nearest, strict=True)], dtype), statement
    )


@case(each=["add", "sub", "mul"])
def arithmetic_without_a_rounding(run, name):
    """add.f32 rounds to nearest."""
    a, b = operands(run, ["f32", "f32"])
    out = run_statement(run, f"{name}.f32 %0, %1, %2;", "f32", ["f32", "f32"], [a, b])
    run.same(out, nearest_of(name, [a, b]))


def flushed(x):
    return np.where(np.abs(x) < TINY, np.copysign(np.float32(0), x), x)


@case(each=["add", "sub", "mul"])
def flush_to_zero(run, name):
    """.ftz makes zeros of subnormal operands and results, whatever the module's -ftz is."""
    a, b = operands(run, ["f32", "f32"])
    a[::4] *= np.float32(TINY)
    out = run_statement(run, f"{name}.rn.ftz.f32 %0, %1, %2;", "f32", ["f32", "f32"], [a, b])
    run.same(out, flushed(nearest_of(name, [flushed(a), flushed(b)])))


@case(each=["add", "mul"])
def saturation(run, name):
    """.sat clamps to [0, 1]; NaN becomes 0."""
    a, b = operands(run, ["f32", "f32"])
    out = run_statement(run, f"{name}.sat.f32 %0, %1, %2;", "f32", ["f32", "f32"], [a, b])
    x = nearest_of(name, [a, b])
    run.same(out, np.where(np.isnan(x), 0, np.clip(x, 0, 1)) + np.float32(0))


def extremum(maximum, a, b, propagate):
    order = np.where(a == b, np.signbit(a) != maximum, (a > b) == maximum)
    result = np.where(order, a, b)
    if propagate:
        return np.where(np.isnan(a) | np.isnan(b), np.nan, result)
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, result))


@case(each=["min.f32", "max.f32", "min.f64", "max.f64", "min.NaN.f32", "max.NaN.f32"])
def extrema(run, name):
    """min and max: a number wins over NaN, unless .NaN; -0 lies below +0."""
    kind = name[-3:]
    a, b = operands(run, [kind, kind])
    a[::7], b[::7] = 0.0, -0.0
    out = run_statement(run, f"{name} %0, %1, %2;", kind, [kind, kind], [a, b])
    run.same(out, extremum(name.startswith("max"), a, b, "NaN" in name))


@case(each=FLOATS)
def signs(run, kind):
    """abs, neg and copysign."""
    a, b = operands(run, [kind, kind])
    size = kind[1:]
    for text, expected in {
        f"abs.{kind} %0, %1;": np.abs(a),
        f"neg.{kind} %0, %1;": -a,
        f"copysign.{kind} %0, %2, %1;": np.copysign(a, b),
    }.items():
        run.same(run_statement(run, text, kind, [kind, kind], [a, b]), expected, text)
    assert size in ("32", "64")


@case(each=["finite", "infinite", "number", "notanumber", "normal", "subnormal"])
def testp(run, what):
    """testp tells kinds of numbers; zeros are normal."""
    (a,) = operands(run, ["f32"])
    a[::7], a[3::7] = 0.0, -0.0
    text = f"{{ .reg .pred p; testp.{what}.f32 p, %1; selp.u32 %0, 1, 0, p; }}"
    out = run_statement(run, text, "u32", ["f32"], [a])
    small = np.isfinite(a) & (np.abs(a) < TINY) & (a != 0)
    run.same(
        out,
        {
            "finite": np.isfinite(a),
            "infinite": np.isinf(a),
            "number": ~np.isnan(a),
            "notanumber": np.isnan(a),
            "normal": np.isfinite(a) & ~small,
            "subnormal": small,
        }[what],
    )


COMPARISONS = {
    "eq": np.equal,
    "ne": lambda a, b: (a != b) & ~np.isnan(a) & ~np.isnan(b),
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "equ": lambda a, b: (a == b) | np.isnan(a) | np.isnan(b),
    "neu": np.not_equal,
    "ltu": lambda a, b: ~(a >= b),
    "leu": lambda a, b: ~(a > b),
    "gtu": lambda a, b: ~(a <= b),
    "geu": lambda a, b: ~(a < b),
    "num": lambda a, b: ~np.isnan(a) & ~np.isnan(b),
    "nan": lambda a, b: np.isnan(a) | np.isnan(b),
}


@case(each=[f"{c}.{k}" for c in COMPARISONS for k in FLOATS])
def setp_of_floats(run, name):
    """Comparisons, ordered and not."""
    comparison, kind = name.split(".")
    a, b = operands(run, [kind, kind])
    b[::3] = a[::3]
    text = f"{{ .reg .pred p; setp.{name} p, %1, %2; selp.u32 %0, 1, 0, p; }}"
    out = run_statement(run, text, "u32", [kind, kind], [a, b])
    run.same(out, COMPARISONS[comparison](a, b))


@case(each=["sqrt.rn.f32", "sqrt.rn.f64", "sqrt.rz.f32", "sqrt.rp.f64"])
def square_roots(run, name):
    """sqrt in a rounding."""
    _, mode, kind = name.split(".")
    (a,) = operands(run, [kind])
    out = run_statement(run, f"{name} %0, %1;", kind, [kind], [a])
    with np.errstate(all="ignore"):
        root = np.sqrt(a)
    if mode != "rn":
        step = {"rz": -np.inf, "rp": np.inf}[mode]
        square = [
            Fraction(float(r)) ** 2 - Fraction(float(x)) if np.isfinite(r) else 0 for r, x in zip(root, a, strict=True)
        ]
        wrong = np.array([s > 0 if mode == "rz" else s < 0 for s in square])
        root = np.where(wrong, np.nextafter(root, a.dtype.type(step)), root)
    run.same(out, root)


APPROXIMATIONS = {
    "ex2.approx.f32": (np.exp2, 2),
    "lg2.approx.f32": (np.log2, 4),
    "sin.approx.f32": (np.sin, None),
    "cos.approx.f32": (np.cos, None),
    "tanh.approx.f32": (np.tanh, None),
    "rsqrt.approx.f32": (lambda x: 1 / np.sqrt(x), 2),
    "rcp.approx.f32": (lambda x: 1 / x, 1),
    "sqrt.approx.f32": (np.sqrt, 2),
}


@case(each=APPROXIMATIONS)
def approximations(run, what):
    """The approximations within PTX's bounds: ULPs, or 2^-20 of an argument of a few turns for sines, 2^-10 for tanh."""
    function, ulps = what
    name = next(n for n, w in APPROXIMATIONS.items() if w is what)
    rng = np.random.default_rng(9)
    a = rng.uniform(0.01, 3.0, operands(run, ["f32"])[0].size).astype(np.float32)
    if name.startswith("lg2"):
        a = np.where(np.abs(a - 1) < 0.5, a + 2, a).astype(np.float32)
    out = run_statement(run, f"{name} %0, %1;", "f32", ["f32"], [a])
    expected = function(a.astype(np.float64))
    if ulps is not None:
        return run.close(out, expected, ulps)
    bound = 2.0**-10 if name.startswith("tanh") else 2.0**-20
    run.same(np.abs(out - expected) <= bound * (np.abs(expected) if name.startswith("tanh") else 1), True)


@case(each=["div.approx.f32", "div.full.f32", "div.rn.f32", "div.rn.f64"])
def divisions(run, name):
    """div within two units of the last place, .rn exactly."""
    kind = name[-3:]
    rng = np.random.default_rng(3)
    count = operands(run, [kind])[0].size
    a, b = (rng.uniform(0.5, 100, count).astype(TYPES[kind][2]) for _ in "ab")
    out = run_statement(run, f"{name} %0, %1, %2;", kind, [kind, kind], [a, b])
    run.close(out, a / b, 0 if ".rn" in name else 2)


# Conversions.


INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")
TO_INTEGRAL = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


@case(each=[f"cvt.{mode}.{to}.{kind}" for mode in TO_INTEGRAL for to in INTEGERS for kind in FLOATS])
def floats_to_integers(run, name):
    """Conversions to integers saturate; NaN is left out, as PTX says little of it."""
    _, mode, to, kind = name.split(".")
    (a,) = operands(run, [kind])
    a = np.where(np.isnan(a), 0, a).astype(a.dtype)
    out = run_statement(run, f"{name} %0, %1;", to, [kind], [a])
    whole = TO_INTEGRAL[mode](a)
    limit = 1 << 70
    expected = [clamped(int(x) if np.isfinite(x) else (limit if x > 0 else -limit), to) for x in whole]
    run.same(out, np.array(expected, object))


@case(
    each=[f"cvt.{mode}.{to}.{kind}" for mode in ("rn", "rz", "rm", "rp") for to in FLOATS for kind in INTEGERS],
    blocks=(1, 33, (7, 5, 1), 256),
)
def integers_to_floats(run, name):
    """Conversions from integers in every rounding."""
    _, mode, to, kind = name.split(".")
    (a,) = operands(run, [kind])
    out = run_statement(run, f"{name} %0, %1;", to, [kind], [a])
    dtype = TYPES[to][2]
    run.same(out, np.array([rounded(Fraction(int(x)), dtype, mode) for x in a], dtype))


@case(each=[f"{to}.{kind}" for to in INTEGERS for kind in INTEGERS if to != kind])
def integers_to_integers(run, name):
    """Conversions between integers wrap, with .sat they are clamped."""
    to, kind = name.split(".")
    (a,) = operands(run, [kind])
    out = run_statement(run, f"cvt.{name} %0, %1;", to, [kind], [a])
    run.same(out, a.astype(object))
    # PTX has no .sat where every value fits.
    narrower = int(to[1:]) <= int(kind[1:]) or (to[0] == "u" and kind[0] == "s")
    if narrower:
        out = run_statement(run, f"cvt.sat.{name} %0, %1;", to, [kind], [a])
        run.same(out, np.array([clamped(int(x), to) for x in a], object), "with .sat")


@case(each=["u8", "s8"])
def bytes_in_wider_registers(run, kind):
    """cvt.u32.u8 takes the low byte of its register and fills the wider one."""
    (a,) = operands(run, ["u32"])
    out = run_statement(run, f"cvt.{kind[0]}32.{kind} %0, %1;", "u32", ["u32"], [a])
    run.same(out, a.astype(np.uint8).view(f"{'i' if kind == 's8' else 'u'}1").astype(np.int64))


@case(each=["rn", "rz", "rm", "rp"])
def doubles_to_floats(run, mode):
    """cvt.f32.f64 in every rounding."""
    (a,) = operands(run, ["f64"])
    out = run_statement(run, f"cvt.{mode}.f32.f64 %0, %1;", "f32", ["f64"], [a])
    finite = [rounded(Fraction(float(x)), np.float32, mode) if np.isfinite(x) else np.float32(x) for x in a]
    run.same(out, np.copysign(np.array(finite, np.float32), np.where(np.isnan(a), 1, a)))


@case
def floats_to_doubles_and_integral(run):
    """cvt.f64.f32 is exact; cvt.rni.f32.f32 rounds to an integer; .sat clamps; .ftz flushes."""
    (a,) = operands(run, ["f32"])
    run.same(run_statement(run, "cvt.f64.f32 %0, %1;", "f64", ["f32"], [a]), a.astype(np.float64))
    run.same(run_statement(run, "cvt.rni.f32.f32 %0, %1;", "f32", ["f32"], [a]), np.rint(a))
    saturated = np.where(np.isnan(a), 0, np.clip(a, 0, 1)) + np.float32(0)
    run.same(run_statement(run, "cvt.sat.f32.f32 %0, %1;", "f32", ["f32"], [a]), saturated)
    run.same(run_statement(run, "cvt.ftz.f64.f32 %0, %1;", "f64", ["f32"], [a]), flushed(a).astype(np.float64))


@case(each=["u8", "s16"])
def packed_conversion(run, kind):
    """cvt.pack.sat clamps two integers into one register, above a third."""
    a, b, c = operands(run, ["s32", "s32", "u32"])
    size = int(kind[1:])
    pair = np.array(
        [
            (clamped(int(x), kind) & (1 << size) - 1) << size | clamped(int(y), kind) & (1 << size) - 1
            for x, y in zip(a, b, strict=True)
        ],
        object,
    )
    if size == 16:
        out = run_statement(run, "cvt.pack.sat.s16.s32 %0, %1, %2;", "u32", ["s32", "s32"], [a, b])
        return run.same(out, pair)
    out = run_statement(run, "cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;", "u32", ["s32", "s32", "u32"], [a, b, c])
    run.same(out, np.array([p | int(x) << 16 & 0xFFFFFFFF for p, x in zip(pair, c, strict=True)], object))
