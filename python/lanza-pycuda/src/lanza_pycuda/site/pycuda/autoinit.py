"""Importing this makes a context on the default device current; it is given up when the program ends."""

import atexit

from . import driver
from .tools import clear_context_caches, make_default_context

driver.init()
context = make_default_context()
device = context.get_device()


def _finish() -> None:
    global context
    context.pop()
    context = None  # type: ignore[assignment]
    clear_context_caches()


atexit.register(_finish)
