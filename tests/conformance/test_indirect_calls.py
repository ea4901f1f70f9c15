"""Calls through pointers to functions and members, also to functions that synchronise."""

import numpy as np
import pytest
from harness import case

import lanza

THREAD = "const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
OPERATIONS = """
typedef int (*Operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
"""


def operations(t):
    return np.select([t % 3 == 0, t % 3 == 1], [t + 7, t - 7], t * 7)


# Pointers to functions.


@case
def function_pointer(run):
    """A pointer chosen by the thread."""
    out = np.zeros(run.threads, np.int32)
    source = f"""{OPERATIONS}
    __global__ void k(int* out) {{
      {THREAD}
      Operation f = t % 3 == 0 ? add : t % 3 == 1 ? subtract : multiply;
      out[t] = f(t, 7);
    }}
    """
    run(source, out)
    run.same(out, operations(np.arange(run.threads)))


@case(
    each={
        "device": "__device__ Operation",
        "constant": "__constant__ Operation",
        "static": "__device__ static Operation const",
    }
)
def table_of_functions(run, kind):
    """A table of pointers with an initialiser."""
    out = np.zeros(run.threads, np.int32)
    source = f"""{OPERATIONS}
    {kind} table[] = {{add, subtract, multiply}};
    __global__ void k(int* out) {{
      {THREAD}
      out[t] = table[t % 3](t, 7);
    }}
    """
    run(source, out)
    run.same(out, operations(np.arange(run.threads)))


@case
def table_of_structs(run):
    """Pointers inside of structures, with other members beside them."""
    out = np.zeros(run.threads, np.int32)
    source = f"""{OPERATIONS}
    struct Rule {{ char name; Operation apply; int right; }};
    __constant__ Rule rules[] = {{{{'a', add, 7}}, {{'s', &subtract, 7}}, {{'m', multiply, 7}}}};
    __global__ void k(int* out) {{
      {THREAD}
      const Rule& rule = rules[t % 3];
      out[t] = rule.apply(t, rule.right);
    }}
    """
    run(source, out)
    run.same(out, operations(np.arange(run.threads)))


@case
def pointer_from_another_launch(run):
    """One kernel stores pointers in memory, another one calls through them."""
    out, table = np.zeros(run.threads, np.int32), np.zeros(run.threads, np.uint64)
    source = f"""{OPERATIONS}
    __global__ void choose(Operation* table) {{
      {THREAD}
      Operation all[] = {{add, subtract, multiply}};
      table[t] = all[t % 3];
    }}
    __global__ void apply(Operation* table, int* out) {{ {THREAD} out[t] = table[t](t, 7); }}
    """
    device = lanza.to_device(table, run.device) if run.engine != "nvrtc" else table
    run(source, device, kernel="choose")
    run(source, device, out, kernel="apply")
    run.same(out, operations(np.arange(run.threads)))


@case
def pointer_in_a_struct_by_value(run):
    """A structure with a pointer, copied from a __device__ variable, passed on by value."""
    out = np.zeros(run.threads, np.int32)
    source = f"""{OPERATIONS}
    struct Task {{ Operation apply; int left, right; }};
    __device__ Task task = {{subtract, 1, 2}};
    __device__ __noinline__ int execute(Task given) {{
      if (given.left % 2) given.apply = multiply;
      return given.apply(given.left, given.right);
    }}
    __global__ void k(int* out) {{
      {THREAD}
      Task mine = task;
      mine.left = t;
      out[t] = execute(mine);
    }}
    """
    run(source, out)
    t = np.arange(run.threads)
    run.same(out, np.where(t % 2, t * 2, t - 2))


@case
def pointer_as_template_argument_and_parameter(run):
    """Functions as template arguments, parameters, references, and a lambda that becomes a pointer."""
    out = np.zeros((4, run.threads), np.int32)
    source = f"""{OPERATIONS}
    template <int (*F)(int, int)> __device__ int by_template(int a) {{ return F(a, 3); }}
    __device__ int by_parameter(int f(int, int), int a) {{ return f(a, 3); }}
    __device__ int by_reference(int (&f)(int, int), int a) {{ return f(a, 3); }}
    __global__ void k(int* out) {{
      {THREAD}
      const int n = blockDim.x * blockDim.y * blockDim.z;
      out[t] = by_template<multiply>(t);
      out[n + t] = by_parameter(t % 2 ? add : subtract, t);
      out[2 * n + t] = by_reference(subtract, t);
      Operation lambda = [](int a, int b) {{ return a * 100 + b; }};
      if (t % 2) lambda = add;
      out[3 * n + t] = lambda(t, 3);
    }}
    """
    run(source, out)
    t = np.arange(run.threads)
    run.same(out, [t * 3, np.where(t % 2, t + 3, t - 3), t - 3, np.where(t % 2, t + 3, t * 100 + 3)])


@case
def compared_pointers(run):
    """Pointers are compared, and with null."""
    out = np.zeros((3, run.threads), np.int32)
    source = f"""{OPERATIONS}
    __device__ Operation none;
    __global__ void k(int* out) {{
      {THREAD}
      const int n = blockDim.x * blockDim.y * blockDim.z;
      Operation f = t % 2 ? add : subtract;
      out[t] = f == add;
      out[n + t] = none == nullptr;
      out[2 * n + t] = none ? none(1, 2) : f(3, 1);
    }}
    """
    run(source, out)
    t = np.arange(run.threads)
    run.same(out, [t % 2, np.ones_like(t), np.where(t % 2, 4, 2)])


@case
def signatures(run):
    """Callees with structures, doubles, references and no result."""
    out = np.zeros(run.threads, np.float64)
    source = f"""
    struct Wide {{ double a[5]; }};
    __device__ Wide grow(Wide w, float x) {{ for (double& v : w.a) v += x; return w; }}
    __device__ Wide shrink(Wide w, float x) {{ for (double& v : w.a) v -= x; return w; }}
    __device__ void twice(double& x) {{ x *= 2; }}
    __device__ void half(double& x) {{ x /= 2; }}
    __global__ void k(double* out) {{
      {THREAD}
      Wide (*change)(Wide, float) = t % 2 ? grow : shrink;
      void (*scale)(double&) = t % 3 ? twice : half;
      Wide w = change(Wide{{{{1, 2, 3, 4, double(t)}}}}, 0.5f);
      scale(w.a[4]);
      out[t] = w.a[4] + w.a[0];
    }}
    """
    run(source, out)
    t = np.arange(run.threads)
    half = np.where(t % 2, 0.5, -0.5)
    run.same(out, (t + half) * np.where(t % 3, 2, 0.5) + 1 + half)


@case
def many_callers(run):
    """More calls than are worth copies of the callees."""
    out = np.zeros(run.threads, np.int32)
    calls = "\n".join(f"x = table[(t + {i}) % 3](x, {i});" for i in range(20))
    source = f"""{OPERATIONS}
    __device__ Operation table[] = {{add, subtract, multiply}};
    __global__ void k(int* out) {{ {THREAD} int x = t; {calls} out[t] = x; }}
    """
    run(source, out)
    t = np.arange(run.threads)
    x = t.copy()
    for i in range(20):
        x = np.select([(t + i) % 3 == 0, (t + i) % 3 == 1], [x + i, x - i], (x * i).astype(np.int32))
    run.same(out, x)


@case
def recursion_through_a_pointer(run):
    """A function that calls itself through a table, and two that call each other."""
    out = np.zeros(run.threads, np.int32)
    source = f"""
    typedef int (*Step)(int);
    extern __device__ Step steps[];
    __device__ int even(int n) {{ return n == 0 ? 1 : steps[1](n - 1); }}
    __device__ int odd(int n) {{ return n == 0 ? 0 : steps[0](n - 1); }}
    __device__ Step steps[] = {{even, odd}};
    __global__ void k(int* out) {{ {THREAD} out[t] = steps[0](t % 50) * 10 + steps[1](t % 7); }}
    """
    run(source, out)
    t = np.arange(run.threads)
    run.same(out, (t % 50 % 2 == 0) * 10 + t % 7 % 2)


# Members.


@case
def pointer_to_member_function(run):
    """Pointers to members, virtual ones too, and to data."""
    out = np.zeros((3, run.threads), np.int32)
    source = f"""
    struct Base {{
      int x, y;
      __device__ int sum() const {{ return x + y; }}
      __device__ int difference() const {{ return x - y; }}
      __device__ virtual int kind() const {{ return 1; }}
    }};
    struct Derived : Base {{ __device__ int kind() const override {{ return 2; }} }};
    __global__ void k(int* out) {{
      {THREAD}
      const int n = blockDim.x * blockDim.y * blockDim.z;
      Base base; Derived derived;
      Base& object = t % 2 ? derived : base;
      object.x = t; object.y = 5;
      int (Base::*method)() const = t % 3 ? &Base::sum : &Base::difference;
      int (Base::*dynamic)() const = t % 5 ? &Base::kind : &Base::sum;
      int Base::*member = t % 7 ? &Base::x : &Base::y;
      out[t] = (object.*method)();
      out[n + t] = (object.*dynamic)();
      out[2 * n + t] = object.*member;
    }}
    """
    run(source, out)
    t = np.arange(run.threads)
    run.same(
        out,
        [
            np.where(t % 3, t + 5, t - 5),
            np.where(t % 5, 1 + t % 2, t + 5),
            np.where(t % 7, t, 5),
        ],
    )


# Callees that synchronise.


@case
def pointer_to_a_function_with_a_barrier(run):
    """All threads of a block call through a pointer: the callees meet at barriers, each at its own."""
    out = np.zeros(run.threads, np.int32)
    source = f"""
    typedef int (*Stage)(int*, int, int);
    __device__ int rotate(int* s, int t, int n) {{
      s[t] = t;
      __syncthreads();
      const int v = s[(t + 1) % n];
      __syncthreads();
      return v;
    }}
    __device__ int reverse(int* s, int t, int n) {{
      s[t] = 2 * t;
      __syncthreads();
      const int v = s[n - 1 - t];
      __syncthreads();
      return v;
    }}
    __device__ Stage stages[] = {{rotate, reverse}};
    __global__ void k(int* out) {{
      {THREAD}
      const int n = blockDim.x * blockDim.y * blockDim.z;
      __shared__ int s[1024];
      for (int i = 0; i < 4; ++i) out[t] = out[t] * 3 + stages[i % 2](s, t, n);
    }}
    """
    run(source, out)
    n, t = run.threads, np.arange(run.threads)
    rotated, reversed_ = (t + 1) % n, 2 * (n - 1 - t)
    run.same(out, ((rotated * 3 + reversed_) * 3 + rotated) * 3 + reversed_)


@case(blocks=[32, 64, 256, (8, 8, 16)])
def pointer_to_a_function_with_a_shuffle(run):
    """Warps call through pointers different functions that shuffle."""
    out = np.zeros(run.threads, np.int32)
    source = f"""
    __device__ int up(int x) {{ return __shfl_up_sync(0xffffffffu, x, 1); }}
    __device__ int down(int x) {{ return __shfl_down_sync(0xffffffffu, x, 1); }}
    __global__ void k(int* out) {{
      {THREAD}
      int (*move)(int) = t / 32 % 2 ? up : down;
      out[t] = move(t);
    }}
    """
    run(source, out)
    t, lane, odd = np.arange(run.threads), run.lane, run.warp % 2
    run.same(out, np.where(odd, np.where(lane > 0, t - 1, t), np.where(lane < 31, t + 1, t)))


# Mistakes.


def refused(run, source: str, *words: str) -> None:
    with pytest.raises(lanza.LaunchError) as error:
        run(source, np.zeros(run.threads, np.int32))
    for word in words:
        assert word in str(error.value), error.value


@case(blocks=[1, 64], cpu_only=True, reason="a GPU ends in an illegal address or hangs, and its context with it")
def null_pointer_is_an_error(run):
    """A call through a null pointer ends the launch and names the line."""
    source = f"""{OPERATIONS}
    __device__ Operation none;
    __global__ void k(int* out) {{
      out[0] = none(1, 2);
    }}
    """
    refused(run, source, "null function pointer", "block (0,0,0)", "kernel.cu:9")


@case(blocks=[1, 64], cpu_only=True, reason="undefined: a GPU calls whatever is there")
def wrong_signature_is_an_error(run):
    """A pointer cast to the type of another function."""
    source = f"""{OPERATIONS}
    __device__ float other(float x) {{ return x; }}
    __device__ float (*stored)(float) = other;
    __global__ void k(int* out) {{ out[0] = ((Operation)stored)(1, 2); }}
    """
    refused(run, source, "no function of its type")
