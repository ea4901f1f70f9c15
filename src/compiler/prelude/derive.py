#!/usr/bin/env python3
"""Derive the polynomials of the mathematical functions and write math_polynomials.cuh.

Each is the interpolant of its function at Chebyshev nodes, which is within a small factor of the best approximation,
computed with 60 digits (Trefethen, "Approximation Theory and Approximation Practice", chapters 4 and 16). Those with a
weight are fitted by least squares instead, the coefficients rounded one after the other, the lowest first, and what is
left fitted by the others: floats whose rounding would count. Needs mpmath.

    python3 derive.py > math_polynomials.cuh
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp, mpf

mp.dps = 60


@dataclass
class Polynomial:
    name: str
    what: str
    function: Callable[[mpf], mpf]
    low: mpf
    high: mpf
    coefficients: int
    single: bool = False
    weight: Callable[[mpf], mpf] | None = None  # of an error, as it counts in the result


def rounded(value: mpf, single: bool) -> mpf:
    if single:
        return mpf(struct.unpack("f", struct.pack("f", float(value)))[0])
    return mpf(float(value))


def interpolate(values: list[mpf], nodes: list[mpf]) -> list[mpf]:
    """Coefficients, lowest power first, of the polynomial through the points (Newton's divided differences)."""
    n = len(nodes)
    table = list(values)
    for j in range(1, n):
        for i in range(n - 1, j - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (nodes[i] - nodes[i - j])
    result = [mpf(0)] * n
    result[0] = table[-1]
    for i in range(n - 2, -1, -1):
        for k in range(n - 1, 0, -1):
            result[k] = result[k - 1] - nodes[i] * result[k]
        result[0] = table[i] - nodes[i] * result[0]
    return result


def chebyshev_nodes(low: mpf, high: mpf, n: int) -> list[mpf]:
    return [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * k + 1) / (2 * n)) for k in range(n)]


def least_squares(nodes: list[mpf], values: list[mpf], weights: list[mpf], powers: range) -> list[mpf]:
    """Coefficients of these powers that leave the least sum of squares of the weighted errors."""
    sums = mp.matrix(len(powers), len(powers))
    right = mp.matrix(len(powers), 1)
    for x, y, w in zip(nodes, values, weights, strict=True):
        terms = [w * x**k for k in powers]
        for i, term in enumerate(terms):
            right[i] += term * w * y
            for j, other in enumerate(terms):
                sums[i, j] += term * other
    return list(mp.lu_solve(sums, right))


def fit_weighted(p: Polynomial, weight: Callable[[mpf], mpf]) -> list[mpf]:
    nodes = chebyshev_nodes(p.low, p.high, 160)
    rest, weights = [p.function(x) for x in nodes], [weight(x) for x in nodes]
    fixed: list[mpf] = []
    for k in range(p.coefficients):
        fixed.append(rounded(least_squares(nodes, rest, weights, range(k, p.coefficients))[0], p.single))
        rest = [y - fixed[k] * x**k for x, y in zip(nodes, rest, strict=True)]
    return fixed


def fit_interpolated(p: Polynomial) -> list[mpf]:
    nodes = chebyshev_nodes(p.low, p.high, p.coefficients)
    nodes = [x if x != 0 else (p.high - p.low) * mpf(2) ** -40 for x in nodes]
    return [rounded(c, p.single) for c in interpolate([p.function(x) for x in nodes], nodes)]


def fit(p: Polynomial) -> tuple[list[mpf], mpf]:
    fixed = fit_weighted(p, p.weight) if p.weight else fit_interpolated(p)
    error = mpf(0)
    for x in chebyshev_nodes(p.low, p.high, 101):
        if x != 0:
            approximation = sum((c * x**i for i, c in enumerate(fixed)), mpf(0))
            error = max(error, abs(approximation - p.function(x)) * (p.weight(x) if p.weight else 1))
    return fixed, error


def literal(value: mpf, single: bool) -> str:
    text = f"{float(value):.9g}" if single else f"{float(value):.17g}"
    if "." not in text and "e" not in text:
        text += ".0"
    return text + ("f" if single else "")


def emit(p: Polynomial) -> None:
    coefficients, error = fit(p)
    kind = "float" if p.single else "double"
    meaning = "error of the result" if p.weight else "error"
    print(
        f"\n// {p.what} on [{mp.nstr(p.low, 6)}, {mp.nstr(p.high, 6)}], {meaning} at most 2^{float(mp.log(error, 2)):.1f}."
    )
    print(f"__LANZA_FN {kind} __lanza_poly_{p.name}({kind} x) {{")
    emit_steps(kind, [literal(c, p.single) for c in coefficients])
    print("}")


def emit_steps(kind: str, c: list[str]) -> None:
    """Horner's rule. Of long ones, which a processor would wait for, all but the two lowest coefficients are summed by
    powers of x^2 or x^4, in chains that wait for nobody; those last two steps keep the error what it was."""
    fma = "__builtin_fmaf" if kind == "float" else "__builtin_fma"

    def horner(name: str, terms: list[str], power: str) -> None:
        print(f"  {kind} {name} = {terms[-1]};")
        for term in reversed(terms[:-1]):
            print(f"  {name} = {fma}({name}, {power}, {term});")

    if len(c) < 10:
        horner("p", c[1:], "x")
        print(f"  return {fma}(p, x, {c[0]});")
        return
    if len(c) < 18:
        print(f"  {kind} square = x * x;")
        horner("p", c[2::2], "square")
        horner("q", c[3::2], "square")
        print(f"  p = {fma}(q, x, p);")
    else:
        print(f"  {kind} square = x * x, fourth = square * square;")
        for k, name in enumerate("pqrs"):
            horner(name, c[2 + k :: 4], "fourth")
        print(f"  p = {fma}({fma}(s, x, r), square, {fma}(q, x, p));")
    print(f"  return {fma}({fma}(p, x, {c[1]}), x, {c[0]});")


def series(function: Callable[[mpf], mpf]) -> Callable[[mpf], mpf]:
    """For functions whose formula cancels near 0: evaluate with far more digits."""

    def precise(x: mpf) -> mpf:
        with mp.workdps(200):
            return +function(mpf(x))

    return precise


def root(z: mpf) -> mpf:
    return mp.sqrt(z)


LN2_HALF = mp.log(2) / 2 * mpf("1.001")
QUARTER_PI = mp.pi / 4 * mpf("1.001")
HALF_PI = mp.pi / 2 * mpf("1.001")
SIN_CUBE = rounded(mpf("-0.166666597"), True)
STIRLING = mp.log(2 * mp.pi) / 2
SQRT_HALF_RATIO = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)
S2 = SQRT_HALF_RATIO**2 * mpf("1.01")


def lgamma(x: mpf) -> mpf:
    return mp.log(abs(mp.gamma(x)))


def erfcx_scaled(t: mpf, k: int) -> mpf:
    return (t + k) * mp.exp(t * t) * mp.erfc(t)


def log1p_tail(f: mpf) -> mpf:
    return (mp.log(1 + f) - f + f * f / 2) / f**3


TABLE = [
    Polynomial("exp", "(exp(x) - 1 - x) / x^2", series(lambda x: (mp.exp(x) - 1 - x) / x**2), -LN2_HALF, LN2_HALF, 11),
    Polynomial(
        "exp_cubic",
        "(exp(x) - 1 - x - x^2 / 2) / x^3",
        series(lambda x: (mp.exp(x) - 1 - x - x**2 / 2) / x**3),
        -LN2_HALF,
        LN2_HALF,
        10,
    ),
    Polynomial(
        "exp_short",
        "(exp(x) - 1 - x) / x^2, for float results",
        series(lambda x: (mp.exp(x) - 1 - x) / x**2),
        -LN2_HALF,
        LN2_HALF,
        7,
    ),
    Polynomial(
        "log",
        "(2 atanh(s) - 2 s - 2/3 s^3) / s^5 of x = s^2",
        series(lambda z: (2 * mp.atanh(root(z)) / root(z) - 2 - z * 2 / 3) / z**2),
        mpf(0),
        S2,
        8,
    ),
    Polynomial(
        "log_quotient",
        "(2 atanh(s) - 2 s) / s^3 of x = s^2",
        series(lambda z: (2 * mp.atanh(root(z)) / root(z) - 2) / z),
        mpf(0),
        S2,
        7,
    ),
    Polynomial(
        "log_short",
        "(2 atanh(s) - 2 s) / s^3 of x = s^2, for float results",
        series(lambda z: (2 * mp.atanh(root(z)) / root(z) - 2) / z),
        mpf(0),
        S2,
        6,
    ),
    Polynomial(
        "sin",
        "(sin(r) - r) / r^3 of x = r^2",
        series(lambda z: (mp.sin(root(z)) / root(z) - 1) / z),
        mpf(0),
        QUARTER_PI**2,
        7,
    ),
    Polynomial(
        "cos",
        "(cos(r) - 1 + r^2 / 2) / r^4 of x = r^2",
        series(lambda z: (mp.cos(root(z)) - 1 + z / 2) / z**2),
        mpf(0),
        QUARTER_PI**2,
        7,
    ),
    Polynomial(
        "sinh",
        "(sinh(t) - t) / t^3 of x = t^2",
        series(lambda z: (mp.sinh(root(z)) / root(z) - 1) / z),
        mpf(0),
        mpf("1.001"),
        8,
    ),
    Polynomial(
        "atan",
        "(atan(t) - t) / t^3 of x = t^2",
        series(lambda z: (mp.atan(root(z)) / root(z) - 1) / z),
        mpf(0),
        (mp.sqrt(2) - 1) ** 2 * mpf("1.001"),
        13,
    ),
    Polynomial(
        "asin",
        "(asin(t) - t) / t^3 of x = t^2",
        series(lambda z: (mp.asin(root(z)) / root(z) - 1) / z),
        mpf(0),
        mpf("0.2501"),
        14,
    ),
    Polynomial(
        "erf", "erf(t) / t - 1 of x = t^2", series(lambda z: mp.erf(root(z)) / root(z) - 1), mpf(0), mpf("1.0"), 14
    ),
    Polynomial(
        "erfcx",
        "(1 + 2 t) exp(t^2) erfc(t) of x = (t - 4) / (t + 4)",
        series(
            lambda x: (
                (1 + 8 * (1 + x) / (1 - x)) * mp.exp((4 * (1 + x) / (1 - x)) ** 2) * mp.erfc(4 * (1 + x) / (1 - x))
                if x < mpf("0.98")
                else erfcx_tail(x)
            )
        ),
        mpf(-1),
        mpf(1),
        25,
    ),
    Polynomial("lgamma1", "lgamma(1 + x) / x", series(lambda x: lgamma(1 + x) / x), mpf("-0.5"), mpf("0.5"), 26),
    Polynomial("lgamma2", "lgamma(2 + x) / x", series(lambda x: lgamma(2 + x) / x), mpf("-0.6"), mpf("1.0"), 25),
    Polynomial(
        "stirling",
        "(lgamma(t) - ((t - 1/2) log(t) - t + log(2 pi) / 2)) t of x = 1 / t^2",
        series(
            lambda u: (
                (
                    lgamma(1 / root(u))
                    - ((1 / root(u) - mpf(1) / 2) * mp.log(1 / root(u)) - 1 / root(u) + mp.log(2 * mp.pi) / 2)
                )
                / root(u)
            )
        ),
        mpf("1e-8"),
        mpf(1) / 64,
        9,
    ),
    Polynomial("cbrt", "cbrt(x)", mp.cbrt, mpf(1), mpf(8), 7),
    Polynomial(
        "expf", "(exp(x) - 1 - x) / x^2", series(lambda x: (mp.exp(x) - 1 - x) / x**2), -LN2_HALF, LN2_HALF, 5, True
    ),
    Polynomial("exp2f", "(2^x - 1) / x", series(lambda x: (mpf(2) ** x - 1) / x), mpf("-0.5"), mpf("0.5"), 7, True),
    Polynomial("logf", "(log(1 + x) - x + x^2 / 2) / x^3", series(log1p_tail), mpf("-0.3334"), mpf("0.3334"), 9, True),
    Polynomial(
        "sinf",
        "(sin(r) - r - c r^3) / r^5 of x = r^2, c = -0.166666597",
        series(lambda z: (mp.sin(root(z)) / root(z) - 1 - SIN_CUBE * z) / z**2),
        mpf(0),
        HALF_PI**2,
        3,
        True,
        lambda z: root(z) ** 5 / mp.sin(root(z)),
    ),
    Polynomial(
        "tanf",
        "(tan(r) - r) / r^3 of x = r^2",
        series(lambda z: (mp.tan(root(z)) / root(z) - 1) / z),
        mpf(0),
        QUARTER_PI**2,
        6,
        True,
        lambda z: root(z) ** 3 / mp.tan(root(z)),
    ),
    Polynomial(
        "sinpif",
        "(sin(pi r) - pi r) / r^3 of x = r^2",
        series(lambda z: (mp.sinpi(root(z)) / root(z) - mp.pi) / z),
        mpf(0),
        mpf("0.0626"),
        4,
        True,
    ),
    Polynomial(
        "cospif",
        "(cos(pi r) - 1 + (pi r)^2 / 2) / r^4 of x = r^2",
        series(lambda z: (mp.cospi(root(z)) - 1 + mp.pi**2 * z / 2) / z**2),
        mpf(0),
        mpf("0.0626"),
        4,
        True,
    ),
    Polynomial(
        "tanhf",
        "(tanh(t) - t) / t^3 of x = t^2",
        series(lambda z: (mp.tanh(root(z)) / root(z) - 1) / z),
        mpf(0),
        mpf("0.3025"),
        5,
        True,
    ),
    Polynomial(
        "erff",
        "erf(t) / t - 1 of x = t^2",
        series(lambda z: mp.erf(root(z)) / root(z) - 1),
        mpf(0),
        mpf("0.85"),
        7,
        True,
    ),
    Polynomial(
        "atanf",
        "(atan(t) - t) / t^3 of x = t^2",
        series(lambda z: (mp.atan(root(z)) / root(z) - 1) / z),
        mpf(0),
        mpf(1),
        8,
        True,
        lambda z: root(z) ** 3 / mp.atan(root(z)),
    ),
    Polynomial(
        "asinf",
        "(asin(t) - t) / t^3 of x = t^2",
        series(lambda z: (mp.asin(root(z)) / root(z) - 1) / z),
        mpf(0),
        mpf("0.2501"),
        5,
        True,
        lambda z: root(z) ** 3 / mp.asin(root(z)),
    ),
    Polynomial(
        "coshf",
        "(cosh(r) - 1) / r^2 of x = r^2",
        series(lambda z: (mp.cosh(root(z)) - 1) / z),
        mpf(0),
        LN2_HALF**2,
        3,
        True,
        lambda z: z,
    ),
    Polynomial(
        "sinhf",
        "(sinh(r) - r) / r^3 of x = r^2",
        series(lambda z: (mp.sinh(root(z)) / root(z) - 1) / z),
        mpf(0),
        LN2_HALF**2,
        2,
        True,
        lambda z: root(z) ** 3 / mp.sinh(root(z)),
    ),
    Polynomial("erfcf", "log(erfc(x)) / x", series(lambda x: mp.log(mp.erfc(x)) / x), mpf("0.9"), mpf("4.0"), 8, True),
    Polynomial(
        "erfcxf",
        "(t + 3) exp(t^2) erfc(t) of x = (t - 3) / (t + 3)",
        series(lambda x: erfcx_scaled(3 * (1 + x) / (1 - x), 3)),
        mpf(-1),
        mpf("0.5455"),
        10,
        True,
        lambda x: 1 / erfcx_scaled(3 * (1 + x) / (1 - x), 3),
    ),
    Polynomial(
        "log2f",
        "(log2((1 + s) / (1 - s)) - 2 s log2(e)) / s^3 of x = s^2",
        series(lambda z: (2 * mp.atanh(root(z)) / root(z) - 2) / z / mp.log(2)),
        mpf(0),
        S2,
        4,
        True,
        lambda z: z * root(z) / mp.atanh(root(z)),
    ),
    Polynomial("rcbrtf", "(1 - x)^(-1/3)", lambda x: 1 / mp.cbrt(1 - x), mpf("-0.1028"), mpf("0.1028"), 4, True),
]


def erfcx_tail(x: mpf) -> mpf:
    """The asymptotic series of exp(t^2) erfc(t), where exp(t^2) alone would overflow any patience."""
    if x >= 1:
        return 2 / mp.sqrt(mp.pi)
    t = 4 * (1 + x) / (1 - x)
    total, term = mpf(0), mpf(1)
    for k in range(1, 60):
        total += term
        term *= -(2 * k - 1) / (2 * t * t)
    return (1 + 2 * t) * total / (t * mp.sqrt(mp.pi))


def main() -> None:
    print("// Polynomials of the mathematical functions; written by derive.py, which says how they were made.")
    print("#pragma once")
    for polynomial in TABLE:
        emit(polynomial)


if __name__ == "__main__":
    main()
