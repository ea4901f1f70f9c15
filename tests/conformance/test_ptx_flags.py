"""Inline PTX: the carry flag, predicates and comparisons, control flow and scopes within a statement, operands."""

import numpy as np
import pytest
from harness import case, kernel
from ptx import operands, run_statement

import lanza

COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}
UNSIGNED_ONLY = ("lo", "ls", "hi", "hs")
KINDS = ("u16", "s16", "u32", "s32", "u64", "s64")


@case(each=[f"{c}.{k}" for c in COMPARISONS for k in KINDS if c not in UNSIGNED_ONLY or k[0] == "u"])
def setp_of_integers(run, name):
    """setp writes a predicate, and the opposite behind a bar."""
    comparison, kind = name.split(".")
    a, b = operands(run, [kind, kind])
    b[::5] = a[::5]
    text = (
        f"{{ .reg .pred p, q; .reg .u32 x, y; setp.{name} p|q, %1, %2;"
        " selp.u32 x, 1, 0, p; selp.u32 y, 2, 0, q; add.u32 %0, x, y; }"
    )
    out = run_statement(run, text, "u32", [kind, kind], [a, b])
    run.same(out, np.where(COMPARISONS[comparison](a, b), 1, 2))


@case
def set_writes_a_mask(run):
    """set.lt.u32.s32 gives all ones or zero, set.lt.f32.s32 gives 1.0 or 0.0."""
    a, b = operands(run, ["s32", "s32"])
    out = run_statement(run, "set.lt.u32.s32 %0, %1, %2;", "u32", ["s32", "s32"], [a, b])
    run.same(out, np.where(a < b, 0xFFFFFFFF, 0))
    real = run_statement(run, "set.lt.f32.s32 %0, %1, %2;", "f32", ["s32", "s32"], [a, b])
    run.same(real, np.where(a < b, 1.0, 0.0))


@case(each={"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor})
def setp_with_a_predicate(run, function):
    """setp.lt.and combines the comparison with a predicate, negated or not."""
    name = function.__name__.removeprefix("logical_")
    a, b = operands(run, ["s32", "s32"])
    text = (
        f"{{ .reg .pred c, p, q; .reg .u32 x, y; setp.gt.s32 c, %2, 0; setp.lt.{name}.s32 p|q, %1, %2, !c;"
        " selp.u32 x, 1, 0, p; selp.u32 y, 2, 0, q; add.u32 %0, x, y; }"
    )
    out = run_statement(run, text, "u32", ["s32", "s32"], [a, b])
    less, c = a < b, b <= 0
    run.same(out, function(less, c) + 2 * function(~less, c))


@case
def predicates_are_moved_and_combined(run):
    """and, or, xor, not and mov of predicates."""
    a, b = operands(run, ["s32", "s32"])
    text = (
        "{ .reg .pred p, q, r; .reg .u32 x, y; setp.lt.s32 p, %1, 0; setp.lt.s32 q, %2, 0; xor.pred r, p, q;"
        " selp.u32 y, 1, 0, r; not.pred r, q; and.pred r, p, r; selp.u32 x, 2, 0, r; add.u32 y, y, x; not.pred r, p;"
        " mov.pred p, r; or.pred p, p, q; selp.u32 x, 4, 0, p; add.u32 %0, y, x; }"
    )
    out = run_statement(run, text, "u32", ["s32", "s32"], [a, b])
    p, q = a < 0, b < 0
    run.same(out, (p ^ q) + 2 * (p & ~q) + 4 * (~p | q))


@case
def lop3_with_a_predicate(run):
    """lop3.or.b32 d|p tells whether any bit is set, or-ed with a predicate."""
    a, b, c = operands(run, ["u32", "u32", "u32"])
    c[::3] = 0
    text = (
        "{ .reg .pred p, q; .reg .u32 x; setp.gt.u32 q, %1, 0x7fffffff; lop3.or.b32 x|p, %1, %2, %3, 0x80, q;"
        " selp.u32 %0, 1, 0, p; }"
    )
    out = run_statement(run, text, "u32", ["u32"] * 3, [a, b, c])
    run.same(out, ((a & b & c) != 0) | (a > 0x7FFFFFFF))


# Carries.


def words(run, seed, count):
    return np.random.default_rng(seed).integers(0, 1 << 32, (run.threads, count), np.uint32)


def number(row):
    return sum(int(w) << 32 * i for i, w in enumerate(row))


def rows(totals, count):
    return np.array([[v >> 32 * i & 0xFFFFFFFF for i in range(count)] for v in totals])


@case(each=["add", "sub"])
def carries_within_a_statement(run, name):
    """add.cc, addc.cc, addc and sub.cc, subc.cc, subc over five words in one asm statement."""
    a, b = words(run, 1, 4), words(run, 2, 4)
    a[::2, 1:3] = 0xFFFFFFFF
    b[::3, 1:3] = a[::3, 1:3]
    out = np.zeros((run.threads, 5), np.uint32)
    body = f"""unsigned* x = out + 5 * t; const unsigned *p = a + 4 * t, *q = b + 4 * t;
  asm("{name}.cc.u32 %0, %5, %9; {name}c.cc.u32 %1, %6, %10; {name}c.cc.u32 %2, %7, %11;"
      "{name}c.cc.u32 %3, %8, %12; {name}c.u32 %4, 0, 0;"
      : "=&r"(x[0]), "=&r"(x[1]), "=&r"(x[2]), "=&r"(x[3]), "=&r"(x[4])
      : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[0]), "r"(q[1]), "r"(q[2]), "r"(q[3]));"""
    run(kernel("unsigned* out, const unsigned* a, const unsigned* b", body), out, a, b)
    sign = 1 if name == "add" else -1
    run.same(out, rows([number(x) + sign * number(y) for x, y in zip(a, b, strict=True)], 5))


@case
def carries_from_statement_to_statement(run):
    """The flag lives on from one asm volatile to the next, also in functions that are inlined."""
    a, b = words(run, 3, 3), words(run, 4, 3)
    a[::2, 1] = ~b[::2, 1]
    out = np.zeros((run.threads, 3), np.uint32)
    before = """
__device__ __forceinline__ unsigned first(unsigned a, unsigned b) {
  unsigned r; asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r;
}
__device__ __forceinline__ unsigned next(unsigned a, unsigned b) {
  unsigned r; asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r;
}"""
    body = """const unsigned a0 = a[3 * t], a1 = a[3 * t + 1], a2 = a[3 * t + 2];
  const unsigned b0 = b[3 * t], b1 = b[3 * t + 1], b2 = b[3 * t + 2];
  const unsigned r0 = first(a0, b0), r1 = next(a1, b1), r2 = next(a2, b2);
  out[3 * t] = r0; out[3 * t + 1] = r1; out[3 * t + 2] = r2;"""
    run(kernel("unsigned* out, const unsigned* a, const unsigned* b", body, before), out, a, b)
    run.same(out, rows([number(x) + number(y) for x, y in zip(a, b, strict=True)], 3))


@case
def products_with_carries(run):
    """mad.lo.cc, madc.hi.cc, madc.lo.cc, madc.hi: two words by two words."""
    a, b = words(run, 5, 2), words(run, 6, 2)
    a[::4] = b[::4] = 0xFFFFFFFF
    out = np.zeros((run.threads, 4), np.uint32)
    body = """unsigned* x = out + 4 * t; const unsigned *p = a + 2 * t, *q = b + 2 * t;
  asm("{ .reg .u32 r0, r1, r2, r3;\\n\\t"
      "mul.lo.u32 r0, %4, %6;\\n\\t"
      "mul.hi.u32 r1, %4, %6;\\n\\t"
      "mad.lo.cc.u32 r1, %5, %6, r1;\\n\\t"
      "madc.hi.u32 r2, %5, %6, 0;\\n\\t"
      "mad.lo.cc.u32 r1, %4, %7, r1;\\n\\t"
      "madc.hi.cc.u32 r2, %4, %7, r2;\\n\\t"
      "addc.u32 r3, 0, 0;\\n\\t"
      "mad.lo.cc.u32 r2, %5, %7, r2;\\n\\t"
      "madc.hi.u32 r3, %5, %7, r3;\\n\\t"
      "mov.u32 %0, r0; mov.u32 %1, r1; mov.u32 %2, r2; mov.u32 %3, r3; }"
      : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(p[0]), "r"(p[1]), "r"(q[0]), "r"(q[1]));"""
    run(kernel("unsigned* out, const unsigned* a, const unsigned* b", body), out, a, b)
    run.same(out, rows([number(x) * number(y) for x, y in zip(a, b, strict=True)], 4))


@case
def carries_of_64_bits(run):
    """add.cc.u64 and addc.u64."""
    a, b = operands(run, ["u64", "u64"])
    text = "{ .reg .u64 low; add.cc.u64 low, %1, %2; addc.u64 %0, %1, %2; }"
    out = run_statement(run, text, "u64", ["u64", "u64"], [a, b])
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    run.same(out, np.array([x + y + (x + y >> 64) for x, y in pairs], object))


# The language around instructions.


@case
def predicated_instructions(run):
    """@p and @!p guard single instructions."""
    a, b = operands(run, ["s32", "s32"])
    text = "{ .reg .pred p; setp.lt.s32 p, %1, %2; mov.s32 %0, 7; @p add.s32 %0, %1, 1; @!p sub.s32 %0, %2, 1; }"
    out = run_statement(run, text, "s32", ["s32", "s32"], [a, b])
    run.same(out, np.where(a < b, a.astype(np.int64) + 1, b.astype(np.int64) - 1).astype(object))


@case
def labels_and_branches(run):
    """A loop and a forward branch within one statement: Collatz's steps."""
    start = np.arange(1, run.threads + 1, dtype=np.uint32)
    out = np.zeros(run.threads, np.uint32)
    body = """asm volatile("{\\n\\t"
      ".reg .pred p; .reg .u32 x, bit;\\n\\t"
      "mov.u32 x, %1; mov.u32 %0, 0; // nothing yet\\n"
      "again:\\n\\t"
      "setp.eq.u32 p, x, 1;\\n\\t"
      "@p bra done;\\n\\t"
      "and.b32 bit, x, 1; /* odd? */\\n\\t"
      "setp.ne.u32 p, bit, 0;\\n\\t"
      "@!p shr.u32 x, x, 1;\\n\\t"
      "@p mad.lo.u32 x, x, 3, 1;\\n\\t"
      "add.u32 %0, %0, 1;\\n\\t"
      "bra.uni again;\\n"
      "done:\\n\\t"
      "}" : "=&r"(out[t]) : "r"(start[t]));"""
    run(kernel("unsigned* out, const unsigned* start", body), out, start)

    def steps(x):
        count = 0
        while x != 1:
            x, count = x // 2 if x % 2 == 0 else 3 * x + 1, count + 1
        return count

    run.same(out, [steps(int(x)) for x in start])


@case
def scopes_hide_names(run):
    """A register of an inner block hides the outer one of the same name; several have a common name and numbers."""
    (a,) = operands(run, ["u32"])
    text = (
        "{ .reg .u32 x; .reg .b32 r<3>; mov.u32 x, %1; { .reg .u32 x; mov.u32 x, 5; add.u32 r0, x, 1; }"
        " add.u32 r1, x, r0; add.u32 r2, r1, r1; mov.u32 %0, r2; }"
    )
    out = run_statement(run, text, "u32", ["u32"], [a])
    run.same(out, ((a.astype(np.uint64) + 6) * 2).astype(object))


@case
def constants_in_the_text(run):
    """Decimal, hexadecimal, octal and binary constants, constant expressions, floats by their bits."""
    (a,) = operands(run, ["u32"])
    text = (
        "{ .reg .u32 x; .reg .f32 f; add.u32 x, %1, 0x10; add.u32 x, x, 010; add.u32 x, x, 0b11; add.u32 x, x, 5U;"
        " add.u32 x, x, (1 << 4) + 2 * 3; mov.f32 f, 0f3F800000; add.f32 f, f, 0.5; cvt.rni.u32.f32 %0, f;"
        " add.u32 %0, %0, x; }"
    )
    out = run_statement(run, text, "u32", ["u32"], [a])
    run.same(out, (a.astype(np.uint64) + 16 + 8 + 3 + 5 + 22 + 2).astype(object))


@case
def operands_that_are_constants(run):
    """The constraint n puts a constant into the text."""
    out = np.zeros(run.threads, np.uint32)
    before = """template <int offset, int table> __device__ unsigned f(unsigned a, unsigned b) {
  unsigned r;
  asm("lop3.b32 %0, %1, %2, 0, %3; add.u32 %0, %0, %4;" : "=r"(r) : "r"(a), "r"(b), "n"(table), "n"(offset));
  return r;
}"""
    run(kernel("unsigned* out", "out[t] = f<-3, 0x3c>(t, 77);", before), out)
    run.same(out, run.of(lambda t: (t ^ 77) - 3))


@case
def operands_read_and_written(run):
    """The constraints +r and =&r."""
    out = np.zeros(run.threads, np.uint32)
    body = """unsigned x = t, y;
  asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(10));
  asm volatile("shl.b32 %0, %1, 1;" : "=&r"(y) : "r"(x));
  out[t] = y;"""
    run(kernel("unsigned* out", body), out)
    run.same(out, run.of(lambda t: 2 * (t + 10)))


@case(each=["u16", "u32", "u64", "f32", "f64"])
def moves(run, kind):
    """mov of every size, through each constraint."""
    (a,) = operands(run, [kind])
    out = run_statement(run, f"mov.{kind.replace('u', 'b')} %0, %1;", kind, [kind], [a])
    run.same(out.view(f"u{a.itemsize}"), a.view(f"u{a.itemsize}"))


@case
def moves_of_vectors(run):
    """mov packs registers into a larger one, and takes it apart."""
    (a,) = operands(run, ["u64"])
    text = (
        "{ .reg .b32 x, y; .reg .b16 h0, h1, h2, h3; .reg .b64 z; mov.b64 {x, y}, %1; mov.b64 z, {y, x};"
        " mov.b64 {h0, h1, h2, h3}, z; mov.b64 %0, {h3, h2, h1, h0}; }"
    )
    out = run_statement(run, text, "u64", ["u64"], [a])
    halves = a.view(np.uint16).reshape(-1, 4)
    run.same(out, halves[:, [1, 0, 3, 2]].copy().view(np.uint64).reshape(-1))


@case
def moves_to_a_sink(run):
    """An element that nobody wants is an underscore."""
    (a,) = operands(run, ["u64"])
    out = run_statement(run, "mov.b64 {_, %0}, %1;", "u32", ["u64"], [a])
    run.same(out, a >> np.uint64(32))


@case
def empty_statements(run):
    """asm volatile("" : "+r"(x)) changes nothing; "" ::: "memory" orders."""
    out = np.zeros(run.threads, np.int32)
    run(kernel("int* out", 'int x = t; asm volatile("" : "+r"(x)); asm volatile("" ::: "memory"); out[t] = x;'), out)
    run.same(out, np.arange(run.threads))


@case
def exit_ends_the_thread(run):
    """exit, under a predicate: the others go on, also at a barrier."""
    out = np.zeros(run.threads, np.int32)
    body = """__shared__ int s;
  s = 0;
  __syncthreads();
  asm volatile("{ .reg .pred p; setp.ge.s32 p, %0, %1; @p exit; }" :: "r"(t), "r"((n + 1) / 2));
  atomicAdd(&s, 1);
  __syncthreads();
  out[t] = s;"""
    run(kernel("int* out", body), out)
    half = (run.threads + 1) // 2
    run.same(out, np.where(np.arange(run.threads) < half, half, 0))


REFUSED = (
    "vadd.u32.u32.u32 %0, %0, %0, %0;",
    "frobnicate.u32 %0, %0;",
    "barrier.cluster.arrive;",
    "mapa.u64 %0, %0, 0;",
)


@case(each=REFUSED, blocks=(33,), cpu_only=True, reason="a GPU's compiler has a message of its own")
def refused(run, text):
    """What is not translated is a CompileError at its line that quotes the statement."""
    source = (
        f'__global__ void k(unsigned* out) {{\n  unsigned x = 1;\n  asm volatile("{text}" : "+r"(x));\n  *out = x;\n}}'
    )
    with pytest.raises(lanza.CompileError) as error:
        run(source, np.zeros(1, np.uint32))
    assert f'kernel.cu:3:16: error: inline PTX "{text}": ' in str(error.value)
