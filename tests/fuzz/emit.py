"""Programs as CUDA C++."""

from __future__ import annotations

import itertools

from . import program as p
from .contents import contents, initial, offsets, parameters
from .spelling import literal
from .types import I32, Record, Scalar
from .updates import Updates

# Once a module, whatever the number of kernels.
PRELUDE = """\
#define FZ __device__ __forceinline__
FZ unsigned fz_tid() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
FZ unsigned fz_lane() { return fz_tid() & 31u; }
FZ unsigned fz_warp() { return fz_tid() >> 5; }
FZ unsigned fz_bid() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
FZ unsigned fz_gid() { return fz_tid() + blockDim.x * blockDim.y * blockDim.z * fz_bid(); }
FZ bool fz_has(unsigned mask, unsigned lane) { return (mask >> (lane & 31u)) & 1u; }
FZ unsigned fz_idx(unsigned a, unsigned width) { return (fz_lane() & ~(width - 1u)) | (a & (width - 1u)); }
FZ unsigned fz_up(unsigned a, unsigned width) {
  return (fz_lane() & (width - 1u)) >= (a & 31u) ? fz_lane() - (a & 31u) : fz_lane();
}
FZ unsigned fz_down(unsigned a, unsigned width) {
  return (fz_lane() & (width - 1u)) + (a & 31u) < width ? fz_lane() + (a & 31u) : fz_lane();
}
FZ unsigned fz_xor(unsigned a, unsigned width) {
  return (fz_lane() ^ (a & 31u)) <= (fz_lane() | (width - 1u)) ? fz_lane() ^ (a & 31u) : fz_lane();
}
template <class To, class From> FZ To fz_union(From from) {
  union { From a; To b; } u;
  u.a = from;
  return u.b;
}
template <class To, class From> FZ To fz_memcpy(From from) {
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
template <class T> FZ T fz_number(T x) { return x; }
FZ float fz_number(float x) { return x == x ? x : __int_as_float(0x7fc00000); }
FZ double fz_number(double x) { return x == x ? x : __longlong_as_double(0x7ff8000000000000ll); }
FZ unsigned fz_word(float x) { return fz_memcpy<unsigned>(fz_number(x)); }
FZ unsigned long long fz_word(double x) { return fz_memcpy<unsigned long long>(fz_number(x)); }
template <class T> FZ T fz_word(T x) { return x; }
extern __shared__ unsigned long long fz_dynamic[];
"""

# How a shuffled float becomes something narrower, and a float again.
_NARROW = {
    "": ("", ""), "half": ("__float2half_rn", "__half2float"), "bfloat": ("__float2bfloat16_rn", "__bfloat162float"),
}  # fmt: skip
# Before PRELUDE, where a program uses halves.
HALVES = "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"


class Emitter(Updates):
    """Writes one program; every global name carries the prefix, so that several share a module."""

    def __init__(self, program: p.Program, prefix: str) -> None:
        super().__init__(prefix)
        self.program = program
        self.arrays = {a.name: a for a in program.arrays}
        self.function = p.Function("", [], I32, [], "")
        self.lines: list[str] = []
        self.indent = 0
        self.targets: list[tuple[int, str]] = []  # constructs around, innermost last: id, and loop, switch or block
        self.used_labels: set[str] = set()
        self.temporary = itertools.count()  # names of more than a letter: the generator's own are a letter and a number
        exits = any(isinstance(n, p.Exit) for n in p.walk(list(program.body)))
        self.all_present = not exits and program.threads % 32 == 0

    def global_name(self, name: str) -> str:
        return self.prefix + name if name in self.arrays and self.arrays[name].space == "constant" else name

    def line(self, text: str) -> None:
        self.lines.append("  " * self.indent + text)

    # Statements

    def body(self, statements: list[p.Statement]) -> None:
        self.indent += 1
        for s in statements:
            self.statement(s)
        self.indent -= 1

    def statement(self, s: p.Statement) -> None:
        getattr(self, "_do_" + type(s).__name__.lower())(s)

    def assign(self, place: p.Place, value: str) -> None:
        self.line(f"{self.expression(place)} = {value};")

    def _do_declare(self, s: p.Declare) -> None:
        t = self.type(s.type)
        if s.length:
            self.line(f"{t} {s.name}[{s.length}] = {{}};")
        elif s.init is None:
            self.line(f"{t} {s.name} = {{}};")
        else:
            self.line(f"{t} {s.name} = {self.converted(s.type, s.init)};")

    def _do_assign(self, s: p.Assign) -> None:
        t, place = s.place.type, self.expression(s.place)
        if not s.op:
            self.line(f"{place} = {self.converted(t, s.value)};")
            return
        binary = p.Binary(s.op, s.place, s.value)
        plain = not (t.floating != s.value.type.floating or s.op in ("/", "%", "<<", ">>"))
        if plain and (not binary.type.signed or binary.type.floating or s.op in "&|^" or self.cannot_overflow(binary)):
            self.line(f"{place} {s.op}= {self.expression(s.value)};")
        else:
            self.line(f"{place} = {self.converted(t, binary)};")

    def _do_copy(self, s: p.Copy) -> None:
        self.line(f"{self.expression(s.target)} = {self.expression(s.source)};")

    def _do_if(self, s: p.If) -> None:
        self.line(f"if ({self.expression(s.condition)}) {{")
        self.body(s.then)
        if s.otherwise:
            self.line("} else {")
            self.body(s.otherwise)
        self.line("}")

    def construct(self, id: int, kind: str, statements: list[p.Statement]) -> None:
        self.targets.append((id, kind))
        self.body(statements)
        self.targets.pop()

    def _do_loop(self, s: p.Loop) -> None:
        bound = f"(int)((unsigned)({self.converted(I32, s.bound)}) % {s.limit}u) + 1"
        condition = f" && {self.expression(s.condition)}" if s.condition else ""
        limit = f"{s.counter}_end"
        self.line("{")
        self.indent += 1
        self.line(f"const int {limit} = {bound};")
        if s.style == "for":
            self.line(f"for (int {s.counter} = 0; {s.counter} < {limit}{condition}; ++{s.counter}) {{")
        else:
            self.line(f"int {s.counter} = 0;")
            self.line(f"while ({s.counter}++ < {limit}{condition}) {{" if s.style == "while" else "do {")
        named = f"next{s.id}" in self.used_labels
        self.line("{") if named else None  # a goto must not enter the scope of a declaration
        self.construct(s.id, "loop", s.body)
        self.line("}") if named else None
        self.label(f"next{s.id}")
        self.line(f"}} while (++{s.counter} < {limit}{condition});" if s.style == "do" else "}")
        self.indent -= 1
        self.line("}")
        self.label(f"end{s.id}")

    def label(self, name: str) -> None:
        if name in self.used_labels:
            self.line(f"{name}:;")

    def _do_switch(self, s: p.Switch) -> None:
        self.line(f"switch ((unsigned)({self.converted(I32, s.selector)}) % {s.modulus}u) {{")
        for value, statements in zip(s.labels, s.cases, strict=True):
            self.line("default: {" if value is None else f"case {value}: {{")
            self.construct(s.id, "switch", statements)
            self.line("}")
        self.line("}")
        self.label(f"end{s.id}")

    def _do_block(self, s: p.Block) -> None:
        self.line("{")
        self.construct(s.id, "block", s.body)
        self.line("}")
        self.label(f"end{s.id}")

    def _do_tangle(self, s: p.Tangle) -> None:
        self.line("{")
        self.indent += 1
        self.line(f"int {s.counter} = 0;")
        self.line(f"if ({self.expression(s.condition)}) goto middle{s.id};")
        for name, statements in (("top", s.first), ("middle", s.second)):
            self.line(f"{name}{s.id}: {{")
            self.body(statements)
            self.line("}")
        self.line(f"if (++{s.counter} < {s.limit} && {self.expression(s.again)}) goto top{s.id};")
        self.indent -= 1
        self.line("}")

    def _do_lambda(self, s: p.Lambda) -> None:
        targets, self.targets = self.targets, []
        self.line("[&]() {")
        self.body(s.body)
        self.line("}();")
        self.targets = targets

    def _do_leave(self, s: p.Leave) -> None:
        inner = [id for id, kind in self.targets if kind != "block"]
        kinds = dict(self.targets)
        if kinds[s.target] != "block" and inner[-1] == s.target:
            self.line("break;")
        else:
            self.used_labels.add(f"end{s.target}")
            self.line(f"goto end{s.target};")

    def _do_next(self, s: p.Next) -> None:
        inner = [id for id, kind in self.targets if kind == "loop"]
        if inner[-1] == s.target:
            self.line("continue;")
        else:
            self.used_labels.add(f"next{s.target}")
            self.line(f"goto next{s.target};")

    def _do_exit(self, s: p.Exit) -> None:
        self.line("{")
        self.line(f"  out[fz_gid() * {len(self.program.outputs) + 1}u] = {s.marker}ull;")
        self.line("  return;")
        self.line("}")

    def _do_return(self, s: p.Return) -> None:
        self.line(f"return {self.converted(self.function.result, s.value)};")

    def _do_call(self, s: p.Call) -> None:
        f = next(f for f in self.program.functions if f.name == s.function)
        args = [self.converted(t, a) for (_, t), a in zip(f.parameters, s.args, strict=True)]
        args += s.records + s.pointers
        if f.recursive:
            args.append(
                "depth - 1" if s.itself else f"(int)((unsigned){self.converted(I32, s.depth)} % 5u)" if s.depth else "0"
            )
        if f.mask:
            args.append(s.mask)
        args += self.passed(f)
        name = self.prefix + f.name + (f"<{f.result.c}>" if f.style == "template" else "")
        self.result_of(s.target, f.result, f"{name}({', '.join(args)})", "if (depth > 0) " if s.itself else "")

    def result_of(self, target: p.Var, t: Scalar, call: str, guard: str = "") -> None:
        """target = call, converted as Cast does it."""
        result = f"result{next(self.temporary)}"
        self.line(guard + "{")
        self.line(f"  const {t.c} {result} = {call};")
        self.line(f"  {self.expression(target)} = {self.converted(target.type, p.Var(result, t))};")
        self.line("}")

    def passed(self, f: p.Function) -> list[str]:
        """The arrays that a function (or one that it calls) uses: it is given them by their own names."""
        used: set[str] = set()
        for node in p.walk(list(f.body)):
            if isinstance(node, p.Element | p.At | p.Slot | p.View | p.Exchange):
                used.add(node.array)
            if isinstance(node, p.Call) and node.function != f.name:
                used |= set(self.passed(next(g for g in self.program.functions if g.name == node.function)))
        return [a.name for a in self.program.arrays if a.name in used and a.space != "constant"]

    def _do_barrier(self, s: p.Barrier) -> None:
        self.line("__syncthreads();")

    def _do_syncreduce(self, s: p.SyncReduce) -> None:
        call = f"__syncthreads_{s.kind}({self.expression(s.predicate)})"
        self.assign(s.target, call if s.kind == "count" else f"({call} != 0)")

    def _do_exchange(self, s: p.Exchange) -> None:
        barrier = f"__syncwarp({s.mask});" if s.mask else self.barrier_of(s.named)
        if s.mask:
            self.line(barrier)
        self.line("{")
        self.body(s.write)
        self.line("}")
        self.line(barrier)
        self.line("{")
        self.body(s.read)
        self.line("}")
        if s.trailing:
            self.line(barrier)

    def barrier_of(self, named: p.Named | None) -> str:
        if not named:
            return "__syncthreads();"
        # A count is in whole warps.
        threads = f", {self.program.threads}" if named.counted and self.all_present else ""
        return f'asm volatile("bar.sync {named.id}{threads};" ::: "memory");'

    def _do_turns(self, s: p.Turns) -> None:
        turn = f"turn{next(self.temporary)}"
        look = {"volatile": f"*(volatile unsigned*)&{turn}", "atomic": f"atomicAdd(&{turn}, 0u)"}
        self.line("{")
        self.line(f"__shared__ unsigned {turn};")
        self.line(f"if (fz_tid() == 0) {turn} = 0;")
        self.line("__syncthreads();")
        if s.way == "sleep":
            self.line(f"while (atomicCAS(&{turn}, 0u, 0u) != fz_tid()) __nanosleep(20);")
        else:
            self.line(f"while ({look[s.way]} != fz_tid()) {{}}")
        self.line("{")
        self.body(s.body)
        self.line("}")
        self.line("__threadfence_block();")
        self.line(f"atomicExch(&{turn}, fz_tid() + 1u);")
        self.line("__syncthreads();")
        self.line("}")

    def _do_ownatomic(self, s: p.OwnAtomic) -> None:
        args = ", ".join(self.expression(p.Cast(s.place.type, a)) for a in s.args)
        self.result_of(s.target, s.place.type, f"{s.name}(&{self.expression(s.place)}, {args})")

    def _do_shuffle(self, s: p.Shuffle) -> None:
        t, name = s.target.type, "__shfl_sync" if s.kind == "idx" else f"__shfl_{s.kind}_sync"
        n, argument = next(self.temporary), self.expression(p.Cast(I32, s.argument))
        present = s.mask if self.all_present else f"__ballot_sync({s.mask}, 1)"
        width = "" if s.width == 32 else f", {s.width}"
        self.line("{")
        self.line(f"  const unsigned present{n} = {present};")
        value = self.converted(t, s.value)
        to, back = _NARROW[s.narrow]
        self.line(f"  const {t.c} result{n} = {back}({name}({s.mask}, {to}({value}), {argument}{width}));")
        self.line(
            f"  {self.expression(s.target)} = fz_has(present{n}, fz_{s.kind}({argument}, {s.width}u)) ? result{n} : "
            f"{self.converted(t, s.alternative)};"
        )
        self.line("}")

    def _do_vote(self, s: p.Vote) -> None:
        value = self.expression(s.value)
        if s.kind == "match_all":
            n = next(self.temporary)
            self.line("{")
            self.line(f"  int all{n};")
            self.line(f"  const unsigned same{n} = __match_all_sync({s.mask}, {value}, &all{n});")
            self.line(f"  {self.expression(s.target)} = all{n} ? same{n} : ~same{n};")
            self.line("}")
            return
        call = f"__{s.kind}_sync({s.mask}, {value})"
        self.assign(s.target, f"({call} != 0)" if s.kind in ("any", "all") else call)

    def _do_warpif(self, s: p.WarpIf) -> None:
        n = next(self.temporary)
        self.line("{")
        self.indent += 1
        self.line(f"const bool taken{n} = {self.expression(s.condition)};")
        self.line(f"const unsigned {s.mask} = __ballot_sync({s.parent}, taken{n});")
        if s.otherwise:
            self.line(f"const unsigned {s.mask}_else = __ballot_sync({s.parent}, !taken{n});")
        self.line(f"if (taken{n}) {{")
        self.body(s.then)
        if s.otherwise:
            self.line("} else {")
            self.body(s.otherwise)
        self.line("}")
        self.indent -= 1
        self.line("}")

    def _do_warploop(self, s: p.WarpLoop) -> None:
        n = next(self.temporary)
        self.line("{")
        self.indent += 1
        self.line(f"unsigned {s.mask} = {s.parent};")
        self.line(f"for (int {s.counter} = 0;; ++{s.counter}) {{")
        self.line(f"  const bool taken{n} = {s.counter} < {s.limit} && {self.expression(s.condition)};")
        self.line(f"  {s.mask} = __ballot_sync({s.mask}, taken{n});")
        self.line(f"  if (!taken{n}) break;")
        self.line("  {")
        self.construct(s.id, "loop", s.body)
        self.line("  }")
        self.label(f"next{s.id}")
        self.line("}")
        self.indent -= 1
        self.line("}")

    # The whole

    def parameter(self, a: p.Array) -> str:
        const = "const " if a.space in ("input", "constant") else ""
        return f"{const}{self.type(a.type)}* {'__restrict__ ' * a.restrict}{a.name}"

    def emit(self) -> str:
        for r in self.program.records:
            if not r.builtin:
                fields = " ".join(f"{t.c} {name};" for name, t in r.fields)
                self.line(f"struct {self.prefix}{r.name} {{ {fields} }};")
        for a in self.program.arrays:
            if a.space == "constant":
                self.constant(a)
        if any(a.locked for a in self.program.arrays):
            self.line(f"__device__ int {self.prefix}lock = 0;")
        for f in self.program.functions:
            self.emit_function(f)
        self.emit_kernel()
        return "\n".join(self.lines) + "\n"

    def constant(self, a: p.Array) -> None:
        assert isinstance(a.type, Scalar)
        values = ", ".join(literal(a.type, v.item()) for v in contents(a))
        self.line(f"__constant__ {a.type.c} {self.prefix}{a.name}[{a.length}] = {{{values}}};")

    def with_labels(self, statements: list[p.Statement]) -> None:
        """A function's body; twice, because a label is written only where a goto was seen to need it."""
        start, temporary = len(self.lines), self.temporary
        self.used_labels = set()
        self.body(statements)
        if self.used_labels:
            del self.lines[start:]
            self.temporary = temporary
            self.body(statements)

    def emit_function(self, f: p.Function) -> None:
        self.function = f
        arrays = [self.parameter(a) for a in self.program.arrays if a.name in self.passed(f)]
        given = [f"{t.c} {name}" for name, t in f.parameters]
        given += [f"{self.type(t)} {name}" for name, t in f.records]
        given += [f"{t.c}* {name}" for name, t, _ in f.pointers]
        given += ["int depth"] * f.recursive + ["unsigned mask"] * f.mask + arrays
        how = "__noinline__ " if f.style == "noinline" else ""
        if f.style == "template":
            self.line("template <class R>")
        result = "R" if f.style == "template" else f.result.c
        self.line(f"__device__ {how}{result} {self.prefix}{f.name}({', '.join(given)}) {{")
        self.with_labels(f.body)
        self.line("}")

    def emit_kernel(self) -> None:
        arrays = ["unsigned long long* out", *(self.parameter(a) for a in parameters(self.program))]
        scalars = [f"{t.c} {name}" for name, t, _ in self.program.scalars]
        self.line(f"__global__ void {self.prefix}kernel({', '.join(arrays + scalars)}) {{")
        self.indent += 1
        self.shared_arrays()
        self.indent -= 1
        self.with_labels(self.program.body)
        self.indent += 1
        count = len(self.program.outputs) + 1
        # The bare row of a kernel without other results, which leaves a pass its rows of blocks.
        row = count == 1 and max(self.program.grid[1:] + self.program.block[1:]) == 1
        self.line(f"out[{'blockIdx.x * blockDim.x + threadIdx.x' if row else f'fz_gid() * {count}u'}] = 1ull;")
        for i, e in enumerate(self.program.outputs):
            self.line(f"out[fz_gid() * {count}u + {i + 1}u] = (unsigned long long)fz_word({self.expression(e)});")
        self.indent -= 1
        self.line("}")

    def shared_arrays(self) -> None:
        shared = [a for a in self.program.arrays if a.space in ("shared", "dynamic", "warp")]
        at = offsets(self.program)
        for a in shared:
            t = self.type(a.type)
            if a.space == "dynamic":
                self.line(f"{t}* {a.name} = reinterpret_cast<{t}*>(fz_dynamic + {at[a.name]});")
            else:
                self.line(f"__shared__ {t} {a.name}[{a.length}];")
        for a in shared:
            self.line(f"for (unsigned i = fz_tid(); i < {a.length}u; i += {self.program.threads}u) {{")
            fields = a.type.fields if isinstance(a.type, Record) else (("", a.type),)
            for name, scalar in fields:
                self.line(f"  {a.name}[i]{name and '.'}{name} = ({scalar.c})({initial(a)});")
            self.line("}")
        if shared:
            self.line("__syncthreads();")


def emit(program: p.Program, prefix: str) -> str:
    """The kernel `{prefix}kernel` and all it needs but PRELUDE."""
    return Emitter(program, prefix).emit()
