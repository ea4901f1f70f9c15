"""Memory: cache hints, vectors, alignment, aliasing, constants, private arrays, unions, structs by value."""

import numpy as np
from harness import case, kernel

HINTED = {
    "char": np.int8,
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "short": np.int16,
    "unsigned short": np.uint16,
    "int": np.int32,
    "unsigned int": np.uint32,
    "long": np.int64,
    "unsigned long": np.uint64,
    "long long": np.int64,
    "unsigned long long": np.uint64,
    "float": np.float32,
    "double": np.float64,
    "char2": (np.int8, 2),
    "char4": (np.int8, 4),
    "uchar2": (np.uint8, 2),
    "uchar4": (np.uint8, 4),
    "short2": (np.int16, 2),
    "short4": (np.int16, 4),
    "ushort2": (np.uint16, 2),
    "ushort4": (np.uint16, 4),
    "int2": (np.int32, 2),
    "int4": (np.int32, 4),
    "uint2": (np.uint32, 2),
    "uint4": (np.uint32, 4),
    "longlong2": (np.int64, 2),
    "ulonglong2": (np.uint64, 2),
    "float2": (np.float32, 2),
    "float4": (np.float32, 4),
    "double2": (np.float64, 2),
}


def random_bytes(*shape, seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape).astype(np.uint8)


@case(each=list(HINTED))
def cached_loads_and_stores(run, name):
    """__ldg, __ldca, __ldcg, __ldcs, __ldlu, __ldcv, __stwb, __stcg, __stcs and __stwt of this type."""
    values = random_bytes(run.threads, 6, np.dtype(HINTED[name]).itemsize)
    out = np.zeros_like(values)
    loads = ["__ldg(v)", "__ldca(v + 1)", "__ldcg(v + 2)", "__ldcs(v + 3)", "__ldlu(v + 4)", "__ldcv(v + 5)"]
    stores = ["__stwb", "__stcg", "__stcs", "__stwt", "__stwb", "__stcg"]
    run(
        kernel(
            "void* out, const void* values",
            "T* o = (T*)out + 6 * t; const T* v = (const T*)values + 6 * t;"
            + "".join(f"{store}(o + {i}, {load});" for i, (load, store) in enumerate(zip(loads, stores, strict=True))),
            f"typedef {name} T;",
        ),
        out,
        values,
    )
    run.same(out, values)


ELEMENTS = {
    "char": ("signed char", np.int8),
    "uchar": ("unsigned char", np.uint8),
    "short": ("short", np.int16),
    "ushort": ("unsigned short", np.uint16),
    "int": ("int", np.int32),
    "uint": ("unsigned int", np.uint32),
    "long": ("long", np.int64),
    "ulong": ("unsigned long", np.uint64),
    "longlong": ("long long", np.int64),
    "ulonglong": ("unsigned long long", np.uint64),
    "float": ("float", np.float32),
    "double": ("double", np.float64),
}


@case(each=list(ELEMENTS))
def vector_types(run, name):
    """The vector types of this element: sizes, alignments, members, make_ functions, copies."""
    element, dtype = ELEMENTS[name][0], np.dtype(ELEMENTS[name][1])
    out, layout = np.zeros((run.threads, 10), dtype), np.zeros(8, np.int32)
    run(
        kernel(
            "E* out, int* layout",
            f"""
            {name}1 a = make_{name}1((E)(t + 1)); {name}2 b = make_{name}2(a.x, (E)(t * 2)); {name}3 c = {{b.y, b.x, (E)(t * 3)}};
            {name}4 d = make_{name}4(c.z, c.y, c.x, a.x);
            {name}4 e = d; e.w = (E)(e.w + 1); b.x = e.z; c = make_{name}3(e.x, e.y, b.x);
            E* o = out + 10 * t;
            o[0] = a.x; o[1] = b.x; o[2] = b.y; o[3] = c.x; o[4] = c.y; o[5] = c.z; o[6] = e.x; o[7] = e.y; o[8] = e.z; o[9] = e.w;
            if (t == 0) {{
              layout[0] = sizeof(a); layout[1] = sizeof(b); layout[2] = sizeof(c); layout[3] = sizeof(d);
              layout[4] = alignof({name}1); layout[5] = alignof({name}2); layout[6] = alignof({name}3); layout[7] = alignof({name}4);
            }}
            """,
            f"typedef {element} E;",
        ),
        out,
        layout,
    )
    t, size = np.arange(run.threads), dtype.itemsize
    a, b, c = t + 1, t * 2, t * 3
    run.same(out, np.stack([a, b, b, c, a, b, c, a, b, a + 1], 1).astype(dtype))
    run.same(layout, [size, 2 * size, 3 * size, 4 * size, size, 2 * size, size, min(16, 4 * size)])


@case
def unaligned_structs(run):
    """Packed structs: members at odd addresses are read and written whole."""
    values = random_bytes(run.threads, 19, seed=1)
    out = np.zeros_like(values)
    run(
        kernel(
            "unsigned char* out, const unsigned char* in",
            """
            const Packed* p = (const Packed*)(in + 19 * t);
            Packed* q = (Packed*)(out + 19 * t);
            q->d = p->d; q->i = p->i; q->c = p->c; q->s = p->s; q->f = p->f;
            """,
            "struct __attribute__((packed)) Packed { char c; double d; short s; int i; float f; };",
        ),
        out,
        values,
    )
    run.same(out, values)


@case
def memcpy_of_unaligned(run):
    """memcpy between odd addresses, of constant and of varying length, of every size up to 40."""
    values = random_bytes(64 + 41, seed=2)
    out = np.zeros((run.threads, 64), np.uint8)
    run(
        kernel(
            "unsigned char* out, const unsigned char* in",
            """
            unsigned char* o = out + 64 * t;
            double d; int i;
            memcpy(&d, in + 1 + t % 7, 8); memcpy(&i, in + t % 5, 4);
            memcpy(o + 1, &d, 8); memcpy(o + 11, &i, 4);
            memcpy(o + 17, in + t % 64, t % 41);
            """,
        ),
        out,
        values,
    )

    def expected(t):
        row = np.zeros(64, np.uint8)
        row[1:9] = values[1 + t % 7 : 9 + t % 7]
        row[11:15] = values[t % 5 : 4 + t % 5]
        row[17 : 17 + t % 41] = values[t % 64 : t % 64 + t % 41]
        return row

    run.same(out, run.of(expected))


@case
def memset_in_kernels(run):
    """memset of global, shared and private memory; only the low byte of the value counts."""
    out = np.full((run.threads, 24), 9, np.uint8)
    run(
        kernel(
            "unsigned char* out",
            """
            __shared__ unsigned char s[1024 * 8];
            unsigned char mine[8];
            memset(s + 8 * t, t, 8);
            memset(mine, 0x1200 + t % 5, t % 8);
            memset(mine + t % 8, 77, 8 - t % 8);
            __syncthreads();
            memset(out + 24 * t, -1, t % 9);
            memcpy(out + 24 * t + 8, s + 8 * ((t + 1) % n), 8);
            memcpy(out + 24 * t + 16, mine, 8);
            """,
        ),
        out,
    )

    def expected(t):
        first = [255] * (t % 9) + [9] * (8 - t % 9) if t % 9 < 9 else []
        return [*first[:8], *[(t + 1) % run.threads % 256] * 8, *[t % 5] * (t % 8), *[77] * (8 - t % 8)]

    run.same(out, run.of(expected))


@case(cpu_only=True, reason="NVRTC has no memmove")
def memmove_that_overlaps(run):
    """memmove up and down over itself, by a distance that differs between threads."""
    out = np.tile(np.arange(40, dtype=np.uint8), (run.threads, 1))
    run(
        kernel(
            "unsigned char* out",
            "unsigned char* o = out + 40 * t; const int d = t % 9; memmove(o + d, o, 30 - d); memmove(o + 2, o + 2 + d, 20);",
        ),
        out,
    )

    def expected(t):
        row, d = list(range(40)), t % 9
        row[d:30] = row[: 30 - d]
        row[2:22] = row[2 + d : 22 + d]
        return row

    run.same(out, run.of(expected))


@case
def aliasing_arguments(run):
    """Two arguments over the same memory: every thread sees what others wrote before the barrier."""
    values = np.arange(run.threads, dtype=np.int32) * 3
    memory = run.on_device(values)
    run(
        """
        __global__ void k(int* a, const int* b, int* __restrict__ unused) {
          const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          const int n = blockDim.x * blockDim.y * blockDim.z;
          for (int i = 0; i < 3; ++i) {
            const int next = b[(t + 1) % n];
            __syncthreads();
            a[t] = next + 1;
            __syncthreads();
          }
          if (b[t] != a[t]) a[t] = -1;
        }
        """,
        memory,
        memory,
        memory[:0],
    )
    run.same(run.contents(memory), np.roll(values, -3) + 3)


@case
def memory_read_as_another_type(run):
    """Global memory as float, int, bytes and long long in turn: each sees the other's bits."""
    values = (np.arange(run.threads * 2) * 1.25 - 9).astype(np.float32)
    out = values.copy()
    run(
        kernel(
            "float* memory",
            """
            unsigned* u = (unsigned*)memory + 2 * t;
            u[0] ^= 0x80000000u;
            __threadfence_block();
            memory[2 * t + 1] += memory[2 * t];
            unsigned char* bytes = (unsigned char*)(memory + 2 * t);
            bytes[3] ^= 0x80;
            long long* l = (long long*)(memory + 2 * t);
            *l = (long long)((unsigned long long)*l << 32 | (unsigned long long)*l >> 32);
            """,
        ),
        out,
    )
    a, b = values[::2], values[1::2]
    run.same(out, np.stack([b - a, a], 1).reshape(-1))


@case
def constant_memory(run):
    """Constants: scalars, tables read at an index of each thread, structs, strings, tables of tables."""
    out = np.zeros((run.threads, 4), np.float32)
    run(
        kernel(
            "float* out",
            """
            out[4 * t] = table[t % 5][t % 3]; out[4 * t + 1] = pairs[t % 2].b + pairs[1 - t % 2].a;
            out[4 * t + 2] = text[t % 6]; out[4 * t + 3] = scale * *at;
            """,
            """
            struct Pair { char a; double b; };
            __constant__ float table[5][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}, {13}};
            __constant__ Pair pairs[2] = {{1, 2.5}, {3, 4.5}};
            __constant__ char text[] = "lanza";
            __constant__ float scale = 1.5f;
            __device__ const float four = 4;
            __constant__ const float* at = &four;
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    table = np.append(np.arange(13) + 1, [0, 0]).reshape(5, 3)
    columns = [
        table[t % 5, t % 3],
        np.where(t % 2, 5.5, 5.5),
        np.frombuffer(b"lanza\0", np.int8)[t % 6],
        np.full(run.threads, 6.0),
    ]
    run.same(out, np.stack(columns, 1))


@case
def constant_memory_set_by_the_host(run):
    """A constant that the host writes between launches."""
    source = kernel(
        "int* out", "out[t] = table[t % 4] + factor;", "__constant__ int table[4]; __constant__ int factor;"
    )
    out = np.zeros(run.threads, np.int32)
    run(source, out)
    for add in (5, 70):
        table = (np.arange(4) * add).astype(np.int32)
        run.set(source, "table", table)
        run.set(source, "factor", np.array([add], np.int32))
        run(source, out)
        run.same(out, table[np.arange(run.threads) % 4] + add)
    run.set(source, "factor", np.zeros(1, np.int32))


@case
def device_variables(run):
    """Device variables: initialised, changed by one kernel and read by the next, pointers to each other."""
    source = """
    struct Node { int value; Node* next; };
    __device__ Node c = {30, nullptr}, b = {20, &c}, a = {10, &b};
    __device__ int total = 7, *pointer = &total, grown[1024];
    __device__ float half_ = 0.5f;
    __global__ void write(int n) {
      const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      grown[t] = t * n;
      if (t == 0) *pointer += 5;
    }
    __global__ void read(int* out) {
      const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      int sum = 0;
      for (const Node* node = &a; node; node = node->next) sum = sum * 2 + node->value;
      out[t] = grown[t] + total + sum + (int)(half_ * 8);
    }
    """
    out = np.zeros(run.threads, np.int32)
    run(source, 3, kernel="write", fresh=True)
    run(source, 4, kernel="write")
    run(source, out, kernel="read")
    run.same(out, np.arange(run.threads) * 4 + 17 + (10 * 2 + 20) * 2 + 30 + 4)


@case
def tables_at_known_indices(run):
    """Constant tables and strings read at an index that depends on the thread's number alone."""
    text, numbers = np.zeros(run.threads, np.int32), np.zeros(run.threads, np.float32)
    run(
        kernel(
            "int* text, float* numbers",
            """
            const char* letters = "hello world";
            const float table[] = {1, 2.5f, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
            text[t] = letters[t % 11];
            numbers[t] = table[t * 5 % 13];
            """,
        ),
        text,
        numbers,
    )
    t = np.arange(run.threads)
    run.same(text, np.frombuffer(b"hello world", np.int8)[t % 11])
    run.same(numbers, np.array([1, 2.5, *range(3, 14)], np.float32)[t * 5 % 13])


@case
def private_array_with_variable_index(run):
    """Arrays of a thread, indexed by data: histograms, permutations, of two dimensions, of structs."""
    out = np.zeros((run.threads, 3), np.int32)
    run(
        kernel(
            "int* out",
            """
            int counts[16] = {}, order[8], grid[3][5]; Item items[4];
            for (int i = 0; i < 50; ++i) ++counts[(i * t + i) % 16];
            for (int i = 0; i < 8; ++i) order[(i * 3 + t) & 7] = i;
            for (int i = 0; i < 15; ++i) grid[(i + t) % 3][(i + t) % 5] = i;
            for (int i = 0; i < 4; ++i) { items[(i + t) % 4].a = i; items[(i + t) % 4].b[t & 1] = i * 10; items[(i + t) % 4].b[~t & 1] = 1; }
            out[3 * t] = counts[t % 16] * 100 + counts[(t + 5) % 16];
            out[3 * t + 1] = order[t % 8] * 100 + grid[t % 3][t * 7 % 5];
            out[3 * t + 2] = items[1].a * 1000 + items[t * t % 4].b[0] * 10 + items[3].b[1];
            """,
            "struct Item { int a; short b[2]; };",
        ),
        out,
    )

    def expected(t):
        counts, order, grid = [0] * 16, [0] * 8, [[0] * 5 for _ in range(3)]
        for i in range(50):
            counts[(i * t + i) % 16] += 1
        for i in range(8):
            order[(i * 3 + t) & 7] = i
        for i in range(15):
            grid[(i + t) % 3][(i + t) % 5] = i
        a, b = [0] * 4, [[0, 0] for _ in range(4)]
        for i in range(4):
            a[(i + t) % 4] = i
            b[(i + t) % 4][t & 1] = i * 10
            b[(i + t) % 4][~t & 1] = 1
        return (
            counts[t % 16] * 100 + counts[(t + 5) % 16],
            order[t % 8] * 100 + grid[t % 3][t * 7 % 5],
            a[1] * 1000 + b[t * t % 4][0] * 10 + b[3][1],
        )

    run.same(out, run.of(expected))


@case
def private_memory_by_pointer(run):
    """Pointers to a thread's own variables given to functions, kept in structs, moved through arrays."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            int values[6]; int* at[3] = {values + 1, values + 4, values};
            for (int i = 0; i < 6; ++i) values[i] = t + i;
            Cursor c = {values, values + 6};
            swap_(at[t % 3], at[(t + 1) % 3]);
            int sum = 0;
            while (c.at != c.end) sum = sum * 3 + next(&c);
            out[t] = sum;
            """,
            """
            struct Cursor { int *at, *end; };
            __device__ __noinline__ int next(Cursor* c) { return *c->at++; }
            __device__ __noinline__ void swap_(int* a, int* b) { int x = *a; *a = *b; *b = x; }
            """,
        ),
        out,
    )

    def expected(t):
        values, at = [t + i for i in range(6)], [1, 4, 0]
        a, b = at[t % 3], at[(t + 1) % 3]
        values[a], values[b] = values[b], values[a]
        total = 0
        for v in values:
            total = total * 3 + v
        return total

    run.same(out, run.of(expected))


@case
def large_private_array(run):
    """Four kilobytes of private memory a thread."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            int a[1000];
            for (int i = 0; i < 1000; ++i) a[(i * 7) % 1000] = i + t;
            __syncthreads();
            out[t] = a[t % 1000] + a[(t * 13) % 1000];
            """,
        ),
        out,
    )
    inverse = np.zeros(1000, int)
    inverse[np.arange(1000) * 7 % 1000] = np.arange(1000)
    t = np.arange(run.threads)
    run.same(out, inverse[t % 1000] + inverse[t * 13 % 1000] + 2 * t)


@case
def masks_of_any_byte(run):
    """A bool that the host wrote is true unless its byte is 0."""
    masks = np.array([0, 1, 2, 7, 128, 255], np.uint8)[np.arange(run.threads) % 6]
    out = np.zeros((run.threads, 3), np.int32)
    run(
        kernel(
            "int* out, const bool* masks",
            """
            out[3 * t] = masks[t] ? 3 : 5;
            if (!masks[t]) out[3 * t + 1] = 7;
            out[3 * t + 2] = masks[t] && out[3 * t] == 3 ? t : -t;
            """,
        ),
        out,
        masks.view(bool),
    )
    t = np.arange(run.threads)
    run.same(out, np.stack([np.where(masks, 3, 5), np.where(masks, 0, 7), np.where(masks, t, -t)], axis=1))
