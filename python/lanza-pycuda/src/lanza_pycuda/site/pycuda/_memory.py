"""Memory of the device and copies, under PyCUDA's names. Device addresses are integers, or what has __index__."""

from __future__ import annotations

import gc
from typing import Any, SupportsIndex

import numpy

import lanza
from lanza import _lanza

from ._context import current
from ._errors import LogicError, translated
from ._stream import Stream, stream_of


class DeviceAllocation:
    """Memory of the device, freed with the object (in stream order) or by free(). int() is its address."""

    def __init__(self, buffer: lanza.Buffer) -> None:
        self._buffer: lanza.Buffer | None = buffer

    def _live(self) -> lanza.Buffer:
        if self._buffer is None:
            raise LogicError("device_allocation::free failed: invalid device pointer - it was freed already")
        return self._buffer

    def free(self) -> None:
        """Gives the memory back now."""
        self._live()
        self._buffer = None

    def as_buffer(self, size: int, offset: int = 0) -> memoryview:
        """The bytes [offset, offset + size) as the host sees them: memory of the CPU device only."""
        return memoryview(self._live()[offset : offset + size])  # type: ignore[arg-type]

    def __int__(self) -> int:
        return self._live().ptr

    __index__ = __int__


class PointerHolderBase:
    """Base for a user's own kinds of device memory: a subclass has get_pointer()."""

    def get_pointer(self) -> int:
        raise NotImplementedError("a subclass of PointerHolderBase must have get_pointer()")

    def __int__(self) -> int:
        return self.get_pointer()

    __index__ = __int__


for _class in (DeviceAllocation, PointerHolderBase):
    _class.__module__ = "pycuda._driver"


@translated("cuMemAlloc")
def mem_alloc(bytes: int) -> DeviceAllocation:
    """Memory of the current context's device; collects garbage and tries again before it raises MemoryError."""
    context = current()
    if bytes <= 0:
        raise LogicError(f"cuMemAlloc failed: invalid value - cannot allocate {bytes} bytes")
    try:
        return DeviceAllocation(lanza.Buffer(bytes, "void", device=context.device))
    except lanza.OutOfMemory:
        gc.collect()
        return DeviceAllocation(lanza.Buffer(bytes, "void", device=context.device))


def mem_alloc_like(ary: Any) -> DeviceAllocation:
    """As many bytes as the array has."""
    return mem_alloc(ary.nbytes)


def mem_alloc_pitch(width: int, height: int, access_size: int) -> tuple[DeviceAllocation, int]:
    """Rows of `width` bytes, each aligned: (memory, bytes from row to row)."""
    pitch = -(-width // 512) * 512
    return mem_alloc(pitch * height), pitch


def device_memory(address: SupportsIndex, nbytes: int, context: lanza.Context | None = None) -> lanza.Buffer:
    """`nbytes` at an address of the device, as a Buffer; of an allocation, a part of it, which keeps it alive."""
    if type(address) is DeviceAllocation:
        buffer = address._live()
        if nbytes > buffer.nbytes:
            raise LogicError(f"invalid value - {nbytes} bytes asked of an allocation of {buffer.nbytes}")
        return buffer[:nbytes]
    return _lanza._memory(address.__index__(), nbytes, context or current(), address)


def _host(array: Any) -> Any:
    """The bytes of a contiguous host array."""
    view = memoryview(array)
    if not view.contiguous:
        raise LogicError("the array is not contiguous; copy it with numpy.ascontiguousarray()")
    return view


@translated("cuMemcpyHtoD")
def memcpy_htod(dest: SupportsIndex, src: Any) -> None:
    """Copies a contiguous host array to the device."""
    _host(src)
    lanza.copy(device_memory(dest, memoryview(src).nbytes), src)


@translated("cuMemcpyHtoDAsync")
def memcpy_htod_async(dest: SupportsIndex, src: Any, stream: Stream | None = None) -> None:
    """Enqueues a copy of a contiguous host array to the device."""
    _host(src)
    lanza.copy(device_memory(dest, memoryview(src).nbytes), src, stream=stream_of(stream), wait=False)


@translated("cuMemcpyDtoH")
def memcpy_dtoh(dest: Any, src: SupportsIndex) -> None:
    """Fills a contiguous host array from the device."""
    lanza.copy(dest, device_memory(src, _host(dest).nbytes))


@translated("cuMemcpyDtoHAsync")
def memcpy_dtoh_async(dest: Any, src: SupportsIndex, stream: Stream | None = None) -> None:
    """Enqueues filling a contiguous host array, which is valid after the stream is synchronised."""
    lanza.copy(dest, device_memory(src, _host(dest).nbytes), stream=stream_of(stream), wait=False)


@translated("cuMemcpyDtoD")
def memcpy_dtod(dest: SupportsIndex, src: SupportsIndex, size: int) -> None:
    """Copies `size` bytes on the device."""
    lanza.copy(device_memory(dest, size), device_memory(src, size))


@translated("cuMemcpyDtoDAsync")
def memcpy_dtod_async(dest: SupportsIndex, src: SupportsIndex, size: int, stream: Stream | None = None) -> None:
    """Enqueues a copy of `size` bytes on the device."""
    lanza.copy(device_memory(dest, size), device_memory(src, size), stream=stream_of(stream), wait=False)


def _memset(dtype: str, dest: SupportsIndex, data: int, size: int, stream: Stream | None) -> None:
    buffer = device_memory(dest, numpy.dtype(dtype).itemsize * size).view(dtype)
    if stream is None:
        buffer.fill(data)
        return
    with stream._stream:
        buffer.fill(data)


@translated("cuMemsetD8")
def memset_d8(dest: SupportsIndex, data: int, size: int) -> None:
    """Sets `size` bytes."""
    _memset("uint8", dest, data, size, None)


@translated("cuMemsetD16")
def memset_d16(dest: SupportsIndex, data: int, size: int) -> None:
    """Sets `size` elements of 16 bits."""
    _memset("uint16", dest, data, size, None)


@translated("cuMemsetD32")
def memset_d32(dest: SupportsIndex, data: int, size: int) -> None:
    """Sets `size` elements of 32 bits."""
    _memset("uint32", dest, data, size, None)


@translated("cuMemsetD8Async")
def memset_d8_async(dest: SupportsIndex, data: int, size: int, stream: Stream | None = None) -> None:
    """Enqueues setting `size` bytes."""
    _memset("uint8", dest, data, size, stream)


@translated("cuMemsetD16Async")
def memset_d16_async(dest: SupportsIndex, data: int, size: int, stream: Stream | None = None) -> None:
    """Enqueues setting `size` elements of 16 bits."""
    _memset("uint16", dest, data, size, stream)


@translated("cuMemsetD32Async")
def memset_d32_async(dest: SupportsIndex, data: int, size: int, stream: Stream | None = None) -> None:
    """Enqueues setting `size` elements of 32 bits."""
    _memset("uint32", dest, data, size, stream)


def to_device(bf_obj: Any) -> DeviceAllocation:
    """A device copy of a contiguous host array."""
    allocation = mem_alloc(memoryview(bf_obj).nbytes)
    memcpy_htod(allocation, bf_obj)
    return allocation


def from_device(devptr: SupportsIndex, shape: Any, dtype: Any, order: Any = "C") -> Any:
    """A new host array with what the device holds there."""
    result = numpy.empty(shape, dtype, order)
    memcpy_dtoh(result, devptr)
    return result


def from_device_like(devptr: SupportsIndex, other_ary: Any) -> Any:
    """The same in the shape of another array."""
    result = numpy.empty_like(other_ary)
    memcpy_dtoh(result, devptr)
    return result


# Lanza stages copies of ordinary arrays through pinned memory of its own, so that these are ordinary arrays.


def pagelocked_empty(shape: Any, dtype: Any, order: Any = "C", mem_flags: int = 0) -> Any:
    """A host array for quick copies."""
    return numpy.empty(shape, dtype, order)


def pagelocked_zeros(shape: Any, dtype: Any, order: Any = "C", mem_flags: int = 0) -> Any:
    """A host array of zeros for quick copies."""
    return numpy.zeros(shape, dtype, order)


def pagelocked_empty_like(array: Any, mem_flags: int = 0) -> Any:
    """A host array like another one for quick copies."""
    return numpy.empty_like(array)


def pagelocked_zeros_like(array: Any, mem_flags: int = 0) -> Any:
    """A host array of zeros like another one for quick copies."""
    return numpy.zeros_like(array)
