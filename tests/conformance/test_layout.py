"""Layout of data: structs by value, unions, bit-fields; pointers between address spaces; shared memory."""

import numpy as np
from harness import case, kernel


@case
def struct_by_value_that_the_kernel_changes(run):
    """Each thread has its own copy of a parameter; what it writes there no other sees, before and after a barrier."""
    layout = np.dtype([("counts", np.int32, 4), ("scale", np.float64), ("tag", np.int8)], align=True)
    parameter = np.zeros((), layout)
    parameter["counts"], parameter["scale"], parameter["tag"] = (1, 2, 3, 4), 0.5, 9
    out = np.zeros((run.threads, 3), np.float64)
    run(
        kernel(
            "double* out, Parameter p",
            """
            p.counts[t % 4] += t;
            p.scale *= t;
            int* c = p.counts + (t + 1) % 4;
            *c -= 7;
            __syncthreads();
            p.tag += change(p);
            out[3 * t] = p.counts[0] + 10 * p.counts[1] + 100 * p.counts[2] + 1000 * p.counts[3];
            out[3 * t + 1] = p.scale; out[3 * t + 2] = p.tag;
            """,
            """
            struct Parameter { int counts[4]; double scale; char tag; };
            __device__ __noinline__ int change(Parameter p) { p.counts[0] = 5; p.tag = 77; return p.counts[0]; }
            """,
        ),
        out,
        parameter,
    )

    def expected(t):
        counts = [1, 2, 3, 4]
        counts[t % 4] += t
        counts[(t + 1) % 4] -= 7
        return counts[0] + 10 * counts[1] + 100 * counts[2] + 1000 * counts[3], 0.5 * t, 14

    run.same(out, run.of(expected))


@case
def parameters_of_many_types(run):
    """Parameters of all sizes in one list: each at its own alignment, structs of odd sizes between them."""
    three = np.array((1, 2, 3), np.dtype([("a", "i1"), ("b", "i1"), ("c", "i1")]))
    odd = np.array((4, 5.5, 6), np.dtype([("a", "i1"), ("b", "f8"), ("c", "i2")], align=True))
    out = np.zeros((run.threads, 11), np.float64)
    run(
        kernel(
            "double* out, char c, double d, Three three, short s, float4 v, bool b, Odd odd, long long l, unsigned char u, float f",
            """
            double* o = out + 11 * t;
            o[0] = c + t; o[1] = d; o[2] = three.a + three.b * 10 + three.c * 100; o[3] = s; o[4] = v.x + v.y * 10 + v.z * 100 + v.w * 1000;
            o[5] = b; o[6] = odd.a + odd.b + odd.c * 100; o[7] = l; o[8] = u; o[9] = f; o[10] = sizeof(Three) + sizeof(Odd) * 100;
            """,
            "struct Three { char a, b, c; }; struct Odd { char a; double b; short c; };",
        ),
        out,
        -3,
        2.5,
        three,
        -300,
        np.array((1, 2, 3, 4), np.dtype([(n, "f4") for n in "xyzw"])),
        True,
        odd,
        -(1 << 40),
        200,
        0.1,
    )
    row = [0, 2.5, 321, -300, 4321, 1, 609.5, -(1 << 40), 200, float(np.float32(0.1)), 2403]
    expected = np.tile(np.array(row, np.float64), (run.threads, 1))
    expected[:, 0] = np.arange(run.threads) - 3
    run.same(out, expected)


@case
def struct_returned_and_copied(run):
    """Structs with arrays returned from functions, copied whole, compared member by member, kept in shared memory."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ Matrix s[64];
            Matrix m = power(make(t), 3);
            if (t < 64) s[t] = m;
            __syncthreads();
            const Matrix other = s[(t + 1) % (n < 64 ? n : 64)];
            out[t] = m.at[0][0] + 3 * other.at[0][1] + 5 * other.at[1][0] + 7 * m.at[1][1];
            """,
            """
            struct Matrix { int at[2][2]; };
            __device__ Matrix make(int t) { return {{{1, t % 7}, {t % 3, 1}}}; }
            __device__ Matrix operator*(const Matrix& a, const Matrix& b) {
              Matrix c = {};
              for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) for (int k = 0; k < 2; ++k) c.at[i][j] += a.at[i][k] * b.at[k][j];
              return c;
            }
            __device__ __noinline__ Matrix power(Matrix m, int n) { Matrix r = m; while (--n) r = r * m; return r; }
            """,
        ),
        out,
    )

    def power(t):
        return np.linalg.matrix_power(np.array([[1, t % 7], [t % 3, 1]]), 3)

    def expected(t):
        m, other = power(t), power((t + 1) % min(run.threads, 64))
        return m[0, 0] + 3 * other[0, 1] + 5 * other[1, 0] + 7 * m[1, 1]

    run.same(out, run.of(expected))


@case
def unions(run):
    """Members of a union share bytes: words and bytes, structs of different layout, in private, shared and global memory."""
    values = (np.arange(run.threads) * 0x01030507 + 0x80FF).astype(np.uint32)
    out = np.zeros((run.threads, 4), np.uint32)
    run(
        kernel(
            "unsigned* out, const unsigned* in",
            """
            __shared__ Word s[1024];
            Word w; w.word = in[t];
            const unsigned char first = w.bytes[0];
            w.bytes[0] = w.bytes[3]; w.bytes[3] = first;
            s[t] = w;
            __syncthreads();
            out[4 * t] = w.word; out[4 * t + 1] = s[(t + 1) % n].halves.high;
            union { double d; struct { unsigned low, high; }; } u; u.d = t + 1;
            out[4 * t + 2] = u.high;
            ((Word*)out)[4 * t + 3].halves.low = w.halves.high; ((Word*)out)[4 * t + 3].bytes[2] = t; ((Word*)out)[4 * t + 3].bytes[3] = 1;
            """,
            "union Word { unsigned word; unsigned char bytes[4]; struct { unsigned short low, high; } halves; };",
        ),
        out,
        values,
    )
    b = values.view(np.uint8).reshape(-1, 4)
    word = np.ascontiguousarray(b[:, [3, 1, 2, 0]]).view(np.uint32)[:, 0]
    t = np.arange(run.threads)
    columns = [
        word,
        np.roll(word, -1) >> 16,
        (t + 1.0).view(np.uint64) >> np.uint64(32),
        (word >> 16) + ((t & 255) << 16) + (1 << 24),
    ]
    run.same(out, np.stack([c.astype(np.uint32) for c in columns], 1))


@case
def bit_fields(run):
    """Bit-fields: signed ones extend, unsigned ones wrap, neighbours stay, over the ends of words too."""
    out = np.zeros((run.threads, 6), np.int64)
    run(
        kernel(
            "long long* out",
            """
            Fields f = {}; long long* o = out + 6 * t;
            f.a = t; f.b = t * 5; f.c = -t; f.d = 0xabcdef0123ull * t; f.e = t & 1;
            f.a += 3; f.c >>= 1; f.d ^= 0x55; f.b--;
            o[0] = f.a; o[1] = f.b; o[2] = f.c; o[3] = f.d; o[4] = f.e; o[5] = sizeof(Fields);
            """,
            "struct Fields { int a : 5; unsigned b : 7; int c : 20; unsigned long long d : 41; bool e : 1; };",
        ),
        out,
    )

    def signed(value, width):
        value &= (1 << width) - 1
        return value - (1 << width) if value >> (width - 1) else value

    def expected(t):
        d = (0xABCDEF0123 * t & (1 << 41) - 1) ^ 0x55
        return signed(signed(t, 5) + 3, 5), (t * 5 - 1) & 127, signed(signed(-t, 20) >> 1, 20), d, t & 1, 16

    run.same(out, run.of(expected))


@case
def bit_fields_in_shared_memory(run):
    """Bit-fields of words that each thread owns, read by its neighbour."""
    out = np.zeros((run.threads, 2), np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ struct { unsigned low : 12; int high : 20; } s[1024];
            s[t].high = t - 512; s[t].low = t * 3;
            __syncthreads();
            out[2 * t] = s[(t + 1) % n].low; out[2 * t + 1] = s[(t + 1) % n].high;
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    run.same(out, np.roll(np.stack([t * 3 & 4095, t - 512], 1), -1, 0))


@case
def generic_and_shared_pointers(run):
    """Pointers that point to shared, global, private or constant memory as data decide, read and written by functions."""
    out, memory = np.zeros(run.threads, np.int32), np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out, int* memory",
            """
            __shared__ int s[1024];
            int mine = -1;
            int* at[3] = {&s[t], &memory[t], &mine};
            put(at[t % 3], t * 2);
            put(at[(t + 1) % 3], t * 5);
            __syncthreads();
            const int* from = t % 4 == 3 ? fixed + t % 2 : t % 4 == 2 ? &mine : t % 4 == 1 ? &s[(t + 1) % n] : &memory[(t + 1) % n];
            out[t] = get(from);
            """,
            """
            __constant__ int fixed[2] = {111, 222};
            __device__ __noinline__ void put(int* p, int v) { *p = v; }
            __device__ __noinline__ int get(const int* p) { return *p; }
            """,
        ),
        out,
        memory,
    )

    def held(t):
        values = [None, 0, -1]
        values[t % 3] = t * 2
        values[(t + 1) % 3] = t * 5
        return values

    # A thread leaves shared memory unwritten when t % 3 == 1.
    known = run.of(lambda t: t % 4 != 1 or held((t + 1) % run.threads)[0] is not None)

    def expected(t):
        if t % 4 == 3:
            return (111, 222)[t % 2]
        if t % 4 == 2:
            return held(t)[2]
        return held((t + 1) % run.threads)[t % 4 == 0] or 0

    run.same(out[known], run.of(expected)[known])


@case
def address_spaces(run):
    """__isShared, __isGlobal and __isLocal, and shared addresses as integers and back."""
    out = np.zeros((run.threads, 3), np.uint32)
    run(
        kernel(
            "unsigned* out",
            """
            __shared__ unsigned s[1024];
            unsigned mine = t;
            const void* at[4] = {&s[t], out + t, &mine, &variable};
            unsigned bits = 0;
            for (int i = 0; i < 4; ++i) {
              const void* p = at[(i + t) % 4];
              const unsigned kind = (__isShared(p) != 0) | (__isGlobal(p) != 0) << 1 | (__isLocal(p) != 0) << 2;
              bits |= kind << 4 * ((i + t) % 4);
            }
            const size_t base = __cvta_generic_to_shared(s), own = __cvta_generic_to_shared(&s[t]);
            *(unsigned*)__cvta_shared_to_generic(own) = t + 5;
            __syncthreads();
            out[3 * t] = bits; out[3 * t + 1] = own - base; out[3 * t + 2] = s[(t + 1) % n];
            """,
            "__device__ int variable = 1;",
        ),
        out,
    )
    t = np.arange(run.threads)
    run.same(out, np.stack([np.full(run.threads, 0x2421), 4 * t, (t + 1) % run.threads + 5], 1))


@case
def constant_addresses(run):
    """__isConstant and __isGridConstant of what is neither, and global addresses as integers and back."""
    out = np.zeros((run.threads, 2), np.uint32)
    run(
        kernel(
            "unsigned* out",
            """
            __shared__ unsigned s;
            unsigned mine = t;
            const bool constant = __isConstant(out) | __isConstant(&s) | __isConstant(&mine);
            const bool parameter = __isGridConstant(out) | __isGridConstant(&s) | __isGridConstant(&mine);
            out[2 * t] = constant | parameter << 1;
            *(unsigned*)__cvta_global_to_generic(__cvta_generic_to_global(&out[2 * t + 1])) = t;
            """,
        ),
        out,
    )
    run.same(out, np.stack([np.zeros(run.threads), np.arange(run.threads)], 1))


@case
def shared_variables_are_not_initialised(run):
    """Of a class with a default value: its constructor does not run, a thread assigns it."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ Counter counters[2];
            if (t == 0) counters[0] = counters[1] = Counter();
            __syncthreads();
            atomicAdd(&counters[t % 2].value, 1);
            __syncthreads();
            out[t] = counters[t % 2].value;
            """,
            "struct Counter { int value = 7; };",
        ),
        out,
    )
    t = np.arange(run.threads)
    run.same(out, 7 + np.where(t % 2 == 0, (run.threads + 1) // 2, run.threads // 2))


@case
def shared_pointers_in_shared_memory(run):
    """A list of shared memory: each node holds the address of the next, in an order that data decide."""
    order = np.random.default_rng(run.threads).permutation(run.threads).astype(np.int32)
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out, const int* order",
            """
            __shared__ Node nodes[1024];
            __shared__ Node* first;
            nodes[order[t]].value = t;
            nodes[order[t]].next = t + 1 < n ? &nodes[order[t + 1]] : nullptr;
            if (t == 0) first = &nodes[order[0]];
            __syncthreads();
            int steps = 0;
            for (Node* p = first; p; p = p->next) { if (p->value == t) break; ++steps; }
            out[t] = steps;
            """,
            "struct Node { int value; Node* next; };",
        ),
        out,
        order,
    )
    run.same(out, np.arange(run.threads))


@case
def dynamic_shared_memory_of_several_types(run):
    """Dynamic shared memory cut into arrays of double, float, short and bytes."""
    out = np.zeros((run.threads, 4), np.float64)
    run(
        kernel(
            "double* out",
            """
            extern __shared__ double memory[];
            double* d = memory; float* f = (float*)(d + n); short* h = (short*)(f + n); unsigned char* b = (unsigned char*)(h + n);
            d[t] = t * 0.5; f[t] = t * 0.25f; h[t] = -t; b[t] = t * 3;
            __syncthreads();
            const int i = n - 1 - t;
            out[4 * t] = d[i]; out[4 * t + 1] = f[i]; out[4 * t + 2] = h[i]; out[4 * t + 3] = b[i];
            """,
        ),
        out,
        shared=run.threads * 15,
    )
    i = np.arange(run.threads)[::-1]
    run.same(out, np.stack([i * 0.5, i * 0.25, -i, i * 3 & 255], 1))


@case
def dynamic_shared_memory_by_two_names(run):
    """Two extern arrays of different types begin at the same address; one is read as the other across a barrier."""
    out = np.zeros(run.threads, np.uint32)
    run(
        kernel(
            "unsigned* out",
            """
            extern __shared__ float f[];
            extern __shared__ unsigned u[];
            f[t] = t + 0.5f;
            __syncthreads();
            const unsigned bits = u[(t + 1) % n];
            __syncthreads();
            u[t] = bits + 1;
            __syncthreads();
            out[t] = ((unsigned char*)f)[4 * t] + (__float_as_uint(f[t]) & ~255u);
            """,
        ),
        out,
        shared=run.threads * 4,
    )
    run.same(out, np.roll((np.arange(run.threads) + 0.5).astype(np.float32).view(np.uint32), -1) + 1)


@case
def shared_memory_reused_as_another_type(run):
    """Static shared memory written as int, read as float, then the other way round."""
    out = np.zeros(run.threads, np.float32)
    run(
        kernel(
            "float* out",
            """
            __shared__ int s[1024];
            float* f = (float*)s;
            s[t] = __float_as_int(t * 1.5f);
            __syncthreads();
            const float v = f[(t + 1) % n];
            __syncthreads();
            f[t] = v + 1;
            __syncthreads();
            out[t] = __int_as_float(s[(t + 1) % n]);
            """,
        ),
        out,
    )
    run.same(out, np.roll(np.arange(run.threads) * 1.5, -2) + 1)


@case
def shared_memory_of_functions(run):
    """Shared variables declared inside functions: one for all who call them, a different one a function and instance."""
    out = np.zeros((run.threads, 3), np.int32)
    run(
        kernel(
            "int* out",
            "out[3 * t] = mirror<0>(t, n, t); out[3 * t + 1] = mirror<1>(t, n, t * 2); out[3 * t + 2] = mirror<0>(t, n, -t);",
            """
            template <int Which> __device__ int mirror(int t, int n, int value) {
              __shared__ int s[1024];
              __syncthreads();
              s[t] = value + Which * 100;
              __syncthreads();
              return s[n - 1 - t];
            }
            """,
        ),
        out,
    )
    i = np.arange(run.threads)[::-1]
    run.same(out, np.stack([i, i * 2 + 100, -i], 1))


@case(blocks=[1, 32, 33, 100, 256, (4, 4, 4)])
def all_of_shared_memory(run):
    """Forty kilobytes of static shared memory, walked by all threads with a stride."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ int s[10240];
            for (int i = t; i < 10240; i += n) s[i] = i;
            __syncthreads();
            int sum = 0;
            for (int i = t; i < 10240; i += 1009) sum += s[10239 - i];
            out[t] = sum;
            """,
        ),
        out,
    )
    run.same(out, run.of(lambda t: sum(10239 - i for i in range(t, 10240, 1009))))
