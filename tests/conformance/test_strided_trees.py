"""Trees over a shared array by strides of 1, 2, 4...: what each step leaves, who reads it, and what of it is looked at once more."""

import numpy as np
from harness import case, kernel

BLOCKS = (2, 31, 64, 100, 128, 192, 256, 1000, 1024, (16, 16, 1))
VALUES = "__shared__ float s[1024]; s[t] = in[blockIdx.x * n + t]; __syncthreads();"
STEPS = {
    "by index": "int x = 2 * d * t; if (x + d < n) {0}",
    "by index of a power": "int x = 2 * d * t; if (x < n) {0}",
    "by remainder": "int x = t; if (t % (2 * d) == 0) {0}",
    "by mask": "int x = t; if ((t & (2 * d - 1)) == 0) {0}",
    "by remainder, in the block": "int x = t; if (t % (2 * d) == 0 && t + d < n) {0}",
}
GRID = 3


def tree(values, operation=np.add):
    """The array after all steps, each of which leaves the result of two in every second place that is left."""
    values, d = values.copy(), 1
    while d < len(values):
        for x in range(0, len(values) - d, 2 * d):
            values[x] = operation(values[x], values[x + d])
        d *= 2
    return values


def greater(a, b):
    return b if b > a else a


def loop(name, body):
    """Every step of a tree with such a body, of the places x and x + d."""
    return f"for (int d = 1; d < n; d *= 2) {{ {STEPS[name].replace('{0}', '{ ' + body + ' }')} __syncthreads(); }}"


def inputs(run, seed=1):
    return np.random.default_rng(seed).uniform(0.1, 1, GRID * run.threads).astype(np.float32)


def is_possible(run, name):
    """Some ask for x + d alone where the block is a power of two."""
    return name in ("by index", "by remainder, in the block") or run.threads & (run.threads - 1) == 0


def padded(run, name):
    """A body that also other blocks can run: what is beyond the block adds nothing."""
    return "s[x] += s[x + d];" if is_possible(run, name) else "if (x + d < n) s[x] += s[x + d];"


@case(blocks=BLOCKS, each=tuple(STEPS))
def sums(run, name):
    """One sum a block, in the order of its tree."""
    values, out = inputs(run), np.zeros(GRID, np.float32)
    body = VALUES + loop(name, padded(run, name)) + "if (t == 0) out[blockIdx.x] = s[0];"
    run(kernel("const float* in, float* out", body), values, out, grid=GRID)
    run.same(out, [tree(row)[0] for row in values.reshape(GRID, -1)])


@case(blocks=BLOCKS, each=tuple(STEPS))
def sums_that_all_read(run, name):
    """Every thread reads the sum and the first of its four places."""
    values, out = inputs(run, 2), np.zeros((GRID, run.threads), np.float32)
    body = VALUES + loop(name, padded(run, name)) + "out[blockIdx.x * n + t] = s[0] + s[t / 4 * 4];"
    run(kernel("const float* in, float* out", body), values, out, grid=GRID)
    ends = [tree(row) for row in values.reshape(GRID, -1)]
    run.same(out, [end[0] + end[np.arange(run.threads) // 4 * 4] for end in ends])


@case(blocks=BLOCKS, each=tuple(STEPS))
def all_that_is_left(run, name):
    """Every thread reads its own place, and the places between are as they were."""
    values, out = inputs(run, 3), np.zeros((GRID, run.threads), np.float32)
    body = VALUES + loop(name, padded(run, name)) + "out[blockIdx.x * n + t] = s[t];"
    run(kernel("const float* in, float* out", body), values, out, grid=GRID)
    run.same(out, [tree(row) for row in values.reshape(GRID, -1)])


@case(blocks=BLOCKS, each=tuple(STEPS))
def greatest_and_where(run, name):
    """Two arrays at once: the greatest and its place."""
    values, out = inputs(run, 4), np.zeros((GRID, 2), np.float32)
    body = (
        VALUES
        + "__shared__ int at[1024]; at[t] = t; __syncthreads();"
        + loop(
            name,
            "int other = x + d < n ? x + d : x; float a = s[x], b = s[other]; int i = at[x], j = at[other];"
            "s[x] = b > a ? b : a; at[x] = b > a ? j : i;",
        )
        + "if (t == 0) { out[2 * blockIdx.x] = s[0]; out[2 * blockIdx.x + 1] = at[0]; }"
    )
    run(kernel("const float* in, float* out", body), values, out, grid=GRID)
    rows = values.reshape(GRID, -1)
    run.same(out, np.stack([rows.max(1), rows.argmax(1)], 1))


@case(blocks=BLOCKS, each=tuple(STEPS))
def who_does_it(run, name):
    """Steps that write who made them, and how many."""
    values, out = inputs(run, 5), np.zeros(GRID, np.float32)
    body = VALUES + loop(name, "s[x] = (x + d < n ? s[x] + s[x + d] : s[x]) + t * 0.25f;")
    run(kernel("const float* in, float* out", body + "if (t == 0) out[blockIdx.x] = s[0];"), values, out, grid=GRID)
    wanted = []
    for row in values.reshape(GRID, -1).copy():
        d = 1
        while d < len(row):
            for x in range(0, len(row), 2 * d):
                if name in ("by index", "by remainder, in the block") and x + d >= len(row):
                    continue
                who = x // (2 * d) if "index" in name else x
                row[x] = (row[x] + row[x + d] if x + d < len(row) else row[x]) + np.float32(who * 0.25)
            d *= 2
        wanted.append(row[0])
    run.same(out, wanted)


@case(blocks=BLOCKS, each=tuple(STEPS))
def two_trees(run, name):
    """The array is filled once more and its tree built again."""
    values, out = inputs(run, 6), np.zeros((GRID, 2), np.float32)
    one = loop(name, padded(run, name))
    body = (
        VALUES
        + one
        + "float first = s[0]; __syncthreads(); s[t] = in[blockIdx.x * n + t] * first; __syncthreads();"
        + one
        + "if (t == 0) { out[2 * blockIdx.x] = first; out[2 * blockIdx.x + 1] = s[0]; }"
    )
    run(kernel("const float* in, float* out", body), values, out, grid=GRID)
    wanted = []
    for row in values.reshape(GRID, -1):
        first = tree(row)[0]
        wanted.append([first, tree(row * first)[0]])
    run.same(out, wanted)


@case(blocks=BLOCKS, each={"by index": "by index", "by remainder": "by remainder, in the block"})
def in_dynamic_memory(run, name):
    """The array is the launch's, alone and beside a second part."""
    values, out = inputs(run, 7), np.zeros(GRID, np.float32)
    for second, result in (("", "s[0]"), ("s[n + t] = t;", "s[0] + s[2 * n - 1]")):
        body = (
            f"extern __shared__ float s[]; s[t] = in[blockIdx.x * n + t]; {second} __syncthreads();"
            + loop(name, "s[x] += s[x + d];")
            + f"if (t == 0) out[blockIdx.x] = {result};"
        )
        run(kernel("const float* in, float* out", body), values, out, grid=GRID, shared=8 * run.threads)
        more = np.float32(run.threads - 1 if second else 0)
        run.same(out, [tree(row)[0] + more for row in values.reshape(GRID, -1)])


@case(blocks=(64, 128, 256, 1024), each=tuple(STEPS))
def up_and_down(run, name):
    """A scan by a tree up and down again: what is between is needed later."""
    values, out = inputs(run, 8), np.zeros((GRID, run.threads), np.float32)
    values = np.round(values * 64).astype(np.float32)  # sums are exact in any order
    body = (
        "__shared__ float s[1024]; s[n - 1 - t] = in[blockIdx.x * n + t]; __syncthreads();"
        + loop(name, "s[x] += s[x + d];")
        + "for (int d = n / 2; d; d /= 2) { int x = 2 * d * t; if (x + d < n && t > 0) s[x - d] += s[x]; __syncthreads(); }"
        + "out[blockIdx.x * n + t] = s[n - 1 - t];"
    )
    run(kernel("const float* in, float* out", body), values, out, grid=GRID)
    run.same(out, np.cumsum(values.reshape(GRID, -1), axis=1))


@case(blocks=BLOCKS, each=tuple(STEPS))
def greater_ones(run, name):
    """A step stores only where the other is greater; NaNs are greater than nothing."""
    values, out = inputs(run, 9), np.zeros(GRID, np.float32)
    values[::7] = np.nan
    body = VALUES + loop(name, "int other = x + d < n ? x + d : x; if (s[other] > s[x]) s[x] = s[other];")
    run(kernel("const float* in, float* out", body + "if (t == 0) out[blockIdx.x] = s[0];"), values, out, grid=GRID)
    run.same(out, [tree(row, operation=greater)[0] for row in values.reshape(GRID, -1)])


@case(blocks=(2, 64, 128, 256, 1024, (16, 16, 1)))
def greater_ones_by_halves(run):
    """The same by halves of the array."""
    values, out = inputs(run, 10), np.zeros(GRID, np.float32)
    body = VALUES + (
        "for (int d = n / 2; d > 0; d /= 2) { if (t < d) { if (s[t + d] > s[t]) s[t] = s[t + d]; } __syncthreads(); }"
        "if (t == 0) out[blockIdx.x] = s[0];"
    )
    run(kernel("const float* in, float* out", body), values, out, grid=GRID)
    run.same(out, values.reshape(GRID, -1).max(1))


@case(blocks=BLOCKS)
def flags_of_many(run):
    """Flags that several threads find down and some put up: none of the others puts one down again."""
    values, out = inputs(run, 11), np.zeros((GRID, run.threads), np.int32)
    body = (
        "__shared__ int flags[1024]; flags[t] = flags[1023] = 0; __syncthreads();"
        "float x = in[blockIdx.x * n + t];"
        "if (flags[t / 4] == 0 && x > 0.5f) flags[t / 4] = 1;"
        "if (flags[1023] != 7 && x > 0.95f) flags[1023] = 7;"
        "__syncthreads(); out[blockIdx.x * n + t] = flags[t / 4] + (flags[1023] == 7) * 2;"
    )
    run(kernel("const float* in, int* out", body), values, out, grid=GRID)
    wanted = np.zeros_like(out)
    for w, row in zip(wanted, values.reshape(GRID, -1), strict=True):
        groups = [row[g : g + 4].max() > 0.5 for g in range(0, len(row), 4)]
        w += np.repeat(groups, 4)[: len(row)].astype(np.int32) + 2 * int(row.max() > 0.95)
    run.same(out, wanted)


@case(
    blocks=(2, 64, 128, 256, 1024, (16, 16, 1)),
    each={
        "arrays": ("float s[1024]; __shared__ int w[1024];", "s[{}]", "w[{}]"),
        "records": ("struct { float v; int i; } r[1024];", "r[{}].v", "r[{}].i"),
    },
)
def greatest_and_where_by_halves(run, kind):
    """The greater of two and its place, stored only where it is greater; both questions, nested and in one."""
    declared, value, place = kind
    values = inputs(run, 12)
    for question in (
        "if (t < d) if ({b} > {a})",
        "if (t < d && {b} > {a})",
        "if (t < d) if ({a} < {b} || ({a} == {b} && {j} < {i}))",
    ):
        out = np.zeros((GRID, 2), np.float32)
        names = {"a": value.format("t"), "b": value.format("t + d"), "i": place.format("t"), "j": place.format("t + d")}
        body = (
            f"__shared__ {declared} {names['a']} = in[blockIdx.x * n + t]; {names['i']} = t; __syncthreads();"
            "for (int d = n / 2; d > 0; d /= 2) {"
            f"  {question.format(**names)} {{ {names['a']} = {names['b']}; {names['i']} = {names['j']}; }} __syncthreads();"
            "}"
            f"if (t == 0) {{ out[2 * blockIdx.x] = {value.format(0)}; out[2 * blockIdx.x + 1] = {place.format(0)}; }}"
        )
        run(kernel("const float* in, float* out", body), values, out, grid=GRID)
        rows = values.reshape(GRID, -1)
        run.same(out, np.stack([rows.max(1), rows.argmax(1)], 1))


@case(blocks=BLOCKS)
def others_write_meanwhile(run):
    """Some threads may store a place of their own while others store it: nobody puts an old value back."""
    values, out = inputs(run, 13), np.zeros((GRID, run.threads), np.int32)
    body = (
        "__shared__ float s[1024]; __shared__ int w[1024]; s[t] = in[blockIdx.x * n + t]; w[t] = 0; __syncthreads();"
        "int half = (n + 1) / 2;"
        "if (t < half) { if (s[t] > 0.5f) w[t] = 1; } else if (s[t - half] <= 0.5f) w[t - half] = 2;"
        "__syncthreads(); out[blockIdx.x * n + t] = w[t];"
    )
    run(kernel("const float* in, int* out", body), values, out, grid=GRID)
    wanted = np.zeros_like(out)
    half = (run.threads + 1) // 2
    for w, row in zip(wanted, values.reshape(GRID, -1), strict=True):
        w[:half] = row[:half] > 0.5
        w[: run.threads - half][row[: run.threads - half] <= 0.5] = 2
    run.same(out, wanted)
