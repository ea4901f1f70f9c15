"""PyCUDA's exceptions, and how Lanza's errors become them."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import NoReturn, ParamSpec, TypeVar

import lanza

P = ParamSpec("P")
R = TypeVar("R")


class Error(Exception):
    """Base of what the driver reports."""


class MemoryError(Error):
    """The device's memory does not suffice."""


class LogicError(Error):
    """The driver refuses what it was asked: a bad handle, value or address."""


class LaunchError(Error):
    """A kernel could not be launched, or failed while it ran."""


class RuntimeError(Error):
    """This machine cannot do it: no device, no code for this GPU, no compiler."""


class CompileError(Error):
    """The source was not accepted. `command_line` holds the options, `stderr` the compiler's words."""

    def __init__(self, msg: str, command_line: list[str], stdout: str | None = None, stderr: str | None = None) -> None:
        super().__init__(msg, command_line, stdout, stderr)
        self.msg, self.command_line, self.stdout, self.stderr = msg, command_line, stdout, stderr

    def __str__(self) -> str:
        parts = [self.msg]
        if self.command_line:
            parts.append(f"[command: {' '.join(self.command_line)}]")
        if self.stdout:
            parts.append(f"[stdout:\n{self.stdout}]")
        if self.stderr:
            parts.append(f"[stderr:\n{self.stderr}]")
        return "\n".join(parts)


for _class in (Error, MemoryError, LogicError, LaunchError, RuntimeError, CompileError):
    _class.__module__ = "pycuda._driver"

_BY_CODE: dict[str, type[Error]] = {
    "CUDA_ERROR_LAUNCH_FAILED": LaunchError,
    "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES": LaunchError,
    "CUDA_ERROR_LAUNCH_TIMEOUT": LaunchError,
    "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING": LaunchError,
    "CUDA_ERROR_OUT_OF_MEMORY": MemoryError,
    "CUDA_ERROR_NO_DEVICE": RuntimeError,
    "CUDA_ERROR_NO_BINARY_FOR_GPU": RuntimeError,
    "CUDA_ERROR_FILE_NOT_FOUND": RuntimeError,
    "CUDA_ERROR_NOT_READY": RuntimeError,
    "CUDA_ERROR_ECC_UNCORRECTABLE": RuntimeError,
    "CUDA_ERROR_UNKNOWN": Error,
}


def raise_as_pycuda(error: lanza.Error, routine: str) -> NoReturn:
    """Raises PyCUDA's exception for one of Lanza's, in the form "<routine> failed: <what happened>"."""
    kind: type[builtins.Exception]
    if isinstance(error, lanza.ArgumentTypeError):
        raise TypeError(str(error)) from error
    if isinstance(error, lanza.CompileError):
        raise CompileError("compilation failed: " + str(error), error.options.split(), stderr=error.log) from error
    if isinstance(error, lanza.OutOfMemory):
        kind = MemoryError
    elif isinstance(error, lanza.LaunchError):
        kind = LaunchError
    elif isinstance(error, lanza.Unavailable):
        kind = RuntimeError
    elif isinstance(error, lanza.DriverError):
        routine = error.routine or routine
        kind = _BY_CODE.get(error.code_name, LogicError)
    else:
        kind = LogicError
    raise kind(f"{routine} failed: {error}") from error


def translated(routine: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorates a function so that Lanza's errors leave it as PyCUDA's, blamed on that driver routine."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return function(*args, **kwargs)
            except lanza.Error as error:
                raise_as_pycuda(error, routine)

        return call

    return decorate
