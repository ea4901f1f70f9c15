"""Helpers of programs: the default context, results remembered for a context, what a device can hold."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ._context import Context, Device
from ._errors import Error, RuntimeError

T = TypeVar("T")


def bitlog2(n: int) -> int:
    """The integer part of the logarithm to base 2."""
    if n <= 0:
        raise ValueError(f"bitlog2 takes a positive integer, got {n}")
    return n.bit_length() - 1


def _wanted_device() -> int | None:
    """The device that CUDA_DEVICE or ~/.cuda_device names."""
    if "CUDA_DEVICE" in os.environ:
        return int(os.environ["CUDA_DEVICE"])
    try:
        return int((Path.home() / ".cuda_device").read_text().strip())
    except (OSError, ValueError):
        return None


def make_default_context(ctx_maker: Callable[[Device], Context] | None = None) -> Context:
    """A context on the device that CUDA_DEVICE or ~/.cuda_device names, else on the first where one can be made."""
    make = ctx_maker or (lambda device: device.make_context())
    wanted = _wanted_device()
    if wanted is not None:
        return make(Device(wanted))
    reasons = []
    for number in range(Device.count()):
        try:
            return make(Device(number))
        except Error as error:
            reasons.append(str(error))
    raise RuntimeError(
        "make_default_context() wasn't able to create a context on any of the devices: " + "; ".join(reasons)
    )


_caches: list[dict[Any, Any]] = []


def context_dependent_memoize(function: Callable[..., T]) -> Callable[..., T]:
    """Remembers results for the arguments and the current context, until clear_context_caches()."""
    results: dict[Any, T] = {}
    _caches.append(results)

    @functools.wraps(function)
    def remembered(*args: Any) -> T:
        key = (Context.get_current(), args)
        if key not in results:
            results[key] = function(*args)
        return results[key]

    return remembered


def clear_context_caches() -> None:
    """Forgets what context_dependent_memoize remembers, so that contexts can go."""
    for results in _caches:
        results.clear()


class DeviceData:
    """Limits of a device (default: the current context's)."""

    def __init__(self, dev: Device | None = None) -> None:
        dev = dev or Context.get_device()
        self.max_threads = dev.max_threads_per_block
        self.warp_size = dev.warp_size
        self.warps_per_mp = dev.max_threads_per_multiprocessor // dev.warp_size
        self.thread_blocks_per_mp = dev.max_blocks_per_multiprocessor
        self.registers = dev.max_registers_per_block
        self.shared_memory = dev.max_shared_memory_per_block

    def align(self, bytes: int, word_size: int = 4) -> int:
        """`bytes` rounded up to what rows should start at."""
        step = self.align_bytes(word_size)
        return -(-bytes // step) * step

    def align_words(self, word_size: int) -> int:
        """The same in words."""
        return self.align_bytes(word_size) // word_size

    def align_bytes(self, word_size: int = 4) -> int:
        """What rows of words of that size should start at a multiple of."""
        sizes = {4: 64, 8: 128, 16: 128}
        if word_size not in sizes:
            raise ValueError(f"no alignment is known for words of {word_size} bytes")
        return sizes[word_size]
