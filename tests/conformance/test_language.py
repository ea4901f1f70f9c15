"""C++ in kernels: templates, concepts, lambdas, classes, static variables, compile-time evaluation."""

import numpy as np
from harness import case, kernel


@case
def function_templates(run):
    """Templates of functions: deduced and explicit arguments, values as arguments, overloads, specialisations."""
    out = np.zeros((run.threads, 5), np.int32)
    run(
        kernel(
            "int* out",
            """
            int* o = out + 5 * t;
            o[0] = twice(t) + twice<short>(t + 40000);
            o[1] = power<5>(t % 6);
            o[2] = size_of(t) * 100 + size_of((char)t) * 10 + size_of(out);
            o[3] = sum(1, 2.9, t, 'a');
            o[4] = fold(t, t + 1, 3);
            """,
            """
            template <class T> __device__ T twice(T x) { return x + x; }
            template <int N> __device__ int power(int x) { if constexpr (N == 0) return 1; else return x * power<N - 1>(x); }
            template <class T> __device__ int size_of(T) { return sizeof(T); }
            template <class T> __device__ int size_of(T*) { return 7; }
            template <> __device__ int size_of<char>(char) { return 9; }
            __device__ int sum() { return 0; }
            template <class T, class... Rest> __device__ int sum(T first, Rest... rest) { return (int)first + sum(rest...); }
            template <class... T> __device__ int fold(T... x) { return (... + (x * x)); }
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    half = (2 * (t + 40000).astype(np.int16).astype(np.int32)).astype(np.int16)
    columns = [2 * t + half, (t % 6) ** 5, np.full_like(t, 497), 100 + t, t * t + (t + 1) ** 2 + 9]
    run.same(out, np.stack(columns, 1))


@case(options=["-std=c++20"], each=["k<float, 3>", "k<int, 7>", "k<unsigned char, 200>"])
def kernel_templates(run, name):
    """Kernels that are templates, asked for by name expressions."""
    dtype = {"f": np.float32, "i": np.int32, "u": np.uint8}[name[2]]
    factor = int(name[:-1].split(",")[1])
    out = np.zeros(run.threads, dtype)
    run(
        """
        template <class T, int Factor> __global__ void k(T* out, T add) {
          const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          out[t] = T(t) * Factor + add;
        }
        """,
        out,
        5,
        names=[name],
    )
    run.same(out, np.arange(run.threads) * factor + 5)


@case
def class_templates(run):
    """Class templates: members, partial specialisation, inheritance by template (CRTP), deduction guides, static members."""
    out = np.zeros((run.threads, 4), np.int32)
    run(
        kernel(
            "int* out",
            """
            Vec<int, 3> a{{t, 1, 2}}, b{{3, t, 5}};
            out[4 * t] = (a + b).dot(a);
            out[4 * t + 1] = Kind<int>::value * 100 + Kind<const int*>::value * 10 + Kind<float[4]>::value;
            out[4 * t + 2] = Square{t}.area() + Circle{t}.area();
            Pair p(t, 2.75); out[4 * t + 3] = (int)(p.a + p.b * 4) + sizeof(p);
            """,
            """
            template <class T, int N> struct Vec {
              T at[N];
              __device__ T dot(const Vec& o) const { T s{}; for (int i = 0; i < N; ++i) s += at[i] * o.at[i]; return s; }
              __device__ friend Vec operator+(Vec a, const Vec& b) { for (int i = 0; i < N; ++i) a.at[i] += b.at[i]; return a; }
            };
            template <class T> struct Kind { static constexpr int value = 1; };
            template <class T> struct Kind<T*> { static constexpr int value = 2; };
            template <class T, int N> struct Kind<T[N]> { static constexpr int value = N; };
            template <class Self> struct Shape { __device__ int area() const { return static_cast<const Self*>(this)->side() * 2; } };
            struct Square : Shape<Square> { int a; __device__ Square(int a) : a(a) {} __device__ int side() const { return a * a; } };
            struct Circle : Shape<Circle> { int r; __device__ Circle(int r) : r(r) {} __device__ int side() const { return r + 1; } };
            template <class A, class B> struct Pair { A a; B b; __device__ Pair(A a, B b) : a(a), b(b) {} };
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    dot = (t + 3) * t + (t + 1) + 7 * 2
    run.same(out, np.stack([dot, np.full_like(t, 124), 2 * t * t + 2 * (t + 1), t + 11 + 16], 1))


@case(options=["-std=c++20"])
def concepts(run):
    """Concepts choose between overloads; requires clauses and expressions; abbreviated templates."""
    out = np.zeros((run.threads, 3), np.int32)
    run(
        kernel(
            "int* out",
            """
            out[3 * t] = which(t) * 100 + which(1.5f) * 10 + which(Sized{t});
            out[3 * t + 1] = add(t, short(3));
            out[3 * t + 2] = Same<int, int> * 10 + Same<int, long> + (HasSize<Sized> ? 100 : 0) + (HasSize<int> ? 1000 : 0);
            """,
            """
            template <class A, class B> constexpr bool same = false;
            template <class A> constexpr bool same<A, A> = true;
            template <class A, class B> concept Same = same<A, B>;
            template <class T> concept HasSize = requires(const T& t) { { t.size() } -> Same<int>; typename T::Element; };
            template <class T> concept Integer = requires(T t) { t % 2; t << 1; };
            struct Sized { using Element = int; int n; __device__ int size() const { return n; } };
            template <Integer T> __device__ int which(T) { return 1; }
            template <class T> requires(!Integer<T> && !HasSize<T>) __device__ int which(T) { return 2; }
            __device__ int which(HasSize auto x) { return 3 + x.size(); }
            __device__ auto add(Integer auto a, Integer auto b) { return a + b; }
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    run.same(out, np.stack([123 + t, t + 3, np.full_like(t, 110)], 1))


@case(options=["-std=c++20"])
def lambdas(run):
    """Lambdas: captures by value, reference and initialiser, mutable, generic, of templates, called later, recursive."""
    out = np.zeros((run.threads, 6), np.int32)
    run(
        kernel(
            "int* out",
            """
            int* o = out + 6 * t; int calls = 0;
            auto add = [=](int x) { return x + t; };
            auto count = [&calls](int x) { calls += x; return calls; };
            auto next = [i = t * 2]() mutable { return i++; };
            auto generic = [](auto a, auto b) { return a * b; };
            auto typed = []<class T>(T x) { return (int)sizeof(T) + (int)x; };
            auto power = [](auto self, int x, int n) -> int { return n == 0 ? 1 : x * self(self, x, n - 1); };
            o[0] = apply(add, 5) + apply([t](int x) { return x - t; }, 100);
            count(3); count(t); o[1] = calls;
            next(); next(); o[2] = next();
            o[3] = generic(t, 2) + (int)generic(1.5f, t);
            o[4] = typed((short)t) + typed(2.0);
            o[5] = power(power, t % 4, 5);
            """,
            "template <class F> __device__ int apply(F f, int x) { return f(x); }",
        ),
        out,
        options=["-default-device"],  # NVRTC takes a generic lambda for a host function without
    )
    t = np.arange(run.threads)
    columns = [105 + 0 * t, 3 + t, 2 * t + 2, 2 * t + (1.5 * t).astype(int), t + 12, (t % 4) ** 5]
    run.same(out, np.stack(columns, 1))


@case
def lambda_with_a_barrier(run):
    """A lambda that captures shared memory and waits at a barrier."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ int s[1024];
            auto shift = [&](int value, int by) { __syncthreads(); s[t] = value; __syncthreads(); return s[(t + by) % n]; };
            out[t] = shift(shift(t, 1) * 2, 3);
            """,
        ),
        out,
    )
    run.same(out, (np.arange(run.threads) + 4) % run.threads * 2)


@case
def destructors(run):
    """Destructors run at the end of scopes, in reverse order, on break, continue, goto and return, and for temporaries."""
    out = np.zeros((run.threads, 2), np.uint32)
    run(
        kernel(
            "unsigned* out",
            """
            unsigned log = 1;
            out[2 * t] = work(log, t);
            out[2 * t + 1] = log;
            """,
            """
            struct Guard {
              unsigned& log; unsigned id;
              __device__ Guard(unsigned& log, unsigned id) : log(log), id(id) { log = log * 3 + id; }
              __device__ Guard(const Guard& o) : log(o.log), id(o.id + 1) {}
              __device__ ~Guard() { log = log * 5 + id; }
              __device__ unsigned value() const { return id; }
            };
            __device__ unsigned work(unsigned& log, unsigned t) {
              Guard a(log, t % 3);
              for (unsigned i = 0; i < t % 5; ++i) {
                Guard b(log, i);
                if (i == 1) continue;
                { Guard c(b); if (t % 7 == 3) return c.value() + 1000; if (t % 7 == 4) break; if (t % 7 == 5) goto out; }
                log += Guard(log, 9).value();
              }
              log ^= 7;
              out:
              const Guard& kept = Guard(log, 4);
              return kept.value();
            }
            """,
        ),
        out,
    )

    def expected(t):
        log = 1

        def make(i):
            nonlocal log
            log = (log * 3 + i) & 0xFFFFFFFF

        def drop(i):
            nonlocal log
            log = (log * 5 + i) & 0xFFFFFFFF

        a = t % 3
        make(a)
        left = False
        for i in range(t % 5):
            make(i)
            if i == 1:
                drop(i)
                continue
            if t % 7 == 3:
                drop(i + 1)
                drop(i)
                drop(a)
                return i + 1001, log
            drop(i + 1)
            if t % 7 in (4, 5):
                drop(i)
                left = t % 7 == 5
                break
            # The temporary lives until the end of the full expression, whose left side is read last.
            make(9)
            log = (log + 9) & 0xFFFFFFFF
            drop(9)
            drop(i)
        if not left:
            log ^= 7
        make(4)
        drop(4)
        drop(a)
        return 4, log

    run.same(out, run.of(expected))


@case
def destructors_around_barriers(run):
    """Objects that live across barriers are destroyed after them, also where threads return early."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ int s[1024];
            Add a{out + t, 1};
            s[t] = t;
            __syncthreads();
            { Add b{out + t, s[(t + 1) % n] * 10}; if (t % 3 == 0) return; __syncthreads(); s[t] = 5; __syncthreads(); b.value += s[t]; }
            out[t] += 100000;
            """,
            "struct Add { int* at; int value; __device__ ~Add() { *at += value; } };",
        ),
        out,
    )
    t = np.arange(run.threads)
    neighbour = (t + 1) % run.threads * 10
    run.same(out, np.where(t % 3 == 0, neighbour + 1, neighbour + 100006))


@case
def static_variables(run):
    """Static variables of functions, templates and member functions: one for all threads, initialised before the kernel."""
    source = kernel(
        "int* out, int phase",
        """
        if (phase == 0) { count(1); of_kind<int>(2); of_kind<float>(3); Counted{}.total(4); }
        if (phase == 1) out[t] = count(0) + 10000 * (of_kind<int>(0) != 0) + table(t);
        if (phase == 2 && t == 0) { out[0] = of_kind<int>(0); out[1] = of_kind<float>(0); out[2] = Counted{}.total(0); }
        """,
        """
        __device__ int count(int by) { static int calls = 7; atomicAdd(&calls, by); return *(volatile int*)&calls; }
        template <class T> __device__ int of_kind(int by) { static int sum; atomicAdd(&sum, by); return *(volatile int*)&sum; }
        struct Counted { __device__ int total(int by) { static int sum = 11; atomicAdd(&sum, by); return *(volatile int*)&sum; } };
        __device__ int table(int i) { static const int values[4] = {1, 20, 300, 4000}; return values[i % 4]; }
        """,
    )
    n = run.threads
    out, sums = np.zeros(n, np.int32), np.zeros(3, np.int32)
    run(source, out, 0, fresh=True)
    run(source, out, 1)
    run(source, sums, 2)
    run.same(out, 7 + n + 10000 + np.array([1, 20, 300, 4000])[np.arange(n) % 4])
    run.same(sums, [2 * n, 3 * n, 11 + 4 * n])


@case(options=["-std=c++20"])
def compile_time_evaluation(run):
    """constexpr and consteval functions, tables made while compiling, static_assert, if constexpr."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            "constexpr Table squares = make(); static_assert(squares.at[5] == 25); out[t] = squares.at[t % 16] + primes(30) * 1000;",
            """
            struct Table { int at[16]; };
            constexpr __host__ __device__ Table make() { Table t{}; for (int i = 0; i < 16; ++i) t.at[i] = i * i; return t; }
            consteval __host__ __device__ int primes(int n) {
              int count = 0;
              for (int i = 2; i < n; ++i) { bool prime = true; for (int j = 2; j * j <= i; ++j) prime = prime && i % j; count += prime; }
              return count;
            }
            """,
        ),
        out,
    )
    run.same(out, (np.arange(run.threads) % 16) ** 2 + 10000)


@case(options=["-std=c++20"])
def newer_syntax(run):
    """Structured bindings, range-for, designated initialisers, spaceship, enum class, initialiser in if, digit separators."""
    out = np.zeros((run.threads, 3), np.int32)
    run(
        kernel(
            "int* out",
            """
            Point p{.x = t, .y = 1'000}; auto& [x, y] = p; x += 1;
            int values[] = {3, t, 5}, sum = 0;
            for (const int v : values) sum += v;
            Colour c = t % 2 ? Colour::green : Colour::red;
            if (const int d = t - 20; d > 0) sum += d; else sum -= d;
            out[3 * t] = p.x + p.y; out[3 * t + 1] = sum;
            out[3 * t + 2] = static_cast<int>(c) + (Point{1, t} < Point{1, 20}) * 100 + (Point{t, 1} == Point{4, 1}) * 1000 + 0b11;
            """,
            """
            struct Point {
              int x, y;
              __device__ bool operator<(const Point& o) const { return x != o.x ? x < o.x : y < o.y; }
              __device__ bool operator==(const Point&) const = default;
            };
            enum class Colour : unsigned char { red = 5, green };
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    columns = [t + 1001, 8 + t + abs(t - 20), 8 + t % 2 + (t < 20) * 100 + (t == 4) * 1000]
    run.same(out, np.stack(columns, 1))


@case
def operators_and_references(run):
    """Overloaded operators, conversions, references to elements, default arguments, namespaces, argument-dependent lookup."""
    out = np.zeros((run.threads, 3), np.float32)
    run(
        kernel(
            "float* out",
            """
            geo::Vec a(t, 2), b = 3.0f * a - geo::Vec(1);
            a[1] += 5; ++a; a = -a;
            out[3 * t] = float(a); out[3 * t + 1] = b[0] * b[1]; out[3 * t + 2] = dot(a, b) + (a ? 1 : 0);
            """,
            """
            namespace geo {
            struct Vec {
              float at[2];
              __device__ explicit Vec(float x = 0, float y = 1) : at{x, y} {}
              __device__ float& operator[](int i) { return at[i]; }
              __device__ const float& operator[](int i) const { return at[i]; }
              __device__ Vec& operator++() { at[0] += 1; return *this; }
              __device__ Vec operator-() const { return Vec(-at[0], -at[1]); }
              __device__ explicit operator float() const { return at[0] + at[1]; }
              __device__ explicit operator bool() const { return at[0] < -3; }
            };
            __device__ Vec operator*(float f, const Vec& v) { return Vec(f * v[0], f * v[1]); }
            __device__ Vec operator-(const Vec& a, const Vec& b) { return Vec(a[0] - b[0], a[1] - b[1]); }
            __device__ float dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1]; }
            }
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    a, b = -(t + 1), 3 * t - 1
    run.same(out, np.stack([a - 7, b * 5, a * b - 35 + (a < -3)], 1))


@case
def variables_of_the_device_in_namespaces(run):
    """Device variables in namespaces, inline variables, variable templates, and the same name in two namespaces."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            "out[t] = a::value + b::value * 10 + shared_ * 100 + size<char> * 1000 + size<double> * 10000 + a::table[t % 3];",
            """
            namespace a { __device__ int value = 1; __device__ const int table[3] = {100000, 200000, 300000}; }
            namespace b { __device__ int value = 2; }
            inline __device__ int shared_ = 3;
            template <class T> constexpr int size = sizeof(T);
            """,
        ),
        out,
    )
    run.same(out, 81321 + (np.arange(run.threads) % 3 + 1) * 100000)
