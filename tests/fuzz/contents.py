"""What the arrays of a program hold at first, and the order of a kernel's parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .operations import Values
from .program import Array, Program
from .rng import words
from .types import Record, Scalar

SPECIAL = (0.0, -0.0, 1.0, float("inf"), float("-inf"), float("nan"), 1e-40, 3.0e38)


def dtype_of(t: Scalar | Record) -> np.dtype[Any]:
    """The NumPy type with the layout of C++."""
    if isinstance(t, Scalar):
        return t.dtype
    return np.dtype([(name, s.dtype) for name, s in t.fields], align=True)


def length_of(a: Array, program: Program) -> int:
    """Elements of a whole array."""
    return a.length * program.threads * program.blocks if a.space == "own" else a.length


def _scalars(t: Scalar, word: NDArray[np.uint64], plain: bool, finite: bool) -> Values:
    small = (word >> np.uint64(8) & np.uint64(63)).astype(np.int64)
    if plain:
        return small.astype(t.dtype)
    pick = word & np.uint64(15)
    if t.floating:
        value = ((word >> np.uint64(16) & np.uint64(0xFFF)).astype(np.float64) - 2048) / 16
        special = np.array(SPECIAL)[(word >> np.uint64(32) & np.uint64(7)).astype(np.intp)]
        if finite:
            special = np.where(np.isfinite(special), special, 0.25)
        with np.errstate(all="ignore"):
            return np.where(pick < 2, special, value).astype(t.dtype)
    return np.where(pick < 8, small - 16, word.view(np.int64) >> 7).astype(t.dtype)


def contents(a: Array, program: Program | None = None) -> Values:
    """The first contents of an array in global or constant memory: small values, wide ones, special ones."""
    n = a.length if program is None else length_of(a, program)
    out = np.zeros(n, dtype_of(a.type))
    plain, finite = a.space == "atomic", a.space == "constant"  # an infinity is no constant expression
    if isinstance(a.type, Scalar):
        out[:] = a.values or _scalars(a.type, words(a.seed, n), plain, finite)
    else:
        for i, (name, t) in enumerate(a.type.fields):
            out[name] = _scalars(t, words(a.seed + i * n, n), plain, finite)
    return out


def initial(a: Array) -> str:
    """What shared arrays hold at first, as a formula of the index i that C++ and NumPy read alike."""
    return f"(i * {a.seed % 8 + 3}u + {a.seed % 5}u) & 63u"


def initial_values(a: Array) -> Values:
    """The values of `initial`."""
    i = np.arange(a.length, dtype=np.uint32)
    return i * np.uint32(a.seed % 8 + 3) + np.uint32(a.seed % 5) & np.uint32(63)


def parameters(program: Program) -> list[Array]:
    """The arrays that are parameters, in order; the kernel's first parameter is `out`, scalars follow."""
    return [a for a in program.arrays if a.space in ("input", "own", "atomic", "plane")]


def offsets(program: Program) -> dict[str, int]:
    """Where each array begins in dynamic shared memory, in words of 8 bytes, and under "" how many are needed."""
    at, out = 0, {}
    for a in program.arrays:
        if a.space == "dynamic":
            out[a.name] = at
            at += -(-a.length * dtype_of(a.type).itemsize // 16) * 2
    out[""] = at
    return out
