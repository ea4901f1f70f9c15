"""
Kernels against C++ twins, each built by g++ and by clang as well as these can: what kernels cost that nobody tuned for.
They stand in files that call `case(...)` (cases.py); a folder is all of its files. Both sides are called from Python by
turns, many times a turn, on one thread; the least counts. Twins with intrinsics need a processor with AVX-512 (VBMI2).

    python bench/compare/compare.py bench/compare/images [--only TEXT] [--seconds S] [--report] [--json FILE]
"""

import argparse
import ctypes
import hashlib
import json
import math
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("LANZA_CPU_THREADS", "1")
os.environ.setdefault("LANZA_CPU_QUICK_START", "never")  # the code that stays is measured, from the first launch on

import numpy as np
from cases import CASES, Case

import lanza

TWIN_FLAGS = ["-std=c++20", "-O3", "-ffast-math", "-fopenmp-simd", "-fPIC", "-shared", "-w"]
TWIN_HEAD = "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <cstring>\n#include <vector>\n#include <immintrin.h>\n"
COMPILERS = {"g++": [], "clang++": ["-fveclib=libmvec"]}


def twin_function(case: Case, compiler: str, target: str) -> Callable[..., Any]:
    body = TWIN_HEAD + 'extern "C" {\n' + case.twin + "\n}\n"
    flags = TWIN_FLAGS + [f"-march={target}"] + COMPILERS[compiler]
    key = hashlib.sha256((compiler + " ".join(flags) + body).encode()).hexdigest()[:24]
    folder = Path(os.environ.get("LANZA_TWINS", Path(tempfile.gettempdir()) / "lanza-twins"))
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / f"{key}.so"
    if not library.exists():
        with tempfile.NamedTemporaryFile("w", suffix=".cpp", dir=folder) as file:
            file.write(body)
            file.flush()
            # -ffast-math at the link would have the process flush subnormal numbers
            compiled = folder / f"{key}.{os.getpid()}.o"
            command = [compiler, *[f for f in flags if f != "-shared"], "-c", file.name, "-o", str(compiled)]
            subprocess.run(command, check=True)
        partial = folder / f"{key}.{os.getpid()}.so"
        subprocess.run([compiler, "-shared", str(compiled), "-lmvec", "-lm", "-o", str(partial)], check=True)
        compiled.unlink()
        partial.rename(library)
    function: Callable[..., Any] = ctypes.CDLL(str(library)).twin
    return function


SCALARS = {"i": {1: ctypes.c_int8, 2: ctypes.c_int16, 4: ctypes.c_int32, 8: ctypes.c_int64},
           "u": {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32, 8: ctypes.c_uint64},
           "f": {4: ctypes.c_float, 8: ctypes.c_double}}  # fmt: skip


def as_c(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    kind = value.dtype
    return SCALARS[kind.kind][kind.itemsize](value.item())


def aligned(array: np.ndarray) -> np.ndarray:
    """A copy that begins at a line of the cache, as device memory does."""
    memory = np.empty(array.nbytes + 64, np.uint8)
    start = -memory.ctypes.data % 64
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def seconds_of(work: Callable[[], None], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        work()
    return (time.perf_counter() - start) / calls


class Subject:
    """One case, ready to run on both sides."""

    def __init__(self, case: Case, target: str) -> None:
        self.case = case
        args = [
            np.asarray(a)
            if isinstance(a, np.generic | np.ndarray)
            else np.int32(a)
            if isinstance(a, int)
            else np.float32(a)
            for a in case.args
        ]
        args = [a if a.ndim else a[()] for a in map(np.asarray, args)]
        self.device = lanza.default_device()
        start = time.process_time()
        module = lanza.compile(case.source)
        self.kernel = getattr(module, case.kernel or self.only_kernel(case.source))
        self.device_args = [lanza.to_device(a) if isinstance(a, np.ndarray) else a for a in args]
        self.launch()
        self.compile_seconds = time.process_time() - start
        results = range(len(args)) if case.results is None else case.results
        self.results = [i for i in results if isinstance(args[i], np.ndarray)]
        self.twins: dict[str, Callable[[], None]] = {}
        got = {i: self.device_args[i].numpy().reshape(args[i].shape) for i in self.results}
        self.wrong = ""
        for compiler in COMPILERS:
            function = twin_function(case, compiler, target)
            own = [aligned(a) if isinstance(a, np.ndarray) else a for a in args]
            converted = [as_c(a) for a in own]
            self.twins[compiler] = lambda f=function, c=converted, keep=own: f(*c)
            self.twins[compiler]()
            self.compare(compiler, got, own)

    @staticmethod
    def only_kernel(source: str) -> str:
        after = source.split("__global__", 1)[1].split("void", 1)[1]
        return after.split("(")[0].strip().split()[-1]

    def launch(self) -> None:
        self.kernel(*self.device_args, grid=self.case.grid, block=self.case.block, shared=self.case.shared)
        self.device.synchronize()

    def compare(self, compiler: str, got: dict[int, np.ndarray], own: list[Any]) -> None:
        for i in self.results:
            ours, theirs = got[i].astype(np.float64), own[i].astype(np.float64)
            scale = float(np.max(np.abs(theirs[np.isfinite(theirs)]), initial=1e-30))
            with np.errstate(invalid="ignore"):  # infinite on both sides
                off = ~(np.abs(ours - theirs) <= self.case.tolerance * scale)
            off &= ~(np.isnan(ours) & np.isnan(theirs)) & (ours != theirs)
            if off.any():
                at = np.flatnonzero(off.ravel())
                self.wrong = f"argument {i}: {at.size} of {off.size} differ from {compiler}'s, the first at {at[0]}: {ours.ravel()[at[0]]} and {theirs.ravel()[at[0]]}"

    def measure(self, seconds: float) -> tuple[float, dict[str, float]]:
        """Microseconds of the kernel and of each twin: the least of turns of a few milliseconds each."""
        sides = {"kernel": self.launch, **self.twins}
        least = dict.fromkeys(sides, math.inf)
        calls = {name: max(1, int(0.002 / max(seconds_of(work, 1), 1e-7))) for name, work in sides.items()}
        end = time.perf_counter() + seconds
        while time.perf_counter() < end or math.isinf(least["kernel"]):
            for name, work in sides.items():
                least[name] = min(least[name], seconds_of(work, calls[name]) * 1e6)
        return least.pop("kernel"), least


def geomean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--target", default="native")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    if options.target != "native":
        os.environ["LANZA_CPU_TARGET"] = options.target
    for path in map(Path, options.sets):
        for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            runpy.run_path(str(file))
    rows = []
    print(f"{'':44}{'us':>10}{'C++':>10}{'ratio':>8}{'compiled':>10}")
    for each in CASES:
        if options.only not in each.name:
            continue
        subject = Subject(each, options.target)
        ours, theirs = subject.measure(options.seconds)
        twin = min(theirs.values())
        note = "  WRONG: " + subject.wrong if subject.wrong else ""
        print(
            f"{each.name:44}{ours:10.1f}{twin:10.1f}{ours / twin:8.2f}{subject.compile_seconds * 1e3:7.0f} ms{note}",
            flush=True,
        )
        if options.report:
            print(subject.kernel.report())
        rows.append(
            {
                "name": each.name,
                "us": ours,
                "twins": theirs,
                "ratio": ours / twin,
                "compile_ms": subject.compile_seconds * 1e3,
                "wrong": subject.wrong,
            }
        )
    print(f"{'geomean':44}{geomean([row['ratio'] for row in rows]):28.2f}")
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1))
    sys.exit(any(row["wrong"] for row in rows))


if __name__ == "__main__":
    main()
