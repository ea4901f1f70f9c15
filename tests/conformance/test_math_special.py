"""What the CUDA Math API documents of zeros, infinities, NaNs and arguments outside of a function's domain."""

from math import inf, nan, pi

import numpy as np
from harness import case, kernel

PRECISIONS = {"double": ("", np.float64), "float": ("f", np.float32)}


def odd(*pairs):
    """f(-x) = -f(x)."""
    return [*pairs, *((-x, -y) for x, y in pairs)]


def even(*pairs):
    """f(-x) = f(x)."""
    return [*pairs, *((-x, y) for x, y in pairs)]


def signs(x, y, result):
    """f(x, y) for both signs of y."""
    return [(x, y, result), (x, -y, result)]


ROUNDED = odd((0.0, 0.0), (inf, inf), (3.0, 3.0), (2.0**100, 2.0**100))

# name: argument, result; a NaN gives a NaN, which is added to all
ONE = {
    "acos": [(1, 0.0), (2, nan), (-2, nan), (inf, nan)],
    "acosh": [(1, 0.0), (0.5, nan), (-inf, nan), (inf, inf)],
    "asin": odd((0.0, 0.0), (2, nan), (inf, nan)),
    "asinh": odd((0.0, 0.0), (inf, inf)),
    "atan": odd((0.0, 0.0)),
    "atanh": odd((0.0, 0.0), (1, inf), (2, nan)),
    "cbrt": odd((0.0, 0.0), (inf, inf)),
    "ceil": [*ROUNDED, (-0.5, -0.0), (0.5, 1)],
    "cos": even((0.0, 1), (inf, nan)),
    "cosh": even((0.0, 1), (inf, inf)),
    "cospi": even((0.0, 1), (inf, nan), (1, -1), (0.5, 0.0)),
    "cyl_bessel_i0": even((0.0, 1), (inf, inf)),
    "cyl_bessel_i1": odd((0.0, 0.0), (inf, inf)),
    "erf": odd((0.0, 0.0), (inf, 1)),
    "erfc": [(-inf, 2), (inf, 0.0), (0.0, 1)],
    "erfcinv": [*even((0.0, inf)), (2, -inf), (-1, nan), (2.5, nan), (1, 0.0)],
    "erfcx": [(-inf, inf), (inf, 0.0), (0.0, 1)],
    "erfinv": odd((0.0, 0.0), (1, inf), (1.5, nan)),
    "exp": [*even((0.0, 1)), (-inf, 0.0), (inf, inf)],
    "exp10": [*even((0.0, 1)), (-inf, 0.0), (inf, inf), (2, 100)],
    "exp2": [*even((0.0, 1)), (-inf, 0.0), (inf, inf), (-3, 0.125)],
    "expm1": [*odd((0.0, 0.0)), (-inf, -1), (inf, inf)],
    "fabs": even((0.0, 0.0), (inf, inf)),
    "floor": [*ROUNDED, (0.5, 0.0), (-0.5, -1)],
    "j0": even((inf, 0.0)),
    "j1": odd((0.0, 0.0)),
    "lgamma": [(1, 0.0), (2, 0.0), (0.0, inf), (-0.0, inf), (-3, inf), (inf, inf), (-inf, inf)],
    "log": [*even((0.0, -inf)), (1, 0.0), (-1, nan), (inf, inf), (-inf, nan)],
    "log10": [*even((0.0, -inf)), (1, 0.0), (-1, nan), (inf, inf), (-inf, nan)],
    "log1p": [*odd((0.0, 0.0)), (-1, -inf), (-2, nan), (inf, inf)],
    "log2": [*even((0.0, -inf)), (1, 0.0), (-1, nan), (inf, inf)],
    "logb": even((0.0, -inf), (inf, inf), (8, 3)),
    "nearbyint": [*ROUNDED, (0.5, 0.0), (1.5, 2), (-0.5, -0.0)],
    "normcdf": [(inf, 1), (-inf, 0.0)],
    "normcdfinv": [*even((0.0, -inf)), (1, inf), (-0.5, nan), (1.5, nan)],
    "rcbrt": odd((0.0, inf), (inf, 0.0)),
    "rint": [*ROUNDED, (0.5, 0.0), (2.5, 2), (-0.5, -0.0)],
    "round": [*ROUNDED, (0.5, 1), (-2.5, -3), (-0.25, -0.0)],
    "rsqrt": [*odd((0.0, inf)), (inf, 0.0), (-1, nan), (4, 0.5)],
    "sin": odd((0.0, 0.0), (inf, nan)),
    "sinh": odd((0.0, 0.0), (inf, inf)),
    "sinpi": odd((0.0, 0.0), (inf, nan), (0.5, 1)),
    "sqrt": [*odd((0.0, 0.0)), (inf, inf), (-1, nan)],
    "tan": odd((0.0, 0.0), (inf, nan)),
    "tanh": odd((0.0, 0.0), (inf, 1)),
    "tgamma": [*odd((0.0, inf)), (-2, nan), (-inf, nan), (inf, inf), (1, 1)],
    "trunc": [*ROUNDED, (0.5, 0.0), (-0.5, -0.0)],
    "y0": [*even((0.0, -inf)), (-1, nan), (inf, 0.0)],
    "y1": [*even((0.0, -inf)), (-1, nan), (inf, 0.0)],
}

TWO = {
    "atan2": [
        *(row for y in (0.0, -0.0) for row in [(y, 0.0, y), (y, 2, y), (y, inf, y)]),
        *[(0.0, -0.0, pi), (-0.0, -0.0, -pi), (0.0, -1, pi), (-0.0, -1, -pi)],
        *[*signs(1, 0.0, pi / 2), *signs(-1, 0.0, -pi / 2), *signs(inf, 2, pi / 2), *signs(-inf, 2, -pi / 2)],
        *[(1, inf, 0.0), (-1, inf, -0.0), (1, -inf, pi), (-1, -inf, -pi)],
        *[(inf, inf, pi / 4), (-inf, inf, -pi / 4), (inf, -inf, 3 * pi / 4), (-inf, -inf, -3 * pi / 4)],
        *[(nan, 1, nan), (1, nan, nan)],
    ],
    "copysign": [(1, -0.0, -1), (-2, 3, 2), (0.0, -1, -0.0), (inf, -1, -inf)],
    "fdim": [(1, 2, 0.0), (3, 1, 2), (inf, inf, 0.0), (inf, 1, inf), (1, -inf, inf), (nan, 1, nan), (1, nan, nan)],
    "fmax": [(1, nan, 1), (nan, -2, -2), (nan, nan, nan), (0.0, -0.0, 0.0), (-0.0, 0.0, 0.0), (-inf, 1, 1), (2, 3, 3)],
    "fmin": [(1, nan, 1), (nan, -2, -2), (nan, nan, nan), (0.0, -0.0, -0.0), (-0.0, 0.0, -0.0), (-inf, 1, -inf)],
    "fmod": [*signs(0.0, 3, 0.0), *signs(-0.0, 3, -0.0), *signs(inf, 1, nan), *signs(1, 0.0, nan), *signs(-5, inf, -5)],
    "hypot": [
        *signs(inf, 1, inf),
        *signs(-inf, nan, inf),
        (nan, inf, inf),
        *signs(0.0, 0.0, 0.0),
        (1, nan, nan),
        (3, 4, 5),
    ],
    "nextafter": [(1, 1, 1), (0.0, -0.0, -0.0), (nan, 1, nan), (1, nan, nan), (inf, inf, inf)],
    "pow": [
        *[(0.0, -3, inf), (-0.0, -3, -inf), *signs(0.0, 0.0, 1), (0.0, -2, inf), (-0.0, -2, inf), (-0.0, -0.5, inf)],
        *[(0.0, 3, 0.0), (-0.0, 3, -0.0), (-0.0, 2, 0.0), (-0.0, 0.5, 0.0), *signs(-1, inf, 1), *signs(1, nan, 1)],
        *[*signs(nan, 0.0, 1), *signs(1, inf, 1), (-8, 1 / 3, nan), (0.5, -inf, inf), (2, -inf, 0.0), (0.5, inf, 0.0)],
        *[(2, inf, inf), (-2, inf, inf), (-0.5, -inf, inf), (-inf, -3, -0.0), (-inf, -2, 0.0), (-inf, 3, -inf)],
        *[(-inf, 2, inf), (inf, -1, 0.0), (inf, 1, inf), (-2, 3, -8), (nan, 1, nan), (2, nan, nan), (inf, 0.0, 1)],
    ],
    "remainder": [
        *signs(0.0, 3, 0.0),
        *signs(-0.0, 3, -0.0),
        *signs(inf, 1, nan),
        *signs(1, 0.0, nan),
        *signs(5, inf, 5),
    ],
    "rhypot": [*signs(inf, 1, 0.0), *signs(-inf, nan, 0.0), *signs(0.0, 0.0, inf), (1, nan, nan)],
}


def split(results, dtype):
    """The rows whose result is exact, and the others."""
    values = np.array(results)
    exact = ~np.isfinite(values) | (values == values.astype(dtype)) & (values * 8 == np.round(values * 8))
    return exact, ~exact


@case(each=[f"{name}{'f' if f else ''}" for name in ONE for f in (0, 1)])
def one_argument(run, function):
    """Zeros, infinities and the edges of the domain of a function of one argument."""
    name = function if function in ONE else function[:-1]
    dtype = np.float64 if function in ONE else np.float32
    x, expected = zip(*ONE[name], (nan, nan), strict=True)
    out = np.zeros(len(x), dtype)
    body = f"for (int i = t; i < {len(x)}; i += n) out[i] = {function}(x[i]);"
    run(
        kernel("T* out, const T* x", body, f"typedef {'double' if dtype is np.float64 else 'float'} T;"),
        out,
        np.array(x, dtype),
    )
    run.same(out, expected, f"{function} of {x}")


@case(each=[f"{name}{'f' if f else ''}" for name in TWO for f in (0, 1)])
def two_arguments(run, function):
    """Zeros, infinities, NaNs and the edges of the domain of a function of two arguments."""
    name = function if function in TWO else function[:-1]
    dtype = np.float64 if function in TWO else np.float32
    x, y, expected = zip(*TWO[name], strict=True)
    out = np.zeros(len(x), dtype)
    body = f"for (int i = t; i < {len(x)}; i += n) out[i] = {function}(x[i], y[i]);"
    source = kernel(
        "T* out, const T* x, const T* y", body, f"typedef {'double' if dtype is np.float64 else 'float'} T;"
    )
    run(source, out, np.array(x, dtype), np.array(y, dtype))
    exact, rounded = split(expected, dtype)
    run.same(out[exact], np.array(expected)[exact], function)
    run.close(out[rounded], np.array(expected)[rounded], 3, function)


@case(each=PRECISIONS)
def exponents_and_parts(run, precision):
    """ilogb, frexp, modf, ldexp, scalbn and remquo of special values."""
    f, dtype = precision
    x = np.array([0.0, -0.0, inf, -inf, nan, 6.0, -2.75, np.finfo(dtype).smallest_subnormal], dtype)
    ilogb, exponent, quotient = (np.zeros(len(x), np.int32) for _ in range(3))
    mantissa, whole, fraction, scaled, rest = (np.zeros(len(x), dtype) for _ in range(5))
    body = """
    for (int i = t; i < 8; i += n) {
      ilogb_of[i] = ilogbF(x[i]);
      mantissa[i] = frexpF(x[i], &exponent[i]);
      fraction[i] = modfF(x[i], &whole[i]);
      scaled[i] = ldexpF(scalbnF(x[i], 3), -2);
      rest[i] = remquoF(x[i], (T)4, &quotient[i]);
    }""".replace("F(", f"{f}(")
    run(
        kernel(
            "int* ilogb_of, int* exponent, int* quotient, T* mantissa, T* whole, T* fraction, T* scaled, T* rest, const T* x",
            body,
            f"typedef {'float' if f else 'double'} T;",
        ),
        *(ilogb, exponent, quotient, mantissa, whole, fraction, scaled, rest, x),
    )
    tiny = int(np.log2(float(x[7]))) if f else -1074
    run.same(ilogb, [-(2**31), -(2**31), 2**31 - 1, 2**31 - 1, -(2**31), 2, 1, tiny], "ilogb")
    run.same(mantissa, [0.0, -0.0, inf, -inf, nan, 0.75, -0.6875, 0.5], "frexp")
    finite = np.isfinite(x)
    run.same(exponent[finite], [0, 0, 3, 2, tiny + 1], "frexp's exponent")
    run.same(whole, [0.0, -0.0, inf, -inf, nan, 6, -2, 0], "modf's whole part")
    run.same(fraction, [0.0, -0.0, 0.0, -0.0, nan, 0, -0.75, x[7]], "modf")
    run.same(scaled, [0.0, -0.0, inf, -inf, nan, 12, -5.5, 2 * x[7]], "ldexp of scalbn")
    run.same(rest, [0.0, -0.0, nan, nan, nan, -2, 1.25, x[7]], "remquo")
    run.same(quotient[finite] & 7, [0, 0, 2, 7, 0], "remquo's quotient")


@case(each=PRECISIONS)
def norms(run, precision):
    """norm3d, norm4d and their reciprocals: infinite elements win over NaNs."""
    f, dtype = precision
    rows = np.array(
        [[3, 0, 4, 0], [inf, nan, 1, 1], [1, 1, 1, -inf], [nan, 1, 1, 1], [0, 0, 0, -0.0], [1, 1, 1, 1]], dtype
    )
    out = np.zeros((4, len(rows)), dtype)
    body = """
    for (int i = t; i < 6; i += n) {
      const T *v = rows + 4 * i;
      out[i] = norm4dF(v[0], v[1], v[2], v[3]);
      out[6 + i] = rnorm4dF(v[0], v[1], v[2], v[3]);
      out[12 + i] = norm3dF(v[0], v[1], v[2]);
      out[18 + i] = normF(4, v) * rnormF(4, v);
    }""".replace("F(", f"{f}(")
    run(kernel("T* out, const T* rows", body, f"typedef {'float' if f else 'double'} T;"), out, rows)
    run.same(out[0], [5, inf, inf, nan, 0.0, 2], "norm4d")
    run.same(out[1][1:], [0.0, 0.0, nan, inf, 0.5], "rnorm4d")
    run.same(out[2][:5], [5, inf, np.sqrt(dtype(3)), nan, 0.0], "norm3d")
    run.same(out[3][1:5], [nan, nan, nan, nan], "norm and rnorm")


FLUSHED = {
    "expf": [(-95, 0.0)],
    "logf": [(1e-40, -inf)],
    "sqrtf": [(1e-40, 0.0)],
    "rsqrtf": [(1e-40, inf)],
    "log2f": [(-1e-40, -inf)],
}


@case(each=FLUSHED, options=["-ftz=true"])
def subnormal_numbers_are_zero(run, rows):
    """-ftz=true: subnormal arguments and results of the functions are zero."""
    name = next(n for n, r in FLUSHED.items() if r is rows)
    x, expected = zip(*rows, strict=True)
    out = np.zeros(len(x), np.float32)
    run(
        kernel("float* out, const float* x", f"for (int i = t; i < {len(x)}; i += n) out[i] = {name}(x[i]);"),
        out,
        np.array(x, np.float32),
    )
    run.same(out, expected, name)


def extremum(first, values, is_most):
    """Of columns: zeros by their sign, a NaN only where there is no number."""
    worst = -inf if is_most else inf
    keys = np.vstack([np.full((1, values.shape[1]), first, values.dtype), values])
    order = np.where(np.isnan(keys), worst, keys) + 0.0
    best = order.max(0) if is_most else order.min(0)
    wins = ~np.isnan(keys) & (order == best)
    negative = np.where(is_most, (~wins | np.signbit(keys)).all(0), (wins & np.signbit(keys)).any(0))
    result = np.copysign(np.abs(best), np.where(negative, -1.0, 1.0))
    return np.where(np.isnan(keys).all(0), nan, result).astype(values.dtype)


@case
def extrema_of_loops(run):
    """Maxima and minima so far, from a number and from a NaN, of NaNs and zeros of both signs among others."""
    rng, count = np.random.default_rng(9), 7
    some = np.array([nan, 0.0, -0.0, -1.0, 2.0, -inf, 1e-45])
    for suffix, dtype in PRECISIONS.values():
        spelled = "float" if suffix else "double"
        x = rng.choice(some, (count, run.threads)).astype(dtype)
        out = np.zeros((4, run.threads), dtype)
        body = f"""
  {spelled} most = -1, least = 1, most_of_all = from, size = 0;
  for (int k = 0; k < {count}; ++k) {{
    most = fmax{suffix}(most, x[k * n + t]);
    least = fmin{suffix}(least, x[k * n + t]);
    most_of_all = fmax{suffix}(most_of_all, x[k * n + t]);
    size = fmax{suffix}(size, fabs{suffix}(x[k * n + t]));
  }}
  out[t] = most, out[n + t] = least, out[2 * n + t] = most_of_all, out[3 * n + t] = size;
"""
        run(kernel(f"const {spelled}* x, {spelled}* out, {spelled} from", body), x, out, dtype(nan))
        expected = [extremum(-1, x, True), extremum(1, x, False), extremum(nan, x, True), extremum(0, abs(x), True)]
        run.same(out, np.array(expected), spelled)


@case(options=["-ftz=true"])
def subnormal_doubles_stay(run):
    """-ftz=true leaves doubles alone."""
    out = np.zeros(2)
    run(kernel("double* out, double x", "if (t == 0) out[0] = sqrt(x), out[1] = exp(-720.0);"), out, 4e-320)
    run.close(out, [np.sqrt(4e-320), np.exp(-720.0)], 1)


@case
def inverse_roots_of_softened_squares(run):
    """rsqrtf of what cannot be 0, a sum with a positive number, and of what can, at the ends of what there is."""
    ends = np.array([0.0, -0.0, inf, -inf, nan, 1e-45, 1e-30, 1e19, -1e19, 3.0], np.float32)
    x, out = np.resize(ends, run.threads), np.zeros((3, run.threads), np.float32)
    body = (
        "out[t] = rsqrtf(x[t] * x[t] + 0.25f), out[n + t] = rsqrtf(x[t] * x[t]), out[2 * n + t] = rsqrtf(x[t] + 0.25f);"
    )
    run(kernel("const float* x, float* out", body), x, out)
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        squares = (x * x).astype(np.float64)
        expected = 1 / np.sqrt(np.array([squares + 0.25, squares, wide + 0.25]).astype(np.float32).astype(np.float64))
    run.close(out, expected.astype(np.float32), 2)


@case
def inverse_roots_of_doubles(run):
    """rsqrt at the ends of what there is, and in between: by all engines, for one lane and for many, the same bits."""
    ends = np.array([0.0, -0.0, inf, -inf, nan, -1.0, 5e-324, 3e-310, 2.2250738585072014e-308, 1.7976931348623157e308])
    rng = np.random.default_rng(12)
    x = np.concatenate([ends, np.exp2(rng.uniform(-1070, 1023, 8 * run.threads)), rng.uniform(1, 4, 8 * run.threads)])
    out, one = np.zeros(x.size), np.zeros(1)
    body = "for (int i = t; i < count; i += n) out[i] = rsqrt(x[i]); if (t == 0) one[0] = rsqrt(x[8]);"
    run(kernel("double* out, double* one, const double* x, int count", body), out, one, x, np.int32(x.size))
    with np.errstate(all="ignore"):
        expected = (1 / np.sqrt(x.astype(np.longdouble))).astype(np.float64)
    run.close(out, expected, 1)
    run.same(one, out[8:9])


@case
def extrema_of_values_with_a_sign(run):
    """A NaN's maximum with a negative number is negative, whatever sign the NaN's operand is known to have."""
    values = np.resize(np.array([np.nan, -np.nan, 3, -3, 0.0, -0.0, np.inf, -np.inf], np.float32), run.threads)
    others = np.roll(values, -3)
    names = ("negative", "size", "positive", "whole", "integer", "branch")
    outs = {name: np.zeros(run.threads, np.float32) for name in names}
    run(
        kernel(
            "const float* values, const float* others, " + ", ".join(f"float* {name}" for name in names),
            """
            const float x = values[t];
            negative[t] = fmaxf(fabsf(x), -5.0f) < 0.0f;
            size[t] = fabsf(fmaxf(-5.0f, fabsf(x)));
            positive[t] = fminf(-fabsf(x), 5.0f) > 0.0f;
            whole[t] = (int)fmaxf(x != x ? __int_as_float(0x7fc00000) : 0.0f, -5.0f);
            integer[t] = fabsf(fmaxf((float)((int)(t & 7) - 4), fabsf(x)));
            const float y = others[t];
            if (y < 0.0f) branch[t] = fmaxf(fabsf(x), y) < 0.0f;
            """,
        ),
        values,
        others,
        *outs.values(),
    )
    nan = np.isnan(values)
    run.same(outs["negative"], nan.astype(np.float32))
    run.same(outs["size"], np.where(nan, np.float32(5), np.abs(values)))
    run.same(outs["positive"], nan.astype(np.float32))
    run.same(outs["whole"], np.where(nan, np.float32(-5), np.float32(0)))
    lesser = (np.arange(run.threads) & 7).astype(np.float32) - np.float32(4)
    run.same(outs["integer"], np.abs(np.fmax(lesser, np.abs(values))))
    run.same(outs["branch"], (nan & (others < 0)).astype(np.float32))


EXPONENTIALS = {
    **dict.fromkeys(("expf", "__expf"), (np.exp, -110, 95)),
    "exp2f": (np.exp2, -155, 130),
    "exp10f": (lambda x: np.power(10.0, x), -48, 40),
    "exp": (np.exp, -760, 715),
    "exp2": (np.exp2, -1080, 1027),
    "exp10": (lambda x: np.power(10.0, x), -330, 310),
}


@case(each=list(EXPONENTIALS), blocks=[64, 100])
def exponentials_of_the_whole_range(run, name):
    """Results that are denormal, 0 or infinite among ordinary ones: 2^n is one factor, or two."""
    exact, low, high = EXPONENTIALS[name]
    dtype = np.float32 if name.endswith("f") else np.float64
    x = np.linspace(low, high, 3 * run.threads).astype(dtype)
    x[::7], x[3::31], x[5::43], x[6::47] = 0.75, np.nan, -inf, inf
    out = np.zeros(x.size, dtype)
    body = f"for (int i = t; i < {x.size}; i += n) out[i] = {name}(x[i]);"
    run(kernel("T* out, const T* x", body, f"typedef {'float' if dtype is np.float32 else 'double'} T;"), out, x)
    with np.errstate(all="ignore"):
        ulps = 2 + np.abs(1.173 * np.nan_to_num(x)) if name == "__expf" else 3  # as CUDA promises
        run.close(out, exact(x.astype(np.float64)).astype(dtype), ulps, name)
