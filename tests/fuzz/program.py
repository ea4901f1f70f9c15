"""
Programs as trees. Every node is total (but At, a place): whatever its operands, its C++ is defined and has one result.
So a reducer may replace operands and drop statements at will."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields

from .arrays import Array as Array
from .memory import Bytes as Bytes
from .memory import Ticket as Ticket
from .places import At as At
from .places import Formula as Formula
from .types import BOOL, U32, Record, Scalar, common, promoted

# Expressions. None has a side effect.


@dataclass(eq=False)
class Literal:
    type: Scalar
    value: float | int


@dataclass(eq=False)
class Builtin:
    """A coordinate: tid, lane, warp, gid (all linear), or threadIdx.x and its kin."""

    name: str
    type: Scalar = U32


@dataclass(eq=False)
class Var:
    """A scalar variable, or a field of a record variable."""

    name: str
    type: Scalar
    field: str = ""


@dataclass(eq=False)
class Element:
    """
    An element of an array at any index, taken modulo the length. In a `warp` array each warp has its own 32 elements and
    the index is taken modulo 32; in an `own` global array each thread has `length` elements.
    """

    array: str
    type: Scalar
    index: Expression
    length: int
    space: str  # private, global, constant, shared, warp, own
    field: str = ""


@dataclass(eq=False)
class Slot:
    """The element of a shared array that belongs to this thread: (tid * factor + offset) mod length, length a power of 2."""

    array: str
    type: Scalar
    length: int
    factor: int  # odd
    offset: int
    space: str = "shared"  # or warp: lane in place of tid, within the 32 elements of the warp
    field: str = ""


@dataclass(eq=False)
class View:
    """An element of an integer array in global or shared memory read as another integer type, little endian."""

    array: str
    type: Scalar
    index: Expression
    length: int  # in elements of this type


@dataclass(eq=False)
class Choose:
    """*(condition ? &a : &b): an access through a generic pointer."""

    condition: Expression
    a: Place
    b: Place

    @property
    def type(self) -> Scalar:
        return self.a.type


@dataclass(eq=False)
class Unary:
    op: str  # - ~
    a: Expression

    @property
    def type(self) -> Scalar:
        return promoted(self.a.type)


@dataclass(eq=False)
class Binary:
    """
    Arithmetic in the common type, wrapping. Divisors are made positive (signed) or odd (unsigned), shift counts are taken
    modulo the width, floating operands take + - * / only.
    """

    op: str
    a: Expression
    b: Expression

    @property
    def type(self) -> Scalar:
        return promoted(self.a.type) if self.op in ("<<", ">>") else common(self.a.type, self.b.type)


@dataclass(eq=False)
class Compare:
    op: str
    a: Expression
    b: Expression
    type: Scalar = BOOL


@dataclass(eq=False)
class Logical:
    op: str  # && ||
    a: Expression
    b: Expression
    type: Scalar = BOOL


@dataclass(eq=False)
class Conditional:
    condition: Expression
    a: Expression
    b: Expression
    type: Scalar


@dataclass(eq=False)
class Cast:
    """Conversion; a floating value is clamped into the range of an integer type first, NaN becoming its lower end."""

    type: Scalar
    a: Expression


@dataclass(eq=False)
class Bits:
    """The bits of a value of the same size, through a union or memcpy. NaN gives the canonical one."""

    type: Scalar
    a: Expression
    way: str  # union, memcpy


@dataclass(eq=False)
class Intrinsic:
    """A function of CUDA with one exact result; `operations.INTRINSICS` says which."""

    name: str
    type: Scalar
    args: list[Expression]


Expression = (
    Literal | Builtin | Var | Element | At | Formula | Slot | View | Choose | Unary | Binary | Compare | Logical | Conditional
    | Cast | Bits | Intrinsic
)  # fmt: skip
Place = Var | Element | At | Slot | Choose

# Statements.


@dataclass(eq=False)
class Declare:
    """A scalar (with a value), a record or a private array (elements and fields are zero at first)."""

    name: str
    type: Scalar | Record
    init: Expression | None = None
    length: int = 0


@dataclass(eq=False)
class Assign:
    place: Place
    op: str  # "" or the operator of a compound assignment
    value: Expression


@dataclass(eq=False)
class Copy:
    """Assignment of a whole record, between variables or elements of arrays of it."""

    record: Record
    target: Var | Element | At
    source: Var | Element | At


@dataclass(eq=False)
class If:
    condition: Expression
    then: list[Statement]
    otherwise: list[Statement]


@dataclass(eq=False)
class Loop:
    """At most `bound` (taken modulo `limit`, plus 1) rounds while the condition holds; style: for, while, do."""

    id: int
    style: str
    counter: str
    bound: Expression
    limit: int
    condition: Expression | None
    body: list[Statement]


@dataclass(eq=False)
class Switch:
    """Cases in order, None the default; each falls through into the next unless it leaves."""

    id: int
    selector: Expression
    modulus: int
    labels: list[int | None]
    cases: list[list[Statement]]


@dataclass(eq=False)
class Block:
    """A block that Leave can end from any depth (goto)."""

    id: int
    body: list[Statement]


@dataclass(eq=False)
class Tangle:
    """Irreducible flow: if (condition) goto middle; top: first; middle: second; if (++counter < limit && again) goto top;"""

    id: int
    condition: Expression
    first: list[Statement]
    second: list[Statement]
    counter: str
    limit: int
    again: Expression


@dataclass(eq=False)
class Lambda:
    """A body run as a lambda that captures by reference, called where it stands."""

    body: list[Statement]


@dataclass(eq=False)
class Leave:
    """break, or goto the end of an outer construct."""

    target: int


@dataclass(eq=False)
class Next:
    """continue, of this or an outer loop."""

    target: int


@dataclass(eq=False)
class Exit:
    """Ends the thread, after it wrote a marker."""

    marker: int


@dataclass(eq=False)
class Return:
    """Ends a device function."""

    value: Expression


@dataclass(eq=False)
class Call:
    """
    target = function(args, records by value, pointers to private arrays); a recursive function calls itself only at
    depth > 0, with one less.
    """

    target: Var
    function: str
    args: list[Expression]
    depth: Expression | None = None
    mask: str = ""
    itself: bool = False
    records: list[str] = field(default_factory=list)
    pointers: list[str] = field(default_factory=list)


@dataclass(eq=False)
class Barrier:
    pass


@dataclass(eq=False)
class SyncReduce:
    """target = __syncthreads_count, _and or _or."""

    target: Var
    kind: str
    predicate: Expression


@dataclass(eq=False)
class Named:
    """A barrier of PTX, in place of __syncthreads: its number, and whether the number of threads is given."""

    id: int
    counted: bool


@dataclass(eq=False)
class Exchange:
    """
    Threads write their slots of a shared array (or update any by one atomic operation), a barrier, threads read any
    element, a barrier. With a mask: within the lanes of the mask, by __syncwarp.
    """

    array: str
    write: list[Statement]
    read: list[Statement]
    mask: str = ""
    trailing: bool = True
    named: Named | None = None


@dataclass(eq=False)
class Turns:
    """The threads of the block run the body one after the other, in their order: each waits for its turn in a loop."""

    body: list[Statement]
    way: str  # how the turn is looked at: volatile, atomic, sleep


@dataclass(eq=False)
class Atomic:
    """An atomic operation whose result is unused, on any element."""

    name: str
    place: Element | At
    value: Expression


@dataclass(eq=False)
class OwnAtomic:
    """target = an atomic operation on an element that no other thread touches meanwhile."""

    target: Var
    name: str
    place: Slot | Element
    args: list[Expression]


@dataclass(eq=False)
class Shuffle:
    """target = __shfl*_sync(mask, value, argument, width) where the source lane takes part, else the alternative."""

    target: Var
    kind: str  # idx up down xor
    mask: str
    value: Expression
    argument: Expression
    width: int
    alternative: Expression
    narrow: str = ""  # half or bfloat: a float goes as one of these


@dataclass(eq=False)
class Vote:
    """target = ballot, any, all, match_any, match_all or reduce_* over the mask."""

    target: Var
    kind: str
    mask: str
    value: Expression


@dataclass(eq=False)
class WarpIf:
    """The lanes of `parent` where the condition holds run `then` with a mask of just these; the others `otherwise`."""

    mask: str
    parent: str
    condition: Expression
    then: list[Statement]
    otherwise: list[Statement]


@dataclass(eq=False)
class WarpLoop:
    """A loop whose mask shrinks as lanes leave it; at most `limit` rounds."""

    id: int
    mask: str
    parent: str
    counter: str
    limit: int
    condition: Expression
    body: list[Statement]


Statement = (
    Declare | Assign | Copy | If | Loop | Switch | Block | Tangle | Lambda | Leave | Next | Exit | Return | Call | Barrier
    | SyncReduce | Exchange | Turns | Atomic | OwnAtomic | Ticket | Bytes | Shuffle | Vote | WarpIf | WarpLoop
)  # fmt: skip

FULL = "0xffffffffu"


@dataclass(eq=False)
class Function:
    name: str
    parameters: list[tuple[str, Scalar]]
    result: Scalar
    body: list[Statement]
    style: str  # inline, noinline, template
    mask: bool = False
    recursive: bool = False
    records: list[tuple[str, Record]] = field(default_factory=list)
    pointers: list[tuple[str, Scalar, int]] = field(default_factory=list)


@dataclass(eq=False)
class Program:
    seed: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    records: list[Record] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    scalars: list[tuple[str, Scalar, float | int]] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    body: list[Statement] = field(default_factory=list)
    outputs: list[Expression] = field(default_factory=list)

    @property
    def threads(self) -> int:
        x, y, z = self.block
        return x * y * z

    @property
    def blocks(self) -> int:
        x, y, z = self.grid
        return x * y * z


def children(node: object) -> Iterator[object]:
    """The nodes directly below."""
    for f in fields(node):  # type: ignore[arg-type]
        value = getattr(node, f.name)
        if isinstance(value, list):
            for item in value:
                if isinstance(item, list):
                    yield from item
                elif hasattr(item, "__dataclass_fields__"):
                    yield item
        elif hasattr(value, "__dataclass_fields__") and not isinstance(value, Scalar | Record):
            yield value


def walk(nodes: Sequence[object]) -> Iterator[object]:
    """Every node of the trees, parents first."""
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        if isinstance(node, Scalar | Record | Array):
            continue
        yield node
        stack.extend(reversed(list(children(node))))
