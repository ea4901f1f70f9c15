"""Inline PTX: shuffles, votes, matches, reductions over a warp, barriers."""

import numpy as np
from harness import case, kernel

WARPS = (1, 31, 32, 33, 64, 100, 256, 1024, (7, 5, 1), (4, 4, 4), (8, 8, 16))
FULL = """unsigned mask = n - t / 32 * 32 >= 32 ? 0xffffffffu : (1u << (n - t / 32 * 32)) - 1;"""


def mask_of(run, thread):
    rest = run.threads - thread // 32 * 32
    return 0xFFFFFFFF if rest >= 32 else (1 << rest) - 1


def source_lane(how, lane, b, c):
    """As PTX's description of shfl.sync has it: lane and predicate."""
    segment, clamp = c >> 8 & 31, c & 31
    b &= 31
    end = lane & segment | clamp & ~segment
    j = {
        "up": lane - b,
        "down": lane + b,
        "bfly": lane ^ b,
        "idx": lane & segment | b & ~segment,
    }[how]
    inside = j >= end if how == "up" else j <= end
    return (j, 1) if inside else (lane, 0)


@case(
    each=[
        f"{how} {b} {c:#x}"
        for how, b, c in [
            ("up", 3, 0),
            ("up", 2, 0x1800),
            ("down", 5, 31),
            ("down", 1, 0x181F),
            ("bfly", 1, 31),
            ("bfly", 3, 0x1C1F),
            ("idx", 7, 31),
            ("idx", 2, 0x1C1F),
            ("idx", 5, 3),
            ("bfly", 16, 7),
        ]
    ]
)
def shuffles(run, what):
    """shfl.sync with its predicate; sources outside of the segment are the lane itself."""
    how, b, c = what.split()
    out = np.zeros((run.threads, 2), np.uint32)
    body = f"""{FULL}
  unsigned x, p;
  asm volatile("{{ .reg .pred q; shfl.sync.{how}.b32 %0|q, %2, {b}, {c}, %3; selp.u32 %1, 1, 0, q; }}" : "=r"(x), "=r"(p) : "r"(100 + t), "r"(mask));
  out[2 * t] = x; out[2 * t + 1] = p;"""
    run(kernel("unsigned* out", body), out)
    b, c = int(b), int(c, 16)
    for t in range(run.threads):
        lane, inside = source_lane(how, t % 32, b, c)
        t_source = t // 32 * 32 + lane
        # A source that does not exist gives an undefined value.
        wanted = [100 + t_source if t_source < run.threads else out[t, 0], inside]
        if list(out[t]) != wanted:
            run.same(out[t], wanted, f"thread {t}")


@case
def shuffles_of_floats(run):
    """shfl.sync moves any 32 bits; the amount and the mask may be registers."""
    out = np.zeros(run.threads, np.float32)
    body = f"""{FULL}
  float x = 0.5f * t, y;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, %3, %4;" : "=f"(y) : "f"(x), "r"(1), "r"(31), "r"(mask));
  out[t] = y;"""
    run(kernel("float* out", body), out)
    partner = np.arange(run.threads) ^ 1
    keep = partner < run.threads
    run.same(np.where(keep, out, 0), np.where(keep, 0.5 * partner, 0))


@case
def votes(run):
    """vote.sync.all, .any, .uni and .ballot."""
    out = np.zeros((run.threads, 4), np.uint32)
    body = f"""{FULL}
  const int w = t / 32; const unsigned yes = w % 3 == 0 ? 1 : w % 3 == 1 ? t % 2 : 0;
  unsigned a, b, c, d;
  asm volatile("{{ .reg .pred p, q; setp.ne.u32 p, %4, 0; vote.sync.all.pred q, p, %5; selp.u32 %0, 1, 0, q;"
               " vote.sync.any.pred q, p, %5; selp.u32 %1, 1, 0, q; vote.sync.uni.pred q, p, %5; selp.u32 %2, 1, 0, q;"
               " vote.sync.ballot.b32 %3, !p, %5; }}" : "=&r"(a), "=&r"(b), "=&r"(c), "=&r"(d) : "r"(yes), "r"(mask));
  out[4 * t] = a; out[4 * t + 1] = b; out[4 * t + 2] = c; out[4 * t + 3] = d;"""
    run(kernel("unsigned* out", body), out)
    thread = np.arange(run.threads)
    yes = np.where(run.warp % 3 == 0, 1, np.where(run.warp % 3 == 1, thread % 2, 0)).astype(bool)

    def expected(t):
        mine = yes[run.warp == t // 32]
        ballot = sum(int(not y) << i for i, y in enumerate(mine))
        return [mine.all(), mine.any(), mine.all() or not mine.any(), ballot]

    run.same(out, run.of(expected))


@case(each=["b32", "b64"])
def matches(run, kind):
    """match.sync.any and .all, the second with its predicate."""
    out = np.zeros((run.threads, 3), np.uint32)
    cpp, register = ("unsigned", "r") if kind == "b32" else ("unsigned long long", "l")
    body = f"""{FULL}
  const {cpp} x = t / 32 % 2 ? ({cpp})7 << {20 if kind == "b32" else 40} : t % 3;
  unsigned a, b, p;
  asm volatile("{{ .reg .pred q; match.any.sync.{kind} %0, %3, %4; match.all.sync.{kind} %1|q, %3, %4; selp.u32 %2, 1, 0, q; }}"
               : "=&r"(a), "=&r"(b), "=&r"(p) : "{register}"(x), "r"(mask));
  out[3 * t] = a; out[3 * t + 1] = b; out[3 * t + 2] = p;"""
    run(kernel("unsigned* out", body), out)
    thread = np.arange(run.threads)
    x = np.where(run.warp % 2, 99, thread % 3)

    def expected(t):
        mine = x[run.warp == t // 32]
        equal = sum(int(y == x[t]) << i for i, y in enumerate(mine))
        every = (mine == mine[0]).all()
        return [equal, mask_of(run, t) if every else 0, every]

    run.same(out, run.of(expected))


REDUCTIONS = {
    "add.u32": lambda x: sum(x),
    "add.s32": lambda x: sum(x),
    "min.s32": min,
    "max.s32": max,
    "min.u32": min,
    "max.u32": max,
    "and.b32": lambda x: int(np.bitwise_and.reduce(x)),
    "or.b32": lambda x: int(np.bitwise_or.reduce(x)),
    "xor.b32": lambda x: int(np.bitwise_xor.reduce(x)),
}


@case(each=REDUCTIONS)
def reductions(run, function):
    """redux.sync over the members of a mask."""
    name = next(n for n, f in REDUCTIONS.items() if f is function)
    out = np.zeros(run.threads, np.int32 if "s32" in name else np.uint32)
    cpp, x = ("int", "(t % 2 ? -t : 3 * t)") if "s32" in name else ("unsigned", "(unsigned)(t * 2654435761u)")
    body = f"""{FULL}
  const {cpp} x = {x}; {cpp} y;
  asm volatile("redux.sync.{name} %0, %1, %2;" : "=r"(y) : "r"(x), "r"(mask));
  out[t] = y;"""
    run(kernel(f"{cpp}* out", body), out)
    values = [(-t if t % 2 else 3 * t) if "s32" in name else t * 2654435761 % 2**32 for t in range(run.threads)]
    run.same(out, run.of(lambda t: function(values[t // 32 * 32 : t // 32 * 32 + 32])).astype(object))


@case
def one_is_elected(run):
    """elect.sync chooses one lane of the mask; all hear which."""
    out = np.zeros((run.threads, 2), np.uint32)
    body = f"""{FULL}
  unsigned leader, me;
  asm volatile("{{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }}" : "=r"(leader), "=r"(me) : "r"(mask));
  out[2 * t] = leader; out[2 * t + 1] = me;"""
    run(kernel("unsigned* out", body), out)
    leader, me = out.T
    run.same(leader, leader[run.warp * 32])
    run.same(me, leader == run.lane)


@case
def active_lanes(run):
    """activemask in a branch holds the lane itself and nobody outside of the branch."""
    out = np.zeros(run.threads, np.uint32)
    body = """unsigned m = 0;
  if (t % 2) asm volatile("activemask.b32 %0;" : "=r"(m));
  out[t] = m;"""
    run(kernel("unsigned* out", body), out)
    own = 1 << run.lane
    odd = np.arange(run.threads) % 2 == 1
    run.same(np.where(odd, (out & own != 0) & (out & 0x55555555 == 0), out == 0), True)


# Barriers.


@case(each=["bar.sync 0", "barrier.sync 0", "barrier.cta.sync.aligned 3", "bar.cta.sync 1"])
def barriers(run, text):
    """Barriers of the block."""
    out = np.zeros(run.threads, np.int32)
    body = f"""__shared__ int s[1024];
  s[t] = 3 * t;
  asm volatile("{text};" ::: "memory");
  out[t] = s[n - 1 - t];"""
    run(kernel("int* out", body), out)
    run.same(out, 3 * np.arange(run.threads)[::-1])


@case(blocks=(64, 256, 1024, (8, 8, 16)))
def barriers_of_some_warps(run):
    """bar.sync with a number of threads: each half of the block has its own barrier."""
    out = np.zeros(run.threads, np.int32)
    body = """__shared__ int s[1024];
  const int half = n / 2, side = t / half;
  for (int i = 0; i < 3; ++i) {
    s[t] = t + i;
    asm volatile("bar.sync %0, %1;" :: "r"(1 + side), "r"(half) : "memory");
    out[t] = s[side * half + (t + 1) % half];
    asm volatile("bar.sync %0, %1;" :: "r"(1 + side), "r"(half) : "memory");
  }"""
    run(kernel("int* out", body), out)
    half = run.threads // 2
    run.same(out, run.of(lambda t: t // half * half + (t + 1) % half + 2))


@case
def reductions_at_a_barrier(run):
    """bar.red.popc, .and and .or."""
    out = np.zeros((run.threads, 3), np.uint32)
    body = """unsigned c, a, o;
  asm volatile("{ .reg .pred p, q; setp.eq.u32 p, %3, 0; bar.red.popc.u32 %0, 0, p; bar.red.and.pred q, 0, p; selp.u32 %1, 1, 0, q;"
               " bar.red.or.pred q, 0, !p; selp.u32 %2, 1, 0, q; }" : "=&r"(c), "=&r"(a), "=&r"(o) : "r"(t % 3));
  out[3 * t] = c; out[3 * t + 1] = a; out[3 * t + 2] = o;"""
    run(kernel("unsigned* out", body), out)
    p = np.arange(run.threads) % 3 == 0
    run.same(out, np.tile([p.sum(), p.all(), not p.all()], (run.threads, 1)))


@case
def barriers_of_a_warp(run):
    """bar.warp.sync orders the lanes of a mask."""
    out = np.zeros(run.threads, np.int32)
    body = f"""{FULL}
  __shared__ volatile int s[1024];
  s[t] = t;
  asm volatile("bar.warp.sync %0;" :: "r"(mask) : "memory");
  const int other = t ^ 1;
  out[t] = other < n ? s[other] : -1;"""
    run(kernel("int* out", body), out)
    other = np.arange(run.threads) ^ 1
    run.same(out, np.where(other < run.threads, other, -1))


@case(blocks=(33, 256))
def sleeping(run):
    """nanosleep in a loop that waits for another warp."""
    out = np.zeros(run.threads, np.int32)
    body = """__shared__ volatile int flag;
  if (t == 0) flag = 0;
  __syncthreads();
  if (t == n - 1) flag = 7;
  while (flag != 7) asm volatile("nanosleep.u32 100;");
  out[t] = flag;"""
    run(kernel("int* out", body), out)
    run.same(out, 7)
