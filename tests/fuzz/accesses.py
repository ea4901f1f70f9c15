"""
Places of memory as kernels name them, by parts of the index of the grid, by divisors that are chosen, by an argument
that says how far elements are apart, by pointers that are `__restrict__`, and byte by byte.
"""

from __future__ import annotations

from . import program as p
from .contests import Contests
from .expressions import Context, PrivateArray, Variable
from .statements import Maker
from .types import F32, I16, I32, I64, INTEGERS, U8, U16, U32, U64, Scalar

_TYPES = (I32, I32, U32, F32, F32, U8, I16, U16, I64)


class Accesses(Contests):
    """Makes idioms of each thread; those by restricted pointers are of all of a block."""

    def accesses(self, c: Context) -> list[tuple[Maker, int]]:
        return [(self.parts, 3), (self.divisors, 2), (self.strides, 1), (self.bytes_moved, 1)]

    def pointed(self, space: str, t: Scalar, length: int) -> p.Array:
        """An array whose parameter may be `__restrict__`."""
        a = self.plane(space, t, length)
        a.restrict = self.rng.chance(40)
        return a

    def thread(self) -> str:
        """The number of a thread in the grid; as most kernels have it, where that is one."""
        if max(self.program.grid[1:] + self.program.block[1:]) == 1 and self.rng.chance(90):
            return self.rng.pick(("(bx * dx + tx)", "(wx * ex + ux)", "(bx * dx + tx)"))
        return f"(B * {self.program.threads} + T)"

    def parts(self, c: Context) -> list[p.Statement]:
        """Loads by multiples of the thread's or the block's number by itself, beside those by the number in the grid."""
        r, t, (x, y, _), gx = self.rng, self.rng.pick(_TYPES), self.program.block, self.program.grid[0]
        count = self.program.threads * self.program.blocks
        length = max(8 * x * gx, count) + 8 * y + 16
        here, out = self.thread(), list[p.Statement]()
        result, sources = (
            self.pointed("plane", t, count),
            [self.pointed("input", t, length) for _ in range(r.between(1, 2))],
        )
        value: p.Expression = self.at(r.pick(sources), r.pick((here, self.part())))
        for _ in range(r.between(0, 3)):
            value = self.cast(t, p.Binary(r.pick("+-"), value, self.at(r.pick(sources), self.part())))
        out = [p.Assign(self.at(result, here), "", value)]
        if r.chance(30):
            most = max(count - r.below(4), 0)  # where the place is unsigned, less would be a great many
            out = [p.If(p.Formula(f"{here} < {self.argument(most)}"), out, [])]
        return out + self.used(c, self.at(r.pick(sources), self.part()))

    def part(self) -> str:
        """A place within eight rows of blocks."""
        k, m = self.rng.between(2, 4), self.rng.between(2, 4)
        if self.rng.chance(20):
            return self.rng.pick(("tx * 2 + bx * 2 * dx", f"tx * 2 + bx * {m} * dx", f"tx * {k} + bx * {m}", "bx * dx", "wx * ex",
                                  "(bx * dx + tx) * 2", "wide(bx * dx + tx) * 2"))  # fmt: skip
        axis, by = self.rng.pick(("x", "x", "x", "y")), self.argument(k, 25)
        n = self.rng.pick(("t", "t", "u", "b", "w")) + (axis if self.program.grid[1] == 1 or axis == "x" else "x")
        n = "ty" if n in ("by", "wy") else n
        return self.rng.pick((f"{n} * {by}", f"{n} * {k}", f"wide({n}) * {k}", f"wide({n} * {k})", f"wide({n}) * {by}", f"{n} * {k} + 1",
                              n, f"{n} // 2", f"{n} * 2 % 4"))  # fmt: skip

    def divisors(self, c: Context) -> list[p.Statement]:
        """Quotients and remainders by what is chosen between 1 and a size."""
        r, t, n = self.rng, self.rng.pick((I32, I32, U32, I64)), self.program.threads
        whole = n * self.program.blocks
        size = r.pick((n, whole, whole, max(n // 2, 1), max(n - 3, 1), self.program.block[0], 7))
        i = r.pick((self.thread(), "T", "tx"))
        source, m = self.pointed("input", r.pick(_TYPES), whole + size + 1), Variable(self.name("v"), t, constant=True)
        named = self.argument(size, 60)
        large: p.Expression = p.Var(named, I32) if named != str(size) else p.Literal(t, size)
        choice = p.Conditional(self.one(c), p.Literal(t, 1), self.cast(t, large), t)
        if r.chance(20):
            choice = p.Conditional(choice.condition, choice.b, choice.a, t)
        out: list[p.Statement] = [p.Declare(m.name, t, choice)]
        for _ in range(r.between(1, 3)):
            place = r.pick((f"{i} % {m.name}", f"{i} // {m.name}", f"({i} + 1) % {m.name}", f"({i} + {named} - 1) % {m.name}",
                            f"{i} - {i} // {m.name} * {m.name}", f"{i} // {m.name} + {i} % {m.name}"))  # fmt: skip
            out += self.used(c, self.at(source, place) if r.chance(60) else p.Formula(place, t))
        return out

    def one(self, c: Context) -> p.Expression:
        """Whether a divisor is 1: by an argument, by what is found, or by anything."""
        r = self.rng
        way = r.pick(("argument", "found", "any"))
        if way == "argument":
            return p.Formula(f"{self.argument(r.below(2), 100)} {r.pick(('== 1', '< 1', '> 0'))}")
        if way == "found":
            flags = self.pointed("input", r.pick((I32, U8)), self.program.threads * self.program.blocks)
            return p.Compare("==", self.at(flags, self.thread()), p.Literal(I32, r.between(-1, 1)))
        return self.condition(c)

    def strides(self, c: Context) -> list[p.Statement]:
        """y[i * incy] = f(x[i * incx]), as BLAS has it: arguments say how far elements are apart."""
        r, t, count = self.rng, self.rng.pick(_TYPES), self.program.threads * self.program.blocks
        across, up = r.pick((1, 1, 2, 3, 0, -1)), r.pick((1, 1, 2, -1))
        x, y = self.pointed("input", t, count * max(abs(across), 1)), self.pointed("plane", t, count * abs(up))
        i = self.thread()
        of_x, of_y = (
            f"{count - 1} + {i} * {self.argument(by, 90)}" if by < 0 else f"{i} * {self.argument(by, 90)}" for by in (across, up)
        )  # fmt: skip
        value: p.Expression = self.at(x, of_x)
        if r.chance(60):
            value = self.cast(t, p.Binary(r.pick("+-*"), value, self.expression(t, c)))
        return [p.Assign(self.at(y, of_y), "+" if r.chance(50) else "", value)]

    def restricted(self, c: Context) -> list[p.Statement]:
        """Elements of the threads of a block behind one `__restrict__` pointer: each writes its own and reads another's."""
        r, t, n, quiet = self.rng, self.rng.pick(_TYPES), self.program.threads, c.inside(targets=())
        plane, out = self.plane("plane", t, n * self.program.blocks), list[p.Statement]()
        plane.restrict = True
        held, own = self.local(t, out), f"B * {n} + T"
        away = r.pick((f"(T + 1) % {n}", f"{n - 1} - T", f"(T + {r.below(40)}) % {n}", "max(T - 1, 0)", "0", "T // 2"))
        other = f"B * {n} + {away}"

        def step(i: str) -> list[p.Statement]:
            read: p.Expression = self.at(plane, other)
            if r.chance(60):
                read = self.cast(t, p.Binary(r.pick("+-"), read, self.expression(t, quiet, depth=1)))
            take, give = p.Assign(held.read(), "", read), p.Assign(self.at(plane, own), "", held.read())
            if r.chance(50):
                return [p.Barrier(), take, p.Barrier(), give, p.Barrier()]
            write = p.Assign(self.at(plane, own), r.pick(("", "+")), self.expression(t, quiet))
            return [p.Exchange(plane.name, [write], [take]), *self.used(quiet, held.read())]

        if r.chance(50):
            out += self.used(quiet, self.at(plane, other))
            out.append(p.Barrier())
        return (
            out
            + self.repeat(r.pick((1, 2, 2, 4)), quiet, step)
            + self.used(quiet, self.at(plane, other))
            + [p.Barrier()]
        )

    def bytes_moved(self, c: Context) -> list[p.Statement]:
        """Some bytes of a variable to an array of bytes, and others back, at any alignment."""
        r, count = self.rng, self.program.threads * self.program.blocks
        space = r.weighted((("private", 5), ("plane", 3), ("shared", 2 if c.level else 0)))
        length = r.between(11, 24)
        out: list[p.Statement] = []
        if space == "private":
            a = p.Array(self.name("a"), U8, length, "private")
            out.append(p.Declare(a.name, U8, None, length))
            self.visible.arrays.append(PrivateArray(a.name, U8, length))
            base = ""
        else:
            a = self.plane(space, U8, length * (count if space == "plane" else self.program.threads))
            base = f"{self.thread()} * {length} + " if space == "plane" else f"T * {length} + "
        for _ in range(r.between(1, 3)):
            t = r.pick(tuple(t for t in INTEGERS if t.bits > 8))
            some = r.pick(tuple(n for n in (1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 8) if n <= t.bits // 8))
            v = Variable(self.name("v"), t)
            out.append(p.Declare(v.name, t, self.expression(t, c)))
            self.visible.variables.append(v)
            last = length - some
            spot = r.pick((str(r.below(last + 1)), str(r.below(last + 1)), f"T % {last + 1}", f"(T & {min(last, 3)})"))
            out.append(p.Bytes(v.name, self.at(a, base + spot), some, r.chance(60)))
            if r.chance(40):
                out += self.used(c, self.at(a, base + str(r.below(length))))
        back = Variable(self.name("v"), U64)
        out += [
            p.Declare(back.name, U64, p.Literal(U64, 0)),
            p.Bytes(back.name, self.at(a, base + str(r.below(length - 8))), 8, False),
        ]
        self.visible.variables.append(back)
        return out
