"""Inline PTX: loads, stores, atomic operations, fences, address spaces, special registers."""

import numpy as np
from harness import case, kernel

TYPES = {
    "u8": ("unsigned char", "r", "u1"),
    "s8": ("signed char", "r", "i1"),
    "u16": ("unsigned short", "h", "u2"),
    "s16": ("short", "h", "i2"),
    "u32": ("unsigned", "r", "u4"),
    "s32": ("int", "r", "i4"),
    "u64": ("unsigned long long", "l", "u8"),
    "s64": ("long long", "l", "i8"),
    "f32": ("float", "f", "f4"),
    "f64": ("double", "d", "f8"),
}


def values(run, kind, count=1):
    size = np.dtype(TYPES[kind][2]).itemsize
    raw = np.random.default_rng(size).integers(0, 256, run.threads * count * size, np.uint8)
    array = raw.view(TYPES[kind][2])
    return np.nan_to_num(array) if kind[0] == "f" else array


@case(each=list(TYPES))
def loads_and_stores(run, kind):
    """ld and st of every type, with an offset; small ones through wider registers."""
    cpp, constraint, dtype = TYPES[kind]
    a = values(run, kind, 2)
    out = np.zeros(2 * run.threads, dtype)
    register = {"r": "int", "h": "short", "l": "long long", "f": "float", "d": "double"}[constraint]
    body = f"""{register} x, y;
  asm volatile("ld.global.{kind} %0, [%2]; ld.{kind} %1, [%2+{a.itemsize}];" : "=&{constraint}"(x), "=&{constraint}"(y) : "l"(a + 2 * t));
  asm volatile("st.{kind} [%0], %2; st.global.{kind} [%0+{a.itemsize}], %1;" :: "l"(out + 2 * t), "{constraint}"(x), "{constraint}"(y) : "memory");"""
    run(kernel(f"{cpp}* out, const {cpp}* a", body), out, a)
    run.same(out, a.reshape(-1, 2)[:, ::-1].reshape(-1))


@case(each=["v2.u32", "v4.u32", "v2.f32", "v4.f32", "v2.u64", "v2.f64", "v4.u8", "v2.s16"])
def vectors(run, name):
    """Vector loads and stores."""
    vector, kind = name.split(".")
    count = int(vector[1])
    cpp, constraint, _ = TYPES[kind]
    a = values(run, kind, count)
    out = np.zeros_like(a)
    register = {"r": "int", "h": "short", "l": "long long", "f": "float", "d": "double"}[constraint]
    outputs = ", ".join(f'"=&{constraint}"(x[{i}])' for i in range(count))
    inputs = ", ".join(f'"{constraint}"(x[{count - 1 - i}])' for i in range(count))
    numbers = ",".join(f"%{i}" for i in range(count))
    stored = ",".join(f"%{i + 1}" for i in range(count))
    body = f"""{register} x[{count}];
  asm volatile("ld.global.{name} {{{numbers}}}, [%{count}];" : {outputs} : "l"(a + {count} * t));
  asm volatile("st.global.{name} [%0], {{{stored}}};" :: "l"(out + {count} * t), {inputs} : "memory");"""
    run(kernel(f"{cpp}* out, const {cpp}* a", body), out, a)
    run.same(out, a.reshape(-1, count)[:, ::-1].reshape(-1))


LOADS = [
    "ld.global.ca.u32",
    "ld.global.cg.u32",
    "ld.global.cs.u32",
    "ld.global.lu.u32",
    "ld.global.cv.u32",
    "ld.global.nc.u32",
    "ld.global.nc.L1::no_allocate.u32",
    "ld.global.L1::evict_last.u32",
    "ld.global.L2::128B.u32",
    "ld.volatile.global.u32",
    "ld.relaxed.gpu.global.u32",
    "ld.relaxed.cta.u32",
    "ld.acquire.gpu.global.u32",
    "ld.acquire.sys.u32",
    "ld.weak.global.u32",
    "ldu.global.u32",
]


@case(each=LOADS)
def kinds_of_loads(run, name):
    """Cache operators, hints and orders do not change what is read."""
    a = values(run, "u32")
    out = np.zeros_like(a)
    body = f'unsigned x; asm volatile("{name} %0, [%1];" : "=r"(x) : "l"(a + t) : "memory"); out[t] = x;'
    run(kernel("unsigned* out, const unsigned* a", body), out, a)
    run.same(out, a)


STORES = [
    "st.global.wb.u32",
    "st.global.cg.u32",
    "st.global.cs.u32",
    "st.global.wt.u32",
    "st.volatile.global.u32",
    "st.relaxed.gpu.global.u32",
    "st.release.gpu.global.u32",
    "st.release.sys.u32",
    "st.global.L1::no_allocate.u32",
]


@case(each=STORES)
def kinds_of_stores(run, name):
    """Cache operators, hints and orders do not change what is written."""
    out = np.zeros(run.threads, np.uint32)
    body = f'asm volatile("{name} [%0], %1;" :: "l"(out + t), "r"(3 * t + 1) : "memory");'
    run(kernel("unsigned* out", body), out)
    run.same(out, 3 * np.arange(run.threads) + 1)


@case
def cache_policies(run):
    """A policy is made, and a load carries it."""
    a = values(run, "u32")
    out = np.zeros_like(a)
    body = """unsigned long long policy; unsigned x;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(x) : "l"(a + t), "l"(policy));
  asm volatile("prefetch.global.L2 [%0];" :: "l"(a + t));
  out[t] = x;"""
    run(kernel("unsigned* out, const unsigned* a", body), out, a)
    run.same(out, a)


@case
def shared_addresses(run):
    """__cvta_generic_to_shared gives the 32-bit address that ld.shared and st.shared take."""
    out = np.zeros(run.threads, np.uint32)
    body = """__shared__ unsigned first[4];
  __shared__ unsigned s[1024];
  first[t % 4] = 9;
  const unsigned to = (unsigned)__cvta_generic_to_shared(s + t);
  asm volatile("st.shared.u32 [%0], %1;" :: "r"(to), "r"(7 * t) : "memory");
  __syncthreads();
  unsigned x;
  const unsigned from = (unsigned)__cvta_generic_to_shared(s) + 4 * (n - 1 - t);
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(from) : "memory");
  out[t] = x + (first[t % 4] - 9) + (*(unsigned*)__cvta_shared_to_generic(from) - x);"""
    run(kernel("unsigned* out", body), out)
    run.same(out, 7 * np.arange(run.threads)[::-1])


@case
def address_conversions(run):
    """cvta.to.shared, cvta.shared, cvta.to.global and isspacep."""
    out = np.zeros(run.threads, np.uint32)
    body = """__shared__ unsigned s[1024];
  unsigned long long a, back, g;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(a) : "l"(s + t));
  asm("cvta.shared.u64 %0, %1;" : "=l"(back) : "l"(a));
  asm("cvta.to.global.u64 %0, %1;" : "=l"(g) : "l"(out + t));
  unsigned is_shared, is_global, other;
  asm("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is_shared) : "l"(s + t));
  asm("{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 2, 0, p; }" : "=r"(is_global) : "l"(out + t));
  asm("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 4, 0, p; }" : "=r"(other) : "l"(out + t));
  asm volatile("st.shared.u32 [%0], %1;" :: "l"(a), "r"(t) : "memory");
  asm volatile("st.global.u32 [%0], %1;" :: "l"(g), "r"(is_shared + is_global + other) : "memory");
  out[t] += back == (unsigned long long)(s + t) && s[t] == t ? 8 : 0;
  out[t] += __isShared(s) && !__isShared(out) && __isGlobal(out) && !__isGlobal(s) ? 16 : 0;"""
    run(kernel("unsigned* out", body), out)
    run.same(out, 1 + 2 + 8 + 16)


@case
def asynchronous_copies(run):
    """cp.async, commit_group and wait_group; what the source does not have is zero."""
    a = values(run, "u32", 4)
    out = np.zeros_like(a)
    body = """__shared__ __align__(16) unsigned s[4096];
  const unsigned to = (unsigned)__cvta_generic_to_shared(s + 4 * t);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(a + 4 * t), "r"(t % 2 ? 16 : 8) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(a + 4 * t + 3) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  for (int i = 0; i < 4; ++i) out[4 * t + i] = s[4 * t + i];"""
    run(kernel("unsigned* out, const unsigned* a", body), out, a)
    expected = a.reshape(-1, 4).copy()
    expected[::2, 2:] = 0
    expected[:, 0] = a.reshape(-1, 4)[:, 3]
    run.same(out, expected.reshape(-1))


@case
def barriers_in_memory(run):
    """mbarrier: init, arrive, test_wait by state and by parity, try_wait, pending_count, arrive_drop, inval; three phases."""
    out = np.zeros((run.threads, 3), np.uint32)
    body = """__shared__ unsigned long long barrier;
  __shared__ unsigned s[1024];
  const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at), "r"(n) : "memory");
  __syncthreads();
  unsigned long long state;
  unsigned done = 0, pending;
  s[t] = t;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
  asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at), "l"(state) : "memory");
  out[3 * t] = s[(t + 1) % n];
  out[3 * t + 1] = pending >= 1 && pending <= n;
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" :: "r"(at) : "memory");
  for (done = 0; !done;)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, 100; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at), "r"(1) : "memory");
  s[t] += 1000;
  if (t % 2) {
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    return;
  }
  asm volatile("mbarrier.arrive.b64 %0, [%1], 1;" : "=l"(state) : "l"(&barrier) : "memory");
  for (done = 0; !done;)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "l"(&barrier), "l"(state) : "memory");
  out[3 * t + 2] = s[(t + 1) % n];"""
    run(kernel("unsigned* out", body), out)
    t = np.arange(run.threads)
    after = (t + 1) % run.threads
    run.same(out, np.stack([after, np.ones_like(t), np.where(t % 2, 0, after + 1000)], 1))


# Atomic operations: each thread once on one word; the order does not matter for the sum.

ATOMICS = {
    "add.u32": (5, lambda n: 5 + sum(range(n))),
    "add.s32": (5, lambda n: 5 + sum(range(n))),
    "add.u64": (5, lambda n: 5 + sum(range(n))),
    "add.f32": (0.5, lambda n: 0.5 + sum(range(n))),
    "add.f64": (0.5, lambda n: 0.5 + sum(range(n))),
    "min.s32": (3, lambda n: 0),
    "max.s32": (3, lambda n: max(3, n - 1)),
    "min.u64": (3, lambda n: 0),
    "max.s64": (3, lambda n: max(3, n - 1)),
    "and.b32": (0x7FF, lambda n: int(np.bitwise_and.reduce([0x7FF, *range(n)]))),
    "or.b32": (0x1000, lambda n: int(np.bitwise_or.reduce([0x1000, *range(n)]))),
    "xor.b32": (0x1000, lambda n: int(np.bitwise_xor.reduce([0x1000, *range(n)]))),
    "or.b64": (0x1000, lambda n: int(np.bitwise_or.reduce([0x1000, *range(n)]))),
}
CPP = {"u": "unsigned", "s": "int", "b": "unsigned", "f": "float"}
LONG = {"u": "unsigned long long", "s": "long long", "b": "unsigned long long", "f": "double"}
CONSTRAINT = {"f32": "f", "f64": "d"}


def atomic_kernel(name, instruction, space=""):
    kind = name.split(".")[-1]
    cpp = (LONG if kind.endswith("64") else CPP)[kind[0]]
    register = CONSTRAINT.get(kind, "l" if kind.endswith("64") else "r")
    address = '"l"(p)'
    if instruction.startswith("red"):
        text = f'asm volatile("{instruction}.{name} [%0], %1;" :: {address}, "{register}"(v) : "memory");'
    else:
        text = f'{cpp} old; asm volatile("{instruction}.{name} %0, [%1], %2;" : "={register}"(old) : {address}, "{register}"(v) : "memory");'
    if space != "shared":
        return kernel(f"{cpp}* p", f"const {cpp} v = ({cpp})t; {text}"), cpp
    text = text.replace('"l"(p)', '"r"((unsigned)__cvta_generic_to_shared(&s))')
    return kernel(
        f"{cpp}* p",
        f"__shared__ {cpp} s; if (t == 0) s = *p; __syncthreads(); const {cpp} v = ({cpp})t; {text} __syncthreads(); if (t == 0) *p = s;",
    ), cpp


NUMPY = {"unsigned": "u4", "int": "i4", "float": "f4", "unsigned long long": "u8", "long long": "i8", "double": "f8"}


@case(each=ATOMICS)
def atom(run, what):
    """atom on generic memory: every thread's operation counts."""
    name = next(n for n, w in ATOMICS.items() if w is what)
    source, cpp = atomic_kernel(name, "atom")
    word = np.array([what[0]], NUMPY[cpp])
    run(source, word)
    run.same(word, what[1](run.threads))


@case(
    each=[
        "atom.global",
        "atom.relaxed.gpu.global",
        "atom.acquire.cta",
        "atom.release.sys",
        "atom.acq_rel.gpu.global",
        "red.global",
        "red.relaxed.gpu.global",
        "red.release.gpu",
    ]
)
def orders_and_scopes(run, instruction):
    """Scopes, orders and state spaces of atom and red."""
    source, _ = atomic_kernel("add.u32", instruction)
    word = np.array([5], np.uint32)
    run(source, word)
    run.same(word, 5 + sum(range(run.threads)))


@case(each=["add.u32", "max.s32", "add.f32", "add.u64", "xor.b32"])
def atomics_in_shared_memory(run, name):
    """atom.shared by 32-bit addresses."""
    source, cpp = atomic_kernel(name, "atom.shared", "shared")
    word = np.array([ATOMICS[name][0]], NUMPY[cpp])
    run(source, word)
    run.same(word, ATOMICS[name][1](run.threads))


@case(each=["inc", "dec"])
def counting_within_bounds(run, name):
    """atom.inc and atom.dec wrap at the bound."""
    word = np.array([3], np.uint32)
    body = f'unsigned old; asm volatile("atom.global.{name}.u32 %0, [%1], 6;" : "=r"(old) : "l"(p) : "memory");'
    run(kernel("unsigned* p", body), word)
    step = run.threads if name == "inc" else -run.threads
    run.same(word, (3 + step) % 7)


@case(each=["b32", "b64"])
def exchange_and_compare(run, kind):
    """atom.exch and atom.cas: a ticket lock's hand-over, counted."""
    cpp, register = ("unsigned", "r") if kind == "b32" else ("unsigned long long", "l")
    words = np.zeros(2, "u4" if kind == "b32" else "u8")
    body = f"""{cpp} old, expected = 0;
  for (;;) {{
    asm volatile("atom.global.cas.{kind} %0, [%1], %2, %3;" : "={register}"(old) : "l"(p), "{register}"(expected), "{register}"(expected + 2) : "memory");
    if (old == expected) break;
    expected = old;
  }}
  asm volatile("atom.exch.{kind} %0, [%1], %2;" : "={register}"(old) : "l"(p + 1), "{register}"(({cpp})77) : "memory");"""
    run(kernel(f"{cpp}* p", body), words)
    run.same(words, [2 * run.threads, 77])


@case
def swapping_halfwords(run):
    """atom.cas.b16."""
    word = np.zeros(2, np.uint16)
    body = """unsigned short old, expected = 0;
  for (;;) {
    asm volatile("atom.global.cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p), "h"(expected), "h"((unsigned short)(expected + 1)) : "memory");
    if (old == expected) break;
    expected = old;
  }"""
    run(kernel("unsigned short* p", body), word)
    run.same(word, [run.threads, 0])


@case(each=["f16", "f16x2", "bf16x2"])
def adding_halves(run, kind):
    """atom.add.noftz of halves: whole numbers add exactly."""
    one = 0x3F80 if kind.startswith("b") else 0x3C00
    words = np.zeros(2, np.uint16)
    pair, register = ("h", "unsigned short") if kind == "f16" else ("r", "unsigned")
    value = one if kind == "f16" else one << 16 | one
    body = f"""{register} old;
  if (t < 100) asm volatile("atom.global.add.noftz.{kind} %0, [%1], %2;" : "={pair}"(old) : "l"(p), "{pair}"(({register}){value}) : "memory");"""
    run(kernel("unsigned short* p", body), words)
    total = float(min(run.threads, 100))
    bits = int(np.float16(total).view(np.uint16)) if one == 0x3C00 else int(np.float32(total).view(np.uint32)) >> 16
    run.same(words, [bits, 0 if kind == "f16" else bits])


@case(each=["red.global.add.noftz.f16", "red.relaxed.sys.global.add.noftz.f16x2", "red.release.sys.add.noftz.bf16x2"])
def adding_halves_without_result(run, name):
    """red of halves counts every thread and block, of the system's scope too."""
    kind = name.split(".")[-1]
    one = 0x3F80 if kind.startswith("b") else 0x3C00
    words = np.zeros((4, 2), np.uint16)
    pair, value = ("h", f"(unsigned short){one}") if kind == "f16" else ("r", f"{one << 16 | one}u")
    body = f"""if (t < 120) asm volatile("{name} [%0], %1;" :: "l"(p + 2 * (t % 4)), "{pair}"({value}) : "memory");"""
    run(kernel("unsigned short* p", body), words, grid=2)
    counts = 2 * np.bincount(np.arange(min(run.threads, 120)) % 4, minlength=4)
    bits = (
        counts.astype(np.float16).view(np.uint16) if one == 0x3C00 else counts.astype(np.float32).view(np.uint32) >> 16
    )
    run.same(words, np.stack([bits, 0 * bits if kind == "f16" else bits], 1))


@case(
    each=[
        "membar.cta",
        "membar.gl",
        "membar.sys",
        "fence.sc.gpu",
        "fence.acq_rel.gpu",
        "fence.acq_rel.cta",
        "fence.sc.sys",
        "fence.proxy.alias",
    ]
)
def fences(run, name):
    """A message behind a flag: what was written before the fence is seen after it."""
    data = np.zeros(2, np.uint32)
    out = np.zeros(run.threads, np.uint32)
    body = f"""if (t == 0) {{
    data[0] = 42;
    asm volatile("{name};" ::: "memory");
    asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" :: "l"(data + 1) : "memory");
  }}
  unsigned flag = 0;
  while (!flag) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(flag) : "l"(data + 1) : "memory");
  asm volatile("{name};" ::: "memory");
  out[t] = *(volatile unsigned*)data;"""
    run(kernel("unsigned* out, unsigned* data", body), out, data)
    run.same(out, 42)


# Special registers.

REGISTERS = {
    "tid.x": lambda r: r.thread.x,
    "tid.y": lambda r: r.thread.y,
    "tid.z": lambda r: r.thread.z,
    "ntid.x": lambda r: r.block[0],
    "ntid.y": lambda r: r.block[1],
    "ntid.z": lambda r: r.block[2],
    "ctaid.x": lambda r: 0,
    "nctaid.x": lambda r: 1,
    "laneid": lambda r: r.lane,
    "lanemask_eq": lambda r: 1 << r.lane,
    "lanemask_lt": lambda r: (1 << r.lane) - 1,
    "lanemask_le": lambda r: (2 << r.lane) - 1,
    "lanemask_gt": lambda r: 0xFFFFFFFF - ((2 << r.lane) - 1),
    "lanemask_ge": lambda r: 0xFFFFFFFF - ((1 << r.lane) - 1),
    "dynamic_smem_size": lambda r: 256,
}


@case(each=REGISTERS)
def special_register(run, value):
    """A special register against what the thread's index says."""
    name = next(n for n, v in REGISTERS.items() if v is value)
    out = np.zeros(run.threads, np.uint32)
    body = f'unsigned r; asm volatile("mov.u32 %0, %%{name};" : "=r"(r)); out[t] = r;'
    run(kernel("unsigned* out", body), out, shared=256)
    run.same(out, value(run))


@case
def identifying_registers(run):
    """%warpid, %nwarpid, %smid and %nsmid lie in their ranges; a warp's threads share them."""
    out = np.zeros((run.threads, 4), np.uint32)
    body = "\n".join(
        f'asm volatile("mov.u32 %0, %%{name};" : "=r"(out[4 * t + {i}]));'
        for i, name in enumerate(["warpid", "nwarpid", "smid", "nsmid"])
    )
    run(kernel("unsigned* out", body), out)
    warpid, nwarpid, smid, nsmid = out.T
    run.same(np.all(warpid < nwarpid) and np.all(smid < nsmid), True)
    run.same(warpid, warpid[run.warp * 32])


@case
def clocks(run):
    """Clocks and timers do not run backwards."""
    out = np.zeros(run.threads, np.uint32)
    body = """unsigned long long a, b, c, d; unsigned e, f;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(a)); asm volatile("mov.u64 %0, %%clock64;" : "=l"(b));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(c)); asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(d));
  asm volatile("mov.u32 %0, %%clock;" : "=r"(e)); asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(f));
  out[t] = (b >= a) + 2 * (d >= c) + 4 * (c > 0) + 8 * ((unsigned)(c >> 32) <= f) + 0 * e;"""
    run(kernel("unsigned* out", body), out)
    run.same(out, 15)
