"""Lanza compiles CUDA C++ source at run time and launches it on an NVIDIA GPU or on the CPU.

    import lanza, numpy as np

    module = lanza.compile(source)             # on the default device: the first GPU, else the CPU
    module.multiplicar(lanza.out(dest), lanza.in_(a), lanza.in_(b), grid=1, block=400)

Importing the package touches no driver and no compiler: each is loaded at its first use.
"""

from . import compat, cuda
from ._lanza import (
    ArgumentTypeError,
    Buffer,
    CompileError,
    Context,
    Device,
    DriverError,
    Error,
    Event,
    InvalidArgument,
    Kernel,
    LaunchError,
    Module,
    NotFound,
    OutOfMemory,
    Parameter,
    Signature,
    Stream,
    Unavailable,
    __version__,
    compile,
    copy,
    default_device,
    devices,
    in_,
    inout,
    load,
    out,
    to_device,
)

__all__ = [
    "ArgumentTypeError",
    "Buffer",
    "CompileError",
    "Context",
    "Device",
    "DriverError",
    "Error",
    "Event",
    "InvalidArgument",
    "Kernel",
    "LaunchError",
    "Module",
    "NotFound",
    "OutOfMemory",
    "Parameter",
    "Signature",
    "Stream",
    "Unavailable",
    "__version__",
    "compat",
    "compile",
    "copy",
    "cuda",
    "default_device",
    "devices",
    "in_",
    "inout",
    "load",
    "out",
    "to_device",
]
