"""Questions about a device and its compiler."""

from __future__ import annotations

import numpy

from ._context import Context
from ._handlers import Out
from .compiler import SourceModule
from .tools import context_dependent_memoize


def platform_bits() -> int:
    """Bits of a pointer of this process."""
    return 8 * numpy.dtype(numpy.intp).itemsize


def has_stack() -> bool:
    """Whether functions may recurse."""
    return Context.get_device().compute_capability() >= (2, 0)


def has_double_support() -> bool:
    """Whether kernels have double precision."""
    return Context.get_device().compute_capability() >= (1, 3)


@context_dependent_memoize
def sizeof(type_name: str, preamble: str = "") -> int:
    """Bytes of a type, as the device's compiler has it: compiles and runs a kernel."""
    module = SourceModule(
        f'{preamble}\nextern "C" __global__ void write_size(size_t *output) {{ *output = sizeof({type_name}); }}',
        no_extern_c=True,
    )
    output = numpy.zeros((), numpy.uintp)
    module.get_function("write_size")(Out(output), block=(1, 1, 1), grid=(1, 1))
    return int(output)
