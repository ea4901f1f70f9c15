"""Stream and Event."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import lanza


def test_work_on_a_stream(device, module):
    stream = lanza.Stream(device)
    x = lanza.to_device(np.ones(64, np.float32), stream=stream)
    module.scale(x, 64, 3.0, block=64, stream=stream)
    stream.synchronize()
    assert stream.query()
    assert (x.numpy() == 3).all()
    assert stream.device == device
    assert stream.handle != 0
    assert repr(stream).startswith("<lanza.Stream 0x")


def test_current_stream_is_taken(device, module):
    stream = lanza.Stream(device, priority=-1, non_blocking=True)
    x = lanza.Buffer(16, "float32")
    with stream:
        x.fill(2)
        module.scale(x, 16, 2.0, block=16)
        assert (x.numpy() == 4).all()


def test_what_is_read_is_what_the_current_stream_wrote(device):
    """Of a stream that is not ordered with the default one, by each way to the host."""
    source = (
        "__global__ void slow(int* x, int n) { int v = 1; for (int i = 0; i < n; ++i) v = v * 5 + x[1]; x[0] = v; }"
    )
    module, turns = lanza.compile(source, device=device), 3_000_000
    expected = np.int32((pow(5, turns, 2**32) + 2**31) % 2**32 - 2**31)
    stream, x, host = lanza.Stream(device, non_blocking=True), lanza.Buffer(2, "int32"), np.zeros(2, np.int32)
    ways = {
        "numpy": lambda: x.numpy(),
        "copy": lambda: lanza.copy(host, x) or host,
        "dlpack": lambda: np.from_dlpack(x),
    }
    if device.kind != "cpu":
        del ways["dlpack"]
    with stream:
        for name, read in ways.items():
            x.fill(0)
            module.slow(x, turns, block=1)
            assert read()[0] == expected, name


def test_events_measure_time(device, module):
    stream = lanza.Stream(device)
    start = lanza.Event(device).record(stream)
    x = lanza.Buffer(16, "float32")
    module.scale(x, 16, 2.0, block=16, stream=stream)
    end = stream.record()
    end.synchronize()
    assert end.query()
    assert 0 <= end.time_since(start) < 10_000
    assert end.device == device
    same = lanza.Event(device)
    assert same.record(stream) is same
    assert stream.record(same) is same


def test_time_needs_recorded_events(device):
    with pytest.raises(lanza.InvalidArgument):
        lanza.Event().time_since(lanza.Event())
    untimed = lanza.Event(timing=False).record()
    timed = lanza.Event().record()
    timed.synchronize()
    with pytest.raises(lanza.InvalidArgument):
        timed.time_since(untimed)


def test_streams_wait_for_each_other(device, module):
    first, second = lanza.Stream(), lanza.Stream()
    x = lanza.Buffer(1 << 16, "float32")
    x.fill(1)
    lanza.default_device().synchronize()
    module.scale(x, x.size, 2.0, grid=256, block=256, stream=first)
    second.wait(first.record())
    module.scale(x, x.size, 3.0, grid=256, block=256, stream=second)
    second.synchronize()
    assert (x.numpy() == 6).all()


def test_foreign_stream_keeps_its_handle(device):
    own = lanza.Stream(device)
    same = lanza.Stream.from_handle(own.handle, device)
    assert same.handle == own.handle
    assert own.__cuda_stream__() == (0, own.handle)


def test_stream_of_another_context_is_refused(device, module):
    with device.create_context():
        stream = lanza.Stream()
    x = lanza.Buffer(4, "float32")
    with pytest.raises(lanza.InvalidArgument):
        module.scale(x, 4, 2.0, block=4, stream=stream)


def test_atomics_of_launches_beside_each_other(device):
    """Short launches of several threads: each is alone on memory at times, and at times it is not."""
    module = lanza.compile(
        """
        __global__ void add(float* sums, int* count, int n) {
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          for (int k = 0; k < 50; ++k)
            if (i < n) atomicAdd(&sums[i], 1.f), atomicAdd(&sums[(i + k) % n], 1.f), atomicAdd(count, 1);
        }
        __global__ void fails(float* sums) { atomicAdd(&sums[threadIdx.x], 0.f); *(int*)8 = 1; }
        """,
        device=device,
    )
    n, launches, threads = 401, 300, 3
    sums, count = lanza.Buffer(n, "float32"), lanza.Buffer(1, "int32")
    sums.fill(0)
    count.fill(0)

    def work(number: int) -> None:
        stream = lanza.Stream(device, non_blocking=True)
        for k in range(launches):
            module.add(sums, count, n, grid=-(-n // 128), block=128, stream=stream)
            if k % 10 == number:
                stream.synchronize()
            if device.kind == "cpu" and k % 100 == 50:
                module.fails(sums, block=32, stream=stream)
                with pytest.raises(lanza.Error):
                    stream.synchronize()
        stream.synchronize()

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    assert count.numpy()[0] == 50 * n * launches * threads
    assert (sums.numpy() == 2 * 50 * launches * threads).all()
