"""Conformance cases: one small kernel each, run by every engine with blocks of many shapes, against values computed here.

    @case
    def thread_number(run):
        \"\"\"Threads count x fastest, then y, then z.\"\"\"
        out = np.zeros(run.threads, np.int32)
        run("__global__ void k(int* out) { ... }", out)
        run.same(out, np.arange(run.threads))

A case is a function of a Run, in a file test_<part>.py; its name and the first line of its docstring stand in
docs/conformance.md. The function is called once a block shape; the sources that it gives are compiled once an engine.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import engines
import numpy as np
import nvrtc
import pytest
from engines import Engine, Ran, what_ran
from numpy.typing import NDArray

import lanza

Shape = tuple[int, int, int]
Array = NDArray[Any]

# One-dimensional blocks around the sizes of warps, and others whose rows are shorter than a warp.
BLOCKS: tuple[Shape, ...] = (
    *((n, 1, 1) for n in (1, 31, 32, 33, 64, 100, 256, 1000, 1024)),
    (7, 5, 1),
    (16, 16, 1),
    (31, 3, 1),
    (1, 1, 40),
    (4, 4, 4),
    (3, 5, 7),
    (8, 8, 16),
)
SECONDS = 60.0  # a kernel of the CPU that runs longer hangs


class NotCounted(Exception):
    """The engine did not run the kernel itself: nothing is said about it."""


@dataclass(frozen=True)
class Thread:
    """The threads of a block in linear order, x fastest."""

    x: NDArray[np.int64]
    y: NDArray[np.int64]
    z: NDArray[np.int64]


class Run:
    """A case while one engine runs it: the block's shape, the launch, the comparisons."""

    def __init__(self, engine: Engine, options: Sequence[str] = ()):
        self.engine = engine.name
        self.block: Shape = BLOCKS[0]
        self.ran: list[Ran] = []  # the launches of this block shape
        self._engine = engine
        self._options = tuple(options)
        self._modules: dict[Any, lanza.Module] = {}

    # The block.

    @property
    def threads(self) -> int:
        """Number of threads of a block."""
        return int(np.prod(self.block))

    @property
    def thread(self) -> Thread:
        """threadIdx of each thread, in linear order."""
        n, (x, y, _) = np.arange(self.threads), self.block
        return Thread(n % x, n // x % y, n // (x * y))

    @property
    def lane(self) -> NDArray[np.int64]:
        """Lane of each thread, in linear order."""
        return np.arange(self.threads) % 32

    @property
    def warp(self) -> NDArray[np.int64]:
        """Warp of each thread, in linear order."""
        return np.arange(self.threads) // 32

    def of(self, function: Callable[[int], Any]) -> Array:
        """What the function says of each thread, in linear order."""
        return np.array([function(t) for t in range(self.threads)])

    @property
    def device(self) -> lanza.Device:
        """The device that runs the kernels."""
        return lanza.Device(self._engine.device)

    @property
    def on_gpu(self) -> bool:
        """Whether the case is run, or compiled, for a GPU."""
        return self._engine.device != "cpu"

    # Compile and launch.

    def module(
        self, source: str, *, options: Sequence[str] = (), names: Sequence[str] = (), fresh: bool = False, **more: Any
    ) -> lanza.Module:
        """
        The source compiled, once an engine: variables of the device keep their values from one block shape to the next,
        unless `fresh` loads the module again. Options are the case's and these, after -fmad=false where they do not say
        what is contracted. `more` goes to lanza.compile().
        """
        key = (source, tuple(options), tuple(names), tuple(sorted((k, str(v)) for k, v in more.items())))
        if fresh or key not in self._modules:
            given = (*self._options, *self._engine.options, *options)
            contracts = any(option.lstrip("-").startswith(("fmad", "use_fast_math")) for option in given)
            every = given if contracts else ("-fmad=false", *given)
            with self._engine.active():
                self._modules[key] = lanza.compile(
                    source, device=self.device, options=[*every, *self._toolkit(source)], names=names, **more
                )
        return self._modules[key]

    def __call__(
        self,
        source: str,
        *args: Any,
        grid: Any = 1,
        block: Any = None,
        shared: int = 0,
        kernel: str = "",
        names: Sequence[str] = (),
        options: Sequence[str] = (),
        cooperative: bool = False,
        timeout: float | None = SECONDS,
        fresh: bool = False,
        **more: Any,
    ) -> None:
        """
        Compiles (see module()) and launches `kernel`, by default the source's only one, with the block's shape, and waits.
        Arrays of NumPy are read and written in place, those for `const T*` only read.
        """
        if self._engine.runs_nothing:
            given = (*self._options, *options)
            nvrtc.check(source, [*given, *self._toolkit(source)], names, more.get("headers", {}))
            return
        module = self.module(source, options=options, names=names, fresh=fresh, **more)
        function = module[kernel or (names[0] if names else module.kernels[0])]
        limit, block = timeout if self._engine.device == "cpu" else None, extents(block or self.block)
        try:
            function(*args, grid=grid, block=block, shared=shared, cooperative=cooperative, timeout=limit)
            self.device.synchronize()
        finally:
            ran = what_ran(function, block) if self._engine.device == "cpu" else None
            self.ran += [ran] if ran else []
        # The thread engine's own column says whether that is right. A fall-back to lanes goes on: they are no oracle.
        if ran and ran.engine == "threads" and not self._engine.is_what(ran):
            raise NotCounted(ran.why)

    def on_device(self, values: Array) -> Any:
        """The values in memory of the device; contents() reads them."""
        return values.copy() if self._engine.runs_nothing else lanza.to_device(values, self.device)

    def contents(self, memory: Any) -> Array:
        """What memory of the device holds."""
        self._end_without_device()
        result: Array = memory.numpy()
        return result

    def set(self, source: str, name: str, values: Array) -> None:
        """Writes a variable of the device of this source, which run() launches later."""
        if not self._engine.runs_nothing:
            lanza.copy(self.module(source).variable(name), values)

    def _toolkit(self, source: str) -> list[str]:
        """Where headers are that NVRTC does not bring; the CPU device has its own."""
        if self._engine.device == "cpu" or "#include" not in source:
            return []
        return [f"-I{folder}" for folder in engines.toolkit_includes()]

    @contextmanager
    def printed(self) -> Iterator[list[str]]:
        """Collects the lines that kernels print inside `with`; they are there when it ends."""
        lines: list[str] = []
        with tempfile.TemporaryFile() as file:
            before = os.dup(1)
            os.dup2(file.fileno(), 1)
            try:
                yield lines
            finally:
                os.dup2(before, 1)
                os.close(before)
                file.seek(0)
                lines += file.read().decode(errors="replace").splitlines()
        self._end_without_device()

    # Comparisons.

    def same(self, actual: Array, expected: Any, what: str = "") -> None:
        """
        Bit for bit, after `expected` is converted to the type of `actual` (integers wrap); a NaN equals any other, as CUDA
        does not say which one an operation makes.
        """
        self._end_without_device()
        wanted = converted(expected, actual)
        self._compare(actual, wanted, bits(actual) != bits(wanted), what)

    def close(self, actual: Array, expected: Any, ulps: float | Array = 0, what: str = "") -> None:
        """Floating point within so many units of the last place; infinities and NaNs exactly."""
        self._end_without_device()
        wanted = converted(expected, actual)
        self._compare(actual, wanted, distance(actual, wanted) > ulps, what or f"within {ulps} ULP")

    def _end_without_device(self) -> None:
        if self._engine.runs_nothing:
            raise NotCounted("compiled only")

    def _compare(self, actual: Array, expected: Array, differs: Array, what: str) -> None:
        wrong = np.flatnonzero(differs)
        if not wrong.size:
            return
        lines = [f"{what + ': ' if what else ''}{wrong.size} of {actual.size} values differ"]
        for i in wrong[:4]:
            a, e = actual.reshape(-1)[i], expected.reshape(-1)[i]
            lines.append(f"  [{i}]{self._thread_name(i, actual.size)}: got {a!r}, expected {e!r}")
        raise AssertionError("\n".join(lines))

    def _thread_name(self, i: int, size: int) -> str:
        if size != self.threads:
            return ""
        x, y, _ = self.block
        return f" thread ({i % x}, {i // x % y}, {i // (x * y)})"


def converted(expected: Any, like: Array) -> Array:
    """`expected` with the shape and type of `like`; integers of any size wrap."""
    values = np.asarray(expected)
    if values.dtype == object:
        mask = (1 << 8 * like.dtype.itemsize) - 1
        unsigned = np.dtype(f"u{like.dtype.itemsize}")
        values = np.array([int(v) & mask for v in values.reshape(-1)], unsigned).reshape(values.shape).view(like.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.ascontiguousarray(np.broadcast_to(values.astype(like.dtype), like.shape))


def bits(values: Array) -> Array:
    """The values as unsigned integers, every NaN the same; structures as their bytes, one row a value."""
    values = np.ascontiguousarray(values)
    if values.dtype.kind not in "biuf":
        return values.reshape(-1).view(np.dtype((np.void, values.dtype.itemsize)))
    result: Array = values.view(f"u{values.dtype.itemsize}").reshape(-1)
    if values.dtype.kind == "f":
        result = np.where(np.isnan(values).reshape(-1), np.iinfo(result.dtype).max, result)
    return result


def distance(actual: Array, expected: Array) -> Array:
    """Units of the last place between floating-point values: steps on the line of all of them."""
    size = actual.dtype.itemsize

    def step(values: Array) -> Array:
        # Magnitudes count up from zero; negative ones count down. Python's integers cannot overflow.
        magnitude: Array = values.view(f"u{size}").reshape(-1) & np.array((1 << 8 * size - 1) - 1, f"u{size}")
        signs: Array = np.where(np.signbit(values).reshape(-1), -1, 1)
        steps: Array = signs * magnitude.astype(object)
        return steps

    steps = np.abs(step(np.ascontiguousarray(actual)) - step(expected)).astype(float)
    special: Array = ~(np.isfinite(actual) & np.isfinite(expected)).reshape(-1)
    equal = bits(actual) == bits(expected)
    return np.where(special, np.where(equal, 0.0, np.inf), steps)


@dataclass
class Case:
    """One case, as the decorator `case` makes it."""

    function: Callable[..., None]
    blocks: Sequence[Shape]
    options: Sequence[str] = ()
    values: Mapping[str, Any] | None = None
    cpu_only: str = ""
    shape: Shape = (1, 1, 1)  # that runs, or failed
    ran: list[tuple[Shape, list[Ran]]] = field(default_factory=list)  # the launches of each block shape

    @property
    def title(self) -> str:
        return (self.function.__doc__ or "").strip().partition("\n")[0]

    def check(self, engine: Engine, value: Any = None, sample: Random | None = None) -> None:
        """Runs every block shape; with `sample`, those that it draws for an engine that need not run all."""
        if self.cpu_only and engine.device != "cpu":
            pytest.skip(f"CPU only: {self.cpu_only}")
        run = Run(engine, self.options)
        arguments = () if self.values is None else (value,)
        drawn = sample and 0 < engine.sample < len(self.blocks)
        shapes = sample.sample(list(self.blocks), engine.sample) if sample and drawn else self.blocks
        others: list[str] = []  # why other engines ran
        self.ran = []
        for shape in shapes:
            self.shape = run.block = shape
            run.ran = []
            self.ran.append((shape, run.ran))
            try:
                self.function(run, *arguments)
            except NotCounted as why:
                if engine.runs_nothing:
                    raise
                others.append(str(why))
            except AssertionError as error:
                if engine.runs_nothing and not isinstance(error, nvrtc.Refused):
                    raise NotCounted("compiled only") from error
                raise
            else:
                others += [ran.why for ran in run.ran if not engine.is_what(ran)][:1]
        if len(others) == len(shapes):
            raise NotCounted(others[0])


def kernel(parameters: str, body: str, before: str = "") -> str:
    """Source of a kernel `k`, in which `t` is the thread's number in the block and `n` that of all threads of the block."""
    return f"""{before}
__global__ void __launch_bounds__(1024) k({parameters}) {{
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int n = blockDim.x * blockDim.y * blockDim.z;
  {body}
}}
"""


def extents(shape: int | Sequence[int]) -> Shape:
    """A block's shape with its three extents."""
    x, y, z, *_ = (*((shape,) if isinstance(shape, int) else shape), 1, 1)
    return (x, y, z)


def case(
    function: Callable[..., None] | None = None,
    *,
    blocks: Sequence[int | Sequence[int]] = BLOCKS,
    options: Sequence[str] = (),
    each: Mapping[str, Any] | Sequence[str] | None = None,
    cpu_only: bool = False,
    reason: str = "",
) -> Any:
    """
    Makes a case of a function of a Run. blocks: the shapes, where not all are possible. options: compile options of all its
    sources. each: one case a name, the function takes its value (the name itself, of a sequence) as second argument.
    cpu_only: a GPU cannot do it, with the reason.
    """
    if cpu_only and not reason:
        raise ValueError("cpu_only needs its reason")
    values = each if each is None or isinstance(each, Mapping) else {name: name for name in each}

    def make(f: Callable[..., None]) -> Case:
        return Case(f, [extents(b) for b in blocks], options, values, reason if cpu_only else "")

    return make(function) if function else make
