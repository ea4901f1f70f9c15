"""
What operators and CUDA's exact functions mean, on NumPy arrays: written from the C++ standard, the CUDA programming
guide and the PTX manual, independently of the compiler under test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .types import F32, F64, FLOATS, I32, I64, U32, U64, Scalar, unsigned

Values = Any  # NDArray: NumPy's own annotations give Any for most operators


def range_of(t: Scalar, source: Scalar) -> tuple[float, float]:
    """The ends that Cast clamps a floating value to: exact in the source's type and inside the integer's range."""
    precision = 24 if source is F32 else 53
    bits = t.bits - t.signed
    high = float(2**bits - 1) if bits <= precision else float(2**bits - 2 ** (bits - precision))
    return (-high if t.signed else 0.0), high


def convert(a: Values, source: Scalar, t: Scalar) -> Values:
    """(t)a."""
    if source.floating and not t.floating and t.name != "bool":
        wide = t if t.bits >= 32 else I32
        low, high = range_of(wide, source)
        return np.fmin(np.fmax(a, source.dtype.type(low)), source.dtype.type(high)).astype(wide.dtype).astype(t.dtype)
    return a.astype(t.dtype)


def canonical_bits(a: Values, t: Scalar) -> Values:
    """The bits of floating values, every NaN the same."""
    word = np.uint32 if t is F32 else np.uint64
    quiet = word(0x7FC00000 if t is F32 else 0x7FF8000000000000)
    return np.where(np.isnan(a), quiet, a.view(word))


def bit_cast(a: Values, source: Scalar, t: Scalar) -> Values:
    """The bits of a value as another type of its size."""
    return (canonical_bits(a, source) if source.floating else a).view(t.dtype)


def arithmetic(op: str, a: Values, b: Values, t: Scalar) -> Values:
    """a op b, both of type t."""
    if t.floating:
        return {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[op](a, b)
    if op in ("/", "%"):
        remainder = np.fmod(a, divisor(b, t))
        return remainder if op == "%" else (a - remainder) // divisor(b, t)
    return _INTEGER[op](a, b)


def divisor(b: Values, t: Scalar) -> Values:
    """What Binary divides by: never 0, never -1."""
    return (b & t.dtype.type(0x3FF)) + t.dtype.type(1) if t.signed else b | t.dtype.type(1)


def shift(op: str, a: Values, count: Values, t: Scalar) -> Values:
    """a << count or a >> count, the count modulo the width."""
    by = (count.astype(np.int64) & (t.bits - 1)).astype(t.dtype)
    return np.left_shift(a, by) if op == "<<" else np.right_shift(a, by)


_INTEGER: dict[str, Callable[[Values, Values], Values]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
}

COMPARE: dict[str, Callable[[Values, Values], Values]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


def _popc(a: Values) -> Values:
    return np.bitwise_count(a).astype(np.int32)


def _clz(a: Values) -> Values:
    bits = a.dtype.itemsize * 8
    a = a.view(f"u{a.dtype.itemsize}")
    for step in (1, 2, 4, 8, 16, 32)[: bits.bit_length() - 1]:
        a = a | a >> a.dtype.type(step)
    return (bits - np.bitwise_count(a)).astype(np.int32)


def _ffs(a: Values) -> Values:
    a = a.view(f"u{a.dtype.itemsize}")
    return np.where(a == 0, 0, np.bitwise_count(a ^ (a - a.dtype.type(1)))).astype(np.int32)


def _brev(a: Values) -> Values:
    bits, out = a.dtype.itemsize * 8, np.zeros_like(a)
    for i in range(bits):
        out |= (a >> a.dtype.type(i) & a.dtype.type(1)) << a.dtype.type(bits - 1 - i)
    return out


def _byte_perm(x: Values, y: Values, selector: Values) -> Values:
    both = x.astype(np.uint64) | y.astype(np.uint64) << np.uint64(32)
    out = np.zeros_like(x)
    for i in range(4):
        # The fourth bit of a selector is not used: NVRTC clears it, the replicated signs of prmt are not reached.
        choice = (selector >> np.uint32(4 * i) & np.uint32(7)).astype(np.uint64)
        out |= (both >> choice * np.uint64(8) & np.uint64(255)).astype(np.uint32) << np.uint32(8 * i)
    return out


def _umulhi(a: Values, b: Values) -> Values:
    return (a.astype(np.uint64) * b.astype(np.uint64) >> np.uint64(32)).astype(np.uint32)


def _mulhi(a: Values, b: Values) -> Values:
    return (a.astype(np.int64) * b.astype(np.int64) >> np.int64(32)).astype(np.int32)


def _umul64hi(a: Values, b: Values) -> Values:
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    cross = (a >> half) * (b & low) + ((a & low) * (b & low) >> half)
    other = (a & low) * (b >> half) + (cross & low)
    return (a >> half) * (b >> half) + (cross >> half) + (other >> half)


def _funnel(left: bool, clamp: bool) -> Callable[[Values, Values, Values], Values]:
    def funnel(low: Values, high: Values, count: Values) -> Values:
        by = (np.minimum(count, np.uint32(32)) if clamp else count & np.uint32(31)).astype(np.uint64)
        both = low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)
        return ((both << by) >> np.uint64(32) if left else both >> by).astype(np.uint32)

    return funnel


def _fma32(a: Values, b: Values, c: Values) -> Values:
    return _fma_to_odd(a, b, c).astype(np.float32)


def _fma_to_odd(a: Values, b: Values, c: Values) -> Values:
    """
    Exact product in double, then a sum rounded to odd, which makes the second rounding harmless.
    Boldo, Melquiond: Emulation of FMA and correctly rounded sums, 2008.
    """
    p, d = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
    s = p + d
    t = s - p
    error = (p - (s - t)) + (d - t)
    bits = s.view(np.int64)
    odd = np.isfinite(s) & (error != 0) & (bits & 1 == 0)
    towards = np.where((error > 0) == (s > 0), 1, -1)
    return np.where(odd, (bits + towards).view(np.float64), s)


def _zero_sign(f: Callable[[Values, Values], Values]) -> Callable[[Values, Values], Values]:
    """CUDA leaves the sign of min(0, -0) open: the sum with 0 hides it."""
    return lambda a, b: f(a, b) + a.dtype.type(0)


def _to_integer(mode: str, t: Scalar, source: Scalar) -> Callable[[Values], Values]:
    """Saturating; NaN is 0 from float to 32 bits, the top bit alone elsewhere (PTX manual, cvt)."""
    rounding = {"rn": np.rint, "rz": np.trunc, "ru": np.ceil, "rd": np.floor}[mode]
    info = np.iinfo(t.dtype)
    nan = 0 if source is F32 and t.bits == 32 else 1 << t.bits - 1
    nan_value = np.array(nan, unsigned(t).dtype).view(t.dtype)[()]

    def to_integer(a: Values) -> Values:
        r = rounding(a.astype(np.float64))
        low, high = r <= float(info.min), r >= float(info.max)  # the double above a 64-bit maximum is already outside
        inside = np.where(low | high | np.isnan(r), 0.0, r).astype(t.dtype)
        out = np.where(low, t.dtype.type(info.min), np.where(high, t.dtype.type(info.max), inside))
        return np.where(np.isnan(a), nan_value, out)

    return to_integer


# name -> (C++ with arguments in place of {}, result, parameters, meaning)
INTRINSICS: dict[str, tuple[str, Scalar, tuple[Scalar, ...], Callable[..., Values]]] = {
    "popc": ("__popc({})", I32, (U32,), _popc),
    "popcll": ("__popcll({})", I32, (U64,), _popc),
    "clz": ("__clz({})", I32, (I32,), _clz),
    "clzll": ("__clzll({})", I32, (I64,), _clz),
    "ffs": ("__ffs({})", I32, (I32,), _ffs),
    "ffsll": ("__ffsll({})", I32, (I64,), _ffs),
    "brev": ("__brev({})", U32, (U32,), _brev),
    "brevll": ("__brevll({})", U64, (U64,), _brev),
    "byte_perm": ("__byte_perm({}, {}, {})", U32, (U32, U32, U32), _byte_perm),
    "umulhi": ("__umulhi({}, {})", U32, (U32, U32), _umulhi),
    "mulhi": ("__mulhi({}, {})", I32, (I32, I32), _mulhi),
    "umul64hi": ("__umul64hi({}, {})", U64, (U64, U64), _umul64hi),
    "funnelshift_l": ("__funnelshift_l({}, {}, {})", U32, (U32, U32, U32), _funnel(True, False)),
    "funnelshift_r": ("__funnelshift_r({}, {}, {})", U32, (U32, U32, U32), _funnel(False, False)),
    "funnelshift_lc": ("__funnelshift_lc({}, {}, {})", U32, (U32, U32, U32), _funnel(True, True)),
    "funnelshift_rc": ("__funnelshift_rc({}, {}, {})", U32, (U32, U32, U32), _funnel(False, True)),
    "fmaf": ("__fmaf_rn({}, {}, {})", F32, (F32, F32, F32), _fma32),
    "sqrtf": ("sqrtf({})", F32, (F32,), np.sqrt),
    "sqrt": ("sqrt({})", F64, (F64,), np.sqrt),
    "fminf": ("(fminf({}, {}) + 0.0f)", F32, (F32, F32), _zero_sign(np.fmin)),
    "fmaxf": ("(fmaxf({}, {}) + 0.0f)", F32, (F32, F32), _zero_sign(np.fmax)),
    "fmin": ("(fmin({}, {}) + 0.0)", F64, (F64, F64), _zero_sign(np.fmin)),
    "fmax": ("(fmax({}, {}) + 0.0)", F64, (F64, F64), _zero_sign(np.fmax)),
    "fadd_rn": ("__fadd_rn({}, {})", F32, (F32, F32), np.add),
    "fmul_rn": ("__fmul_rn({}, {})", F32, (F32, F32), np.multiply),
    "fdiv_rn": ("__fdiv_rn({}, {})", F32, (F32, F32), np.divide),
    "dadd_rn": ("__dadd_rn({}, {})", F64, (F64, F64), np.add),
    "dmul_rn": ("__dmul_rn({}, {})", F64, (F64, F64), np.multiply),
}


# Of halves and bfloat16s, from and to floats: NumPy rounds sums and products of half once, as CUDA does.
def _half(a: Values) -> Values:
    return a.astype(np.float16)


def _bfloat(a: Values) -> Values:
    """Rounded to the 8 bits of a bfloat16, ties to even."""
    bits = a.view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(a), a, rounded.view(np.float32))


def _half_bits(a: Values) -> Values:
    return np.where(np.isnan(a), np.uint32(0x7FFF), _half(a).view(np.uint16).astype(np.uint32))


def _of_halves(f: Callable[..., Values]) -> Callable[..., Values]:
    return lambda *args: f(*(_half(a) for a in args)).astype(np.float32)


def _of_bfloats(f: Callable[..., Values]) -> Callable[..., Values]:
    return lambda *args: _bfloat(f(*(_bfloat(a) for a in args)))


def _half_fma(a: Values, b: Values, c: Values) -> Values:
    a, b, c = (_half(x).astype(np.float32) for x in (a, b, c))
    return _half(_fma_to_odd(a, b, c)).astype(np.float32)


# Floats as something narrower: what Shuffle sends.
NARROW: dict[str, Callable[[Values], Values]] = {"half": lambda a: _half(a).astype(np.float32), "bfloat": _bfloat}

_H, _B = "__float2half_rn({})", "__float2bfloat16_rn({})"
INTRINSICS |= {
    "half": (f"__half2float({_H})", F32, (F32,), _of_halves(lambda a: a)),
    "half_add": (f"__half2float(__hadd({_H}, {_H}))", F32, (F32, F32), _of_halves(np.add)),
    "half_sub": (f"__half2float({_H} - {_H})", F32, (F32, F32), _of_halves(np.subtract)),
    "half_mul": (f"__half2float(__hmul({_H}, {_H}))", F32, (F32, F32), _of_halves(np.multiply)),
    "half_fma": (f"__half2float(__hfma({_H}, {_H}, {_H}))", F32, (F32, F32, F32), _half_fma),
    "half_max": (f"(__half2float(__hmax({_H}, {_H})) + 0.0f)", F32, (F32, F32), _zero_sign(_of_halves(np.fmax))),
    "half2_add": (
        "__low2float(__hadd2(__floats2half2_rn({}, 1.0f), __float2half2_rn({})))", F32, (F32, F32), _of_halves(np.add),
    ),
    "half_less": (f"(int)__hlt({_H}, {_H})", I32, (F32, F32), lambda a, b: (_half(a) < _half(b)).astype(np.int32)),
    "half_bits": (f"(unsigned)__half_as_ushort({_H})", U32, (F32,), _half_bits),
    "half_int": (f"__half2int_rn({_H})", I32, (F32,), lambda a: _to_integer("rn", I32, F32)(_half(a).astype(np.float32))),
    "int_half": ("__half2float(__int2half_rn({}))", F32, (I32,), lambda a: a.astype(np.float64).astype(np.float16).astype(np.float32)),
    "bfloat_mul": (f"__bfloat162float(__hmul({_B}, {_B}))", F32, (F32, F32), _of_bfloats(np.multiply)),
    "bfloat_add": (f"__bfloat162float({_B} + {_B})", F32, (F32, F32), _of_bfloats(np.add)),
    "bfloat_equal": (f"(int)__hne({_B}, {_B})", I32, (F32, F32), lambda a, b: ((_bfloat(a) < _bfloat(b)) | (_bfloat(a) > _bfloat(b))).astype(np.int32)),
}  # fmt: skip

CONVERSIONS: dict[tuple[Scalar, Scalar], list[str]] = {}  # of a floating type to an integer, saturating
for _t in (I32, U32, I64, U64):
    for _name, _f in (("min", np.minimum), ("max", np.maximum)):
        INTRINSICS[f"{_name}_{_t.name}"] = (f"{_name}({{}}, {{}})", _t, (_t, _t), _f)
for _t in FLOATS:
    for _name, _g in (("fabs", np.abs), ("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc), ("rint", np.rint)):
        INTRINSICS[f"{_name}_{_t.name}"] = (f"{_name}{_t.suffix}({{}})", _t, (_t,), _g)
    for _target, _word in ((I32, "int"), (U32, "uint"), (I64, "ll"), (U64, "ull")):
        for _mode in ("rn", "rz", "ru", "rd"):
            _name = f"{_t.c}2{_word}_{_mode}"
            CONVERSIONS.setdefault((_t, _target), []).append(_name)
            INTRINSICS[_name] = (f"__{_name}({{}})", _target, (_t,), _to_integer(_mode, _target, _t))

# A plain cast out of range is undefined in C++, and saturates on a GPU (cvt.rzi): right where nothing can be folded.
RAW_CASTS: dict[tuple[Scalar, Scalar], str] = {}
for _t in FLOATS:
    for _target in (I32, U32, I64, U64):
        RAW_CASTS[_t, _target] = f"cast_{_t.name}_{_target.name}"
        INTRINSICS[RAW_CASTS[_t, _target]] = (f"({_target.c})({{}})", _target, (_t,), _to_integer("rz", _target, _t))

# Atomic operations: name -> new value from old and operand.
ATOMICS: dict[str, Callable[[Values, Values], Values]] = {
    "atomicAdd": np.add,
    "atomicSub": np.subtract,
    "atomicAnd": np.bitwise_and,
    "atomicOr": np.bitwise_or,
    "atomicXor": np.bitwise_xor,
    "atomicMin": np.minimum,
    "atomicMax": np.maximum,
    "atomicExch": lambda old, new: new,
}
# Which of them CUDA has for a type.
ATOMIC_NAMES: dict[Scalar, tuple[str, ...]] = {
    I32: ("atomicAdd", "atomicSub", "atomicAnd", "atomicOr", "atomicXor", "atomicMin", "atomicMax"),
    U32: ("atomicAdd", "atomicSub", "atomicAnd", "atomicOr", "atomicXor", "atomicMin", "atomicMax"),
    U64: ("atomicAdd", "atomicAnd", "atomicOr", "atomicXor", "atomicMin", "atomicMax"),
    I64: ("atomicAnd", "atomicOr", "atomicXor", "atomicMin", "atomicMax"),
    F32: ("atomicAdd",),
    F64: ("atomicAdd",),
}
