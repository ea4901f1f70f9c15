"""Expressions of programs as CUDA C++."""

from __future__ import annotations

import numpy as np

from . import program as p
from .operations import INTRINSICS, range_of
from .places import spelled
from .types import BOOL, F32, I32, Record, Scalar, unsigned

_BUILTINS = {"tid": "fz_tid()", "lane": "fz_lane()", "warp": "fz_warp()", "gid": "fz_gid()"}


def literal(t: Scalar, value: float | int) -> str:
    """A constant of exactly this type."""
    if t is BOOL:
        return "true" if value else "false"
    if t.floating:
        return _floating_literal(t, float(value))
    value = int(value)
    if t.signed and t.bits >= 32 and value == -(1 << t.bits - 1):
        return f"(-{-(value + 1)}{t.suffix} - 1)"
    text = f"{value}{t.suffix}"
    if t.bits < 32:
        return f"({t.c})({text})"
    return f"({text})" if value < 0 else text


def _floating_literal(t: Scalar, value: float) -> str:
    if np.isfinite(value):
        text = value.hex() + t.suffix
        return f"({text})" if text[0] == "-" else text
    if t is F32:
        return f"__int_as_float({'0x7fc00000' if value != value else '0x7f800000' if value > 0 else '(int)0xff800000'})"
    word = "0x7ff8" if value != value else "0x7ff0" if value > 0 else "0xfff0"
    return f"__longlong_as_double((long long){word}000000000000ull)"


class Spelling:
    """Writes expressions; the program's own global names carry a prefix."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def type(self, t: Scalar | Record) -> str:
        if isinstance(t, Scalar):
            return t.c
        return t.name if t.builtin else self.prefix + t.name

    def expression(self, e: p.Expression) -> str:
        return getattr(self, "_" + type(e).__name__.lower())(e)  # type: ignore[no-any-return]

    def _literal(self, e: p.Literal) -> str:
        return literal(e.type, e.value)

    def _builtin(self, e: p.Builtin) -> str:
        return _BUILTINS.get(e.name, e.name)

    def _var(self, e: p.Var) -> str:
        return f"{e.name}.{e.field}" if e.field else e.name

    def _element(self, e: p.Element) -> str:
        index = self.expression(e.index)
        length = 32 if e.space == "warp" else e.length
        within = (
            f"((unsigned)({index}) & {length - 1}u)" if not length & length - 1 else f"(unsigned)({index}) % {length}u"
        )
        if e.space == "warp":
            within = f"fz_warp() * 32u + {within}"
        if e.space == "own":
            within = f"fz_gid() * {length}u + {within}"
        name = self.prefix + e.array if e.space == "constant" else e.array
        return f"{name}[{within}]{'.' + e.field if e.field else ''}"

    def _at(self, e: p.At) -> str:
        name = self.prefix + e.array if e.space == "constant" else e.array
        return f"{name}[{spelled(e.index, self.global_name)}]{'.' + e.field if e.field else ''}"

    def _formula(self, e: p.Formula) -> str:
        return f"({spelled(e.text, self.global_name)})"

    def global_name(self, name: str) -> str:
        """A name of the program, as it stands in the text: constant arrays carry the prefix."""
        return name

    def _slot(self, e: p.Slot) -> str:
        if e.space == "warp":
            index = f"fz_warp() * 32u + ((fz_lane() * {e.factor}u + {e.offset}u) & 31u)"
        else:
            index = f"(fz_tid() * {e.factor}u + {e.offset}u) & {e.length - 1}u"
        return f"{e.array}[{index}]{'.' + e.field if e.field else ''}"

    def _view(self, e: p.View) -> str:
        return f"reinterpret_cast<const {e.type.c}*>({e.array})[(unsigned)({self.expression(e.index)}) % {e.length}u]"

    def _choose(self, e: p.Choose) -> str:
        return f"(*({self.expression(e.condition)} ? &{self.expression(e.a)} : &{self.expression(e.b)}))"

    def _unary(self, e: p.Unary) -> str:
        a, t = self.expression(e.a), e.type
        if e.op == "-" and t.signed and not t.floating:
            return f"({t.c})(0u - ({unsigned(t).c}){a})"
        return f"({e.op}{a})"

    def _binary(self, e: p.Binary) -> str:
        a, b, t = self.expression(e.a), self.expression(e.b), e.type
        if t.floating:
            return f"({a} {e.op} {b})"
        if e.op in ("<<", ">>"):
            count = f"((int){b} & {t.bits - 1})"
            return f"({t.c})(({unsigned(t).c}){a} << {count})" if e.op == "<<" and t.signed else f"({a} {e.op} {count})"
        if e.op in ("/", "%"):
            operand = f"((({t.c}){b} & 0x3ff{t.suffix}) + 1)" if t.signed else f"({b} | 1{t.suffix})"
            return f"({a} {e.op} {operand})"
        if t.signed and e.op in "+-*" and not self.cannot_overflow(e):
            u = unsigned(t).c
            return f"({t.c})(({u}){a} {e.op} ({u}){b})"
        return f"({a} {e.op} {b})"

    @staticmethod
    def cannot_overflow(e: p.Binary) -> bool:
        narrow = e.a.type.bits < 32 and e.b.type.bits < 32
        return narrow and (e.op != "*" or e.a.type.bits + e.b.type.bits < 32)

    def _compare(self, e: p.Compare) -> str:
        return f"({self.expression(e.a)} {e.op} {self.expression(e.b)})"

    _logical = _compare

    def _conditional(self, e: p.Conditional) -> str:
        return f"({self.expression(e.condition)} ? {self.expression(e.a)} : {self.expression(e.b)})"

    def _cast(self, e: p.Cast) -> str:
        a, source, t = self.expression(e.a), e.a.type, e.type
        if source.floating and not t.floating and t is not BOOL:
            wide = t if t.bits >= 32 else I32
            low, high = (literal(source, v) for v in range_of(wide, source))
            name = "f" if source is F32 else ""
            clamped = f"fmin{name}(fmax{name}({a}, {low}), {high})"
            return f"({t.c})({wide.c}){clamped}" if wide is not t else f"({t.c}){clamped}"
        return f"(({t.c}){a})"

    def _bits(self, e: p.Bits) -> str:
        a = self.expression(e.a)
        return f"fz_{e.way}<{e.type.c}>({f'fz_number({a})' if e.a.type.floating else a})"

    def _intrinsic(self, e: p.Intrinsic) -> str:
        text, _, parameters, _ = INTRINSICS[e.name]
        return text.format(*(f"({t.c}){self.expression(a)}" for t, a in zip(parameters, e.args, strict=True)))

    def converted(self, t: Scalar | Record, e: p.Expression) -> str:
        """The value as the type: implicitly where C++ does it, through Cast's clamp where it would be undefined."""
        assert isinstance(t, Scalar)
        return self.expression(p.Cast(t, e) if e.type.floating and not t.floating else e)
