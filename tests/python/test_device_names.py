"""Wherever a device is taken, its name will do."""

from pathlib import Path

import numpy as np
import pytest

import lanza

SOURCE = "__global__ void k(int* x) { x[threadIdx.x] = 7; }"


def test_compile_takes_a_name(tmp_path: Path) -> None:
    assert lanza.compile(SOURCE, device="cpu").device == lanza.Device("cpu")
    path = tmp_path / "kernel.cu"
    path.write_text(SOURCE)
    assert lanza.load(path, device="cpu").device == lanza.Device("cpu")


def test_memory_takes_a_name() -> None:
    assert lanza.Buffer(4, "int32", device="cpu").device == lanza.Device("cpu")
    assert lanza.to_device(np.zeros(3), "cpu").device == lanza.Device("cpu")


def test_streams_and_events_take_a_name() -> None:
    assert lanza.Stream("cpu").device == lanza.Device("cpu")
    assert lanza.Event("cpu").device == lanza.Device("cpu")


def test_a_name_that_is_none_is_told() -> None:
    with pytest.raises(lanza.InvalidArgument, match="nonsense"):
        lanza.compile(SOURCE, device="nonsense")


def test_other_types_are_refused() -> None:
    with pytest.raises(TypeError):
        lanza.compile(SOURCE, device=3)  # type: ignore[arg-type]
