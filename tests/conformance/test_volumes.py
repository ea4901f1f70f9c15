"""Threads that go up a volume without a barrier, and read what their neighbours in a plane read."""

import numpy as np
from harness import case

BLOCKS = [(32, 8, 1), (64, 2, 1), (32, 2, 2), (32, 3, 1), (16, 16, 1)]
HEAD = """__global__ void k(const T* in, T* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = (blockIdx.y * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z;
  int plane = nx * ny;
"""


def volumes(run):
    """(nz, ny, nx): whole blocks and others, and no turns at all."""
    columns, rows = run.block[0], run.block[1] * run.block[2]
    return [(5, 2 * rows, 3 * columns), (4, rows + 3, columns + 5), (3, rows, columns), (2, rows, columns)]


def check(run, body, expected, dtype=np.int32, type_name="int"):
    source = HEAD.replace("T*", type_name + "*") + body + "}"
    for shape in volumes(run):
        volume = (np.arange(np.prod(shape)) * 7919 % 101 + 1).astype(dtype).reshape(shape)
        out = np.full(shape, -1, dtype)
        rows = run.block[1] * run.block[2]
        grid = (-(-shape[2] // run.block[0]), -(-shape[1] // rows))
        run(source, volume, out, shape[2], shape[1], shape[0], grid=grid)
        run.same(out, expected(volume))


def star(volume):
    out = np.full_like(volume, -1)
    v = volume[1:-1, 1:-1]
    out[1:-1, 1:-1, 1:-1] = (
        v[:, :, 1:-1]
        + 2 * v[:, :, :-2]
        + 3 * v[:, :, 2:]
        + 5 * volume[1:-1, :-2, 1:-1]
        + 7 * volume[1:-1, 2:, 1:-1]
        + 11 * volume[:-2, 1:-1, 1:-1]
        + 13 * volume[2:, 1:-1, 1:-1]
    )
    return out


STAR = """out[p] = in[p] + 2 * in[p - 1] + 3 * in[p + 1] + 5 * in[p - nx] + 7 * in[p + nx]
       + 11 * in[p - plane] + 13 * in[p + plane];"""
AT_EDGE = "x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1"


@case(blocks=BLOCKS)
def threads_at_the_edge_leave(run):
    body = f"if ({AT_EDGE}) return; for (int z = 1; z < nz - 1; z++) {{ int p = (z * ny + y) * nx + x; {STAR} }}"
    check(run, body, star)
    check(run, body, star, np.float64, "double")


@case(blocks=BLOCKS)
def threads_at_the_edge_go_along(run):
    body = f"""if (x >= nx || y >= ny) return;
      for (int z = 1; z < nz - 1; z++) {{ int p = (z * ny + y) * nx + x; if (!({AT_EDGE})) {{ {STAR} }} }}"""
    check(run, body, star)


@case(blocks=BLOCKS)
def values_handed_on(run):
    """Three planes in registers, and nothing to do for those who leave."""
    body = f"""if ({AT_EDGE}) return;
      int p = y * nx + x, below, here = in[p], above = nz > 1 ? in[p + plane] : 0;
      for (int z = 1; z < nz - 1; z++) {{
        p += plane; below = here; here = above; above = in[p + plane];
        out[p] = here + 2 * in[p - 1] + 3 * in[p + 1] + 5 * in[p - nx] + 7 * in[p + nx] + 11 * below + 13 * above;
      }}"""
    check(run, body, star)


@case(blocks=BLOCKS)
def who_leaves_has_work_left(run):
    """Then nobody waits for anybody."""
    body = f"""if (x >= nx || y >= ny) return;
      if (!({AT_EDGE})) for (int z = 1; z < nz - 1; z++) {{ int p = (z * ny + y) * nx + x; {STAR} }}
      if (nz > 2) out[y * nx + x] = 3;"""

    def expected(volume):
        out = star(volume)
        if volume.shape[0] > 2:
            out[0] = 3
        return out

    check(run, body, expected)


@case(blocks=BLOCKS)
def each_thread_as_far_as_it_wants(run):
    """The number of turns is the thread's own."""
    body = f"""if ({AT_EDGE}) return;
      for (int z = 1; z < nz - 1 - x % 2; z++) {{ int p = (z * ny + y) * nx + x; {STAR} }}"""

    def expected(volume):
        out = star(volume)
        if volume.shape[0] > 2:
            out[-2, :, 1::2] = -1
        return out

    check(run, body, expected)


@case(blocks=BLOCKS)
def sums_of_planes(run):
    """What a thread adds up, it stores at the end."""
    body = """if (x >= nx || y >= ny - 1) return;
      int sum = 0;
      for (int z = 0; z < nz; z++) { int p = (z * ny + y) * nx + x; sum = sum * 3 + in[p] - 2 * in[p + nx]; }
      out[y * nx + x] = sum;"""

    def expected(volume):
        out = np.full_like(volume, -1)
        total = np.zeros_like(volume[0, :-1])
        for plane in volume:
            total = total * 3 + plane[:-1] - 2 * plane[1:]
        out[0, :-1] = total
        return out

    check(run, body, expected)
