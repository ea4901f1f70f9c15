#!/usr/bin/env python3
"""
Measure the errors of the mathematical functions whose code changed, over every float and a million doubles, and update
tests/compiler/prelude/accuracy/measured.tsv and the table of docs/math.md.

    scripts/check_math.py                  what changed since it was measured (a function of float: 1 to 10 minutes of 10 cores)
    scripts/check_math.py --all            everything
    scripts/check_math.py --from FILE      take the lines that math_accuracy_test printed elsewhere; nothing is run here
    scripts/check_math.py --list           only say what changed
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests/compiler/prelude/accuracy/measured.tsv"
PAGE = ROOT / "docs/math.md"
BEGIN, END = "<!-- measured by scripts/check_math.py -->\n", "<!-- end of the table -->\n"
COLUMNS = ("code", "inputs", "ulps", "at", "absolute", "absolute at", "bound", "absolute bound")
SAMPLES = (1, 70_000), (400_000, 500_000)  # numbers of inputs of quick checks: of doubles, of floats
Row = dict[str, str]


def read_table() -> dict[str, Row]:
    """The rows of measured.tsv by function; its first two lines are the compiler and the names of the columns."""
    if not TABLE.exists():
        return {}
    rows = list(csv.reader(TABLE.read_text().splitlines()[2:], delimiter="\t"))
    return {row[0]: dict(zip(COLUMNS, row[1:], strict=True)) for row in rows}


def write_table(compiler: str, rows: dict[str, Row]) -> None:
    lines = [
        f"# {compiler}: digests of the functions' code, and the errors measured of it",
        "\t".join(("function", *COLUMNS)),
    ]
    lines += ["\t".join((name, *(row[c] for c in COLUMNS))) for name, row in rows.items()]
    TABLE.write_text("\n".join(lines) + "\n")


def run_tests(program: Path, names: str, **environment: str) -> bool:
    """Runs the tests; their output goes on to the terminal."""
    compiler = program.parent.parent / "lib/lanza/liblanza-compiler.so"
    settings = {"LANZA_COMPILER": str(compiler), **os.environ, **environment}
    return subprocess.run([program, f"--gtest_filter={names}", "--gtest_brief=1"], env=settings).returncode == 0


def current_code(program: Path) -> tuple[str, dict[str, tuple[str, str, str]]]:
    """The compiler's name, and of each function the digest of its code and its two bounds."""
    with tempfile.NamedTemporaryFile("r") as file:
        run_tests(program, "MathCode.*", LANZA_MATH_CODE=file.name)
        first, *lines = file.read().splitlines()
    fields = (line.split("\t") for line in lines)
    return first.removeprefix("# "), {name: (code, bound, absolute) for name, code, bound, absolute in fields}


def measured_lines(text: str) -> dict[str, Row]:
    """The lines of a run's output that a check recorded, by function."""
    rows = (line.split("\t") for line in text.splitlines() if line.count("\t") == 5)
    return {row[0]: dict(zip(COLUMNS[1:6], row[1:], strict=True)) for row in rows}


def measure(program: Path, names: list[str]) -> dict[str, Row]:
    with tempfile.NamedTemporaryFile("r") as file:
        tests = ":".join(f"*Accuracy.*/{name}" for name in names)
        settings = {"LANZA_MATH_EXHAUSTIVE": "1", "LANZA_MATH_SAMPLES": "1000000", "LANZA_MATH_RECORD": file.name}
        if not run_tests(program, tests, **settings):
            sys.exit("check_math.py: an error is above its bound; nothing was updated")
        return measured_lines(file.read())


def cell(row: Row | None) -> str:
    """Measured error and bound: in ulps, and absolute where CUDA bounds that."""
    if row is None:
        return " | "
    parts, bounds = [], []
    if float(row["bound"]) > 0 or row["absolute bound"] == "0":
        parts.append(f"{float(row['ulps']):.3f}")
        bounds.append(row["bound"])
    if row["absolute bound"] != "0":
        parts.append(f"{float(row['absolute']):.1e} abs.")
        bounds.append(f"{float(row['absolute bound']):.1e} abs.")
    sample = " (sample)" if any(low <= int(row["inputs"]) < high for low, high in SAMPLES) else ""
    return f"{'; '.join(parts)}{sample} | {'; '.join(bounds)}"


def page_table(rows: dict[str, Row]) -> str:
    """Float and double of a function side by side."""

    def stem(name: str) -> str:
        single = name.endswith("f") and name[:-1] in rows
        return name[:-1] if single else name

    lines = [
        "| function | float: largest error | CUDA's bound | double: largest error | CUDA's bound |",
        "|---|---|---|---|---|",
    ]
    done = set()
    for name in rows:
        base = stem(name)
        if base in done:
            continue
        done.add(base)
        double = rows.get(base) if base + "f" in rows or base.startswith("__d") else None
        single = rows.get(base + "f") or (None if double else rows[base])
        label = base.removesuffix("f") if double is None and not base.startswith("__") else base
        lines.append(f"| `{label}` | {cell(single)} | {cell(double)} |")
    return "\n".join(lines) + "\n"


def update_page(rows: dict[str, Row]) -> None:
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + page_table(rows) + END + after)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder")
    arguments.add_argument("--all", action="store_true", help="measure all functions")
    arguments.add_argument("--list", action="store_true", help="only list the functions whose code changed")
    arguments.add_argument("--from", dest="file", type=Path, help="output of math_accuracy_test from elsewhere")
    given = arguments.parse_args()

    program = given.build.resolve() / "bin/math_accuracy_test"
    compiler, code = current_code(program)
    old = read_table()
    changed = [name for name in code if given.all or old.get(name, {}).get("code") != code[name][0]]
    if given.list:
        print("\n".join(changed))
        return
    new = measured_lines(given.file.read_text()) if given.file else measure(program, changed) if changed else {}
    rows: dict[str, Row] = {}
    for name, (digest, bound, absolute) in code.items():
        if name in new:
            rows[name] = {"code": digest, **new[name], "bound": bound, "absolute bound": absolute}
        elif name in old:
            rows[name] = old[name]
    write_table(compiler, rows)
    update_page(rows)


if __name__ == "__main__":
    main()
