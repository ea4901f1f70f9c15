"""Kernel.report() on the CPU device: what costs, why, and at which line of the source."""

import json

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
