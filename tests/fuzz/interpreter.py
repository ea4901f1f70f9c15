"""
Runs a program on the host: every thread of the grid at once, in lock step, on NumPy arrays with a mask of the threads
that are active. It shares nothing with the compiler. Programs have no races, so the order of threads cannot matter.

The threads of a block are padded to whole warps; arrays of values have one element a (padded) thread.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from . import operations as o
from . import program as p
from .contents import contents, initial_values, parameters
from .frames import Ambiguous, Frame, Mask, Store, TooLong
from .memory_run import MemoryRun
from .operations import Values
from .places import value as value_of_formula
from .types import BOOL, I32, U32, Record, Scalar, common
from .warp import WarpOperations


class Interpreter(MemoryRun):
    """One run of a program."""

    def __init__(self, program: p.Program, step_limit: int = 60_000, backwards: bool = False) -> None:
        self.program = program
        self.backwards = backwards
        self.steps = step_limit
        padded = -(-program.threads // 32) * 32
        self.count = padded * program.blocks
        thread = np.arange(self.count) % padded
        self.block = np.arange(self.count) // padded
        self.exists: Mask = thread < program.threads
        self.gone = ~self.exists
        self.everyone = np.arange(self.count)
        self.active = self.exists  # at the statement that runs
        self.tid = np.minimum(thread, program.threads - 1).astype(np.uint32)
        self.gid = (self.tid + self.block * program.threads).astype(np.uint32)
        self.warp = WarpOperations(self.tid & np.uint32(31))
        self.warp_in_block = (thread // 32).astype(np.uint32)
        self.builtins = self._builtins()
        self.literals: dict[tuple[Scalar, str], Values] = {}
        self.functions = {f.name: f for f in program.functions}
        self.globals: dict[str, Store] = {}
        for a in program.arrays:
            self._place_array(a)
        self.out = np.zeros((program.threads * program.blocks, len(program.outputs) + 1), np.uint64)
        self.frame = Frame()
        for name, t, value in program.scalars:
            self.frame.variables[name] = np.full(self.count, value, t.dtype)

    def _builtins(self) -> dict[str, Values]:
        u = np.uint32
        (bx, by, bz), (gx, gy, gz) = self.program.block, self.program.grid
        values = {"tid": self.tid, "lane": self.tid & u(31), "warp": self.warp_in_block, "gid": self.gid}
        values |= {"threadIdx.x": self.tid % u(bx), "threadIdx.y": self.tid // u(bx) % u(by)}
        values |= {"bid": self.block, "threadIdx.z": self.tid // u(bx * by), "blockIdx.x": self.block % gx}
        values |= {"blockIdx.y": self.block // gx % gy, "blockIdx.z": self.block // (gx * gy)}
        for axis, block, grid in zip("xyz", (bx, by, bz), (gx, gy, gz), strict=True):
            values |= {f"blockDim.{axis}": np.full(self.count, block), f"gridDim.{axis}": np.full(self.count, grid)}
        return {name: v.astype(np.uint32) for name, v in values.items()}

    def _place_array(self, a: p.Array) -> None:
        fields = [("", a.type)] if isinstance(a.type, Scalar) else [(f".{n}", t) for n, t in a.type.fields]
        shared = a.space in ("shared", "dynamic", "warp")
        whole = None if shared else contents(a, self.program)
        for name, t in fields:
            if whole is None:
                data = np.tile(initial_values(a).astype(t.dtype), (self.program.blocks, 1))
                row = self.block
            else:
                data = np.array(whole[name[1:]] if name else whole).reshape(-1, a.length)
                row = self.gid.astype(np.intp) if a.space == "own" else np.zeros(self.count, np.intp)
            self.globals[a.name + name] = Store(data, row, a.length)

    # Expressions: values of all threads, meaningful where the thread is active

    def evaluate(self, e: p.Expression) -> Values:
        return getattr(self, "_" + type(e).__name__.lower())(e)

    def converted(self, e: p.Expression, t: Scalar) -> Values:
        return o.convert(self.evaluate(e), e.type, t)

    def _literal(self, e: p.Literal) -> Values:
        key = e.type, repr(e.value)
        if key not in self.literals:
            self.literals[key] = np.full(self.count, e.value, e.type.dtype)
        return self.literals[key]

    def _builtin(self, e: p.Builtin) -> Values:
        return self.builtins[e.name]

    def _var(self, e: p.Var) -> Values:
        return self.frame.variables[f"{e.name}.{e.field}" if e.field else e.name]

    def _address(self, e: p.Element | p.At | p.Slot) -> tuple[Store, NDArray[np.intp]]:
        if isinstance(e, p.At):
            return self._place(e)
        name = f"{e.array}.{e.field}" if e.field else e.array
        store = self.frame.arrays.get(name) or self.globals[name]
        if isinstance(e, p.Slot):
            own = self.builtins["lane" if e.space == "warp" else "tid"]
            index = own * np.uint32(e.factor) + np.uint32(e.offset)
            length = 32 if e.space == "warp" else e.length
        else:
            index, length = self.converted(e.index, U32), 32 if e.space == "warp" else e.length
        index = index % np.uint32(length)
        if e.space == "warp":
            index = index + self.warp_in_block * np.uint32(32)
        return store, index.astype(np.intp)

    def _element(self, e: p.Element | p.Slot) -> Values:
        store, index = self._address(e)
        return store.data[store.row, index]

    _slot = _element

    def _at(self, e: p.At) -> Values:
        store, index = self._place(e)
        return store.data[store.row, index]

    def _place(self, e: p.At) -> tuple[Store, NDArray[np.intp]]:
        name = f"{e.array}.{e.field}" if e.field else e.array
        store = self.frame.arrays.get(name) or self.globals[name]
        index = self._formula(p.Formula(e.index))
        if ((index < 0) | (index >= store.length))[self.active].any():
            raise Ambiguous(f"{e.array}[{e.index}] lies outside of the array")
        return store, np.where(self.active, index, 0).astype(np.intp)

    def _formula(self, e: p.Formula) -> Values:
        try:
            with np.errstate(divide="raise"):
                values = value_of_formula(e.text, self.builtins, self._named)
        except FloatingPointError as error:
            raise Ambiguous(f"a division by zero: {e.text}") from error
        return values if e.type is BOOL else values.astype(e.type.dtype)

    def _named(self, name: str) -> Values:
        """
        A variable, which is no divisor of 0 where no thread is, or a whole constant array, with one element more for
        threads that have left a loop over it.
        """
        if name in self.globals:
            return np.append(self.globals[name].data[0], 0)
        variable = self.frame.variables[name]
        return np.where(self.active | (variable != 0), variable, 1)

    def _view(self, e: p.View) -> Values:
        store = self.globals[e.array]
        index = (self.converted(e.index, U32) % np.uint32(e.length)).astype(np.intp)
        return store.data.view(e.type.dtype)[store.row, index]

    def _choose(self, e: p.Choose) -> Values:
        return np.where(self.converted(e.condition, BOOL), self.evaluate(e.a), self.evaluate(e.b))

    def _unary(self, e: p.Unary) -> Values:
        a = self.converted(e.a, e.type)
        return np.negative(a) if e.op == "-" else np.invert(a)

    def _binary(self, e: p.Binary) -> Values:
        t = e.type
        if e.op in ("<<", ">>"):
            return o.shift(e.op, self.converted(e.a, t), self.evaluate(e.b), t)
        return o.arithmetic(e.op, self.converted(e.a, t), self.converted(e.b, t), t)

    def _compare(self, e: p.Compare) -> Values:
        t = common(e.a.type, e.b.type)
        return o.COMPARE[e.op](self.converted(e.a, t), self.converted(e.b, t))

    def _logical(self, e: p.Logical) -> Values:
        a, b = self.converted(e.a, BOOL), self.converted(e.b, BOOL)
        return a & b if e.op == "&&" else a | b

    def _conditional(self, e: p.Conditional) -> Values:
        return np.where(self.converted(e.condition, BOOL), self.converted(e.a, e.type), self.converted(e.b, e.type))

    def _cast(self, e: p.Cast) -> Values:
        return self.converted(e.a, e.type)

    def _bits(self, e: p.Bits) -> Values:
        return o.bit_cast(self.evaluate(e.a), e.a.type, e.type)

    def _intrinsic(self, e: p.Intrinsic) -> Values:
        _, t, parameters, meaning = o.INTRINSICS[e.name]
        values = [self.converted(a, q) for a, q in zip(e.args, parameters, strict=True)]
        return meaning(*values).astype(t.dtype, copy=False)

    # Statements: take the threads that are active, give those that go on to the next statement

    def run(self, statements: list[p.Statement], active: Mask) -> Mask:
        for s in statements:
            if not active.any():
                break
            self.steps -= 1
            if self.steps < 0:
                raise TooLong(f"seed {self.program.seed}")
            self.active = active
            active = getattr(self, "_do_" + type(s).__name__.lower())(s, active)
        return active

    def store(self, place: p.Place, value: Values, active: Mask) -> None:
        if isinstance(place, p.Var):
            np.copyto(self._var(place), value, where=active, casting="no")
        elif isinstance(place, p.Choose):
            condition = self.converted(place.condition, BOOL)
            self.store(place.a, value, active & condition)
            self.store(place.b, value, active & ~condition)
        else:
            self._write(place, self._address(place), value, active)

    def _write(self, place: p.Place, at: tuple[Store, NDArray[np.intp]], value: Values, active: Mask) -> None:
        (store, index), rows = at, at[0].row[active]
        if isinstance(place, p.At) and len(np.unique(rows * store.length + index[active])) < len(rows):
            raise Ambiguous(f"several threads write {place.array}[{place.index}]")
        store.data[rows, index[active]] = value[active]

    def _do_declare(self, s: p.Declare, active: Mask) -> Mask:
        f = self.frame
        scalars = [("", s.type)] if isinstance(s.type, Scalar) else [(f".{n}", t) for n, t in s.type.fields]
        for name, t in scalars:
            if s.length:
                if s.name + name not in f.arrays:
                    f.arrays[s.name + name] = Store(np.zeros((self.count, s.length), t.dtype), self.everyone, s.length)
                f.arrays[s.name + name].data[active] = 0
            else:
                value = self.converted(s.init, t) if s.init else np.zeros(self.count, t.dtype)
                if s.name + name not in f.variables:
                    f.variables[s.name + name] = np.zeros(self.count, t.dtype)
                np.copyto(f.variables[s.name + name], value, where=active)
        return active

    def _do_assign(self, s: p.Assign, active: Mask) -> Mask:
        value = p.Binary(s.op, s.place, s.value) if s.op else s.value
        self.store(s.place, self.converted(value, s.place.type), active)
        return active

    def _do_copy(self, s: p.Copy, active: Mask) -> Mask:
        values = {name: self.evaluate(_with_field(s.source, name, t)) for name, t in s.record.fields}
        # The target's index is evaluated once: the copy may change what it reads.
        fields = [_with_field(s.target, name, t) for name, t in s.record.fields]
        index = None if isinstance(fields[0], p.Var) else self._address(fields[0])[1]
        for place in fields:
            if isinstance(place, p.Var):
                self.store(place, values[place.field], active)
            else:
                assert index is not None
                self._write(place, (self._address(place)[0], index), values[place.field], active)
        return active

    def _do_if(self, s: p.If, active: Mask) -> Mask:
        condition = self.converted(s.condition, BOOL)
        return self.run(s.then, active & condition) | self.run(s.otherwise, active & ~condition)

    def _leavers(self, id: int) -> Mask:
        return self.frame.left.pop(id, np.zeros(self.count, np.bool_))

    def _do_loop(self, s: p.Loop, active: Mask) -> Mask:
        bound = (self.converted(s.bound, I32).view(np.uint32) % np.uint32(s.limit)).astype(np.int32) + np.int32(1)
        counter = self.frame.variables.setdefault(s.counter, np.zeros(self.count, np.int32))
        counter[active] = 0
        finished = np.zeros_like(active)
        first = s.style == "do"
        while active.any():
            if not first:
                inside = counter < bound
                if s.style == "while":
                    counter[active] += 1
                if s.condition is not None:
                    inside = inside & self.converted(s.condition, BOOL)
                finished |= active & ~inside
                active = active & inside
            first = False
            active = self.run(s.body, active)
            active = active | self.frame.again.pop(s.id, np.zeros_like(active))
            if s.style != "while":
                counter[active] += 1
        return finished | self._leavers(s.id)

    def _do_switch(self, s: p.Switch, active: Mask) -> Mask:
        selector = self.converted(s.selector, I32).view(np.uint32) % np.uint32(s.modulus)
        matched = [selector == np.uint32(v) for v in s.labels if v is not None]
        default = ~np.logical_or.reduce(matched) if matched else np.ones_like(active)
        inside = np.zeros_like(active)
        for value, statements in zip(s.labels, s.cases, strict=True):
            enters = default if value is None else selector == np.uint32(value)
            inside = self.run(statements, inside | (active & enters))
        unmatched = active & default if None not in s.labels else np.zeros_like(active)
        return inside | unmatched | self._leavers(s.id)

    def _do_block(self, s: p.Block, active: Mask) -> Mask:
        return self.run(s.body, active) | self._leavers(s.id)

    def _do_tangle(self, s: p.Tangle, active: Mask) -> Mask:
        counter = self.frame.variables.setdefault(s.counter, np.zeros(self.count, np.int32))
        counter[active] = 0
        finished = np.zeros_like(active)
        middle = active & self.converted(s.condition, BOOL)
        top = active & ~middle
        while top.any() or middle.any():
            active = self.run(s.second, middle | self.run(s.first, top))
            counter[active] += 1
            top = active & (counter < s.limit) & self.converted(s.again, BOOL)
            middle = np.zeros_like(active)
            finished |= active & ~top
        return finished

    def _do_lambda(self, s: p.Lambda, active: Mask) -> Mask:
        return self.run(s.body, active)

    def _do_leave(self, s: p.Leave, active: Mask) -> Mask:
        self.frame.left[s.target] = self.frame.left.get(s.target, np.zeros_like(active)) | active
        return np.zeros_like(active)

    def _do_next(self, s: p.Next, active: Mask) -> Mask:
        self.frame.again[s.target] = self.frame.again.get(s.target, np.zeros_like(active)) | active
        return np.zeros_like(active)

    def _do_exit(self, s: p.Exit, active: Mask) -> Mask:
        self.out[self.gid[active], 0] = s.marker
        self.gone = self.gone | active
        return np.zeros_like(active)

    def _do_return(self, s: p.Return, active: Mask) -> Mask:
        assert self.frame.function
        assert self.frame.result is not None
        np.copyto(self.frame.result, self.converted(s.value, self.frame.function.result), where=active)
        return np.zeros_like(active)

    def _do_call(self, s: p.Call, active: Mask) -> Mask:
        f, caller = self.functions[s.function], self.frame
        callee = Frame(function=f, result=np.zeros(self.count, f.result.dtype))
        for (name, t), a in zip(f.parameters, s.args, strict=True):
            callee.variables[name] = self.converted(a, t).copy()
        for (name, record), given in zip(f.records, s.records, strict=True):
            for n, _ in record.fields:
                callee.variables[f"{name}.{n}"] = caller.variables[f"{given}.{n}"].copy()
        for (name, _, length), given in zip(f.pointers, s.pointers, strict=True):
            callee.arrays[name] = replace(caller.arrays[given], length=length)
        calling = active
        if f.recursive:
            if s.itself:
                assert caller.depth is not None
                calling = active & (caller.depth > 0)
                callee.depth = caller.depth - np.int32(1)
            else:
                depth = self.converted(s.depth, I32) if s.depth else np.zeros(self.count, np.int32)
                callee.depth = (depth.view(np.uint32) % np.uint32(5)).astype(np.int32)
        if f.mask:
            callee.masks["mask"] = self.mask(s.mask)
        if not calling.any():
            return active
        self.frame = callee
        if self.run(f.body, calling).any():
            raise Ambiguous("a function ends without a value")
        self.frame = caller
        assert callee.result is not None
        self.store(s.target, o.convert(callee.result, f.result, s.target.type), calling)
        return active

    def _at_barrier(self, active: Mask) -> None:
        alive = self.exists & ~self.gone
        per_block = active.reshape(self.program.blocks, -1)
        if (per_block.any(axis=1, keepdims=True) & (per_block != alive.reshape(per_block.shape))).any():
            raise Ambiguous("a barrier that not every thread of the block reaches")

    def _do_barrier(self, s: p.Barrier, active: Mask) -> Mask:
        self._at_barrier(active)
        return active

    def _do_syncreduce(self, s: p.SyncReduce, active: Mask) -> Mask:
        self._at_barrier(active)
        true = (self.converted(s.predicate, BOOL) & active).reshape(self.program.blocks, -1).sum(axis=1)
        of = active.reshape(self.program.blocks, -1).sum(axis=1)
        result = {"count": true, "and": true == of, "or": true > 0}[s.kind].astype(np.int32)
        self.store(s.target, o.convert(result[self.block], I32, s.target.type), active)
        return active

    def _do_exchange(self, s: p.Exchange, active: Mask) -> Mask:
        for body in (s.write, s.read):
            self._at_warp(s.mask, active) if s.mask else self._at_barrier(active)
            active = self.run(body, active)
        self._at_warp(s.mask, active) if s.mask else self._at_barrier(active)
        return active

    def _do_turns(self, s: p.Turns, active: Mask) -> Mask:
        self._at_barrier(active)
        active = self.run(s.body, active)
        self._at_barrier(active)
        return active

    # Warp operations

    def mask(self, name: str) -> Values:
        return np.full(self.count, 0xFFFFFFFF, np.uint32) if name == p.FULL else self.frame.masks[name]

    def _at_warp(self, name: str, active: Mask) -> None:
        alive = self.warp.ballot(self.exists & ~self.gone)
        if ((self.mask(name) & alive) != self.warp.ballot(active))[active].any():
            raise Ambiguous(f"mask {name} does not name the lanes that are here")

    def _do_shuffle(self, s: p.Shuffle, active: Mask) -> Mask:
        self._at_warp(s.mask, active)
        t = s.target.type
        value, other = self.converted(s.value, t), self.converted(s.alternative, t)
        if s.narrow:
            value = o.NARROW[s.narrow](value)
        result = self.warp.shuffle(s.kind, value, self.converted(s.argument, I32), s.width, active, other)
        self.store(s.target, result, active)
        return active

    def _do_vote(self, s: p.Vote, active: Mask) -> Mask:
        self._at_warp(s.mask, active)
        result = self.warp.vote(s.kind, self.evaluate(s.value), active)
        source = I32 if result.dtype == np.int32 else U32
        self.store(s.target, o.convert(result, source, s.target.type), active)
        return active

    def _do_warpif(self, s: p.WarpIf, active: Mask) -> Mask:
        self._at_warp(s.parent, active)
        condition = self.converted(s.condition, BOOL)
        self.frame.masks[s.mask] = self.warp.ballot(active & condition)
        self.frame.masks[s.mask + "_else"] = self.warp.ballot(active & ~condition)
        return self.run(s.then, active & condition) | self.run(s.otherwise, active & ~condition)

    def _do_warploop(self, s: p.WarpLoop, active: Mask) -> Mask:
        counter = self.frame.variables.setdefault(s.counter, np.zeros(self.count, np.int32))
        counter[active] = 0
        mask = self.mask(s.parent).copy()
        self.frame.masks[s.mask] = mask
        finished = np.zeros_like(active)
        while active.any():
            self._at_warp(s.mask, active)
            inside = active & (counter < s.limit) & self.converted(s.condition, BOOL)
            finished |= active & ~inside
            np.copyto(mask, self.warp.ballot(inside), where=active)
            active = self.run(s.body, inside)
            active = active | self.frame.again.pop(s.id, np.zeros_like(active))
            counter[active] += 1
        return finished | self._leavers(s.id)

    # The whole

    def results(self) -> dict[str, Values]:
        """What the kernel leaves in `out` and in the arrays that it may write."""
        active = self.run(self.program.body, self.exists.copy())
        self.out[self.gid[active], 0] = 1
        for i, e in enumerate(self.program.outputs if active.any() else ()):
            self.out[self.gid[active], i + 1] = _word(self.evaluate(e), e.type)[active]
        results: dict[str, Values] = {"out": self.out.reshape(-1)}
        for a in parameters(self.program):
            if a.space == "input":
                continue
            if isinstance(a.type, Record):
                for name, _ in a.type.fields:
                    results[f"{a.name}.{name}"] = self.globals[f"{a.name}.{name}"].data.reshape(-1)
            else:
                results[a.name] = self.globals[a.name].data.reshape(-1)
        return results


def _with_field(place: p.Var | p.Element | p.At, name: str, t: Scalar) -> p.Var | p.Element | p.At:
    if isinstance(place, p.Var):
        return p.Var(place.name, t, name)
    if isinstance(place, p.At):
        return p.At(place.array, t, place.index, place.space, name)
    return p.Element(place.array, t, place.index, place.length, place.space, name)


def _word(a: Values, t: Scalar) -> Values:
    if t.floating:
        return o.canonical_bits(a, t).astype(np.uint64)
    return a.astype(np.int64 if t.signed else np.uint64).view(np.uint64)


def interpret(program: p.Program) -> dict[str, Values]:
    """
    The results of the program: `out` and every array that it may write, records field by field. Where threads draw
    numbers, the last thread may be the first: nothing may show it.
    """
    with np.errstate(all="ignore"):
        results = Interpreter(program).results()
        if any(isinstance(node, p.Ticket) for node in p.walk([*program.functions, *program.body])):
            turned = Interpreter(program, backwards=True).results()
            for name, values in results.items():
                if values.tobytes() != turned[name].tobytes():
                    raise Ambiguous(f"{name} shows in which order threads came")
        return results
