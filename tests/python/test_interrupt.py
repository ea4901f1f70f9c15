"""Ctrl-C is answered in long waits."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

CPU = 'device = lanza.Device("cpu")'
SPIN = """
source = "__global__ void forever(volatile int* x) { while (!*x) __nanosleep(1000); }"
module = lanza.compile(source, device=device)
flag = np.zeros(1, np.int32)
"""


def answer_interrupts() -> None:
    """A shell starts what it runs in the background with SIGINT ignored, and children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def interrupt(program: str) -> str:
    """Runs a program, sends it SIGINT once it says "ready", and returns the rest of what it prints."""
    code = textwrap.dedent(f"import lanza, numpy as np, sys\n{CPU}\n") + textwrap.dedent(program)
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
        preexec_fn=answer_interrupts,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            pytest.fail("Ctrl-C was not answered")
        assert time.monotonic() - start < 10
        assert process.returncode == 0, err
        return out


def catching(statement: str) -> str:
    return f"""
print("ready", flush=True)
try:
    {statement}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_launch_that_waits():
    out = interrupt(
        SPIN
        + catching("module.forever(lanza.inout(flag), block=1)")
        + "module2 = lanza.compile('__global__ void f(int* x) { *x = 5; }', device=device)\n"
        + "module2.f(flag, block=1)\nprint(flag[0])\n"
    )
    assert out == "interrupted\n5\n"


@pytest.mark.parametrize("mode", ["threads", "lanes"])
@pytest.mark.parametrize(
    "body", ["for (;;) {}", "while (true) x[1]++;", "for (unsigned i = 1; i; i = i * 5 + 1 | 1) *x = i;"]
)
def test_kernel_that_never_looks(body, mode):
    """Neither a yield nor a synchronisation point in its loop; the third time it is a kernel known to be short."""
    out = interrupt(
        f"import os; os.environ['LANZA_CPU_MODE'] = '{mode}'\n"
        f"source = '__global__ void k(int* x, bool stay) {{ if (stay) {body} }} __global__ void f(int* x) {{ *x = 5; }}'\n"
        "module, x = lanza.compile(source, device=device), np.zeros(2, np.int32)\n"
        "for _ in range(3): module.k(x, False, block=32)\n"
        + catching("module.k(x, True, block=32)")
        + "module.f(x, block=1)\nprint(x[0])\n"
    )
    assert out == "interrupted\n5\n"


# Kernels that run on the calling thread, as they were short so far, and now have one block that takes for hours.
LONG = {
    "counted": "for (long i = 0; i < n; ++i) *x = *x * 5 + 1;",
    "with_barriers": "for (long i = 0; i < n; ++i) { if (threadIdx.x == 0) *x = *x * 5 + 1; __syncthreads(); }",
    "not_counted": "for (long i = 1; i != 0 && *flag; i = i * 5 + 1 | 1) *x = i;",
}


def known_to_be_short(body: str, mode: str = "auto") -> str:
    return f"""
import os
os.environ['LANZA_CPU_MODE'] = '{mode}'
source = "__global__ void k(long* x, const int* flag, long n) {{ {body} }} __global__ void f(long* x) {{ *x = 5; }}"
module, x, flag = lanza.compile(source, device=device), np.zeros(1, np.int64), np.zeros(1, np.int32)
few, many = 1, {10**14 if "n;" in body else 1}
for _ in range(300):
    module.k(x, flag, few, block=32)
flag[0] = 1
"""


@pytest.mark.parametrize("mode", ["threads", "lanes", "auto"])
@pytest.mark.parametrize("body", LONG)
def test_kernel_that_was_short(body, mode):
    out = interrupt(
        known_to_be_short(LONG[body], mode)
        + catching("module.k(x, flag, many, block=32)")
        + "module.f(x, block=1)\nprint(x[0])\n"
    )
    assert out == "interrupted\n5\n"


def test_kernel_that_was_short_and_is_not_waited_for():
    """In the launch, or in the wait for it: nothing of the interrupt is left in the stream."""
    out = interrupt(
        known_to_be_short(LONG["counted"])
        + "data, flags = lanza.to_device(x, device), lanza.to_device(flag, device)\n"
        + "for _ in range(300): module.k(data, flags, few, block=32)\n"
        + "device.synchronize()\nstream = lanza.Stream(device)\n"
        + catching("module.k(data, flags, many, block=32, stream=stream); stream.synchronize()")
        + "stream.synchronize()\nmodule.f(data, block=1)\nprint(data.numpy()[0])\n"
    )
    assert out == "interrupted\n5\n"


def run_to_its_end(program: str) -> str:
    code = textwrap.dedent(f"import lanza, numpy as np, signal\n{CPU}\n") + program
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_kernel_that_was_short_ends_at_its_time_limit():
    program = """
try:
    module.k(x, flag, many, block=32, timeout=0.2)
except lanza.LaunchError as error:
    print(error)
"""
    assert run_to_its_end(known_to_be_short(LONG["counted"]) + program) == "k: timed out after 200 ms\n"


def test_handlers_may_run_kernels():
    """Those of a stream that waits for the kernel which was running: it is not ended, and nobody waits for ever."""
    program = """
y, stream = np.zeros(1, np.int64), lanza.Stream(device)
def work(*_):
    module.f(y, block=1, stream=stream)
    print("handled", y[0], flush=True)
signal.signal(signal.SIGALRM, work)
signal.setitimer(signal.ITIMER_REAL, 0.05)
turns, x[0] = 10**8, 0
module.k(x, flag, turns, block=1)
print(int(x[0]) % 2**64 == (pow(5, turns, 2**66) - 1) // 4 % 2**64)
"""
    assert run_to_its_end(known_to_be_short(LONG["counted"]) + program) == "handled 5\nTrue\n"


def test_stream_synchronize():
    out = interrupt(
        SPIN
        + "stream = lanza.Stream(device)\n"
        + "module.forever(lanza.to_device(flag, device), block=1, stream=stream)"
        + catching("stream.synchronize()")
    )
    assert out == "interrupted\n"


def test_event_synchronize():
    out = interrupt(
        SPIN
        + "stream = lanza.Stream(device)\n"
        + "module.forever(lanza.to_device(flag, device), block=1, stream=stream, timeout=5.0)\nevent = stream.record()"
        + catching("event.synchronize()")
    )
    assert out == "interrupted\n"


def test_compile():
    # Close to the compiler's limit of instantiations, so that it works for longer than the signal takes to arrive.
    heavy = """
source = "".join(
    f"template <int N> struct F{i} {{ static constexpr int v = F{i}<N - 1>::v + F{i}<N - 2>::v % 7; }};"
    f"template <> struct F{i}<0> {{ static constexpr int v = 1; }};"
    f"template <> struct F{i}<1> {{ static constexpr int v = 1; }};"
    f"__global__ void k{i}(int* x) {{ *x = F{i}<400>::v; }}"
    for i in range(700)
)
"""
    out = interrupt(heavy + catching("lanza.compile(source, device=device, cache=False); print('done')"))
    assert out == "interrupted\n"


def test_handlers_run_while_a_launch_waits():
    code = f"""
import lanza, numpy as np, signal
{CPU}
{SPIN}
def stop(*_):
    print("handled")
    flag[0] = 1
signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, 0.3)
module.forever(flag, block=1)
print("ended")
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert result.stdout == "handled\nended\n", result.stderr
