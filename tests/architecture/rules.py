"""Holds the tree to the rules of the house (docs/architecture.md): who may include whom, and what a file looks like.

Usage: rules.py ROOT. Prints a line for each violation and exits with 1 when there is one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

MAX_LINES = 500
LONG_FILES = "tests/architecture/long_files.txt"  # lines of "path: reason"

CPP = {".h", ".hpp", ".cuh", ".c", ".cpp", ".cu"}
HEADERS = {".h", ".hpp", ".cuh"}
TEXT = CPP | {".py", ".pyi", ".txt", ".cmake", ".in", ".md", ".toml", ".json", ".sh", ".ll", ".ptx", ".S", ""}
LIMITED = CPP | {".py"}
SKIPPED = re.compile(r"^(build.*|dist|third_party|\..*|__pycache__|.*\.egg-info)$")

# Public headers that stand below the runtime: plain values and exceptions.
BASE = ("lanza/dim3.hpp", "lanza/dtype.hpp", "lanza/error.hpp", "lanza/export.hpp", "lanza/signature.hpp")
INTERFACES = ("compiler/interface.h", "compiler/kernel_abi.h", "compiler/sync_kinds.h", "compiler/child_launch.h")
LOADER = ("compiler/loader.hpp",)
BACKEND = ("backend/backend.hpp",)
FRONT_END = ("backend/debug_source.hpp", "backend/front_end.hpp")
RUNTIME = ("lanza/", "support/", "runtime/", *INTERFACES, *LOADER, *BACKEND)

# What the project's own includes of a folder may begin with; the first folder that fits a file counts.
LAYERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("include/lanza/", ("lanza/",)),
    ("src/support/", ("support/", *BASE)),
    ("src/compiler/loader.", ("support/", *INTERFACES, *LOADER, *BASE, "lanza_compiler_version.h")),
    *((f"src/{name}", INTERFACES) for name in INTERFACES),
    ("src/compiler/", ("compiler/", "support/", "lanza/dtype.hpp", "lanza_compiler_version.h")),
    ("src/backend/backend.hpp", ("support/", *INTERFACES, *BASE)),
    ("src/backend/debug_source.", ("support/", *INTERFACES, *BACKEND, *FRONT_END, *BASE)),
    ("src/backend/front_end.", ("support/", *INTERFACES, *LOADER, *BACKEND, *FRONT_END, *BASE)),
    ("src/backend/cpu/", ("backend/cpu/", "support/", *INTERFACES, *LOADER, *BACKEND, *FRONT_END, *BASE)),
    ("src/backend/cuda/", ("backend/cuda/", "support/", *INTERFACES, *LOADER, *BACKEND, *FRONT_END, *BASE)),
    ("src/runtime/", RUNTIME),
    ("python/", (*RUNTIME, "tools/")),
    ("tools/", (*RUNTIME, "tools/")),
    ("examples/", ("lanza/",)),
)
OWN = ("lanza/", "support/", "compiler/", "backend/", "runtime/", "tools/", "python/")

# Libraries, and the only places that may include their headers.
LIBRARIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"(llvm|llvm-c|clang|clang-c|lld)/", ("src/compiler/", "tests/compiler/")),
    (r"(tbb|oneapi)/", ("src/backend/cpu/", "tests/backend/cpu/", "bench/")),
    (r"(Python\.h|nanobind/)", ("python/", "tests/python/", "bench/")),
    (r"fmt/", ("src/", "tools/", "python/", "tests/", "bench/")),
    (r"xxhash\.h", ("src/support/",)),
    (r"CLI/", ("tools/", "bench/")),
    (r"g(test|mock)/", ("tests/", "src/compiler/tools/")),
    # Why liblanza does without: src/support/text.hpp.
    (r"([iofs]|io|string)?stream$|iomanip$|locale$|regex$", ("src/compiler/", "tests/", "bench/", "examples/")),
    # The project declares what it calls itself; a test compares that with NVIDIA's header where there is one.
    (r"(cuda|cuda_runtime|cuda_runtime_api|nvrtc|cublas.*|nccl|nvml)\.h", ("tests/backend/cuda/",)),
)
# Names, and the only places that may use them in code.
NAMES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (r"\bcu[A-Z]\w+", "the CUDA driver", ("src/backend/cuda/", "src/compiler/prelude/", "tests/", "bench/")),
    (r"\bnvrtc[A-Z]\w+", "NVRTC", ("src/backend/cuda/", "tests/", "bench/")),
    (r"\b(llvm|clang|lld)::", "LLVM", ("src/compiler/", "tests/compiler/")),
)
# Files that open with a line on their purpose.
COMMENTED = ("src/", "include/", "tools/", "python/", "scripts/", "examples/", "bench/")
MACHINE_PATH = re.compile(r"(?<![\w.])/(work|root|workspace)/\w")


RAW_STRING = re.compile(r'R"(?P<mark>[^(\s]*)\((?:.|\n)*?\)(?P=mark)"')


@dataclass(frozen=True)
class Violation:
    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Source:
    path: str  # from the root, with slashes
    text: str
    root: Path

    @property
    def suffix(self) -> str:
        return Path(self.path).suffix


def files(root: Path) -> Iterator[Source]:
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if any(SKIPPED.match(part) and part != ".ci" for part in relative.parts) or not path.is_file():
            continue
        if path.suffix in TEXT:
            yield Source(relative.as_posix(), path.read_text(encoding="utf-8", errors="replace"), root)


def includes(source: Source) -> Iterator[tuple[int, str]]:
    if source.suffix not in CPP - {".cu"}:  # kernels are device code: their includes are the prelude's
        return
    code = RAW_STRING.sub(lambda match: "\n" * match.group(0).count("\n"), source.text)  # kernels in tests include too
    for number, line in enumerate(code.splitlines(), 1):
        if match := re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line):
            yield number, match.group(1)


def without_comments_and_literals(text: str) -> str:
    """The same lines, with comments and string literals emptied."""
    pattern = re.compile(
        r'R"(?P<mark>[^(\s]*)\((?:.|\n)*?\)(?P=mark)"'
        r'|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"'
        r"|'(?:\\.|[^'\\\n])+'"
    )
    return pattern.sub(lambda match: "\n" * match.group(0).count("\n"), text)


def included_path(source: Source, name: str) -> str:
    """An include as seen from src/ or include/: a file beside the includer gets its folder's name."""
    beside = (source.root / source.path).parent / name
    if "/" in name or not beside.exists() or not source.path.startswith("src/"):
        return name
    return beside.relative_to(source.root / "src").as_posix()


def check_layers(source: Source) -> Iterator[Violation]:
    allowed = next((names for folder, names in LAYERS if source.path.startswith(folder)), None)
    if allowed is None:
        return
    for line, name in includes(source):
        if ".." in Path(name).parts:
            yield Violation(source.path, line, f'includes "{name}": name the file from src/, without ".."')
        elif (path := included_path(source, name)).startswith(OWN) and not path.startswith(allowed):
            yield Violation(source.path, line, f'includes "{name}", which it may not know')


def check_libraries(source: Source) -> Iterator[Violation]:
    for line, name in includes(source):
        for pattern, places in LIBRARIES:
            if re.match(pattern, name) and not source.path.startswith(places):
                where = " and ".join(places) or "no file at all"
                yield Violation(source.path, line, f"includes <{name}>, which only {where} may include")


def check_names(source: Source) -> Iterator[Violation]:
    code = without_comments_and_literals(source.text) if source.suffix in CPP else ""
    for number, line in enumerate(code.splitlines(), 1):
        for pattern, what, places in NAMES:
            if not source.path.startswith(places) and (match := re.search(pattern, line)):
                yield Violation(source.path, number, f"names {what} ({match.group(0)}), which only {places[0]} may")


def check_public_header(source: Source) -> Iterator[Violation]:
    if not source.path.startswith("include/"):
        return
    for line, name in includes(source):
        if not name.startswith("lanza/") and not re.fullmatch(r"[a-z_0-9]+", name):
            yield Violation(
                source.path,
                line,
                f"a public header includes <{name}>; only the standard library and <lanza/...> may be",
            )


def check_guard(source: Source) -> Iterator[Violation]:
    once = re.search(r"^#pragma once$", source.text, re.M)
    guard = re.search(r"^#ifndef (\w+)\s*\n#define \1\b", source.text, re.M)
    if source.suffix in HEADERS and not once and not (guard and not source.path.startswith("include/")):
        yield Violation(source.path, 1, "a header without #pragma once")


def check_purpose(source: Source) -> Iterator[Violation]:
    openings = ("//", "/*") if source.suffix in CPP else ('"""', 'r"""', "# ") if source.suffix == ".py" else ()
    lines = [line for line in source.text.splitlines() if line.strip() and not line.startswith("#!")]
    if source.suffix == ".cpp" and (source.root / source.path).with_suffix(".hpp").exists():
        return  # its header says it
    if openings and lines and source.path.startswith(COMMENTED) and not lines[0].startswith(openings):
        yield Violation(source.path, 1, "does not open with a line that says what it is for")


def check_machine_paths(source: Source) -> Iterator[Violation]:
    for number, line in enumerate(source.text.splitlines(), 1):
        if match := MACHINE_PATH.search(line):
            yield Violation(source.path, number, f"names a directory of one machine ({match.group(0)}...)")


def check_length(sources: list[Source], root: Path) -> Iterator[Violation]:
    listed: dict[str, str] = {}
    table = root / LONG_FILES
    for number, line in enumerate(table.read_text().splitlines() if table.exists() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        path, _, reason = line.partition(":")
        if not reason.strip():
            yield Violation(LONG_FILES, number, f"{path} is listed without a reason")
        listed[path.strip()] = reason.strip()
    lengths = {s.path: len(s.text.splitlines()) for s in sources if s.suffix in LIMITED}
    for path, count in lengths.items():
        if count > MAX_LINES and path not in listed:
            yield Violation(
                path, MAX_LINES, f"has {count} lines: look for the second idea in it, or list it in {LONG_FILES}"
            )
    for path in listed:
        if lengths.get(path, 0) <= MAX_LINES:
            yield Violation(LONG_FILES, 1, f"{path} is not longer than {MAX_LINES} lines any more")


FILE_CHECKS: tuple[Callable[[Source], Iterator[Violation]], ...] = (
    check_layers,
    check_libraries,
    check_names,
    check_public_header,
    check_guard,
    check_purpose,
    check_machine_paths,
)


def check(root: Path) -> list[Violation]:
    sources = list(files(root))
    violations: list[Violation] = []
    for source in sources:
        for one_check in FILE_CHECKS:
            violations += one_check(source)
    violations += check_length(sources, root)
    return violations


def main() -> int:
    root = Path(sys.argv[1])
    violations = check(root)
    for violation in violations:
        print(violation)
    print(f"architecture: {sum(1 for _ in files(root))} files, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
