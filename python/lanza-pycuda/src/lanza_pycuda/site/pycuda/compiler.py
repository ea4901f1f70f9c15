"""SourceModule: CUDA C++ from a string."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import Any

import lanza

from ._context import current
from ._errors import CompileError, LogicError, raise_as_pycuda
from ._function import Function, Module

#: Options for every compilation that names none of its own.
DEFAULT_NVCC_FLAGS = [flag for flag in os.environ.get("PYCUDA_DEFAULT_NVCC_FLAGS", "").split(" ") if flag]

# Options of nvcc that steer its host compiler, its files or its optimiser mean nothing when compiling at run time.
_IGNORED = ("-O", "-m64", "--machine=64", "-keep", "--keep", "-v", "--verbose", "-arch=native")
_IGNORED_WITH_VALUE = (
    "-Xcompiler",
    "--compiler-options",
    "-ccbin",
    "--compiler-bindir",
    "-Xptxas",
    "--ptxas-options",
    "-Xlinker",
)


def _options(options: Sequence[str] | None) -> list[str]:
    """nvcc's options as Lanza takes them."""
    chosen = []
    words = iter(DEFAULT_NVCC_FLAGS if options is None else options)
    for word in words:
        if word in _IGNORED_WITH_VALUE:
            next(words, None)
        elif not word.startswith(_IGNORED) and not word.startswith(tuple(o + "=" for o in _IGNORED_WITH_VALUE)):
            chosen.append(word)
    return chosen


def _wrapped(source: str, no_extern_c: bool) -> str:
    """The source in extern "C", lines counted as the user does."""
    return source if no_extern_c else f'extern "C" {{\n#line 1 "kernel.cu"\n{source}\n}}\n'


def _compile(
    source: str,
    options: Sequence[str] | None,
    keep: bool,
    no_extern_c: bool,
    arch: str | None,
    code: str | None,
    cache_dir: str | bool | None,
    include_dirs: Sequence[str] | None,
) -> lanza.Module:
    text = _wrapped(source, no_extern_c)
    device = current().device
    chosen = _options(options)
    if device.kind == "cuda" and (code or arch):
        chosen.append(f"--gpu-architecture={code or arch}")
    if keep:
        folder = tempfile.mkdtemp(prefix="pycuda-")
        with open(os.path.join(folder, "kernel.cu"), "w") as file:
            file.write(text)
        print(f"*** compiler output in {folder}")
    cache = cache_dir is not False and not os.environ.get("PYCUDA_DISABLE_CACHE")
    try:
        return lanza.compile(text, device=device, options=chosen, include_dirs=include_dirs or (), cache=cache)
    except lanza.Error as error:
        raise_as_pycuda(error, "cuModuleLoadDataEx")


def compile(
    source: str,
    nvcc: str = "nvcc",
    options: Sequence[str] | None = None,
    keep: bool = False,
    no_extern_c: bool = False,
    arch: str | None = None,
    code: str | None = None,
    cache_dir: str | bool | None = None,
    include_dirs: Sequence[str] | None = None,
    target: str = "cubin",
) -> bytes:
    """The compiled code: "cubin" or "ptx". `nvcc` is not used: the source is compiled in this process."""
    module = _compile(source, options, keep, no_extern_c, arch, code, cache_dir, include_dirs)
    try:
        return module.image(target)
    except lanza.NotFound as error:
        raise LogicError(str(error)) from error


class CudaModule:
    """What has kernels and variables."""

    module: Module

    def get_function(self, name: str) -> Function:
        """The kernel of that name. Raises LogicError, naming it, when there is none."""
        return self.module.get_function(name)

    def get_global(self, name: str) -> tuple[int, int]:
        """(address, size in bytes) of a variable."""
        return self.module.get_global(name)


class SourceModule(CudaModule):
    """Compiles CUDA C++ and loads it in the current context.

    The source is wrapped in extern "C" unless no_extern_c. `nvcc` is not used: the source is compiled in this process.
    """

    def __init__(
        self,
        source: str,
        nvcc: str = "nvcc",
        options: Sequence[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | bool | None = None,
        include_dirs: Sequence[str] | None = None,
    ) -> None:
        self.module = Module(_compile(source, options, keep, no_extern_c, arch, code, cache_dir, include_dirs))


__all__: list[Any] = ["DEFAULT_NVCC_FLAGS", "CompileError", "CudaModule", "SourceModule", "compile"]
