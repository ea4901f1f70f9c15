"""half and bfloat16: operators, intrinsics, comparisons, mathematics."""

import numpy as np
from harness import case
from sixteen_bits import EVERY, both

ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}
OPERATORS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}


def pairwise(run, form, expression, a, b):
    """`expression` of x and y of the type for all elements."""
    out = form.array(np.zeros(a.size))
    run(
        form.source("__global__ void k(const T* a, const T* b, T* out, int n) { EACH(i, n) { T x = a[i], y = b[i]; out[i] = E; } }")
        .replace("= E;", f"= {expression};"),
        form.array(a), form.array(b), out, a.size,
    )  # fmt: skip
    return out


def pairs_of_pairs(run, form, expression, a, b):
    """The same of __half2: x and y hold two elements each."""
    even = a.size & ~1
    a, b = a[:even], b[:even]
    out = form.array(np.zeros(even))
    run(
        form.source("__global__ void k(const T2* a, const T2* b, T2* out, int n) { EACH(i, n) { T2 x = a[i], y = b[i]; out[i] = E; } }")
        .replace("= E;", f"= {expression};"),
        form.array(a).view("V4"), form.array(b).view("V4"), out.view("V4"), even // 2,
    )  # fmt: skip
    return out


def expected(form, function, *operands):
    with np.errstate(all="ignore"):
        return form.encode(function(*(form.decode(x) for x in operands)))


@case(each=both(OPERATORS))
def operator(run, value):
    """x + y and its kind, and the assignments, of one and of two."""
    form, function = value
    sign = next(k for k, f in OPERATORS.items() if f is function)
    a, b = form.pairs
    wanted = expected(form, function, a, b)
    form.same(run, pairwise(run, form, f"x {sign} y", a, b), wanted)
    form.same(run, pairwise(run, form, f"(x {sign}= y, x)", a, b), wanted, "assignment")
    form.same(run, pairs_of_pairs(run, form, f"x {sign} y", a, b), wanted[: a.size & ~1], "pairs")
    form.same(run, pairs_of_pairs(run, form, f"(x {sign}= y, x)", a, b), wanted[: a.size & ~1], "assignment of pairs")


@case(each=both([None]))
def long_code(run, value):
    """Hundreds of operations of one and of two written out, whose variables are promoted another way: those of a loop."""
    form, _ = value
    a, b = (form.array(np.resize(x, 3 * run.threads & ~1)) for x in form.pairs)
    turn = """
  x = x * y + T(2.5f); if (x > y) y = __hsub(y, x); else x = __hfma(y, y, x);
  y = __hadd(__hmul(x, T(-1.f)), T(NAN)); y = __hisnan(y) ? x : y; x = __hmax(x, T(-0.f)); x += T(k & 3);
  p = __hfma2(p, q, __halves(y, x)); q = T2(q.y, p.x) * p; { record r = {x, p, {x, y}}; r = changed(r); y = r.a[1]; }
"""
    results = []
    for loop, copies in (
        ("#pragma unroll 1\nfor (int k = 0; k < 60; ++k)", [turn]),
        ("", [turn.replace("k & 3", str(k & 3)) for k in range(60)]),
    ):
        out = form.array(np.zeros(2 * a.size, np.uint16))
        run(
            form.source("""
struct record { T x; T2 p; T a[2]; };
__device__ T2 __halves(T x, T y) { T2 p; p.x = x; p.y = y; return p; }
__device__ record changed(record r) { r.a[1] = __hadd(r.x, r.p.y); return r; }
__global__ void k(const T* a, const T* b, T* out, int n) { EACH(i, n) {
  T x = a[i], y = b[i]; T2 p = __halves(x, y), q = __halves(y, T(0.5f));
LOOP {BODY}
  out[2 * i] = x; out[2 * i + 1] = __hadd(p.x, q.y);
} }""").replace("LOOP", loop).replace("BODY", "".join(copies)),
            a, b, out, a.size,
        )  # fmt: skip
        results.append(out)
    form.same(run, results[1], results[0].view(np.uint16))


@case(each=both(ARITHMETIC))
def arithmetic(run, value):
    """__hadd, __hadd_rn, __hadd2, __hadd2_rn and their kind."""
    form, function = value
    name = next(k for k, f in ARITHMETIC.items() if f is function)
    a, b = form.pairs
    wanted = expected(form, function, a, b)
    if name == "div":
        form.same(run, pairwise(run, form, "__hdiv(x, y)", a, b), wanted)
        form.same(run, pairs_of_pairs(run, form, "__h2div(x, y)", a, b), wanted[: a.size & ~1])
        return
    for suffix in ("", "_rn"):
        form.same(run, pairwise(run, form, f"__h{name}{suffix}(x, y)", a, b), wanted, suffix)
        pair = pairs_of_pairs(run, form, f"__h{name}2{suffix}(x, y)", a, b)
        form.same(run, pair, wanted[: a.size & ~1], f"2{suffix}")


@case(each=both([name for name in ARITHMETIC if name != "div"]))
def saturating(run, value):
    """__hadd_sat and its kind end at 0 and 1; NaN becomes 0."""
    form, name = value
    a, b = form.pairs
    exact = form.decode(expected(form, ARITHMETIC[name], a, b))
    wanted = form.encode(np.where(exact > 0, np.minimum(exact, 1), 0))
    form.same(run, pairwise(run, form, f"__h{name}_sat(x, y)", a, b), wanted)
    form.same(run, pairs_of_pairs(run, form, f"__h{name}2_sat(x, y)", a, b), wanted[: a.size & ~1])


@case(each=both(["", "_sat", "_relu"]))
def fused(run, value):
    """__hfma, __hfma_sat and __hfma_relu round once, of one and of two."""
    form, suffix = value
    a, b, c = (x[: x.size & ~1] for x in form.triples)
    wanted = form.fused[: a.size]
    numbers = form.decode(wanted)
    if suffix == "_sat":
        wanted = form.encode(np.where(numbers > 0, np.minimum(numbers, 1), 0))
    if suffix == "_relu":
        wanted = np.where(numbers <= 0, np.uint16(0), wanted)
    one, two = form.array(np.zeros(a.size)), form.array(np.zeros(a.size))
    run(
        form.source(
            """
            __global__ void k(const T* a, const T* b, const T* c, T* one, T2* two, int n) {
              EACH(i, n) one[i] = __hfma_S(a[i], b[i], c[i]);
              const T2 *a2 = (const T2*)a, *b2 = (const T2*)b, *c2 = (const T2*)c;
              EACH(i, n / 2) two[i] = __hfma2_S(a2[i], b2[i], c2[i]);
            }
            """
        ).replace("_S(", f"{suffix}("),
        form.array(a), form.array(b), form.array(c), one, two.view("V4"), a.size,
    )  # fmt: skip
    form.same(run, one, wanted)
    form.same(run, two, wanted, "pairs")


FTZ = {"options": ["-ftz=true"], "blocks": [1, 64]}


@case(each=both(["add", "sub", "mul"]), **FTZ)
def denormals_under_ftz(run, value):
    """-ftz=true flushes floats only: sums and products of 16 bits keep denormals."""
    form, name = value
    a, b = form.pairs
    tiny = np.random.default_rng(3).integers(0, 3 << (form.precision - 1), (2, 4000), np.uint16)
    tiny[:, ::2] |= 0x8000
    a, b = np.concatenate([a, tiny[0], tiny[0]]), np.concatenate([b, tiny[1], form.encode(np.tile([0.5, 1.25], 2000))])
    wanted = expected(form, ARITHMETIC[name], a, b)
    form.same(run, pairwise(run, form, f"__h{name}(x, y)", a, b), wanted)
    form.same(run, pairs_of_pairs(run, form, f"__h{name}2(x, y)", a, b), wanted[: a.size & ~1], "pairs")


@case(each=both(), **FTZ)
def fused_denormals_under_ftz(run, form):
    """-ftz=true: __hfma rounds once, and keeps denormals."""
    out = form.array(np.zeros(form.triples[0].size))
    run(
        form.source(
            "__global__ void k(const T* a, const T* b, const T* c, T* out, int n) { EACH(i, n) out[i] = __hfma(a[i], b[i], c[i]); }"
        ),
        *(form.array(x) for x in form.triples), out, out.size,
    )  # fmt: skip
    form.same(run, out, form.fused)


@case(each=both({"<": np.less, "<=": np.less_equal, "==": np.equal, "!=": np.not_equal}), **FTZ)
def comparisons_under_ftz(run, value):
    """-ftz=true: a denormal is larger than zero, and no other one's equal; __hmax tells them apart."""
    form, function = value
    sign = next(
        s for s, f in {"<": np.less, "<=": np.less_equal, "==": np.equal, "!=": np.not_equal}.items() if f is function
    )
    a, b = form.pairs
    wanted = form.encode(function(form.decode(a), form.decode(b)).astype(float))
    form.same(run, pairwise(run, form, f"x {sign} y ? T(1.0f) : T(0.0f)", a, b), wanted)
    form.same(run, pairwise(run, form, "__habs(__hmax(x, y))", a, b), expected(form, np.fmax, a, b) & 0x7FFF, "maximum")


ROUNDED = {"hfloor": np.floor, "hceil": np.ceil, "htrunc": np.trunc, "hrint": np.rint, "hsqrt": np.sqrt}
ANALYTIC = {
    "hrcp": np.reciprocal,
    "hexp": np.exp,
    "hexp2": np.exp2,
    "hlog": np.log,
    "hlog2": np.log2,
    "hsin": np.sin,
    "htanh": np.tanh,
}


@case(each=both([*ROUNDED, *ANALYTIC]), **FTZ)
def functions_under_ftz(run, value):
    """-ftz=true: functions take denormals and give them, every value of the type."""
    form, name = value
    if run.engine == "cuda" and name in ANALYTIC:
        return  # a GPU's are approximations
    out = pairwise(run, form, f"{name}(x)", EVERY, EVERY)
    form.close(run, out, expected(form, (ROUNDED | ANALYTIC)[name], EVERY), 0 if name in ROUNDED else 1)


@case(each=both())
def function_pointers(run, form):
    """The functions take their operands by value, and so do pointers to them."""
    a, b = form.pairs
    out = form.array(np.zeros(a.size))
    run(
        form.source(
            """
            __device__ T of_one(T (*f)(T), T x) { return f(x); }
            __device__ T of_two(T (*f)(T, T), T x, T y) { return f(x, y); }
            __global__ void k(const T* a, const T* b, T* out, int n) {
              T (*const sums[2])(T, T) = {__hadd, __hsub};
              T2 (*pair)(T2, T2, T2) = __hfma2;
              bool (*less)(T, T) = __hlt;
              EACH(i, n) {
                T x = of_two(sums[i & 1], a[i], of_one(__hneg, b[i]));
                out[i] = less(x, x) ? T(-1.0f) : pair(T2(x, x), T2(1.0f, 1.0f), T2(-0.0f, -0.0f)).y;
              }
            }
            """
        ),
        form.array(a), form.array(b), out, a.size,
    )  # fmt: skip
    x, y = form.decode(a), form.decode(b)
    with np.errstate(all="ignore"):
        form.same(run, out, form.encode(np.where(np.arange(a.size) & 1, x + y, x - y)))


@case
def conversions_pick_one(run):
    """What a half converts from and to: integers of every size, enumerations, and the overload for floats."""
    out = np.zeros((run.threads, 4), np.float32)
    run(
        """
        #include <cuda_fp16.h>
        enum Level { low = 2, high = 40 };
        __device__ int overload(float) { return 1; }
        __device__ int overload(double) { return 2; }
        __global__ void k(float* out) {
          int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          __half h = high, zero = 0u;
          h = h + __half((long)t);
          double wide = h;
          short narrow = h;
          unsigned long long large = h;
          if (zero || !h) return;
          out[4 * t] = wide + narrow;
          out[4 * t + 1] = large + static_cast<int>(__half(true));
          out[4 * t + 2] = overload(h) + sqrt(__half(9)) + fabs(__half(-2));
          out[4 * t + 3] = __half('a') == __half(97) && __half(-3LL) < __half(low);
        }
        """,
        out,
    )
    t = np.arange(run.threads)
    run.same(out, np.stack([2.0 * (40 + t), 41.0 + t, 6.0 + 0 * t, 1.0 + 0 * t], 1).astype(np.float32))


@case(each=both())
def complex_multiply_add(run, form):
    """__hcmadd is four fused operations in the order that CUDA documents."""
    a, b, c = (x[: x.size & ~1] for x in form.triples)
    products, fused = form.array(np.zeros(a.size)), form.array(np.zeros(a.size))
    run(
        form.source(
            """
            __global__ void k(const T2* a, const T2* b, const T2* c, T2* out, T2* steps, int n) {
              EACH(i, n) {
                out[i] = __hcmadd(a[i], b[i], c[i]);
                steps[i].x = __hfma(-a[i].y, b[i].y, __hfma(a[i].x, b[i].x, c[i].x));
                steps[i].y = __hfma(a[i].y, b[i].x, __hfma(a[i].x, b[i].y, c[i].y));
              }
            }
            """
        ),
        *(form.array(x).view("V4") for x in (a, b, c)), products.view("V4"), fused.view("V4"), a.size // 2,
    )  # fmt: skip
    form.same(run, products, fused.view(np.uint16))


@case(each=both())
def sign(run, form):
    """-x, __hneg, __habs of every value, of one and of two."""
    negated, absolute = EVERY ^ 0x8000, EVERY & 0x7FFF
    for expression in ("-x", "__hneg(x)"):
        form.same(run, pairwise(run, form, expression, EVERY, EVERY), negated, expression)
    for expression in ("-x", "__hneg2(x)"):
        form.same(run, pairs_of_pairs(run, form, expression, EVERY, EVERY), negated, f"pairs: {expression}")
    form.same(run, pairwise(run, form, "__habs(x)", EVERY, EVERY), absolute)
    form.same(run, pairs_of_pairs(run, form, "__habs2(x)", EVERY, EVERY), absolute, "pairs")
    form.same(run, pairwise(run, form, "+x", EVERY, EVERY), EVERY)
    form.same(run, pairs_of_pairs(run, form, "+x", EVERY, EVERY), EVERY, "pairs")


@case(each=both())
def steps(run, form):
    """++x, x++, --x and x--, of one and of two."""
    more = form.encode(form.decode(EVERY) + 1)
    less = form.encode(form.decode(EVERY) - 1)
    for on in (pairwise, pairs_of_pairs):
        form.same(run, on(run, form, "++x", EVERY, EVERY), more)
        form.same(run, on(run, form, "--x", EVERY, EVERY), less)
        form.same(run, on(run, form, "(y = x++, x)", EVERY, EVERY), more)
        form.same(run, on(run, form, "x--", EVERY, EVERY), EVERY)


COMPARISONS = {
    "eq": np.equal,
    "ne": lambda x, y: (x < y) | (x > y),
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@case(each=both(COMPARISONS))
def comparison(run, value):
    """__heq and __hequ, of one and of two, as masks and as one truth, and their kind; the operators."""
    form, function = value
    name = next(k for k, f in COMPARISONS.items() if f is function)
    a, b = (x[: x.size & ~1] for x in form.pairs)
    x, y = form.decode(a), form.decode(b)
    unordered = np.isnan(x) | np.isnan(y)
    one = form.encode(np.array([1.0]))[0]
    sign = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}[name]
    for suffix, wanted in (("", function(x, y)), ("u", function(x, y) | unordered)):
        single = np.zeros(a.size, np.uint8)
        numbers, masks, pair = np.zeros(a.size, np.uint16), np.zeros(a.size, np.uint16), np.zeros(a.size // 2, np.uint8)
        operators = np.zeros(a.size, np.uint8), np.zeros(a.size // 2, np.uint8)
        run(
            form.source(
                """
                __global__ void k(const T* a, const T* b, bool* one, T2* two, unsigned* mask, bool* both, bool* op, bool* op2,
                                  int n) {
                  EACH(i, n) { one[i] = __hNAME(a[i], b[i]); op[i] = a[i] SIGN b[i]; }
                  const T2 *a2 = (const T2*)a, *b2 = (const T2*)b;
                  EACH(i, n / 2) {
                    two[i] = __hNAME2(a2[i], b2[i]);
                    mask[i] = __hNAME2_mask(a2[i], b2[i]);
                    both[i] = __hbNAME2(a2[i], b2[i]);
                    op2[i] = a2[i] SIGN b2[i];
                  }
                }
                """
            ).replace("NAME", name + suffix).replace("SIGN", sign),
            form.array(a), form.array(b), single.view(bool), numbers.view("V4"), masks.view(np.uint32), pair.view(bool),
            operators[0].view(bool), operators[1].view(bool), a.size,
        )  # fmt: skip
        run.same(single, wanted, name + suffix)
        run.same(numbers, np.where(wanted, one, 0), f"{name}{suffix}2")
        run.same(masks, np.where(wanted, 0xFFFF, 0), f"{name}{suffix}2_mask")
        run.same(pair, wanted[::2] & wanted[1::2], f"b{name}{suffix}2")
        if (suffix == "u") == (name == "ne"):
            run.same(operators[0], wanted, sign)
            run.same(operators[1], wanted[::2] & wanted[1::2], f"{sign} of pairs")


@case(each=both())
def classification(run, form):
    """__hisnan, __hisnan2 and __hisinf of every value."""
    nan, infinite, two = np.zeros(65536, np.uint8), np.zeros(65536, np.int32), form.array(np.zeros(65536))
    run(
        form.source(
            """
            __global__ void k(const T* a, bool* nan, int* infinite, T2* two, int n) {
              EACH(i, n) { nan[i] = __hisnan(a[i]); infinite[i] = __hisinf(a[i]); }
              EACH(i, n / 2) two[i] = __hisnan2(((const T2*)a)[i]);
            }
            """
        ),
        form.array(EVERY), nan.view(bool), infinite, two.view("V4"), 65536,
    )  # fmt: skip
    values = form.decode(EVERY)
    run.same(nan, np.isnan(values))
    run.same(infinite, np.where(np.isinf(values), np.sign(np.nan_to_num(values, posinf=1, neginf=-1)), 0))
    form.same(run, two, form.encode(np.isnan(values)))


@case(each=both(["max", "min", "max_nan", "min_nan"]))
def extreme(run, value):
    """__hmax, __hmin: +0 above -0, the other of a NaN; the _nan forms keep it."""
    form, name = value
    a, b = form.pairs
    x, y = form.decode(a), form.decode(b)
    low, high = (a, b) if name.startswith("min") else (b, a)
    first = (form.decode(low) < form.decode(high)) | (x == y) & np.signbit(form.decode(low))
    wanted = np.where(first, a, b)
    nan_a, nan_b = np.isnan(x), np.isnan(y)
    if name.endswith("_nan"):
        wanted = np.where(nan_a | nan_b, np.uint16(0x7FFF), wanted)
    else:
        wanted = np.where(nan_a, b, np.where(nan_b, a, wanted))
    form.same(run, pairwise(run, form, f"__h{name}(x, y)", a, b), wanted)
    two = f"__h{name[:3]}2{name[3:]}(x, y)"
    form.same(run, pairs_of_pairs(run, form, two, a, b), wanted[: a.size & ~1], "pairs")


def reciprocal_root(x):
    return 1 / np.sqrt(x)


EXACT = {"sqrt": np.sqrt, "rcp": np.reciprocal, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint}
CLOSE = {
    "rsqrt": reciprocal_root,
    "exp": np.exp,
    "exp2": np.exp2,
    "exp10": lambda x: 10.0**x,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
}


def every_value(run, form, name):
    one = pairwise(run, form, f"h{name}(x)", EVERY, EVERY)
    two = pairs_of_pairs(run, form, f"h2{name}(x)", EVERY, EVERY)
    return one, two


@case(each=both(EXACT), blocks=[1, 256, (7, 5, 1)])
def rounded_function(run, value):
    """hsqrt, hrcp, hfloor, hceil, htrunc and hrint of every value, correctly rounded."""
    form, function = value
    name = next(k for k, f in EXACT.items() if f is function)
    wanted = expected(form, function, EVERY)
    one, two = every_value(run, form, name)
    form.same(run, one, wanted)
    form.same(run, two, wanted, "pairs")


@case(each=both(CLOSE), blocks=[1, 256, (7, 5, 1)])
def mathematical_function(run, value):
    """hexp, hlog, hsin and their kind of every value, within one ULP."""
    form, function = value
    name = next(k for k, f in CLOSE.items() if f is function)
    wanted = expected(form, function, EVERY)
    one, two = every_value(run, form, name)
    form.close(run, one, wanted, 1)
    form.close(run, two, wanted, 1, "pairs")


@case(each=both(), blocks=[1, 256, (7, 5, 1)])
def approximate_tangent(run, form):
    """htanh_approx of every value, within 2^-7 for bfloat16 and 2^-10 for half."""
    wanted = np.tanh(form.decode(EVERY))
    for out in every_value(run, form, "tanh_approx"):
        near = np.abs(form.decode(out.view(np.uint16)) - wanted) <= 2.0 ** (1 - form.precision)
        run.same(near | np.isnan(wanted) & np.isnan(form.decode(out.view(np.uint16))), np.ones(65536, bool))
