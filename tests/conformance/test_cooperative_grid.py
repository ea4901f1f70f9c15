"""Cooperative groups of several blocks: the grid and its barrier, clusters."""

import numpy as np
import pytest
from cooperative import BEGIN
from harness import case

import lanza


@case
def grid_sync(run):
    """this_grid in a cooperative launch: every block sees what all wrote before the barrier, three times."""
    blocks = 5
    sums = np.zeros(3, np.int32)
    out = np.zeros((blocks, run.threads, 3), np.int32)
    run(
        BEGIN
        + """
        __global__ void k(int* sums, int* out) {
          auto grid = cg::this_grid();
          for (int i = 0; i < 3; ++i) {
            atomicAdd(sums + i, (int)grid.thread_rank() + i * grid.is_valid());
            if (i == 1) grid.barrier_wait(grid.barrier_arrive()); else grid.sync();
            out[3 * grid.thread_rank() + i] = *(volatile int*)(sums + i);
          }
        }
        """,
        sums,
        out,
        grid=blocks,
        cooperative=True,
    )
    n = blocks * run.threads
    total = n * (n - 1) // 2 + np.arange(3) * n
    run.same(sums, total)
    run.same(out, np.broadcast_to(total, out.shape))


@case
def grid_place(run):
    """this_grid: ranks and extents of threads and blocks in a grid of three dimensions, without a cooperative launch."""
    grid = (3, 2, 4)
    out = np.zeros((24 * run.threads, 8), np.int32)
    run(
        BEGIN
        + """
        __global__ void k(int* out) {
          auto g = cg::this_grid();
          int* mine = out + 8 * g.thread_rank();
          mine[0] = g.thread_rank(); mine[1] = g.size(); mine[2] = g.block_rank(); mine[3] = g.num_blocks();
          mine[4] = g.group_dim().x * 100 + g.dim_blocks().y * 10 + g.group_dim().z; mine[5] = g.dim_blocks().x;
          mine[6] = g.block_index().x + g.block_index().y * 3 + g.block_index().z * 6;
          mine[7] = g.num_threads();
        }
        """,
        out,
        grid=grid,
    )
    t = np.arange(24 * run.threads)
    block = t // run.threads
    zero = t * 0
    run.same(out, np.stack([t, zero + t.size, block, zero + 24, zero + 324, zero + 3, block, zero + t.size], 1))


@case(blocks=[64], cpu_only=True, reason="a GPU traps, and the context is lost")
def grid_sync_needs_a_cooperative_launch(run):
    """grid.sync() in an ordinary launch is an error that says what to do."""
    source = BEGIN + "__global__ void k(int* out) { cg::this_grid().sync(); out[0] = 1; }"
    with pytest.raises(lanza.LaunchError, match="only a cooperative launch has"):
        run(source, np.zeros(1, np.int32), grid=2)


@case(blocks=[1024], cpu_only=True, reason="a GPU's limit is the number of resident blocks: tests/backend/cuda")
def grids_that_do_not_fit(run):
    """A cooperative grid of more blocks than can wait in memory is an error that names how many can."""
    source = BEGIN + "__global__ void k(int* out) { cg::this_grid().sync(); out[0] = 1; }"
    with pytest.raises(
        lanza.InvalidArgument, match=r"a cooperative grid of 2000000000 blocks does not fit: .* holds \d+$"
    ):
        run(source, np.zeros(1, np.int32), grid=2000000000, cooperative=True)


@case
def cluster_of_one_block(run):
    """this_cluster without cluster dimensions: one block."""
    out = np.zeros((run.threads, 4), np.int32)
    run(
        BEGIN
        + """
        #if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900 || defined(__LANZA__)
        __global__ void k(int* out) {
          __shared__ int value;
          auto c = cg::this_cluster();
          if (c.thread_rank() == 0) value = 41;
          c.sync();
          int* mine = out + 4 * c.thread_rank();
          mine[0] = c.block_rank(); mine[1] = c.num_blocks(); mine[2] = c.num_threads();
          mine[3] = *c.map_shared_rank(&value, 0);
          c.barrier_wait(c.barrier_arrive());
        }
        #else
        __global__ void k(int* out) {
          auto block = cg::this_thread_block();
          int* mine = out + 4 * block.thread_rank();
          mine[0] = 0; mine[1] = 1; mine[2] = block.size(); mine[3] = 41;
        }
        #endif
        """,
        out,
    )
    run.same(out, np.broadcast_to([0, 1, run.threads, 41], out.shape))
