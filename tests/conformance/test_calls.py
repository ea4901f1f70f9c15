"""Calls: virtual functions, pointers to functions and members, recursion, functions that are not inlined."""

from itertools import permutations

import numpy as np
from harness import case, kernel

SHAPES = """
struct Shape { int id; __device__ Shape(int id) : id(id) {} __device__ virtual int area() const { return -1; } __device__ virtual int scaled(int by) const { return area() * by; } };
struct Square : Shape { int a; __device__ Square(int a) : Shape(1), a(a) {} __device__ int area() const override { return a * a; } };
struct Rectangle : Square { int b; __device__ Rectangle(int a, int b) : Square(a), b(b) {} __device__ int area() const override { return a * b; } };
struct Circle : Shape { int r; __device__ Circle(int r) : Shape(3), r(r) {} __device__ int area() const override { return 3 * r * r; } __device__ int scaled(int by) const override { return Shape::scaled(by) + 1; } };
"""


@case
def virtual_functions(run):
    """Virtual calls through a base pointer, divergent within a warp, with overrides of overrides."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            Shape plain(0); Square square(t); Rectangle rectangle(t, 2); Circle circle(t + 1);
            const Shape* shapes[4] = {&plain, &square, &rectangle, &circle};
            out[t] = shapes[t % 4]->scaled(t % 3) * 10 + shapes[(t + 1) % 4]->id;
            """,
            SHAPES,
        ),
        out,
    )

    def expected(t):
        areas = [-1, t * t, t * 2, 3 * (t + 1) ** 2]
        return (areas[t % 4] * (t % 3) + (t % 4 == 3)) * 10 + (0, 1, 1, 3)[(t + 1) % 4]

    run.same(out, run.of(expected))


@case
def virtual_functions_of_objects_in_memory(run):
    """Objects with virtual functions that one kernel makes in global memory and another one calls."""
    source = (
        SHAPES
        + """
    __device__ Shape* made[1024];
    __global__ void make() {
      const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      if (t % 3 == 0) made[t] = new Square(t); else if (t % 3 == 1) made[t] = new Rectangle(t, 7); else made[t] = new Circle(t);
    }
    __global__ void use(int* out) {
      const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      const int n = blockDim.x * blockDim.y * blockDim.z;
      out[t] = made[(t + 1) % n]->area();
    }
    __global__ void drop() { delete made[threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)]; }
    """
    )
    out = np.zeros(run.threads, np.int32)
    run(source, kernel="make")
    run(source, out, kernel="use")
    run(source, kernel="drop")
    i = (np.arange(run.threads) + 1) % run.threads
    run.same(out, np.choose(i % 3, [i * i, i * 7, 3 * i * i]))


@case
def multiple_and_virtual_inheritance(run):
    """Calls through second and virtual bases: the object's address is adjusted; pure functions, covariant results."""
    out = np.zeros((run.threads, 3), np.int32)
    run(
        kernel(
            "int* out",
            """
            Both both(t); Diamond diamond(t); A* a = &both; B* b = &both; A* pick = t % 2 ? (A*)&both : (A*)&diamond;
            out[3 * t] = a->f() + b->g() * 10; out[3 * t + 1] = pick->f(); out[3 * t + 2] = b->self()->own;
            """,
            """
            struct A { int a; __device__ A(int a) : a(a) {} __device__ virtual int f() = 0; };
            struct B { int own; __device__ B(int b) : own(b) {} __device__ virtual int g() { return own; } __device__ virtual B* self() { return this; } };
            struct Both : A, B { __device__ Both(int t) : A(t), B(t + 5) {} __device__ int f() override { return a + own; } __device__ int g() override { return own - a; } __device__ Both* self() override { own += 1; return this; } };
            struct Left : virtual A { __device__ Left() : A(0) {} __device__ int f() override { return a * 2; } };
            struct Right : virtual A { int r = 3; __device__ Right() : A(0) {} };
            struct Diamond : Left, Right { __device__ Diamond(int t) : A(t + 1) {} __device__ int f() override { return Left::f() + r; } };
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    run.same(out, np.stack([2 * t + 55, 2 * t + 5, t + 6], 1))


@case
def function_pointers(run):
    """Pointers to functions chosen by data: local tables, tables in device memory, as parameters, compared."""
    out = np.zeros((run.threads, 3), np.int32)
    run(
        kernel(
            "int* out",
            """
            int (*local[3])(int, int) = {add, sub, mul};
            Binary chosen = pick(t % 5);
            out[3 * t] = local[t % 3](t, 7);
            out[3 * t + 1] = chosen ? twice(chosen, t, 3) : -1;
            out[3 * t + 2] = (chosen == add) + 2 * (chosen == nullptr) + 4 * (local[t % 3] == chosen);
            """,
            """
            typedef int (*Binary)(int, int);
            __device__ int add(int a, int b) { return a + b; }
            __device__ int sub(int a, int b) { return a - b; }
            __device__ __noinline__ int mul(int a, int b) { return a * b; }
            __device__ Binary pick(int i) { switch (i) { case 0: return add; case 1: return mul; case 2: return sub; case 3: return nullptr; default: return add; } }
            __device__ int twice(Binary f, int a, int b) { return f(f(a, b), b); }
            """,
        ),
        out,
    )

    def expected(t):
        functions = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b]
        chosen = [0, 2, 1, None, 0][t % 5]
        f = functions[chosen] if chosen is not None else None
        return (
            functions[t % 3](t, 7),
            f(f(t, 3), 3) if f else -1,
            (chosen == 0) + 2 * (chosen is None) + 4 * (t % 3 == chosen),
        )

    run.same(out, run.of(expected))


@case
def function_pointers_in_device_memory(run):
    """A table of pointers to functions that a kernel fills and a later one calls."""
    source = """
    typedef float (*Unary)(float);
    __device__ float half_(float x) { return x * 0.5f; }
    __device__ float plus(float x) { return x + 1; }
    __device__ float square(float x) { return x * x; }
    __device__ Unary table[3];
    __global__ void fill() { if (threadIdx.x + threadIdx.y + threadIdx.z == 0) { table[0] = half_; table[1] = plus; table[2] = square; } }
    __global__ void use(float* out) {
      const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      out[t] = table[t % 3](table[(t / 3) % 3](t));
    }
    """
    out = np.zeros(run.threads, np.float32)
    run(source, kernel="fill")
    run(source, out, kernel="use")
    functions = [lambda x: x * 0.5, lambda x: x + 1, lambda x: x * x]
    run.same(out, run.of(lambda t: functions[t % 3](functions[t // 3 % 3](float(t)))))


@case
def member_pointers(run):
    """Pointers to member functions, also virtual ones, and to data members."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            int (Base::*f)(int) = t % 3 == 0 ? &Base::add : t % 3 == 1 ? &Base::mul : &Base::which;
            int Base::*m = t % 2 ? &Base::x : &Base::y;
            Base base(t); Derived derived(t); Base& object = t % 4 < 2 ? base : derived;
            out[t] = (object.*f)(3) * 1000 + object.*m;
            """,
            """
            struct Base { int x, y; __device__ Base(int t) : x(t), y(-t) {} __device__ int add(int a) { return x + a; } __device__ int mul(int a) { return x * a; } __device__ virtual int which(int a) { return a; } };
            struct Derived : Base { __device__ Derived(int t) : Base(t + 1) {} __device__ int which(int a) override { return a + 40; } };
            """,
        ),
        out,
    )

    def expected(t):
        derived = t % 4 >= 2
        x = t + derived
        f = (x + 3, x * 3, 43 if derived else 3)[t % 3]
        return f * 1000 + (x if t % 2 else -x)

    run.same(out, run.of(expected))


@case
def recursion(run):
    """Functions that call themselves: once, twice, through another, to a depth of each thread's own."""
    out = np.zeros((run.threads, 4), np.int32)
    run(
        kernel(
            "int* out",
            "out[4 * t] = factorial(t % 12); out[4 * t + 1] = fibonacci(t % 15); out[4 * t + 2] = even(t % 100); out[4 * t + 3] = ackermann(t % 3, t % 5);",
            """
            __device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
            __device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
            __device__ bool odd(int n);
            __device__ bool even(int n) { return n == 0 || odd(n - 1); }
            __device__ bool odd(int n) { return n != 0 && even(n - 1); }
            __device__ int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
            """,
        ),
        out,
    )
    factorials, fibonaccis = [1], [0, 1]
    for i in range(1, 12):
        factorials.append(factorials[-1] * i)
    for _ in range(15):
        fibonaccis.append(fibonaccis[-1] + fibonaccis[-2])

    def expected(t):
        m, n = t % 3, t % 5
        return factorials[t % 12], fibonaccis[t % 15], t % 100 % 2 == 0, (n + 1, n + 2, 2 * n + 3)[m]

    run.same(out, run.of(expected))


@case
def recursion_with_arrays(run):
    """Recursion with private arrays on every level: quicksort and permutations."""
    out = np.zeros((run.threads, 13), np.int32)
    run(
        kernel(
            "int* out",
            """
            int v[12]; for (int i = 0; i < 12; ++i) v[i] = (i * 7 + t * 5) % 23;
            sort(v, 0, 11);
            for (int i = 0; i < 12; ++i) out[13 * t + i] = v[i];
            int p[4] = {0, 1, 2, 3}; out[13 * t + 12] = permutations(p, 0, t % 10);
            """,
            """
            __device__ void sort(int* v, int low, int high) {
              if (low >= high) return;
              const int pivot = v[(low + high) / 2]; int i = low, j = high;
              while (i <= j) { while (v[i] < pivot) ++i; while (v[j] > pivot) --j; if (i <= j) { int x = v[i]; v[i++] = v[j]; v[j--] = x; } }
              sort(v, low, j); sort(v, i, high);
            }
            __device__ int permutations(const int* from, int k, int want) {
              if (k == 4) { int value = from[0] * 64 + from[1] * 16 + from[2] * 4 + from[3]; return value % 10 == want; }
              int count = 0;
              for (int i = k; i < 4; ++i) { int next[4]; for (int j = 0; j < 4; ++j) next[j] = from[j]; next[k] = from[i]; next[i] = from[k]; count += permutations(next, k + 1, want); }
              return count;
            }
            """,
        ),
        out,
    )
    counts = [0] * 10
    for a, b, c, d in permutations(range(4)):
        counts[(a * 64 + b * 16 + c * 4 + d) % 10] += 1

    def expected(t):
        return [*sorted((i * 7 + t * 5) % 23 for i in range(12)), counts[t % 10]]

    run.same(out, run.of(expected))


@case
def recursion_that_reads_thread_indices(run):
    """Recursive functions that read threadIdx and blockIdx, use shared memory and atomics."""
    out, total = np.zeros((2, run.threads), np.int32), np.zeros(1, np.int32)
    run(
        kernel(
            "int* out, int* total",
            """
            __shared__ int s[1024];
            s[t] = 0;
            __syncthreads();
            visit(s, total, 5);
            __syncthreads();
            out[blockIdx.x * n + t] = s[t] + blockIdx.x;
            """,
            """
            __device__ void visit(int* s, int* total, int depth) {
              const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), n = blockDim.x * blockDim.y * blockDim.z;
              if (depth == 0) { atomicAdd(total, 1); return; }
              atomicAdd(&s[(t + depth) % n], depth);
              visit(s, total, depth - 1);
              if (depth % 2) visit(s, total, max(0, depth - 1 - (t & 1)));
            }
            """,
        ),
        out,
        total,
        grid=2,
    )
    sums, leaves = np.zeros(run.threads, int), 0

    def visit(t, depth):
        nonlocal leaves
        if depth == 0:
            leaves += 1
            return
        sums[(t + depth) % run.threads] += depth
        visit(t, depth - 1)
        if depth % 2:
            visit(t, max(0, depth - 1 - (t & 1)))

    for t in range(run.threads):
        visit(t, 5)
    run.same(out, np.stack([sums, sums + 1]))
    run.same(total, 2 * leaves)


@case
def functions_that_are_not_inlined(run):
    """__noinline__ functions with many arguments, structs by value and reference, results in several ways."""
    out = np.zeros(run.threads, np.float64)
    run(
        kernel(
            "double* out",
            """
            Big b{{1, 2, 3, 4}, t * 0.5}; int extra = t;
            Big c = many(b, b, &extra, 'c', 2.5f, (short)t, t % 2 == 0, 1ull << 40, 3.25);
            out[t] = c.scale + c.at[0] + c.at[3] + extra + b.at[0];
            """,
            """
            struct Big { int at[4]; double scale; };
            __device__ __noinline__ Big many(Big a, const Big& b, int* extra, char c, float f, short s, bool even, unsigned long long l, double d) {
              a.at[0] += c; a.at[3] = b.at[3] + s; a.scale = a.scale * f + (even ? d : (double)(l >> 38));
              *extra *= 2;
              return a;
            }
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    scale = t * 0.5 * 2.5 + np.where(t % 2 == 0, 3.25, 4.0)
    run.same(out, scale + (1 + 99) + (4 + t) + 2 * t + 1)
