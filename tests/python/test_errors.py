"""The exceptions: names, builtin bases, what they carry."""

import pickle

import pytest

import lanza

BASES = {
    "InvalidArgument": (lanza.Error, ValueError),
    "ArgumentTypeError": (lanza.InvalidArgument, ValueError, TypeError),
    "NotFound": (lanza.Error, AttributeError, LookupError),
    "OutOfMemory": (lanza.Error, MemoryError),
    "CompileError": (lanza.Error, RuntimeError),
    "LaunchError": (lanza.Error, RuntimeError),
    "DriverError": (lanza.Error, RuntimeError),
    "Unavailable": (lanza.Error, RuntimeError),
}


@pytest.mark.parametrize("name", BASES)
def test_bases(name):
    assert all(issubclass(getattr(lanza, name), base) for base in BASES[name])
    assert getattr(lanza, name).__module__ == "lanza"


def test_error_is_an_exception_and_no_builtin_kind():
    assert lanza.Error.__bases__ == (Exception,)


def test_attributes_are_there_on_every_instance():
    compile_error = lanza.CompileError("no")
    fields = (compile_error.file, compile_error.line, compile_error.column, compile_error.log, compile_error.options)
    assert fields == ("", 0, 0, "", "")
    assert lanza.LaunchError("no").kernel == ""
    driver = lanza.DriverError("no")
    assert (driver.routine, driver.code, driver.code_name) == ("", 0, "")


def test_errors_pickle():
    error = pickle.loads(pickle.dumps(lanza.OutOfMemory("too much")))
    assert type(error) is lanza.OutOfMemory
    assert str(error) == "too much"


def test_compile_error_says_where(device):
    with pytest.raises(lanza.CompileError) as caught:
        lanza.compile("__global__ void f() {\n  int i = nothing;\n}", filename="mine.cu", options=["-DN=4"])
    error = caught.value
    assert (error.file, error.line) == ("mine.cu", 2)
    assert error.column > 0
    assert "nothing" in error.log
    assert "mine.cu" in str(error)
    assert "-DN=4" in error.options


def test_launch_error_names_the_kernel():
    module = lanza.compile("__global__ void falls() { __trap(); }", device=lanza.Device("cpu"))
    stream = lanza.Stream(module.device)

    def launch_and_wait():
        module.falls(block=1, stream=stream)
        stream.synchronize()

    with pytest.raises(lanza.LaunchError, match="falls") as caught:
        launch_and_wait()
    assert caught.value.kernel == "falls"
    stream.synchronize()
