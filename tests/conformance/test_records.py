"""Arrays of structures whose members go through the same operations, or through others."""

import numpy as np
from harness import case

F = np.float32

RECORDS = """
struct Particle { float x, y, z, vx, vy, vz, mass, charge; };

// Places move by velocities; one velocity changes first; some members stay.
__global__ void move(Particle* all, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle p = all[i];
  p.vy -= 9.75f * dt;
  p.x += p.vx * dt;
  p.y += p.vy * dt;
  p.z += p.vz * dt;
  all[i] = p;
}

// Members change places, and the last one decides.
__global__ void turn(const float4* in, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = in[i];
  out[i] = make_float4(v.y * v.w, -v.x * v.w, v.w > 0 ? v.z : v.x, 1.f);
}

// Sums go round a loop, each with a factor of its own.
__global__ void integrate(const float4* force, float4* place, float a, float b, float c, int steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = place[i];
  for (int k = 0; k < steps; k++) {
    float4 f = force[k * n + i];
    p.x += a * f.x;
    p.y += b * f.y;
    p.z += c * f.z;
    if (k & 1) p.w += f.w;
  }
  place[i] = p;
}

// The value of a lane for the whole of its record; integers of other widths.
__global__ void spread(const int* in, short4* out, int2* pairs, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i];
  out[i] = make_short4(v + 1, v * 3, v ^ 5, v);
  pairs[i] = make_int2(pairs[i].y + v, pairs[i].x + v);
}
"""


def eighths(rng, shape):
    """Values with which sums and products of few are exact."""
    return (rng.integers(-64, 65, shape) / 8).astype(F)


@case(blocks=[32, 64, 100, 256])
def records_as_they_lie(run):
    rng = np.random.default_rng(2)
    n = 2 * run.threads + 5
    grid = -(-n // run.threads)
    p = eighths(rng, (n, 8))
    want = p.copy()
    want[:, 4] -= F(9.75 * 0.5)
    want[:, :3] += want[:, 3:6] * F(0.5)
    run(RECORDS, p.view("V32"), 0.5, n, grid=grid, names=["move"])
    run.same(p, want, "move")

    v, out = eighths(rng, (n, 4)), np.zeros((n, 4), F)
    run(RECORDS, v.view("V16"), out.view("V16"), n, grid=grid, names=["turn"])
    x, y, z, w = v.T
    run.same(out, np.stack([y * w, -x * w, np.where(w > 0, z, x), np.ones(n, F)], 1), "turn")

    steps = 5
    force, place = eighths(rng, (steps, n, 4)), eighths(rng, (n, 4))
    want = place + (force * np.array([0.5, 2, -1, 0], F)).sum(0)
    want[:, 3] += force[1::2, :, 3].sum(0)
    run(RECORDS, force.view("V16"), place.view("V16"), 0.5, 2.0, -1.0, steps, n, grid=grid, names=["integrate"])
    run.same(place, want, "integrate")

    values = rng.integers(-1000, 1000, n).astype(np.int32)
    shorts, pairs = np.zeros((n, 4), np.int16), rng.integers(-99, 99, (n, 2)).astype(np.int32)
    want = pairs[:, ::-1] + values[:, None]
    run(RECORDS, values, shorts.view("V8"), pairs.view("V8"), n, grid=grid, names=["spread"])
    run.same(shorts, np.stack([values + 1, values * 3, values ^ 5, values], 1).astype(np.int16), "shorts")
    run.same(pairs, want, "pairs")


COPIES = """
template <int words, class T>
struct Record { T words_[words]; };

// Records that follow on each other, one for all, from anywhere; in shared memory the same.
template <int words, class T>
__global__ void copy(const Record<words, T>* in, const int* index, Record<words, T>* out, int n) {
  __shared__ Record<words, T> mine[1024];
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int i = blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t;
  if (i < n) {
    out[i] = in[i + 1];
    mine[t] = in[blockIdx.x];
    out[i + n] = mine[t];
    out[i + 2 * n] = in[index[i]];
  }
}
"""


@case
def copies_of_records(run):
    """Structures of 3 to 40 bytes, aligned to 1 to 8, are assigned."""
    n = 2 * run.threads + 5
    rng = np.random.default_rng(n)
    index = rng.integers(0, n, n).astype(np.int32)
    block = np.arange(n) // run.threads
    for spelled, dtype, words in (
        ("unsigned char", np.uint8, 3),
        ("short", np.int16, 3),
        ("float", F, 3),
        ("float", F, 4),
        ("int", np.int32, 5),
        ("double", np.float64, 4),
        ("char", np.int8, 40),
    ):
        records = rng.integers(0, 100, (n + 1, words)).astype(dtype)
        out = np.zeros((3 * n, words), dtype)
        view = f"V{records.itemsize * words}"
        name = f"copy<{words}, {spelled}>"
        run(COPIES, records.view(view), index, out.view(view), n, grid=-(-n // run.threads), names=[name])
        run.same(out, np.concatenate([records[1:], records[block], records[index]]), name)


MEMBERS = """
template <class T>
__global__ void k(const T* x, T* out, const int* wanted, int n) {
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  if (t >= n) return;
  if (wanted[t] & 1) {
    T a = x[STRIDE * t + FIRST], b = x[STRIDE * t + SECOND];
    if (wanted[t] & 2) { out[STRIDE * t + SECOND] = a + b; out[STRIDE * t] = a - b; }
  } else if (t > 0 && t < n - 1) {
    out[STRIDE * t + FIRST] = x[STRIDE * t - 1] + x[STRIDE * t + STRIDE];
  }
}
"""


@case
def members_of_some_records(run):
    """Members of the records of some threads, 2 to 8 elements apart, are read and written; what lies between stays."""
    n = run.threads - run.threads // 5
    rng = np.random.default_rng(n)
    for spelled, dtype in (("int", np.int32), ("double", np.float64), ("short", np.int16)):
        for stride, first, second in ((2, 0, 1), (3, 0, 2), (4, 1, 2), (8, 3, 7)):
            x = rng.integers(-99, 99, (n, stride)).astype(dtype)
            for wanted in (rng.integers(0, 4, n), np.full(n, 3), 3 * (np.arange(n) % 2), (np.arange(n) < n // 2) * 3):
                out, want, use = np.full((n, stride), 77, dtype), np.full((n, stride), 77, dtype), wanted & 1 == 1
                places = {"STRIDE": stride, "FIRST": first, "SECOND": second}
                source = MEMBERS
                for name, value in places.items():
                    source = source.replace(name, str(value))
                run(source, x, out, wanted.astype(np.int32), n, names=[f"k<{spelled}>"])
                a, b, both = x[:, first], x[:, second], wanted & 3 == 3
                want[both, second], want[both, 0] = (a + b)[both], (a - b)[both]
                beside = np.zeros(n, dtype)
                beside[1:-1] = x[:-2, -1] + x[2:, 0]
                inner = ~use & (np.arange(n) > 0) & (np.arange(n) < n - 1)
                want[inner, first] = beside[inner]
                run.same(out, want, f"{spelled}, {stride} apart")


@case
def records_written_while_they_are_read(run):
    """Members read behind stores to others, of arrays that are apart, the same, or a few members from each other."""
    for spelled, dtype in (("unsigned char", np.uint8), ("short", np.int16), ("float", np.float32)):
        for members, stride in ((3, 3), (3, 16), (4, 10), (6, 13)):
            source = f"""
              __global__ void k({spelled}* memory, int from, int to, int count) {{
                const {spelled}* x = memory + from;
                {spelled}* y = memory + to;
                int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
                if (t >= count) return;
                {spelled} last = 0;
                for (int k = 0; k < {members}; ++k) {{
                  last = x[{stride} * t + k] + ({spelled})(k + 1);
                  y[{stride} * t + k] = last;
                }}
                y[{stride} * t + {members - 1}] += last;
              }}
            """
            for shift in (-members, -2, -1, 0, 1, 2, members, None):
                if shift is not None and abs(shift) + members > stride and shift != 0:
                    continue  # threads would meet
                for count in (run.threads, run.threads - 1):
                    length = stride * run.threads + 32
                    x = np.arange(2 * length).astype(dtype)
                    begin, other = 16, length + 16 if shift is None else 16 + shift
                    expected = x.copy()
                    for k in range(members):
                        at = np.arange(count) * stride + k
                        expected[other + at] = expected[begin + at] + dtype(k + 1)
                    expected[other + at] += expected[other + at]
                    run(source, x, begin, other, count)
                    run.same(x, expected, f"{spelled}, {members} of {stride}, {shift} behind")


@case(blocks=[256, 64, 100])
def records_of_planes(run):
    """Planes that become members of records, read behind stores to others: arrays apart, or such that what a thread
    reads is what it has just written."""
    for spelled, dtype in (("unsigned char", np.uint8), ("short", np.int16), ("float", np.float32), ("double", float)):
        for members in (2, 3, 4):
            lines = "".join(f"y[{members} * i + {k}] = x[{k} * n + i] + ({spelled}){k};" for k in range(members))
            source = f"""
              __global__ void k({spelled}* memory, int from, int to, int n, int first, int end) {{
                const {spelled}* x = memory + from;
                {spelled}* y = memory + to;
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i >= first && i < end) {{ {lines} }}
              }}
            """
            many = 2 * run.threads - 3
            for n, first, end in ((many, 0, many), (many + 3, 0, many + 3), (5, 1, 2), (1, 0, 1), (40, 17, 18)):
                for shift in range(-members * 3, 2 * n + 3) if end == first + 1 else (None,):
                    length = members * n + 64
                    memory = (np.arange(2 * length + 8 * members * many) % 100).astype(dtype)
                    begin = members * 3
                    to = begin + length if shift is None else begin + shift
                    expected = memory.copy()
                    if shift is None:
                        for k in range(members):
                            i = np.arange(first, end)
                            expected[to + members * i + k] = expected[begin + k * n + i] + dtype(k)
                    else:
                        for k in range(members):
                            expected[to + members * first + k] = expected[begin + k * n + first] + dtype(k)
                    run(source, memory, begin, to, n, first, end, grid=2)
                    run.same(memory, expected, f"{spelled}, {members} of {n}, {shift} behind")


WHOLE = """
struct Mixed { double place; int count; short kind; char flag, rest; float weight[4]; };

// Most members go back as they came.
__global__ void whole(Mixed* all, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Mixed m = all[i];
  m.count += m.kind;
  m.weight[2] = m.weight[0] + m.weight[3];
  if (m.flag & 1) m.place += 0.5;
  all[i] = m;
}

// Under a condition of each thread's own.
__global__ void some(float4* all, const int* wanted, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || !(wanted[i] & 1)) return;
  float4 v = all[i];
  v.y += v.x;
  all[i] = v;
}

// Two rows of threads, each with members of its own of the same records.
__global__ void shared_out(float4* all, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int side = 0; side < 2; side++) {
    int j = side ? i : n - 1 - i;
    if (i < n && side) all[j].x += all[j].y;
    if (i < n && !side) all[j].z -= all[j].w;
  }
}

// A member changes between the copy and its return, by another thread.
__global__ void changed(float4* all) {
  int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
  float4 v = all[i];
  __syncthreads();
  all[first + blockDim.x - 1 - threadIdx.x].w = 99;
  __syncthreads();
  v.x += all[i].w;
  v.z = all[i].z * 2;
  all[i].w += 1;
  __syncthreads();
  all[i] = v;
}
"""


@case(blocks=[32, 64, 100, 256])
def records_that_go_back_whole(run):
    """Records that are copied, of which some members change, and that are written back."""
    rng = np.random.default_rng(4)
    mixed = np.dtype(
        [("place", "f8"), ("count", "i4"), ("kind", "i2"), ("flag", "i1"), ("rest", "i1"), ("weight", "f4", 4)]
    )
    for n in (2 * run.threads + 5, 2 * run.threads, 3):
        grid = -(-n // run.threads)
        m = np.frombuffer(rng.bytes(n * mixed.itemsize), mixed).copy()
        m["place"], m["weight"] = eighths(rng, n), eighths(rng, (n, 4))
        want = m.copy()
        want["count"] += m["kind"]
        want["weight"][:, 2] = m["weight"][:, 0] + m["weight"][:, 3]
        want["place"] += 0.5 * (m["flag"] & 1)
        run(WHOLE, m.view(f"V{mixed.itemsize}"), n, grid=grid, names=["whole"])
        run.same(m.view(np.uint8), want.view(np.uint8), "whole")

        for wanted in (rng.integers(0, 2, n), np.ones(n, np.int64), np.zeros(n, np.int64)):
            v = eighths(rng, (n, 4))
            want = v.copy()
            want[:, 1] += v[:, 0] * F(1) * wanted.astype(F)
            run(WHOLE, v.view("V16"), wanted.astype(np.int32), n, grid=grid, names=["some"])
            run.same(v, want, "some")

        v = eighths(rng, (n, 4))
        want = v.copy()
        want[:, 0] += v[:, 1]
        want[:, 2] -= v[:, 3]
        run(WHOLE, v.view("V16"), n, grid=grid, names=["shared_out"])
        run.same(v, want, "shared_out")

    v = eighths(rng, (2 * run.threads, 4))
    want = v.copy()
    want[:, 0] += 99
    want[:, 2] *= 2
    run(WHOLE, v.view("V16"), grid=2, names=["changed"])
    run.same(v, want, "changed")


MATRICES = """
__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

// A row a member: records of 16 floats, read by fours.
__global__ void transform(const float4* matrices, const float4* vectors, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = vectors[i];
  const float4* rows = matrices + 4 * i;
  out[i] = make_float4(dot(rows[0], v), dot(rows[1], v), dot(rows[2], v), dot(rows[3], v));
}

// Products of members, added up from turn to turn.
__global__ void project(const float4* matrices, const float4* vectors, float* sums, int turns, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = i; k < turns; k += n) sum += dot(matrices[k], vectors[k]);
  if (i < n) sums[i] = sum;
}
"""


@case(blocks=[32, 64, 100, 256])
def records_of_fours(run):
    """Members of records of 4 and 16 floats, multiplied and added up: each thread's, and of every n-th record."""
    n = 2 * run.threads + 5
    rng = np.random.default_rng(n)
    matrices, vectors = eighths(rng, (n, 4, 4)), eighths(rng, (n, 4))
    out = np.zeros((n, 4), F)
    run(
        MATRICES,
        matrices.view("V16"),
        vectors.view("V16"),
        out.view("V16"),
        n,
        grid=-(-n // run.threads),
        names=["transform"],
    )
    run.same(out, (matrices * vectors[:, None]).sum(2), "transform")

    turns, threads = 4 * n, run.threads
    a, b = eighths(rng, (turns, 4)), eighths(rng, (turns, 4))
    sums = np.zeros(threads, F)
    run(MATRICES, a.view("V16"), b.view("V16"), sums, turns, threads, names=["project"])
    products = np.zeros(-(-turns // threads) * threads, F)
    products[:turns] = (a * b).sum(1)
    run.same(sums, products.reshape(-1, threads).sum(0), "project")
