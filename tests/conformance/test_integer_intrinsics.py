"""Integer intrinsics: bits, products, averages, shifts, permutes, dot products, against Python's integers."""

import numpy as np
from harness import case, kernel

COUNT = 8  # values a thread
TYPES = {"int": np.int32, "unsigned int": np.uint32, "long long": np.int64, "unsigned long long": np.uint64}
ENDS = (0, 1, 2, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFF, 0x800000, 0xFFFFFF)


def operands(run, name, seed):
    """Random bits, small numbers and the ends of ranges."""
    dtype = np.dtype(TYPES[name])
    random, n = np.random.default_rng(seed), COUNT * run.threads
    size = 8 * dtype.itemsize
    free = random.integers(0, 1 << 64, n, np.uint64, endpoint=False) if size == 64 else random.integers(0, 1 << 32, n)
    ends = random.choice(np.array(ENDS, np.uint64), n)
    tops = random.choice(np.array([0, (1 << size - 1) - 1, 1 << size - 1, (1 << size) - 1], np.uint64), n)
    pick = np.arange(n) % 4
    unsigned = np.dtype(f"u{dtype.itemsize}")
    chosen = np.where(pick == 0, ends, np.where(pick == 1, tops, free.astype(np.uint64)))
    return chosen.astype(unsigned).view(dtype)


def check(run, call, result, types, function):
    """Calls `call` with operands of the types; `function` computes what it gives, of Python's integers."""
    names = "abc"[: len(types)]
    values = [operands(run, name, seed) for seed, name in enumerate(types)]
    out = np.zeros(COUNT * run.threads, TYPES[result])
    parameters = ", ".join([f"{result}* out", *(f"const {type}* {x}" for x, type in zip(names, types, strict=True))])
    arguments = ", ".join(f"{x}[i]" for x in names)
    run(kernel(parameters, f"for (int i = t; i < {COUNT} * n; i += n) out[i] = {call}({arguments});"), out, *values)
    expected = [function(*row) for row in zip(*(v.tolist() for v in values), strict=True)]
    run.same(out, np.array(expected, object), call)


def unsigned(x, size=32):
    return x & ((1 << size) - 1)


def signed(x, size=32):
    x = unsigned(x, size)
    return x - (1 << size) if x >> size - 1 else x


def leading_zeros(x, size):
    return size - unsigned(x, size).bit_length()


def first_set(x, size):
    x = unsigned(x, size)
    return (x & -x).bit_length()


def reverse(x, size):
    return int(f"{x:0{size}b}"[::-1], 2)


def byte_perm(x, y, selector):
    pool, result = y << 32 | x, 0
    for i in range(4):
        result |= (pool >> 8 * (selector >> 4 * i & 7) & 0xFF) << 8 * i  # a selector's fourth bit is not used
    return result


def funnel(name, lo, hi, shift):
    amount = min(shift, 32) if name.endswith("c") else shift & 31
    both = hi << 32 | lo
    return unsigned(both >> amount) if "_r" in name else unsigned(both << amount >> 32)


def fields(x, width, is_signed):
    rows = [x >> i & ((1 << width) - 1) for i in range(0, 32, width)]
    return [signed(r, width) for r in rows] if is_signed else rows


def dot4(a, b, c, is_signed):
    return c + sum(x * y for x, y in zip(fields(a, 8, is_signed), fields(b, 8, is_signed), strict=True))


def dot2(a, b, c, is_signed, first):
    halves = zip(fields(a, 16, is_signed), fields(b, 8, is_signed)[first : first + 2], strict=True)
    return c + sum(x * y for x, y in halves)


S32, U32, S64, U64 = TYPES
# call: type of the result, types of the operands, its value
FUNCTIONS = {
    "__clz": (S32, [S32], lambda x: leading_zeros(x, 32)),
    "__clzll": (S32, [S64], lambda x: leading_zeros(x, 64)),
    "__ffs": (S32, [S32], lambda x: first_set(x, 32)),
    "__ffsll": (S32, [S64], lambda x: first_set(x, 64)),
    "__popc": (S32, [U32], lambda x: x.bit_count()),
    "__popcll": (S32, [U64], lambda x: x.bit_count()),
    "__brev": (U32, [U32], lambda x: reverse(x, 32)),
    "__brevll": (U64, [U64], lambda x: reverse(x, 64)),
    "__byte_perm": (U32, [U32, U32, U32], byte_perm),
    "__mul24": (S32, [S32, S32], lambda x, y: signed(x, 24) * signed(y, 24)),
    "__umul24": (U32, [U32, U32], lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF)),
    "__mulhi": (S32, [S32, S32], lambda x, y: x * y >> 32),
    "__umulhi": (U32, [U32, U32], lambda x, y: x * y >> 32),
    "__mul64hi": (S64, [S64, S64], lambda x, y: x * y >> 64),
    "__umul64hi": (U64, [U64, U64], lambda x, y: x * y >> 64),
    "__sad": (U32, [S32, S32, U32], lambda x, y, z: abs(x - y) + z),
    "__usad": (U32, [U32, U32, U32], lambda x, y, z: abs(x - y) + z),
    "__hadd": (S32, [S32, S32], lambda x, y: x + y >> 1),
    "__rhadd": (S32, [S32, S32], lambda x, y: x + y + 1 >> 1),
    "__uhadd": (U32, [U32, U32], lambda x, y: x + y >> 1),
    "__urhadd": (U32, [U32, U32], lambda x, y: x + y + 1 >> 1),
    **{
        f"__funnelshift_{kind}": (U32, [U32, U32, U32], lambda lo, hi, s, kind=kind: funnel(f"_{kind}", lo, hi, s))
        for kind in ("l", "lc", "r", "rc")
    },
    "abs": (S32, [S32], abs),
    "labs": (S64, [S64], abs),
    "llabs": (S64, [S64], abs),
    "umin": (U32, [U32, U32], min),
    "umax": (U32, [U32, U32], max),
    "llmin": (S64, [S64, S64], min),
    "llmax": (S64, [S64, S64], max),
    "ullmin": (U64, [U64, U64], min),
    "ullmax": (U64, [U64, U64], max),
}


@case(each=FUNCTIONS)
def intrinsic(run, function):
    """An intrinsic on random bits and the ends of ranges."""
    result, types, value = function
    name = next(n for n, f in FUNCTIONS.items() if f is function)
    check(run, name, result, types, value)


@case(each=["signed", "unsigned"])
def dp4a(run, kind):
    """__dp4a adds four products of bytes to a word."""
    word, is_signed = (S32, True) if kind == "signed" else (U32, False)
    check(run, "__dp4a", word, [word] * 3, lambda a, b, c: dot4(a, b, c, is_signed))


@case(each=["lo signed", "lo unsigned", "hi signed", "hi unsigned"])
def dp2a(run, kind):
    """__dp2a adds two products of halfwords by the lower or upper bytes."""
    half, _, sign = kind.partition(" ")
    word, is_signed = (S32, True) if sign == "signed" else (U32, False)
    first = 2 if half == "hi" else 0
    check(run, f"__dp2a_{half}", word, [word] * 3, lambda a, b, c: dot2(a, b, c, is_signed, first))


@case
def dot_products_of_vectors(run):
    """The overloads of __dp4a and __dp2a that take vectors see the same bytes."""
    a, b, c = (operands(run, U32, seed) for seed in range(3))
    out = np.zeros((6, COUNT * run.threads), np.uint32)
    body = """
    for (int i = t; i < COUNT * n; i += n) {
      unsigned x = a[i], y = b[i], z = c[i], *o = out + i, step = COUNT * n;
      o[0] = __dp4a(*(char4*)&x, *(char4*)&y, (int)z);
      o[step] = __dp4a(*(uchar4*)&x, *(uchar4*)&y, z);
      o[2 * step] = __dp2a_lo(*(short2*)&x, *(char4*)&y, (int)z);
      o[3 * step] = __dp2a_hi(*(short2*)&x, *(char4*)&y, (int)z);
      o[4 * step] = __dp2a_lo(*(ushort2*)&x, *(uchar4*)&y, z);
      o[5 * step] = __dp2a_hi(*(ushort2*)&x, *(uchar4*)&y, z);
    }""".replace("COUNT", str(COUNT))
    run(kernel("unsigned* out, const unsigned* a, const unsigned* b, const unsigned* c", body), out, a, b, c)
    rows = list(zip(a.tolist(), b.tolist(), c.tolist(), strict=True))
    expected = [
        [dot4(*row, True) for row in rows],
        [dot4(*row, False) for row in rows],
        [dot2(*row, True, 0) for row in rows],
        [dot2(*row, True, 2) for row in rows],
        [dot2(*row, False, 0) for row in rows],
        [dot2(*row, False, 2) for row in rows],
    ]
    run.same(out, np.array(expected, object))


@case
def find_nth_set(run):
    """__fns finds the n-th set bit from a base, upwards or downwards."""
    mask = operands(run, U32, 5)
    base = np.arange(len(mask), dtype=np.uint32) * np.uint32(7) % np.uint32(32)
    offset = np.arange(len(mask), dtype=np.int32) % 11 - 5
    out = np.zeros(len(mask), np.uint32)
    run(
        kernel(
            "unsigned* out, const unsigned* mask, const unsigned* base, const int* offset",
            f"for (int i = t; i < {COUNT} * n; i += n) out[i] = __fns(mask[i], base[i], offset[i]);",
        ),
        out,
        mask,
        base,
        offset,
    )

    def nth(mask, base, offset):
        if offset == 0:
            return base if mask >> base & 1 else 0xFFFFFFFF
        bits = range(base, 32) if offset > 0 else range(base, -1, -1)
        found = [b for b in bits if mask >> b & 1]
        return found[abs(offset) - 1] if len(found) >= abs(offset) else 0xFFFFFFFF

    run.same(out, [nth(*row) for row in zip(mask.tolist(), base.tolist(), offset.tolist(), strict=True)])


PAIRS = {
    "int": (np.int32, np.int32, np.int32),
    "unsigned int": (np.uint32, np.uint32, np.uint32),
    "int, unsigned int": (np.int32, np.uint32, np.uint32),
    "unsigned int, int": (np.uint32, np.int32, np.uint32),
    "long": (np.int64, np.int64, np.int64),
    "unsigned long": (np.uint64, np.uint64, np.uint64),
    "long, unsigned long": (np.int64, np.uint64, np.uint64),
    "long long": (np.int64, np.int64, np.int64),
    "unsigned long long": (np.uint64, np.uint64, np.uint64),
    "long long, unsigned long long": (np.int64, np.uint64, np.uint64),
    "unsigned long long, long long": (np.uint64, np.int64, np.uint64),
}


@case(each=PAIRS)
def min_and_max(run, types):
    """min and max of integers; where one is unsigned, both compare as unsigned."""
    label = next(n for n, t in PAIRS.items() if t is types)
    first, _, second = label.partition(", ")
    left, right, result = (np.dtype(t) for t in types)
    kind = {4: U32, 8: U64}[result.itemsize]
    a, b = operands(run, kind, 1).view(left), operands(run, kind, 2).view(right)
    out = np.zeros((2, len(a)), result)
    run(
        kernel(
            "R* out, const A* a, const B* b",
            f"for (int i = t; i < {COUNT} * n; i += n) out[i] = min(a[i], b[i]), out[{COUNT} * n + i] = max(a[i], b[i]);",
            f"typedef {first} A; typedef {second or first} B; typedef decltype(min(A(), B())) R;",
        ),
        out,
        a,
        b,
    )
    x, y = a.astype(result), b.astype(result)
    run.same(out, [np.minimum(x, y), np.maximum(x, y)])
