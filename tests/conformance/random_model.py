"""cuRAND's generators in Python integers: each step a matrix, which is squared to skip ahead."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

WORD = 0xFFFFFFFF
M1, M2 = 2**32 - 209, 2**32 - 22853

Matrix = tuple[tuple[int, ...], ...]


# XORWOW: 160 bits, a matrix as its columns.


def xorwow_next(bits: int) -> int:
    first, last = bits & WORD, bits >> 128
    t = first ^ first >> 2
    return bits >> 32 | ((last ^ last << 4 ^ t ^ t << 1) & WORD) << 128


def apply(columns: tuple[int, ...], bits: int) -> int:
    result = 0
    while bits:
        result ^= columns[(bits & -bits).bit_length() - 1]
        bits &= bits - 1
    return result


@functools.cache
def xorwow_power(exponent: int) -> tuple[int, ...]:
    """The step 2^exponent times."""
    if exponent == 0:
        return tuple(xorwow_next(1 << i) for i in range(160))
    half = xorwow_power(exponent - 1)
    return tuple(apply(half, column) for column in half)


def set_bits(n: int) -> Iterator[int]:
    return (i for i in range(n.bit_length()) if n >> i & 1)


class Xorwow:
    def __init__(self, seed: int, sequence: int = 0, offset: int = 0):
        low = 1099087573 * (seed & WORD ^ 0xAAD26B49) & WORD
        high = 2591861531 * (seed >> 32 ^ 0xF7DCEFDD) & WORD
        words = (123456789 + low, 362436069 ^ low, 521288629 + high, 88675123 ^ high, 5783321 + low)
        self.bits = sum((w & WORD) << 32 * i for i, w in enumerate(words))
        self.counter = 6615241 + high + low & WORD
        self.skip_sequence(sequence)
        self.skip(offset)

    def skip(self, n: int) -> None:
        for i in set_bits(n):
            self.bits = apply(xorwow_power(i), self.bits)
        self.counter = self.counter + 362437 * n & WORD

    def skip_sequence(self, n: int) -> None:
        for i in set_bits(n):
            self.bits = apply(xorwow_power(67 + i), self.bits)

    def next(self) -> int:
        self.bits = xorwow_next(self.bits)
        self.counter = self.counter + 362437 & WORD
        return (self.bits >> 128) + self.counter & WORD


# MRG32k3a: two recurrences modulo primes.


def times(a: Matrix, b: Matrix, m: int) -> Matrix:
    return tuple(tuple(sum(x * y for x, y in zip(r, c, strict=True)) % m for c in zip(*b, strict=True)) for r in a)


@functools.cache
def mrg_power(which: int, exponent: int) -> Matrix:
    if exponent == 0:
        last = ((-810728, 1403580, 0), (-1370589, 0, 527612))[which]
        return ((0, 1, 0), (0, 0, 1), last)
    half = mrg_power(which, exponent - 1)
    return times(half, half, (M1, M2)[which])


class Mrg32k3a:
    def __init__(self, seed: int, subsequence: int = 0, offset: int = 0):
        low, high = seed & WORD ^ 0x55555555, seed >> 32 ^ 0xAAAAAAAA
        first, second = ((low, high, low), (high, low, high)) if seed else ((1, 1, 1), (1, 1, 1))
        self.s = [tuple(12345 * x % M1 for x in first), tuple(12345 * x % M2 for x in second)]
        self.jump(subsequence, 76)
        self.jump(offset, 0)

    def jump(self, n: int, base: int) -> None:
        for which, m in enumerate((M1, M2)):
            for i in set_bits(n):
                power = mrg_power(which, base + i)
                s = self.s[which]
                self.s[which] = tuple(sum(x * y for x, y in zip(r, s, strict=True)) % m for r in power)

    def skip(self, n: int) -> None:
        self.jump(n, 0)

    def skip_sequence(self, n: int) -> None:
        self.jump(n, 127)

    def raw(self) -> int:
        """From 1 to M1."""
        self.jump(1, 0)
        return (self.s[0][2] - self.s[1][2] - 1) % M1 + 1

    def next(self) -> int:
        return int(float(self.raw()) * 1.000000048662)


# Philox: a counter, ten rounds.


def philox(counter: int, key: int) -> list[int]:
    c = [counter >> 32 * i & WORD for i in range(4)]
    k = [key & WORD, key >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & WORD, a >> 32 ^ c[3] ^ k[1], a & WORD]
        k = [k[0] + 0x9E3779B9 & WORD, k[1] + 0xBB67AE85 & WORD]
    return c


class Philox:
    def __init__(self, seed: int, subsequence: int = 0, offset: int = 0):
        self.key, self.place = seed, (subsequence << 66) + offset

    def skip(self, n: int) -> None:
        self.place += n

    def skip_sequence(self, n: int) -> None:
        self.place += n << 66

    def next(self) -> int:
        result = philox(self.place >> 2 & 2**128 - 1, self.key)[self.place & 3]
        self.place += 1
        return result


GENERATORS = {"XORWOW": Xorwow, "MRG32k3a": Mrg32k3a, "Philox4_32_10": Philox}


def sobol(vectors: list[int], scramble: int, start: int, count: int) -> list[int]:
    """Elements start, start + 1, ...: the directions of the bits of the index's Gray code."""
    values = []
    for i in itertools.islice(itertools.count(start), count):
        gray, value = i ^ i >> 1, scramble
        for k, v in enumerate(vectors):
            value ^= v * (gray >> k & 1)
        values.append(value)
    return values
