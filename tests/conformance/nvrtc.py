"""Whether NVRTC accepts a source: cases must be legal CUDA C++, also where no GPU runs them."""

from __future__ import annotations

import ctypes
import functools
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest


class Refused(AssertionError):
    """NVRTC's log says why."""


@functools.cache
def library() -> ctypes.CDLL:
    """NVRTC, of the wheel or the system."""
    site = Path(sysconfig.get_paths()["purelib"]) / "nvidia"
    for name in [*map(str, site.glob("*/lib/libnvrtc.so.*")), "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    pytest.skip("NVRTC is not installed")


def _texts(texts: Sequence[str]) -> ctypes.Array[ctypes.c_char_p]:
    return (ctypes.c_char_p * max(1, len(texts)))(*(text.encode() for text in texts))


def check(source: str, options: Sequence[str], names: Sequence[str] = (), headers: Mapping[str, str] = {}) -> None:
    """Compiles the source; fails with NVRTC's log."""
    nvrtc, program = library(), ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(
        ctypes.byref(program),
        source.encode(),
        b"kernel.cu",
        len(headers),
        _texts([*headers.values()]),
        _texts([*headers]),
    )
    for name in names:
        nvrtc.nvrtcAddNameExpression(program, name.encode())
    every = ["-arch=sm_90", *options]
    failed = nvrtc.nvrtcCompileProgram(program, len(every), _texts(every)) != 0
    log = ""
    if failed:
        size = ctypes.c_size_t()
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, text)
        log = text.value.decode(errors="replace")
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    if failed:
        raise Refused(log)
