#!/usr/bin/env python3
"""Derive the constants that random generators skip ahead with and write include/__lanza/random/jumps.h.

A generator's step is a matrix A. For XORWOW, over GF(2), A^n is a polynomial in A of degree below 160: x^n modulo the
minimal polynomial of A (Haramoto, Matsumoto, Nishimura, Panneton, L'Ecuyer, "Efficient Jump Ahead for F2-Linear Random
Number Generators", 2008). For MRG32k3a it is a 3 x 3 matrix (L'Ecuyer, Simard, Chen, Kelton, "An Object-Oriented
Random-Number Package with Many Long Streams and Substreams", 2002).

    python3 derive_random.py > include/__lanza/random/jumps.h
"""

from __future__ import annotations

WORDS = 5
BITS = 32 * WORDS
MASK = 0xFFFFFFFF

Matrix = list[list[int]]


def xorwow_step(v: list[int]) -> list[int]:
    """Marsaglia, "Xorshift RNGs", 2003, without the counter."""
    t = v[0] ^ v[0] >> 2
    return [*v[1:], (v[4] ^ v[4] << 4 ^ t ^ t << 1) & MASK]


def minimal_polynomial(bits: list[int]) -> int:
    """Berlekamp and Massey: the polynomial, bit i for x^i, of the shortest recurrence that gives the bits."""
    current, previous, length, shift = 1, 1, 0, 1
    for n in range(len(bits)):
        wrong = 0
        for i in range(length + 1):
            wrong ^= current >> i & bits[n - i]
        if not wrong:
            shift += 1
            continue
        before = current
        current ^= previous << shift
        if 2 * length <= n:
            length, previous, shift = n + 1 - length, before, 1
        else:
            shift += 1
    return int(format(current, f"0{length + 1}b")[::-1], 2)


def square(a: int, modulus: int) -> int:
    result = 0
    for i in range(BITS):
        if a >> i & 1:
            result ^= 1 << 2 * i
    for i in range(2 * BITS, BITS - 1, -1):
        if result >> i & 1:
            result ^= modulus << i - BITS
    return result


def xorwow_modulus() -> int:
    v, bits = [1, 2, 3, 4, 5], []
    for _ in range(2 * BITS + 8):
        bits.append(v[0] & 1)
        v = xorwow_step(v)
    modulus = minimal_polynomial(bits)
    assert modulus.bit_length() == BITS + 1
    return modulus


def row(polynomial: int) -> str:
    words = [polynomial >> 32 * i & MASK for i in range(WORDS)]
    return "{" + ", ".join(f"0x{w:08x}" for w in words) + "}"


def emit_xorwow() -> None:
    modulus = xorwow_modulus()
    power, rows = 2, []
    for _ in range(67 + 64):
        rows.append(row(power))
        power = square(power, modulus)
    for name, what, first in (("offset", "2^i", 0), ("sequence", "2^(67 + i)", 67)):
        print(f"// Row i: x^({what}), coefficients from the lowest.")
        print(f"static __device__ const unsigned int __lanza_xorwow_{name}[64][{WORDS}] = {{")
        print("    " + ",\n    ".join(rows[first : first + 64]) + "};\n")


def product(a: Matrix, b: Matrix, m: int) -> Matrix:
    return [[sum(a[i][k] * b[k][j] for k in range(3)) % m for j in range(3)] for i in range(3)]


def emit_mrg() -> None:
    """L'Ecuyer, "Good Parameters and Implementations for Combined Multiple Recursive Random Number Generators", 1999."""
    m1, m2 = 2**32 - 209, 2**32 - 22853
    steps = ((m1, [[0, 1, 0], [0, 0, 1], [-810728, 1403580, 0]]), (m2, [[0, 1, 0], [0, 0, 1], [-1370589, 0, 527612]]))
    for name, exponent in (("step", 0), ("subsequence", 76), ("sequence", 127)):
        print(f"// The step's matrices to the power 2^{exponent}.")
        print(f"static __device__ const unsigned int __lanza_mrg_{name}[2][3][3] = {{")
        for m, step in steps:
            a = [[x % m for x in r] for r in step]
            for _ in range(exponent):
                a = product(a, a, m)
            print("    {" + ", ".join("{" + ", ".join(f"{x}u" for x in r) + "}" for r in a) + "},")
        print("};")


print("// Made by derive_random.py: what the generators skip ahead with.")
print("#pragma once\n")
print("// clang-format off")
emit_xorwow()
emit_mrg()
print("// clang-format on")
