"""memcpy, memmove and memset in kernels: words out of records of odd sizes, records as bytes, sizes of run time."""

import numpy as np
from harness import case

SOURCE = """
struct Block { unsigned short scale; unsigned char codes[16]; };
struct Record { int x[7]; };
__global__ void k(const Block* blocks, const unsigned char* bytes, int* sums, unsigned char* out, int size) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = blocks[t].scale, word;
  for (int j = 0; j < 4; j++) {
    memcpy(&word, blocks[t].codes + 4 * j, 4);
    sum += word & 0x0f0f0f0f;
  }
  float as_float;
  memcpy(&as_float, &sum, sizeof sum);
  memcpy(&word, &as_float, sizeof word);
  sums[t] = word;

  unsigned char* own = out + 128 * t;
  memcpy(own, bytes + 3 * t, size + t % 32);
  memset(own + 48, t, size);
  Record record;
  memcpy(&record, bytes + t, sizeof record);
  record.x[3] += t;
  memcpy(own + 67, &record, sizeof record);
}"""


@case(blocks=[64, 100, 5])
def words_and_records_of_bytes(run):
    n, size = 2 * run.threads, 9
    rng = np.random.default_rng(n)
    blocks = rng.integers(0, 256, (n, 18)).astype(np.uint8)
    data = rng.integers(0, 256, 3 * n + 64).astype(np.uint8)
    sums, out = np.zeros(n, np.int32), np.zeros((n, 128), np.uint8)
    run(SOURCE, blocks.view("V18"), data, sums, out, np.int32(size), grid=2)
    words = np.ascontiguousarray(blocks[:, 2:]).view(np.int32) & 0x0F0F0F0F
    scales = np.ascontiguousarray(blocks[:, :2]).view(np.uint16)[:, 0]
    run.same(sums, scales.astype(np.int32) + words.sum(1, dtype=np.int32))
    expected = np.zeros((n, 128), np.uint8)
    for t, own in enumerate(expected):
        copied = size + t % 32
        own[:copied] = data[3 * t : 3 * t + copied]
        own[48 : 48 + size] = t % 256
        record = data[t : t + 28].copy().view(np.int32)
        record[3] += t
        own[67:95] = record.view(np.uint8)
    run.same(out, expected)


OVERLAPPING = """
__global__ void k(unsigned char* rows, int size) {
  unsigned char* own = rows + 48 * (blockIdx.x * blockDim.x + threadIdx.x);
  memmove(own + 1, own, size);
  memmove(own + 20, own + 23, size);
}"""


@case(blocks=[64, 100, 5], cpu_only=True, reason="NVRTC declares no memmove")
def parts_of_rows_that_overlap(run):
    size = 9
    rows = np.random.default_rng(run.threads).integers(0, 256, (2 * run.threads, 48)).astype(np.uint8)
    expected = rows.copy()
    expected[:, 1 : 1 + size] = rows[:, :size]
    expected[:, 20 : 20 + size] = rows[:, 23 : 23 + size]
    run(OVERLAPPING, rows, np.int32(size), grid=2)
    run.same(rows, expected)
