"""What the files of kernels say to compare.py: a kernel, its twin, what both are called with."""

import dataclasses
from collections.abc import Sequence
from typing import Any


@dataclasses.dataclass
class Case:
    """
    One kernel and its twin.

    source: CUDA C++ with one kernel, or with several of which `kernel` names one.
    twin: C++ with a function `twin` of the kernel's parameters (`extern "C"` is added), which gives the same results for the whole grid.
    args: what both are called with: arrays, of which each side gets its own, or NumPy scalars.
    results: the indices of the arrays to compare, by default all; `tolerance` is relative to the greatest value.
    shared: bytes of dynamic shared memory.
    """

    name: str
    source: str
    twin: str
    args: Sequence[Any]
    grid: int | tuple[int, ...]
    block: int | tuple[int, ...]
    kernel: str = ""
    results: Sequence[int] | None = None
    tolerance: float = 1e-4
    shared: int = 0


CASES: list[Case] = []


def case(name: str, source: str, twin: str, args: Sequence[Any], grid: Any, block: Any, **others: Any) -> None:
    CASES.append(Case(name, source, twin, args, grid, block, **others))
