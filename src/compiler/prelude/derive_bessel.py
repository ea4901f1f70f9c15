#!/usr/bin/env python3
"""Derive the tables of the Bessel functions and write math_bessel_tables.cuh.

Below 8, J and Y are polynomials around centres: most of them zeros of the function, so that the relative error stays small
there. From 8 on, J0 + i Y0 = sqrt(2 / (pi x)) alpha exp(i (x - pi/4 + beta / x)) with alpha and beta smooth in 1 / x^2
(Abramowitz and Stegun, 9.2.28 to 9.2.31), J1 + i Y1 likewise with 3 pi/4. I: its series, and for large x
exp(x) / sqrt(x) times a function of 1 / x (9.7.1).

    python3 derive_bessel.py > math_bessel_tables.cuh
"""

from __future__ import annotations

from collections.abc import Callable

from derive import chebyshev_nodes, interpolate, literal, rounded, series
from mpmath import mp, mpf

mp.dps = 50
EDGE = mpf(8)


def polynomial(function: Callable[[mpf], mpf], low: mpf, high: mpf, count: int) -> tuple[list[mpf], mpf]:
    """Coefficients, lowest power first, and the largest error relative to the function's largest value."""
    nodes = chebyshev_nodes(low, high, count)
    nodes = [x if x != 0 else (high - low) * mpf(2) ** -40 for x in nodes]
    fixed = [rounded(c, False) for c in interpolate([function(x) for x in nodes], nodes)]
    points = [x for x in chebyshev_nodes(low, high, 60) if abs(x) > 1e-9]
    exact = [function(x) for x in points]
    errors = [abs(mp.polyval(fixed[::-1], x) - y) for x, y in zip(points, exact, strict=True)]
    return fixed, max(errors) / max(abs(y) for y in exact)


def emit_rows(name: str, what: str, function: Callable[[mpf], mpf], rows: list[tuple], count: int) -> None:
    """Rows of {centre, its second part, the value there, coefficients of the rest over t = x - centre}."""
    print(f"// {what}: a row for each interval: its centre z in two parts, the value c there, and p_0, p_1, ... with")
    print("// f(x) = c + t (p_0 + p_1 t + ...), t = x - z.")
    print(f"__LANZA_FN double __lanza_{name}_small(double x) {{")
    print(f"  constexpr double rows[][{3 + count}] = {{")
    worst = mpf(0)
    for low, high, centre, value in rows:
        z = mpf(centre)
        hi = rounded(z, False)
        lo = rounded(z - hi, False)
        c = mpf(value)

        def rest(t: mpf, z: mpf = z, c: mpf = c) -> mpf:
            return (function(z + t) - c) / t

        fixed, error = polynomial(rest, mpf(low) - z, mpf(high) - z, count)
        worst = max(worst, error)
        values = [literal(v, False) for v in [hi, lo, rounded(c, False), *fixed]]
        lines = [", ".join(values[i : i + 5]) for i in range(0, len(values), 5)]
        print("      {" + ",\n       ".join(lines) + "},")
    print(f"  }};  // relative errors at most 2^{float(mp.log(worst, 2)):.1f}")
    index = " + ".join(f"(x >= {literal(mpf(high), False)} ? 1 : 0)" for _, high, _, _ in rows[:-1])
    print(f"  return __lanza_bessel_row<{count}>(rows[{index}], x);")
    print("}\n")


def emit_polynomial(name: str, what: str, function: Callable[[mpf], mpf], low: mpf, high: mpf, count: int) -> None:
    fixed, error = polynomial(function, low, high, count)
    print(
        f"// {what} on [{mp.nstr(low, 6)}, {mp.nstr(high, 6)}], relative error at most 2^{float(mp.log(error, 2)):.1f}."
    )
    print(f"__LANZA_FN double __lanza_poly_{name}(double x) {{")
    print(f"  double p = {literal(fixed[-1], False)};")
    for c in reversed(fixed[1:-1]):
        print(f"  p = __builtin_fma(p, x, {literal(c, False)});")
    print(f"  return __builtin_fma(p, x, {literal(fixed[0], False)});")
    print("}\n")


def rotated(order: int, u: mpf) -> tuple[mpf, mpf]:
    """alpha and beta of the order at u = 1 / x^2."""
    x = 1 / mp.sqrt(u)
    angle = x - (2 * order + 1) * mp.pi / 4
    w = (mp.besselj(order, x) + 1j * mp.bessely(order, x)) * mp.expj(-angle) * mp.sqrt(mp.pi * x / 2)
    return abs(w), mp.arg(w) * x


def zero_rows(function: Callable[[mpf], mpf], rows: list[tuple]) -> list[tuple]:
    """Rows of intervals: centre given, or the zero near a guess."""
    result = []
    for low, high, centre, is_zero in rows:
        if is_zero:
            result.append((low, high, mp.findroot(function, mpf(centre)), 0))
        else:
            result.append((low, high, mpf(centre), function(mpf(centre))))
    return result


def main() -> None:
    def j0(x: mpf) -> mpf:
        return mp.besselj(0, x)

    def j1(x: mpf) -> mpf:
        return mp.besselj(1, x)

    def y0(x: mpf) -> mpf:
        return mp.bessely(0, x)

    def y1(x: mpf) -> mpf:
        return mp.bessely(1, x)

    print("// Tables of the Bessel functions; written by derive_bessel.py, which says how they were made.")
    print("#pragma once\n")
    print("// clang-format off")
    print("// c + t P(t) of a row, N coefficients: see below.")
    print("template <int N>")
    print("__LANZA_FN double __lanza_bessel_row(const double* row, double x) {")
    print("  double t = (x - row[0]) - row[1];")
    print("  double p = row[2 + N];")
    print("#pragma unroll")
    print("  for (int i = 1 + N; i > 2; --i) p = __builtin_fma(p, t, row[i]);")
    print("  return __builtin_fma(p, t, row[2]);")
    print("}\n")

    emit_rows(
        "j0",
        "J0",
        j0,
        zero_rows(j0, [(0, "1.25", 0, False), ("1.25", "3.75", "2.4", True), ("3.75", "6.75", "5.52", True),
                       ("6.75", 8, "7.25", False)]),
        18,
    )  # fmt: skip
    emit_rows(
        "j1",
        "J1",
        j1,
        zero_rows(j1, [(0, "1.75", 0, False), ("1.75", "3", "2.375", False), ("3", "5.25", "3.83", True),
                       ("5.25", 8, "7.01", True)]),
        18,
    )  # fmt: skip
    emit_rows(
        "y0",
        "Y0",
        y0,
        zero_rows(y0, [("0.7", "1.25", "0.89", True), ("1.25", "2.5", "1.875", False), ("2.5", "4.75", "3.95", True),
                       ("4.75", "6", "5.375", False), (6, 8, "7.08", True)]),
        22,
    )  # fmt: skip
    emit_rows(
        "y1",
        "Y1",
        y1,
        zero_rows(y1, [("1.6", "3", "2.19", True), (3, "4.5", "3.75", False), ("4.5", "6.5", "5.43", True),
                       ("6.5", 8, "7.25", False)]),
        22,
    )  # fmt: skip
    emit_polynomial(
        "y0",
        "Y0(x) - 2/pi log(x) J0(x) of x^2",
        series(lambda z: y0(mp.sqrt(z)) - 2 / mp.pi * mp.log(mp.sqrt(z)) * j0(mp.sqrt(z))),
        mpf(0),
        mpf("0.49"),
        9,
    )
    emit_polynomial(
        "y1",
        "(Y1(x) - 2/pi (log(x) J1(x) - 1 / x)) / x of x^2",
        series(
            lambda z: (y1(mp.sqrt(z)) - 2 / mp.pi * (mp.log(mp.sqrt(z)) * j1(mp.sqrt(z)) - 1 / mp.sqrt(z))) / mp.sqrt(z)
        ),
        mpf(0),
        mpf("2.56"),
        12,
    )
    for order in (0, 1):
        for index, kind in enumerate(("amplitude", "phase")):
            emit_polynomial(
                f"bessel_{kind}{order}",
                f"{'alpha' if index == 0 else 'beta'} of order {order}, of 1 / x^2",
                lambda u, order=order, index=index: rotated(order, u)[index],
                mpf(0),
                1 / EDGE**2,
                14,
            )
    emit_polynomial("i0", "(I0(x) - 1) / z of z = x^2 / 4",
                    series(lambda z: (mp.besseli(0, 2 * mp.sqrt(z)) - 1) / z), mpf(0), mpf(16), 21)  # fmt: skip
    emit_polynomial("i1", "(2 I1(x) / x - 1) / z of z = x^2 / 4",
                    series(lambda z: (mp.besseli(1, 2 * mp.sqrt(z)) / mp.sqrt(z) - 1) / z), mpf(0), mpf(16), 21)  # fmt: skip
    for order in (0, 1):
        emit_polynomial(
            f"i{order}_large",
            f"I{order}(x) exp(-x) sqrt(x) of t = 16 / x - 1",
            lambda t, order=order: mp.besseli(order, 16 / (t + 1)) * mp.exp(-16 / (t + 1)) * mp.sqrt(16 / (t + 1)),
            mpf(-1),
            mpf(1),
            26,
        )


if __name__ == "__main__":
    main()
