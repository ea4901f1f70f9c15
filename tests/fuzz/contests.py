"""
Threads that meet in shared memory: numbers drawn from counters, atomic updates of places that some or all share, and
first threads of rows and warps that do something for the others.
"""

from __future__ import annotations

from . import program as p
from .expressions import LANE, Context, Variable
from .idioms import Idioms
from .operations import ATOMIC_NAMES
from .statements import Maker
from .types import F32, I32, I64, U8, U16, U32, U64, Scalar

_UPDATED = (I32, I32, U32, U32, I64, U64, F32)
_SUMMED = (U8, U16, I32, U32, U32, I64, U64)
_LINE = 128  # elements that each thread adds up at most


class Contests(Idioms):
    """Makes idioms of all of a block."""

    patient = False  # no thread leaves early

    def contests(self, c: Context) -> list[tuple[Maker, int]]:
        # What a thread that has left should have set to 0 would be no number of a place.
        return [(self.tickets, 6 if self.patient else 0), (self.shared_updates, 4), (self.leaders, 3)]

    # Parts

    def argument(self, value: int, percent: int = 40) -> str:
        """A whole number as a formula: as it is, or an argument of the kernel."""
        if not self.rng.chance(percent) or len(self.program.scalars) > 8:
            return str(value)
        self.program.scalars.append((self.name("n"), I32, value))
        return self.program.scalars[-1][0]

    def shared(self, t: Scalar, length: int) -> p.Array:
        return self.plane("dynamic" if self.rng.chance(20) else "shared", t, length)

    def local(self, t: Scalar, out: list[p.Statement], value: int = 0) -> Variable:
        """A variable of an idiom's own, that nothing else writes; it is declared in `out`."""
        v = Variable(self.name("v"), t, LANE, 0, True)
        out.append(p.Declare(v.name, t, p.Literal(t, value)))
        return v

    def used(self, c: Context, value: p.Expression) -> list[p.Statement]:
        """The value goes into a variable."""
        target = self.assignable(c, value.type) or self.assignable(c)
        if target is None:
            return []
        return [p.Assign(target.read(), "" if self.rng.chance(30) else "+", value)]

    def some(self, c: Context, statements: list[p.Statement]) -> list[p.Statement]:
        """The statements by all threads, by those of which something is true, or by leaders."""
        x = self.program.block[0]
        way = self.rng.weighted((("all", 5), ("condition", 3), ("leaders", 3)))
        if way == "all":
            return statements
        if way == "condition":
            return [p.If(self.condition(c), statements, [])]
        leads = (
            "(T & 31) == 0",
            "T % 16 == 0",
            "tx == 0",
            "(T & 7) == 0",
            "T % 3 != 0",
            f"tx < {x // 2 + 1}",
            "(tx & 3) == 0",
        )
        return [p.If(p.Formula(self.rng.pick(leads)), statements, [])]

    # Tickets

    def counters(self) -> tuple[int, str, int]:
        """How many counters there are, which is a thread's own, and how many threads have the same at most."""
        (x, y, z), n = self.program.block, self.program.threads
        return self.rng.weighted((
            ((1, "0", n), 5), ((4, "T % 4", -(-n // 4)), 2), ((x, "tx", y * z), 2), ((y, "ty", x * z), 2),
            ((y * z, f"T // {x}", x), 1), ((-(-n // 32), "T // 32", 32), 1),
        ))  # fmt: skip

    def tickets(self, c: Context) -> list[p.Statement]:
        """Each thread draws a number from a counter, and has the place of that number to itself."""
        r, quiet, (groups, own, size) = self.rng, c.inside(targets=()), self.counters()
        rounds, way = r.pick((1, 1, 1, 1, 2, 3)), r.pick(("add", "add", "inc", "swap"))
        each = size * rounds
        counter = self.shared(U32 if way == "inc" else r.pick((I32, U32)), groups)
        cells = self.shared(r.pick(_SUMMED), groups * each)
        assert isinstance(counter.type, Scalar)
        assert isinstance(cells.type, Scalar)
        out: list[p.Statement] = []
        ticket = self.local(I32, out, -1)
        zero = p.Assign(self.at(counter, "0" if groups == 1 else "T"), "", p.Literal(counter.type, 0))
        zeroed = p.If(p.Formula("T == 0" if groups == 1 else f"T < {groups}"), [zero], [])
        limit = r.pick((0xFFFFFFFF, each, 100000)) if way == "inc" else 0xFFFFFFFF
        draw = p.Ticket(ticket.name, self.at(counter, own), way, limit)
        place = ticket.name if groups == 1 else f"({own}) * {each} + {ticket.name}"
        if r.chance(15):
            place = f"{each - 1} - {ticket.name}" if groups == 1 else f"({own}) * {each} + {each - 1} - {ticket.name}"
        alike = r.chance(20)  # what is kept: then any place will do to look
        value = self.literal(cells.type) if alike else self.expression(cells.type, quiet)
        keep: p.Statement = p.Assign(self.at(cells, place), "", value)
        drawn = self.some(quiet, [draw])
        if drawn != [draw]:
            keep = p.If(p.Formula(f"{ticket.name} >= 0"), [keep], [])
        if rounds == 1 and r.chance(70):
            out += [p.Exchange(counter.name, [zeroed], drawn), p.Exchange(cells.name, [keep], [])]
        else:
            several = self.repeat(rounds, quiet, lambda i: self.some(quiet, [draw, keep]))
            out += [p.Exchange(counter.name, [zeroed], several)]
        if r.chance(60):
            out += self.used(quiet, self.at(counter, own))
        if rounds == 1 and r.chance(60):
            mine = self.used(quiet, self.at(cells, place))
            out += [p.If(p.Formula(f"{ticket.name} >= 0"), mine, [])]
        if alike:
            out += self.used(quiet, self.at(cells, "T"))
        if not alike or r.chance(30):
            out += self.whole_sum(cells, quiet)
        return [*out, p.Barrier()]

    def whole_sum(self, cells: p.Array, c: Context) -> list[p.Statement]:
        """Of all elements: by each thread or by one, or by atomic operations of all."""
        r, t, length, n = self.rng, cells.type, cells.length, self.program.threads
        assert isinstance(t, Scalar)
        out: list[p.Statement] = []
        op = r.pick("+^|")
        if length <= _LINE and r.chance(60):
            total = self.local(t, out)
            line = self.repeat(length, c, lambda i: [p.Assign(total.read(), op, self.at(cells, i))])
            out += line if r.chance(70) else [p.If(p.Formula("T == 0"), line, [])]
            return [*out, *self.used(c, total.read())]
        t = r.pick((I32, U32, U64))
        shared, rounds = self.shared(t, 1), -(-length // n)
        name = {"+": "atomicAdd", "^": "atomicXor", "|": "atomicOr"}[op]

        def step(i: str) -> list[p.Statement]:
            at = "T" if i == "0" else f"(T + {n} * {i})"
            update = p.Atomic(name, self.at(shared, "0"), self.cast(t, self.at(cells, at)))
            return self.guarded(at, length, n * rounds, [update])

        zero = p.If(p.Formula("T == 0"), [p.Assign(self.at(shared, "0"), "", p.Literal(t, 0))], [])
        out.append(p.Exchange(shared.name, [zero], self.repeat(rounds, c, step)))
        return [*out, *self.used(c, self.at(shared, "0"))]

    # Updates

    def spot(self) -> str:
        """A place in an array with an element for each thread."""
        (x, _, _), n = self.program.block, self.program.threads
        return self.rng.weighted((
            ("T", 3), ("tx", 4), ("0", 3), ("T // 2", 2), (f"T * 3 % {n}", 2), (f"(T + 1) % {n}", 1), (f"{n - 1} - T", 1),
            ("ty", 1), (f"T // {x}", 1), (f"T % {min(n, 4)}", 1), ("tx // 2", 1), ("T - (T & 3)", 1),
        ))  # fmt: skip

    def product(self, c: Context, out: list[p.Statement]) -> Variable:
        """A row times a column, as of two matrices."""
        r, (x, _, z), t = self.rng, self.program.block, self.rng.pick((I32, U32, F32, F32))
        depth = r.between(2, 6)
        a, b = self.plane("input", t, self.program.threads // x * depth), self.plane("input", t, depth * x)
        total, long = self.local(t, out), self.argument(depth)
        row = "ty" if z == 1 else f"T // {x}"

        def step(k: str) -> list[p.Statement]:
            factors = self.at(a, f"{row} * {long} + {k}"), self.at(b, f"{k} * {x} + tx")
            return [p.Assign(total.read(), "+", self.cast(t, p.Binary("*", *factors)))]

        loop = self.repeat(depth, c, step)
        if isinstance(loop[0], p.Loop) and long != str(depth):
            loop[0].bound = p.Binary("-", p.Var(long, I32), p.Literal(I32, 1))
        out += loop
        return total

    def operand(self, t: Scalar, c: Context, out: list[p.Statement]) -> p.Expression:
        """What an update adds; of floats small integers, whose sums are exact in any order."""
        wide = I32 if t is F32 else t
        value = self.cast(wide, self.product(c, out).read()) if self.rng.chance(50) else self.expression(wide, c)
        return p.Cast(t, p.Binary("&", value, p.Literal(I32, 15))) if t is F32 else value

    def shared_updates(self, c: Context) -> list[p.Statement]:
        """Atomic operations on shared memory: at one place, at neighbours, at places that some threads share."""
        r, t, n, quiet = self.rng, self.rng.pick(_UPDATED), self.program.threads, c.inside(targets=())
        name, cells = r.pick(ATOMIC_NAMES[t]), self.shared(t, n)
        cells.swapped = r.chance(15)
        out: list[p.Statement] = []
        first: list[p.Statement] = []
        if r.chance(60):
            first = [
                p.Assign(
                    self.at(cells, "T"), "", p.Literal(t, 0) if t is F32 or r.chance(50) else self.expression(t, quiet)
                )
            ]

        def update(i: str) -> list[p.Statement]:
            before: list[p.Statement] = []
            value, spot = self.operand(t, quiet, before), self.spot()
            at = f"({spot} + {i}) % {n}" if i != "0" and r.chance(50) else spot
            return [*before, *self.some(quiet, [p.Atomic(name, self.at(cells, at), value)])]

        updates = self.repeat(r.pick((1, 1, 1, 2, 4)), quiet, update)
        if r.chance(30):
            updates += update("0")
        read = self.used(quiet, self.at(cells, self.spot())) + self.used(quiet, self.at(cells, r.pick(("T", "0"))))
        out.append(p.Exchange(cells.name, first, updates))
        return [*out, p.Exchange(cells.name, [], read)]

    # Leaders

    def leaders(self, c: Context) -> list[p.Statement]:
        """First threads add up what their row or warp left, and leave that with plain stores and atomic operations."""
        r, n, x, quiet = self.rng, self.program.threads, self.program.block[0], c.inside(targets=())
        width, leads = r.pick(
            ((32, "(T & 31) == 0"), (16, "T % 16 == 0"), (16, "(T & 15) == 0"), (x, "tx == 0"), (8, "(T & 7) == 0"))
        )
        t, groups = r.pick((I32, U32, U64)), -(-n // width)
        cells, sums, whole = self.shared(t, n), self.shared(t, groups), self.shared(t, r.pick((1, n)))
        everywhere = self.array("atomic", t, n, "atomicAdd") if r.chance(50) else None
        led: list[p.Statement] = []
        total = self.local(t, led)

        def step(k: str) -> list[p.Statement]:
            add = p.Assign(total.read(), "+", self.at(cells, f"T + {k}"))
            return [add] if n % width == 0 else [p.If(p.Formula(f"T + {k} < {n}"), [add], [])]

        led += (
            self.repeat(min(width, n), quiet, step)
            if r.chance(60)
            else [p.Assign(total.read(), "", self.expression(t, quiet))]
        )
        spot = "0" if whole.length == 1 else "T"
        if r.chance(70):
            led.append(p.Assign(self.at(sums, f"T // {width}"), "", total.read()))
        if r.chance(70):
            led.append(p.Atomic("atomicAdd", self.at(whole, spot), total.read()))
        if everywhere:
            led.append(p.Atomic("atomicAdd", self.at(everywhere, r.pick(("T", "0", f"T // {width}"))), total.read()))
        keep = p.Assign(self.at(cells, "T"), "", self.expression(t, quiet))
        read = self.used(quiet, self.at(sums, f"T // {width}")) + self.used(quiet, self.at(whole, spot))
        return [p.Exchange(cells.name, [keep], [p.If(p.Formula(leads), led, [])]), p.Exchange(sums.name, [], read)]
