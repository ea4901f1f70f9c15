"""Who holds what: references after launches, arguments of launches that nobody waits for, threads."""

import gc
import sys
import threading
import weakref

import numpy as np
import pytest

import lanza


def test_launches_leak_no_references(module):
    x, y = np.ones(64, np.float32), lanza.to_device(np.ones(64, np.float32))
    n = 300  # more than the interpreter caches
    before = [sys.getrefcount(o) for o in (x, y, module.scale, n, None.__class__)]
    for _ in range(100):
        module.scale(x, 64, 1.0, block=64)
        module.scale(lanza.inout(x), 64, 1.0, grid=(1, 1), block=(64, 1, 1))
        module.scale(y, 64, 1.0, block=64)
        with pytest.raises(lanza.ArgumentTypeError):
            module.scale(x, "64", 1.0, block=64)
        with pytest.raises(lanza.InvalidArgument):
            module.scale(x, n, 1.0, block=-n)
    module.device.synchronize()
    assert [sys.getrefcount(o) for o in (x, y, module.scale, n, None.__class__)] == before


def test_objects_go(module):
    reference = weakref.ref(lanza.compile("__global__ void f() {}").f)
    gc.collect()
    assert reference() is None


def test_arguments_live_until_the_stream_is_synchronised(module):
    stream = lanza.Stream()
    x = np.ones(1 << 20, np.float32)
    reference = weakref.ref(x)
    module.scale(lanza.inout(x), x.size, 2.0, grid=4096, block=256, stream=stream, wait=False)
    del x
    assert reference() is not None
    stream.synchronize()
    gc.collect()
    assert reference() is None


def test_results_without_waiting(module):
    stream = lanza.Stream()
    x = np.ones(1 << 16, np.float32)
    for _ in range(20):
        module.scale(x, x.size, 2.0, grid=256, block=256, stream=stream, wait=False)
    stream.synchronize()
    assert (x == 2**20).all()


def test_a_read_array_may_change_at_once(module):
    dest = lanza.Buffer(1 << 16, "float32")
    a, b = np.full(dest.size, 3, np.float32), np.full(dest.size, 2, np.float32)
    for wait in (True, False):
        a[:] = 3
        module.multiplicar(dest, lanza.in_(a), lanza.in_(b), grid=256, block=256, wait=wait)
        a[:] = -1
        assert (dest.numpy() == 6).all()


def test_threads(device, module):
    failures = []

    def work(seed):
        try:
            stream = lanza.Stream(device)
            x = np.full(256, seed, np.float32)
            for _ in range(50):
                module.scale(x, 256, 1.0, block=256, stream=stream)
                buffer = lanza.to_device(x, device)
                module.scale(buffer, 256, 2.0, block=256)
                assert (buffer.numpy() == 2 * seed).all()
            assert (x == seed).all()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_objects_may_go_on_another_thread(device):
    made = []

    def work():
        with device.create_context():
            made.extend([lanza.Stream(), lanza.Event(), lanza.Buffer(64), lanza.compile("__global__ void f() {}").f])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    made.pop()(block=1)
    made.clear()


def test_memory_comes_back(device):
    def used():
        device.synchronize()
        free, total = device.memory_info()
        return total - free

    lanza.Buffer(1 << 20).fill(0)
    before = used()
    for _ in range(200):
        lanza.Buffer(1 << 24).fill(1)
    assert used() - before < 1 << 30
