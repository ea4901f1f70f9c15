"""What ran the cases: how many of them each engine ran itself, how many were vectorised, and why others were not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from engines import Ran
from harness import Shape

GOAL = 0.8  # of the cases that neither wait in loops nor recurse run vectorised


def of_case(launches: Sequence[tuple[Shape, Sequence[Ran]]]) -> dict[str, Any]:
    """
    Of one case on one engine, as JSON: `shapes`, by the weakest engine that ran one of the shape's launches (vector, lanes
    several at a time, lanes, threads); `alone`, whether all its kernels neither wait nor recurse; `why` not vectorised.
    """
    ran = [(shape, runs) for shape, runs in launches if runs]
    why = next((r.why for _, runs in ran for r in runs if not r.vectorised), "")
    alone = all(r.alone for _, runs in ran for r in runs)
    return {
        "shapes": Counter(max((kind(r) for r in runs), key=KINDS.index) for _, runs in ran),
        "alone": alone,
        "why": why,
    }


KINDS = ("vector", "loop", "lanes", "threads")


def kind(ran: Ran) -> str:
    """vector; loop: LLVM vectorised the loop over lanes; lanes: one at a time; threads."""
    if ran.vectorised:
        return "vector"
    if ran.engine == "threads":
        return "threads"
    return "loop" if ran.engine == "lanes" and ran.lanes > 1 else "lanes"


def lines(results: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A table with a line an engine of the CPU, and the commonest reasons. A case is vectorised when one of its shapes is."""
    engines = dict.fromkeys(r["engine"] for r in results if r.get("ran", {}).get("shapes"))
    yield f"{'engine':10} {'cases':>6} {'alone':>6} {'vectorised':>11} {'share':>6}   shapes: " + ", ".join(KINDS)
    for engine in engines:
        ran = [r["ran"] for r in results if r["engine"] == engine and r.get("ran", {}).get("shapes")]
        alone = [case for case in ran if case["alone"]]
        vectorised = [case for case in alone if case["shapes"].get("vector")]
        shapes = sum((Counter(case["shapes"]) for case in ran), Counter())
        share = len(vectorised) / len(alone) if alone else 0
        counts = ", ".join(str(shapes[k]) for k in KINDS)
        yield f"{engine:10} {len(ran):6} {len(alone):6} {len(vectorised):11} {share:6.0%}   {counts}"
        reasons = Counter(case["why"] for case in alone if not case["shapes"].get("vector"))
        if engine == "auto" or engine.startswith("vector"):
            yield from (f"  {n:6} {why}" for why, n in reasons.most_common(12))
