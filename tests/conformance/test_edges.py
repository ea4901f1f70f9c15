"""Indices at edges and strided loops, as GPU code writes them: guards, clamps, wraps, remainders, what is left over."""

import numpy as np
from harness import case

INDEX = "int i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + threadIdx.x"
INDEX += " + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"


def launch(run, parameters, body, length, *args):
    """A kernel with an index `i` over three blocks, of which the last is cut at n."""
    out = np.full(3 * run.threads + 8, -1, np.int32)
    source = "__global__ void k(int* out, int n" + parameters + ") {\n" + INDEX + body + "}"
    run(source, out, length, *args, grid=3)
    return out


def lengths(run):
    """Nothing, one, a cut inside each block, at its end, and at the end of the grid."""
    n = run.threads
    return sorted({0, 1, n - 1, n, n + 1, 2 * n + n // 2, 3 * n})


def padded(run, values):
    out = np.full(3 * run.threads + 8, -1, np.int32)
    out[: len(values)] = values
    return out


@case
def clamped_neighbours(run):
    """Neighbours at several distances, clamped to the array on both sides."""
    body = """
      if (i >= n) return;
      int sum = 0;
      for (int d = -3; d <= 3; ++d) sum += (d + 4) * x[min(max(i + d, 0), n - 1)];
      out[i] = sum;
    """
    x = np.arange(3 * run.threads, dtype=np.int32) * 7 + 3
    for n in lengths(run):
        at = np.arange(n)
        expected = sum((d + 4) * x[np.clip(at + d, 0, n - 1)] for d in range(-3, 4)) if n else []
        run.same(launch(run, ", const int* x", body, n, x), padded(run, expected))


@case
def many_elements_of_each_thread(run):
    """Rows of each thread's own behind a guard: more gathers and scatters at an edge than are written out."""
    source = (
        "__global__ void k(int* out, int n, const int* x) {\n"
        + INDEX
        + """
      if (i >= n) return;
      int a[8];
      for (int j = 0; j < 8; ++j) a[j] = x[i * 9 + j] * (j + 3) + out[i * 11 + j];
      for (int j = 0; j < 8; ++j) out[i * 11 + j] = a[j] ^ (a[(j + 3) & 7] + i);
    }"""
    )
    threads = 3 * run.threads
    x = (np.arange(9 * threads, dtype=np.int32) * 7919) % 1009
    before = np.arange(11 * threads + 8, dtype=np.int32) % 251
    for n in lengths(run):
        out, expected = before.copy(), before.copy()
        run(source, out, n, x, grid=3)
        row, column = np.arange(n)[:, None], np.arange(8)
        a = x[row * 9 + column] * (column + 3) + before[row * 11 + column]
        expected[row * 11 + column] = a ^ (a[:, (column + 3) & 7] + row)
        run.same(out, expected)


@case
def windows_cut_at_the_ends(run):
    """Loops over a window of each thread, which the ends of the array cut: both, one, inclusive, left early."""
    body = """
      if (i >= n) return;
      int sum = 0, count = 0, last = -1, kept = 7;
      for (int j = max(i - 2, 0); j < min(i + 3, n); ++j) { sum += (j - i + 5) * x[j]; ++count; }
      for (int j = max(0, i - 4); j <= i; ++j) { sum ^= x[j] + j; last = kept; kept = j; }
      for (int j = i; j <= min(n - 1, i + 6); ++j) { if (x[j] %% 5 == 0) break; sum += 3 * x[j]; }
      for (int j = i - 3 < 0 ? 0 : i - 3; j < (i + 2 > n ? n : i + 2); j++) {
        if (x[j] & 1) continue;
        for (int k = max(j - 1, 0); k < min(j + 1, n); ++k) sum += k * x[k];
      }
      out[i] = sum * 16 + count + (last ^ kept);
    """
    x = (np.arange(3 * run.threads + 8, dtype=np.int32) * 37) % 101

    def at(i, n):
        total = sum((j - i + 5) * int(x[j]) for j in range(max(i - 2, 0), min(i + 3, n)))
        last, kept = -1, 7
        for j in range(max(0, i - 4), i + 1):
            total, last, kept = total ^ (int(x[j]) + j), kept, j
        for j in range(i, min(n - 1, i + 6) + 1):
            if x[j] % 5 == 0:
                break
            total += 3 * int(x[j])
        for j in range(max(i - 3, 0), min(i + 2, n)):
            if x[j] % 2 == 0:
                total += sum(k * int(x[k]) for k in range(max(j - 1, 0), min(j + 1, n)))
        return total * 16 + min(i + 3, n) - max(i - 2, 0) + (last ^ kept)

    for n in lengths(run):
        expected = [at(i, n) for i in range(n)]
        run.same(launch(run, ", const int* x", body.replace("%%", "%"), n, x), padded(run, expected))


@case
def windows_of_pooling(run):
    """Windows of 3 x 3, two apart, cut at the edges of planes: maxima and sums, by a flat index."""
    body = """
      if (i >= n) return;
      int w = i % 7, h = i / 7, h0 = 2 * h - 1, w0 = 2 * w - 1, rows = 2 * (n / 7);
      int h1 = min(h0 + 3, rows), w1 = min(w0 + 3, 14), most = -1, sum = 0;
      h0 = max(h0, 0); w0 = max(w0, 0);
      for (int y = h0; y < h1; ++y)
        for (int z = w0; z < w1; ++z) { most = max(most, x[y * 14 + z]); sum += x[y * 14 + z] * (z + 1); }
      out[i] = (sum - most) * (h1 - h0) * (w1 - w0);
    """
    x = (np.arange(4 * (3 * run.threads + 8), dtype=np.int32) * 89) % 1009

    def at(i, n):
        h0, w0 = 2 * (i // 7) - 1, 2 * (i % 7) - 1
        h1, w1 = min(h0 + 3, 2 * (n // 7)), min(w0 + 3, 14)
        h0, w0 = max(h0, 0), max(w0, 0)
        window = [(int(x[y * 14 + z]), z) for y in range(h0, h1) for z in range(w0, w1)]
        most = max([v for v, _ in window], default=-1)
        return (sum(v * (z + 1) for v, z in window) - most) * (h1 - h0) * (w1 - w0)

    for n in lengths(run):
        run.same(launch(run, ", const int* x", body, n, x), padded(run, [at(i, n) for i in range(n)]))


ROWS_CUT = {
    "at both ends": "x >= low && x < high",
    "at a lane": "x != low",
    "every third": "x % 3 == low % 3",
    "in pieces": "(x >= low && x < low + 3) || x >= high",
    "by data": "in[y * w + x] > T(low)",
}


@case(blocks=[(32, 4), (16, 8), (8, 8), 100], each=list(ROWS_CUT))
def stores_of_some_lanes(run, name):
    """Guards along rows let a few neighbours pass, most of them, others than neighbours; nothing else is written."""
    source = """
    typedef %s T;
    __global__ void k(const T* in, T* out, T* more, int w, int h, int low, int high) {
      int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      if (x >= w || y >= h) return;
      if (%s) {
        out[y * w + x] = in[y * w + x] * T(2);
        more[y * w + x] = in[y * w + x] + T(x);
      }
      for (int k = 0; k < 3; k++)
        if (%s) more[(k * h + y) * w + x] += in[y * w + x] - T(k);
    }"""
    guards = {
        "at both ends": lambda x, v, low, high: (x >= low) & (x < high),
        "at a lane": lambda x, v, low, high: x != low,
        "every third": lambda x, v, low, high: x % 3 == low % 3,
        "in pieces": lambda x, v, low, high: ((x >= low) & (x < low + 3)) | (x >= high),
        "by data": lambda x, v, low, high: v > low,
    }
    for kind, element in (("float", np.float32), ("double", np.float64), ("int", np.int32)):
        for width, low, high in ((70, 1, 69), (70, 5, 8), (33, 0, 32), (19, 2, 17), (50, 17, 18)):
            height = 9
            image = np.random.default_rng(width).integers(0, 20, (height, width)).astype(element)
            out = np.full((height, width), -1, element)
            more = np.full((3 * height, width), -2, element)
            x = np.arange(width)
            passed = np.broadcast_to(guards[name](x, image, low, high), image.shape)
            expected = np.where(passed, image * 2, -1).astype(element)
            first = np.where(passed, image + x, -2)
            turns = [np.where(passed, (first if k == 0 else -2) + image - k, -2) for k in range(3)]
            grid = (-(-width // run.block[0]), -(-height // run.block[1]))
            guard = ROWS_CUT[name]
            run(source % (kind, guard, guard), image, out, more, *np.int32((width, height, low, high)), grid=grid)
            run.same(out, expected, f"{kind}, {width}, {low} to {high}")
            run.same(more, np.concatenate(turns).astype(element), f"{kind}, {width}, {low} to {high}")


@case
def neighbours_from_another_tile(run):
    """At the ends of a tile the neighbour comes from its halo: LLVM makes one load from either place of it."""
    source = """
    __global__ void k(int* out, const int* x) {
      __shared__ int tile[%d], before[%d], after[%d];
      int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), n = %d, i = blockIdx.x * n + t;
      before[t] = x[i + n - 1];
      after[t] = x[i + n + 1];
      tile[t] = x[i + n];
      __syncthreads();
      int left = t == 0 ? before[t] - tile[t] : tile[t - 1] - tile[t];
      int right = t == n - 1 ? after[t] - tile[t] : tile[t + 1] - tile[t];
      int far = t < 3 ? before[0] : tile[t - 3];
      out[i] = left + 3 * right + 5 * far;
    }"""
    n = run.threads
    x = (np.arange(5 * n, dtype=np.int32) * 31) % 97
    out = np.zeros(3 * n, np.int32)
    run(source % (n, n, n, n), out, x, grid=3)
    at = np.arange(3 * n)
    here, t = x[n + at], at % n
    far = np.where(t < 3, x[n + at - t - 1], x[np.maximum(n + at - 3, 0)])
    run.same(out, x[n + at - 1] - here + 3 * (x[n + at + 1] - here) + 5 * far)


@case
def wrapped_neighbours(run):
    """Neighbours in a ring, by selection and by remainder."""
    body = """
      if (i < n) {
        int left = i == 0 ? n - 1 : i - 1;
        out[i] = x[left] + 2 * x[(i + 1) % n] + 4 * x[(i + n - 2) % n];
      }
    """
    x = np.arange(3 * run.threads, dtype=np.int32) * 5 + 1
    for n in lengths(run)[1:]:
        at = np.arange(n)
        expected = x[(at - 1) % n] + 2 * x[(at + 1) % n] + 4 * x[np.fmod(at + n - 2, n)]
        run.same(launch(run, ", const int* x", body, n, x), padded(run, expected))


@case
def torus(run):
    """Neighbours on a ring of rings, by remainders of what lies in it: behind guards, of flat indices, of powers of two."""
    rng = np.random.default_rng(7)
    steps = "(x + 1) % w, (x + w - 1) % w, (x + 2) % w, (x + w - 2) % w, (x - 1 + w) % w"
    for kind, bits in (("int", np.int32), ("unsigned", np.uint32), ("unsigned char", np.uint8)):
        index = "unsigned" if kind == "unsigned" else "int"
        for w in (2, 15, 16, 33, 64, run.threads):
            n = 2 * run.threads + run.threads // 2
            rows = max(1, n // w)
            x = rng.integers(0, 100, rows * w).astype(bits)
            for flat in (False, True):
                place = "i % w" if flat else "i"
                guard = "i >= (int)(w * h)" if flat else "i >= (int)w"
                body = f"""
                  if ({guard}) return;
                  const {index} x = {place}, y = {"i / w" if flat else "h / 2"};
                  const {index} at[] = {{{steps}}}, up = (y + 1) % h, down = (y + h - 1) % h;
                  int sum = in[up * w + x] * 7 + in[down * w + x] * 11;
                  for (int k = 0; k < 5; ++k) sum += in[y * w + at[k]] * (k + 1) + in[up * w + at[k]] * 13;
                  out[i] = sum;
                """
                count = min(rows * w if flat else w, 3 * run.threads)
                i = np.arange(count, dtype=np.int64)
                col, y = (i % w, i // w) if flat else (i, np.full(count, rows // 2))
                a = x.astype(np.int64).reshape(rows, w)
                at = [(col + 1) % w, (col + w - 1) % w, (col + 2) % w, np.fmod(col + w - 2, w), (col - 1 + w) % w]
                up, down = (y + 1) % rows, (y + rows - 1) % rows
                expected = a[up, col] * 7 + a[down, col] * 11
                expected += sum(a[y, at[k]] * (k + 1) + a[up, at[k]] * 13 for k in range(5))
                parameters = f", const {kind}* in, {index} w, {index} h"
                number = np.uint32 if index == "unsigned" else np.int32
                result = launch(run, parameters, body, 0, x, number(w), number(rows))
                run.same(result, padded(run, expected.astype(np.int32)))


@case
def clamped_steps_in_turn(run):
    """A step of dynamic programming after the other in shared memory, with neighbours clamped to what is valid."""
    source = """
    __global__ void k(int* out, const int* wall, int steps, int cols) {
      __shared__ int before[1024], after[1024];
      const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      const int size = blockDim.x * blockDim.y * blockDim.z;
      const int last = size > cols ? cols - 1 : size - 1;
      int left = t - 1, right = t + 1;
      left = left < 0 ? 0 : left;
      right = right > last ? last : right;
      const bool valid = t <= last;
      before[t] = t <= last ? wall[t] : 0;
      __syncthreads();
      for (int i = 0; i < steps; ++i) {
        bool computed = false;
        if (valid) {
          computed = true;
          after[t] = min(min(before[left], before[t]), before[right]) + wall[cols * i + t];
        }
        __syncthreads();
        if (computed) before[t] = after[t];
        __syncthreads();
      }
      out[t] = before[t];
    }
    """
    threads, steps = run.threads, 5
    for cols in sorted({max(1, threads - 3), threads}):
        wall = (np.arange(steps * cols + threads, dtype=np.int32) * 37) % 101
        out = np.full(threads, -1, np.int32)
        run(source, out, wall, steps, cols)
        row = wall[:cols].astype(np.int32)
        at = np.arange(cols)
        for i in range(steps):
            near = [row[np.clip(at + d, 0, cols - 1)] for d in (-1, 0, 1)]
            row = np.minimum(np.minimum(near[0], near[1]), near[2]) + wall[cols * i + at]
        expected = np.zeros(threads, np.int32)
        expected[:cols] = row
        run.same(out, expected)


@case
def rings_of_numbers(run):
    """Sizes that the compiler knows, with and without a guard; divisors below zero."""
    n = 3 * run.threads
    i = np.arange(n)
    for size in (1, 2, 8, 16, 32, 100, 256, 512):
        x = np.arange(size, dtype=np.int32) * 3 + 1
        for cut in (n, min(n, size)):
            body = f"""
              if (i >= n) return;
              out[i] = in[(i + 1) % {size}] + 1000 * in[(i + {size} - 1) % {size}] + 7 * in[(i - 1) & {size - 1}]
                + 11 * in[(i + 1) & {size - 1}] + 13 * in[(i + 2) & {size - 1}] + 17 * in[(i + {size}) % {size}];
            """
            if size & (size - 1):
                body = body.replace(f"& {size - 1}", f"% {size}").replace("(i - 1)", "(i + 1)")
            power = size & (size - 1) == 0
            expected = x[(i + 1) % size] + 1000 * x[(i - 1) % size] + 7 * x[(i + (-1 if power else 1)) % size]
            expected += 11 * x[(i + 1) % size] + 13 * x[(i + 2) % size] + 17 * x[i % size]
            run.same(launch(run, ", const int* in", body, cut, x), padded(run, expected[:cut].astype(np.int32)))
    body = "if (i < n) out[i] = (i + 1) % w * 100 + (i + w) % w + (i + w - 1) % w * 7;"
    for w in (-1, -2, -5, -40):
        value = np.fmod(i + 1, -w) * 100 + np.fmod(i + w, -w) + np.fmod(i + w - 1, -w) * 7
        run.same(launch(run, ", int w", body, n, np.int32(w)), padded(run, value.astype(np.int32)))


@case
def guards_inside_guards(run):
    """What lies beyond the edge is left out, and what is special at it is done."""
    body = """
      if (i < n) {
        int sum = x[i];
        if (i > 1) sum += 3 * x[i - 2];
        if (i + 1 < n) sum -= x[i + 1];
        if (i == 0 || i == n - 1) sum = -sum;
        out[i] = sum;
      }
    """
    x = np.arange(3 * run.threads, dtype=np.int32) * 3 + 2
    for n in lengths(run):
        sums = x[:n].copy()
        sums[2:] += 3 * x[: max(n - 2, 0)]
        sums[:-1] -= x[1:n] if n else x[:0]
        for edge in {0, n - 1} if n else ():
            sums[edge] = -sums[edge]
        run.same(launch(run, ", const int* x", body, n, x), padded(run, sums))


@case
def colours_of_neighbours(run):
    """Every other thread, or two of four, behind a guard, between clamped and wrapped neighbours."""
    body = """
      if (i >= n) return;
      if ((i + shift) % 2 == colour) out[i] = x[min(i + 1, n - 1)] - x[i == 0 ? n - 1 : i - 1];
      else if ((i & 3) < 2 && i > 0) out[i] = x[(i + 1) % n] + x[i - 1];
    """
    x = np.random.default_rng(7).integers(-1000, 1000, 3 * run.threads + 8, np.int32)
    for n in lengths(run):
        for shift, colour in ((0, 0), (3, 0), (2, 1), (-1, 0)):
            i = np.arange(n)
            own = np.fmod(i + shift, 2) == colour
            beside = x[np.minimum(i + 1, n - 1)] - x[(i - 1) % max(n, 1)]
            other = np.where(((i & 3) < 2) & (i > 0), x[(i + 1) % max(n, 1)] + x[np.maximum(i - 1, 0)], -1)
            out = launch(run, ", const int* x, int shift, int colour", body, n, x, shift, colour)
            run.same(out, padded(run, np.where(own, beside, other)))


@case
def unsigned_edges(run):
    """Unsigned indices, whose differences wrap below zero."""
    body = """
      unsigned u = i;
      if (u >= n) return;
      unsigned left = u - 1;
      int sum = left < n ? x[left] : 100;
      out[u] = sum + x[min(u + 2u, (unsigned)n - 1u)];
    """
    x = np.arange(3 * run.threads, dtype=np.int32) * 11
    for n in lengths(run):
        at = np.arange(n)
        left = np.where(at > 0, x[np.maximum(at - 1, 0)], 100)
        expected = left + x[np.minimum(at + 2, n - 1)] if n else []
        run.same(launch(run, ", const int* x", body, n, x), padded(run, expected))


@case
def loops_that_stride_over_the_block(run):
    """Each thread takes every blockDim-th element, with a sum and the element's place kept over the loop."""
    source = """
      __global__ void k(const int* x, int* out, int* sums, int n) {
        int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        int all = blockDim.x * blockDim.y * blockDim.z, sum = 0, last = -1;
        for (int i = t; i < n; i += all) {
          sum += x[i];
          last = i;
          out[i] = x[i] * 3 + t;
        }
        sums[t] = sum + 1000 * last;
      }
    """
    threads = run.threads
    for n in (0, 1, threads - 1, threads, threads + 1, 3 * threads + 5, 8 * threads):
        x = np.arange(8 * threads + 1, dtype=np.int32) % 1013
        out, sums = np.full_like(x, -1), np.zeros(threads, np.int32)
        run(source, x, out, sums, n)
        at = np.arange(n)
        expected = np.full_like(x, -1)
        expected[:n] = x[:n] * 3 + at % threads
        run.same(out, expected)
        run.same(
            sums,
            run.of(lambda t, n=n, x=x: int(x[t:n:threads].sum()) + 1000 * (range(t, n, threads)[-1] if t < n else -1)),
        )


@case
def loops_that_stride_over_the_grid(run):
    """The same over all blocks, with an index of 64 bits and a break."""
    source = """
      __global__ void k(const int* x, int* out, size_t n) {
        size_t t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        size_t all = blockDim.x * blockDim.y * blockDim.z;
        for (size_t i = blockIdx.x * all + t; i < n; i += all * gridDim.x) {
          if (x[i] < 0) break;
          out[i] = x[i] + 1;
        }
      }
    """
    threads = run.threads
    for n in (0, 1, 3 * threads, 7 * threads + 3):
        x = np.arange(8 * threads, dtype=np.int32)
        x[5 * threads // 2 :: 5] = -7
        out = np.zeros_like(x)
        run(source, x, out, n, grid=3)
        expected = np.zeros_like(x)
        for t in range(min(3 * threads, n)):
            row = x[t : n : 3 * threads]
            stop = int(np.argmax(row < 0)) if (row < 0).any() else len(row)
            expected[t : n : 3 * threads][:stop] = row[:stop] + 1
        run.same(out, expected)


@case
def image_with_a_clamped_border(run):
    """Rows and columns clamped, in blocks that the image does not divide."""
    source = """
      __global__ void k(const unsigned char* in, unsigned char* out, int w, int h) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x >= w || y >= h || threadIdx.z != 0) return;
        unsigned char low = 255;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) {
            unsigned char v = in[min(max(y + dy, 0), h - 1) * w + min(max(x + dx, 0), w - 1)];
            low = v < low ? v : low;
          }
        out[y * w + x] = low;
      }
    """
    bx, by, _ = run.block
    for w, h in ((1, 1), (2 * bx, 2 * by), (2 * bx - 1, by + 1), (bx + 2, 2)):
        image = ((np.arange(w * h) * 37 + 11) % 251).astype(np.uint8).reshape(h, w)
        out = np.zeros_like(image)
        run(source, image, out, w, h, grid=(-(-w // bx), -(-h // by)))
        border = np.pad(image, 1, mode="edge")
        low = np.min([border[dy : dy + h, dx : dx + w] for dy in range(3) for dx in range(3)], axis=0)
        run.same(out, low)


@case
def one_long_chain(run):
    """Each step waits for the one before, for which groups take twice the lanes; the last one is cut."""
    steps = [(0.75 + k / 64, 0.5 - k / 32) for k in range(24)]
    lines = "\n".join(f"v = v * {a}f + {b}f;" for a, b in steps)
    source = "__global__ void k(float* out, int n, const float* x) {\n"
    source += (
        f"int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float v = x[i];\n{lines}\nout[i] = v; }}"
    )
    threads = run.block[0]
    x = np.arange(3 * threads, dtype=np.float32) / 8
    v = x
    for a, b in steps:
        v = v * np.float32(a) + np.float32(b)
    for n in sorted({0, 1, threads - 1, threads + 1, 2 * threads + threads // 2, 3 * threads}):
        out = np.full(3 * threads + 40, -1, np.float32)
        run(source, out, n, x, grid=3, block=threads, options=["-fmad=false"])
        expected = np.full(3 * threads + 40, -1, np.float32)
        expected[:n] = v[:n]
        run.same(out, expected)
