"""Modules and functions, with PyCUDA's ways of calling a kernel."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy

import lanza

from . import _enums
from ._context import Context
from ._errors import LogicError, raise_as_pycuda, translated
from ._handlers import ArgumentHandler
from ._memory import DeviceAllocation
from ._stream import Event, Stream, stream_of

Block = tuple[int, int, int]
Grid = tuple[int, ...]

# numpy.dtype does not know two of struct's codes.
_STRUCT_CODES = {"n": "intp", "N": "uintp"}


class Module:
    """A compiled source, loaded."""

    def __init__(self, module: lanza.Module) -> None:
        self._module = module

    def get_function(self, name: str) -> Function:
        """The kernel of that name."""
        try:
            return Function(self._module.kernel(name))
        except lanza.NotFound as error:
            raise LogicError(f"cuModuleGetFunction failed: named symbol not found - {error}") from error

    def get_global(self, name: str) -> tuple[int, int]:
        """(address, size in bytes) of a __device__ or __constant__ variable."""
        try:
            variable = self._module.variable(name)
        except lanza.NotFound as error:
            raise LogicError(f"cuModuleGetGlobal failed: named symbol not found - {error}") from error
        return variable.ptr, variable.nbytes


class Function:
    """A kernel. It keeps its module alive."""

    def __init__(self, kernel: lanza.Kernel) -> None:
        self._kernel = kernel._by_size()
        self._parameters: Sequence[lanza.Parameter] = kernel.signature.parameters if kernel.signature.known else ()
        self._prepared: list[Callable[[Any], Any]] | None = None

    # ---- calls ----

    def __call__(
        self,
        *args: Any,
        block: Block | None = None,
        grid: Grid = (1, 1),
        stream: Stream | None = None,
        shared: int = 0,
        texrefs: Sequence[object] = (),
        time_kernel: bool = False,
        **rest: object,
    ) -> float | None:
        """Launches it, with copies for In, Out and InOut around it. Returns seconds with time_kernel=True."""
        if block is None:
            raise ValueError("must specify block size")
        if rest:
            raise ValueError("extra keyword arguments: " + ",".join(rest))
        if texrefs:
            raise LogicError("texture references are no part of CUDA any more")
        if time_kernel and stream is not None:
            raise LogicError("time_kernel works on the default stream only")
        arguments, handlers = self._convert(args)
        try:
            for handler in handlers:
                handler.pre_call(stream)
            start = time.perf_counter()
            self._kernel(*arguments, block=_block(block), grid=grid, shared=shared, stream=stream_of(stream))
            writers = [handler for handler in handlers if hasattr(handler, "post_call")]
            if stream is None and (writers or time_kernel):
                Context.synchronize()
            seconds = time.perf_counter() - start
            for writer in writers:
                writer.post_call(stream)
        except lanza.Error as error:
            raise_as_pycuda(error, "cuLaunchKernel")
        return seconds if time_kernel else None

    def prepare(self, arg_types: Any, texrefs: Sequence[object] = ()) -> Function:
        """Fixes the arguments' types for prepared_call(): a format string, or a code, dtype or NumPy type each."""
        self._prepared = [_converter(t) for t in arg_types]
        return self

    def prepared_call(self, grid: Grid, block: Block, *args: Any, shared_size: int = 0) -> None:
        """Launches it with arguments of the prepared types."""
        self.prepared_async_call(grid, block, None, *args, shared_size=shared_size)

    def prepared_async_call(
        self, grid: Grid, block: Block, stream: Stream | None, *args: Any, shared_size: int = 0
    ) -> None:
        """The same on a stream."""
        if self._prepared is None:
            raise LogicError("prepare() must be called before prepared_call()")
        if len(args) != len(self._prepared):
            raise TypeError(f"{self._kernel.name}: prepared for {len(self._prepared)} arguments, got {len(args)}")
        values = [convert(a) for convert, a in zip(self._prepared, args, strict=True)]
        values = [self._scalar(i, v) if isinstance(v, numpy.number) else v for i, v in enumerate(values)]
        try:
            self._kernel(*values, block=_block(block), grid=grid, shared=shared_size, stream=stream_of(stream))
        except lanza.Error as error:
            raise_as_pycuda(error, "cuLaunchKernel")

    def prepared_timed_call(self, grid: Grid, block: Block, *args: Any, shared_size: int = 0) -> Callable[[], float]:
        """Launches it; the result, when called, waits and tells the seconds."""
        start, end = Event(), Event()
        start.record()
        self.prepared_call(grid, block, *args, shared_size=shared_size)
        end.record()

        def seconds() -> float:
            end.synchronize()
            return end.time_since(start) * 1e-3

        return seconds

    # ---- arguments ----

    def _convert(self, args: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """What Lanza takes for PyCUDA's arguments, and the handlers among them."""
        values: list[Any] = []
        handlers = []
        for i, arg in enumerate(args):
            if isinstance(arg, numpy.number):
                values.append(self._scalar(i, arg))
            elif isinstance(arg, DeviceAllocation):
                values.append(arg._live())
            elif isinstance(arg, ArgumentHandler):
                handlers.append(arg)
                values.append(arg.get_device_alloc()._live())
                self._check_element(i, arg.array)
            elif isinstance(arg, (numpy.ndarray, numpy.void)) and self._is_by_value(i):
                values.append(arg.tobytes())
            elif isinstance(arg, numpy.ndarray):
                raise TypeError(f"invalid type on parameter #{i} (0-based): wrap the array in In, Out or InOut")
            elif getattr(arg, "__cuda_array_interface__", None):
                values.append(arg)
            elif hasattr(arg, "gpudata"):
                values.append(_pointer(arg.gpudata))
            else:
                raise TypeError(f"invalid type on parameter #{i} (0-based)")
        return values, handlers

    def _parameter(self, i: int) -> lanza.Parameter | None:
        return self._parameters[i] if i < len(self._parameters) else None

    def _is_by_value(self, i: int) -> bool:
        parameter = self._parameter(i)
        return parameter is not None and parameter.kind in ("record", "unknown")

    def _scalar(self, i: int, value: Any) -> Any:
        """A number as the parameter's type: bit by bit where sizes agree, as in PyCUDA; else Lanza converts it."""
        parameter = self._parameter(i)
        if parameter is None or parameter.kind != "scalar" or value.dtype == parameter.dtype:
            return value
        return value.view(parameter.dtype) if value.dtype.itemsize == parameter.size else value

    def _check_element(self, i: int, array: Any) -> None:
        """An array whose items are of another size than the parameter's is surely a mistake."""
        parameter = self._parameter(i)
        itemsize = getattr(array, "itemsize", None)
        if parameter is None or parameter.kind != "pointer" or parameter.element_size in (0, 1) or itemsize is None:
            return
        if itemsize != parameter.element_size:
            name = f" ({parameter.name})" if parameter.name else ""
            raise TypeError(
                f"{self._kernel.name}: argument {i + 1}{name}: expected {parameter.type}, whose items have"
                f" {parameter.element_size} bytes, got {array.dtype} array {array.shape}, whose items have {itemsize};"
                f" convert with .astype(numpy.{parameter.dtype})"
            )

    # ---- attributes ----

    @translated("cuFuncGetAttribute")
    def get_attribute(self, attribute: int) -> int:
        """A member of `function_attribute`."""
        name = _enums.function_attribute(attribute).name
        value = self._kernel.attributes.get(name.lower())
        if value is None:
            raise LogicError(f"cuFuncGetAttribute failed: {name} is not known on this device")
        return value

    def __getattr__(self, name: str) -> int:
        attribute = getattr(_enums.function_attribute, name.upper(), None)
        if attribute is None or name.startswith("_"):
            raise AttributeError(f"Function has no attribute {name!r}")
        return self.get_attribute(attribute)

    def set_cache_config(self, config: int) -> None:
        """A wish that devices of today decide on themselves."""
        _enums.func_cache(config)


for _class in (Module, Function):
    _class.__module__ = "pycuda._driver"


def _block(block: Block) -> Block:
    if not isinstance(block, tuple) or len(block) != 3:
        raise TypeError(f"block must be a tuple of exactly three ints, got {block!r}")
    return block


def _pointer(value: Any) -> Any:
    """An address, however it is given, as an argument."""
    if value is None:
        return None
    return value._live() if isinstance(value, DeviceAllocation) else numpy.uintp(value.__index__())


def _converter(arg_type: Any) -> Callable[[Any], Any]:
    """What makes an argument from a value, for one of prepare()'s types."""
    if isinstance(arg_type, str) and arg_type != "P":
        return numpy.dtype(_STRUCT_CODES.get(arg_type, arg_type)).type
    if isinstance(arg_type, type) and issubclass(arg_type, numpy.number):
        return arg_type
    if isinstance(arg_type, numpy.dtype):
        return arg_type.type if arg_type.kind != "V" else lambda value: numpy.asarray(value, arg_type).tobytes()
    return _pointer
