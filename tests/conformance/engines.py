"""The engines that run the conformance cases, and what this machine has of them."""

from __future__ import annotations

import ctypes
import functools
import os
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import lanza


@dataclass(frozen=True)
class Engine:
    """A device, and the environment under which its modules are made."""

    name: str
    device: str
    environment: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()

    @property
    def runs_nothing(self) -> bool:
        """Compiles only."""
        return not self.device

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


# An engine that falls back to another one for a kernel is not counted there.
ENGINES = (
    Engine("threads", "cpu", {"LANZA_CPU_MODE": "threads"}),
    Engine("lanes", "cpu", {"LANZA_CPU_MODE": "lanes"}),
    Engine("cuda", "cuda"),
)
# Only when asked for: code as the debugger wants it, not simplified; and no engine, but whether NVRTC accepts the sources.
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


@functools.cache
def toolkit_includes() -> tuple[Path, ...]:
    """The CUDA toolkit's include folders: CUDA_HOME, /usr/local/cuda, the wheels of PyPI."""
    site = Path(sysconfig.get_paths()["purelib"]) / "nvidia"
    folders = [Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include", Path("/usr/local/cuda/include")]
    folders += [*site.glob("cu[0-9]*/include"), *site.glob("*/include")]
    for folder in folders:
        if (folder / "cuda_fp16.h").exists():
            cccl = folder / "cccl"
            return (folder, cccl) if cccl.exists() else (folder,)
    return ()
