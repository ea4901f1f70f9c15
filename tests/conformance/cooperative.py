"""What the cases of cooperative groups share: the headers, a branch that some lanes take, who is in which group."""

from __future__ import annotations

from typing import Any

import numpy as np
from harness import Run
from numpy.typing import NDArray

BEGIN = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
"""
TILES = (1, 2, 4, 8, 16, 32)
WIDE = (64, 128, 256, 512, 1024)
# Of lanes in this branch the odd cases tell most.
BRANCH = "rank % 3 != 1 && rank % 7 != 2"


def in_branch(run: Run) -> NDArray[np.bool_]:
    t = np.arange(run.threads)
    taken: NDArray[np.bool_] = (t % 3 != 1) & (t % 7 != 2)
    return taken


def groups(run: Run, key: NDArray[Any]) -> list[NDArray[np.int64]]:
    """The members of each group: threads of one warp with the same key."""
    keys = np.stack([run.warp, key], 1)
    return [np.flatnonzero((keys == k).all(1)) for k in np.unique(keys, axis=0)]


def whole(run: Run, size: int) -> int:
    """Threads in tiles of this size that the block fills."""
    return run.threads // size * size
