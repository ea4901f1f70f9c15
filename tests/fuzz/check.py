"""One program against one engine: what fails, in words."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from .frames import TooLong
from .generator import generate
from .interpreter import interpret
from .program import Program


@dataclass(frozen=True)
class Failure:
    """A seed that failed: kind is mismatch, compile error, launch error, crash, hang or generator."""

    seed: int
    engine: str
    kind: str
    text: str


@dataclass
class Tally:
    """What a batch came to."""

    kernels: int = 0
    runs: int = 0
    skipped: int = 0
    ran: Counter[tuple[str, str]] = field(default_factory=Counter)  # by (engine asked for, engine that ran)


Report = Callable[[object], None]

SEVERAL = -1  # in place of a seed: a module of several programs is being compiled


def check_programs(programs: list[Program], engines: list[str], report: Report) -> Iterator[Failure]:
    """Runs programs batched in modules. Before each step `report` is told (seed, engine), so that a crash has a name."""

    from . import engines as e

    wanted, good = {}, []
    tally = Tally()
    for program in programs:
        report((program.seed, "interpreter"))
        try:
            wanted[program.seed] = interpret(program)
        except TooLong:
            tally.skipped += 1
            continue
        except Exception as error:  # a fault of the generator or of the interpreter: named, and the batch goes on
            yield Failure(program.seed, "interpreter", "generator", f"{type(error).__name__}: {error}")
            continue
        good.append(program)
    tally.kernels = len(good)
    for asked in engines:
        engine = e.drawn(programs[0].seed) if asked == e.DRAWN else asked
        tally.runs += len(good)
        for part, compiled in _compile(good, engine, report):
            if isinstance(compiled, Failure):
                yield compiled
                continue
            for program in part:
                report((program.seed, engine))
                failure = _run(program, compiled, wanted[program.seed])
                tally.ran[engine, compiled.what_ran(program)] += 1  # type: ignore[attr-defined]
                if failure:
                    yield failure
    report(tally)


def _compile(batch: list[Program], engine: str, report: Report) -> Iterator[tuple[list[Program], Failure | object]]:
    """A module for all; one for each where that fails, to find who it was."""
    import lanza

    from . import engines as e

    if not batch:
        return
    report((batch[0].seed if len(batch) == 1 else SEVERAL, engine))
    try:
        yield batch, e.Compiled(batch, engine)
    except lanza.Error as error:
        if len(batch) == 1:
            yield batch, Failure(batch[0].seed, engine, "compile error", str(error))
            return
        for program in batch:
            yield from _compile([program], engine, report)


def _run(program: Program, compiled: object, expected: object) -> Failure | None:
    import lanza

    from . import engines as e

    try:
        found = compiled.run(program)  # type: ignore[attr-defined]
    except lanza.Error as error:
        return Failure(program.seed, compiled.engine, "launch error", str(error))  # type: ignore[attr-defined]
    text = e.difference(expected, found)  # type: ignore[arg-type]
    return Failure(program.seed, compiled.engine, "mismatch", text) if text else None  # type: ignore[attr-defined]


def work(connection: object) -> None:
    """A worker: takes ([seeds] or [pickled programs], engines), reports, answers failures; None ends it."""
    while True:
        task = connection.recv()  # type: ignore[attr-defined]
        if task is None:
            return
        items, engines = task
        programs = [generate(item) if isinstance(item, int) else pickle.loads(item) for item in items]
        for failure in check_programs(programs, engines, connection.send):  # type: ignore[attr-defined]
            connection.send(failure)  # type: ignore[attr-defined]
        connection.send(None)  # type: ignore[attr-defined]
