"""The stubs: strict, and true to what the extension module has."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import lanza

pytest.importorskip("mypy")
PACKAGE = Path(lanza.__file__).parent.parent

PROGRAM = """
from collections.abc import Sequence

import lanza
import numpy as np

source = "__global__ void scale(float* x, int n, float f) {}"
device: lanza.Device = lanza.default_device()
module: lanza.Module = lanza.compile(source, device=device, options=["-DN=4"], headers={"a.h": ""})
kernel: lanza.Kernel = module.scale
x = np.zeros(4, np.float32)
kernel(lanza.inout(x), 4, 2.0, grid=(1, 1), block=4, stream=lanza.Stream())
buffer: lanza.Buffer = lanza.to_device(x, device)
part: lanza.Buffer = buffer[1:3].view("uint8")
lanza.copy(x, buffer, wait=False)
names: Sequence[str] = module.kernels
with device, lanza.Stream() as stream:
    event: lanza.Event = stream.record()
try:
    lanza.load("nowhere.cu")
except lanza.CompileError as error:
    line: int = error.line
attributes: dict[str, int] = kernel.attributes
first: lanza.Parameter = kernel.signature[0]
count: int = lanza.cuda.device_count()
"""


def mypy(*arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "MYPYPATH": str(PACKAGE)}
    return subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, env=environment, check=False
    )


def test_a_program_type_checks(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    result = mypy("mypy", "--strict", "--config-file=", str(path))
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    "wrong",
    ["lanza.Device(5)", "lanza.compile(b'')", "lanza.compile('').scale(1)", "lanza.Buffer('a')", "lanza.empty(3)"],
)
def test_mistakes_are_found(tmp_path, wrong):
    path = tmp_path / "program.py"
    path.write_text(f"import lanza\n{wrong}\n")
    assert mypy("mypy", "--strict", "--config-file=", str(path)).returncode == 1


def test_the_stub_is_true():
    allowed = str(Path(__file__).parent / "stubtest_allowed.txt")
    result = mypy("mypy.stubtest", "lanza._lanza", "--allowlist", allowed, "--ignore-positional-only", "--concise")
    assert result.returncode == 0, result.stdout
