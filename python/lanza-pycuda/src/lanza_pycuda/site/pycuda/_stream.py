"""Streams and events under PyCUDA's names."""

from __future__ import annotations

import lanza

from . import _enums
from ._context import current
from ._errors import translated


class Stream:
    """A queue of work in the current context."""

    @translated("cuStreamCreate")
    def __init__(self, flags: int = 0) -> None:
        non_blocking = bool(flags & _enums.stream_flags.NON_BLOCKING)
        self._stream = lanza.Stream(current().device, non_blocking=non_blocking)

    @property
    def handle(self) -> int:
        """CUstream as an integer."""
        return self._stream.handle

    @translated("cuStreamSynchronize")
    def synchronize(self) -> None:
        """Waits for all work."""
        self._stream.synchronize()

    @translated("cuStreamQuery")
    def is_done(self) -> bool:
        """Whether all work is done."""
        return self._stream.query()

    @translated("cuStreamWaitEvent")
    def wait_for_event(self, event: Event) -> None:
        """Work enqueued from now on waits for the event."""
        self._stream.wait(event._event)


def stream_of(stream: Stream | None) -> lanza.Stream | None:
    """Lanza's stream for PyCUDA's; None is the default one."""
    return None if stream is None else stream._stream


class Event:
    """A mark in a stream."""

    @translated("cuEventCreate")
    def __init__(self, flags: int = 0) -> None:
        timing = not flags & _enums.event_flags.DISABLE_TIMING
        self._event = lanza.Event(current().device, timing=timing)

    @translated("cuEventRecord")
    def record(self, stream: Stream | None = None) -> Event:
        """Marks the work that the stream holds now."""
        self._event.record(stream_of(stream))
        return self

    @translated("cuEventSynchronize")
    def synchronize(self) -> Event:
        """Waits until the marked work is done."""
        self._event.synchronize()
        return self

    @translated("cuEventQuery")
    def query(self) -> bool:
        """Whether the marked work is done."""
        return self._event.query()

    @translated("cuEventElapsedTime")
    def time_since(self, start: Event) -> float:
        """Milliseconds from `start` to this event."""
        return self._event.time_since(start._event)

    @translated("cuEventElapsedTime")
    def time_till(self, end: Event) -> float:
        """Milliseconds from this event to `end`."""
        return end._event.time_since(self._event)


for _class in (Stream, Event):
    _class.__module__ = "pycuda._driver"
