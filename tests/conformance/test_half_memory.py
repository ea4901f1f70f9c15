"""half and bfloat16: arguments, loads and stores, atomic addition, shuffles, constants."""

import numpy as np
from harness import case
from sixteen_bits import EVERY, HALF, both


@case(each=both())
def arguments(run, form):
    """Arrays, and values that the kernel changes, arrive as they are."""
    n = run.threads
    data = form.array(EVERY[:n])
    out = form.array(np.zeros(2 * n))
    run(
        form.source(
            """
            __global__ void k(const T* in, T2* out, T value, T2 both) {
              const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
              both.x = value; value = in[t]; both.y = value;
              out[t] = both;
            }
            """
        ),
        data, out.view("V4"), form.array([0x1234])[0], form.array([1, 2]).view("V4")[0],
    )  # fmt: skip
    run.same(out.view(np.uint16).reshape(-1, 2), np.stack([np.full(n, 0x1234), EVERY[:n]], 1))


@case(each=both(["__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv"]))
def load(run, value):
    """Loads with cache hints, of one and of two."""
    form, name = value
    n = run.threads
    bits = np.arange(2 * n, dtype=np.uint16)
    one, two = form.array(np.zeros(n)), form.array(np.zeros(2 * n))
    run(
        form.source(
            """
            __global__ void k(const T* in, T* one, T2* two) {
              const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
              one[t] = LOAD(in + t);
              two[t] = LOAD((const T2*)in + t);
            }
            """
        ).replace("LOAD", name),
        form.array(bits), one, two.view("V4"),
    )  # fmt: skip
    run.same(one.view(np.uint16), bits[:n])
    run.same(two.view(np.uint16), bits)


@case(each=both(["__stwb", "__stcg", "__stcs", "__stwt"]))
def store(run, value):
    """Stores with cache hints, of one and of two."""
    form, name = value
    n = run.threads
    bits = np.arange(2 * n, dtype=np.uint16)
    one, two = form.array(np.zeros(n)), form.array(np.zeros(2 * n))
    run(
        form.source(
            """
            __global__ void k(const T* in, T* one, T2* two) {
              const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
              STORE(one + t, in[t]);
              STORE(two + t, ((const T2*)in)[t]);
            }
            """
        ).replace("STORE", name),
        form.array(bits), one, two.view("V4"),
    )  # fmt: skip
    run.same(one.view(np.uint16), bits[:n])
    run.same(two.view(np.uint16), bits)


@case(each=both())
def atomic_add(run, form):
    """atomicAdd of one and of two: every sum up to 2^8 is exact, the old values are a permutation of the steps."""
    count = min(run.threads, 256)
    sums, old = form.array(np.zeros(4)), form.array(np.zeros(count))
    run(
        form.source(
            """
            __global__ void k(T* sums, T* old, int count) {
              const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
              if (t >= count) return;
              old[t] = atomicAdd(sums, T(1.0f));
              atomicAdd((T2*)(sums + 2), T2(T(1.0f), T(-1.0f)));
            }
            """
        ),
        sums, old, count,
    )  # fmt: skip
    run.same(form.decode(sums.view(np.uint16)), [count, 0, count, -count])
    run.same(np.sort(form.decode(old.view(np.uint16))), np.arange(count))


@case(each=both())
def shared_atomic_add(run, form):
    """atomicAdd in shared memory, also of the odd one of two neighbours."""
    count = min(run.threads, 256)
    out = form.array(np.zeros(2))
    run(
        form.source(
            """
            __global__ void k(T* out, int count) {
              __shared__ __align__(4) T sums[2];
              const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
              if (t < 2) sums[t] = T(0.0f);
              if (blockDim.x * blockDim.y * blockDim.z == 1) sums[1] = T(0.0f);
              __syncthreads();
              if (t < count) atomicAdd(sums + 1, T(1.0f));
              __syncthreads();
              if (t == 0) { out[0] = sums[0]; out[1] = sums[1]; }
            }
            """
        ),
        out, count,
    )  # fmt: skip
    run.same(form.decode(out.view(np.uint16)), [0, count])


@case(each=both())
def compare_and_swap(run, form):
    """A sum by the 16-bit atomicCAS."""
    count = min(run.threads, 256)
    total = form.array(np.zeros(2))
    run(
        form.source(
            """
            __global__ void k(T* total, int count) {
              const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
              if (t >= count) return;
              unsigned short* word = (unsigned short*)total;
              unsigned short old = *(volatile unsigned short*)word, seen;
              while ((seen = atomicCAS(word, old, __half_as_ushort(__hadd(__ushort_as_half(old), T(1.0f))))) != old) old = seen;
            }
            """
        ),
        total, count,
    )  # fmt: skip
    run.same(form.decode(total.view(np.uint16)), [count, 0])


@case(each=both(["", "_up", "_down", "_xor"]))
def shuffle(run, value):
    """__shfl_sync and its kind, of one and of two, whole warps and parts of 8 lanes."""
    form, kind = value
    n = run.threads
    bits = np.arange(2 * n, dtype=np.uint16) + np.uint16(0x3000)
    for width in (32, 8):
        one, two = form.array(np.zeros(n)), form.array(np.zeros(2 * n))
        run(
            form.source(
                """
                __global__ void k(const T* in, T* one, T2* two, int n) {
                  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
                  const int rest = n - t / 32 * 32;
                  const unsigned mask = rest >= 32 ? ~0u : (1u << rest) - 1;
                  one[t] = __shfl_K_sync(mask, in[t], 1, WIDTH);
                  two[t] = __shfl_K_sync(mask, ((const T2*)in)[t], 1, WIDTH);
                }
                """
            ).replace("_K_", f"{kind}_").replace("WIDTH", str(width)),
            form.array(bits), one, two.view("V4"), n,
        )  # fmt: skip
        source = source_of(kind, run.lane, width) + 32 * run.warp
        there = source < n  # what a lane that is not there has is undefined
        run.same(one.view(np.uint16)[there], bits[:n][source[there]])
        run.same(two.view(np.uint32)[there], bits.view(np.uint32)[source[there]])


def source_of(kind, lane, width):
    start = lane // width * width
    source = {"": start + 1, "_up": lane - 1, "_down": lane + 1, "_xor": lane ^ 1}[kind]
    return np.where((source >= start) & (source < start + width), source, lane)


@case(each=both())
def constants(run, form):
    """CUDART_INF_FP16 and its kind."""
    names = ["INF", "NAN", "MIN_DENORM", "MAX_NORMAL", "NEG_ZERO", "ZERO", "ONE"]
    out = np.zeros(7, np.uint16)
    suffix = "FP16" if form is HALF else "BF16"
    values = ", ".join(f"CUDART_{name}_{suffix}" for name in names)
    run(
        "#define __FORCE_INCLUDE_CUDA_FP16_HPP_FROM_FP16_H__\n#define __FORCE_INCLUDE_CUDA_BF16_HPP_FROM_BF16_H__\n"
        + form.source("")
        + f"__global__ void k(T* out) {{ const T all[] = {{{values}}}; for (int i = 0; i < 7; ++i) out[i] = all[i]; }}",
        form.array(out),
    )
    infinity, one = form.infinity, int(form.encode(np.array([1.0]))[0])
    run.same(out, [infinity, 0x7FFF, 1, infinity - 1, 0x8000, 0, one])


@case(each=both())
def volatile_and_raw(run, form):
    """Volatile values go through the raw structure; pairs through theirs."""
    n = run.threads
    out = form.array(np.zeros(2 * n))
    raw = "__half" if form is HALF else "__nv_bfloat16"
    run(
        form.source(
            """
            __global__ void k(T2* out) {
              const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
              volatile T v;
              RAW_raw r;
              r.x = t + 1;
              v = r;
              RAW_raw back = v;
              RAW2_raw two;
              two.x = back.x; two.y = 7;
              T2 pair(two);
              RAW2_raw again = pair;
              pair = again;
              out[t] = pair;
            }
            """
        ).replace("RAW", raw),
        out.view("V4"),
    )  # fmt: skip
    run.same(out.view(np.uint16).reshape(-1, 2), np.stack([np.arange(n) + 1, np.full(n, 7)], 1))


TILES = """
#include <cuda_fp16.h>
__global__ void k(const __half* p, const __half* q, float* out, double* widths, __half* seen, int depth) {
  __shared__ __half a[16][17], b[16][16], kept[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  double width = 0;
  for (int t = 0; t < depth; t += 16) {
    a[y][x] = p[y * depth + t + x];
    b[y][x] = q[(t + y) * 16 + x];
    kept[y][x] = __hadd(p[y * depth + t + x], q[(t + y) * 16 + x]);
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      sum += __half2float(a[y][i]) * __half2float(b[i][x]);
      width += static_cast<double>(__half2float(kept[i][y]));
    }
    seen[(t + y) * 16 + x] = kept[y][15 - x];
    __syncthreads();
  }
  out[y * 16 + x] = sum;
  widths[y * 16 + x] = width;
}
"""


@case(blocks=[(16, 16)])
def tiles(run):
    """Tiles of which all, or not all, that is loaded is converted: denormals, infinities and NaNs among them."""
    depth, rng = 48, np.random.default_rng(5)
    for special in (False, True):
        p = rng.integers(-40, 40, (16, depth)).astype(np.float16)
        q = rng.integers(-40, 40, (depth, 16)).astype(np.float16)
        if special:
            p[3, 5], p[7, 30], q[20, 2], q[40, 9] = np.nan, np.inf, np.float16(6e-8), -np.inf
        out, widths, seen = np.zeros((16, 16), np.float32), np.zeros((16, 16)), np.zeros((depth, 16), np.float16)
        run(TILES, p, q, out, widths, seen, depth)
        with np.errstate(invalid="ignore"):
            expected = np.zeros((16, 16), np.float32)
            for i in range(depth):
                expected = expected + np.outer(p[:, i].astype(np.float32), q[i].astype(np.float32))
            kept = np.stack([p[:, t : t + 16] + q[t : t + 16] for t in range(0, depth, 16)])
            sums = kept.astype(np.float64).sum((0, 1))
        assert np.array_equal(out, expected, equal_nan=True)
        assert np.array_equal(seen, kept[:, :, ::-1].reshape(depth, 16), equal_nan=True)
        assert np.array_equal(widths, np.repeat(sums[:, None], 16, axis=1), equal_nan=True)
