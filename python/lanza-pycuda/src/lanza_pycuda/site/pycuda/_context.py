"""Devices and the stack of contexts: what is made belongs to the context on top of the thread's stack."""

from __future__ import annotations

import threading
from typing import Any

import lanza

from . import _enums
from ._errors import LogicError, translated


def _lanza_devices() -> list[lanza.Device]:
    """The devices that programs see: all of the default device's kind."""
    kind = lanza.default_device().kind
    return [device for device in lanza.devices() if device.kind == kind]


@translated("cuInit")
def init(flags: int = 0) -> None:
    """Finds the devices. May be called again."""
    lanza.default_device()


class Device:
    """One of the GPUs, by its number or PCI bus id; the CPU where there is no GPU (or LANZA_DEVICE says so)."""

    @translated("cuDeviceGet")
    def __init__(self, ordinal: int | str) -> None:
        devices = _lanza_devices()
        if isinstance(ordinal, str):
            numbers = [i for i, d in enumerate(devices) if _pci_bus_id(d) == ordinal.upper()]
            if not numbers:
                raise LogicError(f"cuDeviceGetByPCIBusId failed: no device {ordinal!r}")
            ordinal = numbers[0]
        if not 0 <= ordinal < len(devices):
            raise LogicError(f"cuDeviceGet failed: invalid device ordinal {ordinal}; there are {len(devices)}")
        self._device = devices[ordinal]

    @classmethod
    def _of(cls, device: lanza.Device) -> Device:
        self = object.__new__(cls)
        self._device = device
        return self

    @staticmethod
    def count() -> int:
        """How many there are."""
        return len(_lanza_devices())

    def name(self) -> str:
        """Name of the product."""
        return self._device.name

    def pci_bus_id(self) -> str:
        """ "0000:3B:00.0"."""
        return _pci_bus_id(self._device)

    def compute_capability(self) -> tuple[int, int]:
        """(major, minor)."""
        return self._device.compute_capability

    @translated("cuDeviceTotalMem")
    def total_memory(self) -> int:
        """Bytes."""
        return self._device.memory_info()[1]

    @translated("cuDeviceGetAttribute")
    def get_attribute(self, attribute: int) -> int:
        """A member of `device_attribute`."""
        name = _enums.device_attribute(attribute).name
        value = self._device.attributes.get(name.lower())
        if value is None:
            raise LogicError(f"cuDeviceGetAttribute failed: {self.name()} does not know {name}")
        return value

    @translated("cuDeviceGetAttribute")
    def get_attributes(self) -> dict[Any, int]:
        """Every attribute that the device knows, by the members of `device_attribute`."""
        known = self._device.attributes
        return {a: known[a.name.lower()] for a in _enums.device_attribute if a.name.lower() in known}

    def __getattr__(self, name: str) -> int:
        attribute = getattr(_enums.device_attribute, name.upper(), None)
        if attribute is None or name.startswith("_"):
            raise AttributeError(f"Device has no attribute {name!r}")
        return self.get_attribute(attribute)

    @translated("cuCtxCreate")
    def make_context(self, flags: int = 0) -> Context:
        """A new context, pushed on the stack."""
        context = Context(self._device.create_context())
        context.push()
        return context

    @translated("cuDevicePrimaryCtxRetain")
    def retain_primary_context(self) -> Context:
        """The context that other libraries share; not pushed."""
        return Context(self._device.primary_context)

    def can_access_peer(self, device: Device) -> bool:
        """Whether the memory of the other is seen from this one: only its own is, here."""
        return self == device

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self._device == other._device

    def __hash__(self) -> int:
        return hash(self._device)


def _pci_bus_id(device: lanza.Device) -> str:
    known = device.attributes
    if "pci_bus_id" not in known:
        raise LogicError(f"cuDeviceGetPCIBusId failed: {device.name} is on no PCI bus")
    return f"{known.get('pci_domain_id', 0):04X}:{known['pci_bus_id']:02X}:{known.get('pci_device_id', 0):02X}.0"


class _Stack(threading.local):
    """The thread's contexts, the current one last."""

    def __init__(self) -> None:
        self.contexts: list[Context] = []


_stack = _Stack()


class Context:
    """A context. Made by Device.make_context() and Device.retain_primary_context()."""

    def __init__(self, context: lanza.Context) -> None:
        self._context = context

    @property
    def handle(self) -> int:
        """CUcontext as an integer."""
        return self._context.handle

    def push(self) -> None:
        """Makes it the current context of this thread."""
        self._context.__enter__()
        _stack.contexts.append(self)

    @staticmethod
    def pop() -> None:
        """Takes the current context off this thread's stack."""
        if not _stack.contexts:
            raise LogicError("cuCtxPopCurrent failed: cannot pop, there is no current context on this thread")
        _stack.contexts.pop()._context.__exit__(None, None, None)

    def detach(self) -> None:
        """Gives the context up: takes it off this thread's stack. What was made in it keeps it alive."""
        if self in _stack.contexts:
            position = max(i for i, c in enumerate(_stack.contexts) if c == self)
            _stack.contexts.pop(position)._context.__exit__(None, None, None)

    @staticmethod
    def get_current() -> Context | None:
        """The current context of this thread, or None."""
        return _stack.contexts[-1] if _stack.contexts else None

    @staticmethod
    def get_device() -> Device:
        """The device of the current context."""
        return Device._of(current().device)

    @staticmethod
    @translated("cuCtxSynchronize")
    def synchronize() -> None:
        """Waits for all work in the current context."""
        current().synchronize()

    @staticmethod
    def set_cache_config(config: int) -> None:
        """A wish that devices of today decide on themselves."""
        _enums.func_cache(config)

    @staticmethod
    def get_cache_config() -> Any:
        """What devices of today decide on themselves."""
        return _enums.func_cache.PREFER_NONE

    def get_api_version(self) -> int:
        """Version of the context's interface."""
        return 3020

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and self._context == other._context

    def __hash__(self) -> int:
        return hash(self._context)


def current() -> lanza.Context:
    """The context that things are made in. Raises LogicError without one, as PyCUDA does."""
    if not _stack.contexts:
        raise LogicError(
            "explicit_context_dependent failed: invalid device context - no currently active context?"
            " (import pycuda.autoinit, or make one with Device.make_context())"
        )
    return _stack.contexts[-1]._context


@translated("cuMemGetInfo")
def mem_get_info() -> tuple[int, int]:
    """(free, total) bytes of the current device."""
    return current().device.memory_info()


def get_version() -> tuple[int, int, int]:
    """The version of CUDA that this interface is of."""
    return (13, 0, 0)


def get_driver_version() -> int:
    """As the driver numbers it: 12040. The CPU answers with the version of this interface."""
    major, minor, _ = get_version()
    return lanza.default_device().attributes.get("driver_version", 1000 * major + 10 * minor)


for _class in (Device, Context):
    _class.__module__ = "pycuda._driver"
