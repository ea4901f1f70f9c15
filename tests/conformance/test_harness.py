"""The harness itself: its comparisons find what differs, and the table says what came out."""

import json
from dataclasses import replace
from random import Random

import numpy as np
import pytest
import table
import who_ran
from engines import ENGINES, Ran, why_unusable
from harness import NotCounted, Run, case, distance, kernel


@pytest.fixture
def run():
    return Run(ENGINES[0])


def test_same_is_bit_for_bit(run):
    run.same(np.float32([1, np.nan, -0.0]), [1, np.nan, -0.0])
    run.same(np.uint32([5]), (1 << 32) + 5)
    for actual, expected in (([0.0], [-0.0]), ([np.nan], [1.0]), ([1.0], [1 + 2e-7])):
        with pytest.raises(AssertionError, match="1 of 1 values differ"):
            run.same(np.float32(actual), expected)


def test_a_failure_names_the_thread(run):
    run.block = (4, 3, 2)
    expected = np.zeros(24, np.int32)
    actual = expected.copy()
    actual[21] = 7
    with pytest.raises(AssertionError, match=r"\[21\] thread \(1, 2, 1\): got .*7.*, expected .*0"):
        run.same(actual, expected)


def test_distance_counts_steps():
    one = np.float32(1)
    above = np.nextafter(one, np.float32(2))
    assert distance(np.array([one, above]), np.array([above, above])).tolist() == [1, 0]
    smallest = np.float64(5e-324)
    assert distance(np.array([smallest]), np.array([-smallest])).tolist() == [2]
    assert distance(np.array([np.inf, np.nan]), np.array([1.0, np.nan])).tolist() == [np.inf, 0]


def test_close_takes_the_bound(run):
    a = np.float64([1.0])
    run.close(a, np.nextafter(a, 2), 1)
    with pytest.raises(AssertionError, match="within 1 ULP"):
        run.close(a, np.nextafter(np.nextafter(a, 2), 2), 1)


def test_a_wrong_kernel_fails():
    engine = next((engine for engine in ENGINES if not why_unusable(engine.device)), None)
    if not engine:
        pytest.skip("no device runs kernels")
    run = Run(engine)
    run.block = (33, 1, 1)
    out = np.zeros(33, np.int32)
    run(kernel("int* out", "out[t] = t == 32 ? -1 : t;"), out)
    with pytest.raises(AssertionError, match=r"thread \(32, 0, 0\)"):
        run.same(out, np.arange(33))


def test_a_fall_back_is_not_counted():
    lanes = next(engine for engine in ENGINES if engine.name == "lanes")
    if why_unusable(lanes.device):
        pytest.skip("no CPU device")

    @case(blocks=[1, 33])
    def numbers(run):
        out = np.zeros(run.threads, np.int32)
        run(kernel("int* out", "out[t] = t; out[t] += threadIdx.y + 1;"), out)
        run.same(out, np.arange(run.threads) + 1)

    debug = replace(lanes, options=("-G",))  # for a debugger a thread is a thread
    with pytest.raises(NotCounted, match=r"compiled for debugging"):
        numbers.check(debug)
    assert [(shape, [ran.engine for ran in launches]) for shape, launches in numbers.ran] == [
        ((1, 1, 1), ["threads"]),
        ((33, 1, 1), ["threads"]),
    ]


def test_a_sample_draws_shapes_for_the_engines_that_allow_it():
    seen = []

    @case(blocks=[1, 2, 3, 4])
    def shapes(run):
        seen.append(run.block[0])

    for engine in (replace(ENGINES[0], sample=0), replace(ENGINES[0], sample=2)):
        shapes.check(engine, sample=Random(7))
    assert seen[:4] == [1, 2, 3, 4]
    assert len(seen) == 6


def test_who_ran_the_cases():
    vector, threads = Ran("vector", 16, "", True), Ran("threads", 0, "a barrier, under a condition", True)
    whole = who_ran.of_case([((32, 1, 1), [vector]), ((33, 1, 1), [vector, threads]), ((1, 1, 1), [])])
    assert whole == {"shapes": {"vector": 1, "threads": 1}, "alone": True, "why": threads.why}
    none = who_ran.of_case([((32, 1, 1), [threads])])
    spins = who_ran.of_case([((32, 1, 1), [replace(threads, alone=False)])])
    text = list(who_ran.lines([{"engine": "vector16", "ran": ran} for ran in (whole, none, spins)]))
    assert text[1].split()[:5] == ["vector16", "3", "2", "1", "50%"]
    assert text[2].split(maxsplit=1) == ["1", threads.why]


def test_table(tmp_path):
    def result(engine, outcome, reason=""):
        return {"part": "p", "case": "c", "title": "t", "engine": engine, "outcome": outcome, "reason": reason}

    file = tmp_path / "results.json"
    file.write_text(json.dumps([result("threads", "failed", "no | yes"), result("lanes", "-")]))
    text = table.table(table.read([str(file)]))
    assert "| `c` | t | FAIL | - | not run |" in text
    assert "0 of 1 pass" in text
