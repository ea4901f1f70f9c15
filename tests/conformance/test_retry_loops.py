"""Loops around atomic operations: those that end by themselves, and those that only look like it."""

import numpy as np
from harness import case, kernel

EMPTY = 0
HASH = """
__device__ unsigned hash(unsigned k) { k ^= k >> 7; k *= 0x7feb352du; return k ^ k >> 15; }
"""

# `unsigned slot` is where to begin; out: where the key is.
INSERTIONS = {
    "return": "for (;;) { unsigned p = atomicCAS(&keys[slot], 0u, key); if (p == 0 || p == key) break; slot = (slot + 1) & mask; }",
    "done": """for (bool done = false; !done;) { unsigned p = atomicCAS(&keys[slot], 0u, key);
                 if (p == 0 || p == key) done = true; else slot = (slot + 1) & mask; }""",
    "look_first": """for (;;) { unsigned p = *(volatile unsigned*)&keys[slot]; if (p == 0) p = atomicCAS(&keys[slot], 0u, key);
                       if (p == 0 || p == key) break; slot = (slot + 1) & mask; }""",
    "quadratic": """for (unsigned step = 1;; ++step) { unsigned p = atomicCAS(&keys[slot], 0u, key);
                      if (p == 0 || p == key) break; slot = (slot + step) & mask; }""",
    "weak": """for (;;) { unsigned p = 0; cuda::atomic_ref<unsigned, cuda::thread_scope_device> a(keys[slot]);
                 while (p == 0 && !a.compare_exchange_weak(p, key)) {}
                 if (p == 0 || p == key) break; slot = (slot + 1) & mask; }""",
    "of_the_system": """for (;;) { unsigned p = 0; cuda::atomic_ref<unsigned> a(keys[slot]);
                          if (a.compare_exchange_strong(p, key) || p == key) break; slot = (slot + 1) & mask; }""",
}  # fmt: skip


def found(table, keys):
    """Every key once."""
    filled = np.sort(table[table != EMPTY])
    assert (filled == np.unique(keys)).all()


@case(each=INSERTIONS)
def insertion(run, loop):
    """All threads insert into one table, each key several times, and count in the slot."""
    blocks = 3
    n = blocks * run.threads
    keys = (np.arange(n) * 7919 % max(1, n // 2) + 1).astype(np.uint32)
    size = 1 << (2 * n).bit_length()
    table, counts = np.zeros(size, np.uint32), np.zeros(size, np.int32)
    source = f"""
    #include <cuda/atomic>
    {HASH}
    __global__ void k(const unsigned* in, unsigned* keys, int* counts, unsigned mask) {{
      const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      const unsigned key = in[blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t];
      if (key % 5 == 0) return;
      unsigned slot = hash(key) & mask;
      {loop}
      atomicAdd(&counts[slot], 1);
    }}
    """
    run(source, keys, table, counts, np.uint32(size - 1), grid=blocks)
    kept = keys[keys % 5 != 0]
    found(table, kept)
    run.same(counts[table != EMPTY], [np.count_nonzero(kept == key) for key in table[table != EMPTY]])


@case
def insertion_into_shared_memory(run):
    """The block's table, emptied in front of a barrier and read behind one, twice."""
    out = np.zeros((2, run.threads), np.int32)
    source = f"""
    {HASH}
    __global__ void k(int* out) {{
      const int n = blockDim.x * blockDim.y * blockDim.z;
      const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      __shared__ unsigned keys[4096];
      __shared__ int counts[4096];
      for (int round = 0; round < 2; ++round) {{
        for (int i = t; i < 4096; i += n) keys[i] = counts[i] = 0;
        __syncthreads();
        const unsigned key = t % (7 + 20 * round) + 1;
        unsigned slot = hash(key) & 4095;
        if (t % 3 != round) {{
          while (true) {{
            const unsigned before = atomicCAS(&keys[slot], 0u, key);
            if (before == 0 || before == key) {{ atomicAdd(&counts[slot], 1); break; }}
            slot = (slot + 1) & 4095;
          }}
        }}
        __syncthreads();
        if (t % 3 != round) out[round * n + t] = keys[slot] == key ? counts[slot] : -1;
        __syncthreads();
      }}
    }}
    """
    run(source, out)
    t = np.arange(run.threads)
    for round in range(2):
        keys, on = t % (7 + 20 * round), t % 3 != round
        run.same(out[round], np.where(on, [np.count_nonzero((keys == k) & on) for k in keys], 0))


@case(each={"same": "slots", "other": "given"})
def pool_of_slots(run, back):
    """Fewer slots than threads: who finds none waits until one is given back, which looks like an insertion."""
    slots, sum = np.zeros(4, np.int32), np.zeros(1, np.int32)
    body = f"""
    int* given = (int*)((size_t)slots + (t < 0));
    int s = t % 4;
    while (atomicCAS(&slots[s], 0, t + 1) != 0) s = (s + 1) % 4;
    atomicAdd(sum, slots[s] == t + 1);
    __threadfence();
    atomicExch(&{back}[s], 0);
    """
    run(kernel("int* slots, int* sum", body), slots, sum, grid=2)
    run.same(slots, 0)
    run.same(sum, [2 * run.threads])


@case
def first_one_computes(run):
    """From 0 to 1 by who comes first, to 2 when it is done: the others wait for the 2."""
    state, value, out = np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(run.threads, np.int32)
    body = """
    while (true) {
      const int before = atomicCAS(state, 0, 1);
      if (before == 0) { *(volatile int*)value = 42; __threadfence(); atomicExch(state, 2); break; }
      if (before == 2) break;
    }
    __threadfence();
    out[t] = *(volatile int*)value;
    """
    run(kernel("int* state, int* value, int* out", body), state, value, out)
    run.same(out, 42)


@case
def semaphore(run):
    """Two at a time, by a swap that expects what it found last: it succeeds without having got in."""
    state = np.array([2, 0], np.int32)
    body = """
    int old = state[0];
    while (true) {
      const int seen = old;
      old = atomicCAS(state, seen, seen > 0 ? seen - 1 : seen);
      if (old == seen && seen > 0) break;
    }
    atomicAdd(&state[1], 1);
    __threadfence();
    atomicAdd(state, 1);
    """
    run(kernel("int* state", body), state, grid=2)
    run.same(state, [2, 2 * run.threads])


@case(each={"last": "old = atomicCAS(flag, old, old)", "zero": "old = atomicCAS(flag, 0, 0)"})
def look_by_swapping(run, look):
    """A swap of the same for the same only looks: the last block writes what the first one waits for."""
    flag, out = np.zeros(1, np.int32), np.zeros(run.threads, np.int32)
    body = f"""
    if (blockIdx.x == 1) {{ if (t == 0) atomicExch(flag, 5); return; }}
    int old = 0;
    do {look}; while (old != 5);
    out[t] = old;
    """
    run(kernel("int* flag, int* out", body), flag, out, grid=2)
    run.same(out, 5)


UPDATES = {
    "max": ("__float_as_int(fmaxf(v, __int_as_float(seen)))", np.fmax),
    "add": ("__float_as_int(v + __int_as_float(seen))", np.add),
    "smaller": ("__int_as_float(seen) <= v ? seen : __float_as_int(v)", np.fmin),
}


@case(each=UPDATES)
def updates(run, update):
    """A user's own atomic of floats, a few places for all: plain first look, volatile look in each turn."""
    new, apply = update
    values = (np.arange(run.threads) * 37 % 101 - 50).astype(np.float32)
    out = np.zeros((3, 5), np.float32)
    body = f"""
    const float v = in[t];
    {{
      int* p = (int*)out + t % 5;
      int seen, old = *p;
      do {{ seen = old; old = atomicCAS(p, seen, {new}); }} while (old != seen);
    }}
    if (t % 2) {{
      int* p = (int*)out + 5 + t % 5;
      int seen;
      do seen = *(volatile int*)p; while (atomicCAS(p, seen, {new}) != seen);
    }}
    __shared__ int places[5];
    if (t < 5) places[t] = 0;
    __syncthreads();
    int* p = &places[t * 3 % 5];
    int seen, old = *p;
    do {{ seen = old; old = atomicCAS(p, seen, {new}); }} while (old != seen);
    __syncthreads();
    if (t == 0) for (int i = 0; i < 5; ++i) ((int*)out)[10 + i] = places[i];
    """
    run(kernel("const float* in, float* out", body), values, out)
    t = np.arange(run.threads)
    expected = np.zeros((3, 5), np.float32)
    for row, places, on in ((0, t % 5, t >= 0), (1, t % 5, t % 2 == 1), (2, t * 3 % 5, t >= 0)):
        for place, value in zip(places[on], values[on], strict=True):
            expected[row, place] = apply(expected[row, place], value)
    run.same(out[:2], expected[:2])
    run.same(out[2, : run.threads], expected[2, : run.threads])


@case(each={"plain": "int", "volatile": "volatile int"})
def lists(run, word):
    """Each thread puts itself in front of one of a few lists; all are found there again."""
    head, next = np.full(7, -1, np.int32), np.full(2 * run.threads, -2, np.int32)
    body = f"""
    const int i = blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t;
    {word}* h = head + i % 7;
    int old;
    do {{ old = *h; next[i] = old; __threadfence(); }} while (atomicCAS((int*)h, old, i) != old);
    """
    run(kernel("int* head, int* next", body), head, next, grid=2)
    for list in range(7):
        members, at = [], head[list]
        while at != -1:
            members.append(at)
            at = next[at]
        run.same(np.sort(members), np.arange(list, len(next), 7))


WAYS_TO_A_ROOT = {
    "walking": "while (p[x] != x) x = p[x]; return x;",
    "halving": "while (p[x] != x) { p[x] = p[p[x]]; x = p[x]; } return x;",
    "splitting": "while (p[x] != x) { const int next = p[x]; p[x] = p[next]; x = next; } return x;",
}


@case(each=WAYS_TO_A_ROOT)
def union_find(run, way):
    """Roots hooked below roots by a swap that expects a root."""
    n = run.threads + 1
    parent = np.arange(n).astype(np.int32)
    source = f"__device__ int find(int* p, int x) {{ {way} }}"
    source += """
    __global__ void k(int* p, int n) {
      const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      int a = t * 31 % n, b = (t * 31 + 3) % n;
      while (true) {
        a = find(p, a);
        b = find(p, b);
        if (a == b) return;
        if (a < b) { const int c = a; a = b; b = c; }
        if (atomicCAS(&p[a], a, b) == a) return;
      }
    }
    """
    run(source, parent, np.int32(n), grid=2)
    expected = list(range(n))

    def root(of, x):
        while of[x] != x:
            x = of[x]
        return x

    for t in range(run.threads):
        a, b = sorted((root(expected, t * 31 % n), root(expected, (t * 31 + 3) % n)))
        expected[b] = a
    run.same(np.array([root(parent, x) for x in range(n)]), [root(expected, x) for x in range(n)])


# What becomes of `seen`, which most threads leave as it is, and the same in numpy.
KEEPING = {
    "greatest": ("__float_as_int(fmaxf(v, __int_as_float(seen)))", lambda seen, v: v if v > seen else seen),
    "nearest": (
        "fabsf(v - 7) < fabsf(__int_as_float(seen) - 7) ? __float_as_int(v) : seen",
        lambda seen, v: v if abs(v - 7) < abs(seen - 7) else seen,
    ),
    "other_sign": (
        "(__float_as_int(v) ^ seen) < 0 ? __float_as_int(v) : seen",
        lambda seen, v: v if np.signbit(v) != np.signbit(seen) else seen,
    ),
    "once": ("seen == 0 ? __float_as_int(v) : seen", lambda seen, v: seen if seen or np.signbit(seen) else v),
}


@case(each=KEEPING, cpu_only=True, reason="the order of threads shows")
def one_place(run, update):
    """All threads at one place of shared memory, and those that a guard lets pass: in the order of threads."""
    new, apply = update
    t = np.arange(run.threads)
    rows = [t * 37 % 101 - 50, t, -t, np.where(t % 3 == 1, -0.0, 0.0), np.where(t % 5 < 2, np.nan, t % 7)]
    values = np.array(rows, np.float32)
    out = np.zeros((len(rows), 2), np.float32)
    body = f"""
    __shared__ int places[2];
    const float v = in[blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + t];
    if (t == 0) places[0] = places[1] = 0;
    __syncthreads();
    {{
      int seen, old = places[0];
      do {{ seen = old; old = atomicCAS(&places[0], seen, {new}); }} while (old != seen);
    }}
    if (v < 20 && t % 3) {{
      int seen, old = places[1];
      do {{ seen = old; old = atomicCAS(&places[1], seen, {new}); }} while (old != seen);
    }}
    __syncthreads();
    if (t < 1) for (int i = 0; i < 2; ++i) out[2 * blockIdx.x + i] = __int_as_float(places[i]);
    """
    run(kernel("const float* in, float* out", body), values, out, grid=len(rows))
    expected = np.zeros_like(out)
    for row, of_row in enumerate(values):
        for thread, v in enumerate(of_row):
            expected[row, 0] = apply(expected[row, 0], v)
            if v < 20 and thread % 3:
                expected[row, 1] = apply(expected[row, 1], v)
    run.same(out, expected)


# Loops that go on until they find that there is nothing to do, or their own value; `T` of the values, `I` of the words.
UNTIL_FOUND = {
    "while": "I old = *p; while (v > AS_T(old)) { const I seen = old; old = atomicCAS(p, seen, AS_I(v)); } found = old;",
    "break": """I old = *p; while (v > AS_T(old)) { const I seen = old; old = atomicCAS(p, seen, AS_I(v));
                                                   if (old == seen) break; } found = AS_I(v);""",
    "do": """I old = *p; if (v > AS_T(old)) do old = atomicCAS(p, old, AS_I(v)); while (v > AS_T(old)); found = old;""",
    "lost": """I old = *p, seen; found = AS_I(v); if (v > AS_T(old)) {
                 do { seen = old; old = atomicCAS(p, seen, AS_I(v)); } while (old != seen && v > AS_T(old)); }""",
    "return": """I old = *p, seen; do { seen = old; if (AS_T(seen) >= v) break; old = atomicCAS(p, seen, AS_I(v)); }
                 while (old != seen); found = AS_I(v);""",
}  # fmt: skip
WORDS = {
    "float": (np.float32, "int", "__int_as_float", "__float_as_int"),
    "double": (np.float64, "unsigned long long", "__longlong_as_double", "__double_as_longlong"),
    "unsigned": (np.uint32, "unsigned", "", ""),
}


PLACES = [("float", "one"), ("float", "few"), ("float", "global"), ("double", "one"), ("unsigned", "few")]


@case(each=[(loop, *place) for loop in UNTIL_FOUND for place in PLACES])
def greatest_until_found(run, which):
    """The greatest value of a block in shared memory, of a few classes, and of the grid; who came last sees no less."""
    loop, kind, where = which
    type_of, word, as_t, as_i = WORDS[kind]
    place = {"one": "places", "few": "&places[t % 4]", "global": "(I*)out"}[where]
    values = (np.arange(3 * run.threads) * 7919 % 1009).astype(type_of).reshape(3, run.threads)
    out, less = np.zeros((3, 4), type_of), np.zeros(1, np.int32)
    source = f"""
    #define AS_T(x) {as_t}(x)
    #define AS_I(x) {as_i}(x)
    typedef {kind} T;
    typedef {word} I;
    __global__ void k(const T* in, T* out, int* less) {{
      __shared__ I places[4];
      const int n = blockDim.x * blockDim.y * blockDim.z;
      const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      if (t == 0) for (int i = 0; i < 4; ++i) places[i] = AS_I(T(0));
      __syncthreads();
      for (int k = 0; k < 2; ++k) {{
        const T v = in[blockIdx.x * n + (t + k * 5) % n];
        I found, *p = {place};
        {UNTIL_FOUND[loop]}
        if (AS_T(found) < v) atomicAdd(less, 1);
      }}
      __syncthreads();
      if (t < 4 && {int(where != "global")}) out[4 * blockIdx.x + t] = AS_T(places[t]);
    }}"""
    run(source, values, out, less, grid=3)
    expected = np.zeros((3, 4), type_of)
    t = np.arange(run.threads)
    if where == "global":
        expected[0, 0] = values.max()
    for row in range(3 if where != "global" else 0):
        for i in range(4 if where == "few" else 1):
            # Two turns: a class has what the threads of it see in both.
            seen = [values[row, (t + 5 * k) % run.threads][t % 4 == i if where == "few" else t >= 0] for k in (0, 1)]
            expected[row, i] = max((part.max() for part in seen if part.size), default=0)
    run.same(out[:, : run.threads], expected[:, : run.threads])
    run.same(less, 0)


@case(blocks=((100, 1, 1), (256, 1, 1), (500, 1, 1)))
def handed_on_from_in_front_of_the_loop(run):
    """`before = here; here = own;`, where `own` is made once: it is still itself after several turns."""
    source = """
    __global__ void k(int* out, const int* x, int turns) {
      __shared__ int least[1];
      const int t = threadIdx.x + blockDim.x * threadIdx.y, own = x[t];
      if (t == 0) least[0] = 1 << 30;
      __syncthreads();
      int before = -2, here = -1;
      for (int k = 0; k < turns; ++k) {
        before = here;
        int seen = least[0], found;
        do { found = seen; seen = atomicCAS(&least[0], found, min(found, own)); } while (seen != found);
        __syncthreads();
        here = own;
      }
      out[2 * t] = before;
      out[2 * t + 1] = least[0];
    }"""
    n = run.threads
    x = np.arange(n, dtype=np.int32) * 7 + 5
    for turns in range(7):
        out = np.full(2 * n, -3, np.int32)
        run(source, out, x, np.int32(turns))
        before = np.full(n, -2) if turns == 0 else np.full(n, -1) if turns == 1 else x
        least = 1 << 30 if turns == 0 else 5
        run.same(out, np.stack((before, np.full(n, least)), 1).ravel().astype(np.int32), f"{turns} turns")
