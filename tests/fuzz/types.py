"""The types of generated programs: scalars, and records (structs, vector types) of scalars."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Scalar:
    """An arithmetic type: its name in C++ and in NumPy, and its rank in C's usual conversions."""

    name: str
    c: str
    dtype: np.dtype
    bits: int
    signed: bool
    floating: bool = False
    suffix: str = ""

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[object, ...]:
        return _named, (self.name,)  # copies are compared by identity


@dataclass(frozen=True)
class Record:
    """A struct of scalars; `builtin` when CUDA declares it (float4)."""

    name: str
    fields: tuple[tuple[str, Scalar], ...]
    builtin: bool = False


def _named(name: str) -> Scalar:
    return next(t for t in (BOOL, *SCALARS) if t.name == name)


def _integer(name: str, c: str, suffix: str = "") -> Scalar:
    signed, bits = name[0] == "i", int(name[1:])
    return Scalar(name, c, np.dtype(("int" if signed else "uint") + str(bits)), bits, signed, suffix=suffix)


BOOL = Scalar("bool", "bool", np.dtype(np.bool_), 8, False)
I8 = _integer("i8", "signed char")
U8 = _integer("u8", "unsigned char")
I16 = _integer("i16", "short")
U16 = _integer("u16", "unsigned short")
I32 = _integer("i32", "int")
U32 = _integer("u32", "unsigned int", "u")
I64 = _integer("i64", "long long", "ll")
U64 = _integer("u64", "unsigned long long", "ull")
F32 = Scalar("f32", "float", np.dtype(np.float32), 32, True, True, "f")
F64 = Scalar("f64", "double", np.dtype(np.float64), 64, True, True)

INTEGERS = (I8, U8, I16, U16, I32, U32, I64, U64)
FLOATS = (F32, F64)
SCALARS = INTEGERS + FLOATS
WORDS = (I32, U32, I64, U64)  # what arithmetic is done in


def unsigned(t: Scalar) -> Scalar:
    """The unsigned integer of the same size."""
    return {8: U8, 16: U16, 32: U32, 64: U64}[t.bits]


def promoted(t: Scalar) -> Scalar:
    """What an operand becomes alone: int, when it is narrower."""
    return t if t.floating or t.bits >= 32 else I32


def common(a: Scalar, b: Scalar) -> Scalar:
    """The type of `a op b`: C's usual arithmetic conversions."""
    a, b = promoted(a), promoted(b)
    if a.floating or b.floating:
        return F64 if F64 in (a, b) else F32
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if not a.signed else b


def _vector(base: str, scalar: Scalar, n: int) -> Record:
    return Record(f"{base}{n}", tuple((f, scalar) for f in "xyzw"[:n]), True)


VECTORS = tuple(
    _vector(base, scalar, n)
    for base, scalar in (
        ("char", I8), ("uchar", U8), ("short", I16), ("ushort", U16), ("int", I32), ("uint", U32),
        ("longlong", I64), ("ulonglong", U64), ("float", F32), ("double", F64),
    )
    for n in (2, 3, 4)
    if not (n == 4 and scalar.bits == 64)
)  # fmt: skip
