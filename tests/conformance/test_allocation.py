"""Memory that kernels allocate: malloc, free, new, delete."""

import numpy as np
from harness import case, kernel


@case
def malloc_and_free(run):
    """Each thread allocates blocks of its own size, all apart from each other, aligned to 16 bytes."""
    out = np.zeros((run.threads, 2), np.int32)
    run(
        kernel(
            "int* out",
            """
            int* p = (int*)malloc((t % 50 + 1) * sizeof(int));
            int* q = (int*)malloc(8);
            if (!p || !q) return;
            for (int i = 0; i <= t % 50; ++i) p[i] = t + i;
            q[0] = q[1] = -t;
            __syncthreads();
            int sum = 0;
            for (int i = 0; i <= t % 50; ++i) sum += p[i];
            out[2 * t] = sum + q[0] + q[1];
            out[2 * t + 1] = ((size_t)p & 15) == 0;
            free(p);
            free(q);
            free(nullptr);
            """,
        ),
        out,
    )

    def expected(t):
        return sum(t + i for i in range(t % 50 + 1)) - 2 * t, 1

    run.same(out, run.of(expected))


@case
def malloc_kept_between_kernels(run):
    """Memory that one kernel allocates is used and freed by later ones."""
    source = """
    __device__ int* kept[1024];
    __global__ void make(int n) {
      const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      kept[t] = (int*)malloc(2 * sizeof(int)); kept[t][0] = t; kept[t][1] = n;
    }
    __global__ void use(int* out) {
      const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      const int n = blockDim.x * blockDim.y * blockDim.z;
      out[t] = kept[(t + 1) % n][0] * 10 + kept[t][1];
    }
    __global__ void drop() { free(kept[threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)]); }
    """
    out = np.zeros(run.threads, np.int32)
    run(source, 7, kernel="make")
    run(source, out, kernel="use")
    run(source, kernel="drop")
    run.same(out, (np.arange(run.threads) + 1) % run.threads * 10 + 7)


@case
def malloc_of_too_much(run):
    """malloc of more than there is gives a null pointer."""
    out = np.zeros(run.threads, np.int32)
    run(kernel("int* out", "void* p = malloc((size_t)1 << 50); out[t] = p == nullptr ? t : -1; free(p);"), out)
    run.same(out, np.arange(run.threads))


@case
def new_of_too_much(run):
    """new of more than there is gives a null pointer, which delete[] takes."""
    out = np.zeros(run.threads, np.int32)
    source = kernel("int* out, size_t size", "int* p = new int[size]; out[t] = p == nullptr ? t : -1; delete[] p;")
    run(source, out, 1 << 48)
    run.same(out, np.arange(run.threads))


@case
def new_and_delete(run):
    """new and delete of objects: constructors, destructors, arrays, a base class by virtual destructor."""
    out = np.zeros((run.threads, 4), np.int32)
    run(
        kernel(
            "int* out",
            """
            int* o = out + 4 * t;
            Shape* s = t & 1 ? (Shape*)new Square(t, o) : (Shape*)new Circle(t, o);
            o[0] = s->area();
            delete s;
            Counted* many = new Counted[t % 6 + 1];
            int sum = 0;
            for (int i = 0; i <= t % 6; ++i) { many[i].out = o + 2; sum += many[i].value; }
            delete[] many;
            int* p = new int(t); sum += *p; delete p;
            int* q = new int[3]{t, 1, 2}; o[3] = sum + q[0] + q[2]; delete[] q;
            """,
            """
            struct Shape { int* out; __device__ Shape(int* o) : out(o + 1) {} __device__ virtual int area() const = 0; __device__ virtual ~Shape() { *out += 1; } };
            struct Square : Shape { int a; __device__ Square(int a, int* o) : Shape(o), a(a) {} __device__ int area() const override { return a * a; } __device__ ~Square() { *out += 10; } };
            struct Circle : Shape { int r, more[4]; __device__ Circle(int r, int* o) : Shape(o), r(r) {} __device__ int area() const override { return 3 * r; } __device__ ~Circle() { *out += 100; } };
            struct Counted { int value = 5; int* out = nullptr; __device__ ~Counted() { *out += value; } };
            """,
        ),
        out,
    )

    def expected(t):
        return t * t if t & 1 else 3 * t, 11 if t & 1 else 101, 5 * (t % 6 + 1), 5 * (t % 6 + 1) + t + t + 2

    run.same(out, run.of(expected))


@case
def placement_new(run):
    """Objects constructed in shared and private memory, destroyed by hand."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ __align__(8) char memory[1024 * sizeof(Pair)];
            Pair* p = new (memory + t * sizeof(Pair)) Pair(t);
            __syncthreads();
            out[t] = ((Pair*)memory)[(t + 1) % n].b;
            __syncthreads();
            p->~Pair();
            out[t] += p->a;
            """,
            """
            struct Pair { int a, b; __device__ Pair(int t) : a(t), b(t * 2) {} __device__ ~Pair() { a = -1; } };
            """,
        ),
        out,
    )
    run.same(out, (np.arange(run.threads) + 1) % run.threads * 2 - 1)


@case
def lists_from_the_heap(run):
    """Every thread grows a list by new, turns it round and frees it."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            Node* head = nullptr;
            for (int i = 0; i < t % 20; ++i) head = new Node{i + t, head};
            Node* turned = nullptr;
            while (head) { Node* next = head->next; head->next = turned; turned = head; head = next; }
            int sum = 0;
            while (turned) { Node* next = turned->next; sum = sum * 2 + turned->value; delete turned; turned = next; }
            out[t] = sum;
            """,
            "struct Node { int value; Node* next; };",
        ),
        out,
    )

    def expected(t):
        total = 0
        for i in range(t % 20):
            total = total * 2 + i + t
        return total

    run.same(out, run.of(expected))


@case(cpu_only=True, reason="NVRTC declares no alloca")
def memory_of_the_stack(run):
    """alloca: as much as each thread asks for, kept over a barrier and until the function returns."""
    out = np.zeros((3, run.threads), np.int32)
    run(
        kernel(
            "int* out, int total",
            """
            for (int round = 0; round < 3; ++round) {
                const int size = 1 + (t + round) % 5;
                int* mine = (int*)alloca(size * sizeof(int));
                for (int i = 0; i < size; ++i) mine[i] = t + i;
                __syncthreads();
                out[round * total + t] = sum(mine, size) + previous(size, t);
            }
            """,
            """
            __device__ __noinline__ int sum(const int* of, int size) {
                int s = 0;
                for (int i = 0; i < size; ++i) s += of[i];
                return s;
            }
            __device__ int previous(int size, int t) {
                int* mine = (int*)alloca(size * 4);
                mine[size - 1] = -t;
                return mine[size - 1];
            }
            """,
        ),
        out,
        run.threads,
    )
    t, size = np.arange(run.threads), 1 + (np.arange(run.threads) + np.arange(3)[:, None]) % 5
    run.same(out, size * t + size * (size - 1) // 2 - t)
