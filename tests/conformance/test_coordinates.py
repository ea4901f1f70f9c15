"""Coordinates that are scaled and cut off to integers: lanes' places lie near each other, far away, or backwards."""

import numpy as np
from harness import case, kernel

F = np.float32


@case
def neighbours_of_scaled_places(run):
    """Two and three elements around each place, of floats and words, by steps that keep lanes near, or do not, from
    either end of the memory that is there."""
    count = 3 * run.threads
    values = np.random.default_rng(1).integers(-1000, 1000, 1 << 13).astype(np.int32)
    body = """
  const int i = blockIdx.x * n + t;
  if (i >= count) return;
  const float f = start + i * step;
  const int j = (int)f;
  out[i] = x[j] * 3 + x[j + 1];
  out[count + i] = x[j - 1] - x[j + 2] + x[j];
  out[2 * count + i] = x[(unsigned)j >> 1] + x[((unsigned)j >> 1) + 1];
"""
    for dtype, ctype in ((np.int32, "int"), (F, "float"), (np.uint8, "unsigned char"), (np.float64, "double")):
        x = values.astype(dtype)
        parameters = f"const {ctype}* x, {ctype}* out, int count, float start, float step"
        for step in (0.0, 0.3125, 0.5, 1.0, 1.75, 2.0, 2.625, -0.375, -1.25, 40.0):
            span = (count - 1) * abs(step)
            if span > len(x) - 5:
                continue
            start = F(span + 1 if step < 0 else len(x) - 4 - span if step > 1 else 1)
            out = np.zeros((3, count), dtype)
            run(kernel(parameters, body), x, out, count, start, F(step), grid=3)
            j = (start + np.arange(count).astype(F) * F(step)).astype(np.int32)
            half = j >> 1
            expected = [x[j] * dtype(3) + x[j + 1], x[j - 1] - x[j + 2] + x[j], x[half] + x[half + 1]]
            run.same(out, np.array(expected, dtype), f"{ctype}, {step}")
