"""Loops around barriers that hand values on, each becoming what the next one was: in slots that change places."""

import numpy as np
from harness import case, kernel

# Blocks whose values registers do not hold, some of them with a last group that is not full.
SHAPES = ((32, 8), (64, 4), (256,), (512,), (300,), (32, 32))
EXCHANGE = "__syncthreads(); tile[t] = a; __syncthreads();"


def exchanged(values):
    return values[::-1]


def check(run, word, body, wanted, depths=(0, 1, 2, 3, 7)):
    """`body` of a thread with `depth` of its own values `in[z * n + t]`, a tile, and `r`, which is stored."""
    kind = {"int": np.int32, "short": np.int16, "double": np.float64}[word]
    source = kernel(
        f"const {word}* in, double* out, int depth, int k",
        f"__shared__ {word} tile[1024]; in += blockIdx.x * 8 * n; double r = 0; {body} out[blockIdx.x * n + t] = r;",
    )
    n, blocks = run.threads, 3
    values = (np.arange(blocks * 8 * n) * 37 % 1009 - 500).astype(kind).reshape(blocks, 8, n)
    for depth in depths:
        for k in (0, 2, 9):
            out = np.full((blocks, n), -1.0)
            run(source, values, out, depth, k, grid=blocks)
            rows = [wanted(part.astype(np.float64), depth, k) for part in values]
            run.same(out, np.stack(rows), f"{word}, depth {depth}, k {k}")


@case(blocks=SHAPES)
def planes_marched(run):
    """Rings of two to nine values of different types, also more than the stack takes, and a sum beside them."""

    def wanted(values, depth, k, count):
        r = np.zeros(values.shape[1])
        kept = [r] * count
        for z in range(depth):
            kept = [values[z], *kept[:-1]]
            r = r * 3 + exchanged(values[z]) + sum(i * v for i, v in enumerate(kept))
        return r

    for word, count in (("int", 2), ("short", 3), ("double", 9)):
        names = "abcdefghi"[:count]
        hand_on = " ".join(f"{names[i]} = {names[i - 1]};" for i in range(count - 1, 0, -1))
        total = " + ".join(f"{i} * {v}" for i, v in enumerate(names))
        body = f"""
            {word} {", ".join(f"{v} = 0" for v in names)};
            for (int z = 0; z < depth; ++z) {{
              {hand_on} a = in[z * n + t];
              {EXCHANGE}
              r = r * 3 + tile[n - 1 - t] + {total};
            }}"""
        check(run, word, body, lambda v, d, k, count=count: wanted(v, d, k, count))


@case(blocks=SHAPES)
def rings_left_early(run):
    """Loops that end between their barriers, whose values are wanted behind them."""

    def wanted(values, depth, k, between):
        a = b = c = r = np.zeros(values.shape[1])
        for z in range(depth):
            c, b, a = b, a, values[z]
            if between and z == k:
                break
            r = r * 3 + exchanged(a) + b - 5 * c
            if z + 1 == k:
                break
        return r + exchanged(a) + 7 * a + 11 * b + 13 * c

    for between in (False, True):
        body = f"""
        int a = 0, b = 0, c = 0;
        for (int z = 0; z < depth; ++z) {{
          c = b; b = a; a = in[z * n + t];
          {"if (z == k) break;" if between else ""}
          {EXCHANGE}
          r = r * 3 + tile[n - 1 - t] + b - 5.0 * c;
          if (z + 1 == k) break;
        }}
        {EXCHANGE}
        r += tile[n - 1 - t] + 7.0 * a + 11.0 * b + 13.0 * c;"""
        check(run, "int", body, lambda v, d, k, between=between: wanted(v, d, k, between))


@case(blocks=SHAPES)
def rings_within_loops(run):
    """Rings that begin again, with what they ended with or anew; two in one loop; turns without a barrier."""

    def wanted(values, depth, k, skips):
        n = values.shape[1]
        a = b = c = r = np.zeros(n)
        for turn in range(3):
            x = y = np.full(n, turn)
            for z in range(depth):
                c, b, a = b, a, values[z]
                y, x = x, values[(z + turn) % 8]
                if not skips or z % 3 != k:
                    r = r * 2 + exchanged(a) + b - 5 * c + 7 * y - x
            r = r + exchanged(a) + b
        return r

    for skips in (False, True):
        body = f"""
        int a = 0, b = 0, c = 0;
        for (int turn = 0; turn < 3; ++turn) {{
          int x = turn, y = turn;
          for (int z = 0; z < depth; ++z) {{
            c = b; b = a; a = in[z * n + t];
            y = x; x = in[(z + turn) % 8 * n + t];
            {"if (z % 3 == k) continue;" if skips else ""}
            {EXCHANGE}
            r = r * 2 + tile[n - 1 - t] + b - 5.0 * c + 7.0 * y - x;
          }}
          {EXCHANGE}
          r += tile[n - 1 - t] + b;
        }}"""
        check(run, "int", body, lambda v, d, k, skips=skips: wanted(v, d, k, skips))


@case(blocks=SHAPES)
def values_that_change_places(run):
    """Two values of the loop before, one handed on twice, and some that go round among themselves."""

    def wanted(values, depth, k):
        a, b, p, q = values[0], values[1], values[2], values[3]
        r = c = d = np.zeros(values.shape[1])
        for z in range(depth):
            c, d = a, a
            a, b = values[z], a + b if z == k else b
            p, q = q, p
            r = r * 2 + exchanged(a) + 3 * b - 5 * c + 7 * d + 11 * p - 13 * q
        return r

    body = f"""
        int a = in[t], b = in[n + t], p = in[2 * n + t], q = in[3 * n + t], c = 0, d = 0;
        for (int z = 0; z < depth; ++z) {{
          c = a; d = a; if (z == k) b += a; a = in[z * n + t];
          int o = p; p = q; q = o;
          {EXCHANGE}
          r = r * 2 + tile[n - 1 - t] + 3.0 * b - 5.0 * c + 7.0 * d + 11.0 * p - 13.0 * q;
        }}"""
    check(run, "int", body, wanted)


@case(blocks=SHAPES)
def threads_that_leave(run):
    """Threads and whole blocks that leave before the loop, or behind its first barrier."""

    def wanted(values, depth, k):
        t = np.arange(values.shape[1])
        a = b = c = r = np.zeros(len(t))
        for z in range(depth):
            c, b, a = b, a, values[z]
            r = r * 3 + np.where(t % 64 < 40, a, 0) + b - 5 * c
        return np.where(t % 64 < 40, r, -1)

    body = """
        if (t % 64 >= 40) return;
        int a = 0, b = 0, c = 0;
        for (int z = 0; z < depth; ++z) {
          c = b; b = a; a = in[z * n + t];
          __syncthreads(); tile[t] = a; __syncthreads();
          r = r * 3 + tile[t] + b - 5.0 * c;
        }"""
    check(run, "int", body, wanted)
