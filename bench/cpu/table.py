"""Writes the results of bench_cpu as a table for docs/performance.md: table.py RESULTS.jsonl

The file is that of `bench_cpu --json RESULTS.jsonl`: a line a case and number of threads. Of several runs of a case the least times count: where the
memory of a process lies makes some kernels two or three times as slow, for as long as it lives.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

TITLES = {"list": "kernel", "idioms": "idiom"}


def geomean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def least(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Several runs of a case as one."""
    us = {name: min(run["us"][name] for run in runs if name in run["us"]) for name in runs[0]["us"]}
    ratio = us["lanza"] / min(times(us))
    return runs[-1] | {
        "us": us,
        "ratio": ratio,
        "noise": min(run["noise"] for run in runs),
        "wrong": any(run["wrong"] for run in runs),
    }


def times(us: dict[str, float]) -> list[float]:
    """Those of the baselines."""
    return [time for name, time in us.items() if name not in ("lanza", "pocl")]


def cells(result: dict[str, Any] | None) -> str:
    if not result:
        return "| | "
    wrong = " WRONG" if result["wrong"] else ""
    noise = f" ({result['noise']:.0%})" if result["noise"] >= 0.05 else ""
    return f"{result['us']['lanza']:.4g} | {min(times(result['us'])):.4g} | {result['ratio']:.2f}{noise}{wrong}"


def table(results: list[dict[str, Any]], part: str) -> list[str]:
    runs: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for r in results:
        if r["part"] == part:
            runs.setdefault((r["case"], r["threads"]), []).append(r)
    rows = {key: least(of_case) for key, of_case in runs.items()}
    threads = sorted({count for _, count in rows})
    heads = [f"{n} thread{'s' * (n > 1)}, us | C++ | ratio" for n in threads]
    lines = [f"| {TITLES[part]} | engine | {' | '.join(heads)} | goal |", "| --- " * (3 * len(threads) + 3) + "|"]
    for case in dict.fromkeys(case for case, _ in rows):
        of_case = [rows.get((case, n)) for n in threads]
        some = next(r for r in of_case if r)
        lines.append(f"| {case} | {some['engine']} | {' | '.join(map(cells, of_case))} | {some['goal']:g} |")
    words = ["geomean", ""]
    for count in threads:
        words += ["", "", f"{geomean([r['ratio'] for (_, n), r in rows.items() if n == count]):.2f}"]
    return [*lines, f"| {' | '.join(words)} | |"]


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    results = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    for part in TITLES:
        if any(r["part"] == part for r in results):
            print("\n".join(table(results, part)), end="\n\n")


if __name__ == "__main__":
    main()
