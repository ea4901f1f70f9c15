"""The engines that run the conformance cases, what this machine has of them, and how to tell which one ran a kernel."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import lanza


@dataclass(frozen=True)
class Ran:
    """What ran a launch on the CPU device, as Kernel.report() says."""

    engine: str  # threads, lanes, vector
    lanes: int  # at once
    why: str  # not by the engine that was asked for
    alone: bool  # neither waits in a loop for other threads nor recurses

    @property
    def vectorised(self) -> bool:
        return self.engine == "vector" and self.lanes > 1


def what_ran(kernel: lanza.Kernel, block: tuple[int, int, int]) -> Ran | None:
    """Who ran the kernel's last launch with that block; None when it was not compiled."""
    reports = [json.loads(line) for line in kernel.report().splitlines() if line.startswith("{")]
    for report in reports:
        if tuple(report.get("block", block)) == block:
            alone = not (report.get("waits") or report.get("recurses"))
            why = report.get("not_vector") or report.get("why", "")
            return Ran(report["engine"], report["lanes"], why, alone)
    return None


@dataclass(frozen=True)
class Engine:
    """A device, and the environment under which its modules are made."""

    name: str
    device: str
    environment: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    sample: int = 0  # of a case's block shapes where not all are asked for; 0: all, always

    @property
    def runs_nothing(self) -> bool:
        """Compiles only."""
        return not self.device

    def is_what(self, ran: Ran) -> bool:
        """It ran the launch itself; another one did where the proof failed."""
        mode, lanes = self.environment.get("LANZA_CPU_MODE", "auto"), self.environment.get("LANZA_CPU_LANES")
        return mode == "auto" or (mode == ran.engine and lanes in (None, str(ran.lanes)))

    @contextmanager
    def active(self) -> Iterator[None]:
        """Its environment, which Lanza reads when a module is made."""
        before = {name: os.environ.get(name) for name in self.environment}
        os.environ.update(self.environment)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def vector_engine(lanes: int) -> Engine:
    return Engine(f"vector{lanes}", "cpu", {"LANZA_CPU_MODE": "vector", "LANZA_CPU_LANES": str(lanes)}, sample=1)


# A case that another engine ran, because a proof failed, is not counted here.
ENGINES = (
    Engine("threads", "cpu", {"LANZA_CPU_MODE": "threads"}),
    Engine("lanes", "cpu", {"LANZA_CPU_MODE": "lanes"}, sample=1),  # compiles for each blockDim, as the next ones do
    Engine("auto", "cpu", {"LANZA_CPU_MODE": "auto", "LANZA_CPU_QUICK_START": "never"}, sample=1),
    Engine("vector", "cpu"),  # stands for one of those below: the commit decides which
    Engine("cuda", "cuda"),
)
VECTOR = tuple(vector_engine(lanes) for lanes in (8, 16, 32))
# Only when asked for: code that first launches begin with (LANZA_CACHE=0: nothing is there before); code that holds arguments; code as the debugger wants it, not
# simplified; and no engine, but whether NVRTC accepts the sources.
QUICK = Engine("quick", "cpu", {"LANZA_CPU_MODE": "auto", "LANZA_CPU_QUICK_START": "always"}, sample=1)
FOLDED = Engine(
    "folded",
    "cpu",
    {"LANZA_CPU_MODE": "auto", "LANZA_CPU_QUICK_START": "never", "LANZA_CPU_FOLD_ARGUMENTS": "always"},
    sample=1,
)
DEBUG = Engine("debug", "cpu", {"LANZA_CPU_MODE": "threads"}, ("-G",))
NVRTC = Engine("nvrtc", "")


@functools.cache
def why_unusable(device: str) -> str:
    """Why the device runs no kernels here, or nothing."""
    if not device:
        return ""
    try:
        module = lanza.compile("__global__ void probe(int* x) { x[0] = 42; }", device=lanza.Device(device))
        x = lanza.Buffer(1, "int32", device=lanza.Device(device))
        module.probe(x, block=1)
        if x.numpy()[0] != 42:
            return "it runs no kernels"
        if device == "cuda":
            _deepen_stacks()
        return ""
    except lanza.Error as error:
        return str(error).partition(";")[0]


def _deepen_stacks() -> None:
    """Recursive kernels need more stack than the 1 KiB a thread that a context starts with."""
    driver = ctypes.CDLL("libcuda.so.1")
    limit_stack_size, context = 0, ctypes.c_void_p()
    answers = [
        driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
        driver.cuCtxPushCurrent_v2(context),
        driver.cuCtxSetLimit(limit_stack_size, ctypes.c_size_t(32 << 10)),
        driver.cuCtxPopCurrent_v2(ctypes.byref(context)),
        driver.cuDevicePrimaryCtxRelease_v2(0),
    ]
    assert answers == [0] * len(answers), f"the driver's answers to the setting of the stack limit: {answers}"


def _wheels() -> Path:
    return Path(sysconfig.get_paths()["purelib"]) / "nvidia"


@functools.cache
def toolkit_includes() -> tuple[Path, ...]:
    """The CUDA toolkit's include folders: CUDA_HOME, /usr/local/cuda, the wheels of PyPI."""
    site = _wheels()
    folders = [Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include", Path("/usr/local/cuda/include")]
    folders += [*site.glob("cu[0-9]*/include"), *site.glob("*/include")]
    for folder in folders:
        if (folder / "cuda_fp16.h").exists():
            cccl = folder / "cccl"
            return (folder, cccl) if cccl.exists() else (folder,)
    return ()


@functools.cache
def cccl_includes() -> tuple[Path, ...]:
    """CCCL's: those of the wheel of PyPI (nvidia-cuda-cccl), else the toolkit's."""
    wheels = [*_wheels().glob("cu[0-9]*/include/cccl"), *_wheels().glob("cuda_cccl/include")]
    return tuple(wheels[:1]) or toolkit_includes()
