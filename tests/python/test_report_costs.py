"""Kernel.report() on the CPU device: what costs, why, and at which line of the source."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import lanza


def costs(source: str, *arguments, block: int = 256, cache: bool = False) -> dict[tuple[str, int], str]:
    """The reasons by what costs and where; `source` is shown from line 1 on."""
    kernel = lanza.compile(source.strip(), device="cpu", cache=cache).kernel("k")
    kernel(*arguments, block=block)
    (report,) = map(json.loads, kernel.report().splitlines())
    if report["engine"] != "vector":
        pytest.skip(f"the engine is {report['engine']}")
    found = {}
    for region in report["regions"]:
        lines = [cost["line"] for cost in region.get("costs", [])]
        assert lines == sorted(lines)
        found |= {(cost["what"], cost["line"]): cost["why"] for cost in region.get("costs", [])}
    return found


def floats(count: int = 256) -> np.ndarray:
    return np.ones(count, np.float32)


def integers(count: int = 256) -> np.ndarray:
    return np.zeros(count, np.int32)


def processor_says(text: str) -> bool:
    about = Path("/proc/cpuinfo")
    return about.exists() and text in about.read_text()


def test_neighbours_cost_nothing():
    source = """
__global__ void k(float* out, const float* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
}"""
    assert costs(source, floats(), floats()) == {}


def test_an_index_from_memory_is_gathered_and_scattered():
    source = """
__global__ void k(float* out, const float* in, const int* from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v =
      in[from[i]];
  out[from[i] + 1] = v;
}"""
    found = costs(source, floats(), floats(), integers())
    assert found == {
        ("gather", 4): "the index comes from memory",
        ("scatter", 5): "the index comes from memory",
    }


def test_lanes_that_lie_apart_tell_how_far():
    source = """
__global__ void k(float* out, const float* in, int n) {
  int i = threadIdx.x;
  out[i * 32] = in[i];
  out[i * 32 + 1] = in[i * n];
}"""
    found = costs(source, floats(256 * 32 + 2), floats(512), 2)
    assert found["scatter", 3].startswith("lanes are 128 bytes apart")
    assert found["gather", 4].startswith("how far lanes are apart is known only when the kernel runs")


def test_an_index_that_may_wrap_around():
    source = """
__global__ void k(float* out, const float* in, const unsigned* from) {
  unsigned i = threadIdx.x;
  out[i] = in[i + from[0]];
}"""
    assert "may wrap around" in costs(source, floats(), floats(512), np.uint32([3]))["gather", 3]


def test_rows_of_lanes_are_transposed_and_summed_in_order():
    source = """
__global__ void k(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += in[i * n + j];
  out[i] = sum;
}"""
    found = costs(source, floats(), floats(256 * 64), 64)
    assert set(found) == {("rows", 5), ("sum in order", 5)}
    assert "rows are turned into columns" in found["rows", 5]
    assert "each waits for the one before" in found["sum in order", 5]


def test_several_sums_do_not_wait_for_each_other():
    source = """
__global__ void k(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = 0, b = 0, c = 0, d = 0;
  for (int j = 0; j < n; j += 4) {
    a += in[j * 256 + i];
    b += in[j * 256 + 256 + i];
    c += in[j * 256 + 512 + i];
    d += in[j * 256 + 768 + i];
  }
  out[i] = (a + b) + (c + d);
}"""
    assert not [what for what, _ in costs(source, floats(), floats(256 * 64), 64) if what == "sum in order"]


COLLATZ = """
__global__ void k(int* out) {
  int i = threadIdx.x;
  int n = i + 1, steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  out[i] = steps;
}"""


def test_a_loop_that_lanes_leave_one_by_one():
    found = costs(COLLATZ, integers())
    assert found == {("loop left one by one", 4): "lanes that are done wait for the one that takes longest"}


def test_a_loop_that_strides_over_the_block_is_left_by_all_at_once_but_for_a_turn():
    source = """
__global__ void k(int* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = i;
}"""
    assert costs(source, integers(1000), 1000) == {}


def test_extrema_have_the_line_of_the_users_call():
    source = """
__global__ void k(float* out, const float* in) {
  int i = threadIdx.x;
  float here = in[i];
  out[i] = fmaxf(here,
                 in[i + 1]);
}"""
    ((what, line), why), *more = costs(source, floats(), floats(257)).items()
    assert (what, more) == ("extremum", [])
    assert line in (4, 5)
    assert "NaN" in why


def test_values_that_live_across_a_barrier():
    source = """
__global__ void k(float* out, const float* in) {
  __shared__ float s[1024];
  int i = threadIdx.x;
  float a = in[i], b = in[i + 1024];
  s[i] = a;
  __syncthreads();
  out[i] = s[1023 - i] * b + a;
}"""
    found = costs(source, floats(1024), floats(2048), block=1024)
    assert found == {("values in memory", 6): "values live across this barrier: they go to memory for each thread"}


DIRECTIONS = """
__global__ void k(const float* in, float* out) {
  const int step[6] = {0, 1, -1, 0, 2, 0};
  int i = threadIdx.x;
  float sum = 0;
  for (int d = 0; d < 6; d++)
    CONDITION
      sum += step[d] * in[d * 256 + i];
  out[i] = sum;
}"""


def test_products_with_constant_zeros_stay():
    found = costs(DIRECTIONS.replace("CONDITION", ""), floats(6 * 256), floats())
    assert set(found) == {("product with 0", 7)}
    assert "where x is infinite or NaN" in found["product with 0", 7]


def test_products_with_zeros_that_a_condition_leaves_out():
    assert costs(DIRECTIONS.replace("CONDITION", "if (step[d])"), floats(6 * 256), floats()) == {}


def test_one_product_with_zero_of_many_is_not_worth_a_word():
    source = """
__global__ void k(const float* in, float* out) {
  int i = threadIdx.x;
  float sum = 0 * in[i];
  for (int d = 1; d < 20; d++) sum += d * in[d * 256 + i];
  out[i] = sum;
}"""
    assert costs(source, floats(20 * 256), floats()) == {}


MEDIAN = """
__global__ void k(const TYPE* in, TYPE* out) {
  int i = threadIdx.x;
  TYPE v[COUNT];
  for (int k = 0; k < COUNT; k++) v[k] = in[i + k];
  for (int a = 0; a < COUNT - 1; a++)
    for (int b = 0; b < COUNT - 1 - a; b++)
      if (v[b] > v[b + 1]) {
        TYPE t = v[b];
        v[b] = v[b + 1];
        v[b + 1] = t;
      }
  RESULT;
}"""


def median(kind: str, count: int, result: str) -> str:
    return MEDIAN.replace("TYPE", kind).replace("COUNT", str(count)).replace("RESULT", result)


def test_a_sort_of_which_one_element_is_wanted():
    found = costs(median("float", 5, "out[i] = v[2]"), floats(260), floats())
    assert set(found) == {("sort for one element", 7)}
    assert "5 numbers" in found["sort for one element", 7]
    assert "14 minima and maxima" in found["sort for one element", 7]
    found = costs(median("int", 5, "out[i] = v[2]"), integers(260), integers())
    assert set(found) == {("sort for one element", 7)}
    assert "NaN" not in found["sort for one element", 7]


def test_sorts_that_no_network_shortens():
    assert costs(median("float", 3, "out[i] = v[1]"), floats(260), floats()) == {}
    all_of_them = "for (int k = 0; k < 5; k++) out[256 * k + i] = v[k]"
    assert costs(median("float", 5, all_of_them), floats(260), floats(5 * 256)) == {}


WINDOW = """
__global__ void k(const float* in, float* out, int n, int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0, more = 0, last = 0;
  for (int k = -radius; k <= radius; k++) {
    sum += in[INDEX];
    more += in[n + i];
    last += in[n - i];
  }
  out[i] = sum + more + last;
}"""


def test_edges_in_a_loop_over_a_window():
    found = costs(WINDOW.replace("INDEX", "min(max(i + k, 0), n - 1)"), floats(1024), floats(), 256, 3)
    assert set(found) == {("edge", 5)}
    assert "beyond the edge" in found["edge", 5]


def test_edges_that_are_asked_once():
    assert costs(WINDOW.replace("INDEX", "i + k + 8"), floats(1024), floats(), 256, 3) == {}
    source = """
__global__ void k(const float* in, float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = in[max(i - 1, 0)] + in[min(i + 1, n - 1)];
}"""
    assert costs(source, floats(1000), floats(1000), 1000) == {}


def test_edges_of_bytes_without_masked_loads():
    source = """
__global__ void k(const unsigned char* in, unsigned char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[min(i + 1, n - 1)];
}"""
    found = costs(source, np.ones(256, np.uint8), np.ones(256, np.uint8), 256)
    masks_bytes = processor_says("avx512bw") and os.environ.get("LANZA_CPU_TARGET", "native") == "native"
    assert set(found) == (set() if masks_bytes else {("edge", 3)})
    assert (
        costs(source.replace("min(i + 1, n - 1)", "i + 1"), np.ones(257, np.uint8), np.ones(256, np.uint8), 256) == {}
    )


RECORDS = """
struct Body { float x, y, z, w; };
__global__ void k(Body* all, float a) {
  int i = threadIdx.x;
  Body& b = all[i];
  b.x += a;
  b.y += a;
  CHANGE;
}"""


def test_records_of_which_a_part_changes():
    found = costs(RECORDS.replace("CHANGE", "b.z -= a"), np.zeros(256, "V16"), np.float32(1))
    assert set(found) == {("part of a record", 7)}
    assert "masks leave them out" in found["part of a record", 7]
    assert costs(RECORDS.replace("CHANGE", "b.z -= a, b.w *= a"), np.zeros(256, "V16"), np.float32(1)) == {}
    back = RECORDS.replace("Body&", "Body").replace("CHANGE", "b.z -= a; all[i] = b")  # the thread writes all of it
    assert costs(back, np.zeros(256, "V16"), np.float32(1)) == {}


def test_products_that_all_threads_have():
    source = """
__global__ void k(float* x, float a) {
  int i = threadIdx.x;
  x[i] -= PRODUCT;
}"""
    found = costs(source.replace("PRODUCT", "9.81f * a"), floats(), np.float32(1))
    assert set(found) <= {("fused product", 3)}  # nowhere but on some processors
    assert costs(source.replace("PRODUCT", "__fmul_rn(9.81f, a)"), floats(), np.float32(1)) == {}
    assert costs(source.replace("PRODUCT", "x[i + 1] * a"), floats(257), np.float32(1)) == {}


HALVES = """
#include <cuda_fp16.h>
__global__ void k(const __half* x, __half* y) {
  int i = threadIdx.x;
  y[i] =
      VALUE;
}"""


@pytest.mark.skipif(processor_says("avx512_fp16"), reason="the processor has arithmetic of halves")
def test_halves_are_rounded_after_each_operation():
    halves = [np.ones(256, np.float16) for _ in range(2)]
    found = costs(HALVES.replace("VALUE", "__hfma(x[i], x[i], y[i])"), *halves)
    assert set(found) == {("halves in floats", 5)}
    assert "rounded twice" in found["halves in floats", 5]
    found = costs(HALVES.replace("VALUE", "__hadd(__hmul(x[i], x[i]), y[i])"), *halves)
    assert set(found) == {("halves in floats", 5)}
    assert "widened again" in found["halves in floats", 5]


@pytest.mark.parametrize(
    "value", ["__hadd(x[i], y[i])", "__float2half(fmaf(__half2float(x[i]), 2.f, __half2float(y[i])))"]
)
def test_halves_that_are_rounded_once(value: str):
    assert costs(HALVES.replace("VALUE", value), *(np.ones(256, np.float16) for _ in range(2))) == {}


def test_atomics_say_why_lanes_take_turns():
    source = """
__global__ void k(float* sum, int* counts, const int* index, int* found) {
  int i = threadIdx.x;
  atomicAdd(sum, 1.5f * i);
  found[i] = atomicAdd(&counts[index[i]], 1);
  atomicAdd(&counts[index[i] + 1], 1);
}"""
    assert costs(source, floats(1), integers(), integers(), integers()) == {
        ("lane by lane", 3): "floats are added in the order of threads",
        ("lane by lane", 4): "each lane is told what it found, in the order of threads",
        ("lane by lane", 5): "lanes may meet at one address",
    }


def test_code_from_the_cache_still_tells():
    for _ in range(2):
        assert [what for what, _ in costs(COLLATZ, integers(), cache=True)] == ["loop left one by one"]


def test_blocks_with_barriers_that_stride_with_the_grid():
    values = np.arange(4096, dtype=np.float32)
    source = """__global__ void k(const float* x, float* y, int n) {
  __shared__ float s[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i];
  s[threadIdx.x] = sum;
  __syncthreads();
  y[blockIdx.x * blockDim.x + threadIdx.x] = s[255 - threadIdx.x];
}"""
    assert ("grid stride", 5) in costs(source, lanza.in_(values), lanza.out(np.empty(256, np.float32)), 4096)
    alone = """__global__ void k(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = 2 * x[i];
}"""
    assert not costs(alone, lanza.in_(values), lanza.out(np.empty(4096, np.float32)), 4096)
