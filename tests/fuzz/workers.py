"""Worker processes: a crash or a hang costs one worker, and the seed it was at is known."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from .check import SEVERAL, Failure, Tally, work

_FORK = multiprocessing.get_context("fork")
HANG = 60.0  # seconds without a word
BATCHES = 24  # that a worker runs before it is replaced: loaded objects stay loaded


class Worker:
    """A process that runs one batch at a time."""

    def __init__(self) -> None:
        self.connection: Connection
        self.connection, theirs = _FORK.Pipe()
        self.process = _FORK.Process(target=_entry, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.batches = 0
        self.items: list[Any] = []
        self.at: tuple[int, str] = (0, "")
        self.heard = time.monotonic()

    def give(self, items: list[Any], engines: list[str]) -> None:
        self.items, self.heard, self.batches = items, time.monotonic(), self.batches + 1
        self.connection.send((items, engines))

    def end(self) -> None:
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.connection.close()

    def hear(self) -> Iterator[Failure | Tally | None]:
        """What it says now; None when the batch is done. A dead worker is a failure of the seed that it was at."""
        while True:
            try:
                if not self.connection.poll():
                    return
                message = self.connection.recv()
            except (EOFError, OSError):
                self.process.join()
                yield Failure(*self.at, "crash", f"the process ended with {_status(self.process.exitcode)}")
                return
            self.heard = time.monotonic()
            if isinstance(message, tuple):
                self.at = message
            else:
                yield message
                if message is None:
                    return


def _entry(connection: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["LANZA_CACHE"] = "0"
    os.environ.setdefault("LANZA_CPU_THREADS", "1")  # blocks run one after the other: a worker a core
    with contextlib.suppress(EOFError, BrokenPipeError):
        work(connection)


def _status(code: int | None) -> str:
    return signal.Signals(-code).name if code is not None and code < 0 else f"status {code}"


class Pool:
    """Runs batches of seeds in so many workers and gives failures as they come."""

    def __init__(self, jobs: int, engines: list[str]) -> None:
        self.engines = engines
        self.tally = Tally()
        self.workers: list[Worker] = []
        self.jobs = jobs

    def run(self, batches: Iterator[list[int]]) -> Iterator[Failure]:
        """Until the batches end."""
        left: list[list[int]] = []
        try:
            while True:
                for _ in range(self.jobs - len(self.workers)):
                    batch = left.pop() if left else next(batches, None)
                    if batch is None:
                        break
                    self._start(Worker(), batch)
                if not self.workers:
                    return
                wait([w.connection for w in self.workers], timeout=5.0)
                for worker in list(self.workers):
                    yield from self._attend(worker, batches, left)
        finally:
            for worker in self.workers:
                worker.end()

    def _start(self, worker: Worker, batch: list[int]) -> None:
        if worker not in self.workers:
            self.workers.append(worker)
        worker.give(batch, self.engines)

    def _attend(self, worker: Worker, batches: Iterator[list[int]], left: list[list[int]]) -> Iterator[Failure]:
        # What it said while another failure was being shrunk still waits to be heard.
        hung = time.monotonic() - worker.heard > HANG and not worker.connection.poll()
        messages = [Failure(*worker.at, "hang", f"no answer for {HANG:.0f} s")] if hung else worker.hear()
        for message in messages:
            if isinstance(message, Tally):
                self.tally.kernels += message.kernels
                self.tally.runs += message.runs
                self.tally.skipped += message.skipped
                self.tally.ran += message.ran
            elif message is None:
                self._next(worker, batches, left)
            elif message.seed == SEVERAL:  # the compiler crashed or hung: one by one shows at which
                self._drop(worker)
                left.extend([seed] for seed in worker.items)
                return
            else:
                yield message
                if message.kind in ("crash", "hang"):
                    self._drop(worker)
                    rest = [s for s in worker.items if s != message.seed]
                    # The seeds before it are run again: the batch is compiled as one.
                    if rest:
                        left.append(rest)
                    return

    def _next(self, worker: Worker, batches: Iterator[list[int]], left: list[list[int]]) -> None:
        if worker.batches >= BATCHES:
            self._drop(worker)
            return
        batch = left.pop() if left else next(batches, None)
        if batch is None:
            self._drop(worker)
        else:
            self._start(worker, batch)

    def _drop(self, worker: Worker) -> None:
        self.workers.remove(worker)
        worker.end()
