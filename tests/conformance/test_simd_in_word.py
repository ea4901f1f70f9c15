"""Two halfwords or four bytes in a word: the __v intrinsics and the DPX functions, against each field computed alone."""

import numpy as np
from harness import case, kernel

COUNT = 8  # words a thread
EDGES = np.array([0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0x80FF, 0xFFFF], np.uint32)


def words(run, seed):
    """Random words, with fields at the ends of their ranges in half of them."""
    random = np.random.default_rng(seed)
    n = COUNT * run.threads
    free = random.integers(0, 1 << 32, n, np.uint64).astype(np.uint32)
    ends = random.choice(EDGES, n) | random.choice(EDGES, n) << np.uint32(16)
    return np.where(np.arange(n) % 2 == 0, free, ends).astype(np.uint32)


def fields(values, width, signed):
    """The fields of each word as 64-bit integers, a row a word."""
    kind = {8: "u1", 16: "u2", 32: "u4"}[width]
    row = values.view(kind.replace("u", "i") if signed else kind)
    return row.reshape(len(values), 32 // width).astype(np.int64)


def packed(rows, width):
    """Words of the fields' low bits."""
    return (
        (rows & ((1 << width) - 1))
        .astype({8: np.uint8, 16: np.uint16, 32: np.uint32}[width])
        .view(np.uint32)
        .reshape(-1)
    )


def limits(width, signed):
    return (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)


COMPARE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "ge": np.greater_equal,
    "gt": np.greater,
    "le": np.less_equal,
    "lt": np.less,
}
WRAPPING = {"add": np.add, "sub": np.subtract}
ORDER = {"max": np.maximum, "min": np.minimum}


def check(run, name, arity, expected, signed_words=False):
    """Calls the intrinsic on words; `expected` gives the result's words from the operands'."""
    operands = [words(run, seed) for seed in range(arity)]
    out = np.zeros(COUNT * run.threads, np.uint32)
    parameters = ", ".join(["unsigned* out", *(f"const unsigned* {x}" for x in "abc"[:arity])])
    arguments = ", ".join(f"{x}[i]" for x in "abc"[:arity])
    run(kernel(parameters, f"for (int i = t; i < {COUNT} * n; i += n) out[i] = {name}({arguments});"), out, *operands)
    run.same(out, expected(*operands), name)


def per_field(width, signed, function):
    return lambda *operands: packed(function(*(fields(x, width, signed) for x in operands)), width)


def each_field(stem, kinds=("",)):
    return [f"__v{stem}{kind}{count}" for kind in kinds for count in (2, 4)]


def parts(name):
    """Bits of a field, and whether it is signed."""
    return {"2": 16, "4": 8}[name[-1]], name[-2] == "s"


@case(each=[n for stem in WRAPPING for n in each_field(stem)])
def wrapping(run, name):
    """Sums and differences of fields wrap, without a carry into the next."""
    width, _ = parts(name)
    check(run, name, 2, per_field(width, False, WRAPPING[name[3:6]]))


@case(each=[n for stem in WRAPPING for n in each_field(stem, ("ss", "us"))])
def saturating(run, name):
    """Sums and differences that stop at the ends of the fields' range."""
    width, signed = parts(name)[0], name[6] == "s"
    check(
        run, name, 2, per_field(width, signed, lambda a, b: np.clip(WRAPPING[name[3:6]](a, b), *limits(width, signed)))
    )


@case(each=[n for stem in COMPARE for n in each_field(f"cmp{stem}", ("",) if stem in ("eq", "ne") else ("s", "u"))])
def compare(run, name):
    """Comparisons that fill each field with ones or zeros."""
    width, signed = parts(name)
    check(run, name, 2, per_field(width, signed, lambda a, b: -COMPARE[name[6:8]](a, b).astype(np.int64)))


@case(each=[n for stem in COMPARE for n in each_field(f"set{stem}", ("",) if stem in ("eq", "ne") else ("s", "u"))])
def set_if(run, name):
    """Comparisons that give one or zero in each field."""
    width, signed = parts(name)
    check(run, name, 2, per_field(width, signed, lambda a, b: COMPARE[name[6:8]](a, b).astype(np.int64)))


@case(each=[n for stem in ORDER for n in each_field(stem, ("s", "u"))])
def order(run, name):
    """The larger or smaller of each pair of fields."""
    width, signed = parts(name)
    check(run, name, 2, per_field(width, signed, ORDER[name[3:6]]))


@case(each=[*each_field("absdiff", ("s", "u"))])
def absolute_difference(run, name):
    """|a - b| of each pair of fields, as an unsigned field."""
    width, signed = parts(name)
    check(run, name, 2, per_field(width, signed, lambda a, b: np.abs(a - b)))


@case(each=[*each_field("sad", ("s", "u"))])
def sum_of_absolute_differences(run, name):
    """|a - b| of each pair of fields, added up."""
    width, signed = parts(name)
    check(run, name, 2, lambda a, b: np.abs(fields(a, width, signed) - fields(b, width, signed)).sum(axis=1))


@case(each=[*each_field("avg", ("s", "u")), *each_field("hadd", ("u",))])
def average(run, name):
    """Averages: __vavg rounds halves away from zero for unsigned and positive sums, __vhadd down."""
    width, signed = parts(name)
    up = 0 if "hadd" in name else 1
    check(run, name, 2, per_field(width, signed, lambda a, b: (a + b + np.where(a + b >= 0, up, 0)) >> 1))


@case(each=[*each_field("neg"), *each_field("negss"), *each_field("abs"), *each_field("absss")])
def sign(run, name):
    """Negation and absolute value; the smallest field stays, or saturates (ss)."""
    width, _ = parts(name)
    change = np.negative if "neg" in name else np.abs
    low, high = limits(width, True)

    def expected(a):
        return np.clip(change(a), low, high) if name[:-1].endswith("ss") else change(a)

    check(run, name, 1, per_field(width, True, expected))


def dpx(name):
    """Bits and sign of a DPX function's operands."""
    return {"s32": (32, True), "u32": (32, False), "s16x2": (16, True), "u16x2": (16, False)}[name.split("_")[3]]


KINDS = ("s32", "s32_relu", "u32", "s16x2", "s16x2_relu", "u16x2")


@case(each=[f"__viadd{order}_{kind}" for order in ORDER for kind in KINDS])
def add_and_order(run, name):
    """DPX: the larger or smaller of a + b, which wraps, and c; _relu: not below 0."""
    width, signed = dpx(name)

    def expected(a, b, c):
        total = fields(packed(a + b, width), width, signed)
        result = ORDER[name[7:10]](total, c)
        return np.maximum(result, 0) if name.endswith("relu") else result

    check(run, name, 3, per_field(width, signed, expected))


@case(each=[f"__vi{order}3_{kind}" for order in ORDER for kind in KINDS])
def order_of_three(run, name):
    """DPX: the largest or smallest of three; _relu: not below 0."""
    width, signed = dpx(name)

    def expected(a, b, c):
        result = ORDER[name[4:7]](ORDER[name[4:7]](a, b), c)
        return np.maximum(result, 0) if name.endswith("relu") else result

    check(run, name, 3, per_field(width, signed, expected))


@case(each=[f"__vi{order}_{kind}_relu" for order in ORDER for kind in ("s32", "s16x2")])
def order_not_below_zero(run, name):
    """DPX: the larger or smaller of two, not below 0."""
    width, signed = dpx(name)
    check(run, name, 2, per_field(width, signed, lambda a, b: np.maximum(ORDER[name[4:7]](a, b), 0)))


@case(each=[f"__vib{order}_{kind}" for order in ORDER for kind in ("s32", "u32", "s16x2", "u16x2")])
def order_with_predicate(run, name):
    """DPX: the larger or smaller of two, and whether it is the first, in each half."""
    width, signed = dpx(name)
    a, b = words(run, 1), words(run, 2)
    b = np.where(np.arange(len(b)) % 3 == 0, a, b)  # equal ones too
    out = np.zeros(COUNT * run.threads, np.uint32)
    first = np.zeros((2, COUNT * run.threads), np.int32)
    predicates = "&high, &low" if width == 16 else "&low"
    body = f"""
    for (int i = t; i < {COUNT} * n; i += n) {{
      bool high = false, low = false;
      out[i] = {name}(a[i], b[i], {predicates});
      first[i] = low;
      first[{COUNT} * n + i] = high;
    }}"""
    run(kernel("unsigned* out, int* first, const unsigned* a, const unsigned* b", body), out, first, a, b)
    x, y = fields(a, width, signed), fields(b, width, signed)
    result = ORDER[name[5:8]](x, y)
    run.same(out, packed(result, width), name)
    for half in range(32 // width):
        run.same(first[half], (result == x)[:, half], f"{name}, predicate of field {half}")
