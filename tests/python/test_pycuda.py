"""The compatibility package: programs written for PyCUDA as they are, and PyCUDA's own words."""

import re
import textwrap

import pytest
from conftest import EXAMPLES, run_python

HEADER = """
import numpy
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule
"""


@pytest.fixture
def pycuda(device, tmp_path):
    """Runs a program with `lanza run` on the device and returns what it prints."""

    def run(program: str, *arguments: str, header: str = HEADER) -> str:
        path = tmp_path / "program.py"
        path.write_text(header + textwrap.dedent(program))
        result = run_python("-m", "lanza", "run", str(path), *arguments, LANZA_DEVICE=str(device))
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


def test_multiplicar(device):
    result = run_python("-m", "lanza", "run", str(EXAMPLES / "multiplicar.py"), LANZA_DEVICE=str(device))
    assert result.returncode == 0, result.stderr
    numbers = [float(x) for x in re.findall(r"[-+.\deE]+", result.stdout.replace("[", " ").replace("]", " "))]
    assert len(numbers) == 1200
    assert numbers[:400] == [0] * 400
    assert sum(x != 0 for x in numbers[400:800]) > 390
    assert numbers[800:] == [0] * 400


def test_duplicar(device):
    result = run_python("-m", "lanza", "run", str(EXAMPLES / "duplicar.py"), LANZA_DEVICE=str(device))
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert re.fullmatch(r"<pycuda\.compiler\.SourceModule object at 0x[0-9a-f]+>", lines[0])
    assert re.fullmatch(r"<pycuda\._driver\.Function object at 0x[0-9a-f]+>", lines[1])
    numbers = [float(x) for x in re.findall(r"[-+.\deE]+", " ".join(lines[2:10]).replace("[", " ").replace("]", " "))]
    assert len(numbers) == 32
    assert all(abs(double - 2 * single) < 1e-6 for double, single in zip(numbers[:16], numbers[16:], strict=True))
    assert lines[10:] == [
        "<class 'numpy.ndarray'>",
        "<class 'pycuda._driver.DeviceAllocation'>",
        "<class 'numpy.ndarray'>",
    ]


def test_nothing_called_pycuda_is_at_top_level():
    result = run_python("-c", "import pycuda")
    assert "ModuleNotFoundError" in result.stderr


def test_enable():
    code = "import lanza; lanza.compat.enable(); lanza.compat.enable(); import pycuda; print(pycuda.VERSION_TEXT)"
    assert run_python("-c", code).stdout == "2026.1\n"
    late = "import sys, types; sys.modules['pycuda'] = types.ModuleType('pycuda'); import lanza; lanza.compat.enable()"
    assert "another pycuda is imported already" in run_python("-c", late).stderr


MODULE = """
module = SourceModule('''
__device__ int counter = 3;
__global__ void scale(float* x, int n, float f) { int i = threadIdx.x; if (i < n) x[i] *= f; }
__global__ void add_one(int* x) { x[threadIdx.x] += 1; }
''')
scale, add_one = module.get_function("scale"), module.get_function("add_one")
def error(call):
    try:
        call()
    except Exception as e:
        print(type(e).__module__ + "." + type(e).__name__ + ": " + str(e).splitlines()[0])
    else:
        print("no error")
"""


def test_arguments(pycuda):
    out = pycuda(
        MODULE
        + """
x = numpy.ones(8, numpy.float32)
n, f = numpy.int32(8), numpy.float32(2)
scale(drv.InOut(x), n, f, block=(8, 1, 1))
print(x[0])
scale(drv.In(x), n, f, block=(8, 1, 1), grid=(1,))
print(x[0])
y = drv.to_device(x)
scale(y, n, f, block=(8, 1, 1), grid=(1, 1, 1))
print(drv.from_device_like(y, x)[0], drv.from_device(y, (2, 4), numpy.float32).shape)
scale(numpy.intp(int(y) + 16), numpy.int32(4), f, block=(4, 1, 1))
print(drv.from_device_like(y, x).tolist())
"""
    )
    assert out.splitlines() == ["2.0", "2.0", "4.0 (2, 4)", str([4.0] * 4 + [8.0] * 4)]


def test_words(pycuda):
    out = pycuda(
        MODULE
        + """
x, n, f, block = numpy.ones(8, numpy.float32), numpy.int32(8), numpy.float32(2), (8, 1, 1)
error(lambda: scale(drv.InOut(x), n, f))
error(lambda: scale(drv.InOut(x), 8, f, block=block))
error(lambda: scale(drv.InOut(x), n, 2.0, block=block))
error(lambda: scale(x, n, f, block=block))
error(lambda: scale(drv.InOut(x), n, f, block=block, colour=1))
error(lambda: scale(drv.InOut(x), n, f, block=(8, 1)))
error(lambda: module.get_function("nothing"))
error(lambda: scale(drv.InOut(x.astype(float)), n, f, block=block))
error(lambda: scale(drv.InOut(x), n, block=block))
error(lambda: drv.mem_alloc(0))
error(lambda: drv.mem_alloc(1 << 50))
error(lambda: scale(drv.InOut(x), n, f, block=(1025, 1, 1)))
error(lambda: drv.memcpy_htod(drv.mem_alloc(4), x))
error(lambda: drv.memcpy_htod(drv.mem_alloc(16), x[::2]))
error(lambda: SourceModule("__global__ void f() { nothing; }"))
error(lambda: drv.Context.pop() or drv.mem_alloc(4))
pycuda.autoinit.context.push()
"""
    ).splitlines()
    expected = [
        "builtins.ValueError: must specify block size",
        "builtins.TypeError: invalid type on parameter #1 (0-based)",
        "builtins.TypeError: invalid type on parameter #2 (0-based)",
        "builtins.TypeError: invalid type on parameter #0 (0-based): wrap the array in In, Out or InOut",
        "builtins.ValueError: extra keyword arguments: colour",
        "builtins.TypeError: block must be a tuple of exactly three ints, got (8, 1)",
        "pycuda._driver.LogicError: cuModuleGetFunction failed: named symbol not found - no kernel 'nothing'",
        "builtins.TypeError: scale: argument 1 (x): expected float*, whose items have 4 bytes, got float64 array (8,)",
        "builtins.TypeError: scale: takes 3 arguments",
        "pycuda._driver.LogicError: cuMemAlloc failed: invalid value",
        "pycuda._driver.MemoryError: cuMemAlloc failed: ",
        "pycuda._driver.LogicError: cuLaunchKernel failed: scale: block 1025x1x1",
        "pycuda._driver.LogicError: invalid value - 32 bytes asked of an allocation of 4",
        "pycuda._driver.LogicError: the array is not contiguous",
        "pycuda._driver.CompileError: compilation failed: ",
        "pycuda._driver.LogicError: explicit_context_dependent failed: invalid device context",
    ]
    assert len(out) == len(expected)
    for line, start in zip(out, expected, strict=True):
        assert line.startswith(start)


def test_reinterpreted_memory_is_allowed(pycuda):
    out = pycuda(
        MODULE
        + """
x = numpy.zeros(4, numpy.float32)
add_one(drv.InOut(x), block=(4, 1, 1))
print(x.view(numpy.int32).tolist())
"""
    )
    assert out == "[1, 1, 1, 1]\n"


def test_own_argument_handlers(pycuda):
    out = pycuda(
        MODULE
        + """
class Logged(drv.InOut):
    def pre_call(self, stream):
        print("before")
        super().pre_call(stream)
    def post_call(self, stream):
        super().post_call(stream)
        print("after")
x = numpy.ones(4, numpy.float32)
scale(Logged(x), numpy.int32(4), numpy.float32(3), block=(4, 1, 1))
print(x[0])
class Holder:
    def __init__(self, allocation):
        self.gpudata = allocation
held = drv.to_device(x)
scale(Holder(held), numpy.int32(4), numpy.float32(3), block=(4, 1, 1))
print(drv.from_device_like(held, x)[0])
"""
    )
    assert out.split() == ["before", "after", "3.0", "9.0"]


def test_prepared_calls(pycuda):
    out = pycuda(
        MODULE
        + """
x = drv.to_device(numpy.ones(8, numpy.float32))
for types in ("Pif", ["P", numpy.int32, numpy.dtype("f4")], [numpy.intp, "i", "f"]):
    scale.prepare(types)
    scale.prepared_call((1, 1), (8, 1, 1), x, 8, 2.0)
stream = drv.Stream()
drv.Context.synchronize()
scale.prepared_async_call((1, 1), (8, 1, 1), stream, int(x), 8, 2.0, shared_size=0)
stream.synchronize()
seconds = scale.prepared_timed_call((1, 1), (8, 1, 1), x, 8, 2.0)
print(seconds() >= 0, drv.from_device(x, 8, numpy.float32)[7], scale(x, numpy.int32(8), numpy.float32(1), block=(8, 1, 1), time_kernel=True) > 0)
"""
    )
    assert out == "True 32.0 True\n"


def test_driver(pycuda, device):
    out = pycuda(
        MODULE
        + """
device = pycuda.autoinit.device
print(drv.Device.count() >= 1, device.name() != "", device.total_memory() > 1 << 20, device == drv.Device(0))
print(device.get_attribute(drv.device_attribute.WARP_SIZE), device.warp_size, device.max_threads_per_block)
print(str(drv.device_attribute.WARP_SIZE), len(device.get_attributes()) > 10, len(device.compute_capability()))
print(scale.max_threads_per_block >= 8, drv.get_version()[0] >= 12, drv.mem_get_info()[0] > 0)
address, size = module.get_global("counter")
value = numpy.zeros(1, numpy.int32)
drv.memcpy_dtoh(value, address)
print(value[0], size)
a, b = drv.mem_alloc(16), drv.mem_alloc(16)
drv.memset_d32(a, 7, 4)
drv.memcpy_dtod(b, a, 16)
drv.memset_d8(int(b) + 8, 0, 8)
print(drv.from_device(b, 4, numpy.int32).tolist())
a.free()
error(a.free)
start, end = drv.Event(), drv.Event()
start.record(); end.record(); end.synchronize()
print(end.time_since(start) >= 0, start.time_till(end) >= 0, end.query())
context = drv.Device(0).make_context()
print(drv.Context.get_current() == context, drv.Context.get_device() == device)
context.pop()
print(drv.Context.get_current() == pycuda.autoinit.context)
context.detach()
primary = drv.Device(0).retain_primary_context()
primary.push(); primary.synchronize(); primary.pop()
"""
    )
    assert out.splitlines() == [
        "True True True True",
        "32 32 1024",
        "WARP_SIZE True 2",
        "True True True",
        "3 4",
        "[7, 7, 0, 0]",
        "pycuda._driver.LogicError: device_allocation::free failed: invalid device pointer - it was freed already",
        "True True True",
        "True True",
        "True",
    ]


def test_source_module_options(pycuda, tmp_path):
    (tmp_path / "mine.h").write_text("#define MINE 4\n")
    out = pycuda(
        f"""
source = '''#include "mine.h"
template <class T> __global__ void two(T* x) {{ *x = MINE + EXTRA; }}
template __global__ void two<int>(int*);
'''
module = SourceModule(source, options=["-O3", "-Xcompiler", "-Wall", "-DEXTRA=5"], no_extern_c=True, include_dirs=["{tmp_path}"])
x = numpy.zeros(1, numpy.int32)
module.get_function("two<int>")(drv.Out(x), block=(1, 1, 1))
print(x[0])
try:
    SourceModule("\\n\\nbroken")
except drv.CompileError as e:
    print("kernel.cu:3" in str(e))
from pycuda.characterize import has_double_support, platform_bits, sizeof
print(sizeof("double2"), has_double_support(), platform_bits())
from pycuda.tools import DeviceData, bitlog2, context_dependent_memoize
print(bitlog2(1023), DeviceData().max_threads)
"""
    )
    assert out.splitlines() == ["9", "True", "16 True 64", "9 1024"]


def test_primary_context(pycuda):
    out = pycuda("import pycuda.autoprimaryctx, pycuda.driver as drv; print(int(drv.mem_alloc(4)) > 0)", header="")
    assert out == "True\n"


def test_without_a_context(pycuda):
    program = """
import pycuda.driver as drv
drv.init()
try:
    drv.mem_alloc(4)
except drv.LogicError as e:
    print(e)
"""
    assert "no currently active context" in pycuda(program, header="")


def test_a_context_left_on_the_stack_is_no_abort(pycuda):
    assert (
        pycuda("import pycuda.driver as drv; drv.init(); c = drv.Device(0).make_context(); print(1)", header="")
        == "1\n"
    )
