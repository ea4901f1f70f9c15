"""compile(), load() and Module."""

import time

import numpy as np
import pytest

import lanza


def test_kernels_are_attributes(module, device):
    assert module.multiplicar is module.multiplicar
    assert module["multiplicar"] is module.multiplicar
    assert module.kernel("scale") is module.scale
    assert "multiplicar" in dir(module)
    assert "kernel" in dir(module)
    assert "multiplicar" in module.kernels
    assert module.device == device
    assert repr(module).startswith(f"<lanza.Module 'kernel.cu' on {device}: ")


def test_members_win(module):
    assert isinstance(module.kernels, list)
    x = np.zeros(1, np.int32)
    module["kernels"](x, block=1)
    assert x[0] == 1
    assert isinstance(module.kernels, list)


def test_unknown_kernel(device):
    module = lanza.compile("__global__ void multiplicar() {}")
    for access in (lambda: module.sumar, lambda: module["sumar"], lambda: module.kernel("sumar")):
        with pytest.raises(lanza.NotFound) as caught:
            access()
        assert str(caught.value) == "no kernel 'sumar' in kernel.cu; it has: multiplicar"
        assert isinstance(caught.value, AttributeError)
        assert isinstance(caught.value, LookupError)
    assert not hasattr(module, "sumar")
    assert getattr(module, "sumar", None) is None
    with pytest.raises(AttributeError, match="_private"):
        _ = module._private
    assert not hasattr(module, "__array__")


def test_kernel_outlives_its_module(device):
    kernel = lanza.compile("__global__ void one(int* x) { *x = 1; }").one
    x = np.zeros(1, np.int32)
    kernel(x, block=1)
    assert x[0] == 1


TEMPLATE = "template <class T> __global__ void axpy(T a, const T* x, T* y) { y[threadIdx.x] += a * x[threadIdx.x]; }"


def test_templates(device):
    module = lanza.compile(TEMPLATE, names=["axpy<float>"])
    for dtype, name in ((np.float32, "axpy<float>"), (np.float64, "axpy<double>")):
        x, y = np.ones(4, dtype), np.ones(4, dtype)
        module[name](3.0, x, y, block=4)
        assert (y == 4).all()
    assert module["axpy<double>"] is module["axpy<double>"]


def test_variables(module):
    out = np.zeros(2, np.float32)
    module.read_variables(out, block=1)
    assert out.tolist() == [4, 7]
    table = module.variable("table")
    assert table.nbytes == 16
    lanza.copy(table, np.array([1, 2, 3, 40], np.float32))
    module.variable("counter").view("int32").fill(9)
    module.read_variables(out, block=1)
    assert out.tolist() == [40, 9]
    with pytest.raises(lanza.NotFound, match="table"):
        module.variable("nothing")


def test_initialised_constants(device):
    """Code that knows what they hold is good until someone may write to them, in this module."""
    source = """
    __constant__ int weights[4] = {1, 2, 3, 4};
    __constant__ int unset[2];
    __global__ void add(int* out) { for (int i = 0; i < 4; ++i) out[threadIdx.x] += weights[i] * (1 + unset[i % 2]); }
    __global__ void at(int* out) { out[threadIdx.x] += weights[threadIdx.x % 4]; }
    """
    if device.kind == "cpu":  # NVRTC takes no launches from kernels
        source += "__global__ void both(int* out) { add<<<1, 4>>>(out); }"
    first, second = lanza.compile(source), lanza.compile(source)
    weights = np.array([1, 2, 3, 4])

    def sums(module):
        out = np.zeros(4, np.int32)
        module.add(out, block=4)
        module.at(out, block=4)
        if device.kind == "cpu":
            module.both(out, block=1)
        else:
            module.add(out, block=4)
        return out.tolist()

    assert sums(first) == sums(second) == (20 + weights).tolist()
    lanza.copy(first.variable("unset"), np.array([1, 1], np.int32))
    assert sums(first) == (40 + weights).tolist()
    assert sums(second) == (20 + weights).tolist()
    lanza.copy(first.variable("weights"), np.array([5, 6, 7, 8], np.int32))
    assert sums(first) == (104 + np.array([5, 6, 7, 8])).tolist()
    assert sums(second) == (20 + weights).tolist()
    lanza.copy(first.variable("weights"), np.array([0, 0, 0, 1], np.int32))
    assert sums(first) == [4, 4, 4, 5]


def test_constants_that_no_code_holds(device):
    """What is read in its place may be written at any time: nothing is compiled anew, as it is for a table of integers."""
    source = """
    __constant__ float weights[2] = {1, 2};
    __constant__ int table[2] = {3, 4};
    __global__ void get(float* out) { out[threadIdx.x] = weights[threadIdx.x] + table[1]; }
    """
    module, out = lanza.compile(source), np.zeros(2, np.float32)

    def values_and_codes():
        module.get(out, block=2)
        return out.tolist(), module.get.report().count("\n") + 1 if device.kind == "cpu" else 0

    _, once = values_and_codes()
    lanza.copy(module.variable("weights"), np.array([5, 6], np.float32))
    assert values_and_codes() == ([9, 10], once)
    lanza.copy(module.variable("table"), np.array([3, 5], np.int32))
    values, codes = values_and_codes()
    assert values == [10, 11]
    assert codes == once + (device.kind == "cpu")


def test_options_headers_and_include_dirs(device, tmp_path):
    (tmp_path / "from_disk.h").write_text("#define B 20\n")
    source = """
    #include "given.h"
    #include "from_disk.h"
    __global__ void sum(int* x) { *x = A + B + C; }
    """
    module = lanza.compile(source, headers={"given.h": "#define A 1\n"}, include_dirs=[tmp_path], options=["-DC=300"])
    x = np.zeros(1, np.int32)
    module.sum(x, block=1)
    assert x[0] == 321


def test_load(device, tmp_path):
    (tmp_path / "own.h").write_text("#define VALUE 5\n")
    path = tmp_path / "mine.cu"
    path.write_text('#include "own.h"\n__global__ void five(int* x) { *x = VALUE; }\n')
    module = lanza.load(path)
    x = np.zeros(1, np.int32)
    module.five(x, block=1)
    assert x[0] == 5
    assert module.filename.endswith("mine.cu")
    with pytest.raises(lanza.NotFound, match=r"nowhere\.cu"):
        lanza.load(tmp_path / "nowhere.cu")


def test_cache(device):
    source = f"__global__ void fresh(int* x) {{ *x = {time.time_ns() % 1_000_000}; }}"
    first = lanza.compile(source)
    assert not first.cached
    x = np.zeros(1, np.int32)
    first.fresh(x, block=1)
    second = lanza.compile(source)
    y = np.zeros(1, np.int32)
    second.fresh(y, block=1)
    assert second.cached
    assert x[0] == y[0]
    assert 0 <= second.compile_seconds < first.compile_seconds
    assert not lanza.compile(source, cache=False).cached


def test_warnings_are_kept(device):
    module = lanza.compile("#warning take care\n__global__ void f() {}", cache=False)
    assert "take care" in module.log
    assert module.compiler


def test_images(module, device):
    kind = "bitcode" if device.kind == "cpu" else "cubin"
    assert isinstance(module.image(kind), bytes)
    with pytest.raises(lanza.NotFound):
        module.image("nonsense")


def test_bad_arguments(device):
    with pytest.raises(
        lanza.ArgumentTypeError, match=r"options is a sequence of strings, not one string: write \['-DN=4'\]"
    ):
        lanza.compile("", options="-DN=4")
    with pytest.raises(TypeError):
        lanza.compile(5)
    with pytest.raises(lanza.Error):
        lanza.compile("__global__ void f() {}", options=["--no-such-option"])
    with pytest.raises(lanza.CompileError):
        lanza.compile("template <int N> struct S { S<N + 1> next; }; S<0> s;")
