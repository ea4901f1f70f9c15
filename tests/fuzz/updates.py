"""Updates of memory as CUDA C++: atomic operations, what does the same by locks and loops, tickets, moved bytes."""

from __future__ import annotations

from collections.abc import Iterator

from . import program as p
from .spelling import Spelling
from .types import U32, U64, unsigned

# What an atomic operation does, of `old` and {v}; sums in the unsigned type {0}.
_UNDER_LOCK = {
    "atomicAdd": "({0})old + ({0}){v}", "atomicSub": "({0})old - ({0}){v}", "atomicAnd": "old & {v}", "atomicOr": "old | {v}",
    "atomicXor": "old ^ {v}", "atomicMin": "old < {v} ? old : {v}", "atomicMax": "old < {v} ? {v} : old",
}  # fmt: skip


class Updates(Spelling):
    """Writes the statements; lines and the names of temporaries are the emitter's."""

    arrays: dict[str, p.Array]
    temporary: Iterator[int]

    def line(self, text: str) -> None:
        raise NotImplementedError

    def _do_atomic(self, s: p.Atomic) -> None:
        if self.arrays[s.place.array].locked:
            return self.locked(s)
        if self.arrays[s.place.array].swapped:
            return self.swapped(s)
        self.line(f"{s.name}(&{self.expression(s.place)}, {self.expression(p.Cast(s.place.type, s.value))});")

    def locked(self, s: p.Atomic) -> None:
        """The operation on plain memory, under a lock of the whole grid."""
        n, t, place = next(self.temporary), s.place.type, self.expression(s.place)
        self.line("{")
        self.line(f"  const {t.c} value{n} = {self.expression(p.Cast(t, s.value))};")
        self.line(f"  volatile {t.c}* const place{n} = &{place};")
        self.line("  for (bool done = false; !done;) {")
        self.line(f"    if (atomicCAS(&{self.prefix}lock, 0, 1) != 0) continue;")
        self.line("    __threadfence();")
        self.line(f"    const {t.c} old = *place{n};")
        self.line(
            f"    *place{n} = {_UNDER_LOCK[s.name].format(unsigned(t).c if not t.floating else t.c, v=f'value{n}')};"
        )
        self.line("    __threadfence();")
        self.line(f"    atomicExch(&{self.prefix}lock, 0);")
        self.line("    done = true;")
        self.line("  }")
        self.line("}")

    def swapped(self, s: p.Atomic) -> None:
        """The operation as a loop around atomicCAS."""
        n, t, place = next(self.temporary), s.place.type, self.expression(s.place)
        word = unsigned(t) if not t.floating else U64 if t.bits == 64 else U32
        new = _UNDER_LOCK[s.name].format(unsigned(t).c if not t.floating else t.c, v=f"value{n}")
        self.line("{")
        self.line(f"  const {t.c} value{n} = {self.expression(p.Cast(t, s.value))};")
        self.line(f"  {word.c}* const place{n} = reinterpret_cast<{word.c}*>(&{place});")
        self.line(f"  {word.c} word{n} = *(volatile {word.c}*)place{n}, seen{n};")
        self.line("  do {")
        self.line(f"    seen{n} = word{n};")
        self.line(f"    const {t.c} old = fz_memcpy<{t.c}>(seen{n});")
        self.line(f"    word{n} = atomicCAS(place{n}, seen{n}, fz_memcpy<{word.c}>(({t.c})({new})));")
        self.line(f"  }} while (word{n} != seen{n});")
        self.line("}")

    def _do_ticket(self, s: p.Ticket) -> None:
        place, t = self.expression(s.place), s.place.type.c
        if s.way == "add":
            self.line(f"{s.variable} = (int)atomicAdd(&{place}, ({t})1);")
        elif s.way == "inc":
            self.line(f"{s.variable} = (int)atomicInc(&{place}, {s.limit}u);")
        else:
            n = next(self.temporary)
            self.line("{")
            self.line(f"  {t}* const place{n} = &{place};")
            self.line(f"  {t} word{n} = *(volatile {t}*)place{n}, seen{n};")
            self.line("  do {")
            self.line(f"    seen{n} = word{n};")
            self.line(f"    word{n} = atomicCAS(place{n}, seen{n}, seen{n} + ({t})1);")
            self.line(f"  }} while (word{n} != seen{n});")
            self.line(f"  {s.variable} = (int)seen{n};")
            self.line("}")

    def _do_bytes(self, s: p.Bytes) -> None:
        ends = [f"&{s.variable}", f"&{self.expression(s.place)}"]
        to, source = reversed(ends) if s.out else ends
        self.line(f"memcpy({to}, {source}, {s.count});")
