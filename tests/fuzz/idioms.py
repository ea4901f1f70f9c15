"""
What kernels are full of, and random trees never draw: tiles that turn planes, rows fetched ahead, strips, windows with
edges held, tables of directions, sums over a block, counters of each thread's own. Their indices stand as a person
writes them (`At`), without being brought into range: shapes and lengths are chosen to fit.
"""

from __future__ import annotations

from collections.abc import Callable

from . import program as p
from .expressions import LANE, Context, Variable
from .statements import Maker, Statements
from .types import F32, F64, FLOATS, I8, I16, I32, U8, U16, U32, VECTORS, Record, Scalar

_TYPES = (I32, U32, F32, F32, U8, I8, U16, I16, F64)
_RECORDS = tuple(r for r in VECTORS if sum(t.bits for _, t in r.fields) <= 128)
_CELLS = 1024  # of a tile
_DIRECTIONS = (1, 0, -1, 0, 1, -1, 1, -1, 0)


def inside(row: str, height: int, column: str, width: int) -> p.Formula:
    """Whether a place lies in a plane."""
    return p.Formula(f"0 <= {row} && {row} < {height} && 0 <= {column} && {column} < {width}")


class Idioms(Statements):
    """Makes idioms; all of the block comes to those that are `of_blocks`."""

    def of_blocks(self, c: Context) -> list[tuple[Maker, int]]:
        if c.function or c.rounds > 8 or len(self.program.arrays) > 12:
            return []
        return [(self.tile, 3), (self.rows_ahead, 2), (self.halo, 2), (self.sum_of_block, 2), (self.scan, 1),
                (self.own_counters, 1)]  # fmt: skip

    def of_threads(self, c: Context) -> list[tuple[Maker, int]]:
        if c.function or c.rounds > 8 or len(self.program.arrays) > 12:
            return []
        return [(self.turned, 1), (self.window, 1), (self.directions, 1), (self.strip, 1)]

    # Parts

    def plane(self, space: str, t: Scalar | Record, length: int) -> p.Array:
        """An array that only its idiom writes; inputs are everybody's."""
        owner = "" if space == "input" else "idiom"
        if isinstance(t, Record) and t not in self.program.records:
            self.program.records.append(t)
        return self.array(space, t, length, owner=owner)

    def repeat(self, rounds: int, c: Context, body: Callable[[str], list[p.Statement]]) -> list[p.Statement]:
        """The body for each of so many rounds, which is given its counter."""
        if rounds == 1:
            return body("0")
        id = next(self.numbers)
        saved = self.visible.copy()
        self.visible.variables.append(Variable(f"i{id}", I32, c.level, c.scope, True))
        statements = body(f"i{id}")
        self.visible = saved
        return [p.Loop(id, "for", f"i{id}", p.Literal(I32, rounds - 1), rounds, None, statements)]

    def cells(self, width: int, height: int, c: Context, body: Callable[[str, str], list[p.Statement]]) -> list[p.Statement]:  # fmt: skip
        """The body for each cell of a plane, which is given its row and column: by rows of the block, or in one line."""
        (x, y, z), n = self.program.block, self.program.threads
        if x == width and z == 1 and self.rng.chance(70):
            rounds, unsigned = -(-height // y), self.rng.chance(40)
            row, column = ("uy", "ux") if unsigned else ("ty", "tx")

            def rows(i: str) -> list[p.Statement]:
                at = row if i == "0" else f"({row} + {y} * {i})"
                return self.guarded(at, height, y * rounds, body(at, column))

            return self.repeat(rounds, c, rows)
        rounds = -(-width * height // n)

        def line(i: str) -> list[p.Statement]:
            at = "T" if i == "0" else f"(T + {n} * {i})"
            return self.guarded(at, width * height, n * rounds, body(f"{at} // {width}", f"{at} % {width}"))

        return self.repeat(rounds, c, line)

    @staticmethod
    def guarded(at: str, count: int, reach: int, body: list[p.Statement]) -> list[p.Statement]:
        return body if reach <= count else [p.If(p.Formula(f"{at} < {count}"), body, [])]

    def moved(self, t: Scalar | Record, to: p.Array, at: str, source: p.Array, place: str, c: Context) -> list[p.Statement]:  # fmt: skip
        """to[at] = source[place], or something made of it."""
        if isinstance(t, Record):
            return [p.Copy(t, self.at(to, at), self.at(source, place))]
        read: p.Expression = self.at(source, place)
        if self.rng.chance(40):
            read = self.cast(t, p.Binary(self.rng.pick("+-*"), read, self.expression(t, c, LANE, 1)))
        return [p.Assign(self.at(to, at), "", read)]

    @staticmethod
    def at(a: p.Array, index: str, field: str = "") -> p.At:
        t = dict(a.type.fields)[field] if isinstance(a.type, Record) and field else a.type
        return p.At(a.name, t if isinstance(t, Scalar) else I32, index, a.space, field)

    def added(self, c: Context, value: p.At) -> list[p.Statement]:
        """The value goes into a variable."""
        target = self.assignable(c, value.type) or self.assignable(c)
        if target is None:
            return []
        return [p.Assign(target.read(), "" if self.rng.chance(30) else "+", value)]

    def element_type(self) -> Scalar | Record:
        return self.rng.pick(_RECORDS) if self.rng.chance(25) else self.rng.pick(_TYPES)

    def shape(self) -> tuple[int, int]:
        """Width and height of a tile."""
        (x, y, _), r = self.program.block, self.rng
        width = x if r.chance(50) and x <= 64 else r.pick((2, 4, 8, 16, 32, 33))
        height = width if r.chance(50) else y if r.chance(30) else r.pick((2, 3, 8, 16, 32))
        while width * height > min(_CELLS, 8 * self.program.threads):
            height = max(height // 2, 1)
            width = width if height > 1 else min(width, 8 * self.program.threads)
        return width, height

    # Of the whole block

    def tile(self, c: Context) -> list[p.Statement]:
        """A plane is turned through shared memory, whose rows may be a bit longer than the tile's."""
        r, t, (width, height) = self.rng, self.element_type(), self.shape()
        pitch, blocks = width + r.pick((0, 1, 1, 2)), self.program.blocks
        source, turned = (
            self.plane("input", t, width * height * blocks),
            self.plane("plane", t, width * height * blocks),
        )
        tile = self.plane("dynamic" if r.chance(25) else "shared", t, pitch * height)
        quiet = c.inside(targets=())
        write = self.cells(width, height, quiet, lambda row, column: self.moved(
            t, tile, f"{row} * {pitch} + {column}", source, f"({row}) * {width * blocks} + B * {width} + {column}", quiet))  # fmt: skip
        read = self.cells(height, width, quiet, lambda row, column: self.moved(
            t, turned, f"(B * {width} + {row}) * {height} + {column}", tile, f"({column}) * {pitch} + {row}", quiet))  # fmt: skip
        return [p.Exchange(tile.name, write, read + self.block_of(quiet, 0, 1))]

    def rows_ahead(self, c: Context) -> list[p.Statement]:
        """Each row is fetched while the one before it is used."""
        r, t, n, rounds = self.rng, self.rng.pick(_TYPES), self.program.threads, self.rng.between(3, 9)
        source, row = self.plane("input", t, n * rounds), self.plane("shared", t, n)
        ahead = Variable(self.name("v"), t, LANE, 0, True)
        quiet, early = c.inside(targets=()), r.chance(60)

        def step(i: str) -> list[p.Statement]:
            fetch = p.If(p.Formula(f"{i} + 1 < {rounds}"), [p.Assign(ahead.read(), "", self.at(source, f"({i} + 1) * {n} + T"))], [])  # fmt: skip
            keep = p.Assign(self.at(row, "T"), "", ahead.read())
            used = self.added(quiet, self.at(row, r.pick((f"(T + 1) % {n}", f"{n - 1} - T", "max(T - 1, 0)"))))
            used += self.added(quiet, self.at(row, f"min(T + {r.below(5)}, {n - 1})")) + self.block_of(quiet, 0, 1)
            return [
                p.Exchange(row.name, [keep, fetch] if early else [keep], used),
                *([] if early else [fetch]),
            ]

        return [p.Declare(ahead.name, t, self.at(source, "T")), *self.repeat(rounds, quiet, step)]

    def halo(self, c: Context) -> list[p.Statement]:
        """A row in shared memory with its neighbours' ends, and a sum over a window of it."""
        r, t, n = self.rng, self.rng.pick(_TYPES), self.program.threads
        radius, whole = r.between(1, 4), self.program.threads * self.program.blocks
        source, row = self.plane("input", t, whole), self.plane("shared", t, n + 2 * radius)
        here = f"B * {n} + T"
        before = p.Assign(self.at(row, "T"), "", self.at(source, f"max({here} - {radius}, 0)"))
        behind = p.Assign(self.at(row, f"T + {n + radius}"), "", self.at(source, f"min({here} + {n}, {whole - 1})"))
        own = p.Assign(self.at(row, f"T + {radius}"), "", self.at(source, here))
        write: list[p.Statement] = [own, p.If(p.Formula(f"T < {radius}"), [before, behind], [])]
        quiet = c.inside(targets=())
        read = self.repeat(2 * radius + 1, quiet, lambda i: self.added(quiet, self.at(row, f"T + {i}")))
        return [p.Exchange(row.name, write, read)]

    def sum_of_block(self, c: Context) -> list[p.Statement]:
        """Halves are added until one is left; the block may be no power of two."""
        t, n = self.rng.pick((I32, U32, F32, F32, F64, U8)), self.program.threads
        cells, quiet = self.plane("shared", t, n), c.inside(targets=())
        top = 1 << max(n - 1, 1).bit_length() - 1
        op = self.rng.pick("+-*" if t in FLOATS else "+-^|")

        def step(i: str) -> list[p.Statement]:
            distance = f"({top} >> {i})"
            taken = p.If(p.Formula(f"T < {distance} && T + {distance} < {n}"),
                         [p.Assign(self.at(cells, "T"), op, self.at(cells, f"T + {distance}"))], [])  # fmt: skip
            return [p.Exchange(cells.name, [taken], [])]

        first = p.Exchange(cells.name, [p.Assign(self.at(cells, "T"), "", self.expression(t, quiet))], [])
        read = self.added(quiet, self.at(cells, "0"))
        return [first, *self.repeat(top.bit_length(), quiet, step), p.Exchange(cells.name, [], read)]

    def scan(self, c: Context) -> list[p.Statement]:
        """Sums up to each thread, by steps that double."""
        t, n = self.rng.pick((I32, U32, F32)), self.program.threads
        cells, quiet = self.plane("shared", t, n), c.inside(targets=())
        below = Variable(self.name("v"), t, LANE, 0, True)

        def step(i: str) -> list[p.Statement]:
            read = p.If(
                p.Formula(f"T >= (1 << {i})"), [p.Assign(below.read(), "", self.at(cells, f"T - (1 << {i})"))], []
            )
            zero = p.Assign(below.read(), "", p.Literal(t, 0))
            return [p.Exchange(cells.name, [zero, read], [p.Assign(self.at(cells, "T"), "+", below.read())])]

        first = p.Exchange(cells.name, [p.Assign(self.at(cells, "T"), "", self.expression(t, quiet))], [])
        last = p.Exchange(cells.name, [], self.added(quiet, self.at(cells, f"{n - 1} - T")))
        return [
            p.Declare(below.name, t, p.Literal(t, 0)),
            first,
            *self.repeat(max((n - 1).bit_length(), 1), quiet, step),
            last,
        ]

    def own_counters(self, c: Context) -> list[p.Statement]:
        """Counts by value, in a column of each thread's own; then rows are summed up."""
        n, r = self.program.threads, self.rng
        if n > 128:
            return self.assignment(c)
        t = r.pick((U8, U16, U32))
        counts, quiet = self.plane("shared", t, 8 * n), c.inside(targets=())
        key = Variable(self.name("v"), U32, LANE, 0, True)
        count = [p.Assign(key.read(), "", self.expression(U32, quiet)),
                 p.Assign(self.at(counts, f"({key.name} & 7) * {n} + T"), "+", p.Literal(t, r.between(1, 3)))]  # fmt: skip
        write = self.repeat(r.between(2, 6), quiet, lambda i: list(count))
        read = self.repeat(n, quiet, lambda j: self.added(quiet, self.at(counts, f"(T & 7) * {n} + {j}")))
        return [p.Declare(key.name, U32, p.Literal(U32, 0)), p.Exchange(counts.name, write, read)]

    # Of each thread

    def turned(self, c: Context) -> list[p.Statement]:
        """A plane is turned without a tile."""
        t, (width, height), blocks = self.element_type(), self.shape(), self.program.blocks
        source, turned = (
            self.plane("input", t, width * height * blocks),
            self.plane("plane", t, width * height * blocks),
        )
        return self.cells(width, height, c, lambda row, column: self.moved(
            t, turned, f"(B * {width} + {column}) * {height} + {row}", source, f"(B * {height} + {row}) * {width} + {column}", c))  # fmt: skip

    def strip(self, c: Context) -> list[p.Statement]:
        """Each thread has a strip: elements side by side, or a column with the elements above carried along."""
        r, t, n, rounds = self.rng, self.rng.pick(_TYPES), self.program.threads, self.rng.between(2, 8)
        length = n * self.program.blocks * rounds
        source, result = self.plane("input", t, length), self.plane("plane", t, length)
        along = r.chance(40)
        above = Variable(self.name("v"), t, LANE, 0, True)

        def step(i: str) -> list[p.Statement]:
            at = f"(B * {n} + T) * {rounds} + {i}" if along else f"(B * {rounds} + {i}) * {n} + T"
            value = self.cast(t, p.Binary(r.pick("+-"), above.read(), self.at(source, at)))
            keep = p.Assign(above.read(), "", self.at(source, at) if r.chance(50) else value)
            return [p.Assign(self.at(result, at), "", value), keep]

        return [p.Declare(above.name, t, self.literal(t)), *self.repeat(rounds, c, step)]

    def around(self) -> tuple[int, int, str, str]:
        """A plane with a cell for each thread: its width and height, the thread's row and column."""
        x, y, z = self.program.block
        if self.rng.chance(50) and x > 1:
            return x, y * z * self.program.blocks, f"(B * {y * z} + T // {x})", "tx"
        width = self.rng.pick((4, 8, 16, 40))
        height = -(-self.program.threads * self.program.blocks // width)
        here = f"(B * {self.program.threads} + T)"
        return width, height, f"{here} // {width}", f"{here} % {width}"

    def window(self, c: Context) -> list[p.Statement]:
        """A sum over a window whose edges are held: clamped, wrapped, or left out."""
        r, t, (width, height, row, column) = self.rng, self.rng.pick(_TYPES), self.around()
        source, across, down = self.plane("input", t, width * height), r.between(0, 2), r.between(0, 2)
        way = r.pick(("clamp", "clamp", "wrap", "skip"))

        def tap(i: str, j: str) -> list[p.Statement]:
            y, x = f"({row} + {i} - {down})", f"({column} + {j} - {across})"
            if way == "skip":
                return [p.If(inside(y, height, x, width), self.added(c, self.at(source, f"{y} * {width} + {x}")), [])]
            y, x = (
                (f"min(max({a}, 0), {n - 1})" if way == "clamp" else f"(({a} + {2 * n}) % {n})")
                for a, n in ((y, height), (x, width))
            )
            return self.added(c, self.at(source, f"{y} * {width} + {x}"))

        return self.repeat(2 * down + 1, c, lambda i: self.repeat(2 * across + 1, c, lambda j: tap(i, j)))

    def directions(self, c: Context) -> list[p.Statement]:
        """Neighbours by tables of offsets, perhaps with weights."""
        r, t, (width, height, row, column) = self.rng, self.rng.pick(_TYPES), self.around()
        source, count = self.plane("input", t, width * height), r.between(2, 8)
        tables = []
        for first in (0, r.below(4)):
            table = self.plane("constant", r.pick((I32, I32, I8)), count)
            table.values = tuple(_DIRECTIONS[(first + i) % 9] for i in range(count))
            tables.append(table)
        weights = self.plane("constant", F32, count) if r.chance(40) else None
        target = self.assignable(c, F32)

        def tap(i: str) -> list[p.Statement]:
            y, x = f"({row} + {tables[0].name}[{i}])", f"({column} + {tables[1].name}[{i}])"
            value = self.at(source, f"{y} * {width} + {x}")
            if weights and target:
                product = p.Binary("*", self.at(weights, i), value)
                used: list[p.Statement] = [p.Assign(target.read(), "+", self.cast(F32, product))]
            else:
                used = self.added(c, value)
            return [p.If(inside(y, height, x, width), used, [])]

        return self.repeat(count, c, tap)
