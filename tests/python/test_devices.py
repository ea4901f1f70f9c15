"""Device, Context, and `with`."""

import pickle
import threading

import pytest

import lanza


def test_the_cpu_is_always_there():
    assert lanza.devices()[-1] == lanza.Device("cpu")


def test_names(device):
    assert device.kind in ("cpu", "cuda")
    assert str(device) in ("cpu", "cuda:0")
    assert device.index == 0
    assert device.name in repr(device)
    assert repr(device).startswith("<lanza.Device '")


def test_properties(device):
    free, total = device.memory_info()
    assert 0 < free <= total
    major, minor = device.compute_capability
    assert major >= 5
    assert minor >= 0
    assert device.attributes["max_threads_per_block"] == 1024
    assert device.attributes["warp_size"] == 32


def test_a_device_is_a_value(device):
    again = lanza.Device(str(device))
    assert again == device
    assert hash(again) == hash(device)
    assert pickle.loads(pickle.dumps(device)) == device
    assert device != "cpu"


@pytest.mark.parametrize("name", ["gpu", "", "cpu:1", "cuda:-1", "cuda:x"])
def test_other_names_are_refused(name):
    with pytest.raises((lanza.InvalidArgument, lanza.Unavailable)):
        lanza.Device(name)


def test_with_restores_what_was(device):
    outer, inner = lanza.Stream(), lanza.Stream()
    with outer:
        with inner:
            assert lanza._lanza._current_context() == device.primary_context
        with pytest.raises(ZeroDivisionError), inner:
            _ = 1 / 0
        event = lanza.Event().record()
        assert event.query() in (True, False)
    with pytest.raises(lanza.InvalidArgument, match="not made current on this thread"):
        outer.__exit__(None, None, None)


def test_own_context(device):
    context = device.create_context()
    assert context != device.primary_context
    assert context.device == device
    assert str(device) in repr(context)
    with context:
        assert lanza._lanza._current_context() == context
        buffer = lanza.Buffer(4, "int32")
        buffer.fill(3)
        assert buffer.numpy().tolist() == [3] * 4
    assert lanza._lanza._current_context() != context
    context.synchronize()


def test_current_is_of_the_thread(device):
    context = device.create_context()
    seen = []
    with context:
        thread = threading.Thread(target=lambda: seen.append(lanza._lanza._current_context() == context))
        thread.start()
        thread.join()
    assert seen == [False]


def test_buffer_of_another_context_is_refused(device, module):
    with device.create_context():
        buffer = lanza.Buffer(4, "float32")
    with pytest.raises(lanza.InvalidArgument, match="another context"):
        module.scale(buffer, 4, 2.0, block=4)
