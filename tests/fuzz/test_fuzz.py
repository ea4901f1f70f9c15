"""Tests of the fuzzer itself: what a seed means stays, the interpreter is right where its answer is known."""

from __future__ import annotations

import hashlib
import pickle

import numpy as np
import pytest

from tests.fuzz import __main__ as main
from tests.fuzz import program as p
from tests.fuzz.check import Failure
from tests.fuzz.contents import contents
from tests.fuzz.emit import emit
from tests.fuzz.engines import difference
from tests.fuzz.frames import Ambiguous
from tests.fuzz.generator import VERSION, generate, of_sixth
from tests.fuzz.interpreter import interpret
from tests.fuzz.operations import INTRINSICS
from tests.fuzz.places import names, spelled
from tests.fuzz.reducer import Reducer
from tests.fuzz.types import F32, I32, U8, U32, U64
from tests.fuzz.workers import Pool


def kernel(*body: p.Statement, block: int = 40, outputs: tuple[p.Expression, ...] = ()) -> p.Program:
    return p.Program(0, (1, 1, 1), (block, 1, 1), body=list(body), outputs=list(outputs))


def column(program: p.Program, i: int = 0) -> list[int]:
    out = interpret(program)["out"].reshape(-1, len(program.outputs) + 1)
    return [int(v) for v in out[:, i + 1]]


TID, LANE = p.Builtin("tid"), p.Builtin("lane")
X = p.Var("x", U32)


def test_a_seed_means_the_same_for_ever() -> None:
    text = "".join(emit(generate(seed), "k_") for seed in range(60))
    data = b"".join(contents(a, g).tobytes() for g in map(generate, range(60)) for a in g.arrays)
    digest = hashlib.sha256(text.encode() + data).hexdigest()[:16]
    assert (VERSION, digest) == (6, "34caf09b52027a8b"), "seeds mean other programs: raise VERSION, and this digest"


def test_turns_and_locks_are_only_another_way() -> None:
    x, total = p.Var("x", U32), p.Array("c1", U32, 1, "atomic", "atomicAdd", locked=True)
    add = p.Atomic("atomicAdd", p.Element("c1", U32, p.Literal(I32, 0), 1, "atomic"), TID)
    for way in ("volatile", "atomic", "sleep"):
        program = kernel(p.Declare("x", U32, TID), p.Turns([p.Assign(x, "+", TID), add], way), outputs=(x,))
        program.arrays.append(total)
        assert column(program) == [2 * t for t in range(40)]
        source = emit(program, "k_")
        assert "atomicCAS(&k_lock, 0, 1)" in source
        assert "atomicAdd(&c1" not in source


NUMBER = p.Var("x", I32)


def draws(*behind: p.Statement, way: str = "add", limit: int = 0xFFFFFFFF) -> p.Program:
    """A number for each thread in x, from a counter of its quarter."""
    zero = p.If(p.Formula("T < 4"), [p.Assign(p.At("s1", U32, "T", "shared"), "", p.Literal(U32, 0))], [])
    draw = p.Ticket("x", p.At("s1", U32, "T % 4", "shared"), way, limit)
    program = kernel(p.Declare("x", I32, p.Literal(I32, 0)), p.Exchange("s1", [zero], [draw]), *behind)
    program.arrays += [p.Array("s1", U32, 4, "shared"), p.Array("s2", U32, 40, "shared")]
    return program


@pytest.mark.parametrize(("way", "limit"), [("add", 0xFFFFFFFF), ("inc", 9), ("swap", 0xFFFFFFFF)])
def test_numbers_that_threads_draw_are_places_of_their_own(way: str, limit: int) -> None:
    place, counter = p.At("s2", U32, "T % 4 * 10 + x", "shared"), p.At("s1", U32, "T % 4", "shared")
    program = draws(p.Exchange("s2", [p.Assign(place, "", TID)], []), way=way, limit=limit)
    program.outputs += [place, counter]
    assert column(program) == list(range(40))
    assert column(program, 1) == [0 if way == "inc" else 10] * 40
    assert ("atomicCAS" if way == "swap" else f"x = (int)atomic{way.title()}(&s1") in emit(program, "k_")


def test_a_program_that_shows_the_order_of_threads_is_refused() -> None:
    program = draws()
    program.outputs.append(NUMBER)
    with pytest.raises(Ambiguous, match="order"):
        interpret(program)


def test_moved_bytes_are_the_lowest_first() -> None:
    program = kernel(block=3, outputs=(X, p.Var("y", U32)))
    program.body += [
        p.Declare("x", U32, p.Literal(U32, 0x44332211)),
        p.Declare("y", U32, p.Literal(U32, 0xFFFFFFFF)),
        p.Declare("a", U8, None, 7),
        p.Bytes("x", p.At("a", U8, "1 + T", "private"), 3, True),
        p.Bytes("y", p.At("a", U8, "2", "private"), 2, False),
    ]
    assert column(program, 1) == [0xFFFF3322, 0xFFFF2211, 0xFFFF1100]
    assert "memcpy(&y, &a[2], 2);" in emit(program, "k_")
    program.block = (5, 1, 1)
    with pytest.raises(Ambiguous, match="bytes behind"):
        interpret(program)


def test_a_divisor_of_0_is_refused() -> None:
    quotient = p.Formula("7 % x", I32)
    there = kernel(p.Declare("x", I32, p.Binary("+", TID, p.Literal(I32, 1))), outputs=(quotient,), block=3)
    assert column(there) == [0, 1, 1]
    with pytest.raises(Ambiguous, match="zero"):
        interpret(kernel(p.Declare("x", I32, TID), outputs=(quotient,)))


def test_formulas_have_numbers_of_64_bits() -> None:
    assert spelled("wide(tx * 2) + bx", str) == "(long long)((int)threadIdx.x * 2) + (int)blockIdx.x"
    assert column(kernel(outputs=(p.Formula("wide(tx) * 3 + dx", I32),), block=4)) == [4, 7, 10, 13]


def test_seeds_kept_since_generator_5_mean_what_they_meant() -> None:
    """Those that began under 5; what is new stands in most others."""
    assert not any(of_sixth(seed) for seed in main.kept()[:10])
    assert 500 < sum(map(of_sixth, range(1000))) < 700
    digest = hashlib.sha256("".join(emit(generate(seed), "k_") for seed in main.kept()[:10]).encode()).hexdigest()[:16]
    assert digest == "f90d21f2f31e3a22"


def test_swaps_are_only_another_way() -> None:
    add = p.Atomic("atomicAdd", p.Element("c1", F32, p.Literal(I32, 0), 1, "atomic"), p.Cast(F32, TID))
    program = kernel(add)
    program.arrays.append(p.Array("c1", F32, 1, "atomic", "atomicAdd", swapped=True))
    (start,) = contents(program.arrays[0])
    assert interpret(program)["c1"].tolist() == [start + sum(range(40))]
    assert "atomicCAS(place0, seen0" in emit(program, "k_")


def test_formulas_mean_the_same_in_both_languages() -> None:
    assert spelled("(ty + 4 * i7) // 8 + c3[i7]", str.upper) == "((int)threadIdx.y + 4 * I7) / 8 + C3[I7]"
    assert names("0 <= T && max(T - 1, v2) < c3[i7]") == {"v2", "c3", "i7"}
    program = kernel(p.Declare("x", U32, p.Formula("T // 8 == 2 && T < 20")), outputs=(X,))
    assert [t for t, x in enumerate(column(program)) if x] == [16, 17, 18, 19]


def test_a_tile_turns_a_plane() -> None:
    program = kernel(block=12)
    program.arrays = [
        p.Array("i1", U32, 12, "input"),
        p.Array("s2", U32, 15, "shared"),
        p.Array("p3", U32, 12, "plane"),
    ]
    write = p.Assign(p.At("s2", U32, "T // 4 * 5 + T % 4", "shared"), "", p.At("i1", U32, "T", "input"))
    read = p.Assign(p.At("p3", U32, "T", "plane"), "", p.At("s2", U32, "T % 3 * 5 + T // 3", "shared"))
    program.body.append(p.Exchange("s2", [write], [read]))
    assert interpret(program)["p3"].tolist() == contents(program.arrays[0]).reshape(3, 4).T.ravel().tolist()


@pytest.mark.parametrize(("formula", "words"), [("T + 1", "outside"), ("T // 2", "several threads write")])
def test_places_out_of_range_or_of_several_threads_are_refused(formula: str, words: str) -> None:
    program = kernel(p.Assign(p.At("p1", U32, formula, "plane"), "", TID))
    program.arrays.append(p.Array("p1", U32, 40, "plane"))
    with pytest.raises(Ambiguous, match=words):
        interpret(program)


def test_numbers_of_16_bits() -> None:
    """Ties to even, overflow, denormals and a NaN, by hand."""
    half, bits, bfloat = (INTRINSICS[name][3] for name in ("half", "half_bits", "bfloat_add"))
    values = np.array([1 + 2**-11, 1 + 3 * 2**-11, 65520, 2**-25, np.nan], np.float32)
    with np.errstate(over="ignore"):
        rounded, words = half(values[:4]), bits(values)
    assert rounded.tolist() == [1, 1 + 2**-9, np.inf, 0]
    assert words.tolist() == [0x3C00, 0x3C02, 0x7C00, 0, 0x7FFF]
    one = np.array([1, 1, 2**-126], np.float32)
    assert bfloat(one, np.array([2**-8, 3 * 2**-8, 2**-133], np.float32)).tolist() == [1, 1 + 2**-6, 2**-126 + 2**-133]


def test_shuffle_down_within_segments() -> None:
    shuffle = p.Shuffle(X, "down", p.FULL, TID, p.Literal(I32, 3), 8, p.Literal(U32, 99))
    program = kernel(p.Declare("x", U32, TID), shuffle, block=12, outputs=(X,))
    assert column(program) == [3, 4, 5, 6, 7, 5, 6, 7, 11, 99, 99, 99]


def test_xor_reaches_earlier_segments_only() -> None:
    shuffle = p.Shuffle(X, "xor", p.FULL, TID, p.Literal(I32, 4), 4, p.Literal(U32, 99))
    program = kernel(p.Declare("x", U32, TID), shuffle, block=8, outputs=(X,))
    assert column(program) == [0, 1, 2, 3, 0, 1, 2, 3]


def test_vote_counts_the_lanes_of_a_partial_warp() -> None:
    odd = p.Binary("&", TID, p.Literal(U32, 1))
    program = kernel(p.Declare("x", U32, TID), p.Vote(X, "ballot", p.FULL, odd), block=36, outputs=(X,))
    assert column(program) == [0xAAAAAAAA] * 32 + [0xA] * 4


def test_a_divergent_barrier_is_refused() -> None:
    program = kernel(p.If(p.Compare("<", TID, p.Literal(U32, 3)), [p.Barrier()], []))
    with pytest.raises(Ambiguous, match="barrier"):
        interpret(program)


def test_a_barrier_counts_live_threads() -> None:
    leave = p.If(p.Compare("<", TID, p.Literal(U32, 3)), [p.Exit(7)], [])
    count = p.SyncReduce(X, "count", p.Literal(I32, 1))
    program = kernel(p.Declare("x", U32, TID), leave, count, outputs=(X,))
    assert interpret(program)["out"].reshape(-1, 2)[:4].tolist() == [[7, 0]] * 3 + [[1, 37]]


def test_fused_multiply_add_rounds_once() -> None:
    # The product's last bits decide: 1 + 2^-12 squared is 1 + 2^-11 + 2^-24.
    one = np.array([1 + 2.0**-12], np.float32)
    exact = INTRINSICS["fmaf"][3](one, one, np.array([-1 - 2.0**-11], np.float32))
    assert exact[0] == np.float32(2.0**-24)
    # The sum lies so near to the middle of two floats that rounding it to double first would round it up.
    a, b, c = (np.array([v], np.float32) for v in (2.0**-30, 2.0**-30, 1 + 2.0**-23 + 0.0))
    assert INTRINSICS["fmaf"][3](a, b, c)[0] == c[0]


def test_differences_are_of_bits_but_for_nan() -> None:
    nan, other = np.array([0x7FC00000, 0x7F800001], np.uint32).view(np.float32).reshape(2, 1)
    assert difference({"a": nan}, {"a": other}) == ""
    zero = np.zeros(1, np.float32)
    assert "expected" in difference({"a": zero}, {"a": -zero})


def test_types_keep_their_identity_in_copies() -> None:
    assert pickle.loads(pickle.dumps(F32)) is F32


def test_the_reducer_shrinks_what_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    program = next(g for g in map(generate, range(100)) if any(isinstance(n, p.Shuffle) for n in p.walk(g.body)))

    def fails(self: Reducer, candidate: p.Program) -> bool:
        try:
            interpret(candidate)
        except Ambiguous:
            return False
        return any(isinstance(n, p.Shuffle) for n in p.walk(candidate.body))

    monkeypatch.setattr(Reducer, "fails", fails)
    small = Reducer(Failure(0, "threads", "mismatch", "")).reduce(program)
    count = sum(1 for _ in p.walk(small.body))
    assert fails(Reducer(Failure(0, "", "", "")), small)
    assert count <= 8, emit(small, "")


def test_sums_of_floats_in_global_memory_are_of_small_integers() -> None:
    for program in map(generate, range(400)):
        for node in p.walk([*program.functions, *program.body]):
            if isinstance(node, p.OwnAtomic) and node.name == "atomicAdd" and node.place.type is F32:
                assert node.place.space == "shared", program.seed


@pytest.mark.parametrize(
    ("engine", "kind", "failed", "excused"),
    [("cuda", "mismatch", 0, 1), ("cuda", "crash", 1, 0), ("threads", "mismatch", 1, 0)],
)
def test_what_is_nvidias_is_counted_apart(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    engine: str,
    kind: str,
    failed: int,
    excused: int,
) -> None:
    monkeypatch.setattr(main, "of_nvidia", lambda: {(7, "mismatch"): "an error"})
    monkeypatch.setattr(Pool, "run", lambda self, batches: iter([Failure(7, engine, kind, "")]))
    monkeypatch.setattr(main, "record", lambda failure, options: None)
    monkeypatch.setattr("sys.argv", ["fuzz", "--seeds", "7", "--engine", engine])
    assert main.main() == failed
    assert f"{failed} failed, {excused} NVIDIA's (nvidia.txt)" in capsys.readouterr().out


def test_the_list_of_what_is_nvidias_has_reasons() -> None:
    entries = main.of_nvidia(4)  # the last version of which a GPU saw seeds
    assert entries
    for (seed, kind), reason in entries.items():
        assert kind in ("mismatch", "crash", "compile error", "launch error"), seed
        assert len(reason) > 40, seed


def test_negative_results_are_extended_by_their_sign() -> None:
    program = kernel(outputs=(p.Literal(I32, -2), p.Literal(U64, 5)), block=1)
    assert column(program) == [2**64 - 2]
