"""The floating-point types of 16 bits, computed here in integers: what their conformance cases expect."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint16]
Doubles = NDArray[np.float64]

MODES = ("rn", "rz", "ru", "rd")
EVERY = np.arange(65536, dtype=np.uint16)

PREAMBLE = """
#include <cuda_fp16.h>
typedef __half T;
typedef __half2 T2;
#define EACH(i, n)                                                                       \\
  for (int i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); i < n; \\
       i += blockDim.x * blockDim.y * blockDim.z)
"""


@dataclass(frozen=True)
class Format:
    """A sign, an exponent, `precision` bits of significand with the hidden one; `lowest` is the exponent of the last place."""

    word: str  # in the names of CUDA's functions
    header: str
    precision: int
    lowest: int

    @property
    def infinity(self) -> int:
        """Its bits."""
        return 0x8000 - (1 << (self.precision - 1))

    def source(self, text: str) -> str:
        """The kernel, written for half, for this type."""
        return (PREAMBLE + text).replace("cuda_fp16", self.header).replace("half", self.word).replace(
            "__bfloat16 T", "__nv_bfloat16 T"
        ).replace("__bfloat162 T2", "__nv_bfloat162 T2")  # fmt: skip

    def array(self, bits: Any) -> NDArray[Any]:
        """Bits as an array that a parameter of the type takes: NumPy knows half, bfloat16 is a record of two bytes."""
        return np.ascontiguousarray(bits, np.uint16).view(np.float16 if self.word == "half" else "V2")

    def decode(self, bits: Bits) -> Doubles:
        """The exact values."""
        size = bits.astype(np.int64) & 0x7FFF
        stored = self.precision - 1
        exponent, fraction = size >> stored, size & ((1 << stored) - 1)
        normal = np.ldexp((fraction + (1 << stored)).astype(float), exponent - 1 + self.lowest)
        value = np.where(exponent > 0, normal, np.ldexp(fraction.astype(float), self.lowest))
        value = np.where(size == self.infinity, np.inf, np.where(size > self.infinity, np.nan, value))
        return np.where(bits >> 15 != 0, -value, value)

    def encode(self, values: Any, mode: str = "rn") -> Bits:
        """The values rounded; NaN is 0x7fff."""
        values = np.ascontiguousarray(values, np.float64)
        raw = values.view(np.uint64)
        sign, exponent = (raw >> np.uint64(63)).astype(bool), (raw >> np.uint64(52)).astype(np.int64) & 0x7FF
        significand = (raw & np.uint64((1 << 52) - 1)).astype(np.int64) | np.where(exponent > 0, 1 << 52, 0)
        place = np.maximum(exponent, 1) - 1075
        last = np.maximum(place + 53 - self.precision, self.lowest)
        shift = np.minimum(last - place, 60)
        kept, rest, tie = significand >> shift, significand & ((1 << shift) - 1), 1 << (shift - 1)
        up = {
            "rn": (rest > tie) | (rest == tie) & (kept & 1 == 1),
            "rz": np.zeros(values.shape, bool),
            "ru": ~sign & (rest > 0),
            "rd": sign & (rest > 0),
        }[mode]
        size = ((last - self.lowest) << (self.precision - 1)) + kept + up
        outwards = {"rn": np.ones(values.shape, bool), "rz": up, "ru": ~sign, "rd": sign}[mode] | np.isinf(values)
        size = np.where(size < self.infinity, size, np.where(outwards, self.infinity, self.infinity - 1))
        return np.where(np.isnan(values), 0x7FFF, size | sign * 0x8000).astype(np.uint16)

    def same(self, run: Any, actual: NDArray[Any], expected: Bits, what: str = "") -> None:
        """Bit for bit; a NaN equals any other."""
        run.same(self.canonical(actual.view(np.uint16)), self.canonical(expected), what)

    def close(self, run: Any, actual: NDArray[Any], expected: Bits, ulps: int, what: str = "") -> None:
        """So many steps on the line of all values at most; NaN where it is expected, and there only."""
        steps = np.abs(self._step(actual.view(np.uint16)) - self._step(expected))
        run.same(np.where(steps <= ulps, expected, actual.view(np.uint16)), expected, what)

    def canonical(self, bits: Bits) -> Bits:
        """With one NaN."""
        return np.where((bits & 0x7FFF) > self.infinity, np.uint16(0x7FFF), bits)

    def _step(self, bits: Bits) -> NDArray[np.int64]:
        size = (bits & 0x7FFF).astype(np.int64)
        return np.where(size > self.infinity, 1 << 20, np.where(bits >> 15 != 0, -size, size))

    @functools.cached_property
    def special(self) -> Bits:
        """Zeros, ends of the denormals and of the normals, ones, infinities, NaNs."""
        one = int(self.encode(np.array([1.0]))[0])
        sizes = [0, 1, 2, 3, (1 << (self.precision - 1)) - 1, 1 << (self.precision - 1), one - 1, one, one + 1]
        sizes += [int(x) for x in self.encode(np.array([0.5, 1.5, 2.0, 3.0, 65504.0, 100.0]))]
        sizes += [self.infinity - 2, self.infinity - 1, self.infinity, self.infinity + 1, 0x7FFF]
        return np.array([*sizes, *(0x8000 | s for s in sizes)], np.uint16)

    @functools.cached_property
    def pairs(self) -> tuple[Bits, Bits]:
        """Operands of two: special ones with each other, random bits, and random ones of like size, which cancel."""
        a, b = (x.reshape(-1) for x in np.meshgrid(self.special, self.special))
        random = np.random.default_rng(16).integers(0, 65536, (2, 3000), np.uint16)
        near = random[0] + np.random.default_rng(17).integers(0, 5000, 3000, np.uint16)
        return np.concatenate([a, *random]), np.concatenate([b, random[1], near])

    @functools.cached_property
    def triples(self) -> tuple[Bits, Bits, Bits]:
        """Operands of a fused operation: random ones, and products that are ties of the sum but for a tiny addend."""
        a, b = self.pairs
        random = np.random.default_rng(18)
        c = random.integers(0, 65536, a.size, np.uint16)
        x, y = random.uniform(1, 2, (2, 20000))
        p, q = self.encode(x), self.encode(y)
        product = self.decode(p) * self.decode(q)
        ties = self.decode(self.encode(product, "rz")) != product
        step = 2.0 ** (1 - self.precision)
        ties &= product / np.where(product < 2, 1, 2) % step == step / 2
        tiny = np.array([1, 2, 3, 0x8001, 0x8002, 0x8003, 0, 0x8000], np.uint16)
        p_tie, q_tie = (np.repeat(x[ties][:300], tiny.size) for x in (p, q))
        opposite = self.encode(-product)
        return (
            np.concatenate([a, p_tie, p[:5000]]),
            np.concatenate([b, q_tie, q[:5000]]),
            np.concatenate([c, np.tile(tiny, p_tie.size // tiny.size), opposite[:5000]]),
        )

    @functools.cached_property
    def fused(self) -> Bits:
        """a * b + c of the triples, rounded once: computed in integers of any size."""
        a, b, c = (self.decode(bits) for bits in self.triples)
        with np.errstate(all="ignore"):
            values = a * b + c
        finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(c)
        for i in np.flatnonzero(finite):
            values[i] = self._exact_fma(a[i], b[i], c[i], values[i])
        return self.encode(values)

    def _exact_fma(self, a: float, b: float, c: float, approximate: float) -> float:
        """a * b + c with 53 bits, the last of which is set where more would follow; a zero keeps its sign."""
        scale = -2 * self.lowest
        total = sum(int(math.ldexp(x, -self.lowest)) * int(math.ldexp(y, -self.lowest)) for x, y in ((a, b), (c, 1.0)))
        if total == 0:
            return approximate
        size = abs(total)
        excess = max(size.bit_length() - 53, 0)
        kept = size >> excess | (size & ((1 << excess) - 1) != 0)
        return math.copysign(math.ldexp(kept, excess - scale), total)


HALF = Format("half", "cuda_fp16", 11, -24)
BFLOAT16 = Format("bfloat16", "cuda_bf16", 8, -133)


def both(names: Any = None) -> dict[str, Any]:
    """For @case(each=...): each type, with each of the names (or values by name)."""
    formats = {"half": HALF, "bfloat16": BFLOAT16}
    if names is None:
        return dict(formats)
    items = names if isinstance(names, dict) else {name: name for name in names}
    return {f"{word} {name}": (form, value) for word, form in formats.items() for name, value in items.items()}
