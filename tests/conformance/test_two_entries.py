"""Loops that a goto enters in their middle: flow that no loop describes."""

import numpy as np
from harness import case, kernel


@case
def goto_into_a_loop(run):
    """Irreducible flow: a loop with two entries, chosen by each thread."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            int x = t, steps = 0;
            if (t & 1) goto middle;
            while (x > 0) {
              x -= 5;
              steps += 1;
              middle:
              x -= 2;
              steps += 1000;
              if (x == 40) break;
            }
            out[t] = steps;
            """,
        ),
        out,
    )

    def expected(t):
        x, steps, middle = t, 0, t & 1
        while middle or x > 0:
            if not middle:
                x, steps = x - 5, steps + 1
            middle = False
            x, steps = x - 2, steps + 1000
            if x == 40:
                break
        return steps

    run.same(out, run.of(expected))


@case
def guards_in_a_loop_with_two_entries(run):
    """Neighbours on a plane, each behind its guard, in a loop that all threads or some of them enter in its middle."""
    source = kernel(
        "int* out, const int* plane, int jumps, int wide, int tall",
        """
        const int dx[4] = {1, 0, -1, 0}, dy[4] = {0, 1, 0, -1};
        int turns = 0, sum = 1;
        const int x = t % wide, y = t / wide;
        if (jumps == 1 || (jumps == 2 && t % 3 == 0)) goto middle;
        top:
        for (int k = 0; k < 4; ++k)
          if (0 <= x + dx[k] && x + dx[k] < wide && 0 <= y + dy[k] && y + dy[k] < tall)
            sum = sum * 3 + plane[(y + dy[k]) * wide + x + dx[k]];
        middle:
        sum += turns;
        if (++turns < 4) goto top;
        out[t] = sum;
        """,
    )
    wide, tall = 8, -(-run.threads // 8)
    plane = (np.arange(wide * tall) * 7 % 31).astype(np.int32)
    t = np.arange(run.threads)
    x, y = t % wide, t // wide
    for jumps in (0, 1, 2):
        out = np.zeros(run.threads, np.int32)
        run(source, out, plane, jumps, wide, tall)
        total = np.ones(run.threads, np.int64)
        for turn in range(4):
            enters = np.full(run.threads, turn > 0 or jumps == 0) | ((jumps == 2) & (t % 3 != 0))
            for right, down in ((1, 0), (0, 1), (-1, 0), (0, -1)):
                i, j = x + right, y + down
                inside = enters & (i >= 0) & (i < wide) & (j >= 0) & (j < tall)
                values = plane[np.clip(j, 0, tall - 1) * wide + np.clip(i, 0, wide - 1)]
                total = np.where(inside, total * 3 + values, total)
            total = (total + turn + 2**31) % 2**32 - 2**31
        run.same(out, total.astype(np.int32))
