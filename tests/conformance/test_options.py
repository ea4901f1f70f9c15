"""Every option of NVRTC 13: the CPU device takes what NVRTC takes, or refuses it by name."""

import numpy as np
import pytest
from harness import case

import lanza

TAKEN = [
    "-arch=sm_90",
    "--gpu-architecture=compute_80",
    "--relocatable-device-code=false",
    "-G",
    "--device-debug",
    "-lineinfo",
    "--generate-line-info",
    "-dopt=on",
    "--dopt=on",
    "-Ofc=0",
    "--Ofast-compile=min",
    "-Xptxas=-v",
    "--ptxas-options=-v",
    "-maxrregcount=32",
    "--maxrregcount=32",
    "-ftz=true",
    "--ftz=false",
    "-prec-sqrt=false",
    "--prec-sqrt=true",
    "-prec-div=false",
    "--prec-div=true",
    "-fmad=false",
    "--fmad=true",
    "-use_fast_math",
    "--use_fast_math",
    "-extra-device-vectorization",
    "--extra-device-vectorization",
    "-modify-stack-limit=true",
    "--modify-stack-limit=false",
    "-jtd=50",
    "--jump-table-density=50",
    "-device-stack-protector=false",
    "--device-stack-protector=true",
    "-no-cache",
    "--no-cache",
    "-frandom-seed=5",
    "--frandom-seed=5",
    "-DX=1",
    "--define-macro=X",
    "-UX",
    "--undefine-macro=X",
    "-I.",
    "--include-path=.",
    "-no-source-include",
    "--no-source-include",
    "-std=c++11",
    "--std=c++14",
    "-std=c++17",
    "-std=c++20",
    "-builtin-move-forward=false",
    "--builtin-move-forward=true",
    "-builtin-initializer-list=false",
    "--builtin-initializer-list=true",
    "-w",
    "--disable-warnings",
    "-Wreorder",
    "--Wreorder",
    "-Werror=all-warnings",
    "--warning-as-error=all-warnings",
    "-Werror=reorder",
    "--warning-as-error=reorder",
    "-restrict",
    "--restrict",
    "-default-device",
    "--device-as-default-execution-space",
    "-device-int128",
    "--device-int128",
    "-opt-info=inline",
    "--optimization-info=inline",
    "-err-no",
    "--display-error-number",
    "-no-err-no",
    "--no-display-error-number",
    "-diag-error=177",
    "--diag-error=177",
    "-diag-suppress=177",
    "--diag-suppress=177",
    "-diag-warn=177",
    "--diag-warn=177",
    "-brief-diag=true",
    "--brief-diagnostics=false",
    "-split-compile=2",
    "--split-compile=2",
    "-minimal",
    "--minimal",
]
# Those that leave files of NVRTC's behind, or no code that can be loaded as it is: a GPU does not run them here.
WITHOUT_GPU = [
    "--device-w",
    "-dw",
    "--extensible-whole-program",
    "-ewp",
    "-rdc=true",
    "--device-c",
    "-dc",
    "-dlto",
    "--dlink-time-opt",
    "-gen-opt-lto",
    "--gen-opt-lto",
    "-pch",
    "--pch",
    "-create-pch=a",
    "--create-pch=a",
    "-use-pch=a",
    "--use-pch=a",
    "-pch-dir=.",
    "--pch-dir=.",
    "-pch-verbose=false",
    "--pch-verbose=false",
    "-pch-messages=false",
    "--pch-messages=false",
    "-instantiate-templates-in-pch=true",
    "--instantiate-templates-in-pch=true",
    "-g",
]
REFUSED = {
    "-optix-ir": "no OptiX",
    "--optix-ir": "no OptiX",
    "-device-float128": "no __float128",
    "--device-float128": "no __float128",
    "-time=times.csv": "compile_seconds",
    "--time=times.csv": "compile_seconds",
    "-fdevice-time-trace=trace": "report",
    "--fdevice-time-trace=trace": "report",
    "-fdevice-syntax-only": "without code",
    "--fdevice-syntax-only": "without code",
    "-std=c++03": "compiler takes c",
}
SOURCE = "__global__ void k(int* out) { out[threadIdx.x] = 3 * threadIdx.x + 1; }"


def runs(run, option):
    out = np.zeros(run.threads, np.int32)
    try:
        run(SOURCE, out, options=[option])
    except lanza.CompileError as error:
        if run.engine == "cuda" and "unrecognized option" in str(error):
            pytest.skip(f"this NVRTC is too old for {option}")
        raise
    run.same(out, 3 * np.arange(run.threads) + 1)


@case(each=TAKEN, blocks=(33,))
def taken(run, option):
    """An option that both compilers take leaves this kernel's result as it is."""
    runs(run, option)


@case(
    each=WITHOUT_GPU,
    blocks=(33,),
    cpu_only=True,
    reason="NVRTC writes files or makes no code with it, or -g is Lanza's",
)
def taken_on_the_cpu(run, option):
    """An option that makes no difference on the CPU device."""
    runs(run, option)


@case(each=list(REFUSED), blocks=(33,), cpu_only=True, reason="NVRTC takes it")
def refused(run, option):
    """An option whose result a user would miss is refused by its name, with the reason."""
    with pytest.raises(lanza.CompileError, match=REFUSED[option]) as info:
        run.module(SOURCE, options=[option])
    assert f"option {option.replace('--', '-').split('=')[0]}" in str(info.value)
