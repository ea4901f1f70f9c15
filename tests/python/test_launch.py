"""Launching: grid, block, keywords, the texts of errors."""

import json
import time

import numpy as np
import pytest

import lanza


def arrays(n=400):
    random = np.random.default_rng(0)
    return np.zeros(n, np.float32), random.standard_normal(n, np.float32), random.standard_normal(n, np.float32)


def fails(kind, text, function):
    with pytest.raises(kind) as caught:
        function()
    assert str(caught.value) == text


def test_in_and_out(module):
    dest, a, b = arrays()
    assert module.multiplicar(lanza.out(dest), lanza.in_(a), lanza.in_(b), grid=1, block=400) is None
    assert (dest == a * b).all()


def test_plain_arrays(module):
    dest, a, b = arrays()
    module.multiplicar(dest, a, b, block=400)
    assert (dest == a * b).all()
    module.scale(dest, 400, 2.0, grid=2, block=256)
    assert (dest == 2 * (a * b)).all()
    module.scale(lanza.inout(dest), 400, 0.5, grid=2, block=256)
    assert (dest == a * b).all()


def test_buffers(module):
    dest, a, b = (lanza.to_device(x) for x in arrays())
    module.multiplicar(dest, a, b, block=400)
    assert (dest.numpy() == a.numpy() * b.numpy()).all()


@pytest.mark.parametrize(
    ("grid", "block"),
    [
        (2, 4),
        ((2,), (4,)),
        ((2, 3), (4, 2)),
        ((2, 3, 2), (2, 3, 4)),
        ([2, 3], [4]),
        (np.int64(2), np.int32(4)),
        ((np.int32(2), 1, 1), (np.uint8(4), 1, 1)),
    ],
)
def test_grid_and_block(module, grid, block):
    def count(extents):
        return int(np.prod(extents))

    out = np.full(count(grid) * count(block), -1, np.int32)
    module.coordinates(out, grid=grid, block=block)
    expected = [b * 1000 + t for b in range(count(grid)) for t in range(count(block))]
    assert out.tolist() == expected


def test_dynamic_shared_memory(module):
    out = np.zeros(1, np.int32)
    module.shared_sum(out, block=64, shared=64 * 4)
    assert out[0] == sum(range(64))


def test_keywords_made_at_run_time(module):
    x = np.ones(4, np.float32)
    module.scale(x, 4, 3.0, **{"bl" + "ock": 4, "".join(["gr", "id"]): 1})
    assert (x == 3).all()


def test_arrays_for_vector_types_are_viewed_as_structs():
    twice = lanza.compile("__global__ void twice(float4* v) { v[threadIdx.x].w *= 2; }").twice
    rows = np.ones((3, 4), np.float32)
    fails(
        lanza.ArgumentTypeError,
        "twice: argument 1 (v): expected float4*, got float32 array (3, 4); view its elements as structs of 16 bytes with .view('V16')",
        lambda: twice(rows, block=3),
    )
    twice(rows.view("V16"), block=3)
    assert (rows == [1, 1, 1, 2]).all()
    buffer = lanza.to_device(rows)
    fails(
        lanza.ArgumentTypeError,
        f"twice: argument 1 (v): expected float4*, got float32 buffer (12,) on {buffer.device}; view it as structs with .view('V16')",
        lambda: twice(buffer, block=3),
    )
    twice(buffer.view("V16"), block=3)


def test_texts(module):
    dest, a, b = arrays()
    k = module.multiplicar
    fails(
        lanza.ArgumentTypeError,
        "multiplicar: argument 1 (dest): expected float*, got float64 array (400,); convert with .astype(numpy.float32)",
        lambda: k(dest.astype(float), a, b, block=400),
    )
    fails(
        lanza.ArgumentTypeError,
        "multiplicar: takes 3 arguments (float*, const float*, const float*), got 2",
        lambda: k(dest, a, block=400),
    )
    fails(
        lanza.InvalidArgument,
        "multiplicar: must specify block size, e.g. block=256",
        lambda: k(dest, a, b),
    )
    fails(
        lanza.ArgumentTypeError,
        "multiplicar: argument 3 (b): expected const float*, got int 3; pass an array or a Buffer",
        lambda: k(dest, a, 3, block=400),
    )
    fails(
        lanza.ArgumentTypeError,
        "multiplicar: argument 3 (b): expected const float*, got str",
        lambda: k(dest, a, "b", block=400),
    )
    fails(
        lanza.InvalidArgument,
        "multiplicar: argument 1 (dest): float32 array (200,) is not contiguous; pass a contiguous copy",
        lambda: k(dest[::2], a, b, block=200),
    )
    fails(
        lanza.ArgumentTypeError,
        "multiplicar: block=2.5: expected an int, or a tuple of one to three",
        lambda: k(dest, a, b, block=2.5),
    )


def test_two_dimensional_shapes_are_named(module):
    with pytest.raises(lanza.ArgumentTypeError, match=r"got int32 array \(4, 4\); convert"):
        module.scale(np.zeros((4, 4), np.int32), 16, 1.0, block=16)


@pytest.mark.parametrize(
    "bad",
    [
        {"block": 0},
        {"block": (1, 2, 3, 4)},
        {"block": ()},
        {"block": -1},
        {"block": 1 << 40},
        {"block": "4"},
        {"block": 1025},
        {"block": (1, 1, 65)},
        {"block": 4, "grid": 0},
        {"block": 4, "grid": (1, 70000)},
        {"block": 4, "grid": None},
        {"block": 4, "shared": -1},
        {"block": 4, "shared": 1 << 30},
        {"block": 4, "stream": 0},
        {"block": 4, "timeout": -1.0},
        {"block": 4, "timeout": "soon"},
    ],
)
def test_bad_configurations(module, bad):
    x = np.ones(4, np.float32)
    with pytest.raises(lanza.InvalidArgument):
        module.scale(x, 4, 2.0, **bad)
    assert (x == 1).all()


def test_unknown_keyword(module):
    with pytest.raises(TypeError, match=r"scale\(\) got an unexpected keyword argument 'blok'"):
        module.scale(np.ones(4, np.float32), 4, 2.0, blok=4)


def test_read_only_array_for_out(module):
    dest, a, b = arrays()
    dest.flags.writeable = False
    with pytest.raises(lanza.InvalidArgument, match="read-only"):
        module.multiplicar(lanza.out(dest), a, b, block=400)
    with pytest.raises(lanza.InvalidArgument, match=r"pass it with lanza\.in_\(\)"):
        module.multiplicar(dest, a, b, block=400)
    a.flags.writeable = False
    module.multiplicar(arrays()[0], a, b, block=400)


def test_out_for_a_const_parameter(module):
    dest, a, b = arrays()
    with pytest.raises(lanza.ArgumentTypeError, match=r"only reads const float\*; pass it with lanza\.in_\(\)"):
        module.multiplicar(dest, lanza.out(a), b, block=400)


def test_in_is_never_written(module):
    x = np.ones(64, np.float32)
    module.scale(lanza.in_(x), 64, 5.0, block=64)
    assert (x == 1).all()


def test_overlapping_arrays(module):
    x = np.arange(8, dtype=np.float32)
    module.multiplicar(lanza.out(x), lanza.in_(x), lanza.in_(x), block=8)
    assert (x == np.arange(8, dtype=np.float32) ** 2).all()


def test_a_kernel_without_parameters(module):
    module.nothing(block=1)
    module["nothing"](grid=3, block=32)
    with pytest.raises(lanza.ArgumentTypeError, match="nothing: takes no arguments, got 1"):
        module.nothing(1, block=1)


def test_kernel_says_what_it_is(module, device):
    kernel = module.multiplicar
    assert kernel.name == "multiplicar"
    assert str(kernel.signature) == "multiplicar(float* dest, const float* a, const float* b)"
    assert repr(kernel) == f"<lanza.Kernel multiplicar(float* dest, const float* a, const float* b) on {device}>"
    first, second, _ = kernel.signature
    assert (first.name, first.type, first.kind, first.dtype, first.read_only) == (
        "dest",
        "float*",
        "pointer",
        "float32",
        False,
    )
    assert second.read_only
    assert len(kernel.signature) == 3
    assert kernel.signature[-1].name == "b"
    assert kernel.attributes["max_threads_per_block"] >= 400
    assert isinstance(kernel.report(), str)
    assert kernel.module == module
    assert kernel == module.kernel("multiplicar")
    assert hash(kernel) == hash(module["multiplicar"])
    assert kernel != module.scale


def test_a_report_is_json_and_says_where_the_time_of_a_compilation_went():
    module = lanza.compile("__global__ void k(int* out) { out[threadIdx.x] = 1; }", device="cpu", cache=False)
    assert "first launch" in module.k.report()
    out = np.zeros(4, np.int32)
    module.k(out, block=4)
    (line,) = module.k.report().splitlines()
    report = json.loads(line)
    assert report["kernel"]
    assert report["engine"] in ("threads", "lanes", "vector")
    assert report["why"]
    front, back = report["front_ms"], report["compile_ms"]
    assert {"prelude", "parse", "generate", "write"} == set(front)
    assert {"device", "emit", "link"} <= set(back)
    assert min(sum(front.values()), sum(back.values())) > 0
    assert sum(front.values()) + sum(back.values()) <= module.compile_seconds * 1000


def test_a_report_says_what_launches_took_that_ran_alone():
    add = "atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x] & 63], 1);"
    source = f"""
    __global__ void counts(const int* in, int* bins) {{ {add} }}
    __global__ void copies(const int* in, int* bins) {{ bins[threadIdx.x] = in[threadIdx.x]; }}"""
    module = lanza.compile(source, device="cpu", cache=False)
    numbers, bins = np.arange(4096, dtype=np.int32), np.zeros(256, np.int32)
    for _ in range(4):
        module.counts(numbers, bins, grid=16, block=256)
    module.copies(numbers, bins, block=256)
    assert json.loads(module.counts.report())["alone"]["ns_per_thread"] > 0
    assert "alone" not in json.loads(module.copies.report())


def test_code_for_a_block_of_few_threads_is_not_what_larger_blocks_run():
    module = lanza.compile("__global__ void k(int* out) { out[threadIdx.x] = 1; }", device="cpu", cache=False)
    out = np.zeros(64, np.int32)
    module.k(out, block=1)
    module.k(out, block=64)
    first, second = (json.loads(line) for line in module.k.report().splitlines())
    assert (first["lanes"], first["block"]) == (1, [1, 1, 1])
    assert second["engine"] == "vector"


def test_a_report_says_nothing_of_compilations_that_were_not_needed():
    source = f"__global__ void k(int* out) {{ out[threadIdx.x] = {time.time_ns()}; }}"
    out = np.zeros(4, np.int32)
    for cached in (False, True):
        module = lanza.compile(source, device="cpu")
        module.k(out, block=4)
        report = json.loads(module.k.report())
        assert ("front_ms" in report, "compile_ms" in report) == (not cached, not cached)


def test_timeout_ends_a_kernel_that_never_does():
    module = lanza.compile(
        "__global__ void forever(volatile int* x) { while (!*x) __nanosleep(1000); }", device=lanza.Device("cpu")
    )
    flag = lanza.Buffer(1, "int32", device=lanza.Device("cpu"))
    flag.fill(0)
    stream = lanza.Stream(module.device)
    module.forever(flag, block=1, timeout=0.2, stream=stream)
    with pytest.raises(lanza.LaunchError, match="forever"):
        stream.synchronize()
