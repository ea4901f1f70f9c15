"""Conversion of arguments: numbers with range checks, structs, bytes, arrays of other libraries."""

import ctypes
import struct
from array import array

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lanza

CPP = {
    "bool": "bool",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned",
    "int64": "long long",
    "uint64": "unsigned long long",
    "float32": "float",
    "float64": "double",
}
INTEGERS = [name for name in CPP if "int" in name]
relaxed = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def identity(device):
    """Kernels that write their number to memory, one a type."""
    source = "\n".join(f"__global__ void f_{name}({t}* out, {t} value) {{ *out = value; }}" for name, t in CPP.items())
    return lanza.compile(source, device=device)


def passed(identity, dtype, value):
    """What the kernel saw."""
    out = np.zeros(1, dtype)
    identity[f"f_{dtype}"](lanza.out(out), value, block=1)
    return out[0]


@relaxed
@given(dtype=st.sampled_from(INTEGERS), value=st.integers(-(2**70), 2**70))
def test_python_integers(identity, dtype, value):
    info = np.iinfo(dtype)
    if info.min <= value <= info.max:
        assert passed(identity, dtype, value) == value
    else:
        with pytest.raises(lanza.InvalidArgument, match="does not fit"):
            passed(identity, dtype, value)


@relaxed
@given(to=st.sampled_from(INTEGERS), source=st.sampled_from(INTEGERS), data=st.data())
def test_numpy_integers(identity, to, source, data):
    have, want = np.iinfo(source), np.iinfo(to)
    value = np.dtype(source).type(data.draw(st.integers(have.min, have.max)))
    if want.min <= int(value) <= want.max:
        assert passed(identity, to, value) == value
    else:
        with pytest.raises(lanza.InvalidArgument, match="does not fit"):
            passed(identity, to, value)


@relaxed
@given(value=st.floats(allow_nan=False))
def test_python_floats(identity, value):
    assert passed(identity, "float64", value) == value
    with np.errstate(over="ignore"):
        narrow = np.float32(value)
    if np.isinf(narrow) and not np.isinf(value):
        with pytest.raises(lanza.InvalidArgument, match="does not fit"):
            passed(identity, "float32", value)
    else:
        assert passed(identity, "float32", value) == narrow


@pytest.mark.parametrize("to", INTEGERS)
@pytest.mark.parametrize("value", [1.0, np.float32(1), np.float64(1), 1 + 0j, None, "1", b"1", [1]])
def test_what_is_no_integer(identity, to, value):
    with pytest.raises(lanza.ArgumentTypeError, match=f"f_{to}: argument 2 \\(value\\): expected"):
        passed(identity, to, value)


def test_numpy_floats_match_or_widen(identity):
    assert passed(identity, "float32", np.float32(0.1)) == np.float32(0.1)
    assert passed(identity, "float64", np.float32(0.1)) == np.float32(0.1)
    with pytest.raises(
        lanza.ArgumentTypeError, match=r"expected float, got float64 scalar 2\.5; convert with numpy\.float32"
    ):
        passed(identity, "float32", np.float64(2.5))


@pytest.fixture(scope="module")
def sixteen(device):
    """What kernels see of a __half and a __nv_bfloat16, as bits; and of a float."""
    if device.kind == "cuda":
        pytest.skip("the toolkit's headers may not be there")
    source = """
    #include <cuda_bf16.h>
    __global__ void as_half(unsigned short* out, __half value) { *out = __half_as_ushort(value); }
    __global__ void as_bfloat(unsigned short* out, __nv_bfloat16 value) { *out = __bfloat16_as_ushort(value); }
    __global__ void as_real(float* out, float value) { *out = value; }
    """
    module = lanza.compile(source, device=device)

    def see(kernel, value):
        out = np.zeros(1, np.float32 if kernel == "real" else np.uint16)
        module[f"as_{kernel}"](lanza.out(out), value, block=1)
        return out[0]

    return see


def bits_of_half(value):
    return np.array(value).astype(np.float16).view(np.uint16)[()]


@relaxed
@given(value=st.floats(-70000, 70000) | st.floats(-1e-4, 1e-4) | st.integers(-70000, 70000) | st.floats(width=16))
def test_numbers_as_half(sixteen, value):
    with np.errstate(over="ignore"):
        bits = bits_of_half(value)
    if np.isnan(value):
        assert sixteen("half", value) & 0x7FFF > 0x7C00
    elif bits & 0x7FFF == 0x7C00 and not np.isinf(value):
        with pytest.raises(lanza.InvalidArgument, match="does not fit __half"):
            sixteen("half", value)
    else:
        assert sixteen("half", value) == bits


@relaxed
@given(
    value=st.floats(width=32, allow_nan=False)
    | st.integers(-(2**63), 2**64 - 1)
    | st.sampled_from([2**60 + 2**52 + 1, -(2**60) - 2**52])
)
def test_numbers_as_bfloat16(sixteen, value):
    # The upper half of a float's bits; of an integer's float rounded to odd, as one rounding must do.
    wide = np.float32(value)
    rest = 0 if not np.isfinite(wide) else int(value) - int(wide) if isinstance(value, int) else 0
    bits = int(wide.view(np.uint32))
    size = (bits & 0x7FFFFFFF) * 4 + np.sign(rest) * (1 if value > 0 else -1)
    rounded = int(size + (1 << 17) - 1 + ((size >> 18) & 1)) >> 18
    if rounded == 0x7F80 and np.isfinite(value):
        with pytest.raises(lanza.InvalidArgument, match="does not fit __nv_bfloat16"):
            sixteen("bfloat", value)
    else:
        assert sixteen("bfloat", value) == rounded | (bits >> 31) << 15


def test_numpy_floats_and_sixteen_bits(sixteen):
    assert sixteen("half", np.float16(-1.5)) == bits_of_half(-1.5)
    assert sixteen("half", np.int8(7)) == bits_of_half(7)
    for value in [1.5, 6e-8, 65504, -np.inf]:
        assert sixteen("real", np.float16(value)) == np.float32(np.float16(value))
    for kernel, value in [("half", np.float32(1)), ("half", np.float64(1)), ("bfloat", np.float16(1))]:
        with pytest.raises(lanza.ArgumentTypeError, match="expected __"):
            sixteen(kernel, value)


def test_booleans(identity):
    for value in (True, np.True_, 1, np.int8(1)):
        assert passed(identity, "bool", value)
        assert passed(identity, "int32", value) == 1
    with pytest.raises(lanza.InvalidArgument, match="does not fit"):
        passed(identity, "bool", 2)


def test_every_kind_at_once(module):
    out = np.zeros(11)
    values = [True, -100, 200, -30000, 60000, -(2**31), 2**32 - 1, -(2**53), 2**53, 0.5, 1e300]
    module.scalars(out, *values, block=1)
    assert out.tolist() == [float(v) for v in values]


def test_integers_of_other_kinds(identity):
    class Index:
        def __index__(self):
            return 11

    assert passed(identity, "int32", Index()) == 11
    assert passed(identity, "int32", np.array(12)) == 12
    assert passed(identity, "int32", ctypes.c_int(13)) == 13


@pytest.mark.parametrize(
    "pair",
    [
        np.array([(1.5, 2)], dtype=[("first", "f4"), ("second", "i4")])[0],
        np.array((1.5, 2), dtype=[("first", "f4"), ("second", "i4")]),
        struct.pack("fi", 1.5, 2),
        bytearray(struct.pack("fi", 1.5, 2)),
    ],
)
def test_structs_by_value(module, pair):
    out = np.zeros(1, np.float32)
    module.take_pair(out, pair, block=1)
    assert out[0] == 3.5


@pytest.mark.parametrize("bad", [b"1234", 5, 1.5, np.zeros(3, np.float32), None])
def test_struct_of_another_size(module, bad):
    with pytest.raises(lanza.ArgumentTypeError, match=r"take_pair: argument 2 \(p\): expected Pair \(8 bytes\), got"):
        module.take_pair(np.zeros(1, np.float32), bad, block=1)


def test_untyped_pointers_take_anything(module):
    for dtype in (np.uint8, np.float64, np.complex64, np.dtype([("a", "i2"), ("b", "i2")])):
        x = np.zeros(2, dtype)
        n = x.nbytes
        module.anything(x, n, block=1)
        module.bytes(x, n, block=1)
        assert x.tobytes() == b"\2" * n


def test_the_buffer_protocol(module):
    x = array("f", [1, 2, 3])
    module.scale(x, 3, 2.0, block=3)
    assert x.tolist() == [2, 4, 6]
    c = (ctypes.c_float * 3)(1, 2, 3)
    module.scale(c, 3, 2.0, block=3)
    assert list(c) == [2, 4, 6]
    raw = bytearray(12)
    module.bytes(raw, 12, block=1)
    assert raw == b"\1" * 12
    view = memoryview(array("f", [1, 2]))
    module.scale(view, 2, 3.0, block=2)
    assert view.tolist() == [3, 6]


def test_fortran_order_is_contiguous(module):
    x = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    module.scale(x, 6, 2.0, block=6)
    assert (x == 2 * np.arange(6).reshape(2, 3)).all()


def test_byte_order(module):
    with pytest.raises(lanza.InvalidArgument, match="other byte order"):
        module.scale(np.zeros(4, ">f4"), 4, 1.0, block=4)
    module.scale(np.zeros(4, "<f4"), 4, 1.0, block=4)


def test_empty_arrays_and_none(module):
    module.scale(np.zeros(0, np.float32), 0, 1.0, block=4)
    module.scale(None, 0, 1.0, block=4)
    module.scale(lanza.Buffer(0, "float32"), 0, 1.0, block=4)


class Dlpack:
    """An object that speaks DLPack only, the old and the new way."""

    def __init__(self, array, versions):
        self.array, self.versions = array, versions

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **arguments):
        if not self.versions:
            if "max_version" in arguments:
                raise TypeError("no such argument")
            return self.array.__dlpack__()
        return self.array.__dlpack__(**arguments)


@pytest.mark.parametrize("versions", [True, False])
def test_dlpack(module, versions):
    x = np.ones(8, np.float32)
    module.scale(Dlpack(x, versions), 8, 4.0, block=8)
    assert (x == 4).all()
    with pytest.raises(lanza.ArgumentTypeError, match=r"got float64 array \(8,\)"):
        module.scale(Dlpack(np.ones(8), versions), 8, 4.0, block=8)
    with pytest.raises(lanza.InvalidArgument, match="not contiguous"):
        module.scale(Dlpack(np.ones(16, np.float32)[::2], versions), 8, 4.0, block=8)


def test_read_only_through_dlpack(module):
    x = np.ones(8, np.float32)
    x.flags.writeable = False
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":
        pytest.skip("this NumPy exports no read-only arrays")
    with pytest.raises(lanza.InvalidArgument, match="read-only"):
        module.scale(Dlpack(x, True), 8, 4.0, block=8)


class CudaArray:
    """Device memory of another library."""

    def __init__(self, buffer, typestr="<f4", read_only=False, strides=None):
        self.buffer = buffer
        self.__cuda_array_interface__ = {
            "shape": (buffer.size,),
            "typestr": typestr,
            "data": (buffer.ptr, read_only),
            "strides": strides,
            "version": 3,
            "stream": 1,
        }


def test_cuda_array_interface(device, module):
    x = lanza.to_device(np.ones(8, np.float32))
    if device.kind == "cpu":
        with pytest.raises(lanza.InvalidArgument, match="the kernel runs on the CPU"):
            module.scale(CudaArray(x), 8, 2.0, block=8)
        return
    module.scale(CudaArray(x), 8, 2.0, block=8)
    assert (x.numpy() == 2).all()
    with pytest.raises(lanza.ArgumentTypeError, match=r"got float64 array \(8,\) on a CUDA device"):
        module.scale(CudaArray(x, "<f8"), 8, 2.0, block=8)
    with pytest.raises(lanza.InvalidArgument, match="read-only"):
        module.scale(CudaArray(x, read_only=True), 8, 2.0, block=8)
    with pytest.raises(lanza.InvalidArgument, match="not contiguous"):
        module.scale(CudaArray(x, strides=(8,)), 8, 2.0, block=8)


def test_errors_of_the_object_itself_go_on(module):
    class Broken:
        def __dlpack_device__(self):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        module.scale(Broken(), 1, 1.0, block=1)


def test_wrappers_say_what_they_wrap():
    x = np.zeros(2)
    assert repr(lanza.in_(x)) == f"lanza.in_({x!r})"
    assert repr(lanza.out(x)).startswith("lanza.out(")
    assert lanza.inout(x).array is x
    with pytest.raises(TypeError):
        type(lanza.in_(x))()
