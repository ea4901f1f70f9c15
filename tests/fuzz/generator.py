"""
From a seed to a program that is valid CUDA C++ with one result, for ever the same.

What makes results unique: a thread writes its own variables, slots and elements only; what others wrote is read across
a barrier (`Exchange`); atomic operations commute and their results are unused, or nobody else touches the element;
barriers stand where all threads of the block come, operations of a warp where exactly the lanes of their mask come
(`Context` knows which lanes are together). A change of what a seed means raises VERSION.
"""

from __future__ import annotations

from . import program as p
from .accesses import Accesses
from .expressions import BLOCK, LANE, WARP, Context, PrivateArray, RecordVariable, Variable, Visible
from .operations import ATOMIC_NAMES
from .rng import Rng
from .statements import Maker
from .types import F32, F64, I32, I64, U32, U64, Record, Scalar

VERSION = 6

_SHAPES = (
    ((1, 1, 1), 1), ((7, 1, 1), 2), ((31, 1, 1), 2), ((32, 1, 1), 5), ((33, 1, 1), 3), ((64, 1, 1), 6), ((45, 1, 1), 2),
    ((96, 1, 1), 2), ((100, 1, 1), 2), ((128, 1, 1), 2), ((8, 4, 1), 2), ((5, 7, 1), 2), ((16, 5, 1), 2), ((3, 3, 3), 2),
    ((2, 3, 11), 2), ((20, 2, 2), 1), ((40, 2, 1), 1), ((1, 64, 1), 1), ((256, 1, 1), 1), ((1, 1, 37), 1), ((17, 11, 1), 1), ((500, 1, 1), 1),
)  # fmt: skip
# Of generator 6: rows that are no multiple of 16 lanes, blocks of rows, longer grids.
_ROWS = (
    ((20, 5, 1), 2), ((12, 8, 1), 2), ((33, 3, 1), 2), ((16, 8, 1), 3), ((8, 8, 1), 3), ((32, 4, 1), 3), ((256, 1, 1), 3),
    ((33, 1, 1), 4), ((100, 1, 1), 6),
)  # fmt: skip
_LONG = (((5, 1, 1), 6),)
_GRIDS = (((1, 1, 1), 4), ((2, 1, 1), 4), ((3, 1, 1), 2), ((1, 2, 1), 1), ((2, 1, 2), 1))
_SHUFFLED = (I32, U32, I64, U64, F32, F64)
_SALT = 14503  # of `of_sixth`


def of_sixth(seed: int) -> bool:
    """
    Whether the seed's program has what generator 6 brought; the others are as of generator 5. Of the numbers that choose
    as many, this one leaves the seeds that failed under 5 what they were.
    """
    return Rng(seed ^ _SALT).chance(60)


class Generator(Accesses):
    """Makes one program."""

    def __init__(self, seed: int) -> None:
        super().__init__(Rng(seed))
        r, self.sixth = self.rng, of_sixth(seed)
        self.program = p.Program(seed, (1, 1, 1), (1, 1, 1))
        self.program.grid = r.weighted(_GRIDS + _LONG if self.sixth else _GRIDS)
        self.program.block = r.weighted(_SHAPES + _ROWS if self.sixth else _SHAPES)
        self.budget = r.between(4, 16)
        self.synchronising = r.chance(85 if self.sixth else 75)
        # No thread leaves early: all can be waited for, one by one, and at barriers that count them.
        self.patient = self.synchronising and r.chance(75 if self.sixth else 50)

    # Arrays

    def slots_needed(self) -> int:
        return 1 << (self.program.threads - 1).bit_length()

    def arrays(self, bare: bool) -> None:
        r = self.rng
        for space, most in (("input", 2), ("constant", 1), ("own", 2)):
            for _ in range(r.between(space == "input", most)):
                t: Scalar | Record = self.any_type()
                if space != "constant" and r.chance(20):
                    t = self.record()
                self.array(space, t, r.pick((1, 3, 8)) if space == "own" else r.pick((5, 16, 31, 64)))
        if r.chance(40):
            t = r.pick(list(ATOMIC_NAMES))
            a = self.array("atomic", t, r.pick((1, 4, 13)), r.pick(ATOMIC_NAMES[t]))
            a.locked = r.chance(40)
            a.swapped = not a.locked and r.chance(50)
        if self.synchronising and not bare:
            for _ in range(r.between(1, 3)):
                n = self.slots_needed()
                t = self.record() if r.chance(15) else self.any_type()
                a = self.array("dynamic" if r.chance(30) else "shared", t, n * 2 if r.chance(10) else n)
                a.swapped = isinstance(t, Scalar) and t.bits >= 32 and r.chance(30)

    def of_blocks(self, c: Context) -> list[tuple[Maker, int]]:
        options = super().of_blocks(c)
        return [*options, *self.contests(c), (self.restricted, 3)] if options and self.sixth else options

    def of_threads(self, c: Context) -> list[tuple[Maker, int]]:
        options = super().of_threads(c)
        return [*options, *self.accesses(c)] if options and self.sixth else options

    def collective(self, c: Context) -> list[tuple[Maker, int]]:
        """What only lanes that are together can do."""
        common: list[tuple[Maker, int]] = [
            (self.shuffle, 4),
            (self.vote, 4),
            (self.warp_if, 4),
            (self.warp_loop, 2),
            (self.uniform_if, 2),
            (self.uniform_loop, 5),
        ]
        if c.level == BLOCK:
            return [*common, *self.of_blocks(c), (self.exchange, 9), (self.sync_reduce, 2), (self.barrier, 1), (self.collective_call, 4),
                    (self.turns, 3 if self.patient else 0)]  # fmt: skip
        return [*common, (self.warp_exchange, 7), (self.collective_call, 4)]

    # What lanes do together

    def barrier(self, c: Context) -> list[p.Statement]:
        return [p.Barrier()]

    def together(self, c: Context, t: Scalar, level: int) -> tuple[p.Var, list[p.Statement]]:
        """A variable for a result: an existing one, or a new one, which then is known to be uniform."""
        v = self.assignable(c, t)
        if v is not None and self.rng.chance(50):
            return v.read(), []
        v = Variable(self.name("w"), t, level, c.scope, level != LANE)
        declared = p.Declare(v.name, t, self.literal(t))
        self.visible.variables.append(v)
        return v.read(), [declared]

    def sync_reduce(self, c: Context) -> list[p.Statement]:
        predicate = self.condition(c)
        target, declared = self.together(c, I32, BLOCK)
        return [*declared, p.SyncReduce(target, self.rng.pick(("count", "and", "or")), predicate)]

    def shuffle(self, c: Context) -> list[p.Statement]:
        r, t = self.rng, self.rng.pick(_SHUFFLED)
        value, alternative = self.expression(t, c, LANE, 1 + self.rng.below(2)), self.expression(t, c, LANE, 1)
        argument = (
            self.expression(I32, c, LANE, 1 + self.rng.below(2))
            if r.chance(40)
            else p.Literal(I32, r.pick((1, 2, 3, 4, 8, 16, 31, 33)))
        )
        width = r.pick((32, 32, 32, 16, 8, 4, 2, 1))
        target, declared = self.together(c, t, LANE)
        narrow = r.pick(("half", "bfloat")) if t is F32 and r.chance(40) else ""
        kind = r.pick(("idx", "up", "down", "xor"))
        return [*declared, p.Shuffle(target, kind, c.mask, value, argument, width, alternative, narrow)]

    def vote(self, c: Context) -> list[p.Statement]:
        r = self.rng
        kind = r.weighted((("ballot", 4), ("any", 2), ("all", 2), ("match_any", 2), ("match_all", 2), ("reduce", 3)))
        level = LANE if kind == "match_any" else min(WARP, c.level)
        if kind in ("ballot", "any", "all"):
            value, t = self.condition(c), U32 if kind == "ballot" else I32
            target, declared = self.together(c, t, level)
            return [*declared, p.Vote(target, kind, c.mask, value)]
        if kind == "reduce":
            t = r.pick((I32, U32))
            kind = "reduce_" + r.pick(("add", "min", "max") if t is I32 else ("add", "min", "max", "and", "or", "xor"))
            value = self.expression(t, c, LANE, 1 + self.rng.below(2))
            target, declared = self.together(c, t, level)
            return [*declared, p.Vote(target, kind, c.mask, value)]
        t = r.pick((I32, U32, I64, U64))
        value = p.Binary("&", self.expression(t, c, LANE, 1 + self.rng.below(2)), p.Literal(t, r.pick((0, 1, 3, 7))))
        target, declared = self.together(c, U32, level)
        return [*declared, p.Vote(target, kind, c.mask, value)]

    def warp_context(self, c: Context, mask: str) -> Context:
        return c.inside(level=WARP, scope=next(self.scopes), mask=mask, targets=(), may_exit=False)

    def warp_if(self, c: Context) -> list[p.Statement]:
        mask, condition = self.name("m"), self.condition(c)
        then = self.block_of(self.warp_context(c, mask))
        otherwise = self.block_of(self.warp_context(c, mask + "_else")) if self.rng.chance(50) else []
        return [p.WarpIf(mask, c.mask, condition, then, otherwise)]

    def warp_loop(self, c: Context) -> list[p.Statement]:
        if c.rounds >= 60:
            return self.assignment(c)
        mask, id = self.name("m"), next(self.numbers)
        limit = self.rng.between(2, 5)
        inner = self.warp_context(c, mask)
        saved = self.visible.copy()
        self.visible.variables.append(Variable(f"i{id}", I32, WARP, inner.scope, True))
        condition = self.condition(c)
        body = self.block_of(inner.inside(targets=((id, "again"),), rounds=c.rounds * limit))
        self.visible = saved
        return [p.WarpLoop(id, mask, c.mask, f"i{id}", limit, condition, body)]

    def exchange(self, c: Context) -> list[p.Statement]:
        r = self.rng
        owner = c.function.name if c.function else ""
        free = [
            a for a in self.program.arrays
            if a.space in ("shared", "dynamic") and a.name not in c.busy and a.owner == owner
        ]  # fmt: skip
        if not free:
            return [p.Barrier()]
        a = r.pick(free)
        quiet = c.inside(targets=(), busy=c.busy | {a.name})
        t = a.type
        if isinstance(t, Scalar) and t in ATOMIC_NAMES and not t.floating and r.chance(35):
            update = (a, r.pick(ATOMIC_NAMES[t]))
            write = self.block_of(quiet.inside(updates=(*c.updates, update)), 0, 2)
            write += self.atomic(quiet.inside(updates=(update,)))
        else:
            slots = self.slots(a, "shared")
            write = [p.Assign(s, "", self.expression(s.type, c)) for s in slots]
            write += self.block_of(quiet.inside(slots=(*c.slots, *slots)), 0, 3)
        read = self.reading(a, quiet)
        named = p.Named(r.between(1, 15), r.chance(60)) if self.patient and r.chance(60) else None
        return [p.Exchange(a.name, write, read, named=named)]

    def turns(self, c: Context) -> list[p.Statement]:
        if c.function or c.rounds > 4:
            return self.assignment(c)
        body = self.block_of(c.alone().inside(targets=(), may_exit=False), 1, 3)
        return [p.Turns(body, self.rng.pick(("volatile", "atomic", "sleep")))]

    def reading(self, a: p.Array, quiet: Context) -> list[p.Statement]:
        inner = quiet.inside(readable=(*quiet.readable, a))
        element = self.of(a, self.index(quiet, LANE))
        target = self.assignable(quiet)
        first: list[p.Statement] = [p.Assign(target.read(), "", element)] if target else []
        return first + self.block_of(inner, 0, 3)

    def slots(self, a: p.Array, space: str) -> list[p.Slot]:
        factor, offset = self.rng.below(8) * 2 + 1, self.rng.below(a.length)
        fields = a.type.fields if isinstance(a.type, Record) else (("", a.type),)
        return [p.Slot(a.name, t, a.length, factor, offset, space, f) for f, t in fields]

    def warp_exchange(self, c: Context) -> list[p.Statement]:
        if c.function or sum(a.space == "warp" for a in self.program.arrays) >= 3:
            return self.shuffle(c)
        # An array of its own: lanes that are not in the mask may be anywhere else.
        a = self.array("warp", self.any_type(), -(-self.program.threads // 32) * 32)
        slots = self.slots(a, "warp")
        quiet = c.inside(targets=())
        write: list[p.Statement] = [p.Assign(slots[0], "", self.expression(slots[0].type, c))]
        write += self.block_of(quiet.inside(slots=(*c.slots, *slots)), 0, 2)
        return [p.Exchange(a.name, write, self.reading(a, quiet), c.mask)]

    def collective_call(self, c: Context) -> list[p.Statement]:
        options = [f for f in self.program.functions if f.mask or (c.level == BLOCK and BLOCK in self.levels[f.name])]
        if not options or c.function or c.rounds >= 20:
            return self.shuffle(c)
        return self.call_of(self.rng.pick(options), c)

    # Functions and the kernel

    def function(self, kind: str) -> None:
        r, name = self.rng, self.name("f")
        recursive = kind == "lane" and r.chance(25)
        style = "noinline" if r.chance(30) else "inline" if recursive or r.chance(70) else "template"
        types = [self.any_type() for _ in range(r.between(1, 3))]
        levels = [LANE] * len(types)
        if kind == "block":
            types.append(I32)
            levels.append(BLOCK)
        f = p.Function(
            name,
            [(f"{name}_{i}", t) for i, t in enumerate(types)],
            self.any_type(),
            [],
            style,
            kind == "warp",
            recursive,
        )
        self.levels[name] = levels
        level = {"lane": LANE, "warp": WARP, "block": BLOCK}[kind]
        scope = next(self.scopes)
        c = Context(level, scope, "mask" if kind == "warp" else p.FULL, may_exit=False, depth=1, rounds=4, function=f)
        saved, self.visible = self.visible, Visible()
        self.visible.variables = [
            Variable(n, t, level, scope, level != LANE) for (n, t), level in zip(f.parameters, levels, strict=True)
        ]
        if r.chance(25):
            f.records.append((f"{name}_r", record := self.record()))
            self.visible.records.append(RecordVariable(f"{name}_r", record))
            self.visible.variables += [Variable(f"{name}_r", t, LANE, 0, False, field) for field, t in record.fields]
        if r.chance(25):
            f.pointers.append((f"{name}_a", t := self.any_type(), length := r.pick((2, 4, 7))))
            self.visible.arrays.append(PrivateArray(f"{name}_a", t, length))
        if kind == "block" and r.chance(70):
            self.array("shared", self.any_type(), self.slots_needed(), owner=name)
        budget, self.budget = self.budget, r.between(2, 6)
        self.unfinished.add(name)
        for _ in range(r.between(1, 4)):
            f.body += self.statement(c)
        if recursive and self.assignable(c) is not None:
            self.program.functions.append(f)
            self_call = self.call_of(f, c)
            self.program.functions.remove(f)
            for s in self_call:
                if isinstance(s, p.Call):
                    s.itself, s.depth = True, None
            f.body += self_call
            if r.chance(50):
                f.body += self.statement(c)
        if kind == "lane" and r.chance(40):
            at = r.below(len(f.body) + 1)
            f.body.insert(
                at,
                p.If(
                    p.Compare("<", p.Var(f.parameters[0][0], types[0]), self.literal(types[0])),
                    [p.Return(self.literal(f.result))],
                    [],
                ),
            )
        f.body.append(p.Return(self.expression(f.result, c, LANE, 1 + self.rng.below(2))))
        self.unfinished.discard(name)
        self.budget, self.visible = budget, saved
        self.program.functions.append(f)

    def results(self) -> list[p.Statement]:
        """Each variable to a plane of its own, as a person leaves results: `out`, in which they lie side by side, has none."""
        count, out = self.program.threads * self.program.blocks, list[p.Statement]()
        for x in self.visible.variables:
            plane = self.pointed("plane", x.type, count)
            out.append(p.Assign(self.at(plane, self.thread()), "", x.read()))
        return out

    def generate(self) -> p.Program:
        r, program = self.rng, self.program
        for _ in range(r.between(1, 2)):
            t = r.pick((I32, U32, F32, I64))
            literal = self.literal(t)
            program.scalars.append((self.name("n"), t, literal.value))
        # Nothing but idioms: as in most kernels, no other code keeps a pass from what it looks for; and bare ones, that
        # have no other memory, nor `out`, in which results lie side by side.
        bare = self.sixth and r.chance(40)
        self.arrays(bare)
        # Functions see the arrays of the kernel and nothing of its variables.
        kinds = ("lane", "lane", "warp", "block") if self.synchronising else ("lane",)
        plain = bare or r.chance(35 if self.sixth else 25)
        for _ in range(0 if plain else r.below(3)):
            self.function(r.pick(kinds))
        c = Context(BLOCK if self.synchronising else LANE, 0, may_exit=not self.patient)
        self.visible.variables = [Variable(n, t, BLOCK, 0, True) for n, t, _ in program.scalars]
        for _ in range(r.between(1, 2) if bare else r.between(3, 6)):
            t = self.any_type()
            first = self.leaf(t, c, BLOCK) if bare else self.expression(t, c)
            program.body.append(p.Declare(v := self.name("v"), t, first))
            self.visible.variables.append(Variable(v, t))
        for g in program.functions:
            if c.level == BLOCK and (g.mask or BLOCK in self.levels[g.name]):
                program.body += self.call_of(g, c)
        if plain:
            self.budget = 0
            for _ in range(r.between(1, 3)):
                options = [*self.of_threads(c), *(self.of_blocks(c) if self.synchronising else [])]
                program.body += r.weighted(options or [(self.assignment, 1)])(c)
        while self.budget > 0:
            program.body += self.statement(c)
        if bare:
            program.body += self.results()
        else:
            program.outputs += [x.read() for x in self.visible.variables]
        for a in self.visible.arrays:
            for i in range(a.length):
                f, t = a.type.fields[0] if isinstance(a.type, Record) else ("", a.type)
                program.outputs.append(p.Element(a.name, t, p.Literal(I32, i), a.length, "private", f))
        return program


def generate(seed: int) -> p.Program:
    """The program of a seed."""
    return Generator(seed).generate()
