"""What a run of the interpreter holds: memory, the variables of a call, and how it may end early."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from . import program as p
from .operations import Values

Mask = NDArray[np.bool_]


class Ambiguous(Exception):
    """The program breaks a rule of CUDA (a mask that does not name its lanes, a barrier that not all reach)."""


class TooLong(Exception):
    """The program takes more steps than it may."""


@dataclass
class Store:
    """Memory: rows of elements, and which row each thread sees."""

    data: Values
    row: NDArray[np.intp]
    length: int


@dataclass
class Frame:
    """The variables of one call of a function, and who left its constructs."""

    variables: dict[str, Values] = field(default_factory=dict)
    arrays: dict[str, Store] = field(default_factory=dict)
    left: dict[int, Mask] = field(default_factory=dict)
    again: dict[int, Mask] = field(default_factory=dict)
    masks: dict[str, Values] = field(default_factory=dict)
    function: p.Function | None = None
    result: Values | None = None
    depth: Values | None = None
