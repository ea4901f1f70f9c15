"""Tiles and places beside edges of a grid, where groups of threads differ in what they may reach."""

import numpy as np
from harness import case


@case(blocks=[(32, 1, 1), (64, 1, 1), (100, 1, 1), (256, 1, 1)])
def tiles_beside_edges(run):
    """Tiles that overlap, of which fewer threads have work in each turn: neighbours in the tile, or oneself at an edge."""
    n = run.threads
    for word in ("int", "unsigned"):
        for turns in (1, 3):
            source = f"""
            __global__ void k(const int* wall, const int* in, int* out, int columns) {{
              __shared__ int now[{n}], next[{n}];
              {word} t = threadIdx.x;
              int x = blockIdx.x * {n - 2 * turns} + t - {turns};
              bool on = x >= 0 && x < columns, done = false;
              if (on) now[t] = in[x];
              __syncthreads();
              for (int i = 0; i < {turns}; ++i) {{
                done = false;
                if (t >= i + 1 && t <= {n - 2} - i && on) {{
                  done = true;
                  int left = x > 0 ? now[t - 1] : now[t], right = x < columns - 1 ? now[t + 1] : now[t];
                  int beside = now[x == columns - 1 ? t : t + 1];
                  next[t] = left * 3 + now[t] + right * 5 + beside + wall[i * columns + x];
                }}
                __syncthreads();
                if (done) now[t] = next[t];
                __syncthreads();
              }}
              if (done) out[x] = next[t];
            }}"""
            inner = n - 2 * turns
            for columns in (1, 2, inner - 1, inner, inner + 1, 5 * inner, 5 * inner + turns):
                blocks = -(-columns // inner)
                wall = (np.arange(turns * columns) * 37 % 11).astype(np.int32).reshape(turns, columns)
                values = (np.arange(columns) * 29 % 13).astype(np.int32)
                out = np.full(columns, -1, np.int32)
                run(source, wall, values, out, columns, grid=blocks)
                row = values
                for i in range(turns):
                    around = np.pad(row, 1, mode="edge")
                    row = around[:-2] * 3 + row + around[2:] * 6 + wall[i]
                run.same(out, row.astype(np.int32), f"{word}, {turns} turns, {columns}")


@case(blocks=[(16, 16, 1), (32, 8, 1), (8, 8, 1), (64, 4, 1), (17, 5, 1)])
def places_by_branches(run):
    """Each branch loads from a tile, or from what lies around it: beside each other, or the same for a row."""
    w, h, _ = run.block
    for word, kind in (("float", np.float32), ("int", np.int32), ("short", np.int16), ("unsigned char", np.uint8)):
        source = f"""
        __global__ void k(const {word}* in, int* out, int pitch) {{
          __shared__ {word} tile[{h}][{w}], west[{h}], north[{w}];
          const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * {w} + x, row = blockIdx.y * {h} + y;
          tile[y][x] = in[(row + 1) * pitch + column + 1];
          if (x == 0) west[y] = in[(row + 1) * pitch + column];
          if (y == 0) north[x] = in[row * pitch + column + 1];
          __syncthreads();
          {word} left, up, far;
          if (x == 0 && y == 0) {{ left = west[y]; up = north[x]; far = north[{w - 1}]; }}
          else if (y == 0) {{ left = tile[y][x - 1]; up = north[x]; far = tile[{h - 1}][x]; }}
          else if (x == 0) {{ left = west[y]; up = tile[y - 1][x]; far = west[0]; }}
          else {{ left = tile[y][x - 1]; up = tile[y - 1][x]; far = tile[y][x - 1]; }}
          out[row * gridDim.x * {w} + column] = (int)left * 3 + (int)up * 5 + (int)far * 7;
        }}"""
        columns, rows = 3 * w, 2 * h
        plane = (np.arange((rows + 1) * (columns + 1)) * 37 % 101).astype(kind).reshape(rows + 1, columns + 1)
        numbers = plane.astype(np.int32)
        left, up, far = numbers[1:, :-1], numbers[:-1, 1:], numbers[1:, :-1].copy()
        for by in range(0, rows, h):
            for bx in range(0, columns, w):
                far[by, bx + 1 : bx + w] = numbers[by + h, bx + 2 : bx + w + 1]
                far[by : by + h, bx] = numbers[by + 1, bx]
                far[by, bx] = numbers[by, bx + w]
        out = np.full((rows, columns), -1, np.int32)
        run(source, plane, out, columns + 1, grid=(3, 2))
        run.same(out, left * 3 + up * 5 + far * 7, word)
