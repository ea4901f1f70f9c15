"""Buffer, to_device() and copy()."""

import gc
import weakref

import numpy as np
import pytest

import lanza


def test_there_and_back(device):
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    buffer = lanza.to_device(x)
    assert (buffer.size, buffer.nbytes, len(buffer)) == (12, 48, 12)
    assert buffer.dtype == np.int32
    assert buffer.device == device
    assert buffer.ptr != 0
    assert buffer.numpy().tolist() == x.ravel().tolist()
    assert repr(buffer) == f"<lanza.Buffer of 12 int32 on {device} at {buffer.ptr:#x}>"


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("float32", "f4"),
        ("<f4", "f4"),
        (np.float16, "f2"),
        (np.dtype("complex64"), "c8"),
        (float, "f8"),
        (bool, "?"),
        ("int8", "i1"),
        ([("a", "i4"), ("b", "f8")], [("a", "i4"), ("b", "f8")]),
        ("datetime64[s]", "datetime64[s]"),
    ],
)
def test_dtypes(device, dtype, expected):
    buffer = lanza.Buffer(3, dtype)
    assert buffer.dtype == np.dtype(expected)
    assert buffer.nbytes == 3 * np.dtype(expected).itemsize


@pytest.mark.parametrize("dtype", ["float33", ">f4", object(), "V0"])
def test_bad_dtypes(device, dtype):
    with pytest.raises(lanza.InvalidArgument):
        lanza.Buffer(3, dtype)


def test_default_dtype_is_bytes(device):
    assert lanza.Buffer(10).dtype == np.uint8
    untyped = lanza.Buffer(10, "void")
    assert untyped.nbytes == 10


def test_untyped_memory_fits_every_pointer(module):
    buffer = lanza.Buffer(16, "void")
    lanza.copy(buffer, np.ones(4, np.float32))
    module.scale(buffer, 4, 2.0, block=4)
    assert (buffer.view("float32").numpy() == 2).all()


def test_slices_share_memory(device):
    buffer = lanza.to_device(np.arange(10, dtype=np.int64))
    part = buffer[2:5]
    assert part.ptr == buffer.ptr + 16
    part.fill(-1)
    assert buffer.numpy().tolist() == [0, 1, -1, -1, -1, 5, 6, 7, 8, 9]
    assert buffer[-2:].numpy().tolist() == [8, 9]
    assert buffer[7:3].size == 0
    del buffer
    assert part.numpy().tolist() == [-1] * 3
    with pytest.raises(lanza.InvalidArgument, match="step 1"):
        part[::2]
    with pytest.raises(TypeError):
        part[0]


def test_views(device):
    buffer = lanza.to_device(np.array([1.0], np.float32))
    assert buffer.view("uint32").numpy()[0] == 0x3F800000
    with pytest.raises(lanza.InvalidArgument, match="no multiple of 8 bytes"):
        buffer.view("float64")


def test_fill(device):
    for dtype, value in (("uint8", 200), ("int16", -3), ("float32", 0.5), ("float64", -0.25), ("complex128", 1 + 2j)):
        buffer = lanza.Buffer(33, dtype)
        buffer.fill(value)
        assert (buffer.numpy() == np.dtype(dtype).type(value)).all()
    pairs = lanza.Buffer(5, [("a", "i4"), ("b", "f8")])
    pairs.fill((3, 0.5))
    assert pairs.numpy().tolist() == [(3, 0.5)] * 5
    with pytest.raises(lanza.InvalidArgument, match="one value"):
        pairs.fill([(1, 2), (3, 4)])


def test_size_zero(device):
    empty = lanza.Buffer(0, "float32")
    assert (empty.ptr, empty.size, empty.nbytes) == (0, 0, 0)
    empty.fill(1)
    assert empty.numpy().size == 0
    assert lanza.to_device(np.zeros(0)).size == 0


def test_too_much(device):
    with pytest.raises(lanza.OutOfMemory) as caught:
        lanza.Buffer(1 << 48)
    assert isinstance(caught.value, MemoryError)
    with pytest.raises(lanza.OutOfMemory):
        lanza.Buffer(1 << 62, "float64")
    with pytest.raises((TypeError, lanza.InvalidArgument)):
        lanza.Buffer(-1)
    assert lanza.Buffer(16).nbytes == 16


def test_copy_in_every_direction(device):
    x = np.arange(6, dtype=np.float32)
    a, b, y = lanza.Buffer(6, "float32"), lanza.Buffer(6, "float32"), np.zeros(6, np.float32)
    lanza.copy(a, x)
    lanza.copy(b, a)
    lanza.copy(y, b)
    assert (x == y).all()
    on_cpu = lanza.Buffer(6, "float32", device=lanza.Device("cpu"))
    lanza.copy(on_cpu, a)
    assert (np.asarray(on_cpu) == x).all()
    stream = lanza.Stream()
    z = np.zeros(6, np.float32)
    lanza.copy(z, b, stream=stream, wait=False)
    stream.synchronize()
    assert (x == z).all()


def test_copies_that_cannot_be(device):
    buffer = lanza.Buffer(4, "float32")
    with pytest.raises(lanza.InvalidArgument, match="the destination has 16 bytes, the source 20"):
        lanza.copy(buffer, np.zeros(5, np.float32))
    with pytest.raises(lanza.InvalidArgument, match=r"not contiguous; copy it with numpy\.ascontiguousarray"):
        lanza.copy(buffer, np.zeros(8, np.float32)[::2])
    with pytest.raises(lanza.InvalidArgument, match="read-only"):
        lanza.copy(b"0123456789012345", buffer)
    with pytest.raises(lanza.InvalidArgument, match="neither side"):
        lanza.copy(np.zeros(4), np.zeros(4))
    with pytest.raises(lanza.ArgumentTypeError, match="the source is no array: int"):
        lanza.copy(buffer, 5)
    with pytest.raises(lanza.ArgumentTypeError, match="no array: list"):
        lanza.to_device([1, 2])


def test_structured_arrays_keep_their_type(device):
    x = np.array([(1, 2.5), (3, 4.5)], dtype=[("a", "i4"), ("b", "f8")])
    buffer = lanza.to_device(x)
    assert buffer.dtype == x.dtype
    assert (buffer.numpy() == x).all()


def test_cpu_memory_is_seen_in_place():
    buffer = lanza.Buffer(4, "float32", device=lanza.Device("cpu"))
    buffer.fill(1)
    x = np.asarray(buffer)
    assert x.dtype == np.float32
    x[2] = 7
    assert buffer.numpy().tolist() == [1, 1, 7, 1]
    assert np.from_dlpack(buffer).ctypes.data == buffer.ptr
    assert memoryview(buffer).format == "f"
    assert not hasattr(buffer, "__cuda_array_interface__")
    assert buffer.__dlpack_device__() == (1, 0)
    reference = weakref.ref(buffer)
    del buffer
    gc.collect()
    assert reference() is not None, "the array holds the memory"
    assert x[2] == 7
    with pytest.raises(BufferError, match="records"):
        np.from_dlpack(lanza.Buffer(2, [("a", "i4")], device=lanza.Device("cpu")))


def test_cuda_memory_is_described(device):
    if device.kind != "cuda":
        pytest.skip("describes CUDA memory")
    buffer = lanza.to_device(np.ones(4, np.float32))
    interface = buffer.__cuda_array_interface__
    assert interface["data"] == (buffer.ptr, False)
    assert interface["typestr"] == "<f4"
    assert interface["shape"] == (4,)
    assert buffer.__dlpack_device__() == (2, 0)
    with pytest.raises(BufferError, match=r"copy it with \.numpy\(\)"):
        memoryview(buffer)


def test_numpy_is_a_copy(device):
    buffer = lanza.to_device(np.ones(4))
    x = buffer.numpy()
    x[:] = 5
    assert (buffer.numpy() == 1).all()
