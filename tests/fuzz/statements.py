"""Random statements of a single thread: control flow, assignments, atomic operations, calls."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from . import program as p
from .expressions import LANE, Context, Expressions, PrivateArray, RecordVariable, Variable
from .operations import ATOMIC_NAMES
from .rng import Rng
from .types import F32, I32, I64, U32, U64, VECTORS, Record, Scalar

_COMPOUND = ("+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%")

Maker = Callable[[Context], list[p.Statement]]


class Statements(Expressions):
    """Makes statements; what lanes do together is the generator's."""

    def __init__(self, rng: Rng) -> None:
        super().__init__(rng)
        self.numbers = itertools.count()
        self.scopes = itertools.count(1)
        self.budget = 0  # statements still to make
        self.levels: dict[str, list[int]] = {}  # of the parameters of functions
        self.unfinished: set[str] = set()  # functions in the making

    def collective(self, c: Context) -> list[tuple[Maker, int]]:
        raise NotImplementedError

    def of_threads(self, c: Context) -> list[tuple[Maker, int]]:
        raise NotImplementedError

    def name(self, stem: str) -> str:
        return f"{stem}{next(self.numbers)}"

    def array(self, space: str, t: Scalar | Record, length: int, operation: str = "", owner: str = "") -> p.Array:
        a = p.Array(self.name(space[0]), t, length, space, operation, self.rng.below(1 << 40), owner)
        self.program.arrays.append(a)
        return a

    def record(self) -> Record:
        r = self.rng
        if self.program.records and r.chance(60):
            return r.pick(self.program.records)
        if r.chance(60):
            record = r.pick(VECTORS)
        else:
            record = Record(self.name("S"), tuple((f"f{i}", self.any_type()) for i in range(r.between(2, 4))))
        if record not in self.program.records:
            self.program.records.append(record)
        return record

    def block_of(self, c: Context, least: int = 1, most: int = 4) -> list[p.Statement]:
        """A body with a scope of its own."""
        saved = self.visible.copy()
        statements: list[p.Statement] = []
        for _ in range(self.rng.between(least, most)):
            statements += self.statement(c)
        self.visible = saved
        return statements

    def statement(self, c: Context) -> list[p.Statement]:
        self.budget -= 1
        if self.budget < 0 or c.depth > 5:
            return self.assignment(c)
        together = [] if c.level == LANE else self.collective(c)
        plain: list[tuple[Maker, int]] = [
            (self.assignment, 12), (self.declaration, 4), (self.divergent_if, 4), (self.divergent_loop, 3), (self.switch, 2),
            (self.labelled, 1), (self.tangle, 1), (self.lambda_, 1), (self.leave, 5 if c.targets else 0), (self.exit, 1 if c.may_exit else 0),
            (self.copy, 2), (self.call, 3), (self.own_atomic, 1), (self.atomic, 5 if c.updates else 2),
        ]  # fmt: skip
        return self.rng.weighted(plain + self.of_threads(c) + together)(c)

    def assignment(self, c: Context) -> list[p.Statement]:
        r, place = self.rng, self.place(c)
        if place is None:
            return self.declaration(c)
        t = place.type
        if r.chance(35):
            op = r.pick(("+", "-", "*", "/")) if t.floating else r.pick(_COMPOUND)
            source = t if t.floating or r.chance(70) else r.pick((I32, U32, I64))
            return [p.Assign(place, op, self.expression(source, c, LANE, 1 + self.rng.below(2)))]
        return [p.Assign(place, "", self.expression(t, c))]

    def declaration(self, c: Context) -> list[p.Statement]:
        r = self.rng
        kind = r.weighted((("scalar", 6), ("array", 2), ("record", 2)))
        if kind == "array":
            length, t = r.pick((2, 4, 7, 8)), self.record() if r.chance(20) else self.any_type()
            a = PrivateArray(self.name("a"), t, length)
            self.visible.arrays.append(a)
            return [
                p.Declare(a.name, t, None, length),
                p.Assign(self.of(a, self.index(c, LANE)), "", self.expression(self.any_type(), c)),
            ]
        if kind == "record":
            whole = RecordVariable(self.name("r"), self.record())
            self.visible.records.append(whole)
            self.visible.variables += [Variable(whole.name, t, LANE, 0, False, f) for f, t in whole.type.fields]
            f, t = r.pick(whole.type.fields)
            return [p.Declare(whole.name, whole.type), p.Assign(p.Var(whole.name, t, f), "", self.expression(t, c))]
        level = c.level if c.level != LANE and r.chance(40) else LANE
        t = self.any_type()
        v = Variable(self.name("uv"[level == LANE]), t, level, c.scope, level != LANE)
        out: list[p.Statement] = [p.Declare(v.name, t, self.expression(t, c, level))]
        self.visible.variables.append(v)
        return out

    def divergent_if(self, c: Context) -> list[p.Statement]:
        inner = c.alone().inside()
        condition = self.condition(c)
        return [p.If(condition, self.block_of(inner), self.block_of(inner) if self.rng.chance(40) else [])]

    def uniform_if(self, c: Context) -> list[p.Statement]:
        condition = self.condition(c, c.level)
        if c.targets and self.rng.chance(30):
            return [p.If(condition, [*self.block_of(c.inside(), 0, 1), self.leaver(c)], [])]
        return [p.If(condition, self.block_of(c.inside()), self.block_of(c.inside()) if self.rng.chance(30) else [])]

    def leaver(self, c: Context) -> p.Statement:
        id, kind = self.rng.pick(c.targets)
        return p.Next(id) if kind == "again" or (kind == "loop" and self.rng.chance(40)) else p.Leave(id)

    def leave(self, c: Context) -> list[p.Statement]:
        condition = self.condition(c, c.level)
        return [p.If(condition, [*self.block_of(c.inside(), 0, 1), self.leaver(c)], [])]

    def exit(self, c: Context) -> list[p.Statement]:
        return [p.If(self.condition(c), [p.Exit(self.rng.between(2, 99))], [])]

    def loop(self, c: Context, level: int, inner: Context) -> list[p.Statement]:
        r, id = self.rng, next(self.numbers)
        if c.rounds >= 60:
            return self.assignment(c)
        limit = r.between(2, 9 if c.rounds == 1 else 4)
        bound = self.expression(I32, c, level, 1)
        condition = self.condition(c, level, 1) if r.chance(35) else None
        counter = Variable(f"i{id}", I32, level, inner.scope, True)
        saved = self.visible.copy()
        self.visible.variables.append(counter)
        inner = inner.inside(targets=(*inner.targets, (id, "loop")), rounds=c.rounds * limit)
        body = self.block_of(inner, 1, 4)
        self.visible = saved
        return [p.Loop(id, r.pick(("for", "for", "while", "do")), counter.name, bound, limit, condition, body)]

    def divergent_loop(self, c: Context) -> list[p.Statement]:
        return self.loop(c, LANE, c.alone())

    def uniform_loop(self, c: Context) -> list[p.Statement]:
        return self.loop(c, c.level, c)

    def switch(self, c: Context) -> list[p.Statement]:
        r, id = self.rng, next(self.numbers)
        level = c.level if r.chance(30) else LANE
        inner = (c if level != LANE else c.alone()).inside()
        selector = self.expression(self.rng.pick((I32, U32)), c, level, 2)
        modulus = r.between(2, 6)
        labels: list[int | None] = [i for i in range(modulus) if r.chance(70)]
        if not labels or r.chance(60):
            labels.insert(r.below(len(labels) + 1), None)
        cases = []
        for _ in labels:
            body = self.block_of(inner.inside(targets=(*inner.targets, (id, "switch"))), 1, 2)
            cases.append([*body, p.Leave(id)] if r.chance(60) else body)
        return [p.Switch(id, selector, modulus, labels, cases)]

    def labelled(self, c: Context) -> list[p.Statement]:
        id = next(self.numbers)
        inner = c.inside(targets=(*c.targets, (id, "block")))
        return [p.Block(id, self.block_of(inner, 2, 4))]

    def tangle(self, c: Context) -> list[p.Statement]:
        if c.rounds >= 60:
            return self.assignment(c)
        id, limit, condition = next(self.numbers), self.rng.between(2, 4), self.condition(c)
        inner = c.alone().inside(rounds=c.rounds * limit)
        first, second = self.block_of(inner, 1, 2), self.block_of(inner, 1, 2)
        return [p.Tangle(id, condition, first, second, f"i{id}", limit, self.condition(c))]

    def lambda_(self, c: Context) -> list[p.Statement]:
        return [p.Lambda(self.block_of(c.inside(targets=(), may_exit=False), 1, 3))]

    def copy(self, c: Context) -> list[p.Statement]:
        r = self.rng
        places: list[tuple[Record, p.Var | p.Element, bool]] = []
        for v in self.visible.records:
            places.append((v.type, p.Var(v.name, I32), True))
        arrays: list[p.Array | PrivateArray] = [*self.visible.arrays, *self.program.arrays]
        for a in arrays:
            if not isinstance(a.type, Record) or (isinstance(a, p.Array) and a.space not in ("input", "own")):
                continue
            writable = isinstance(a, PrivateArray) or a.space == "own"
            places.append((a.type, p.Element(a.name, I32, self.index(c, LANE), a.length, self.space(a)), writable))
        for s in c.readable:
            if isinstance(s.type, Record):
                places.append((s.type, p.Element(s.name, I32, self.index(c, LANE), s.length, self.space(s)), False))
        pairs = [(t, a, b) for t, a, writable in places if writable for u, b, _ in places if t is u and a is not b]
        if not pairs:
            return self.assignment(c)
        record, target, source = r.pick(pairs)
        return [p.Copy(record, target, source)]

    # Functions of a single thread

    def call(self, c: Context) -> list[p.Statement]:
        options = [f for f in self.program.functions if max(self.levels[f.name], default=LANE) == LANE and not f.mask]
        options = [f for f in options if f.name not in self.unfinished]
        if not options or (c.rounds >= 20):
            return self.assignment(c)
        return self.call_of(self.rng.pick(options), c)

    def call_of(self, f: p.Function, c: Context) -> list[p.Statement]:
        target = self.assignable(c)
        if target is None:
            return self.declaration(c)
        levels = self.levels[f.name]
        args = [self.expression(t, c, level, 2) for (_, t), level in zip(f.parameters, levels, strict=True)]
        depth = self.expression(I32, c, LANE, 1) if f.recursive else None
        declared: list[p.Statement] = []
        records: list[str] = []
        pointers: list[str] = []
        for _, record in f.records:
            declared += self.whole_record(record, records, c)
        for _, t, length in f.pointers:
            declared += self.whole_array(t, length, pointers, c)
        mask = c.mask if f.mask else ""
        return [*declared, p.Call(target.read(), f.name, args, depth, mask, False, records, pointers)]

    def whole_record(self, record: Record, names: list[str], c: Context) -> list[p.Statement]:
        """A variable of this record, new where there is none."""
        there = [v.name for v in self.visible.records if v.type is record]
        if there:
            names.append(self.rng.pick(there))
            return []
        names.append(name := self.name("r"))
        self.visible.records.append(RecordVariable(name, record))
        self.visible.variables += [Variable(name, t, LANE, 0, False, f) for f, t in record.fields]
        f, t = self.rng.pick(record.fields)
        return [p.Declare(name, record), p.Assign(p.Var(name, t, f), "", self.expression(t, c))]

    def whole_array(self, t: Scalar, length: int, names: list[str], c: Context) -> list[p.Statement]:
        """A private array of at least this length, new where there is none; never the same twice in a call."""
        there = [a.name for a in self.visible.arrays if a.type is t and a.length >= length and a.name not in names]
        if there:
            names.append(self.rng.pick(there))
            return []
        a = PrivateArray(self.name("a"), t, length)
        names.append(a.name)
        self.visible.arrays.append(a)
        value = self.expression(t, c)
        return [p.Declare(a.name, t, None, length), p.Assign(self.of(a, self.index(c, LANE)), "", value)]

    # Atomic operations

    def own_atomic(self, c: Context) -> list[p.Statement]:
        r = self.rng
        places: list[p.Slot | p.Element] = [s for s in c.slots if s.space == "shared" and s.type in ATOMIC_NAMES]
        for a in self.program.arrays:
            if a.space == "own" and a.type in ATOMIC_NAMES and isinstance(a.type, Scalar):
                places.append(p.Element(a.name, a.type, self.index(c, LANE), a.length, "own"))
        target = self.assignable(c)
        if not places or target is None:
            return self.assignment(c)
        place = r.pick(places)
        t = place.type
        names = (
            list(ATOMIC_NAMES[t])
            + ["atomicExch"] * (t in (I32, U32, U64, F32))
            + ["atomicCAS"] * (t in (I32, U32, U64))
        )
        name = r.pick(names)
        if name == "atomicAdd" and t is F32 and place.space == "own":
            name = (
                "atomicExch"  # a GPU's sum in global memory has no subnormal numbers (PTX manual, atom), the CPU's has
            )
        args = [self.expression(t, c, LANE, 1) for _ in range(1 + (name == "atomicCAS"))]
        if name == "atomicCAS" and r.chance(50):
            args[0] = place
        return [p.OwnAtomic(target.read(), name, place, args)]

    def atomic(self, c: Context) -> list[p.Statement]:
        options = [(a, a.operation) for a in self.program.arrays if a.space == "atomic"] + list(c.updates) * 3
        if not options:
            return self.assignment(c)
        a, name = self.rng.pick(options)
        assert isinstance(a.type, Scalar)
        t, space = a.type, "global" if a.space == "atomic" else "shared"
        value = self.expression(t, c, LANE, 1 + self.rng.below(2))
        if t.floating:  # sums of small integers are exact in any order
            value = p.Cast(t, p.Binary("&", self.expression(I32, c, LANE, 1 + self.rng.below(2)), p.Literal(I32, 15)))
        if space == "shared" and name == "atomicAdd" and t in (I32, U32) and self.rng.chance(20):
            name = "atomicSub"
        return [p.Atomic(name, p.Element(a.name, t, self.index(c, LANE), a.length, space), value)]
