"""python -m tests.fuzz: random kernels on Lanza's engines against the host interpreter. docs/fuzzing.md tells more."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from .check import Failure
from .generator import VERSION, generate
from .reducer import Reducer
from .workers import Pool

KEPT = Path(__file__).with_name("seeds.txt")
NVIDIA = Path(__file__).with_name("nvidia.txt")
ENGINES = ("threads", "lanes", "auto", "vector8", "vector16", "vector32", "cuda")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument(
        "--seeds",
        default="commit",
        help="A:B, one seed, kept (seeds.txt), or commit: fresh ones that the commit decides",
    )
    parser.add_argument(
        "--engine",
        default="threads,drawn",
        help=f"some of {', '.join(ENGINES)}, drawn (with commas); drawn: for each batch one of lanes, auto and vector, as its seed says",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="worker processes")
    parser.add_argument("--batch", type=int, default=12, help="kernels a module")
    parser.add_argument("--seconds", type=float, default=0, help="stop after so long")
    parser.add_argument(
        "--out", type=Path, default=Path("build/fuzz"), help="folder for the sources of kernels that failed"
    )
    parser.add_argument(
        "--reduce", type=float, default=60, metavar="SECONDS", help="time to shrink a failing kernel, 0: none"
    )
    parser.add_argument("--stop", type=int, default=5, metavar="N", help="give up after N failures")
    parser.add_argument("--print", action="store_true", help="print the source of the first seed and end")
    options = parser.parse_args()
    options.engines = options.engine.split(",")
    unknown = set(options.engines) - {*ENGINES, "drawn"}
    if unknown:
        parser.error(f"unknown engine {', '.join(sorted(unknown))}: there are {', '.join(ENGINES)}")
    return options


def kept() -> list[int]:
    """The seeds that failed once."""
    lines = (line.split("#")[0].split() for line in KEPT.read_text().splitlines())
    return [int(words[1]) for words in lines if len(words) == 2 and int(words[0]) == VERSION]


def of_nvidia(generator: int = VERSION) -> dict[tuple[int, str], str]:
    """The seeds, with their kind of failure, at which NVIDIA's compiler is wrong, and how."""
    lines = (line.partition("#") for line in NVIDIA.read_text().splitlines() if not line.startswith("#"))
    entries = ((head.split(), reason.strip()) for head, _, reason in lines)
    return {(int(seed), kind): reason for (version, seed, kind), reason in entries if int(version) == generator}


def commit_seed() -> int:
    """Where the fresh seeds of this commit begin."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    return int(hashlib.sha256(head.encode()).hexdigest()[:8], 16) * 1_000_000


def seeds_of(text: str) -> Iterator[int]:
    if text == "kept":
        return iter(kept())
    if text == "commit":
        return itertools.count(commit_seed())
    first, _, last = text.partition(":")
    return iter(range(int(first), int(last) if last else int(first) + 1))


def batches(seeds: Iterator[int], size: int, until: float) -> Iterator[list[int]]:
    while time.monotonic() < until:
        batch = list(itertools.islice(seeds, size))
        if not batch:
            return
        yield batch


def record(failure: Failure, options: argparse.Namespace) -> None:
    """Says what failed, shrinks it and writes it down."""
    from .emit import emit
    from .engines import prefix_of, source_of

    print(f"\nseed {failure.seed}, {failure.engine}: {failure.kind}: {failure.text}", flush=True)
    again = f"python -m tests.fuzz --seeds {failure.seed} --engine {failure.engine}"
    print(f"  again: {again}", flush=True)
    program = generate(failure.seed)
    if options.reduce > 0 and failure.engine != "interpreter":
        reducer = Reducer(failure, options.reduce)
        program = reducer.reduce(program)
        print(f"  shrunk in {reducer.tried} attempts", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / f"{failure.seed}-{failure.engine}.cu"
    launch = f"{prefix_of(program)}kernel<<<dim3{program.grid}, dim3{program.block}>>>"
    text = failure.text.replace("\n", "\n// ")
    path.write_text(f"// {failure.kind}: {text}\n// {launch}\n// {again}\n{source_of([program])}")
    print(f"  source: {path}\n  {launch}", flush=True)
    print("".join(f"  | {line}\n" for line in emit(program, prefix_of(program)).splitlines()), flush=True)


def main() -> int:
    options = arguments()
    if options.print:
        from .engines import source_of

        print(source_of([generate(next(seeds_of(options.seeds)))]))
        return 0
    if options.seeds == "commit":
        if not options.seconds:
            sys.exit("fuzz: seeds without an end need --seconds")
        print(f"seeds from {commit_seed()}", flush=True)
    start = time.monotonic()
    until = start + options.seconds if options.seconds else float("inf")
    pool = Pool(options.jobs, options.engines)
    failures, excused, known = 0, 0, of_nvidia()
    with contextlib.suppress(KeyboardInterrupt):
        for failure in pool.run(batches(seeds_of(options.seeds), options.batch, until)):
            reason = known.get((failure.seed, failure.kind)) if failure.engine == "cuda" else None
            if reason:
                excused += 1
                print(f"seed {failure.seed}, cuda: {failure.kind}, NVIDIA's: {reason}", flush=True)
                continue
            failures += 1
            record(failure, options)
            if failures >= options.stop:
                break
    seconds = time.monotonic() - start
    tally = pool.tally
    for engine in dict.fromkeys(asked for asked, _ in sorted(tally.ran)):
        ran = ", ".join(f"{n} by {who}" for (asked, who), n in sorted(tally.ran.items()) if asked == engine)
        print(f"{engine}: {ran}")
    print(
        f"{tally.kernels} kernels, {tally.runs} runs ({options.engine}), {tally.skipped} too long, {failures} failed, "
        f"{excused} NVIDIA's (nvidia.txt), {seconds:.0f} s, {tally.kernels / max(seconds, 1e-9) / options.jobs:.1f} kernels/s a worker (generator {VERSION})"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
