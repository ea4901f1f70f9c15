"""Flat indices taken apart by a width that all threads share, and quotients of values that they do not."""

import numpy as np
from harness import case

FLAT = "int i = blockIdx.x * blockDim.x + threadIdx.x + blockDim.x * gridDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
WIDTHS = (1, 2, 7, 16, 17, 31, 40, 100, 1000, 2**31 - 1)


def launch(run, parameters, body, *args, length=None):
    """A kernel over two blocks with a number of the thread in the grid in `i`."""
    out = np.full(length or 2 * run.threads, -1, np.int32)
    source = "__global__ void k(int* out" + parameters + ") {\n" + FLAT + body + "}"
    run(source, out, *args, grid=2)
    return out


def c_quotient(a, b):
    """As C divides: cut off towards 0."""
    return np.sign(a) * np.sign(b) * (abs(a) // abs(b))


@case
def rows_and_columns(run):
    """A row's element and a column's, from an index that begins anywhere."""
    n = 2 * run.threads
    by_row, by_column = np.arange(n + 9, dtype=np.int32) * 7, np.arange(n + 9, dtype=np.int32) * 5
    body = "int k = i + first; out[i] = a[k / width] + b[k % width];"
    for width in WIDTHS:
        for first in (0, 3):
            k = np.arange(n) + first
            out = launch(
                run, ", const int* a, const int* b, int width, int first", body, by_row, by_column, width, first
            )
            run.same(out, by_row[k // width] + by_column[k % width])


@case
def planes_rows_and_columns(run):
    """Taken apart twice, behind a guard; with products that bring it together in another order."""
    n = 2 * run.threads
    body = """
      if (i >= n) return;
      int x = i % w, y = (i / w) % h, z = i / w / h;
      int inner = i % (w * h), y2 = inner / w;
      out[i] = in[(z * w + x) * h + y] + y2;
    """
    for w, h in ((1, 1), (20, 3), (16, 16), (33, 2), (64, 5)):
        planes = -(-n // (w * h))
        values = np.arange(planes * w * h, dtype=np.int32) * 3
        i = np.arange(n - 5)
        x, y, z = i % w, i // w % h, i // w // h
        expected = np.full(n, -1, np.int32)
        expected[: n - 5] = values[(z * w + x) * h + y] + y
        out = launch(run, ", const int* in, int n, int w, int h", body, values, n - 5, w, h)
        run.same(out, expected)


@case
def rows_of_rows(run):
    """Planes, by the product of a row's width and their height, in any order; also where it wraps, or is negative."""
    n = 2 * run.threads
    bodies = (
        "T k = i + first; out[i] = in[k % w & 63] + 3 * (int)(k / w % h) + 5 * (int)(k / (w * h));",
        "T k = i + first; out[i] = 5 * (int)(k / (h * w)); out[i] += 3 * (int)(k / w % h) + in[k % w & 63]; if (i < 0) atomicAdd(out, 1);",
        "T k = i + first; out[i] = in[k % (w * 4) % w & 63] + 3 * (int)(k / w % h) + 5 * (int)(k / (w * h)); if (i < 0) atomicAdd(out, 1);",
    )
    values = np.arange(64, dtype=np.int32) * 7
    for kind, bits in (("int", np.int32), ("unsigned", np.uint32), ("long long", np.int64)):
        for w, h in ((28, 28), (14, 3), (7, 1), (100, 2), (40, -3), (65536, 65537), (2**31 - 1, 1)):
            if (kind == "int" and w * h > 2**31 - 1) or (kind == "unsigned" and h < 0):
                continue
            for first in (0, 5, 200000):
                k = np.arange(n, dtype=np.int64) + first
                size = w * h % 2**32 if kind == "unsigned" else w * h
                row = k // w
                for body in bodies[: 2 if 4 * w > 2**31 else 3]:
                    source = f"typedef {kind} T; __global__ void k(int* out, const int* in, T w, T h, T first) {{ {FLAT} {body} }}"
                    out = np.full(n, -1, np.int32)
                    run(source, out, values, bits(w), bits(h), bits(first), grid=2)
                    rows = row - c_quotient(row, h) * h
                    run.same(out, (values[k % w & 63] + 3 * rows + 5 * c_quotient(k, size)).astype(np.int32))


@case
def columns_taken_apart_again(run):
    """By constants, and by a number that all threads share: pixels that were channels, every pixel several times."""
    n = 2 * run.threads
    body = """
      if (i >= n) return;
      int x = i % (w * R), y = i / (w * R) % (h * R), c = i / (w * R * h * R);
      out[i] = in[((c * R * R + y % R * R + x % R) * h + y / R) * w + x / R] + near[((c * h) + y / R) * w + x / R];
    """
    for r in (2, 3, 4, 5):
        for w, h in ((1, 1), (7, 2), (8, 3), (40, 1)):
            planes = -(-n // (w * h * r * r))
            values = np.arange(planes * w * h * r * r, dtype=np.int32) * 3
            near = np.arange(planes * w * h, dtype=np.int32) * 1000
            i = np.arange(n - 1)
            x, y, c = i % (w * r), i // (w * r) % (h * r), i // (w * r * h * r)
            expected = np.full(n, -1, np.int32)
            expected[: n - 1] = values[((c * r * r + y % r * r + x % r) * h + y // r) * w + x // r]
            expected[: n - 1] += near[(c * h + y // r) * w + x // r]
            args = (values, near, n - 1, w, h)
            out = launch(run, ", const int* in, const int* near, int n, int w, int h, int R", body, *args, r)
            run.same(out, expected)
            out = launch(run, ", const int* in, const int* near, int n, int w, int h", body.replace("R", str(r)), *args)
            run.same(out, expected)


@case
def halves_of_columns(run):
    """Columns divided by powers of two, with sums and all types: rows of any length, that begin anywhere."""
    n = 4 * run.threads
    for kind, bits in (("int", np.int32), ("unsigned", np.uint32), ("long long", np.int64), ("size_t", np.uint64)):
        body = (
            FLAT
            + f"""
          {kind} k = first + ({kind})i;
          if (k >= end) return;
          {kind} x = k % w, y = k / w;
          out[i] = in[y * w + x / 2] + 3 * in[x >> 1] + 5 * in[(x + 1) / 2] + 7 * in[x % 2 * w + x / 4] + 11 * in[(x + 3) & 3];
          if (x % 2 == 1 && x / 2 % 2 == 0) out[i] += in[2 * x];
          twice[y * w + x % 2 * ((w + 1) / 2) + x / 2] = x;
        """
        )
        source = (
            f"__global__ void k(int* out, const int* in, int* twice, {kind} w, {kind} first, {kind} end) {{\n{body}}}"
        )
        for w in (2, 7, 16, 18, 30, 32, 33, 44, 64, 100):
            for first in (0, 1, 6):
                end = first + n - 3
                values = np.arange(end + 2 * w + 8, dtype=np.int32) * 3 + 1
                k = np.arange(first, end)
                x, y = k % w, k // w
                expected, twice = np.full(n, -1, np.int32), np.full(end + w, -1, np.int32)
                sums = values[y * w + x // 2] + 3 * values[x >> 1] + 5 * values[(x + 1) // 2] + 11 * values[(x + 3) & 3]
                sums += 7 * values[x % 2 * w + x // 4]
                sums += np.where((x % 2 == 1) & (x // 2 % 2 == 0), values[2 * x], 0)
                expected[: n - 3] = sums
                twice[y * w + x % 2 * ((w + 1) // 2) + x // 2] = x
                out, there = np.full(n, -1, np.int32), np.full(end + w, -1, np.int32)
                run(source, out, values, there, bits(w), bits(first), bits(end), grid=4)
                run.same(out, expected)
                run.same(there, twice)


@case
def tiles_with_a_rim(run):
    """Filled and read by flat indices of few bits, with a barrier behind; what lies before the first loop's end is cut off."""
    for wide, high in ((20, 20), (18, 7), (34, 3), (16, 16), (40, 10)):
        source = f"""__global__ void k(int* out, const int* in, int w, int h) {{
          __shared__ int tile[{high}][{wide}]; __shared__ signed char sign[{high}][{wide}];
          int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), count = blockDim.x * blockDim.y * blockDim.z;
          for (int i = tid; i < {wide * high}; i += count) {{
            int y = min(max((int)blockIdx.x + i / {wide} - 2, 0), h - 1), x = min(max(i % {wide} - 2, 0), w - 1);
            tile[i / {wide}][i % {wide}] = in[y * w + x];
          }}
          __syncthreads();
          for (int i = tid; i < {(wide - 2) * (high - 2)}; i += count) {{
            int y = i / {wide - 2} + 1, x = i % {wide - 2} + 1;
            int v = tile[y - 1][x + 1] + 2 * tile[y][x + 1] - tile[y + 1][x - 1];
            signed char s = v > 100 ? 1 : v < 50 ? -1 : 0;
            if (v % 3 == 1) s += 2;
            sign[y][x] = s;
            out[(blockIdx.x * {high} + y) * {wide} + x] = v;
          }}
          __syncthreads();
          for (int i = tid; i < {(wide - 2) * (high - 2)}; i += count)
            out[(blockIdx.x * {high} + i / {wide - 2} + 1) * {wide} + i % {wide - 2} + 1] += sign[i / {wide - 2} + 1][i % {wide - 2} + 1];
        }}"""
        w, h, blocks = 30, 9, 3
        image = (np.arange(w * h, dtype=np.int32) * 37 % 101).reshape(h, w)
        expected = np.full((blocks, high, wide), -1, np.int32)
        for block in range(blocks):
            rows = np.clip(block + np.arange(high) - 2, 0, h - 1)
            tile = image[rows][:, np.clip(np.arange(wide) - 2, 0, w - 1)]
            v = tile[:-2, 2:] + 2 * tile[1:-1, 2:] - tile[2:, :-2]
            sign = np.where(v > 100, 1, np.where(v < 50, -1, 0)) + np.where((v % 3 == 1) & (v >= 0), 2, 0)
            expected[block, 1:-1, 1:-1] = v + sign
        out = np.full(expected.size, -1, np.int32)
        run(source, out, image.reshape(-1), w, h, grid=blocks)
        run.same(out, expected.reshape(-1))


@case
def grid_strides_over_rows(run):
    """In a loop over all elements, with a branch on the column and a second loop inside."""
    threads, width, count = 2 * run.threads, 37, 5 * run.threads + 11
    body = """
      for (int k = i; k < n; k += TOTAL) {
        int row = k / width, column = k % width, sum = 0;
        for (int j = 0; j < 3; ++j)
          if (column + j < width) sum += in[row * width + column + j];
        out[k] = sum;
      }
    """.replace("TOTAL", str(threads))
    values = np.arange(-(-count // width) * width, dtype=np.int32) * 3 + 1
    k = np.arange(count)
    expected = sum(np.where(k % width + j < width, values[np.minimum(k + j, values.size - 1)], 0) for j in range(3))
    out = launch(run, ", const int* in, int n, int width", body, values, count, width, length=count)
    run.same(out, expected.astype(np.int32))


@case
def rows_walked_through(run):
    """Many groups a row and many rows, one after the other, from an index that begins anywhere; of all integer types."""
    blocks = 30
    n = blocks * run.threads
    for kind, bits in (("int", np.int32), ("unsigned", np.uint32), ("long long", np.int64), ("size_t", np.uint64)):
        body = (
            FLAT
            + f"""
          {kind} k = first + ({kind})i;
          if (k >= end) return;
          {kind} plane = k / (w * h), inner = k % (w * h), row = inner / w, x = inner % w;
          out[i] = in[row * w + x] * 7 + (int)plane * factors[plane % 3];
        """
        )
        source = f"__global__ void k(int* out, const int* in, const int* factors, {kind} w, {kind} h, {kind} first, {kind} end) {{\n{body}}}"
        for w, h, first in ((64, 5, 0), (50, 4, 7), (333, 2, 100), (16, 16, 3), (1 << 20, 1, 0)):
            values, factors = np.arange(w * h, dtype=np.int32) % 1009, np.array([2, 3, 5], np.int32)
            out = np.full(n, -1, np.int32)
            end = first + n - 5
            run(source, out, values, factors, bits(w), bits(h), bits(first), bits(end), grid=blocks)
            k = np.arange(first, end)
            plane = k // (w * h)
            expected = np.full(n, -1, np.int32)
            expected[: end - first] = values[k % (w * h)] * 7 + plane * factors[plane % 3]
            run.same(out, expected)


@case
def groups_across_rows(run):
    """Rows about as long as a group, with windows beyond their ends, indices below 0, and several ways out."""
    n = 2 * run.threads
    count = n - n // 8
    body = """
      int k = i - below;
      if (i >= n) return;
      int x = k % w, y = k / w % h, plane = k / w / h;
      if (x == 5 && y == 1) return;
      int sum = plane * 1000 + x * 2;
      for (int d = -1; d <= 1; ++d)
        if (x + d >= 0 && x + d < w && y >= 0) sum += in[y * w + x + d];
      out[i] = sum;
    """
    for w, h in ((3, 2), (5, 4), (8, 3), (14, 3), (28, 2), (31, 7)):
        for below in (0, 11):
            values = np.arange(w * h, dtype=np.int32) * 7 + 1
            i = np.arange(count)
            k = i - below
            row = c_quotient(k, w)
            x, plane = k - row * w, c_quotient(row, h)
            y = row - plane * h
            sums = plane * 1000 + x * 2
            for d in (-1, 0, 1):
                inside = (x + d >= 0) & (x + d < w) & (y >= 0)
                sums += np.where(inside, values[np.clip(y * w + x + d, 0, w * h - 1)], 0)
            expected = np.full(n, -1, np.int32)
            expected[:count] = np.where((x == 5) & (y == 1), -1, sums)
            out = launch(run, ", const int* in, int n, int w, int h, int below", body, values, count, w, h, below)
            run.same(out, expected)


@case
def rows_walked_up_and_down(run):
    """Steps of the index from block to block that go back, skip rows, and wrap."""
    blocks = 24
    n = blocks * run.threads
    body = (
        FLAT
        + """
      KIND start = (KIND)((blockIdx.x & 1 ? blockIdx.x : gridDim.x - blockIdx.x) * step), k = start + (KIND)i;
      out[i] = (int)(k / width * 3 + k % width) + add[0];
    """
    )
    for kind, bits in (("int", np.int32), ("unsigned", np.uint32)):
        source = (
            f"__global__ void k(int* out, {kind} width, unsigned step, const int* add) {{{body.replace('KIND', kind)}}}"
        )
        i = np.arange(n)
        block = i % (blocks * run.block[0]) // run.block[0]
        for width, step in ((100, 1), (40, 1000), (3_000_000_000 if kind == "unsigned" else 2**31 - 1, 179_000_000)):
            out = np.full(n, -1, np.int32)
            run(source, out, bits(width), np.uint32(step), np.array([1], np.int32), grid=blocks)
            start = np.where(block & 1, block, blocks - block) * step
            k = ((start + i) & 0xFFFFFFFF).astype(np.uint32).astype(bits).astype(np.int64)
            quotient = c_quotient(k, width)
            expected = (quotient * 3 + k - quotient * width + 1).astype(np.uint32).astype(np.int32)
            run.same(out, expected)


@case
def rows_and_columns_of_negative_indices(run):
    """Quotients are cut off towards 0, remainders have the sign of the index; divisors of either sign."""
    n = 2 * run.threads
    body = "int k = i - first; out[i] = k / width * 1000 + k % width + add[0];"
    for width in (-2147483647, -40, -1, 1, 40, 2147483647):
        for first in (5, n // 2, n + 7):
            k = np.arange(n) - first
            quotient = c_quotient(k, width)
            expected = quotient * 1000 + (k - quotient * width) + 4
            out = launch(run, ", int width, int first, const int* add", body, width, first, np.array([4], np.int32))
            run.same(out, expected.astype(np.int32))


@case
def indices_that_wrap(run):
    """Threads at both sides of the largest index, signed and unsigned."""
    n = 2 * run.threads
    for kind, bits in (("int", np.int32), ("unsigned", np.uint32)):
        body = f"{kind} k = first + ({kind})i; out[i] = (int)(k / width * 3 + k % width) + add[0];"
        first = int(np.iinfo(bits).max) - run.threads // 2
        k = ((np.arange(n) + first) & 0xFFFFFFFF).astype(np.uint32).astype(bits).astype(np.int64)
        for width in (100, 1 << 20):
            quotient = c_quotient(k, width)
            expected = (quotient * 3 + k - quotient * width + 1).astype(np.uint32).astype(np.int32)
            parameters = f", {kind} width, {kind} first, const int* add"
            run.same(launch(run, parameters, body, bits(width), bits(first), np.array([1], np.int32)), expected)


@case
def long_indices(run):
    """Of 64 bits."""
    n = 2 * run.threads
    body = "long long k = first + i; out[i] = in[k % width] + (int)(k / width);"
    first = 10_000_000_019
    for width in (40, 1009):
        values = np.arange(width, dtype=np.int32)
        k = first + np.arange(n)
        expected = (values[k % width] + (k // width).astype(np.int32)).astype(np.int32)
        parameters = ", const int* in, long long width, long long first"
        run.same(launch(run, parameters, body, values, np.int64(width), np.int64(first)), expected)


@case
def quotients_of_what_threads_have(run):
    """Each thread its own dividend and divisor, at the limits of the types, behind a branch too."""
    rng = np.random.default_rng(5)
    n = 2 * run.threads
    for kind, bits in (("int", np.int32), ("unsigned", np.uint32), ("short", np.int16), ("unsigned char", np.uint8)):
        limits = np.iinfo(bits)
        a = rng.integers(limits.min, limits.max, n, dtype=bits, endpoint=True)
        b = rng.integers(limits.min, limits.max, n, dtype=bits, endpoint=True) >> rng.integers(
            0, limits.bits - 1, n
        ).astype(bits)
        a[rng.random(n) < 0.2] = limits.max
        a[rng.random(n) < 0.2] = limits.max - 1
        b[(b == 0) | (b == bits(-1 if limits.min else 0))] = 3
        b[rng.random(n) < 0.1] = limits.max
        body = f"""
          {kind} x = a[i], y = b[i];
          if (x % 4 != 3) out[i] = (int)((unsigned)(x / y) * 5u + (unsigned)(x % y));
        """
        wide_a, wide_b = a.astype(np.int64), b.astype(np.int64)
        quotient = c_quotient(wide_a, wide_b)
        value = (quotient * 5 + wide_a - quotient * wide_b).astype(np.uint32).astype(np.int32)
        left = wide_a - c_quotient(wide_a, 4) * 4
        expected = np.where(left != 3, value, -1).astype(np.int32)
        run.same(launch(run, f", const {kind}* a, const {kind}* b", body, a, b), expected)


@case
def sums_in_strides_over_rows(run):
    """What a thread adds up, and what it keeps of its last turn, in strides over rows of several lengths."""
    threads = 2 * run.threads
    body = """
      int sum = 0, last = -7;
      for (int k = i; k < n; k += TOTAL) {
        int row = k / width, channel = row % channels;
        sum += in[k] * factors[channel];
        if (k % width == 3) last = channel;
      }
      out[i] = sum * 16 + last;
    """.replace("TOTAL", str(threads))
    factors = np.array([3, 1, 4, 1, 5], np.int32)
    for width, count in ((1, 40), (5, threads - 3), (37, 5 * threads + 11), (200, 9 * threads), (10**6, 3 * threads)):
        values = np.arange(count, dtype=np.int32) % 1013
        k = np.arange(count)
        channel = k // width % 5
        sums, last = np.zeros(threads, np.int64), np.full(threads, -7)
        np.add.at(sums, k % threads, values * factors[channel])
        chosen = k % width == 3
        last[k[chosen] % threads] = channel[chosen]
        parameters = ", const int* in, const int* factors, int n, int width, int channels"
        out = launch(run, parameters, body, values, factors, count, width, 5)
        run.same(out, (sums * 16 + last).astype(np.int32))


@case
def windows_in_grid_strides(run):
    """Windows that end with their plane, as pooling has them: lanes leave their loops apart."""
    threads = 2 * run.threads
    body = """
      for (int k = i; k < n; k += TOTAL) {
        int x = k % w, y = (k / w) % h, plane = k / w / h;
        int y0 = y * stride, x0 = x * stride, y1 = min(y0 + size, height), x1 = min(x0 + size, width), sum = 0;
        for (int a = y0; a < y1; ++a)
          for (int b = x0; b < x1; ++b) sum += in[(plane * height + a) * width + b];
        out[k] = sum;
      }
    """.replace("TOTAL", str(threads))
    planes, size, stride = 2, 3, 2
    for height, width in ((7, 9), (6, 2 * (threads // 2) + 3)):
        h, w = -(-height // stride), -(-width // stride)
        values = np.arange(planes * height * width, dtype=np.int32) % 101
        padded = np.zeros((planes, height + size, width + size), np.int32)
        padded[:, :height, :width] = values.reshape(planes, height, width)
        expected = sum(
            padded[:, a : a + stride * h : stride, b : b + stride * w : stride]
            for a in range(size)
            for b in range(size)
        )
        count = planes * h * w
        parameters = ", const int* in, int n, int height, int width, int h, int w, int size, int stride"
        out = launch(
            run, parameters, body, values, count, height, width, h, w, size, stride, length=max(count, threads)
        )
        run.same(out[:count], expected.ravel().astype(np.int32))


@case
def parts_of_a_warp_in_strides(run):
    """Several threads a block of a row, which the parts of a warp take in turn: rows with and without a rest."""
    n = 2 * run.threads
    for part, parts in ((4, 4), (16, 2), (8, 3)):
        body = f"""
          int mine = i / {part} % {parts}, column = i % {part}, sum = 0;
          for (int b = mine; b < blocks; b += {parts}) {{
            int q = bytes[b * {part + 2} + column + 2];
            sum += scales[b * {part // 2 + 1}] * ((q & 15) * in[b * {2 * part} + column] - (q >> 4) * in[b * {2 * part} + column + {part}]);
          }}
          out[i] = sum;
        """
        parameters = ", const int* in, const unsigned char* bytes, const short* scales, int blocks"
        for blocks in (1, parts - 1, 4 * parts, 5 * parts + 1):
            values = np.arange(blocks * 2 * part, dtype=np.int32) % 97
            packed = (np.arange(blocks * (part + 2)) * 37 % 256).astype(np.uint8)
            scales = np.arange(blocks * (part // 2 + 1), dtype=np.int16) % 11 + 1
            i = np.arange(n)
            mine, column = i // part % parts, i % part
            sums = np.zeros(n, np.int64)
            for b in range(blocks):
                q = packed[b * (part + 2) + column + 2].astype(np.int64)
                low, high = values[b * 2 * part + column], values[b * 2 * part + column + part]
                here = scales[b * (part // 2 + 1)] * ((q & 15) * low - (q >> 4) * high)
                sums += np.where(b % parts == mine, here, 0)
            out = launch(run, parameters, body, values, packed, scales, blocks)
            run.same(out, sums.astype(np.int32))


@case(blocks=[80, (20, 4), (20, 2, 2), (10, 8), 100])
def rows_of_atomic_operations_in_a_loop(run):
    """Beside updates that wait for each other, quotients of the flat index stand in front of what is versioned."""
    n = run.threads
    body = """
__shared__ int s[SIZE];
const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
s[t] = t;
__syncthreads();
for (int j = 0; j < 2; j++) atomicAdd(&s[(t + j) % SIZE], a[t / 20]);
__syncthreads();
out[blockIdx.x * SIZE + t] = s[t / 20] + t / 20;
"""
    a = np.arange(n, dtype=np.int32) * 3 + 1
    t = np.arange(n, dtype=np.int32)
    sums = t + a[t // 20] + a[(t - 1) % n // 20]
    expected = np.tile(sums[t // 20] + t // 20, 2)
    run.same(launch(run, ", const int* a", body.replace("SIZE", str(n)), a), expected)


@case
def elements_of_a_thread(run):
    """Eight beside each other, whose quotients and remainders are asked about together, up to the last index there is."""
    n = 2 * run.threads
    body = """
for (int k = 0; k < 8; k++) {
  const T e = first + T(i) * 8 + k;
  out[i * 8 + k] = int(unsigned(e / group) * 3 + unsigned(e % group));
}
"""
    for name, kind in (("int", np.int32), ("unsigned", np.uint32), ("long long", np.int64)):
        most = int(np.iinfo(kind).max)
        for group in (1, 7, 8, 32, 64, 100, 128, 1000, most):
            for first in (0, 3, 64, most - 8 * n):
                e = np.array([first + k for k in range(8 * n)], dtype=object)
                expected = np.array([int(v) & 0xFFFFFFFF for v in e // group * 3 + e % group], np.uint32).view(np.int32)
                parameters = f", {name} group, {name} first"
                code = f"using T = {name};" + body
                run.same(launch(run, parameters, code, kind(group), kind(first), length=8 * n), expected)
