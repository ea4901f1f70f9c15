"""The arrays of a program."""

from __future__ import annotations

from dataclasses import dataclass

from .types import Record, Scalar


@dataclass(eq=False)
class Array:
    """An array that the kernel is given or declares."""

    name: str
    type: Scalar | Record
    length: int
    space: str  # input, constant, own, atomic, plane (each element is one thread's), shared, dynamic, warp
    operation: str = ""  # of an atomic array: the one operation applied to it
    seed: int = 0  # of its first contents
    owner: str = ""  # of a shared array: the function that alone uses it, or "idiom"
    locked: bool = False  # an atomic array whose operations are done under a lock, and not by atomic operations
    swapped: bool = False  # whose operations are loops around atomicCAS
    values: tuple[int, ...] = ()  # of a constant array, in place of random ones
    restrict: bool = False  # the parameter is __restrict__
