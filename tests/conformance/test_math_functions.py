"""Every mathematical function within CUDA's bound of the exact value, with and without -use_fast_math's replacements."""

import math
from statistics import NormalDist

import numpy as np
from harness import case, kernel

COUNT = 64
BLOCKS = [1, 33, 256, (7, 5, 1)]


def even_points(low, high):
    return np.linspace(low, high, COUNT)


def circle_mean(function, points=400):
    """The mean over the upper half circle by the trapezoidal rule, which converges exponentially for smooth functions."""
    theta = np.linspace(0, np.pi, points + 1)
    weights = np.where((theta == 0) | (theta == np.pi), 0.5, 1.0) / points
    return float(np.sum(weights * function(theta)))


def bessel_j(order, x):
    """Bessel's integral."""
    return circle_mean(lambda theta: np.cos(order * theta - x * np.sin(theta)))


def bessel_i(order, x):
    return circle_mean(lambda theta: np.exp(x * np.cos(theta)) * np.cos(order * theta))


def scaled_erfc(x):
    return math.exp(x * x) * math.erfc(x) if x < 20 else 1 / (x * math.sqrt(math.pi)) * (1 - 0.5 / x**2 + 0.75 / x**4)


def normal_quantile(p):
    """Newton's step on top of the standard library's, which has 16 digits at best."""
    x = NormalDist().inv_cdf(p)
    return x - (NormalDist().cdf(x) - p) / NormalDist().pdf(x) if 0.01 < p < 0.99 else x


def inverse_erf(x):
    y = NormalDist().inv_cdf((x + 1) / 2) / math.sqrt(2)
    return y - (math.erf(y) - x) * math.sqrt(math.pi) / 2 * math.exp(y * y)


def inverse_erfc(x):
    y = -NormalDist().inv_cdf(x / 2) / math.sqrt(2)
    return y - (x - math.erfc(y)) * math.sqrt(math.pi) / 2 * math.exp(y * y)


def reduced(function):
    """Of pi x, reduced while that is exact."""
    return lambda x: function(math.pi * math.remainder(x, 2))


# name: reference, CUDA's bounds in ulps for float and double (the reference's own error added for double), range
ONE = {
    "acos": (math.acos, 2, 2, -0.99, 0.99),
    "acosh": (math.acosh, 4, 3, 1.01, 50),
    "asin": (math.asin, 2, 2, -1, 1),
    "asinh": (math.asinh, 3, 3, -50, 50),
    "atan": (math.atan, 2, 2, -20, 20),
    "atanh": (math.atanh, 3, 2, -0.99, 0.99),
    "cbrt": (lambda x: math.copysign(abs(x) ** (1 / 3), x), 1, 3, -100, 100),
    "cos": (math.cos, 2, 2, -100, 100),
    "cosh": (math.cosh, 2, 2, -20, 20),
    "cospi": (reduced(math.cos), 2, None, -3.3, 3.4),
    "cyl_bessel_i0": (lambda x: bessel_i(0, x), 6, 20, -20, 20),
    "cyl_bessel_i1": (lambda x: bessel_i(1, x), 6, None, 1, 20),
    "erf": (math.erf, 2, 3, -4, 4),
    "erfc": (math.erfc, 4, 6, -3, 8),
    "erfcinv": (inverse_erfc, 4, 8, 0.01, 1.7),
    "erfcx": (scaled_erfc, 4, None, -4, 30),
    "erfinv": (inverse_erf, 2, 8, -0.95, 0.97),
    "exp": (math.exp, 2, 2, -80, 80),
    "exp10": (lambda x: math.pow(10, x), 2, 3, -30, 30),
    "exp2": (lambda x: math.pow(2, x), 2, 2, -100, 100),
    "expm1": (math.expm1, 1, 2, -5, 20),
    "j0": (lambda x: bessel_j(0, x), 9, None, -7.9, 7.7),
    "j1": (lambda x: bessel_j(1, x), 9, None, -7.9, 7.7),
    "lgamma": (math.lgamma, 6, 6, 3, 50),
    "log": (math.log, 1, 2, 0.01, 100),
    "log10": (math.log10, 2, 2, 0.01, 100),
    "log1p": (math.log1p, 1, 2, -0.9, 10),
    "log2": (math.log2, 1, 2, 0.01, 100),
    "normcdf": (lambda x: 0.5 * math.erfc(-x / math.sqrt(2)), 5, 30, -4, 4),
    "normcdfinv": (normal_quantile, 5, 12, 0.02, 0.98),
    "rcbrt": (lambda x: x ** (-1 / 3), 1, 3, 0.01, 100),
    "rsqrt": (lambda x: 1 / math.sqrt(x), 2, 2, 0.01, 100),
    "sin": (math.sin, 2, 2, -100, 100),
    "sinh": (math.sinh, 3, 3, -20, 20),
    "sinpi": (reduced(math.sin), 2, None, -3.3, 3.4),
    "sqrt": (math.sqrt, 0, 0, 0, 100),
    "tan": (math.tan, 4, 2, -100, 100),
    "tanh": (math.tanh, 2, 2, -5, 5),
    "tgamma": (math.gamma, 5, 12, 0.1, 30),
}
TWO = {
    "atan2": (math.atan2, 3, 3),
    "fdim": (lambda x, y: max(x - y, 0.0), 0, 0),
    "fmod": (math.fmod, 0, 0),
    "hypot": (math.hypot, 3, 2),
    "pow": (math.pow, 4, 3),
    "remainder": (math.remainder, 0, 0),
    "rhypot": (lambda x, y: 1 / math.hypot(x, y), 2, 3),
}


def typed(name, table):
    """The function's table, C type and NumPy type: `sinf` is of float."""
    stem = name if name in table else name[:-1]
    return table[stem], ("double", np.float64) if name in table else ("float", np.float32)


def both(table):
    """The names of the double functions, where their reference is good enough, and of the float ones."""
    return [n for name, row in table.items() for n in ([name] if row[2] is not None else []) + [name + "f"]]


@case(each=both(ONE), blocks=BLOCKS)
def one_argument(run, name):
    """A function of one argument over the range that matters, within CUDA's bound."""
    (reference, single, wide, low, high), (type, dtype) = typed(name, ONE)
    x = even_points(low, high).astype(dtype)
    out = np.zeros(COUNT, dtype)
    run(
        kernel(
            "T* out, const T* x", f"for (int i = t; i < {COUNT}; i += n) out[i] = {name}(x[i]);", f"typedef {type} T;"
        ),
        out,
        x,
    )
    run.close(out, [reference(float(v)) for v in x], single if dtype is np.float32 else wide, name)


@case(each=both(TWO), blocks=BLOCKS)
def two_arguments(run, name):
    """A function of two arguments, within CUDA's bound."""
    (reference, single, wide), (type, dtype) = typed(name, TWO)
    x, y = even_points(0.1, 20).astype(dtype), even_points(5, -6).astype(dtype)
    out = np.zeros(COUNT, dtype)
    body = f"for (int i = t; i < {COUNT}; i += n) out[i] = {name}(x[i], y[i]);"
    run(kernel("T* out, const T* x, const T* y", body, f"typedef {type} T;"), out, x, y)
    run.close(
        out,
        [reference(float(a), float(b)) for a, b in zip(x, y, strict=True)],
        single if dtype is np.float32 else wide,
        name,
    )


@case(each={"float": ("f", np.float32, 2), "double": ("", np.float64, 2)}, blocks=BLOCKS)
def sine_and_cosine_at_once(run, precision):
    """sincos and sincospi give what the functions alone give, within the bound."""
    f, dtype, ulps = precision
    x = even_points(-1.41, 1.33).astype(dtype)
    out = np.zeros((4, COUNT), dtype)
    body = f"""
    for (int i = t; i < {COUNT}; i += n) {{
      sincos{f}(x[i], &out[i], &out[{COUNT} + i]);
      sincospi{f}(x[i], &out[{2 * COUNT} + i], &out[{3 * COUNT} + i]);
    }}"""
    run(kernel("T* out, const T* x", body, f"typedef {'float' if f else 'double'} T;"), out, x)
    v = x.astype(np.float64)
    run.close(out[0], np.sin(v), ulps)
    run.close(out[1], np.cos(v), ulps)
    if f:
        run.close(out[2], [reduced(math.sin)(float(a)) for a in x], ulps)
        run.close(out[3], [reduced(math.cos)(float(a)) for a in x], ulps + 1)


@case(each={"float": ("f", np.float32, 2.2e-6), "double": ("", np.float64, 5e-12)}, blocks=BLOCKS)
def bessel_functions_of_an_order(run, precision):
    """jn against Bessel's integral; yn by the Wronskian J_(n+1) Y_n - J_n Y_(n+1) = 2 / (pi x)."""
    f, dtype, bound = precision
    orders, x = np.arange(COUNT, dtype=np.int32) % 9, even_points(10, 40).astype(dtype)
    out = np.zeros((4, COUNT), dtype)
    body = f"""
    for (int i = t; i < {COUNT}; i += n) {{
      const int k = orders[i];
      out[i] = jn{f}(k, x[i]), out[{COUNT} + i] = jn{f}(k + 1, x[i]);
      out[{2 * COUNT} + i] = yn{f}(k, x[i]), out[{3 * COUNT} + i] = yn{f}(k + 1, x[i]);
    }}"""
    source = kernel("T* out, const int* orders, const T* x", body, f"typedef {'float' if f else 'double'} T;")
    run(source, out, orders, x)
    exact = np.array([bessel_j(int(k), float(v)) for k, v in zip(orders, x, strict=True)])
    run.same(np.abs(out[0] - exact) <= bound, True, "jn")
    j, above, y, y_above = out.astype(np.float64)
    run.same(np.abs(above * y - j * y_above - 2 / (np.pi * x)) <= 4 * bound, True, "Wronskian")


@case(each={"float": ("f", np.float32), "double": ("", np.float64)}, blocks=BLOCKS)
def bessel_y(run, precision):
    """y0 and y1 at points of the tables (Abramowitz and Stegun, 9.1)."""
    f, dtype = precision
    x = np.array([0.5, 1, 2, 5, 7.5], dtype)
    y0 = [
        -0.44451873350670655715,
        0.088256964215676957983,
        0.51037567264974511960,
        -0.30851762524903378007,
        0.11731328614820863084,
    ]
    y1 = [
        -1.4714723926702430692,
        -0.78121282130028871655,
        -0.10703243154093754689,
        0.1478631433912268448,
        -0.2591285104861162518,
    ]
    out = np.zeros((2, 5), dtype)
    body = f"for (int i = t; i < 5; i += n) out[i] = y0{f}(x[i]), out[5 + i] = y1{f}(x[i]);"
    run(kernel("T* out, const T* x", body, f"typedef {'float' if f else 'double'} T;"), out, x)
    run.close(out, [y0, y1], 9)


@case(each={"float": ("f", np.float32), "double": ("", np.float64)}, blocks=BLOCKS)
def norms(run, precision):
    """norm3d, norm4d, norm and their reciprocals of ordinary vectors."""
    f, dtype = precision
    v = np.random.default_rng(1).uniform(-10, 10, (COUNT, 4)).astype(dtype)
    out = np.zeros((6, COUNT), dtype)
    body = f"""
    for (int i = t; i < {COUNT}; i += n) {{
      const T *a = v + 4 * i;
      const T values[] = {{norm3d{f}(a[0], a[1], a[2]), rnorm3d{f}(a[0], a[1], a[2]), norm4d{f}(a[0], a[1], a[2], a[3]),
                          rnorm4d{f}(a[0], a[1], a[2], a[3]), norm{f}(4, a), rnorm{f}(4, a)}};
      for (int k = 0; k < 6; ++k) out[k * {COUNT} + i] = values[k];
    }}"""
    run(kernel("T* out, const T* v", body, f"typedef {'float' if f else 'double'} T;"), out, v)
    three, four = ([math.sqrt(math.fsum(float(a) ** 2 for a in row[:k])) for row in v] for k in (3, 4))
    expected = np.array([three, 1 / np.array(three), four, 1 / np.array(four), four, 1 / np.array(four)])
    run.close(out, expected, 4)


# fast form: reference, range, absolute and relative error that CUDA documents
FAST = {
    "__sinf": (math.sin, -math.pi, math.pi, 2**-21.41, 0),
    "__cosf": (math.cos, -math.pi, math.pi, 2**-21.19, 0),
    "__tanf": (math.tan, -1, 1, 2**-20, 2**-20),
    "__expf": (math.exp, -10, 10, 0, 14 * 2**-23),
    "__exp10f": (lambda x: math.pow(10, x), -4, 4, 0, 14 * 2**-23),
    "__logf": (math.log, 0.1, 50, 2**-21.41, 3 * 2**-23),
    "__log2f": (math.log2, 0.1, 50, 2**-22, 2 * 2**-23),
    "__log10f": (math.log10, 0.1, 50, 2**-24, 3 * 2**-23),
    "__tanhf": (math.tanh, -5, 5, 0, 2**-10),
}


@case(each=FAST, blocks=BLOCKS)
def fast_form(run, row):
    """A fast form within the error that CUDA documents."""
    name = next(n for n, r in FAST.items() if r is row)
    reference, low, high, absolute, relative = row
    x = even_points(low, high).astype(np.float32)
    out = np.zeros(COUNT, np.float32)
    run(kernel("float* out, const float* x", f"for (int i = t; i < {COUNT}; i += n) out[i] = {name}(x[i]);"), out, x)
    exact = np.array([reference(float(v)) for v in x])
    run.same(np.abs(out - exact) <= absolute + relative * np.abs(exact), True, name)


@case(blocks=BLOCKS)
def fast_power(run):
    """__powf is exp2f(y * __log2f(x))."""
    x, y = even_points(0.5, 20).astype(np.float32), even_points(-3, 3).astype(np.float32)
    out = np.zeros(COUNT, np.float32)
    run(
        kernel(
            "float* out, const float* x, const float* y",
            f"for (int i = t; i < {COUNT}; i += n) out[i] = __powf(x[i], y[i]);",
        ),
        out,
        x,
        y,
    )
    exact = np.array([math.pow(float(a), float(b)) for a, b in zip(x, y, strict=True)])
    run.same(np.abs(out - exact) <= 2**-17 * exact, True)


FAST_NAMES = {
    "sinf": ("__sinf", -3, 3),
    "cosf": ("__cosf", -3, 3),
    "tanf": ("__tanf", -1, 1),
    "expf": ("__expf", -5, 5),
    "exp10f": ("__exp10f", -3, 3),
    "logf": ("__logf", 0.1, 9),
    "log2f": ("__log2f", 0.1, 9),
    "log10f": ("__log10f", 0.1, 9),
}


@case(each=FAST_NAMES, blocks=BLOCKS, options=["-use_fast_math"])
def replaced_by_use_fast_math(run, row):
    """-use_fast_math gives the fast form's bits."""
    name = next(n for n, r in FAST_NAMES.items() if r is row)
    fast, low, high = row
    x = even_points(low, high).astype(np.float32)
    out = np.zeros((2, COUNT), np.float32)
    body = f"for (int i = t; i < {COUNT}; i += n) out[i] = {name}(x[i]), out[{COUNT} + i] = {fast}(x[i]);"
    run(kernel("float* out, const float* x", body), out, x)
    run.same(out[0], out[1], f"{name} and {fast}")
