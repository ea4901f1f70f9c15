"""Options that change arithmetic: -fmad, -ftz, -prec-div, -prec-sqrt, -use_fast_math."""

from fractions import Fraction

import numpy as np
from harness import case, kernel
from test_arithmetic import SPECIAL_FLOATS, over

CONTRACTED = {
    "a * b + c": lambda a, b, c, fma: fma(a, b, c),
    "a * b - c": lambda a, b, c, fma: fma(a, b, -c),
    "c - a * b": lambda a, b, c, fma: fma(-a, b, c),
    "c + a * b": lambda a, b, c, fma: fma(a, b, c),
    "c += a * b": lambda a, b, c, fma: fma(a, b, c),
    "-(a * b) - c": lambda a, b, c, fma: fma(-a, b, -c),
}


def exact_fma(dtype):
    """fma by exact fractions, rounded once."""

    def one(a, b, c):
        exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        return nearest(exact, dtype)

    return lambda a, b, c: np.array([one(*v) for v in zip(a, b, c, strict=True)], dtype)


def nearest(exact, dtype):
    """The float of the type that is nearest to a fraction: the neighbours of a first guess are compared."""
    guess = dtype(float(exact))
    around = [np.nextafter(guess, dtype(-np.inf)), guess, np.nextafter(guess, dtype(np.inf))]
    mantissa = f"u{np.dtype(dtype).itemsize}"
    return min(around, key=lambda v: (abs(Fraction(float(v)) - exact), int(np.asarray(v).view(mantissa)) & 1))


def products(dtype, n=200):
    rng = np.random.default_rng(6)
    a, b = rng.standard_normal((2, n)).astype(dtype)
    return a, b, (-(a * b) * (1 + (np.arange(n) % 5) * np.finfo(dtype).eps)).astype(dtype)


@case(blocks=[1, 33, 256, (4, 4, 4)], each=[f"{name} {e}" for name in ("float", "double") for e in CONTRACTED])
def fmad(run, what):
    """-fmad=true makes one fma of this expression, -fmad=false makes two operations."""
    name, _, expression = what.partition(" ")
    dtype = {"float": np.float32, "double": np.float64}[name]
    a, b, c = products(dtype)
    for contract in ("true", "false"):
        out = np.zeros(a.size, dtype)
        over(
            run,
            f"R a = x[i], b = y[i], c = z[i]; R r = {expression}; out[i] = r;",
            out,
            (name, "x", a),
            (name, "y", b),
            (name, "z", c),
            before=f"typedef {name} R;",
            options=[f"-fmad={contract}"],
        )
        fma = exact_fma(dtype) if contract == "true" else lambda a, b, c: a * b + c
        run.same(out, CONTRACTED[expression](a, b, c, fma), contract)


@case(blocks=[1, 33, 256, (4, 4, 4)])
def fmad_never_splits_an_fma(run):
    """fma, fmaf and the __f*_rn functions mean what they say, with and without contraction."""
    a, b, c = products(np.float32)
    for contract in ("true", "false"):
        out = np.zeros((a.size, 3), np.float32)
        over(
            run,
            "out[3 * i] = fmaf(x[i], y[i], z[i]); out[3 * i + 1] = __fadd_rn(__fmul_rn(x[i], y[i]), z[i]); out[3 * i + 2] = __fmul_rn(x[i], y[i]) + z[i];",
            out,
            ("float", "x", a),
            ("float", "y", b),
            ("float", "z", c),
            before="typedef float R;",
            options=[f"-fmad={contract}"],
        )
        two = a * b + c
        run.same(out, np.stack([exact_fma(np.float32)(a, b, c), two, two], 1), contract)


def flushed(values):
    """Denormal floats as zeros of their sign."""
    return np.where(np.abs(values) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), values), values).astype(
        np.float32
    )


@case(options=["-ftz=true"])
def ftz(run):
    """-ftz=true: float operations take and give zeros for denormals; doubles and moves keep theirs."""
    special = np.concatenate([SPECIAL_FLOATS, np.float32([1e-39, -3e-39, 5e-20, -2e-20, 1.2e-38, 1.3e-38])])
    a, b = (x.reshape(-1) for x in np.meshgrid(special, special))
    out = np.zeros((a.size, 7), np.float32)
    doubles = np.zeros(a.size, np.float64)
    run(
        kernel(
            "float* out, double* doubles, const float* a, const float* b, int size",
            """
            for (int i = t; i < size; i += n) {
              float* o = out + 7 * i;
              o[0] = a[i] + b[i]; o[1] = a[i] - b[i]; o[2] = a[i] * b[i]; o[3] = fmaf(a[i], b[i], b[i]); o[4] = a[i];
              o[5] = fmaxf(a[i], -5.0f); o[6] = fminf(5.0f, a[i]);
              doubles[i] = 1e-310 * (i + 1) + 1e-320;
            }
            """,
        ),
        out,
        doubles,
        a,
        b,
        a.size,
    )
    x, y = flushed(a), flushed(b)
    with np.errstate(all="ignore"):
        # The product of two floats is exact in double; a sum there rounds twice, harmlessly for these values.
        fma = (x.astype(np.float64) * y + y).astype(np.float32)
        expected = [
            flushed(x + y),
            flushed(x - y),
            flushed(x * y),
            flushed(fma),
            a,
            np.fmax(x, np.float32(-5)),
            np.fmin(x, np.float32(5)),
        ]
    run.same(out, np.stack(expected, 1))
    run.same(doubles, 1e-310 * (np.arange(a.size) + 1) + 1e-320)


@case(options=["-prec-div=false", "-prec-sqrt=false"])
def fast_division_and_roots(run):
    """-prec-div=false and -prec-sqrt=false: quotients within 2 ULP, roots within 3."""
    rng = np.random.default_rng(7)
    a, b = (rng.uniform(0.5, 2, (2, 500)) * 2.0 ** rng.integers(-20, 20, (2, 500))).astype(np.float32)
    out = np.zeros((a.size, 2), np.float32)
    over(
        run,
        "out[2 * i] = a[i] / b[i]; out[2 * i + 1] = sqrtf(a[i]);",
        out,
        ("float", "a", a),
        ("float", "b", b),
        before="typedef float R;",
    )
    run.close(out[:, 0], a / b, 2)
    run.close(out[:, 1], np.sqrt(a), 3)


@case(options=["-use_fast_math"])
def use_fast_math(run):
    """-use_fast_math: NaN and infinity keep their meaning, sums their order, functions their documented bounds."""
    rng = np.random.default_rng(9)
    a = rng.uniform(-3, 3, 400).astype(np.float32)
    out = np.zeros((a.size, 6), np.float32)
    over(
        run,
        """
        const float x = a[i], big = 1e30f; float* o = out + 6 * i;
        o[0] = sinf(x); o[1] = expf(x); o[2] = logf(fabsf(x) + 2.0f); o[3] = (x + big) - big;
        o[4] = isnan(x - x + (x > 0 ? INFINITY - INFINITY : 0.0f)); o[5] = 1.0f / (x * 0.0f) == (signbit(x) ? -INFINITY : INFINITY);
        """,
        out,
        ("float", "a", a),
        before="#ifndef INFINITY\n#define INFINITY __int_as_float(0x7f800000)\n#endif\ntypedef float R;",
    )
    exact = a.astype(np.float64)
    assert np.abs(out[:, 0] - np.sin(exact)).max() <= 2.0**-21.41, "sinf"
    run.close(out[:, 1], np.exp(exact), 2 + np.floor(np.abs(1.173 * exact)).max())
    run.close(out[:, 2], np.log(np.abs(exact).astype(np.float32) + np.float64(2)), 4)
    run.same(out[:, 3:], np.stack([0 * a + 0.0, a > 0, a == a], 1) + 0.0)
