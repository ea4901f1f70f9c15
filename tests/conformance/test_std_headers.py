"""The freestanding standard headers by their cuda/std names: one case a header."""

import math

import numpy as np
from harness import case

THREAD = "const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);"


def kernel(header, body, parameters="int* out"):
    """A kernel whose threads have a number t, and cs for cuda::std."""
    return f"""
        #include <cuda/std/{header}>
        namespace cs = cuda::std;
        __global__ void __launch_bounds__(1024) k({parameters}) {{
          {THREAD}
          {body}
        }}
        """


@case
def limits(run):
    """numeric_limits of integers and reals."""
    out = np.zeros(7)
    run(
        kernel(
            "limits",
            """
            out[0] = cs::numeric_limits<int>::max(); out[1] = cs::numeric_limits<short>::min();
            out[2] = cs::numeric_limits<float>::max(); out[3] = cs::numeric_limits<double>::epsilon();
            out[4] = cs::numeric_limits<float>::denorm_min(); out[5] = cs::numeric_limits<double>::digits;
            out[6] = cs::numeric_limits<float>::infinity();
            """,
            "double* out",
        ),
        out,
    )
    f, d = np.finfo(np.float32), np.finfo(np.float64)
    run.same(out, [2**31 - 1, -(2**15), float(f.max), d.eps, float(f.smallest_subnormal), 53, math.inf])


@case
def integers(run):
    """<cstdint>, <climits> and <cstddef>: widths, limits, byte."""
    out = np.zeros((run.threads, 6), np.int64)
    run(
        "#include <cuda/std/climits>\n#include <cuda/std/cstddef>\n"
        + kernel(
            "cstdint",
            """
            long long* o = out + 6 * t;
            o[0] = (cs::uint8_t)(t + 300); o[1] = (cs::int16_t)(t + 40000); o[2] = sizeof(cs::uintptr_t) + sizeof(cs::int64_t);
            o[3] = INT_MIN; o[4] = CHAR_BIT; o[5] = static_cast<int>(static_cast<cs::byte>(t & 255));
            """,
            "long long* out",
        ),
        out,
    )
    t = np.arange(run.threads)
    wanted = [(t + 300).astype(np.uint8), (t + 40000).astype(np.int16), 0 * t + 16, 0 * t - 2**31, 0 * t + 8, t & 255]
    run.same(out, np.stack([w.astype(np.int64) for w in wanted], 1))


@case
def utility(run):
    """pair, make_pair, swap, exchange, move, forward, integer sequences, structured bindings."""
    out = np.zeros((run.threads, 8), np.int32)
    run(
        """
        #include <cuda/std/utility>
        namespace cs = cuda::std;
        template <cs::size_t... I>
        __device__ int squares(cs::index_sequence<I...>) { return (0 + ... + int(I * I)); }
        __device__ int which(int&) { return 1; }
        __device__ int which(int&&) { return 2; }
        template <class T>
        __device__ int pass(T&& x) { return which(cs::forward<T>(x)); }
        __global__ void k(int* out) {
          const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          int* o = out + 8 * t;
          cs::pair<int, float> p(t, 2.5f);
          auto q = cs::make_pair(t + 1, 1.5f);
          cs::swap(p, q);
          auto [a, b] = p;
          o[0] = a; o[1] = int(2 * b); o[2] = p > q; o[3] = cs::get<0>(q);
          int x = 5;
          o[4] = cs::exchange(x, 6) + x; o[5] = pass(x) + 10 * pass(cs::move(x));
          o[6] = squares(cs::make_index_sequence<4>()); o[7] = p == cs::pair<int, float>(t + 1, 1.5f);
        }
        """,
        out,
        options=["-std=c++17"],
    )
    t = np.arange(run.threads)
    run.same(out, np.stack([t + 1, 0 * t + 3, 0 * t + 1, t, 0 * t + 11, 0 * t + 21, 0 * t + 14, 0 * t + 1], 1))


@case
def tuple_(run):
    """tuple: get, tie, apply, tuple_cat, comparison, bindings."""
    out = np.zeros((run.threads, 6), np.int32)
    run(
        kernel(
            "tuple",
            """
            int* o = out + 6 * t;
            cs::tuple<int, float, char> a(t, 0.5f, 'c');
            auto [i, f, c] = a;
            o[0] = i + int(2 * f) + c;
            int x, y;
            cs::tie(x, y) = cs::make_tuple(t + 1, t + 2);
            o[1] = 10 * x + y;
            o[2] = cs::apply([](int p, float q, char r) { return p + int(4 * q) + (r == 'c'); }, a);
            auto all = cs::tuple_cat(a, cs::make_tuple(t, 7));
            o[3] = cs::get<4>(all) + cs::tuple_size<decltype(all)>::value;
            o[4] = a < cs::make_tuple(t, 0.75f, 'a');
            cs::get<0>(a) = -1;
            o[5] = cs::get<int>(a);
            """,
        ),
        out,
        options=["-std=c++17"],
    )
    t = np.arange(run.threads)
    run.same(out, np.stack([t + 100, 11 * t + 12, t + 3, 0 * t + 12, 0 * t + 1, 0 * t - 1], 1))


@case
def array(run):
    """array: elements, iteration, comparison, get, by value through a function."""
    out = np.zeros((run.threads, 5), np.int32)
    run(
        """
        #include <cuda/std/array>
        namespace cs = cuda::std;
        __device__ cs::array<int, 4> twice(cs::array<int, 4> a) { for (int& x : a) x *= 2; return a; }
        __global__ void k(int* out) {
          const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          int* o = out + 5 * t;
          cs::array<int, 4> a{t, 1, 2, 3};
          auto b = twice(a);
          o[0] = b[0]; o[1] = b.back() + int(b.size()); o[2] = a < b; o[3] = cs::get<2>(b); a.fill(t);
          o[4] = a[t & 3] + a.front();
        }
        """,
        out,
    )
    t = np.arange(run.threads)
    run.same(out, np.stack([2 * t, 0 * t + 10, 0 * t + 1, 0 * t + 4, 2 * t], 1))


@case
def optional(run):
    """optional: with and without a value, value_or, emplace, reset, comparison."""
    out = np.zeros((run.threads, 5), np.int32)
    run(
        """
        #include <cuda/std/optional>
        namespace cs = cuda::std;
        __device__ cs::optional<int> halved(int x) { if (x % 2) return cs::nullopt; return x / 2; }
        __global__ void k(int* out) {
          const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          int* o = out + 5 * t;
          cs::optional<int> h = halved(t);
          o[0] = h.value_or(-1); o[1] = h.has_value(); o[2] = h == halved(t + 2);
          h.emplace(t + 5); o[3] = *h;
          h.reset(); o[4] = h ? 1 : 0;
        }
        """,
        out,
        options=["-std=c++17"],
    )
    t = np.arange(run.threads)
    even = t % 2 == 0
    run.same(out, np.stack([np.where(even, t // 2, -1), even, ~even, t + 5, 0 * t], 1))


@case(each={"float": (np.complex64, 16), "double": (np.complex128, 64)})
def complex_(run, value):
    """complex: arithmetic, abs, arg, exp, log, sqrt, pow and the circular and hyperbolic functions."""
    dtype, ulps = value
    real = "float" if dtype is np.complex64 else "double"
    random = np.random.default_rng(run.threads)
    a, b = (random.uniform(-2, 2, run.threads) + 1j * random.uniform(-2, 2, run.threads) for _ in range(2))
    a, b = a.astype(dtype), b.astype(dtype)
    out = np.zeros((14, run.threads), dtype)
    run(
        kernel(
            "complex",
            """
            using C = cs::complex<R>;
            const C* x = (const C*)a_; const C* y = (const C*)b_;
            C* o = (C*)out_ + t;
            const C a = x[t], b = y[t];
            const C results[14] = {a + b, a - b, a * b, a / b, cs::conj(a) * R(2), C(cs::abs(a), cs::arg(a)), cs::exp(a),
                                   cs::log(a), cs::sqrt(a), cs::sin(a), cs::cosh(a), cs::tanh(a), cs::pow(a, b),
                                   cs::polar(cs::norm(b), a.real())};
            for (int i = 0; i < 14; ++i) o[i * n] = results[i];
            """,
            "const R2* a_, const R2* b_, R2* out_, int n",
        ).replace("R2", f"{real}2").replace("R>", f"{real}>").replace("R(", f"{real}("),
        a, b, out, run.threads,
    )  # fmt: skip
    p, q = a.astype(complex), b.astype(complex)
    wanted = [p + q, p - q, p * q, p / q, 2 * p.conj(), np.abs(p) + 1j * np.angle(p), np.exp(p), np.log(p), np.sqrt(p)]
    wanted += [np.sin(p), np.cosh(p), np.tanh(p), p**q, np.abs(q) ** 2 * np.exp(1j * p.real)]
    # Parts may cancel: the distance in units of the whole number.
    size = np.maximum(np.abs(wanted), 1e-3)
    # CCCL has tanh from sinh(2x), sin(2y) over cosh(2x) + cos(2y), which cancel.
    terms = np.cosh(2 * p.real), np.cos(2 * p.imag)
    size[11] *= (terms[0] + np.abs(terms[1])) / (terms[0] + terms[1])
    run.same(np.abs(out - wanted) <= ulps * np.finfo(dtype).eps * size, np.ones(out.shape, bool))


@case
def functional(run):
    """Function objects, invoke with members, references as values."""
    out = np.zeros((run.threads, 7), np.int32)
    run(
        """
        #include <cuda/std/functional>
        namespace cs = cuda::std;
        struct Point { int x; __device__ int add(int y) const { return x + y; } };
        template <class F>
        __device__ int call(F f, int a, int b) { return f(a, b); }
        __global__ void k(int* out) {
          const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          int* o = out + 7 * t;
          o[0] = call(cs::plus<int>(), t, 2); o[1] = call(cs::multiplies<>(), t, 3); o[2] = call(cs::greater<int>(), t, 5);
          o[3] = cs::negate<int>()(t) + cs::bit_xor<int>()(t, 1); o[4] = cs::invoke(&Point::add, Point{t}, 4);
          int x = 1;
          auto r = cs::ref(x);
          r.get() = t;
          o[5] = x; o[6] = cs::not_fn(cs::less<int>())(t, 3);
        }
        """,
        out,
        options=["-std=c++17"],
    )
    t = np.arange(run.threads)
    run.same(out, np.stack([t + 2, 3 * t, t > 5, -t + (t ^ 1), t + 4, t, t >= 3], 1))


@case
def bit(run):
    """bit_cast, counts, rotations and powers of two."""
    words = np.random.default_rng(run.threads).integers(0, 1 << 32, run.threads, np.uint32) >> (
        np.arange(run.threads) % 33 // 2
    )
    words = words.astype(np.uint32)
    out = np.zeros((run.threads, 8), np.uint32)
    run(
        kernel(
            "bit",
            """
            unsigned* o = out + 8 * t; const unsigned w = in[t];
            o[0] = cs::popcount(w); o[1] = cs::countl_zero(w); o[2] = cs::countr_zero(w); o[3] = cs::rotl(w, t);
            o[4] = cs::bit_floor(w); o[5] = cs::bit_cast<unsigned>(float(t)); o[6] = cs::has_single_bit(w);
            o[7] = cs::bit_width(w);
            """,
            "const unsigned* in, unsigned* out",
        ),
        words, out, options=["-std=c++20"],
    )  # fmt: skip
    wanted = np.zeros_like(out)
    for t, w in enumerate(map(int, words)):
        low, turn = (w & -w).bit_length() - 1 if w else 32, t % 32
        turned = (w << turn | w >> (32 - turn)) & 0xFFFFFFFF
        single = int(np.float32(t).view(np.uint32))
        wanted[t] = [w.bit_count(), 32 - w.bit_length(), low, turned, 1 << (w.bit_length() - 1) if w else 0, single,
                     w.bit_count() == 1, w.bit_length()]  # fmt: skip
    run.same(out, wanted)


@case
def cmath(run):
    """Functions of <cmath> in cuda::std, for float, double and integers."""
    out = np.zeros((run.threads, 5))
    run(
        kernel(
            "cmath",
            """
            double* o = out + 5 * t; float f = t + 0.25f; double d = t + 0.5;
            o[0] = cs::sqrt(f); o[1] = cs::floor(d) + cs::fabs(-f); o[2] = cs::fmin(d, 3.0); o[3] = cs::isnan(d) + cs::isfinite(f);
            o[4] = cs::fmax(f, 3.0f) + cs::sqrt(4);
            """,
            "double* out",
        ),
        out,
    )
    t = np.arange(run.threads)
    f, d = (t + 0.25).astype(np.float32), t + 0.5
    run.same(out, np.stack([np.sqrt(f), np.floor(d) + f, np.minimum(d, 3), 0 * d + 1, np.maximum(f, 3) + 2.0], 1))


@case
def initializer_list(run):
    """Lists in braces: size, iteration."""
    out = np.zeros(run.threads, np.int32)
    run(
        """
        #include <cuda/std/initializer_list>
        __device__ int sum(cuda::std::initializer_list<int> list) { int s = int(list.size()); for (int x : list) s += x; return s; }
        __global__ void k(int* out) {
          const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          out[t] = sum({t, 1, 2});
        }
        """,
        out,
    )
    run.same(out, np.arange(run.threads) + 6)


@case(options=["-std=c++20"])
def concepts(run):
    """Concepts choose overloads."""
    out = np.zeros((run.threads, 4), np.int32)
    run(
        """
        #include <cuda/std/concepts>
        namespace cs = cuda::std;
        template <cs::integral T> __device__ int kind(T) { return 1; }
        template <cs::floating_point T> __device__ int kind(T) { return 2; }
        template <class F> requires cs::invocable<F, int> __device__ int apply(F f, int x) { return f(x); }
        struct Base {};
        struct Derived : Base {};
        static_assert(cs::derived_from<Derived, Base> && cs::same_as<int, int> && cs::convertible_to<int, float>);
        static_assert(cs::regular<int> && cs::totally_ordered<float> && cs::copyable<Base> && !cs::integral<float>);
        __global__ void k(int* out) {
          const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          int* o = out + 4 * t;
          o[0] = kind(t); o[1] = kind(0.5f * t); o[2] = apply([](int x) { return x + 9; }, t); o[3] = cs::unsigned_integral<unsigned>;
        }
        """,
        out,
    )
    t = np.arange(run.threads)
    run.same(out, np.stack([0 * t + 1, 0 * t + 2, t + 9, 0 * t + 1], 1))


@case
def span(run):
    """span over arrays and pointers: size, subspan, iteration, stores through it."""
    data = np.arange(run.threads * 4, dtype=np.int32)
    run(
        """
        #include <cuda/std/span>
        namespace cs = cuda::std;
        __device__ int sum(cs::span<const int> s) { int r = 0; for (int x : s) r += x; return r; }
        __global__ void k(int* data) {
          const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          cs::span<int> mine(data + 4 * t, 4);
          const int all = sum(mine), middle = sum(mine.subspan(1, 2)), first = sum(mine.first(1));
          mine[0] = all; mine[1] = middle; mine.back() = first + int(mine.size());
        }
        """,
        data,
        options=["-std=c++20"],
    )
    rows = np.arange(run.threads * 4).reshape(-1, 4)
    wanted = rows.copy()
    wanted[:, 0], wanted[:, 1], wanted[:, 3] = rows.sum(1), rows[:, 1] + rows[:, 2], rows[:, 0] + 4
    run.same(data.reshape(-1, 4), wanted)


@case
def numeric(run):
    """accumulate, reduce, inner_product, transform_reduce, iota, scans, gcd, lcm, midpoint."""
    out = np.zeros((run.threads, 8), np.int32)
    run(
        kernel(
            "numeric",
            """
            int a[6], b[6]; int* o = out + 8 * t;
            cs::iota(a, a + 6, t);
            o[0] = cs::accumulate(a, a + 6, 100); o[1] = cs::reduce(a, a + 6); o[2] = cs::inner_product(a, a + 6, a, 0);
            cs::inclusive_scan(a, a + 6, b); o[3] = b[5] - b[1];
            cs::exclusive_scan(a, a + 6, b, 7); o[4] = b[2];
            o[5] = cs::gcd(t + 6, 12) + cs::lcm(4, 6); o[6] = cs::midpoint(t, t + 9);
            cs::adjacent_difference(a, a + 6, b); o[7] = b[0] + 10 * b[3];
            """,
        ),
        out,
        options=["-std=c++20"],
    )
    t = np.arange(run.threads)
    wanted = [
        6 * t + 115,
        6 * t + 15,
        6 * t * t + 30 * t + 55,
        4 * t + 14,
        2 * t + 8,
        np.gcd(t + 6, 12) + 12,
        t + 4,
        t + 10,
    ]
    run.same(out, np.stack(wanted, 1))


@case(cpu_only=True, reason="CCCL has no <cuda/std/algorithm> of its own")
def algorithm(run):
    """min, max, clamp and algorithms over ranges of a thread's own."""
    out = np.zeros((run.threads, 6), np.int32)
    run(
        kernel(
            "algorithm",
            """
            int* o = out + 6 * t; int a[5] = {3, t, 1, 4, 2};
            o[0] = cs::min(t, 10) + 100 * cs::max(t, 5); o[1] = cs::clamp(t, 3, 7);
            cs::swap(a[0], a[4]);
            o[2] = a[0] * 10 + a[4];
            o[3] = cs::max(a[1], cs::min(a[2], a[3]));
            int b[5];
            cs::fill(b, b + 5, 0); cs::copy(a, a + 5, b); o[4] = cs::equal(a, a + 5, b);
            o[5] = int(cs::lower_bound(sorted, sorted + 8, t) - sorted);
            """,
            "int* out, const int* sorted",
        ),
        out, np.array([1, 2, 4, 8, 16, 32, 64, 128], np.int32),
    )  # fmt: skip
    t = np.arange(run.threads)
    wanted = [np.minimum(t, 10) + 100 * np.maximum(t, 5), np.clip(t, 3, 7), 0 * t + 23, np.maximum(t, 1), 0 * t + 1,
              np.searchsorted([1, 2, 4, 8, 16, 32, 64, 128], t)]  # fmt: skip
    run.same(out, np.stack(wanted, 1))


@case
def ratio_and_chrono(run):
    """Fractions at compile time; durations add, compare and convert; the clock does not go back."""
    out = np.zeros((run.threads, 5), np.int64)
    run(
        "#include <cuda/std/ratio>\n"
        + kernel(
            "chrono",
            """
            using namespace cs::chrono;
            long long* o = out + 5 * t;
            using third = cs::ratio_add<cs::ratio<1, 6>, cs::ratio<1, 6>>;
            o[0] = 10 * third::num + third::den;
            milliseconds m = seconds(t) + milliseconds(250);
            o[1] = m.count(); o[2] = duration_cast<seconds>(m * 3).count(); o[3] = m < seconds(t + 1);
            auto before = system_clock::now(), after = system_clock::now();
            o[4] = after >= before;
            """,
            "long long* out",
        ),
        out,
    )
    t = np.arange(run.threads)
    run.same(out, np.stack([0 * t + 13, 1000 * t + 250, (3000 * t + 750) // 1000, 0 * t + 1, 0 * t + 1], 1))


@case
def cassert_(run):
    """assert of <cassert> passes when it holds, and is nothing under NDEBUG."""
    out = np.zeros(run.threads, np.int32)
    for options in ([], ["-DNDEBUG"]):
        run(
            "#include <cuda/std/cassert>\n__global__ void k(int* out) { THREAD assert(t >= 0); out[t] = t; }".replace(
                "THREAD", THREAD
            ),
            out,
            options=options,
        )
        run.same(out, np.arange(run.threads))
