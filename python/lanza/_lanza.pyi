"""The extension module of the package lanza; use the package."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, SupportsIndex, TypeAlias, final

from numpy import dtype as _dtype
from numpy.typing import DTypeLike, NDArray
from typing_extensions import CapsuleType, Self

__version__: Final[str]

#: A host array (buffer protocol, DLPack), a device array (DLPack, __cuda_array_interface__) or a Buffer.
_Array: TypeAlias = Any
#: An int, or a tuple of one to three.
_Extents: TypeAlias = SupportsIndex | Sequence[SupportsIndex]

class Error(Exception):
    """Base of every exception that Lanza raises."""

class InvalidArgument(Error, ValueError):
    """A value that cannot be used: a block over the limit, arrays of different sizes, a malformed option."""

class ArgumentTypeError(InvalidArgument, TypeError):
    """A kernel argument whose type does not fit its parameter."""

class NotFound(Error, AttributeError, LookupError):
    """A kernel, variable or device of that name does not exist."""

class OutOfMemory(Error, MemoryError):
    """The device's memory does not suffice, after the pool gave back what it held."""

class Unavailable(Error, RuntimeError):
    """Something that this machine lacks: no driver, no NVRTC, no compiler plug-in."""

class CompileError(Error, RuntimeError):
    """The source was not accepted, or the compiler failed."""

    file: str
    line: int
    column: int
    log: str
    options: str

class LaunchError(Error, RuntimeError):
    """A kernel that could not be launched, or that failed while it ran."""

    kernel: str

class DriverError(Error, RuntimeError):
    """A routine of a driver or library failed."""

    routine: str
    code: int
    code_name: str

class Device:
    """
    A device that runs kernels, as a value: its kind and index.

    Device("cuda"), Device("cuda:1"), Device("cpu"). Raises InvalidArgument for another name or an index that does not
    exist, Unavailable when there is no CUDA device. `with device:` makes it current for the thread.
    """

    def __init__(self, name: str) -> None: ...
    @property
    def kind(self) -> Literal["cuda", "cpu"]:
        """ "cuda" or "cpu"."""

    @property
    def index(self) -> int:
        """Number among the devices of its kind, from 0."""

    @property
    def name(self) -> str:
        """Name of the product: "NVIDIA H200"."""

    @property
    def attributes(self) -> dict[str, int]:
        """
        Limits and properties by the lower-case names of CUdevice_attribute: "max_threads_per_block", "warp_size", ...
        """

    @property
    def compute_capability(self) -> tuple[int, int]:
        """
        (major, minor). The CPU answers with the level of CUDA that its kernels see.
        """

    def memory_info(self) -> tuple[int, int]:
        """(free, total) memory in bytes."""

    def synchronize(self) -> None:
        """
        Waits for all work in the device's current context; raises LaunchError for what failed in it.
        """

    def create_context(self) -> Context:
        """
        A context of its own. By default Lanza works in the primary context, which other libraries share.
        """

    @property
    def primary_context(self) -> Context:
        """The context that other libraries in the process share."""

    def __str__(self) -> str: ...
    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __enter__(self) -> Self:
        """Makes it current for this thread."""

    def __exit__(self, *args: object) -> None:
        """Restores what was current before."""

class Context:
    """
    What owns the memory, modules, streams and events of a device.

    Made by Device.create_context(). It is released after the last object made in it. `with context:` makes it current for
    the thread.
    """

    @property
    def device(self) -> Device:
        """The device it belongs to."""

    @property
    def handle(self) -> int:
        """CUcontext as an integer; for the CPU an address that identifies it."""

    def synchronize(self) -> None:
        """
        Waits for all work of all its streams; raises LaunchError for what failed.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...
    def __enter__(self) -> Self:
        """Makes it current for this thread."""

    def __exit__(self, *args: object) -> None:
        """Restores what was current before."""

def devices() -> list[Device]:
    """Every device that works: the CUDA devices, then the CPU."""

def default_device() -> Device:
    """
    The first CUDA device that works, else the CPU. LANZA_DEVICE ("cpu", "cuda:1") overrides it.
    """

def _cuda_device_count() -> int: ...
def _current_context() -> Context:
    """The thread's current context, else that of the default device."""

class Event:
    """
    A mark in a stream, to wait for and to measure time between.

    device: default the thread's current one. timing=False is cheaper, but time_since() raises.
    """

    def __init__(self, device: Device | str | None = None, *, timing: bool = True) -> None: ...
    def record(self, stream: Stream | None = None) -> Event:
        """
        Marks the work that the stream (default: the current one) holds now; returns the event.
        """

    def synchronize(self) -> None:
        """
        Waits until the marked work is done; at once when nothing was recorded.
        """

    def query(self) -> bool:
        """Whether the marked work is done, or nothing was recorded."""

    def time_since(self, start: Event) -> float:
        """
        Milliseconds on the device from `start` to this event. Waits for neither: synchronise first.
        """

    @property
    def device(self) -> Device:
        """The device it belongs to."""

    @property
    def handle(self) -> int:
        """CUevent as an integer; for the CPU an address that identifies it."""

    def __repr__(self) -> str: ...

class Stream:
    """
    A queue of work that a device does in order.

    device: default the thread's current one. priority: lower numbers go first. non_blocking: not ordered with the legacy
    default stream of other libraries. `with stream:` makes it current for the thread.
    """

    def __init__(
        self, device: Device | str | None = None, *, priority: int = 0, non_blocking: bool = False
    ) -> None: ...
    @staticmethod
    def from_handle(handle: int, device: Device | str) -> Stream:
        """
        A stream that another library made (a CUstream as an integer) and goes on owning: it must outlive every use.
        """

    def synchronize(self) -> None:
        """
        Waits for all work; raises LaunchError, naming the kernel, when some of it failed.
        """

    def query(self) -> bool:
        """Whether all work is done."""

    def wait(self, event: Event) -> None:
        """Work enqueued from now on waits for the event."""

    def record(self, event: Event | None = None) -> Event:
        """
        Marks the work that the stream holds now, with the event given or a new one; returns it.
        """

    @property
    def device(self) -> Device:
        """The device it belongs to."""

    @property
    def handle(self) -> int:
        """CUstream as an integer; for the CPU an address that identifies it."""

    def __cuda_stream__(self) -> tuple[int, int]:
        """(version, handle), as cuda.core asks for it."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...
    def __enter__(self) -> Self:
        """Makes it current for this thread."""

    def __exit__(self, *args: object) -> None:
        """Restores what was current before."""

class Parameter:
    """One parameter of a kernel."""

    @property
    def name(self) -> str:
        """ "" where it is not known: mangled symbols carry no names."""

    @property
    def type(self) -> str:
        """As CUDA C++ spells it: "const float*", "int"."""

    @property
    def kind(self) -> Literal["pointer", "scalar", "record", "unknown"]:
        """
        "pointer" takes arrays and buffers, "scalar" numbers, "record" structs by value; "unknown": only its size is.
        """

    @property
    def dtype(self) -> str:
        """
        NumPy's name of the type of the value, or of what the pointer points to; "void": anything goes.
        """

    @property
    def read_only(self) -> bool:
        """A pointer to const: the kernel only reads."""

    @property
    def element_size(self) -> int:
        """Bytes of the value, or of what the pointer points to (0: unknown)."""

    @property
    def offset(self) -> int:
        """Bytes from the start of the packed arguments."""

    @property
    def size(self) -> int:
        """Bytes in the packed arguments."""

    def __str__(self) -> str: ...
    def __repr__(self) -> str: ...

class Signature:
    """
    A kernel's parameter list, known before its first launch. str() is its declaration.
    """

    @property
    def parameters(self) -> list[Parameter]:
        """In order."""

    @property
    def nbytes(self) -> int:
        """Size of the packed arguments."""

    @property
    def known(self) -> bool:
        """False when nothing is known and arguments are taken as they come."""

    def __len__(self) -> int: ...
    def __getitem__(self, arg: int, /) -> Parameter: ...
    def __str__(self) -> str: ...
    def __repr__(self) -> str: ...

@final
class _Wrapped:
    """A host array as a kernel's argument: made by in_, out and inout."""

    @property
    def array(self) -> Any:
        """The array that it wraps."""

def in_(array: _Array, /) -> _Wrapped:
    """An array that the kernel reads: copied to the device before it runs, never back."""

def out(array: _Array, /) -> _Wrapped:
    """An array that the kernel writes as a whole: copied from the device after it ran, never to it.
    Elements that the kernel does not write have no defined value afterwards.
    """

def inout(array: _Array, /) -> _Wrapped:
    """An array that the kernel reads and writes: copied both ways."""

@final
class Buffer:
    """
    `size` elements of memory of a device; the contents are not initialised.

    dtype: a name ("float32"), a numpy.dtype or what makes one, also structured; "void" is memory without a type, which fits
    every pointer parameter. device: default the thread's current one. A size of 0 is legal, and a null pointer. Slices and
    views are the same memory, which is given back, in stream order, when the last of them goes. On the CPU numpy.asarray()
    sees the memory itself. Raises OutOfMemory.
    """

    def __init__(self, size: int, dtype: DTypeLike = "uint8", *, device: Device | str | None = None) -> None: ...
    @property
    def size(self) -> int:
        """Number of elements."""

    @property
    def nbytes(self) -> int:
        """Number of bytes."""

    @property
    def dtype(self) -> _dtype[Any]:
        """Type of an element, as a numpy.dtype."""

    @property
    def device(self) -> Device:
        """Where the memory is."""

    @property
    def ptr(self) -> int:
        """Address on the device; 0 when there are no elements."""

    def numpy(self) -> NDArray[Any]:
        """
        The contents in a new array, after waiting for the current stream. A copy on the CPU too.
        """

    def fill(self, value: Any) -> None:
        """Sets every element; enqueued on the current stream, not waited for."""

    def view(self, dtype: DTypeLike) -> Buffer:
        """
        The same memory as elements of another type. Raises InvalidArgument when the size is no multiple of theirs.
        """

    def __getitem__(self, part: slice, /) -> Buffer:
        """Elements [a:b], the same memory."""

    def __len__(self) -> int: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """
        For other libraries on CUDA, without a copy; memory of the CPU has none.
        """

    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __dlpack__(self, *, stream: int | None = None, **rest: Any) -> CapsuleType:
        """
        For other libraries, without a copy: numpy.from_dlpack(), torch.from_dlpack().
        """

    def __repr__(self) -> str: ...

def to_device(array: _Array, device: Device | str | None = None, stream: Stream | None = None) -> Buffer:
    """
    A Buffer with a copy of a contiguous array: NumPy's or anything with the buffer protocol, DLPack or
    __cuda_array_interface__. device: default that of the stream, else the thread's current one.
    """

def copy(dst: _Array, src: _Array, *, stream: Stream | None = None, wait: bool = True) -> None:
    """
    Copies between host arrays and Buffers, in any direction; sizes in bytes must agree. With wait=False both are kept
    alive, and a host destination is valid only, after the stream is synchronised.
    """

def _memory(address: int, nbytes: int, context: Context, owner: object | None = None) -> Buffer:
    """
    A Buffer over memory that somebody else owns; `owner` is kept alive with it. For the compatibility packages.
    """

@final
class Kernel:
    """
    A function of a module that runs on its device.

    kernel(*args, grid=1, block, shared=0, stream=None, wait=True, cooperative=False, timeout=None) launches it.

    grid, block: an int or a tuple of one to three. shared: bytes of dynamic shared memory. stream: default the thread's
    current one. wait=False returns before host arrays hold their results: the arguments are kept alive, and the caller
    leaves the written arrays alone, until the stream is synchronised. cooperative: all blocks resident at once.
    timeout: seconds after which a kernel is ended with a LaunchError, where the device can (CPU).

    Arguments are checked against the parameters before anything runs: arrays (NumPy's, anything with DLPack or
    __cuda_array_interface__) and Buffers of the exact element type for pointers; a plain host array is read for `const T*`,
    read and written for `T*`; in_, out and inout say otherwise. Integers are converted with a range check, floats to float
    and double. Raises ArgumentTypeError, InvalidArgument, OutOfMemory, LaunchError.
    """

    def __call__(
        self,
        *args: Any,
        grid: _Extents = 1,
        block: _Extents,
        shared: SupportsIndex = 0,
        stream: Stream | None = None,
        wait: bool = True,
        cooperative: bool = False,
        timeout: float | None = None,
    ) -> None:
        """Launches it."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def report(self) -> str:
        """
        How it was compiled (CPU): a line of JSON for each blockDim, with the engine and why, lanes, regions, and the
        milliseconds of each phase. A sentence before the first launch.
        """

    def _by_size(self) -> Kernel:
        """The same kernel, checking pointers by item size alone. For the compatibility packages."""

    @property
    def name(self) -> str:
        """As the user calls it: "axpy<float>"."""

    @property
    def signature(self) -> Signature:
        """The parameter list; str() of it is the declaration."""

    @property
    def attributes(self) -> dict[str, int]:
        """By the lower-case names of CUfunction_attribute: "num_regs", "shared_size_bytes", ..."""

    @property
    def module(self) -> Module:
        """The module that it is a part of."""

    @property
    def handle(self) -> int:
        """CUfunction as an integer."""

@final
class Module:
    """
    A compiled source, loaded on a device. Its kernels are its attributes: module.multiplicar.

    Members win over kernels of the same name; module["name"] always reaches the kernel, also "axpy<float>". A name
    expression that was not named when compiling is compiled then, and cached like the rest. dir(module) lists the kernels.
    """

    def __getattr__(self, name: str) -> Kernel:
        """The kernel of that name."""

    def kernel(self, name: str) -> Kernel:
        """
        The kernel of that name: "multiplicar", "axpy<float>". Raises NotFound and lists the kernels.
        """

    def __getitem__(self, name: str, /) -> Kernel: ...
    def __dir__(self) -> list[str]: ...
    def variable(self, name: str) -> Buffer:
        """
        A __device__ or __constant__ variable as memory without a type (see Buffer.view), which keeps the module alive.
        """

    @property
    def kernels(self) -> list[str]:
        """The names of all kernels."""

    def image(self, kind: str) -> bytes:
        """
        The code in a form of the device's: "cubin", "ptx", "bitcode", "llvm", ... Raises NotFound and lists them.
        """

    @property
    def log(self) -> str:
        """The compiler's warnings."""

    @property
    def cached(self) -> bool:
        """Whether nothing had to be compiled: all came from the disk cache."""

    @property
    def compile_seconds(self) -> float:
        """Seconds spent in the compiler, or in finding its results in the cache."""

    @property
    def compiler(self) -> str:
        """ "NVRTC 13.0", "clang 19.1.7"."""

    @property
    def filename(self) -> str:
        """As messages name the source."""

    @property
    def device(self) -> Device:
        """Where it is loaded."""

    @property
    def handle(self) -> int:
        """CUmodule as an integer."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

def compile(
    source: str,
    *,
    filename: str | os.PathLike[str] = "kernel.cu",
    device: Device | str | None = None,
    names: Sequence[str] = (),
    options: Sequence[str] = (),
    include_dirs: Sequence[str | os.PathLike[str]] = (),
    headers: Mapping[str, str] = {},
    cache: bool = True,
) -> Module:
    """
    Compiles CUDA C++ for a device and loads it in the device's current context.

    filename: how messages name the source. device: default the thread's current one. names: name expressions to instantiate,
    ["axpy<float>"]. options: NVRTC's spelling, ["-DN=4", "-std=c++20", "--use_fast_math"]. include_dirs: searched by #include.
    headers: text by the name that #include uses. cache: keep the result in, and take it from, the disk cache.
    Raises CompileError (file, line, column, log), Unavailable when there is no compiler. Ctrl-C is answered at once; the
    compiler then ends its work in the background.
    """

def load(
    path: str | os.PathLike[str],
    *,
    filename: str | os.PathLike[str] | None = None,
    device: Device | str | None = None,
    names: Sequence[str] = (),
    options: Sequence[str] = (),
    include_dirs: Sequence[str | os.PathLike[str]] = (),
    headers: Mapping[str, str] = {},
    cache: bool = True,
) -> Module:
    """
    Compiles a file; its path names the source, and its directory is searched for #include "...". The rest as compile().
    Raises also NotFound.
    """

def _command_line(arguments: Sequence[str], run: Callable[..., object]) -> int:
    """
    The command with these arguments; `run` runs a Python program. Returns the exit status.
    """
