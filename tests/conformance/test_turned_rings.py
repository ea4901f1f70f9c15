"""Places on a ring of constant size: neighbours but for its end, read and written, in shared and global memory."""

import numpy as np
from harness import case

TYPES = {"float": np.float32, "int": np.int32, "double": np.float64, "short": np.int16, "unsigned char": np.uint8}


def ring(count, dtype):
    return (np.arange(count) * 37 % 101).astype(dtype)


@case
def turned_in_global_memory(run):
    """By constants and by numbers of the launch, forwards and backwards; of all elements, and of those a guard lets by."""
    for size in (32, 64, 256):
        for name, dtype in TYPES.items():
            source = f"""__global__ void k({name}* read, {name}* written, const {name}* in, int by, int some) {{
              int n = blockDim.x * blockDim.y * blockDim.z;
              int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), i = blockIdx.x * n + t;
              if (i >= {size}) return;
              read[i] = in[(i + 5) & {size - 1}] + in[(i + by) & {size - 1}];
              if ((i ^ by) % some == 0) read[i] += in[(i - 3) & {size - 1}] - in[(by - i) & {size - 1}];
              written[(i + by) & {size - 1}] = in[i] + 1;
              if (i % some == 0) written[(7 - i & {size - 1}) + {size}] = in[i] + 2;
            }}"""
            for by, some in ((0, 1), (1, 2), (15, 3), (size - 1, 5), (-2, 2), (3 * size + 9, 7)):
                values = ring(size, dtype)
                read, written = np.zeros(size, dtype), np.zeros(2 * size, dtype)
                run(source, read, written, values, by, some, grid=-(-size // run.threads))
                at = np.arange(size)
                expected = np.roll(values, -5) + np.roll(values, -by)
                lets = (at ^ by) % some == 0
                expected[lets] += np.roll(values, 3)[lets] - values[(by - at) % size][lets]
                run.same(read, expected, f"{name}, {size}, {by}")
                run.same(written[:size], np.roll(values + np.ones(1, dtype), by), f"{name}, {size}, {by}")
                far = np.zeros(size, dtype)
                some_at = at[::some]
                far[(7 - some_at) % size] = values[some_at] + np.array(2, dtype)
                run.same(written[size:], far, f"{name}, {size}, {by}")


@case(blocks=[(32, 1, 1), (64, 1, 1), (256, 1, 1), (16, 4, 1)])
def turned_in_shared_memory(run):
    """All of a block's elements pass all of its threads."""
    n = run.threads
    source = f"""__global__ void k(int* out, const int* in, int from) {{
      __shared__ int before[{n}], s[{n}];
      int t = threadIdx.x + blockDim.x * threadIdx.y, sum = 0;
      s[t] = in[blockIdx.x * {n} + t];
      before[t] = -t;
      __syncthreads();
      for (int i = from; i < {n}; i++) sum = sum * 3 + s[(t + i) & {n - 1}] * s[(i - t) & {n - 1}];
      int turned = s[(t + 3) & {n - 1}] - s[(t - from - 2) & {n - 1}];
      turned += before[(t + from) & {n - 1}];
      __syncthreads();
      s[(t + from) & {n - 1}] = sum ^ turned;
      __syncthreads();
      out[blockIdx.x * {n} + t] = s[t];
    }}"""
    for start in (0, 1, n - 3):
        values = ring(3 * n, np.int32)
        out = np.zeros_like(values)
        run(source, out, values, start, grid=3)
        expected = np.zeros_like(values)
        for block in range(3):
            own = values[block * n : (block + 1) * n]
            total = np.zeros(n, np.int64)
            for i in range(start, n):
                total = (total * 3 + np.roll(own, -i).astype(np.int64) * own[(i - np.arange(n)) % n]) % 2**32
            turned = np.roll(own, -3) - np.roll(own, start + 2) - (np.arange(n) + start) % n
            result = total.astype(np.uint32).view(np.int32) ^ turned.astype(np.int32)
            expected[block * n : (block + 1) * n] = np.roll(result, start)
        run.same(out, expected, f"from {start}")


@case(blocks=[(32, 1, 1), (64, 1, 1), (100, 1, 1), (256, 1, 1), (16, 4, 1)])
def twisted_in_parts(run):
    """Rings of three blocks of threads, made anew part by part (as a Mersenne twister is): remainders by other numbers than
    powers of two, of places in the first turn, in the second, and in both; signed and unsigned, with quotients."""
    n = run.threads
    for word, size, far in (
        ("int", 3 * n, 2 * n - 19),
        ("unsigned", 3 * n, n + 5),
        ("int", 3 * n + 7, 2 * n),
        ("unsigned", 2 * n + 1, n),
    ):
        source = f"""__global__ void k(unsigned* out, const unsigned* in, int* places) {{
          __shared__ unsigned s[{size}];
          int t = threadIdx.x + blockDim.x * threadIdx.y;
          for (int i = t; i < {size}; i += {n}) s[i] = in[blockIdx.x * {size} + i];
          __syncthreads();
          for ({word} base = 0; base < {size}; base += {n}) {{
            {word} i = base + t; unsigned v = 0; bool on = i < {size};
            if (on) {{
              v = s[i] * 3 + s[(i + 1) % {size}] * 5 + s[(i + {far}) % {size}];
              places[blockIdx.x * {size} + i] = (i + {far}) / {size} * 1000 + (i + {size - 3}) % {size} + (i + {far}) % {size // 3};
            }}
            __syncthreads();
            if (on) s[i] = v;
            __syncthreads();
          }}
          for (int i = t; i < {size}; i += {n}) out[blockIdx.x * {size} + i] = s[i];
        }}"""
        values = (np.arange(2 * size, dtype=np.uint32) * np.uint32(2654435761)).astype(np.uint32)
        out, places = np.zeros_like(values), np.full(2 * size, -1, np.int32)
        run(source, out, values, places, grid=2)
        expected = values.reshape(2, size).copy()
        for base in range(0, size, n):
            i = np.arange(base, min(base + n, size))
            new = (
                expected[:, i] * np.uint32(3)
                + expected[:, (i + 1) % size] * np.uint32(5)
                + expected[:, (i + far) % size]
            )
            expected[:, i] = new
        at = np.arange(size)
        wanted = (at + far) // size * 1000 + (at + size - 3) % size + (at + far) % (size // 3)
        run.same(out, expected.reshape(-1), f"{word}, {size}, {far}")
        run.same(places, np.tile(wanted, 2), f"{word}, {size}, {far}: places")
