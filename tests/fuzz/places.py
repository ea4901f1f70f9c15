"""Formulas of places, which C++ and NumPy read alike: `(ty + 4 * i7) * 33 + tx`, `min(max(T - 1, 0), 63)`, `0 <= tx - 1`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .operations import Values
from .types import BOOL, Scalar

# What a formula names besides counters, variables and constant arrays: as C++, and as a coordinate of the interpreter.
# Small letters are of type int, as most kernels have them; u, w and e before an axis leave CUDA's unsigned numbers.
COORDINATES = {
    "T": ("(int)fz_tid()", "tid"), "B": ("(int)fz_bid()", "bid"),
    **{f"t{a}": (f"(int)threadIdx.{a}", f"threadIdx.{a}") for a in "xyz"},
    **{f"u{a}": (f"threadIdx.{a}", f"threadIdx.{a}") for a in "xyz"},
    **{f"w{a}": (f"blockIdx.{a}", f"blockIdx.{a}") for a in "xyz"},
    **{f"b{a}": (f"(int)blockIdx.{a}", f"blockIdx.{a}") for a in "xyz"},
    **{f"d{a}": (f"(int)blockDim.{a}", f"blockDim.{a}") for a in "xyz"},
    **{f"e{a}": (f"blockDim.{a}", f"blockDim.{a}") for a in "xyz"},
}  # fmt: skip


@dataclass(eq=False)
class At:
    """An element of an array at a place that is in range as it is written: a formula."""

    array: str
    type: Scalar
    index: str
    space: str  # input, constant, plane, shared, dynamic
    field: str = ""


@dataclass(eq=False)
class Formula:
    """A condition on places, or a whole number."""

    text: str
    type: Scalar = BOOL


# Functions of formulas: `wide` is a conversion to 64 bits.
_FUNCTIONS: dict[str, tuple[str, Callable[..., Values]]] = {
    "min": ("min", np.minimum), "max": ("max", np.maximum), "wide": ("(long long)", lambda a: a),
}  # fmt: skip

_NAME = re.compile(r"[A-Za-z_]\w*")


def spelled(formula: str, name_of: Callable[[str], str]) -> str:
    """The formula as C++; `name_of` spells what is none of ours."""

    def word(match: re.Match[str]) -> str:
        name = match[0]
        if name in _FUNCTIONS:
            return _FUNCTIONS[name][0]
        return COORDINATES[name][0] if name in COORDINATES else name_of(name)

    return _NAME.sub(word, formula).replace("//", "/")


def names(formula: str) -> set[str]:
    """The names that a formula takes from the program."""
    return set(_NAME.findall(formula)) - {*_FUNCTIONS, *COORDINATES}


def value(formula: str, coordinates: dict[str, Values], value_of: Callable[[str], Values]) -> Values:
    """The formula's values, one a thread."""
    parts = [f"({part})" for part in formula.split("&&")]
    scope: dict[str, object] = {"__builtins__": {}, **{name: f for name, (_, f) in _FUNCTIONS.items()}}
    for name in _NAME.findall(formula):
        if name not in scope:
            known = coordinates[COORDINATES[name][1]] if name in COORDINATES else value_of(name)
            scope[name] = known.astype(np.int64)
    result = eval(" & ".join(parts), scope)
    count = len(coordinates["tid"])
    return np.broadcast_to(np.asarray(result), (count,))
