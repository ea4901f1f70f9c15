"""What warp operations mean (CUDA programming guide, PTX manual: shfl.sync, vote, match, redux), on NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .operations import Values

Mask = NDArray[np.bool_]

_BIT = np.uint32(1) << np.arange(32, dtype=np.uint32)


class WarpOperations:
    """Operations on values of threads in whole warps of 32, `lane` the number of each in its warp."""

    def __init__(self, lane: NDArray[np.uint32]) -> None:
        self.lane = np.arange(len(lane), dtype=np.int64) % 32
        self.first = np.arange(len(lane), dtype=np.int64) - self.lane

    def ballot(self, predicate: Mask) -> Values:
        words = (predicate.reshape(-1, 32) * _BIT).sum(axis=1, dtype=np.uint32)
        return np.repeat(words, 32)

    def shuffle(
        self, kind: str, value: Values, argument: Values, width: int, active: Mask, alternative: Values
    ) -> Values:
        """The value of the source lane; a source outside the segment is the lane itself; an inactive one gives the alternative."""
        lane, by = self.lane, argument.astype(np.int64) & 31
        first, last = lane & ~(width - 1), lane | (width - 1)
        if kind == "idx":
            source = first | (by & (width - 1))
        elif kind == "up":
            source = np.where(lane - by >= first, lane - by, lane)
        elif kind == "down":
            source = np.where(lane + by <= last, lane + by, lane)
        else:
            source = np.where((lane ^ by) <= last, lane ^ by, lane)
        at = self.first + source
        return np.where(active[at], value[at], alternative)

    def vote(self, kind: str, value: Values, active: Mask) -> Values:
        if kind in ("ballot", "any", "all"):
            members, true = self.ballot(active), self.ballot(active & value.astype(np.bool_))
            if kind == "ballot":
                return true
            return ((true != 0) if kind == "any" else (true == members)).astype(np.int32)
        rows, mask = value.reshape(-1, 32), active.reshape(-1, 32)
        if kind in ("match_any", "match_all"):
            return self._match(kind, rows, mask)
        return self._reduce(kind, rows, mask)

    def _match(self, kind: str, rows: Values, mask: Mask) -> Values:
        equal = (rows[:, :, None] == rows[:, None, :]) & mask[:, None, :]
        words = (equal * _BIT).sum(axis=2, dtype=np.uint32).reshape(-1)
        if kind == "match_any":
            return words
        members = self.ballot(mask.reshape(-1))
        agreed = words == members
        return np.where(agreed, members, ~np.uint32(0)).astype(
            np.uint32
        )  # as the emitter writes it: ~0 where not all agree

    def _reduce(self, kind: str, rows: Values, mask: Mask) -> Values:
        operation: Any = {
            "add": np.add, "min": np.minimum, "max": np.maximum,
            "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
        }[kind.removeprefix("reduce_")]  # fmt: skip
        info = np.iinfo(rows.dtype)
        neutral = {"reduce_min": info.max, "reduce_max": info.min, "reduce_and": info.max}.get(kind, 0)
        reduced = operation.reduce(np.where(mask, rows, rows.dtype.type(neutral)), axis=1, dtype=rows.dtype)
        return np.repeat(reduced, 32)
