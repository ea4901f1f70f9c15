"""`import lanza` is cheap: it loads neither NumPy nor a driver nor a compiler."""

from conftest import run_python

import lanza


def check(code: str) -> str:
    result = run_python("-c", code)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_import_leaves_numpy_alone():
    assert check("import lanza, sys; print('numpy' in sys.modules)") == "False\n"


def test_import_loads_no_driver_and_no_compiler():
    maps = check("import lanza; print(open('/proc/self/maps').read())")
    assert "liblanza.so" in maps
    for library in ("libcuda.so", "libnvrtc", "liblanza-compiler", "libLLVM"):
        assert library not in maps


def test_asking_for_cuda_never_raises():
    answer = check("import lanza; print(lanza.cuda.is_available(), lanza.cuda.device_count() >= 0)")
    assert answer.split()[1] == "True"


def test_broken_driver_is_an_answer(tmp_path):
    broken = tmp_path / "libcuda.so.1"
    broken.write_text("no library")
    code = "import lanza; print(lanza.cuda.is_available(), lanza.cuda.device_count(), lanza.default_device())"
    result = run_python("-c", code, LANZA_CUDA_DRIVER=str(broken), LANZA_DEVICE="")
    assert result.stdout == "False 0 cpu\n", result.stderr


def test_every_public_name_has_a_docstring():
    for name in lanza.__all__:
        thing = getattr(lanza, name)
        assert name == "__version__" or thing.__doc__, name
        if isinstance(thing, type) and not issubclass(thing, Exception):
            for member in vars(thing):
                if not member.startswith("_"):
                    assert getattr(thing, member).__doc__, f"{name}.{member}"


def test_names_for_later_are_free():
    assert not {"empty", "zeros", "array", "tensor", "asarray"} & set(dir(lanza))
