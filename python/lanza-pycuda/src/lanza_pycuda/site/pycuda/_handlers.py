"""In, Out and InOut: host arrays as kernel arguments. A program may derive its own kinds."""

from __future__ import annotations

from typing import Any

import lanza

from ._memory import DeviceAllocation, device_memory, mem_alloc_like
from ._stream import Stream, stream_of


class ArgumentHandler:
    """An array's stand-in during a launch: what it does before and after."""

    def __init__(self, ary: Any) -> None:
        self.array = ary
        self.dev_alloc: DeviceAllocation | None = None

    def get_device_alloc(self) -> DeviceAllocation:
        """The device memory for the array, made at the first call and freed with the handler."""
        if self.dev_alloc is None:
            self.dev_alloc = mem_alloc_like(self.array)
        return self.dev_alloc

    def pre_call(self, stream: Stream | None) -> None:
        """Called before the launch. A subclass may have post_call(stream) too, called after it."""


class In(ArgumentHandler):
    """An array that the kernel reads: copied to the device before the launch."""

    def pre_call(self, stream: Stream | None) -> None:
        lanza.copy(device_memory(self.get_device_alloc(), self.array.nbytes), self.array, stream=stream_of(stream))


class Out(ArgumentHandler):
    """An array that the kernel writes: copied from the device after the launch."""

    def post_call(self, stream: Stream | None) -> None:
        lanza.copy(self.array, device_memory(self.get_device_alloc(), self.array.nbytes), stream=stream_of(stream))


class InOut(In, Out):
    """An array that the kernel reads and writes."""


for _class in (ArgumentHandler, In, Out, InOut):
    _class.__module__ = "pycuda.driver"
