"""Importing this makes the default device's primary context current: the one that other libraries share."""

import atexit

from . import driver
from .tools import clear_context_caches, make_default_context


def _retain_and_push(device: driver.Device) -> driver.Context:
    context = device.retain_primary_context()
    context.push()
    return context


driver.init()
context = make_default_context(_retain_and_push)
device = context.get_device()


def _finish() -> None:
    global context
    context.pop()
    context = None  # type: ignore[assignment]
    clear_context_caches()


atexit.register(_finish)
