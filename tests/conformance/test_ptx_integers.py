"""Inline PTX: integer arithmetic and bits, against Python's integers."""

import numpy as np
from harness import case
from ptx import clamped, operands, run_statement, signed, unsigned


def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def shifted(name, a, n, size):
    if name == "shl":
        return a << n if n < size else 0
    return a >> min(n, size - 1) if a < 0 or n < size else 0


def funnel(name, lo, hi, n):
    n, both = n & 31 if "wrap" in name else min(n, 32), hi << 32 | lo
    return both << n >> 32 if name[0] == "l" else both >> n


def highest_bit(x, size, is_signed):
    return unsigned(~x if is_signed and x < 0 else x, size).bit_length() - 1


def field(a, position, length, size, is_signed):
    position, length, bits = position & 255, length & 255, 0
    top = unsigned(a, size) >> min(position + length - 1, size - 1) & 1 if length and is_signed else 0
    for i in range(size):
        inside = i < length and position + i < size
        bits |= (unsigned(a, size) >> position + i & 1 if inside else top) << i
    return bits


def inserted(a, b, position, length, size):
    mask = ((1 << (length & 255)) - 1) << (position & 255)
    return unsigned(b & ~mask | a << (position & 255) & mask, size)


def permuted(a, b, c, mode):
    pool, low, result = unsigned(b) << 32 | unsigned(a), c & 3, 0
    picks = {
        "f4e": [low + i & 7 for i in range(4)],
        "b4e": [low - i & 7 for i in range(4)],
        "rc8": [low] * 4,
        "ecl": [max(low, i) for i in range(4)],
        "ecr": [min(low, i) for i in range(4)],
        "rc16": [2 * (low & 1) + (i & 1) for i in range(4)],
    }
    if mode:
        return sum((pool >> 8 * p & 255) << 8 * i for i, p in enumerate(picks[mode]))
    for i in range(4):
        nibble = c >> 4 * i & 15
        byte = pool >> 8 * (nibble & 7) & 255
        result |= (byte if nibble < 8 else 255 * (byte >> 7)) << 8 * i
    return result


def function_of_bits(a, b, c, table):
    return sum((table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1) << i for i in range(32))


def parts(x, is_signed, width=8):
    rows = [unsigned(x) >> i & ((1 << width) - 1) for i in range(0, 32, width)]
    return [signed(p, width) for p in rows] if is_signed else rows


def dot4(a, b, c, signs):
    return c + sum(x * y for x, y in zip(parts(a, signs[0] == "s"), parts(b, signs[1] == "s"), strict=True))


def dot2(a, b, c, signs, first):
    halves = parts(b, signs[1] == "s")[first : first + 2]
    return c + sum(x * y for x, y in zip(parts(a, signs[0] == "s", 16), halves, strict=True))


def product24(a, b, is_signed):
    return signed(a, 24) * signed(b, 24) if is_signed else (a & 0xFFFFFF) * (b & 0xFFFFFF)


def nth_set(mask, base, offset):
    if offset == 0:
        return base if mask >> base & 1 else -1
    found = [i for i in (range(base, 32) if offset > 0 else range(base, -1, -1)) if mask >> i & 1]
    return found[abs(offset) - 1] if len(found) >= abs(offset) else -1


ALL = ("u16", "s16", "u32", "s32", "u64", "s64")
# name: statement, type of the result, types of the operands, its value
STATEMENTS = {}


def add(name, result, types, value, statement=""):
    written = ", ".join(f"%{i}" for i in range(len(types) + 1))
    STATEMENTS[name] = (statement or f"{name} {written};", result, list(types), value)


for kind in ALL:
    size, is_signed = int(kind[1:]), kind[0] == "s"
    for name, function in {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul.lo": lambda a, b: a * b,
        "mul.hi": lambda a, b, size=size: a * b >> size,
        "min": min,
        "max": max,
    }.items():
        add(f"{name}.{kind}", kind, [kind, kind], function)
    add(f"mad.lo.{kind}", kind, [kind] * 3, lambda a, b, c: a * b + c)
    add(f"mad.hi.{kind}", kind, [kind] * 3, lambda a, b, c, size=size: (a * b >> size) + c)
    add(f"sad.{kind}", kind, [kind] * 3, lambda a, b, c: abs(a - b) + c)
    add(f"shr.{kind}", kind, [kind, "u32"], lambda a, n, size=size: shifted("shr", a, n, size))
    if is_signed:
        add(f"abs.{kind}", kind, [kind], abs)
        add(f"neg.{kind}", kind, [kind], lambda a: -a)
    if size < 64:
        wide = f"{kind[0]}{2 * size}"
        add(f"mul.wide.{kind}", wide, [kind, kind], lambda a, b: a * b)
        add(f"mad.wide.{kind}", wide, [kind, kind, wide], lambda a, b, c: a * b + c)
for kind in ("u32", "s32", "u64", "s64"):
    size, is_signed = int(kind[1:]), kind[0] == "s"
    add(f"bfind.{kind}", "u32", [kind], lambda a, size=size, s=is_signed: highest_bit(a, size, s))
    add(
        f"bfind.shiftamt.{kind}",
        "u32",
        [kind],
        lambda a, size=size, s=is_signed: -1 if (h := highest_bit(a, size, s)) < 0 else size - 1 - h,
    )
    add(
        f"bfe.{kind}",
        kind,
        [kind, "u32", "u32"],
        lambda a, p, n, size=size, s=is_signed: field(a, p, n, size, s),
    )
for size in (32, 64):
    kind = f"u{size}"
    add(f"popc.b{size}", "u32", [kind], lambda a: a.bit_count())
    add(f"clz.b{size}", "u32", [kind], lambda a, size=size: size - a.bit_length())
    add(f"brev.b{size}", kind, [kind], lambda a, size=size: int(f"{a:0{size}b}"[::-1], 2))
    add(
        f"bfi.b{size}",
        kind,
        [kind, kind, "u32", "u32"],
        lambda a, b, p, n, size=size: inserted(a, b, p, n, size),
    )
for size in (16, 32, 64):
    kind = f"u{size}"
    add(f"and.b{size}", kind, [kind, kind], lambda a, b: a & b)
    add(f"or.b{size}", kind, [kind, kind], lambda a, b: a | b)
    add(f"xor.b{size}", kind, [kind, kind], lambda a, b: a ^ b)
    add(f"not.b{size}", kind, [kind], lambda a: ~a)
    add(f"cnot.b{size}", kind, [kind], lambda a: int(a == 0))
    add(f"shl.b{size}", kind, [kind, "u32"], lambda a, n, size=size: shifted("shl", a, n, size))
for name in ("l.wrap", "l.clamp", "r.wrap", "r.clamp"):
    add(f"shf.{name}.b32", "u32", ["u32"] * 3, lambda a, b, n, name=name: funnel(name, a, b, n))
for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
    add(f"prmt.b32{mode}", "u32", ["u32"] * 3, lambda a, b, c, mode=mode: permuted(a, b, c, mode[1:]))
for table in (0x00, 0x96, 0xE8, 0xCA, 0x80, 0xFE, 0x1B, 0xFF):
    add(
        f"lop3.b32 {table:#04x}",
        "u32",
        ["u32"] * 3,
        lambda a, b, c, table=table: function_of_bits(a, b, c, table),
        f"lop3.b32 %0, %1, %2, %3, {table:#x};",
    )
for signs in ("uu", "ss", "us", "su"):
    result, kinds = "u32" if signs == "uu" else "s32", f"{signs[0]}32.{signs[1]}32"
    types = ["u32", "u32", result]
    add(f"dp4a.{kinds}", result, types, lambda a, b, c, signs=signs: dot4(a, b, c, signs))
    add(f"dp2a.lo.{kinds}", result, types, lambda a, b, c, signs=signs: dot2(a, b, c, signs, 0))
    add(f"dp2a.hi.{kinds}", result, types, lambda a, b, c, signs=signs: dot2(a, b, c, signs, 2))
for kind in ("u32", "s32"):
    s = kind == "s32"
    add(f"mul24.lo.{kind}", kind, [kind] * 2, lambda a, b, s=s: product24(a, b, s))
    add(f"mul24.hi.{kind}", kind, [kind] * 2, lambda a, b, s=s: product24(a, b, s) >> 16)
    add(f"mad24.lo.{kind}", kind, [kind] * 3, lambda a, b, c, s=s: product24(a, b, s) + c)
add("add.sat.s32", "s32", ["s32"] * 2, lambda a, b: clamped(a + b, "s32"))
add("sub.sat.s32", "s32", ["s32"] * 2, lambda a, b: clamped(a - b, "s32"))
add("mad.hi.sat.s32", "s32", ["s32"] * 3, lambda a, b, c: clamped((a * b >> 32) + c, "s32"))
add(
    "fns.b32",
    "u32",
    ["u32"] * 3,
    lambda mask, base, n: nth_set(mask, base & 31, (n & 7) - 4),
    "{ .reg .s32 n; .reg .b32 m; and.b32 n, %3, 7; sub.s32 n, n, 4; and.b32 m, %2, 31; fns.b32 %0, %1, m, n; }",
)
add("bmsk.clamp.b32", "u32", ["u32"] * 2, lambda a, b: unsigned(((1 << min(b, 32)) - 1) << min(a, 32)))
add("szext.clamp.s32", "s32", ["s32", "u32"], lambda a, b: signed(a, min(b, 32)) if b else 0)
add("szext.wrap.u32", "u32", ["u32", "u32"], lambda a, b: unsigned(a, b & 31))
add("slct.u32.s32", "u32", ["u32", "u32", "s32"], lambda a, b, c: a if c >= 0 else b)


@case(each=STATEMENTS)
def integer(run, statement):
    """An integer instruction on random bits and the ends of ranges."""
    text, result, types, value = statement
    values = operands(run, types)
    if text.startswith(
        ("bfe", "bfi")
    ):  # the manual cuts place and length to eight bits; a GPU does not for 64-bit fields
        values[-2:] = [v & 255 for v in values[-2:]]
    out = run_statement(run, text, result, types, values)
    expected = [value(*row) for row in zip(*(v.tolist() for v in values), strict=True)]
    run.same(out, np.array(expected, object), text)


@case(each=[f"{name}.{kind}" for name in ("div", "rem") for kind in ALL])
def division(run, name):
    """Quotients are cut to zero, remainders have the dividend's sign; not by zero, which PTX does not define."""
    kind = name[4:]
    a, b = operands(run, [kind, kind])
    b[b == 0] = 7
    if kind[0] == "s":
        b[b == -1] = -3
    out = run_statement(run, f"{name} %0, %1, %2;", kind, [kind, kind], [a, b])
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    divided = [quotient(x, y) for x, y in pairs]
    rest = [x - q * y for q, (x, y) in zip(divided, pairs, strict=True)]
    run.same(out, np.array(divided if name.startswith("div") else rest, object))
