"""Programs compiled by Lanza and run: by an engine of the CPU device, or on a GPU."""

from __future__ import annotations

import functools
import json
import os
import re
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lanza

from .contents import contents, offsets, parameters
from .emit import HALVES, PRELUDE, emit
from .program import Program
from .types import FLOATS, Record

Results = dict[str, NDArray[Any]]
ENGINES = ("threads", "lanes", "auto", "vector8", "vector16", "vector32", "cuda")
DRAWN = "drawn"  # in place of an engine: one of the others than threads, as the seed says
OPTIONS = ("-fmad=false",)


def prefix_of(program: Program) -> str:
    return f"p{program.seed}_"


def source_of(programs: list[Program]) -> str:
    """One module for all of them."""
    text = "".join(emit(program, prefix_of(program)) for program in programs)
    return (HALVES if "half" in text or "bfloat" in text else "") + PRELUDE + text


def drawn(seed: int) -> str:
    return ENGINES[1:-1][seed % (len(ENGINES) - 2)]


def choose(engine: str) -> None:
    """Makes the CPU device compile for that engine from now on: "vector16" is the mode vector with 16 lanes."""
    name, lanes = re.fullmatch(r"([a-z]+)(\d*)", engine).groups()  # type: ignore[union-attr]
    os.environ["LANZA_CPU_MODE"] = name
    os.environ["LANZA_CPU_QUICK_START"] = "never"
    if lanes:
        os.environ["LANZA_CPU_LANES"] = lanes
    else:
        os.environ.pop("LANZA_CPU_LANES", None)


@functools.cache
def toolkit() -> tuple[str, ...]:
    """Where NVRTC finds the headers of halves: the toolkit, or the wheels of PyPI. The CPU device has its own."""
    site = Path(sysconfig.get_paths()["purelib"]) / "nvidia"
    folders = [Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include", *site.glob("*/include")]
    return tuple(str(folder) for folder in folders if (folder / "cuda_fp16.h").exists())[:1]


class Compiled:
    """A module of several programs, for one engine."""

    def __init__(self, programs: list[Program], engine: str) -> None:
        if engine != "cuda":
            choose(engine)
        self.engine = engine
        device = lanza.Device("cuda" if engine == "cuda" else "cpu")
        folders = toolkit() if engine == "cuda" else ()
        self.module = lanza.compile(
            source_of(programs), filename="fuzz.cu", device=device, options=OPTIONS, include_dirs=folders, cache=False
        )
        self.device = device

    def what_ran(self, program: Program) -> str:
        """The engine that ran the program, as its report says: "vector" only with several lanes at a time."""
        report = self.module.kernel(prefix_of(program) + "kernel").report().partition("\n")[0]
        if not report.startswith("{"):
            return self.engine
        fields: dict[str, Any] = json.loads(report)
        return "lanes" if fields["engine"] == "vector" and fields["lanes"] == 1 else str(fields["engine"])

    def run(self, program: Program, timeout: float = 20.0) -> Results:
        """What the kernel leaves in its arrays, in the interpreter's form."""
        n = program.threads * program.blocks
        out = np.zeros(n * (len(program.outputs) + 1), np.uint64)
        arrays = parameters(program)
        values = {a.name: contents(a, program) for a in arrays}
        args = [lanza.in_(values[a.name]) if a.space == "input" else lanza.inout(values[a.name]) for a in arrays]
        scalars = [t.dtype.type(value) for _, t, value in program.scalars]
        kernel = self.module.kernel(prefix_of(program) + "kernel")
        with self.device:
            kernel(
                lanza.inout(out), *args, *scalars, grid=program.grid, block=program.block,
                shared=offsets(program)[""] * 8, timeout=None if self.engine == "cuda" else timeout,
            )  # fmt: skip
        results: Results = {"out": out}
        for a in arrays:
            if a.space == "input":
                continue
            if isinstance(a.type, Record):
                results |= {f"{a.name}.{name}": values[a.name][name] for name, _ in a.type.fields}
            else:
                results[a.name] = values[a.name]
        return results


def difference(expected: Results, found: Results) -> str:
    """The first place where results differ, bit for bit but for NaN, which is one value; empty when there is none."""
    for name, want in expected.items():
        have = found[name]
        word = f"u{want.dtype.itemsize}"
        same = np.ascontiguousarray(want).view(word) == np.ascontiguousarray(have).view(word)
        if want.dtype in [t.dtype for t in FLOATS]:
            same |= np.isnan(want) & np.isnan(have)
        if not same.all():
            i = int(np.argmin(same))
            return f"{name}[{i}]: expected {want[i]!r}, got {have[i]!r} ({int((~same).sum())} of {len(same)} differ)"
    return ""
