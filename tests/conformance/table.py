"""Writes the table of the conformance set's results: table.py RESULTS.json... > docs/conformance.md
With --merge FILE: writes the results to one file instead, and prints how many there are of each outcome.

The files are those of `pytest tests/conformance --results FILE`, of one machine or of several; a later one replaces what an
earlier one says about an engine.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

COLUMNS = {
    "threads": "CPU, threads",
    "lanes": "CPU, lanes",
    "auto": "CPU, auto",
    **{f"vector{lanes}": f"CPU, vector of {lanes}" for lanes in (8, 16, 32)},
    "cuda": "GPU",
}

OPENING = """\
# Conformance

Each row is a kernel of `tests/conformance`: compiled under `-fmad=false` (where it does not ask for something else), run with
blocks of 1, 31, 32, 33, 64, 100, 256, 1000 and 1024 threads and of two and three dimensions (some cases with fewer shapes), and
compared with values computed on the host: integers and IEEE operations bit for bit, the rest within stated ULPs. *threads*,
*lanes* and *vector* are the engines of the CPU device: every CUDA thread a coroutine; one thread of a block after the other;
8, 16 or 32 at once. A dash stands where an engine had to leave a case to another one; *auto* takes what suits the kernel. The
same sources run on a GPU through NVRTC.

Made by `tests/conformance/table.py` from the files that `pytest tests/conformance --results FILE` writes; `scripts/test` and
`scripts/gpu-test` run the set.
"""


def read(files: list[str]) -> dict[tuple[str, str], dict[str, Any]]:
    """(part, case) -> title and outcomes by engine."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for file in files:
        for result in json.loads(Path(file).read_text()):
            row = rows.setdefault((result["part"], result["case"]), {"title": result["title"], "outcomes": {}})
            row["outcomes"][result["engine"]] = result
    return rows


def cell(result: dict[str, Any] | None) -> str:
    if result is None:
        return "not run"
    reason = result["reason"].partition("\n")[0].replace("|", "\\|")
    return {"passed": "pass", "-": "-", "skipped": f"skipped: {reason}"}.get(result["outcome"], "FAIL")


def summary(rows: dict[tuple[str, str], dict[str, Any]], engine: str) -> str:
    cells = [cell(row["outcomes"].get(engine)) for row in rows.values()]
    passed, failed = cells.count("pass"), cells.count("FAIL")
    return f"{passed} of {passed + failed} pass" if passed + failed else "not run"


def table(rows: dict[tuple[str, str], dict[str, Any]]) -> str:
    ran = {engine for row in rows.values() for engine in row["outcomes"]} | {"threads", "lanes", "cuda"}
    engines = [engine for engine in COLUMNS if engine in ran]
    lines = [OPENING, "| | " + " | ".join(COLUMNS[e] for e in engines) + " |", "|---" * (len(engines) + 1) + "|"]
    lines.append(f"| {len(rows)} cases | " + " | ".join(summary(rows, e) for e in engines) + " |")
    part = ""
    for (of, name), row in sorted(rows.items()):
        if of != part:
            part = of
            lines += ["", f"## {part.replace('_', ' ').capitalize()}", ""]
            lines += ["| Case | What it shows | " + " | ".join(COLUMNS[e] for e in engines) + " |"]
            lines += ["|---" * (len(engines) + 2) + "|"]
        cells = " | ".join(cell(row["outcomes"].get(e)) for e in engines)
        title = row["title"].replace("|", "\\|").replace("<", "&lt;")
        lines.append(f"| `{name}` | {title} | {cells} |")
    return "\n".join(lines)


def merge(target: str, files: list[str]) -> None:
    results = [result for file in files for result in json.loads(Path(file).read_text())]
    Path(target).write_text(json.dumps(results, indent=1) + "\n")
    print(", ".join(f"{n} {outcome}" for outcome, n in Counter(result["outcome"] for result in results).items()))


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    if sys.argv[1] == "--merge":
        return merge(sys.argv[2], sys.argv[3:])
    print(table(read(sys.argv[1:])))


if __name__ == "__main__":
    main()
