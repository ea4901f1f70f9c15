"""The toolkit's own headers, and CCCL's, where an include path has them: CUB's block and warp primitives, cuda/std."""

import numpy as np
import pytest
from engines import toolkit_includes
from harness import BLOCKS, case

THREAD = "const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);"
# CUB's primitives know the block's shape when they are compiled.
SHAPES = [b for b in BLOCKS if np.prod(b) in (32, 64, 256, 1024)]


def includes(header):
    """The include path that has this header, or no test."""
    folders = toolkit_includes()
    if not any((folder / header).exists() for folder in folders):
        pytest.skip(f"no CUDA toolkit and no wheel of PyPI with <{header}>")
    return folders


def values(run):
    return (np.arange(run.threads) * 2654435761 % 1000003).astype(np.int32)


def block_of(run):
    return ", ".join(map(str, (run.block[0], "ALGORITHM", *run.block[1:])))


@case(blocks=SHAPES, each=["BLOCK_REDUCE_RAKING", "BLOCK_REDUCE_WARP_REDUCTIONS"])
def cub_block_reduce(run, algorithm):
    """cub::BlockReduce: sum and maximum."""
    folders, data, out = includes("cub/block/block_reduce.cuh"), values(run), np.zeros(2, np.int32)
    run(
        f"""
        #include <cub/block/block_reduce.cuh>
        __global__ void k(const int* in, int* out) {{
          {THREAD}
          using Reduce = cub::BlockReduce<int, {block_of(run).replace("ALGORITHM", "cub::" + algorithm)}>;
          __shared__ typename Reduce::TempStorage storage;
          int sum = Reduce(storage).Sum(in[t]);
          __syncthreads();
          int highest = Reduce(storage).Reduce(in[t], [](int a, int b) {{ return a < b ? b : a; }});
          if (t == 0) {{ out[0] = sum; out[1] = highest; }}
        }}
        """,
        data,
        out,
        include_dirs=folders,
    )
    run.same(out, [data.sum(), data.max()])


@case(blocks=SHAPES, each=["BLOCK_SCAN_RAKING", "BLOCK_SCAN_WARP_SCANS"])
def cub_block_scan(run, algorithm):
    """cub::BlockScan: inclusive and exclusive sums with the total."""
    folders, data = includes("cub/block/block_scan.cuh"), values(run)
    out = np.zeros((run.threads, 3), np.int32)
    run(
        f"""
        #include <cub/block/block_scan.cuh>
        __global__ void k(const int* in, int* out) {{
          {THREAD}
          using Scan = cub::BlockScan<int, {block_of(run).replace("ALGORITHM", "cub::" + algorithm)}>;
          __shared__ typename Scan::TempStorage storage;
          Scan(storage).InclusiveSum(in[t], out[3 * t]);
          __syncthreads();
          Scan(storage).ExclusiveSum(in[t], out[3 * t + 1], out[3 * t + 2]);
        }}
        """,
        data,
        out,
        include_dirs=folders,
    )
    sums = np.cumsum(data)
    run.same(out, np.stack([sums, sums - data, np.full_like(sums, sums[-1])], 1))


@case(blocks=SHAPES)
def cub_warp_reduce(run):
    """cub::WarpReduce of whole warps and of groups of 8 lanes."""
    folders, data = includes("cub/warp/warp_reduce.cuh"), values(run)
    out = np.zeros((run.threads, 2), np.int32)
    run(
        f"""
        #include <cub/warp/warp_reduce.cuh>
        __global__ void k(const int* in, int* out) {{
          {THREAD}
          using Whole = cub::WarpReduce<int>;
          using Eight = cub::WarpReduce<int, 8>;
          __shared__ typename Whole::TempStorage whole[32];
          __shared__ typename Eight::TempStorage eight[128];
          int sum = Whole(whole[t / 32]).Sum(in[t]), part = Eight(eight[t / 8]).Sum(in[t]);
          if (t % 32 == 0) out[2 * t] = sum;
          if (t % 8 == 0) out[2 * t + 1] = part;
        }}
        """,
        data,
        out,
        include_dirs=folders,
    )
    expected = np.zeros_like(out)
    expected[::32, 0] = data.reshape(-1, 32).sum(1)
    expected[::8, 1] = data.reshape(-1, 8).sum(1)
    run.same(out, expected)


@case(blocks=SHAPES)
def cub_warp_scan(run):
    """cub::WarpScan: inclusive sums and exclusive maxima."""
    folders, data = includes("cub/warp/warp_scan.cuh"), values(run)
    out = np.zeros((run.threads, 2), np.int32)
    run(
        f"""
        #include <cub/warp/warp_scan.cuh>
        __global__ void k(const int* in, int* out) {{
          {THREAD}
          using Scan = cub::WarpScan<int>;
          __shared__ typename Scan::TempStorage storage[32];
          Scan(storage[t / 32]).InclusiveSum(in[t], out[2 * t]);
          __syncwarp();
          Scan(storage[t / 32]).ExclusiveScan(in[t], out[2 * t + 1], -5, [](int a, int b) {{ return a < b ? b : a; }});
        }}
        """,
        data,
        out,
        include_dirs=folders,
    )
    warps = data.reshape(-1, 32)
    before = np.maximum.accumulate(np.concatenate([np.full((len(warps), 1), -5), warps[:, :-1]], 1), axis=1)
    run.same(out, np.stack([np.cumsum(warps, 1).reshape(-1), before.reshape(-1)], 1))


@case
def cccl_std(run):
    """CCCL's cuda/std: type traits, array, tuple, limits, algorithms."""
    folders, out = includes("cuda/std/array"), np.zeros((run.threads, 4), np.int32)
    run(
        f"""
        #include <cuda/std/array>
        #include <cuda/std/limits>
        #include <cuda/std/tuple>
        #include <cuda/std/type_traits>
        #include <cuda/std/utility>
        __global__ void k(int* out) {{
          {THREAD}
          cuda::std::array<int, 4> a{{{{(int)t, 2, 3, 4}}}};
          cuda::std::tuple<int, float> pair(5, 2.5f);
          int* mine = out + 4 * t;
          mine[0] = a[0] + (int)a.size() + a.back();
          mine[1] = cuda::std::get<0>(pair) + (int)(2 * cuda::std::get<1>(pair));
          mine[2] = cuda::std::is_same<cuda::std::remove_cv<const int>::type, int>::value;
          mine[3] = cuda::std::numeric_limits<short>::max();
        }}
        """,
        out,
        include_dirs=folders,
    )
    t = np.arange(run.threads)
    run.same(out, np.stack([t + 8, t * 0 + 10, t * 0 + 1, t * 0 + 32767], 1))


@case
def cccl_atomic(run):
    """CCCL's own cuda::atomic_ref."""
    folders, out = includes("cuda/atomic"), np.zeros(2, np.int32)
    run(
        f"""
        #include <cuda/atomic>
        __global__ void k(int* out) {{
          {THREAD}
          cuda::atomic_ref<int, cuda::thread_scope_device> sum(out[0]), highest(out[1]);
          sum.fetch_add((int)t + 1);
          highest.fetch_max((int)t, cuda::memory_order_relaxed);
        }}
        """,
        out,
        include_dirs=folders,
    )
    run.same(out, [run.threads * (run.threads + 1) // 2, run.threads - 1])


@case
def toolkit_half(run):
    """The toolkit's own cuda_fp16.h: conversions and sums of halves."""
    if run.engine not in ("cuda", "nvrtc"):
        pytest.skip("the CPU device has its own cuda_fp16.h and does not compile the toolkit's yet")
    folders, out = includes("cuda_fp16.h"), np.zeros(run.threads, np.float32)
    run(
        f"""
        #include "{folders[0]}/cuda_fp16.h"
        __global__ void k(float* out) {{
          {THREAD}
          out[t] = __half2float(__hadd(__float2half((float)t), __float2half(0.25f)));
        }}
        """,
        out,
        include_dirs=folders,
    )
    run.same(out, (np.arange(run.threads).astype(np.float16) + np.float16(0.25)).astype(np.float32))
