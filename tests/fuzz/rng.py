"""The generator's own random numbers (splitmix64), so that a seed means the same program under every Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

_WORD = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15


class Rng:
    """A stream of random choices, fixed by its seed."""

    def __init__(self, seed: int) -> None:
        self._state = seed * 0xD1342543DE82EF95 + 0x2545F4914F6CDD1D & _WORD

    def word(self) -> int:
        """64 random bits. Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014."""
        self._state = self._state + _STEP & _WORD
        z = self._state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB & _WORD
        return z ^ z >> 31

    def below(self, n: int) -> int:
        """An integer in [0, n)."""
        return (self.word() >> 11) % n

    def between(self, low: int, high: int) -> int:
        """An integer in [low, high]."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred cases."""
        return self.below(100) < percent

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[tuple[T, int]]) -> T:
        """One of the items, each as likely as its weight says."""
        at = self.below(sum(weight for _, weight in items))
        for item, weight in items:
            at -= weight
            if at < 0:
                return item
        raise AssertionError("weights are positive")


def words(seed: int, count: int) -> NDArray[np.uint64]:
    """`count` words of the stream of `seed`, at once."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed & _WORD) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(_STEP)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        mixed: NDArray[np.uint64] = z ^ z >> np.uint64(31)
        return mixed
