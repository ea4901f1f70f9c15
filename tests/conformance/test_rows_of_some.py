"""Rows and records that only some threads read; the others' lie nowhere."""

import numpy as np
from harness import case, kernel
from test_rows import TYPES, values


@case(blocks=[1, 33, 64, 100, (16, 16)], each=TYPES)
def rows_of_some(run, dtype):
    """Threads that have something to do read their rows, of any length; the others' rows are nowhere."""
    spelled = {np.float32: "float", np.float64: "double", np.uint8: "unsigned char", np.int16: "short"}.get(
        dtype, "long long"
    )
    source = kernel(
        f"const {spelled}* rows, const int* places, const {spelled}* weights, {spelled}* out, int depth, int size",
        """
        int i = blockIdx.x * n + t;
        if (i >= size) return;
        if (places[i] < 0) return;
        auto row = rows + (long long)places[i] * depth;
        auto sum = out[i];
        for (int d = 0; d < depth; ++d) sum += row[d] * weights[d];
        out[i] = sum;
        """,
    )
    size = run.threads * 4 - 3
    for depth in (3, 5, 16, 37):
        rows, weights = values((40, depth), dtype), values(depth, dtype)
        for share in (0.0, 0.03, 0.5, 1.0):
            generator = np.random.default_rng(depth)
            places = np.where(generator.random(size) < share, generator.integers(0, 40, size), -(10**9))
            places[: run.threads] = -(2**31)  # a block with nothing to do
            out = np.arange(size).astype(dtype)
            expected = out.copy()
            run(source, rows, places.astype(np.int32), weights, out, depth, size, grid=4)
            chosen = rows[np.maximum(places, 0)]
            for d in range(depth):
                with np.errstate(over="ignore"):
                    expected = np.where(places < 0, expected, expected + chosen[:, d] * weights[d]).astype(dtype)
            run.same(out, expected, f"{share} of rows of {depth}")


@case(blocks=[1, 33, 64, (16, 16)])
def members_of_some(run):
    """Records that some threads read, all members of them, and whose others nobody may touch."""
    source = """
struct Body { float x, y, z, mass; int kind, next; float heat, age; };
""" + kernel(
        "const Body* bodies, const int* places, float* out, int size",
        """
        int i = blockIdx.x * n + t;
        if (i < size && places[i] >= 0) {
          Body b = bodies[places[i]];
          out[i] = b.x * b.y + b.z * b.mass + b.heat - b.age + (float)(b.kind ^ b.next);
        }
        """,
    )
    size = run.threads * 3 - 2
    words = (np.arange(50 * 8) * 29 % 61 - 30).astype(np.int32).reshape(50, 8)
    bodies = words.astype(np.float32)
    bodies[:, 4:6] = words[:, 4:6].view(np.float32)
    for share in (0.0, 0.1, 0.9):
        generator = np.random.default_rng(size)
        places = np.where(generator.random(size) < share, generator.integers(0, 50, size), -(10**9)).astype(np.int32)
        out = np.zeros(size, np.float32)
        run(source, bodies.view("V32"), places, out, size, grid=3)
        f, w = words[np.maximum(places, 0)].astype(np.float32), words[np.maximum(places, 0)]
        sums = f[:, 0] * f[:, 1] + f[:, 2] * f[:, 3] + f[:, 6] - f[:, 7] + (w[:, 4] ^ w[:, 5]).astype(np.float32)
        run.same(out, np.where(places < 0, 0, sums), f"{share}")
