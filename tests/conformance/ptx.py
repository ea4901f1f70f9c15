"""What the cases of inline PTX share: operands, the kernel around a statement, integers of a given size."""

import numpy as np
from harness import kernel

COUNT = 4  # values a thread
# Type of PTX: type of C++, constraint, type of NumPy.
TYPES = {
    "u16": ("unsigned short", "h", np.uint16),
    "s16": ("short", "h", np.int16),
    "u32": ("unsigned", "r", np.uint32),
    "s32": ("int", "r", np.int32),
    "u64": ("unsigned long long", "l", np.uint64),
    "s64": ("long long", "l", np.int64),
    "f32": ("float", "f", np.float32),
    "f64": ("double", "d", np.float64),
}
ENDS = (0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFF)
FLOATS = (0.0, -0.0, 0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 100.25, 65504.0, 1e-3, 3e9, -3e9, 1e19, np.inf, -np.inf, np.nan)


def random_integers(dtype, seed, count):
    """Random bits, small numbers and the ends of ranges."""
    random, size = np.random.default_rng(seed), 8 * np.dtype(dtype).itemsize
    free = random.integers(0, (1 << size) - 1, count, np.uint64, endpoint=True)
    ends = random.choice(np.array(ENDS, np.uint64), count)
    tops = random.choice(np.array([0, (1 << size - 1) - 1, 1 << size - 1, (1 << size) - 1], np.uint64), count)
    pick = np.arange(count) % 4
    chosen = np.where(pick == 0, ends, np.where(pick == 1, tops, free))
    return chosen.astype(f"u{size // 8}").view(dtype)


def random_floats(dtype, seed, count):
    """Random magnitudes, special values, subnormals."""
    random = np.random.default_rng(seed)
    values = random.standard_normal(count) * 10.0 ** random.integers(-6, 7, count)
    values = np.where(np.arange(count) % 3 == 0, random.choice(np.array(FLOATS), count), values)
    tiny = np.finfo(dtype).tiny * random.standard_normal(count)
    return np.where(np.arange(count) % 11 == 5, tiny, values).astype(dtype)


def operands(run, types):
    """An array for each type."""
    n = COUNT * run.threads
    makers = [random_floats if t.startswith("f") else random_integers for t in types]
    return [make(TYPES[t][2], seed, n) for seed, (t, make) in enumerate(zip(types, makers, strict=True))]


def run_statement(run, text, result, types, values, **more):
    """asm(text), %0 the result, the operands after it; returns the results."""
    names = "abcd"[: len(types)]
    out = np.zeros(COUNT * run.threads, TYPES[result][2])
    parameters = [f"{TYPES[result][0]}* out", *(f"const {TYPES[t][0]}* {x}" for x, t in zip(names, types, strict=True))]
    inputs = ", ".join(f'"{TYPES[t][1]}"({x}[i])' for x, t in zip(names, types, strict=True))
    body = f"""for (int i = t; i < {COUNT} * n; i += n) {{
    {TYPES[result][0]} r;
    asm("{text}" : "={TYPES[result][1]}"(r) : {inputs});
    out[i] = r;
  }}"""
    run(kernel(", ".join(parameters), body), out, *values, **more)
    return out


def unsigned(x, size=32):
    return x & ((1 << size) - 1)


def signed(x, size=32):
    x = unsigned(x, size)
    return x - (1 << size) if size and x >> size - 1 else x


def clamped(x, kind):
    """To the range of a type of PTX, "s32"."""
    size = int(kind[1:])
    low, high = (-(1 << size - 1), (1 << size - 1) - 1) if kind[0] == "s" else (0, (1 << size) - 1)
    return min(max(x, low), high)
