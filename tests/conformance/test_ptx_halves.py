"""Inline PTX: half precision and bfloat16, whose registers are 16 bits, or pairs of them in 32."""

import numpy as np
from harness import case
from ptx import operands, run_statement


def halves(run, seed):
    """Bits of halves of all kinds."""
    random = np.random.default_rng(seed)
    bits = random.integers(0, 1 << 16, operands(run, ["u16"])[0].size, np.uint16)
    special = np.array([0, 0x8000, 0x3C00, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 1, 0x83FF, 0x0400], np.uint16)
    return np.where(np.arange(bits.size) % 5 == 0, random.choice(special, bits.size), bits)


def same(run, out, expected, what=""):
    run.same(out.view(np.float16), expected.astype(np.float16), what)


OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
}


@case(each=OPERATIONS)
def half_arithmetic(run, operation):
    """add, sub and mul of halves, rounded once."""
    name = next(n for n, o in OPERATIONS.items() if o is operation)
    a, b = halves(run, 1), halves(run, 2)
    out = run_statement(run, f"{name}.rn.f16 %0, %1, %2;", "u16", ["u16", "u16"], [a, b])
    with np.errstate(all="ignore"):
        same(run, out, operation(a.view(np.float16).astype(np.float64), b.view(np.float16).astype(np.float64)))


@case
def half_fma(run):
    """fma of halves: the exact value lies in a double."""
    a, b, c = (halves(run, seed) for seed in (1, 2, 3))
    out = run_statement(run, "fma.rn.f16 %0, %1, %2, %3;", "u16", ["u16"] * 3, [a, b, c])
    with np.errstate(all="ignore"):
        x, y, z = (v.view(np.float16).astype(np.longdouble) for v in (a, b, c))
        same(run, out, x * y + z)


@case(each=OPERATIONS)
def pairs_of_halves(run, operation):
    """add.f16x2 and its kin work on both halves of a register."""
    name = next(n for n, o in OPERATIONS.items() if o is operation)
    a, b = (
        np.ascontiguousarray(np.stack([halves(run, s), halves(run, s + 5)], 1)).view(np.uint32)[:, 0] for s in (1, 2)
    )
    out = run_statement(run, f"{name}.rn.f16x2 %0, %1, %2;", "u32", ["u32", "u32"], [a, b])
    x, y = (v.view(np.float16).astype(np.float64) for v in (a, b))
    with np.errstate(all="ignore"):
        same(run, out, operation(x, y))


@case(each=["min", "max"])
def half_extrema(run, name):
    """min and max of halves: numbers win over NaN, -0 lies below +0."""
    a, b = halves(run, 1), halves(run, 2)
    out = run_statement(run, f"{name}.f16 %0, %1, %2;", "u16", ["u16", "u16"], [a, b])
    x, y = a.view(np.float16), b.view(np.float16)
    greater = name == "max"
    first = np.where(x == y, np.signbit(x) != greater, (x > y) == greater)
    same(run, out, np.where(np.isnan(x), y, np.where(np.isnan(y), x, np.where(first, x, y))))


@case
def half_signs(run):
    """neg and abs of halves."""
    a = halves(run, 1)
    same(run, run_statement(run, "neg.f16 %0, %1;", "u16", ["u16"], [a]), -a.view(np.float16))
    same(run, run_statement(run, "abs.f16 %0, %1;", "u16", ["u16"], [a]), np.abs(a.view(np.float16)))


@case
def halves_to_floats(run):
    """cvt.f32.f16 is exact."""
    a = halves(run, 1)
    out = run_statement(run, "cvt.f32.f16 %0, %1;", "f32", ["u16"], [a])
    run.same(out, a.view(np.float16).astype(np.float32))


@case
def floats_to_halves(run):
    """cvt.rn.f16.f32 rounds to nearest, ties to even."""
    (a,) = operands(run, ["f32"])
    a[::3] = np.float32(1) + np.arange(a[::3].size).astype(np.float32) * np.float32(2.0**-11)
    out = run_statement(run, "cvt.rn.f16.f32 %0, %1;", "u16", ["f32"], [a])
    with np.errstate(all="ignore"):
        same(run, out, a.astype(np.float16))


@case
def floats_to_halves_to_zero(run):
    """cvt.rz.f16.f32 cuts off."""
    (a,) = operands(run, ["f32"])
    out = run_statement(run, "cvt.rz.f16.f32 %0, %1;", "u16", ["f32"], [a])
    with np.errstate(all="ignore"):
        near = a.astype(np.float16)
        beyond = np.abs(near.astype(np.float64)) > np.abs(a.astype(np.float64))
        same(run, out, np.where(beyond, np.nextafter(near, np.float16(0)), near))


@case
def two_floats_to_a_pair(run):
    """cvt.rn.f16x2.f32 puts the first float into the upper half."""
    a, b = operands(run, ["f32", "f32"])
    out = run_statement(run, "cvt.rn.f16x2.f32 %0, %1, %2;", "u32", ["f32", "f32"], [a, b])
    with np.errstate(all="ignore"):
        same(run, out, np.stack([b, a], 1).reshape(-1).astype(np.float16))


def bfloat(values):
    """Floats as bfloat16, to nearest even."""
    bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    near = (bits + 0x7FFF + (bits >> np.uint64(16) & np.uint64(1))) >> np.uint64(16)
    return np.where(np.isnan(values), 0x7FFF, near).astype(np.uint16)


def from_bfloat(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


@case
def bfloat_conversions(run):
    """cvt.rn.bf16.f32 and back by a shift."""
    (a,) = operands(run, ["f32"])
    out = run_statement(run, "cvt.rn.bf16.f32 %0, %1;", "u16", ["f32"], [a])
    run.same(from_bfloat(out), from_bfloat(bfloat(a)))


@case
def bfloat_fma(run):
    """fma.rn.bf16 rounds once."""
    a, b, c = (bfloat(v) for v in operands(run, ["f32", "f32", "f32"]))
    out = run_statement(run, "fma.rn.bf16 %0, %1, %2, %3;", "u16", ["u16"] * 3, [a, b, c])
    x, y, z = (from_bfloat(v).astype(np.float64) for v in (a, b, c))
    with np.errstate(all="ignore"):
        exact = x * y + z
        # To odd, so that the second rounding sees what the first lost.
        inexact = np.isfinite(exact) & ((exact - x * y != z) | (exact - z != x * y)) & (exact != 0)
    clear = ~inexact
    run.same(
        np.where(clear, from_bfloat(out), 0).astype(np.float32),
        np.where(clear, from_bfloat(bfloat_of(exact)), 0).astype(np.float32),
    )


def bfloat_of(doubles):
    """Doubles as bfloat16 through a float rounded to odd."""
    with np.errstate(all="ignore"):
        single = doubles.astype(np.float32)
        lost = np.isfinite(single) & (single.astype(np.float64) != doubles)
        toward_zero = np.where(
            np.abs(single.astype(np.float64)) > np.abs(doubles), np.nextafter(single, np.float32(0)), single
        )
        odd = (toward_zero.view(np.uint32) | lost).view(np.float32)
    return bfloat(np.where(np.isfinite(single), odd, single))


@case(each=["setp.lt.f16", "setp.eq.f16"])
def half_comparisons(run, name):
    """setp of halves."""
    a, b = halves(run, 1), halves(run, 2)
    b[::3] = a[::3]
    text = f"{{ .reg .pred p; {name} p, %1, %2; selp.u32 %0, 1, 0, p; }}"
    out = run_statement(run, text, "u32", ["u16", "u16"], [a, b])
    x, y = a.view(np.float16), b.view(np.float16)
    run.same(out, x < y if ".lt" in name else x == y)


@case(each=["lt", "ge", "equ", "ne"])
def comparisons_of_pairs(run, name):
    """setp of two halves: one predicate each, also joined with a third."""
    a, b = halves(run, 1), halves(run, 2)
    b[::3] = a[::3]
    pairs = [np.ascontiguousarray(x.repeat(2)).view(np.uint32) for x in (a, b)]
    pairs[1] = np.roll(pairs[1].view(np.uint16), 1).view(np.uint32)
    text = f"""{{ .reg .pred p, q, r, t, u; .reg .u32 v; setp.{name}.f16x2 p|q, %1, %2; setp.ne.u32 r, %1, 0;
      setp.{name}.and.f16x2 t|u, %1, %2, r; selp.u32 %0, 1, 0, p; selp.u32 v, 2, 0, q; or.b32 %0, %0, v;
      selp.u32 v, 4, 0, t; or.b32 %0, %0, v; selp.u32 v, 8, 0, u; or.b32 %0, %0, v; }}"""
    out = run_statement(run, text.replace("\n", " "), "u32", ["u32", "u32"], pairs)
    x, y = (v.view(np.float16).reshape(-1, 2) for v in pairs)
    with np.errstate(invalid="ignore"):
        either = {"lt": x < y, "ge": x >= y, "equ": (x == y) | np.isnan(x) | np.isnan(y), "ne": (x < y) | (x > y)}[name]
    one = either[:, 0] + 2 * either[:, 1]
    run.same(out, (one + np.where(pairs[0] != 0, 4 * one, 0)).astype(np.uint32))
