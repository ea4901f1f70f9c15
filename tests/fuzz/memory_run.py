"""What updates of memory do in the interpreter: atomic operations, tickets, moved bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import operations as o
from . import program as p
from .frames import Ambiguous, Frame, Mask, Store
from .operations import Values
from .types import Scalar


def ranks(cells: NDArray[np.intp], backwards: bool) -> NDArray[np.intp]:
    """How many of those before each, or behind it, have the same cell."""
    if backwards:
        return ranks(cells[::-1], False)[::-1]
    order, count = np.argsort(cells, kind="stable"), np.arange(len(cells))
    ordered = cells[order]
    first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    out = np.empty_like(count)
    out[order] = count - np.maximum.accumulate(np.where(first, count, 0))
    return out


class MemoryRun:
    """Statements of the interpreter, which knows places and values."""

    count: int
    backwards: bool  # threads draw numbers from the last one on
    frame: Frame

    def evaluate(self, e: p.Expression) -> Values:
        raise NotImplementedError

    def converted(self, e: p.Expression, t: Scalar) -> Values:
        raise NotImplementedError

    def store(self, place: p.Place, value: Values, active: Mask) -> None:
        raise NotImplementedError

    def _address(self, e: p.Element | p.At | p.Slot) -> tuple[Store, NDArray[np.intp]]:
        raise NotImplementedError

    def _do_atomic(self, s: p.Atomic, active: Mask) -> Mask:
        store, index = self._address(s.place)
        value = self.converted(s.value, s.place.type)
        at = store.row[active], index[active]
        operation: Any = o.ATOMICS[s.name]
        operation.at(store.data, at, value[active])
        return active

    def _do_ownatomic(self, s: p.OwnAtomic, active: Mask) -> Mask:
        old = self.evaluate(s.place)
        args = [self.converted(a, s.place.type) for a in s.args]
        new = np.where(old == args[0], args[1], old) if s.name == "atomicCAS" else o.ATOMICS[s.name](old, args[0])
        self.store(s.place, new, active)
        self.store(s.target, o.convert(old, s.place.type, s.target.type), active)
        return active

    def _do_ticket(self, s: p.Ticket, active: Mask) -> Mask:
        store, index = self._address(s.place)
        rows, columns = store.row[active], index[active]
        numbers = store.data[rows, columns].astype(np.int64) + ranks(rows * store.length + columns, self.backwards)
        np.add.at(store.data, (rows, columns), store.data.dtype.type(1))
        if s.way == "inc":
            if (numbers > s.limit).any():
                raise Ambiguous(f"{s.place.array} goes beyond its last number")
            store.data[rows, columns] = store.data[rows, columns].astype(np.int64) % (s.limit + 1)
        self.frame.variables[s.variable][active] = numbers
        return active

    def _do_bytes(self, s: p.Bytes, active: Mask) -> Mask:
        store, first = self._address(s.place)
        rows, columns = store.row[active, None], first[active, None] + np.arange(s.count)
        if (columns >= store.length).any():
            raise Ambiguous(f"bytes behind {s.place.array}")
        whole = self.frame.variables[s.variable].view(np.uint8).reshape(self.count, -1)
        if not s.out:
            whole[active, : s.count] = store.data[rows, columns]
            return active
        if len(np.unique(rows * store.length + columns)) < columns.size:
            raise Ambiguous(f"several threads write bytes of {s.place.array}")
        store.data[rows, columns] = whole[active, : s.count]
        return active
