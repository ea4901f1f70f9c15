"""What a kernel says of its conditions beforehand."""

import numpy as np
from harness import case, kernel


@case
def expectations(run):
    """__builtin_expect and [[unlikely]] change nothing, right or wrong."""
    out = np.zeros(run.threads, np.int32)
    with_probability = "t % 5 != 1"  # NVRTC does not know it
    if run.engine != "cuda":
        with_probability = f"__builtin_expect_with_probability({with_probability}, 1, 0.9)"
    run(
        kernel(
            "int* out",
            f"""
            int v = t;
            if (__builtin_expect(t % 3 == 0, 0)) v += 100;
            if ({with_probability}) v *= 3;
            if (t % 7 == 2) [[unlikely]] v -= 11;
            for (int k = 0; __builtin_expect(k < t % 4, 1); ++k) v ^= k;
            out[t] = v;
            """,
        ),
        out,
    )

    def expected(t):
        v = t + 100 * (t % 3 == 0)
        v = v * 3 if t % 5 != 1 else v
        v -= 11 * (t % 7 == 2)
        for k in range(t % 4):
            v ^= k
        return v

    run.same(out, run.of(expected))
