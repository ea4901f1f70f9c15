"""Tests of the worker processes: a crash or a hang is a failure of its seed, and the other seeds are run."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest

from tests.fuzz import check, workers
from tests.fuzz.check import SEVERAL, Failure, Report, Tally
from tests.fuzz.program import Program
from tests.fuzz.workers import Pool


def run(monkeypatch: pytest.MonkeyPatch, bad: int, misbehave: object) -> tuple[list[Failure], int]:
    """Eight seeds in batches of four, one of which misbehaves in place of running."""

    def check_programs(programs: list[Program], engines: list[str], report: Report) -> Iterator[Failure]:
        for program in programs:
            report((program.seed, engines[0]))
            if program.seed == bad:
                misbehave()  # type: ignore[operator]
        report(Tally(len(programs), len(programs)))
        yield from ()

    monkeypatch.setattr(check, "check_programs", check_programs)  # the workers are forked: they see it
    monkeypatch.setattr(workers, "HANG", 3.0)
    pool = Pool(2, ["threads"])
    failures = list(pool.run(iter([[1, 2, 3, 4], [5, 6, 7, 8]])))
    return failures, pool.tally.kernels


def test_a_crash_costs_one_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    failures, kernels = run(monkeypatch, 3, lambda: os.kill(os.getpid(), signal.SIGKILL))
    assert [(f.seed, f.kind) for f in failures] == [(3, "crash")]
    assert "SIGKILL" in failures[0].text
    assert kernels == 7


def test_a_hang_costs_one_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    failures, kernels = run(monkeypatch, 6, lambda: time.sleep(60))
    assert [(f.seed, f.kind) for f in failures] == [(6, "hang")]
    assert kernels == 7


def test_a_crash_of_the_compiler_is_its_seeds_and_not_the_first_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    def check_programs(programs: list[Program], engines: list[str], report: Report) -> Iterator[Failure]:
        seeds = [program.seed for program in programs]
        report((seeds[0] if len(seeds) == 1 else SEVERAL, engines[0]))
        if 3 in seeds:
            os.kill(os.getpid(), signal.SIGKILL)
        report(Tally(len(programs), len(programs)))
        yield from ()

    monkeypatch.setattr(check, "check_programs", check_programs)
    pool = Pool(2, ["cuda"])
    failures = list(pool.run(iter([[1, 2, 3, 4], [5, 6, 7, 8]])))
    assert [(f.seed, f.kind) for f in failures] == [(3, "crash")]
    assert pool.tally.kernels == 7
