"""The driver interface: devices, contexts, memory, streams, kernels."""

from ._driver import *  # noqa: F403
from ._handlers import ArgumentHandler, In, InOut, Out  # noqa: F401
from ._memory import (  # noqa: F401
    from_device,
    from_device_like,
    mem_alloc_like,
    pagelocked_empty,
    pagelocked_empty_like,
    pagelocked_zeros,
    pagelocked_zeros_like,
    to_device,
)
from .tools import bitlog2  # noqa: F401
