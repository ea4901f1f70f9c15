"""Launches with the same numbers as arguments get code that holds them."""

import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lanza

FILTER = """
__global__ void filter(const float* in, const float* taps, float* out, int width, int size, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width) return;
  float sum = 0;
  for (int k = 0; k < size; ++k) {
    const int at = i + k - size / 2;
    if (at % stride == 0 && at >= 0 && at < width) sum += in[at / stride] * taps[k];
  }
  out[i] = sum;
}
"""
WIDTH = 5000


def filtered(values: np.ndarray, taps: np.ndarray, stride: int) -> np.ndarray:
    width = len(values)
    out = np.zeros(width, np.float32)
    i = np.arange(width)
    for k, tap in enumerate(taps):
        at = i + k - len(taps) // 2
        good = (at % stride == 0) & (at >= 0) & (at < width)
        out += np.where(good, values[np.clip(at // stride, 0, width - 1)] * tap, 0).astype(np.float32)
    return out


@pytest.fixture(autouse=True)
def waits_for_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANZA_CPU_QUICK_START", "never")


class Filter:
    def __init__(self, *options: str):
        self.kernel = lanza.compile(FILTER, device="cpu", cache=False, options=["-fmad=false", *options]).filter
        self.error = 1e-6 if options else 0  # fast arithmetic is not that of NumPy
        self.values = np.random.default_rng(1).uniform(size=WIDTH).astype(np.float32)

    def check(self, size: int, stride: int, width: int = WIDTH) -> None:
        taps, out = np.arange(1, size + 1, dtype=np.float32), np.zeros(width, np.float32)
        values = self.values[:width]
        self.kernel(values, taps, out, np.int32(width), np.int32(size), np.int32(stride), grid=40, block=128)
        np.testing.assert_allclose(out, filtered(values, taps, stride), rtol=self.error)

    def folded(self) -> list[dict[str, Any]]:
        """What each code of the kernel holds that holds anything; one blockDim has one line."""
        (line,) = self.kernel.report().splitlines()
        return json.loads(line).get("folded", [])


def test_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANZA_CPU_FOLD_ARGUMENTS", "always")
    filter_of = Filter()
    for size, stride in ((3, 2), (5, 1), (3, 2), (3, 3), (1, 1)):
        filter_of.check(size, stride)
    held = [folded["arguments"] for folded in filter_of.folded()]
    assert held == [
        {"width": WIDTH, "size": size, "stride": stride} for size, stride in ((3, 2), (5, 1), (3, 3), (1, 1))
    ]
    assert all(folded["use"] == "kept" for folded in filter_of.folded())
    assert all(folded["report"]["engine"] == "vector" for folded in filter_of.folded())


def test_no_more_than_eight_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANZA_CPU_FOLD_ARGUMENTS", "always")
    filter_of = Filter()
    for size in range(1, 14):
        filter_of.check(size, 1)
    assert len(filter_of.folded()) == 8


def test_never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANZA_CPU_FOLD_ARGUMENTS", "never")
    filter_of = Filter()
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        filter_of.check(3, 2)
    assert filter_of.folded() == []


def launched_until(filter_of: Filter, widths: list[int], enough: Callable[[list[dict[str, Any]]], bool]) -> list[Any]:
    end = time.monotonic() + 60
    folded: list[dict[str, Any]] = []
    while not enough(folded):
        assert time.monotonic() < end, f"nothing was folded, or tried for ever: {folded}"
        for i in range(200):
            filter_of.check(3, 2, widths[i % len(widths)])
        filter_of.check(5, 1)
        folded = filter_of.folded()
    return [code["arguments"] for code in folded]


def are_judged(count: int) -> Callable[[list[dict[str, Any]]], bool]:
    return lambda folded: len(folded) == count and all(code["use"] != "tried" for code in folded)


def test_small_ones_once_they_have_taken_long_enough_then_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANZA_CPU_FOLD_ARGUMENTS", "auto")
    filter_of = Filter()
    filter_of.check(3, 2)
    assert filter_of.folded() == []
    small, both = launched_until(filter_of, [WIDTH], are_judged(2))
    assert small == {"size": 3, "stride": 2}
    assert both == {"width": WIDTH, "size": 3, "stride": 2}


def test_great_ones_that_change_stay_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANZA_CPU_FOLD_ARGUMENTS", "auto")
    filter_of = Filter()
    (held,) = launched_until(filter_of, list(range(WIDTH - 100, WIDTH)), are_judged(1))
    assert held == {"size": 3, "stride": 2}


def test_not_with_fast_math(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results might depend on it."""
    monkeypatch.setenv("LANZA_CPU_FOLD_ARGUMENTS", "always")
    for option in ("-use_fast_math", "-prec-div=false", "-G"):
        filter_of = Filter(option)
        filter_of.check(3, 2)
        assert filter_of.folded() == [], option


def test_another_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANZA_CPU_FOLD_ARGUMENTS", "sometimes")
    with pytest.raises(
        lanza.InvalidArgument, match="LANZA_CPU_FOLD_ARGUMENTS is 'sometimes'; it takes auto, always or never"
    ):
        Filter()
