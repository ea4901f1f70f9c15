"""Random expressions over what is visible at a place of a program."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from . import program as p
from .operations import CONVERSIONS, INTRINSICS, RAW_CASTS
from .rng import Rng
from .types import BOOL, F32, F64, FLOATS, I32, INTEGERS, SCALARS, U32, WORDS, Record, Scalar

# How far a value is known to be the same: not at all, in the lanes of a mask, in a block.
LANE, WARP, BLOCK = 0, 1, 2


@dataclass(eq=False)
class Variable:
    """A visible scalar, and where it may be assigned: a uniform one only where its scope's lanes are together."""

    name: str
    type: Scalar
    level: int = LANE
    scope: int = 0
    constant: bool = False  # a counter, a scalar argument
    field: str = ""

    def read(self) -> p.Var:
        return p.Var(self.name, self.type, self.field)


@dataclass(eq=False)
class PrivateArray:
    name: str
    type: Scalar | Record
    length: int


@dataclass(eq=False)
class RecordVariable:
    name: str
    type: Record


@dataclass
class Context:
    """Where a statement stands: which lanes are surely together, what it may leave, read and write."""

    level: int
    scope: int
    mask: str = p.FULL
    targets: tuple[tuple[int, str], ...] = ()
    may_exit: bool = True
    depth: int = 0
    rounds: int = 1  # how often a statement here may run
    readable: tuple[p.Array, ...] = ()
    slots: tuple[p.Slot, ...] = ()
    updates: tuple[tuple[p.Array, str], ...] = ()
    busy: frozenset[str] = frozenset()
    function: p.Function | None = None

    def inside(self, **changes: object) -> Context:
        return replace(self, depth=self.depth + 1, **changes)  # type: ignore[arg-type]

    def alone(self) -> Context:
        """Inside a divergent construct: lanes are no longer together."""
        return self if self.level == LANE else replace(self, level=LANE, targets=(), scope=-1)


@dataclass
class Visible:
    """What names mean at a place."""

    variables: list[Variable] = field(default_factory=list)
    arrays: list[PrivateArray] = field(default_factory=list)
    records: list[RecordVariable] = field(default_factory=list)

    def copy(self) -> Visible:
        return Visible(list(self.variables), list(self.arrays), list(self.records))


_INTEGER_OPERATORS = (
    ("+", 6),
    ("-", 5),
    ("*", 5),
    ("&", 3),
    ("|", 3),
    ("^", 4),
    ("<<", 2),
    (">>", 3),
    ("/", 1),
    ("%", 2),
)
_COORDINATES = ("tid", "lane", "gid", "threadIdx.x", "threadIdx.y", "threadIdx.z")
_UNIFORM_COORDINATES = ("blockIdx.x", "blockIdx.y", "blockDim.x", "blockDim.y", "gridDim.x", "gridDim.z")
_BY_RESULT: dict[Scalar, list[str]] = {}
for _name, _function in INTRINSICS.items():
    if _name in RAW_CASTS.values():
        continue
    _BY_RESULT.setdefault(_function[1], []).append(_name)


class Expressions:
    """Makes expressions; the program's arrays and the visible names are filled in by the generator."""

    def __init__(self, rng: Rng) -> None:
        self.rng = rng
        self.program = p.Program(0, (1, 1, 1), (1, 1, 1))
        self.visible = Visible()

    def any_type(self) -> Scalar:
        return self.rng.weighted(((I32, 5), (U32, 5), (F32, 3), (self.rng.pick(SCALARS), 6)))

    def literal(self, t: Scalar) -> p.Literal:
        r = self.rng
        if t is BOOL:
            return p.Literal(t, r.below(2))
        if t.floating:
            special = (0.0, -0.0, 0.5, 1.0, -1.0, 1.5, 1e-3, 16777216.0, float("inf"), float("nan"), 1e-40, 1e30)
            value = r.pick(special) if r.chance(30) else (r.below(4096) - 2048) / 32
            return p.Literal(t, float(t.dtype.type(value)))
        if r.chance(70):
            return p.Literal(t, r.below(17) - (8 if t.signed else 0))
        value = (
            r.word() & (1 << t.bits) - 1
            if r.chance(50)
            else r.pick((0, (1 << t.bits) - 1, 1 << t.bits - 1, (1 << t.bits - 1) - 1))
        )
        return p.Literal(t, value - (1 << t.bits) if t.signed and value >> t.bits - 1 else value)

    def condition(self, c: Context, level: int = LANE, depth: int = 1) -> p.Expression:
        r = self.rng
        kind = r.weighted((("compare", 8), ("bit", 4), ("logic", 2 if depth > 0 else 0), ("not", 1)))
        if kind == "logic":
            return p.Logical(
                r.pick(("&&", "||")), self.condition(c, level, depth - 1), self.condition(c, level, depth - 1)
            )
        if kind == "bit":
            t = r.pick(WORDS)
            mask = p.Literal(t, 1 << r.below(4))
            return p.Compare("!=", p.Binary("&", self.expression(t, c, level, depth - 1), mask), p.Literal(t, 0))
        if kind == "not":
            return p.Compare("==", self.expression(I32, c, level, depth - 1), self.literal(I32))
        a, b = (
            self.expression(self.any_type(), c, level, depth - 1),
            self.expression(self.any_type(), c, level, depth - 1),
        )
        return p.Compare(r.pick(("<", "<=", ">", ">=", "==", "!=")), a, b)

    def expression(self, t: Scalar, c: Context, level: int = LANE, depth: int | None = None) -> p.Expression:
        """A value of exactly this type, uniform at least as far as the level says."""
        if depth is None:
            depth = self.rng.weighted(((1, 4), (2, 5), (3, 1)))
        if depth <= 0:
            return self.leaf(t, c, level)
        r = self.rng
        kind = r.weighted(
            (("leaf", 5), ("binary", 9), ("unary", 1), ("cast", 3), ("choice", 2), ("bits", 1), ("function", 3))
        )
        if kind == "leaf":
            return self.leaf(t, c, level)
        if kind == "choice":
            a, b = self.expression(t, c, level, depth - 1), self.expression(t, c, level, depth - 1)
            return p.Conditional(self.condition(c, level, 0), a, b, t)
        if kind == "cast":
            loaded = self.loaded(t, c, level) if r.chance(20) else None
            if loaded:
                return loaded
            e = self.expression(self.any_type(), c, level, depth - 1)
            if e.type.floating and t in WORDS and r.chance(50):
                return p.Intrinsic(r.pick(CONVERSIONS[e.type, t]), t, [e])
            return self.cast(t, e)
        if kind == "bits" and t.bits >= 32:
            source = r.pick([s for s in SCALARS if s.bits == t.bits and s is not t])
            return p.Bits(t, self.expression(source, c, level, depth - 1), r.pick(("union", "memcpy")))
        if kind == "function" and t in _BY_RESULT:
            name = r.pick(_BY_RESULT[t])
            parameters = INTRINSICS[name][2]
            return p.Intrinsic(name, t, [self.expression(q, c, level, depth - 1) for q in parameters])
        if kind == "unary":
            a = self.expression(t, c, level, depth - 1)
            return self.cast(t, p.Unary("-" if t.floating else r.pick("-~"), a))
        return self.binary(t, c, level, depth)

    def binary(self, t: Scalar, c: Context, level: int, depth: int) -> p.Expression:
        r = self.rng
        if t.floating:
            other = r.weighted(((t, 6), (F32, 1), (I32, 1)))
            a, b = self.expression(t, c, level, depth - 1), self.expression(other, c, level, depth - 1)
            return self.cast(t, p.Binary(r.weighted((("+", 4), ("-", 3), ("*", 4), ("/", 1))), a, b))
        operands = (t, r.weighted(((t, 6), (r.pick(INTEGERS), 2))))
        a, b = (self.expression(o, c, level, depth - 1) for o in operands)
        return self.cast(t, p.Binary(r.weighted(_INTEGER_OPERATORS), a, b))

    @staticmethod
    def cast(t: Scalar, e: p.Expression) -> p.Expression:
        return e if e.type is t else p.Cast(t, e)

    def leaf(self, t: Scalar, c: Context, level: int) -> p.Expression:
        r = self.rng
        kind = r.weighted((("variable", 10), ("literal", 3), ("element", 5), ("coordinate", 2)))
        if kind == "variable":
            fitting = [v for v in self.visible.variables if v.level >= level]
            exact = [v for v in fitting if v.type is t]
            if exact and r.chance(70):
                return r.pick(exact).read()
            if fitting:
                return self.cast(t, r.pick(fitting).read())
        if kind == "element" and r.chance(8):
            view = self.view(c, level)
            if view:
                return self.cast(t, view)
        if kind == "element":
            place = self.element(c, level)
            if place:
                return self.cast(t, place)
        if kind == "coordinate":
            names = (
                _UNIFORM_COORDINATES
                if level == BLOCK
                else ("warp",)
                if level == WARP
                else _COORDINATES + _UNIFORM_COORDINATES
            )
            return self.cast(t, p.Builtin(r.pick(names)))
        return self.literal(t)

    def index(self, c: Context, level: int) -> p.Expression:
        """A simple index: deep ones cost compile time and show little more."""
        return (
            self.expression(self.rng.pick((I32, U32)), c, level, self.rng.below(2))
            if self.rng.chance(80)
            else p.Literal(I32, self.rng.below(8))
        )

    def loaded(self, t: Scalar, c: Context, level: int) -> p.Expression | None:
        """A plain cast of what only the run knows."""
        arrays = [a for a in self.program.arrays if a.space == "input" and a.type in FLOATS]
        if not arrays or t not in WORDS:
            return None
        a = self.rng.pick(arrays)
        assert isinstance(a.type, Scalar)
        return p.Intrinsic(RAW_CASTS[a.type, t], t, [self.of(a, self.index(c, level))])

    def view(self, c: Context, level: int) -> p.Expression | None:
        arrays = [a for a in (*self.program.arrays, *c.readable) if a.space == "input" or a in c.readable]
        arrays = [a for a in arrays if a.space != "warp" and isinstance(a.type, Scalar) and not a.type.floating]
        if not arrays:
            return None
        a, t = self.rng.pick(arrays), self.rng.pick(INTEGERS)
        assert isinstance(a.type, Scalar)
        # Whole elements of both types: misaligned or partial ones are no matter of fuzzing.
        length = a.length * a.type.bits // t.bits if t.bits <= a.type.bits or a.length % 8 == 0 else 0
        aligned = a.space != "input" and t.bits > a.type.bits  # shared arrays are aligned for their own type only
        if not length or aligned:
            return None
        return p.View(a.name, t, self.index(c, level), length)

    def element(self, c: Context, level: int) -> p.Place | None:
        """Something in memory that may be read here."""
        r = self.rng
        if r.chance(10) and level == LANE:
            return self.choose(c)
        options: list[p.Array | PrivateArray | p.Slot] = [
            a for a in self.program.arrays if a.space in ("input", "constant")
        ]
        options += [a for a in c.readable if level == LANE or a.space != "warp"] * 2
        if level == LANE:
            options += [a for a in self.program.arrays if a.space == "own"]
            options += self.visible.arrays * 2
            options += list(c.slots)
        if not options:
            return None
        return self.of(r.pick(options), self.index(c, level))

    def of(self, a: p.Array | PrivateArray | p.Slot, index: p.Expression) -> p.Element | p.Slot:
        """The element of an array, or one of its fields."""
        r = self.rng
        if isinstance(a, p.Slot):
            return a
        name, t = r.pick(a.type.fields) if isinstance(a.type, Record) else ("", a.type)
        return p.Element(a.name, t, index, a.length, self.space(a), name)

    @staticmethod
    def space(a: p.Array | PrivateArray) -> str:
        if isinstance(a, PrivateArray):
            return "private"
        return {"input": "global", "dynamic": "shared"}.get(a.space, a.space)

    def choose(self, c: Context) -> p.Place | None:
        """A generic pointer to one of two places of one type."""
        a, b = self.element(c.inside(), BLOCK), self.element(c.inside(), BLOCK)
        options: list[p.Array | PrivateArray | p.Slot] = [*c.readable, *c.slots, *self.visible.arrays]
        options += [x for x in self.program.arrays if x.space in ("input", "own")]
        pairs = [
            (x, y) for x in options for y in options if x is not y and isinstance(x.type, Scalar) and x.type is y.type
        ]
        if not pairs:
            return a or b
        x, y = self.rng.pick(pairs)
        return p.Choose(self.condition(c, LANE, 0), self.of(x, self.index(c, LANE)), self.of(y, self.index(c, LANE)))

    def place(self, c: Context) -> p.Place | None:
        """Something that this thread may write here."""
        r = self.rng
        kind = r.weighted((("variable", 12), ("private", 4), ("own", 2), ("slot", 10 if c.slots else 0), ("choose", 1)))
        owns = [a for a in self.program.arrays if a.space == "own"]
        if kind == "private" and self.visible.arrays:
            return self.of(r.pick(self.visible.arrays), self.index(c, LANE))
        if kind == "own" and owns:
            return self.of(r.pick(owns), self.index(c, LANE))
        if kind == "slot":
            return r.pick(c.slots)
        if kind == "choose":
            options: list[p.Array | PrivateArray | p.Slot] = [*self.visible.arrays, *owns, *c.slots]
            pairs = [
                (x, y)
                for x in options
                for y in options
                if x is not y and isinstance(x.type, Scalar) and x.type is y.type
            ]
            if pairs:
                x, y = r.pick(pairs)
                return p.Choose(
                    self.condition(c, LANE, 0), self.of(x, self.index(c, LANE)), self.of(y, self.index(c, LANE))
                )
        v = self.assignable(c)
        return v.read() if v else None

    def assignable(self, c: Context, t: Scalar | None = None) -> Variable | None:
        options = [
            v for v in self.visible.variables
            if not v.constant and v.level == LANE and (t is None or v.type is t)
        ]  # fmt: skip
        return self.rng.pick(options) if options else None

    def floating(self) -> Scalar:
        return self.rng.pick(FLOATS) if self.rng.chance(40) else F64 if self.rng.chance(20) else F32
