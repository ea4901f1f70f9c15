"""CCCL's own headers, where an include path has them: CUB's block and warp primitives, cuda/std."""

import numpy as np
import pytest
from engines import cccl_includes
from harness import case

THREAD = "const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);"
# CUB's primitives know the block's shape when they are compiled, and each takes a second or two: few shapes.
SHAPES = [(64, 1, 1), (8, 4, 8)]


def includes(header):
    """The include path that has this header of CCCL, or no test."""
    folders = cccl_includes()
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


@case(blocks=SHAPES, each=["DIRECT", "VECTORIZE", "TRANSPOSE", "WARP_TRANSPOSE", "STRIPED"])
def cub_block_load_and_store(run, algorithm):
    """cub::BlockLoad and cub::BlockStore: four items a thread, all and as many as there are."""
    folders, count = includes("cub/block/block_load.cuh"), 4 * run.threads - 3
    data = np.arange(4 * run.threads, dtype=np.int32) * 7 + 1
    out, part = np.zeros_like(data), np.zeros_like(data)
    x, y, z = run.block
    run(
        f"""
        #include <cub/block/block_load.cuh>
        #include <cub/block/block_store.cuh>
        __global__ void k(const int* in, int* out, int* part, int count) {{
          {THREAD}
          using Load = cub::BlockLoad<int, {x}, 4, cub::BLOCK_LOAD_{algorithm}, {y}, {z}>;
          using Store = cub::BlockStore<int, {x}, 4, cub::BLOCK_STORE_{algorithm}, {y}, {z}>;
          __shared__ union {{ typename Load::TempStorage load; typename Store::TempStorage store; }} storage;
          int items[4];
          Load(storage.load).Load(in, items);
          __syncthreads();
          for (int& item : items) item += 1;
          Store(storage.store).Store(out, items);
          __syncthreads();
          Load(storage.load).Load(in, items, count, -1);
          __syncthreads();
          for (int& item : items) item *= 2;
          Store(storage.store).Store(part, items, count);
        }}
        """,
        data,
        out,
        part,
        np.int32(count),
        include_dirs=folders,
    )
    run.same(out, data + 1)
    expected = 2 * data
    expected[count:] = 0
    run.same(part, expected)


@case(blocks=SHAPES)
def cub_block_exchange(run):
    """cub::BlockExchange: blocked to striped and back."""
    folders, data = includes("cub/block/block_exchange.cuh"), np.arange(3 * run.threads, dtype=np.int32)
    out, back = np.zeros_like(data), np.zeros_like(data)
    x, y, z = run.block
    run(
        f"""
        #include <cub/block/block_exchange.cuh>
        __global__ void k(const int* in, int* out, int* back) {{
          {THREAD}
          using Exchange = cub::BlockExchange<int, {x}, 3, false, {y}, {z}>;
          __shared__ typename Exchange::TempStorage storage;
          int items[3];
          for (int i = 0; i < 3; ++i) items[i] = in[3 * t + i];
          Exchange(storage).BlockedToStriped(items, items);
          for (int i = 0; i < 3; ++i) out[3 * t + i] = items[i];
          __syncthreads();
          Exchange(storage).StripedToBlocked(items, items);
          for (int i = 0; i < 3; ++i) back[3 * t + i] = items[i];
        }}
        """,
        data,
        out,
        back,
        include_dirs=folders,
    )
    run.same(out, data.reshape(3, -1).T.reshape(-1))
    run.same(back, data)


@case(blocks=SHAPES)
def cub_block_radix_sort(run):
    """cub::BlockRadixSort: keys with values, upwards; keys downwards."""
    folders, data = includes("cub/block/block_radix_sort.cuh"), values(run)
    keys, order, down = np.zeros_like(data), np.zeros_like(data), np.zeros_like(data)
    x, y, z = run.block
    run(
        f"""
        #include <cub/block/block_radix_sort.cuh>
        __global__ void k(const int* in, int* keys, int* order, int* down) {{
          {THREAD}
          using Sort = cub::BlockRadixSort<int, {x}, 1, int, 4, true, cub::BLOCK_SCAN_WARP_SCANS,
                                           cudaSharedMemBankSizeFourByte, {y}, {z}>;
          using Keys = cub::BlockRadixSort<int, {x}, 1, cub::NullType, 4, true, cub::BLOCK_SCAN_WARP_SCANS,
                                           cudaSharedMemBankSizeFourByte, {y}, {z}>;
          __shared__ union {{ typename Sort::TempStorage sort; typename Keys::TempStorage keys; }} storage;
          int key[1] = {{in[t]}}, value[1] = {{(int)t}}, other[1] = {{in[t]}};
          Sort(storage.sort).Sort(key, value);
          keys[t] = key[0];
          order[t] = value[0];
          __syncthreads();
          Keys(storage.keys).SortDescending(other);
          down[t] = other[0];
        }}
        """,
        data,
        keys,
        order,
        down,
        include_dirs=folders,
    )
    expected = np.argsort(data, kind="stable").astype(np.int32)
    run.same(keys, data[expected])
    run.same(order, expected)
    run.same(down, np.sort(data)[::-1])


@case(blocks=SHAPES[:1])
def cub_block_merge_sort(run):
    """cub::BlockMergeSort: structures, by a comparison."""
    folders, data = includes("cub/block/block_merge_sort.cuh"), values(run)
    keys, order = np.zeros_like(data), np.zeros_like(data)
    run(
        f"""
        #include <cub/block/block_merge_sort.cuh>
        struct Item {{ int key, from; }};
        struct ByLastDigits {{
          __device__ bool operator()(const Item& a, const Item& b) const {{ return a.key % 100 < b.key % 100; }}
        }};
        __global__ void k(const int* in, int* keys, int* from) {{
          {THREAD}
          using Sort = cub::BlockMergeSort<Item, {run.block[0]}, 1>;
          __shared__ typename Sort::TempStorage storage;
          Item item[1] = {{{{in[t], (int)t}}}};
          Sort(storage).StableSort(item, ByLastDigits());
          keys[t] = item[0].key;
          from[t] = item[0].from;
        }}
        """,
        data,
        keys,
        order,
        include_dirs=folders,
    )
    expected = np.argsort(data % 100, kind="stable").astype(np.int32)
    run.same(keys, data[expected])
    run.same(order, expected)


@case(blocks=SHAPES)
def cub_block_differences(run):
    """cub::BlockDiscontinuity and cub::BlockAdjacentDifference: heads of runs, distances to the left."""
    folders, data = includes("cub/block/block_adjacent_difference.cuh"), values(run) % 3
    out = np.zeros((run.threads, 2), np.int32)
    x, y, z = run.block
    run(
        f"""
        #include <cub/block/block_adjacent_difference.cuh>
        #include <cub/block/block_discontinuity.cuh>
        __global__ void k(const int* in, int* out) {{
          {THREAD}
          using Heads = cub::BlockDiscontinuity<int, {x}, {y}, {z}>;
          using Differences = cub::BlockAdjacentDifference<int, {x}, {y}, {z}>;
          __shared__ typename Heads::TempStorage heads;
          __shared__ typename Differences::TempStorage differences;
          int item[1] = {{in[t]}}, head[1], difference[1];
          Heads(heads).FlagHeads(head, item, [](int a, int b) {{ return a != b; }});
          Differences(differences).SubtractLeft(item, difference, [](int a, int b) {{ return a - b; }});
          out[2 * t] = head[0];
          out[2 * t + 1] = difference[0];
        }}
        """,
        data,
        out,
        include_dirs=folders,
    )
    before = np.concatenate([[0], data[:-1]])
    heads, differences = (data != before).astype(np.int32), data - before
    heads[0] = 1
    run.same(out, np.stack([heads, differences], 1))


@case(blocks=[(33, 1, 1), (16, 4, 4)])
def cccl_barrier(run):
    """CCCL's own cuda::barrier in shared memory."""
    folders, out = includes("cuda/barrier"), np.zeros(run.threads, np.int32)
    run(
        f"""
        #include <cuda/barrier>
        __global__ void k(int* out) {{
          {THREAD}
          const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
          __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
          __shared__ int values[1024];
          if (t == 0) init(&barrier, threads);
          __syncthreads();
          for (int round = 1; round <= 3; ++round) {{
            values[t] = round * 1000 + t;
            barrier.arrive_and_wait();
            out[t] += values[(t + round) % threads];
            barrier.wait(barrier.arrive());
          }}
        }}
        """,
        out,
        include_dirs=folders,
    )
    t = np.arange(run.threads)
    run.same(out, sum(1000 * r + (t + r) % run.threads for r in (1, 2, 3)))


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


@case(blocks=[33, 256])
def cccl_vocabulary(run):
    """CCCL's variant, expected and mdspan."""
    folders, out = includes("cuda/std/mdspan"), np.zeros((run.threads, 3), np.int32)
    run(
        f"""
        #include <cuda/std/expected>
        #include <cuda/std/mdspan>
        #include <cuda/std/variant>
        namespace cs = cuda::std;
        __device__ cs::expected<int, float> half_of(int x) {{
          if (x % 2) return cs::unexpected<float>(x / 2.0f);
          return x / 2;
        }}
        struct Size {{
          __device__ int operator()(int x) const {{ return x; }}
          __device__ int operator()(double x) const {{ return (int)(100 * x); }}
        }};
        __global__ void k(int* out) {{
          {THREAD}
          cs::mdspan<int, cs::extents<int, cs::dynamic_extent, 3>> rows(out, (int)(blockDim.x * blockDim.y * blockDim.z));
          cs::variant<int, double> v = (int)t;
          if (t % 3 == 0) v = t / 4.0;
          const auto half = half_of((int)t);
          rows(t, 0) = cs::visit(Size(), v);
          rows(t, 1) = half ? *half : (int)(10 * half.error());
          rows(t, 2) = (int)v.index() + 2 * cs::holds_alternative<int>(v);
        }}
        """,
        out,
        include_dirs=folders,
    )
    t = np.arange(run.threads)
    third = t % 3 == 0
    run.same(out, np.stack([np.where(third, 25 * t, t), np.where(t % 2, 5 * t, t // 2), np.where(third, 1, 2)], 1))


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
