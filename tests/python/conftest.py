"""What the tests share: devices that run kernels, and a module with kernels of all sorts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import lanza

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

SOURCE = """
struct Pair { float first; int second; };
__constant__ float table[4] = {1, 2, 3, 4};
__device__ int counter = 7;

__global__ void multiplicar(float* dest, const float* a, const float* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  dest[i] = a[i] * b[i];
}
__global__ void scale(float* x, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
__global__ void take_pair(float* out, Pair p) { out[0] = p.first + p.second; }
__global__ void scalars(double* out, bool b, signed char i8, unsigned char u8, short i16, unsigned short u16, int i32,
                        unsigned u32, long long i64, unsigned long long u64, float f, double d) {
  out[0] = b; out[1] = i8; out[2] = u8; out[3] = i16; out[4] = u16; out[5] = i32; out[6] = u32; out[7] = i64;
  out[8] = u64; out[9] = f; out[10] = d;
}
__global__ void coordinates(int* out) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}
__global__ void bytes(unsigned char* x, int n) { for (int i = 0; i < n; ++i) x[i] += 1; }
__global__ void anything(void* x, int n) { for (int i = 0; i < n; ++i) ((unsigned char*)x)[i] += 1; }
__global__ void shared_sum(int* out) {
  extern __shared__ int values[];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) { int sum = 0; for (unsigned i = 0; i < blockDim.x; ++i) sum += values[i]; out[0] = sum; }
}
__global__ void read_variables(float* out) { out[0] = table[3]; out[1] = counter; }
__global__ void kernels(int* x) { x[0] = 1; }
__global__ void nothing() {}
"""


def _why_unusable(name: str) -> str:
    """Why the device runs no kernels here, or nothing."""
    try:
        device = lanza.Device(name)
        module = lanza.compile("__global__ void probe(int* x) { x[0] = 42; }", device=device)
        x = lanza.Buffer(1, "int32", device=device)
        module.probe(x, block=1)
        return "" if x.numpy()[0] == 42 else "the driver runs no kernels"
    except lanza.Error as error:
        return str(error)


_reasons = {name: _why_unusable(name) for name in ("cpu", "cuda")}


def pytest_report_header(config):
    return [f"device {name}: {'runs kernels' if not why else 'SKIPPED, ' + why}" for name, why in _reasons.items()]


@pytest.fixture(scope="session", params=["cpu", "cuda"])
def device(request):
    why = _reasons[request.param]
    if why:
        pytest.skip(f"no {request.param} device that runs kernels: {why.split(chr(59))[0]}")
    return lanza.Device(request.param)


@pytest.fixture(autouse=True)
def current_device(request):
    """Tests that name the fixture `device` run with it as the thread's current one."""
    if "device" not in request.fixturenames:
        yield
        return
    with request.getfixturevalue("device"):
        yield


@pytest.fixture(scope="session")
def module(device):
    return lanza.compile(SOURCE, device=device)


def run_python(*arguments: str, timeout: float = 120, **environment: str) -> "subprocess.CompletedProcess[str]":
    """A Python program in a process of its own."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=ROOT,
        env={**os.environ, **environment},
        check=False,
    )
