"""Whole programs on bits and strings: hashes, ciphers, codes, matches."""

import hashlib
import zlib

import numpy as np
from harness import case

U = np.uint32


SHA256 = """
__constant__ unsigned k[64];
__device__ __forceinline__ unsigned rotate(unsigned x, int n) { return __funnelshift_r(x, x, n); }
// One message of 55 bytes at most a thread.
__global__ void sha256(const unsigned char* messages, const int* lengths, unsigned* digests, int n, int pitch) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned w[64];
  for (int j = 0; j < 16; j++) w[j] = 0;
  const int length = lengths[i];
  for (int j = 0; j < length; j++) w[j / 4] |= (unsigned)messages[i * pitch + j] << (24 - 8 * (j % 4));
  w[length / 4] |= 0x80u << (24 - 8 * (length % 4));
  w[15] = length * 8;
  for (int j = 16; j < 64; j++) {
    const unsigned a = w[j - 15], b = w[j - 2];
    w[j] = w[j - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[j - 7] + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
  }
  unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned v[8];
  for (int j = 0; j < 8; j++) v[j] = h[j];
  for (int j = 0; j < 64; j++) {
    const unsigned s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
    const unsigned t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[j] + w[j];
    const unsigned s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
    const unsigned t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    for (int x = 7; x > 0; x--) v[x] = v[x - 1];
    v[4] += t1;
    v[0] = t1 + t2;
  }
  for (int j = 0; j < 8; j++) digests[i * 8 + j] = __byte_perm(h[j] + v[j], 0, 0x0123);
}
"""


def sha256_constants():
    """The first 32 bits of the fractional parts of the cube roots of the first 64 primes, in exact integers."""
    primes = [p for p in range(2, 312) if all(p % d for d in range(2, p))]

    def root(p):
        low, high = 0, 1 << 40
        while low < high - 1:
            middle = (low + high) // 2
            low, high = (middle, high) if middle**3 <= p << 96 else (low, middle)
        return low & 0xFFFFFFFF

    return np.array([root(p) for p in primes], U)


@case(blocks=[32, 100, 128])
def sha256_of_messages(run):
    """Rotations, constant memory, a private array of 64 words with variable index."""
    n, pitch = 150, 56
    rng = np.random.default_rng(1)
    messages = rng.integers(0, 256, (n, pitch), np.uint8)
    lengths = rng.integers(0, 56, n, np.int32)
    digests = np.zeros((n, 8), U)
    run.set(SHA256, "k", sha256_constants())
    run(SHA256, messages, lengths, digests, n, pitch, grid=-(-n // run.block[0]))
    expected = b"".join(
        hashlib.sha256(m[:length].tobytes()).digest() for m, length in zip(messages, lengths, strict=True)
    )
    run.same(digests.view(np.uint8).reshape(-1), np.frombuffer(expected, np.uint8))


CRC = """
__global__ void crc(const unsigned char* data, int size, unsigned* out) {
  __shared__ unsigned table[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    unsigned c = i;
    for (int j = 0; j < 8; j++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  __syncthreads();
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned c = ~0u;
  for (int i = 0; i < size; i++) c = table[(c ^ data[row * size + i]) & 255] ^ (c >> 8);
  out[row] = ~c;
}
"""


@case(blocks=[32, 64, 100, 256])
def crc32_by_a_shared_table(run):
    """A table made by the block, gathers from it, columns of bytes."""
    rows, size = 2 * run.block[0], 37
    data = np.random.default_rng(2).integers(0, 256, (rows, size), np.uint8)
    out = np.zeros(rows, U)
    run(CRC, data, size, out, grid=2)
    run.same(out, [zlib.crc32(row.tobytes()) for row in data])


CHACHA = """
#define ROTATE(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define QUARTER(a, b, c, d) \\
  a += b; d = ROTATE(d ^ a, 16); c += d; b = ROTATE(b ^ c, 12); a += b; d = ROTATE(d ^ a, 8); c += d; b = ROTATE(b ^ c, 7);
__global__ void chacha20(const uint4* state, uint4* out, unsigned blocks) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= blocks) return;
  uint4 a = state[0], b = state[1], c = state[2], d = state[3];
  d.x += i;
  const uint4 first = d;
  for (int round = 0; round < 10; round++) {
    QUARTER(a.x, b.x, c.x, d.x) QUARTER(a.y, b.y, c.y, d.y) QUARTER(a.z, b.z, c.z, d.z) QUARTER(a.w, b.w, c.w, d.w)
    QUARTER(a.x, b.y, c.z, d.w) QUARTER(a.y, b.z, c.w, d.x) QUARTER(a.z, b.w, c.x, d.y) QUARTER(a.w, b.x, c.y, d.z)
  }
  const uint4 x = state[0], y = state[1], z = state[2];
  out[4 * i] = make_uint4(a.x + x.x, a.y + x.y, a.z + x.z, a.w + x.w);
  out[4 * i + 1] = make_uint4(b.x + y.x, b.y + y.y, b.z + y.z, b.w + y.w);
  out[4 * i + 2] = make_uint4(c.x + z.x, c.y + z.y, c.z + z.z, c.w + z.w);
  out[4 * i + 3] = make_uint4(d.x + first.x, d.y + first.y, d.z + first.z, d.w + first.w);
}
"""


@case(blocks=[32, 64, 100])
def chacha20_key_stream(run):
    """Sixteen words in registers, stores of uint4 at a stride of four."""
    n = 130
    state = np.array([0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *range(1, 13)], U)
    out = np.zeros((n, 16), U)
    run(CHACHA, state.view("V16"), out.reshape(-1).view("V16"), n, grid=-(-n // run.block[0]))
    first = np.tile(state[:, None], (1, n))
    first[12] += np.arange(n, dtype=U)
    v = first.copy()

    def quarter(a, b, c, d):
        for x, y, z, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            v[x] += v[y]
            v[z] ^= v[x]
            v[z] = v[z] << U(bits) | v[z] >> U(32 - bits)

    for _ in range(10):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    run.same(out, (v + first).T)


LEVENSHTEIN = """
// One pair of words a block; anti-diagonals with a barrier between them.
__global__ void distance(const char* a, const char* b, const int* la, const int* lb, int pitch, int* out) {
  __shared__ int rows[3][65];
  a += blockIdx.x * pitch;
  b += blockIdx.x * pitch;
  const int n = la[blockIdx.x], m = lb[blockIdx.x];
  for (int d = 0; d <= n + m; d++) {
    int* now = rows[d % 3];
    const int *last = rows[(d + 2) % 3], *before = rows[(d + 1) % 3];
    for (int i = threadIdx.x; i <= n; i += blockDim.x) {
      const int j = d - i;
      if (j < 0 || j > m) continue;
      if (i == 0 || j == 0) { now[i] = i + j; continue; }
      const int change = before[i - 1] + (a[i - 1] != b[j - 1]);
      now[i] = min(change, min(last[i - 1], last[i]) + 1);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = rows[(n + m) % 3][n];
}
"""


@case(blocks=[32, 33, 64])
def edit_distance(run):
    """A loop with a barrier whose length differs between blocks, continue before the barrier, rotating rows."""
    pairs, pitch = 12, 64
    rng = np.random.default_rng(3)
    a, b = rng.integers(97, 101, (2, pairs, pitch)).astype(np.int8)
    la, lb = rng.integers(0, pitch + 1, (2, pairs)).astype(np.int32)
    out = np.zeros(pairs, np.int32)
    run(LEVENSHTEIN, a, b, la, lb, pitch, out, grid=pairs)

    def distance(s, t):
        row = list(range(len(t) + 1))
        for i, x in enumerate(s, 1):
            left = [i]
            for j, y in enumerate(t, 1):
                left.append(min(row[j - 1] + (x != y), row[j] + 1, left[-1] + 1))
            row = left
        return row[-1]

    run.same(out, [distance(a[p, : la[p]], b[p, : lb[p]]) for p in range(pairs)])


SEARCH = """
__global__ void search(const char* text, int length, const char* pattern, int m, unsigned* hits, int* count) {
  extern __shared__ char window[];
  const int base = blockIdx.x * blockDim.x;
  for (int i = threadIdx.x; i < blockDim.x + m - 1; i += blockDim.x) window[i] = base + i < length ? text[base + i] : 0;
  __syncthreads();
  int k = 0;
  while (k < m && window[threadIdx.x + k] == pattern[k]) k++;
  const bool hit = k == m;
  const unsigned votes = __ballot_sync(~0u, hit);
  if (threadIdx.x % 32 == 0) {
    hits[(base + threadIdx.x) / 32] = votes;
    atomicAdd(count, __popc(votes));
  }
}
"""


@case(blocks=[32, 64, 256])
def string_search(run):
    """A while loop that ends at another place in each thread, then a vote of the warp."""
    text = np.random.default_rng(4).integers(97, 99, 2048).astype(np.int8)
    pattern = np.frombuffer(b"abbab", np.int8)
    hits, count = np.zeros(64, U), np.zeros(1, np.int32)
    b = run.block[0]
    run(SEARCH, text, 2048, pattern, 5, hits, count, grid=2048 // b, shared=b + 4)
    data = text.tobytes()
    expected = np.array([data[i : i + 5] == b"abbab" for i in range(2048)])
    run.same(hits, np.packbits(expected, bitorder="little").view(U))
    run.same(count, [expected.sum()])


RUNS = """
// Run-length code of a row of at most 32 values a warp.
__global__ void encode(const unsigned char* in, uchar2* out, int* counts) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  const unsigned char mine = in[warp * 32 + lane];
  const unsigned char before = __shfl_up_sync(0xffffffffu, mine, 1);
  const unsigned starts = __ballot_sync(0xffffffffu, lane == 0 || before != mine);
  if (starts >> lane & 1) {
    const unsigned later = lane == 31 ? 0 : starts >> (lane + 1);
    const int length = later ? __ffs(later) : 32 - lane;
    out[warp * 32 + __popc(starts & ((1u << lane) - 1))] = make_uchar2(mine, length);
  }
  if (lane == 0) counts[warp] = __popc(starts);
}
"""


@case(blocks=[32, 128])
def run_length_code(run):
    """Ballots, bit counts and first bits; a divergent store of two bytes."""
    rows = 8
    data = np.repeat(np.random.default_rng(5).integers(0, 3, (rows, 16)), 2, axis=1).astype(np.uint8)
    out, counts = np.zeros((rows, 32, 2), np.uint8), np.zeros(rows, np.int32)
    run(RUNS, data, out.view("V2"), counts, grid=rows * 32 // run.block[0])
    expected, lengths = np.zeros_like(out), []
    for r, row in enumerate(data):
        edges = np.flatnonzero(np.concatenate([[True], row[1:] != row[:-1], [True]]))
        lengths.append(len(edges) - 1)
        expected[r, : len(edges) - 1, 0], expected[r, : len(edges) - 1, 1] = row[edges[:-1]], np.diff(edges)
    run.same(out, expected)
    run.same(counts, lengths)
