"""Makes a failing program smaller while it fails in the same way: drops statements, unwraps them, simplifies operands."""

from __future__ import annotations

import copy
import pickle
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import fields

from . import program as p
from .check import Failure
from .operations import RAW_CASTS
from .places import names as names_in
from .types import Scalar
from .workers import HANG, Worker

Edit = Callable[[], None]
_BODIES = (p.If, p.Loop, p.Block, p.Tangle, p.Lambda, p.WarpIf, p.WarpLoop, p.Exchange, p.Turns)
_EXPRESSIONS = p.Expression.__args__


class Reducer:
    """Tries candidates in a worker of its own."""

    def __init__(self, failure: Failure, seconds: float = 120.0) -> None:
        self.failure = failure
        self.until = time.monotonic() + seconds
        self.worker: Worker | None = None
        self.tried = 0

    def fails(self, program: p.Program) -> bool:
        """True when the program fails as the first one did."""
        self.tried += 1
        worker = self.worker if self.worker and self.worker.batches < 200 else self._fresh()
        worker.give([pickle.dumps(program)], [self.failure.engine])
        found: Failure | None = None
        while True:
            if not worker.connection.poll(HANG):
                found = Failure(program.seed, self.failure.engine, "hang", "")
                break
            done = False
            for message in worker.hear():
                done = done or message is None
                if isinstance(message, Failure):
                    found = message
            if done or (found and found.kind == "crash"):
                break
        if found and found.kind in ("crash", "hang"):
            self._end()
        return found is not None and _signature(found) == _signature(self.failure)

    def _fresh(self) -> Worker:
        self._end()
        self.worker = Worker()
        return self.worker

    def _end(self) -> None:
        if self.worker:
            self.worker.end()
        self.worker = None

    def reduce(self, program: p.Program) -> p.Program:
        """The smallest program found before time ran out."""
        try:
            progress = True
            while progress and time.monotonic() < self.until:
                progress = False
                for passes in (_drop_statements, _unwrap, _shrink_launch, _simplify):
                    program, better = self._pass(program, passes)
                    progress = progress or better
        finally:
            self._end()
        return program

    def _pass(self, program: p.Program, edits: Callable[[p.Program], Iterator[Edit]]) -> tuple[p.Program, bool]:
        """Applies the edits one after the other, from the last on, and keeps those after which it still fails."""
        better, at = False, sum(1 for _ in edits(program))
        while at > 0 and time.monotonic() < self.until:
            at -= 1
            candidate = copy.deepcopy(program)
            edit = next((e for i, e in enumerate(edits(candidate)) if i == at), None)
            if edit is None:
                continue
            edit()
            if _declared(candidate) and self.fails(candidate):
                program, better = candidate, True
        return program, better


def _signature(f: Failure) -> tuple[str, str]:
    """What makes two failures the same: for messages of a compiler, the text without names and numbers."""
    text = (
        re.sub(r"[^ ]*\d[^ ]*", "", f.text.split("\n")[0])[:60] if f.kind in ("compile error", "launch error") else ""
    )
    return f.kind, text


def _lists(program: p.Program) -> Iterator[list[p.Statement]]:
    """Every list of statements, outer ones first."""
    yield program.body
    for f in program.functions:
        yield f.body
    for node in p.walk([*program.functions, *program.body]):
        if isinstance(node, p.Function):
            continue
        for name in ("then", "otherwise", "body", "write", "read", "first", "second"):
            value = getattr(node, name, None)
            if isinstance(value, list):
                yield value
        if isinstance(node, p.Switch):
            yield from node.cases


def _drop_statements(program: p.Program) -> Iterator[Edit]:
    for statements in _lists(program):
        for size in (8, 4, 2, 1):
            if size > 1 and len(statements) < size:
                continue
            for at in range(0, len(statements) - size + 1, size):
                yield lambda s=statements, a=at, n=size: s.__delitem__(slice(a, a + n))  # type: ignore[misc]
    for i in range(len(program.functions)):
        yield lambda i=i: program.functions.pop(i)  # type: ignore[misc]
    for i in range(len(program.arrays)):
        yield lambda i=i: program.arrays.pop(i)  # type: ignore[misc]
    for i in range(len(program.outputs)):
        yield lambda i=i: program.outputs.pop(i)  # type: ignore[misc]


def _unwrap(program: p.Program) -> Iterator[Edit]:
    """Puts a body in the place of its construct."""
    for statements in _lists(program):
        for i, s in enumerate(statements):
            if isinstance(s, _BODIES):
                for name in ("then", "otherwise", "body", "first", "second"):
                    inner = getattr(s, name, None)
                    if inner:
                        yield lambda t=statements, i=i, inner=inner: t.__setitem__(slice(i, i + 1), inner)  # type: ignore[misc]


def _shrink_launch(program: p.Program) -> Iterator[Edit]:
    def grid() -> None:
        program.grid = (1, 1, 1)

    def block(n: int) -> Edit:
        def edit() -> None:
            program.block = (n, 1, 1)

        return edit

    if program.grid != (1, 1, 1):
        yield grid
    for n in (64, 33, 32, 2, 1):
        if n < program.threads or program.block[1:] != (1, 1):
            yield block(n)


def _simplify(program: p.Program) -> Iterator[Edit]:
    """Puts a constant, or an operand of the same type, in the place of an expression."""
    for node in p.walk([*program.functions, *program.body]):
        if isinstance(node, p.Intrinsic) and node.name in RAW_CASTS.values():
            continue  # of a constant it would be undefined
        for f in fields(node):  # type: ignore[arg-type]
            value = getattr(node, f.name)
            if isinstance(value, _EXPRESSIONS) and f.name not in ("place", "target", "source"):
                for simple in _simpler(value):
                    yield lambda n=node, f=f.name, v=simple: setattr(n, f, v)  # type: ignore[misc]


def _simpler(e: p.Expression) -> Iterator[p.Expression]:
    if isinstance(e, p.Literal):
        return
    t: Scalar = e.type
    yield p.Literal(t, 0)
    yield p.Literal(t, 1)
    for child in p.children(e):
        if isinstance(child, _EXPRESSIONS) and child.type is t:
            yield child


def _declared(program: p.Program) -> bool:
    """Whether every name that is used is declared: a cheap test before the compiler's."""
    arrays = {a.name for a in program.arrays}
    functions = {f.name for f in program.functions}
    names = {name for name, _, _ in program.scalars}
    nodes = list(p.walk([*program.functions, *program.body, *program.outputs]))
    for node in nodes:
        if isinstance(node, p.Declare):
            (arrays if node.length else names).add(node.name)
        elif isinstance(node, p.Loop | p.WarpLoop | p.Tangle):
            names.add(node.counter)
        elif isinstance(node, p.Function):
            names |= {name for name, _ in [*node.parameters, *node.records]}
            arrays |= {name for name, _, _ in node.pointers}
    ids = {node.id for node in nodes if isinstance(node, p.Loop | p.WarpLoop | p.Block | p.Switch)}
    for node in nodes:
        if isinstance(node, p.Var) and node.name not in names:
            return False
        if isinstance(node, p.Ticket | p.Bytes) and node.variable not in names:
            return False
        if isinstance(node, p.Element | p.At | p.Slot | p.View | p.Exchange) and node.array not in arrays:
            return False
        formula = node.index if isinstance(node, p.At) else node.text if isinstance(node, p.Formula) else ""
        if names_in(formula) - names - arrays:
            return False
        if isinstance(node, p.Call) and (
            node.function not in functions or set(node.records) - names or set(node.pointers) - arrays
        ):
            return False
        if isinstance(node, p.Leave | p.Next) and node.target not in ids:
            return False
    return True
