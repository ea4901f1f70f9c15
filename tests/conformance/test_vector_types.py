"""Vector types: sizes and alignment, make_ functions, members, arrays of them, dim3 and uint3."""

import numpy as np
from harness import case

ELEMENTS = {
    "char": (np.int8, "signed char"), "uchar": (np.uint8, "unsigned char"), "short": (np.int16, "short"),
    "ushort": (np.uint16, "unsigned short"), "int": (np.int32, "int"), "uint": (np.uint32, "unsigned"),
    "long": (np.int64, "long"), "ulong": (np.uint64, "unsigned long"), "longlong": (np.int64, "long long"),
    "ulonglong": (np.uint64, "unsigned long long"), "float": (np.float32, "float"), "double": (np.float64, "double"),
}  # fmt: skip
LAYOUT = {1: (1, 2, 1, 4), 2: (2, 4, 2, 8), 4: (4, 8, 4, 16), 8: (8, 16, 8, 16)}


@case(each=list(ELEMENTS))
def vector(run, name):
    """Size, alignment and elements of a type with one to four of them, through make_ and assignment."""
    dtype, element = ELEMENTS[name]
    size = np.dtype(dtype).itemsize
    data = np.arange(run.threads * 10).reshape(-1, 10).astype(dtype)
    out, sizes = np.zeros_like(data), np.zeros(8, np.int32)
    four = "4_16a" if size == 8 else "4"
    # NVRTC 13 has no make_ function for four longs.
    whole = "{i[6], i[7], i[8], i[9]}" if name in ("long", "ulong") else "make_VF(i[6], i[7], i[8], i[9])"
    run(
        """
        __global__ void k(const E* in, E* out, int* sizes) {
          const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          const E* i = in + 10 * t;
          E* o = out + 10 * t;
          V1 a = make_V1(i[0]);
          V2 b = make_V2(i[1], i[2]);
          V3 c = make_V3(i[3], i[4], i[5]);
          VF d = MAKE(i[6], i[7], i[8], i[9]), e;
          e = d; e.x = d.w; e.w = d.x;
          o[0] = a.x; o[1] = b.y; o[2] = b.x; o[3] = c.z; o[4] = c.y; o[5] = c.x; o[6] = e.x; o[7] = e.y; o[8] = e.z; o[9] = e.w;
          sizes[0] = sizeof(V1); sizes[1] = sizeof(V2); sizes[2] = sizeof(V3); sizes[3] = sizeof(VF);
          sizes[4] = alignof(V1); sizes[5] = alignof(V2); sizes[6] = alignof(V3); sizes[7] = alignof(VF);
        }
        """.replace("MAKE(i[6], i[7], i[8], i[9])", whole).replace("VF", f"V{four}").replace("V", name).replace("E*", f"{element}*"),
        data, out, sizes,
    )  # fmt: skip
    run.same(out, data[:, [0, 2, 1, 5, 4, 3, 9, 7, 8, 6]])
    run.same(sizes, [size, 2 * size, 3 * size, 4 * size, *LAYOUT[size]])


@case(each=["double", "long", "ulong", "longlong", "ulonglong"])
def aligned_to_32(run, name):
    """Four elements of 8 bytes, aligned to 32: copied whole through memory."""
    dtype, _ = ELEMENTS[name]
    data = np.arange(run.threads * 4).reshape(-1, 4).astype(dtype)
    space = np.zeros(run.threads * 4 + 4, dtype)
    first = -space.ctypes.data % 32 // 8
    source = space[first : first + run.threads * 4].reshape(-1, 4)
    source[:] = data
    out = np.zeros((run.threads, 4), dtype)
    run(
        """
        __global__ void k(const E* in, E* out) {
          __shared__ V4_32a tile[1024];
          static_assert(sizeof(V4_32a) == 32 && alignof(V4_32a) == 32 && alignof(V4_16a) == 16, "");
          const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          tile[t] = V4_32a{in[4 * t], in[4 * t + 1], in[4 * t + 2], in[4 * t + 3]};
          V4_32a v = tile[t];
          V4_16a w{v.w, v.z, v.y, v.x};
          out[4 * t] = w.x; out[4 * t + 1] = w.y; out[4 * t + 2] = w.z; out[4 * t + 3] = w.w;
        }
        """.replace("V4", f"{name}4").replace("E*", f"{ELEMENTS[name][1]}*"),
        np.ascontiguousarray(source), out,
    )  # fmt: skip
    run.same(out, data[:, ::-1])


@case
def arrays_of_vectors(run):
    """Loads and stores of whole vectors from parameters of vector type."""
    pairs = np.arange(2 * run.threads, dtype=np.float32).reshape(-1, 2)
    quads = np.arange(4 * run.threads, dtype=np.int32).reshape(-1, 4)
    out = np.zeros_like(quads)
    run(
        """
        __global__ void k(const float2* pairs, const int4* quads, int4* out, uchar4 bytes, short3 shorts) {
          const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          float2 p = pairs[t];
          int4 q = quads[t];
          out[t] = make_int4(q.w + int(p.x), q.z + int(p.y), q.y + bytes.w, q.x + shorts.z);
        }
        """,
        pairs.view(np.complex64), quads.view("V16"), out.view("V16"), np.array([1, 2, 3, 4], np.uint8).view("V4")[0],
        np.array([5, 6, -7], np.int16).view("V6")[0],
    )  # fmt: skip
    p, q = pairs.astype(np.int32), quads
    run.same(out, np.stack([q[:, 3] + p[:, 0], q[:, 2] + p[:, 1], q[:, 1] + 4, q[:, 0] - 7], 1))


@case
def dim3_and_uint3(run):
    """dim3 has ones where nothing is given, and converts to and from uint3; the built-in variables have their types."""
    out = np.zeros(9, np.uint32)
    run(
        """
        __device__ unsigned volume(dim3 d) { return d.x * d.y * d.z; }
        __device__ unsigned sum(uint3 u) { return u.x + u.y + u.z; }
        __global__ void k(unsigned* out) {
          dim3 one, two(5, 6), three(make_uint3(2, 3, 4));
          uint3 back = three;
          out[0] = volume(one); out[1] = volume(two); out[2] = volume(three); out[3] = sum(back); out[4] = volume(7);
          out[5] = volume(blockDim); out[6] = volume(gridDim); out[7] = sum(blockIdx);
          uint3 mine = threadIdx;
          if (sum(mine) == 0) out[8] = warpSize;
        }
        """,
        out,
    )
    run.same(out, [1, 30, 24, 9, 7, run.threads, 1, 0, 32])
