"""What the CPU's compiler says of a source: the place in the user's own text, and what to do instead."""

import pytest

import lanza

CPU = lanza.Device("cpu")


def error_of(source: str, **more) -> str:
    """The whole log of a source that is refused."""
    try:
        lanza.compile(source, device=CPU, cache=False, **more)
    except lanza.Unavailable as why:
        pytest.skip(f"no compiler for the CPU: {why}")
    except lanza.CompileError as error:
        return f"{error}\n{error.log}"
    raise AssertionError(f"it was accepted:\n{source}")


def test_the_place_has_a_caret() -> None:
    log = error_of("__global__ void k(float* p) {\n  p[0] = sqrtff(2.0f);\n}")
    assert "kernel.cu:2:10: error: use of undeclared identifier 'sqrtff'" in log
    assert "  p[0] = sqrtff(2.0f);\n" in log
    assert "^" in log
    assert "/__lanza__" not in log


def test_macros_show_their_expansion() -> None:
    log = error_of("#define PUT(x) p[0] = x.y\n__global__ void k(float* p) {\n  PUT(1);\n}")
    assert "kernel.cu:3:" in log
    assert "expanded from macro 'PUT'" in log


def test_templates_show_who_asked_for_them() -> None:
    log = error_of(
        "template <class T> __device__ T f(T v) { return v.x; }\n__global__ void k(int* p) {\n  p[0] = f(1);\n}"
    )
    assert "kernel.cu:1:" in log
    assert "kernel.cu:3:10: note: in instantiation of function template specialization 'f<int>' requested here" in log


def test_headers_given_as_text_show_by_their_names() -> None:
    log = error_of(
        '#include "mine.h"\n__global__ void k(int* p) { p[0] = f(); }',
        headers={"mine.h": "__device__ int f() {\n  return oops;\n}"},
    )
    assert "mine.h:2:10: error: use of undeclared identifier 'oops'" in log
    assert "kernel.cu:1" in log
    assert "/__lanza__" not in log


def test_the_prelude_is_not_shown_as_the_users() -> None:
    log = error_of("__global__ void k(int* p) { atomicAdd(p, p, p); float f = __shfl_sync(); }")
    assert "/__lanza__" not in log


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("#include <mma.h>\n__global__ void k() {}", "tensor cores"),
        (
            "__global__ void k(cudaTextureObject_t t, float* p) { p[0] = tex2D<float>(t, 0, 0); }",
            "textures and surfaces",
        ),
        ("__global__ void k(cudaSurfaceObject_t s) { surf2Dwrite(1.0f, s, 0, 0); }", "textures and surfaces"),
        ("#include <vector>\n__global__ void k() {}", "host's C++ standard library"),
        ("__global__ void k(int* p) { throw 1; }", "cannot use 'throw'"),
        ("__device__ thread_local int x;\n__global__ void k() { x = 1; }", "thread-local storage"),
        (
            "struct A { virtual ~A(); };\nstruct B : A {};\n__global__ void k(A* a, int* p) { p[0] = dynamic_cast<B*>(a) != nullptr; }",
            "dynamic_cast",
        ),
        ("int f();\n__global__ void k(int* p) { p[0] = f(); }", "declare it __device__"),
        ("__global__ void k(int** p) { cudaMalloc((void**)p, 4); }", "functions of the CUDA runtime are for the host"),
        ("__managed__ int x;\n__global__ void k() { x = 1; }", "use __device__ and Module::variable"),
        ("__global__ void __cluster_dims__(2, 1, 1) k() {}", "clusters of more than one block are not supported"),
        ("__global__ void k() { try { } catch (...) { } }", "cannot use 'try'"),
        ("__global__ void k(int n) { int a[n]; a[0] = 1; }", "variable length array"),
    ],
)
def test_what_is_not_there_is_named(source: str, what: str) -> None:
    log = error_of(source)
    assert what in log
    assert "/__lanza__" not in log


def test_unknown_pragmas_and_unroll_are_accepted_silently() -> None:
    source = "__global__ void k(int* p) {\n#pragma unroll\n  for (int i = 0; i < 4; ++i) p[i] = i;\n#pragma unroll 2\n  for (int i = 0; i < 8; ++i) p[i] = i;\n#pragma nv_diag_suppress 177\n}"
    try:
        module = lanza.compile(source, device=CPU, cache=False)
    except lanza.Unavailable as why:
        pytest.skip(f"no compiler for the CPU: {why}")
    assert module.log == ""


def test_warnings_are_kept_in_the_log() -> None:
    try:
        module = lanza.compile("__global__ void k(int* p) {\n  p[0] == 1;\n}", device=CPU, cache=False)
    except lanza.Unavailable as why:
        pytest.skip(f"no compiler for the CPU: {why}")
    assert "kernel.cu:2:8: warning: equality comparison result unused" in module.log
