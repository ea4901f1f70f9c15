"""Statements of memory itself: numbers drawn from a counter, and bytes moved."""

from __future__ import annotations

from dataclasses import dataclass

from .places import At


@dataclass(eq=False)
class Ticket:
    """
    variable = the counter, which grows by one: every thread draws another number, in an order that nobody knows. So a
    program may show no more of it than what is the same in any order.
    """

    variable: str  # an int
    place: At
    way: str  # add, inc, swap (a loop around atomicCAS)
    limit: int = 0xFFFFFFFF  # of inc: after it comes 0


@dataclass(eq=False)
class Bytes:
    """memcpy of some bytes between an integer variable, its lowest first, and an array of bytes from a place on."""

    variable: str
    place: At
    count: int
    out: bool  # from the variable into the array
