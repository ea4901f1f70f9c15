"""A kernel's first launch begins with code that is compiled fast, and goes on with what the kernel keeps."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import lanza

# Compiled for a while by the vector engine, not by the thread engine.
SCAN = """
__global__ void scan(int* out, const int* in, int turns) {
  __shared__ int sums[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  int value = in[i];
  for (int turn = 0; turn < turns; ++turn) {
    sums[t] = value;
    __syncthreads();
    for (int offset = 1; offset < 256; offset *= 2) {
      const int left = t >= offset ? sums[t - offset] : 0;
      __syncthreads();
      sums[t] += left;
      __syncthreads();
    }
    value = sums[255 - t] & 1023;
    __syncthreads();
  }
  out[i] = value;
}
"""


def expected(values: np.ndarray, turns: int) -> np.ndarray:
    blocks = values.reshape(-1, 256)
    for _ in range(turns):
        blocks = np.cumsum(blocks, axis=1, dtype=np.int32)[:, ::-1] & 1023
    return blocks.reshape(-1)


def scan(blocks: int, turns: int) -> tuple[lanza.Kernel, np.ndarray, np.ndarray]:
    """The kernel after its first launch, what came out, and what should have."""
    kernel = lanza.compile(SCAN, device="cpu", cache=False).scan
    values = np.random.default_rng(blocks).integers(0, 1024, 256 * blocks, dtype=np.int32)
    out = np.zeros_like(values)
    kernel(out, values, turns, grid=blocks, block=256)
    return kernel, out, expected(values, turns)


def start_of(kernel: lanza.Kernel) -> dict[str, int]:
    return json.loads(kernel.report().splitlines()[0])["quick_start"]


def test_a_short_launch_ends_with_the_quick_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANZA_CPU_QUICK_START", "always")
    kernel, out, right = scan(2, 1)
    np.testing.assert_array_equal(out, right)
    assert start_of(kernel) == {"blocks": 2, "of": 2}
    assert kernel.report().count("\n") == 0  # the quick code is not the kernel's
    assert json.loads(kernel.report())["engine"] == "vector"


def test_a_long_launch_goes_on_with_the_better_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANZA_CPU_QUICK_START", "always")
    kernel, out, right = scan(200_000, 8)  # the quick code would take half a minute
    np.testing.assert_array_equal(out, right)
    start = start_of(kernel)
    assert 0 < start["blocks"] < start["of"] == 200_000


def test_later_launches_wait_for_the_better_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANZA_CPU_QUICK_START", "always")
    kernel = lanza.compile(SCAN, device="cpu", cache=False).scan
    values = np.arange(512, dtype=np.int32) & 1023
    on_device = [lanza.to_device(np.zeros_like(values), "cpu") for _ in range(3)]
    source = lanza.to_device(values, "cpu")
    for out in on_device:
        kernel(out, source, 3, grid=2, block=256)
    for out in on_device:
        np.testing.assert_array_equal(out.numpy(), expected(values, 3))
    assert start_of(kernel) == {"blocks": 2, "of": 2}


def is_quick(source: str, *arguments: object) -> bool:
    kernel = lanza.compile(source, device="cpu", cache=False).mix
    kernel(np.zeros(256, np.uint32), *arguments, grid=1, block=256)
    return "quick_start" in kernel.report()


def test_blocks_of_long_kernels_may_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some 30 million instructions a block: less than 4500 of them take to compile, and more than 45 do."""
    monkeypatch.setenv("LANZA_CPU_QUICK_START", "always")
    for lines, is_short in ((1500, True), (15, False)):
        mix = "".join(f"v ^= v * {2 * k + 3}u + {k};" for k in range(lines))
        source = f"__global__ void mix(unsigned* x, int n) {{ unsigned v = 0; for (int i = 0; i < n; ++i) {{ {mix} }}"
        source += " x[threadIdx.x] = v; }"
        assert is_quick(source, np.int32(37500 // lines)) == is_short


def test_warps_between_barriers_begin_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """The vector engine has loops over groups for each region; of shuffles alone it compiles sooner."""
    monkeypatch.setenv("LANZA_CPU_QUICK_START", "always")
    for wait in ("__syncthreads();", ""):
        steps = "".join(f"v += __shfl_xor_sync(~0u, v, {k % 31 + 1}); {wait}" for k in range(130))
        source = f"__global__ void mix(unsigned* x) {{ unsigned v = threadIdx.x; {steps} x[threadIdx.x] = v; }}"
        assert is_quick(source) == bool(wait)


def test_never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANZA_CPU_QUICK_START", "never")
    kernel, out, right = scan(2, 1)
    np.testing.assert_array_equal(out, right)
    assert "quick_start" not in kernel.report()


def test_kernels_of_one_engine_have_no_quick_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANZA_CPU_QUICK_START", "always")
    monkeypatch.setenv("LANZA_CPU_MODE", "vector")
    kernel, out, right = scan(2, 1)
    np.testing.assert_array_equal(out, right)
    assert "quick_start" not in kernel.report()


def test_a_word_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANZA_CPU_QUICK_START", "sometimes")
    with pytest.raises(
        lanza.InvalidArgument, match="LANZA_CPU_QUICK_START is 'sometimes'; it takes auto, always or never"
    ):
        lanza.compile(SCAN, device="cpu")


def test_a_fault_of_the_quick_code_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANZA_CPU_QUICK_START", "always")
    kernel = lanza.compile(
        "__global__ void broken(int* x) { __syncthreads(); __trap(); }", device="cpu", cache=False
    ).broken
    for _ in range(2):
        with pytest.raises(lanza.LaunchError, match="broken"):
            kernel(np.zeros(1, np.int32), grid=1, block=32)


BEGIN = f"""
import os, numpy as np, lanza
kernel = lanza.compile('''{SCAN}''', device="cpu").scan
values = np.arange(512, dtype=np.int32)
out = np.zeros_like(values)
kernel(out, values, 1, grid=2, block=256)
"""


def run(text: str, tmp_path: object, start: str) -> str:
    environment = os.environ | {"LANZA_CACHE_DIR": str(tmp_path), "LANZA_CPU_QUICK_START": start}
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + text], env=environment, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_a_process_that_ends_keeps_what_is_compiled_behind(tmp_path: object) -> None:
    assert run("", tmp_path, "always") == ""
    assert run("print(kernel.module.cached, 'quick_start' in kernel.report())", tmp_path, "always") == "True False"


def test_fork_waits_for_what_is_compiled_behind(tmp_path: object) -> None:
    # Python 3.12 warns of fork() in a process with threads, which is what is tested.
    text = """
import warnings
warnings.simplefilter("ignore", DeprecationWarning)
child = os.fork()
if child == 0:
    kernel(out, values, 2, stream=lanza.Stream("cpu"), grid=2, block=256)
    os._exit(0 if "quick_start" in kernel.report() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run(text, tmp_path, "always") == "0"
