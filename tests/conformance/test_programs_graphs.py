"""Whole programs on graphs and trees: data decide what a thread does, atomics say who was first."""

import numpy as np
from harness import case


def random_graph(nodes, edges, seed):
    """Symmetric, as rows of neighbours: (starts, neighbours)."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, nodes, (edges, 2))
    pairs = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    starts = np.searchsorted(pairs[:, 0], np.arange(nodes + 1))
    return starts.astype(np.int32), pairs[:, 1].astype(np.int32)


def levels_of(starts, neighbours, source):
    levels = np.full(len(starts) - 1, -1)
    levels[source], frontier, depth = 0, [source], 0
    while frontier:
        depth, found = depth + 1, []
        for node in frontier:
            for other in neighbours[starts[node] : starts[node + 1]]:
                if levels[other] < 0:
                    levels[other] = depth
                    found.append(other)
        frontier = found
    return levels


BREADTH = """
__global__ void expand(const int* starts, const int* neighbours, int* levels, const int* frontier, int size,
                       int* next, int* count, int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const int node = frontier[i];
  for (int e = starts[node]; e < starts[node + 1]; e++) {
    const int other = neighbours[e];
    if (atomicCAS(&levels[other], -1, depth) == -1) next[atomicAdd(count, 1)] = other;
  }
}
"""


@case(blocks=[32, 100, 256])
def breadth_first_search(run):
    """A queue filled by atomicAdd, nodes claimed by atomicCAS, rows of different length."""
    nodes = 400
    starts, neighbours = random_graph(nodes, 700, 1)
    levels, frontier, depth = np.full(nodes, -1, np.int32), np.array([3], np.int32), 0
    levels[3] = 0
    while frontier.size:
        depth += 1
        found, count = np.zeros(nodes, np.int32), np.zeros(1, np.int32)
        grid = -(-frontier.size // run.block[0])
        run(BREADTH, starts, neighbours, levels, frontier, frontier.size, found, count, depth, grid=grid)
        frontier = np.sort(found[: count[0]])
        if depth > nodes:
            break
    run.same(levels, levels_of(starts, neighbours, 3))


COMPONENTS = """
__device__ int root(volatile int* parent, int i) {
  while (parent[i] != i) i = parent[i];
  return i;
}
__global__ void join(const int* from, const int* to, int edges, int* parent) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += gridDim.x * blockDim.x) {
    int a = root(parent, from[e]), b = root(parent, to[e]);
    while (a != b) {
      if (a < b) { const int t = a; a = b; b = t; }
      const int before = atomicCAS(&parent[a], a, b);  // larger numbers hang below smaller ones
      if (before == a) break;
      a = root(parent, before);
      b = root(parent, b);
    }
  }
}
__global__ void flatten(int* parent, int nodes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nodes) parent[i] = root(parent, i);
}
"""


@case(blocks=[32, 64, 256])
def connected_components(run):
    """Union and find without locks: a retry after a failed exchange, volatile loads in a loop."""
    nodes = 500
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, nodes, (2, 420), np.int32)
    parent = np.arange(nodes, dtype=np.int32)
    run(COMPONENTS, a, b, len(a), parent, grid=3, kernel="join")
    run(COMPONENTS, parent, nodes, grid=-(-nodes // run.block[0]), kernel="flatten")
    label = np.arange(nodes)
    for _ in range(nodes):
        before = label.copy()
        np.minimum.at(label, a, before[b])
        np.minimum.at(label, b, before[a])
        if (label == before).all():
            break
    run.same(parent, label)


SHORTEST = """
__global__ void relax(const int* starts, const int* neighbours, const unsigned* weights, unsigned* distance, int nodes,
                      int* changed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nodes || distance[i] == 0xffffffffu) return;
  const unsigned mine = distance[i];
  for (int e = starts[i]; e < starts[i + 1]; e++)
    if (mine + weights[e] < atomicMin(&distance[neighbours[e]], mine + weights[e])) *changed = 1;
}
"""


@case(blocks=[33, 128])
def shortest_paths(run):
    """atomicMin until nothing changes; every thread that changed something stores the same flag."""
    nodes = 200
    starts, neighbours = random_graph(nodes, 500, 3)
    weights = np.random.default_rng(3).integers(1, 50, len(neighbours)).astype(np.uint32)
    distance = np.full(nodes, 0xFFFFFFFF, np.uint32)
    distance[0] = 0
    for _ in range(nodes):
        changed = np.zeros(1, np.int32)
        run(SHORTEST, starts, neighbours, weights, distance, nodes, changed, grid=-(-nodes // run.block[0]))
        if not changed[0]:
            break
    expected = np.full(nodes, 0xFFFFFFFF, np.int64)
    expected[0] = 0
    rows = np.repeat(np.arange(nodes), np.diff(starts))
    for _ in range(nodes):
        reachable = expected[rows] != 0xFFFFFFFF
        np.minimum.at(expected, neighbours[reachable], (expected[rows] + weights)[reachable])
    run.same(distance, expected)


WARSHALL = """
__global__ void step(int* d, int n, int k) {
  __shared__ int row;
  const int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) row = d[i * n + k];
  __syncthreads();
  if (j >= n || row == 0x3fffffff) return;
  const int through = row + d[k * n + j];
  if (through < d[i * n + j]) d[i * n + j] = through;
}
"""


@case(blocks=[32, 50])
def floyd_and_warshall(run):
    """One thread loads what its block needs; early return behind the barrier."""
    n = 60
    rng = np.random.default_rng(4)
    d = np.where(rng.random((n, n)) < 0.1, rng.integers(1, 100, (n, n)), 0x3FFFFFFF).astype(np.int32)
    np.fill_diagonal(d, 0)
    expected = d.astype(np.int64)
    for k in range(n):
        run(WARSHALL, d, n, k, grid=(-(-n // run.block[0]), n))
        expected = np.minimum(expected, expected[:, k : k + 1] + expected[k])
    run.same(d, np.where(expected >= 0x3FFFFFFF, 0x3FFFFFFF, expected))


BY_WARP = """
__global__ void spmv(const int* starts, const int* columns, const int* values, const int* x, int* y, int rows) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= rows) return;
  int sum = 0;
  for (int e = starts[warp] + lane; e < starts[warp + 1]; e += 32) sum += values[e] * x[columns[e]];
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (lane == 0) y[warp] = sum;
}
"""


@case(blocks=[32, 96, 256])
def sparse_product_by_warps(run):
    """A warp a row: rows shorter and longer than a warp, whole warps that return."""
    rng = np.random.default_rng(5)
    lengths = rng.integers(0, 90, 37)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    columns, values = (rng.integers(0, 64, starts[-1], np.int32) for _ in range(2))
    x, y = rng.integers(-9, 9, 64, np.int32), np.zeros(37, np.int32)
    run(BY_WARP, starts, columns, values, x, y, 37, grid=-(-37 * 32 // run.block[0]))
    rows = np.repeat(np.arange(37), lengths)
    run.same(y, np.bincount(rows, values * x[columns], minlength=37))


TREE = """
struct Node { float split; int left, right; short axis; bool leaf; };
__global__ void nearest(const Node* nodes, const float2* points, const float2* queries, int n, int* found) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= n) return;
  const float2 p = queries[q];
  int stack[16], top = 0, best = -1;
  float least = 1e30f;
  stack[top++] = 0;
  while (top) {
    const Node node = nodes[stack[--top]];
    if (node.leaf) {
      for (int i = node.left; i < node.right; i++) {
        const float dx = points[i].x - p.x, dy = points[i].y - p.y, d = dx * dx + dy * dy;
        if (d < least || (d == least && i < best)) { least = d; best = i; }
      }
      continue;
    }
    const float away = (node.axis ? p.y : p.x) - node.split;
    const int near = away <= 0 ? node.left : node.right, far = away <= 0 ? node.right : node.left;
    if (away * away <= least) stack[top++] = far;
    stack[top++] = near;
  }
  found[q] = best;
}
"""


@case(blocks=[32, 100])
def nearest_neighbours_in_a_tree(run):
    """A walk with its own stack in a private array with variable index; structs with padding."""
    rng = np.random.default_rng(6)
    points = rng.integers(0, 1000, (150, 2)).astype(np.float32)
    node = np.dtype([("split", "f4"), ("left", "i4"), ("right", "i4"), ("axis", "i2"), ("leaf", "?")], align=True)
    nodes, order = [], []

    def build(indices, depth):
        at = len(nodes)
        nodes.append(None)
        if len(indices) <= 5:
            nodes[at] = (0, len(order), len(order) + len(indices), 0, True)
            order.extend(indices)
            return at
        axis = depth % 2
        indices = sorted(indices, key=lambda i: points[i][axis])
        half = len(indices) // 2
        split = points[indices[half - 1]][axis]
        nodes[at] = (split, build(indices[:half], depth + 1), build(indices[half:], depth + 1), axis, False)
        return at

    build(list(range(150)), 0)
    ordered = np.ascontiguousarray(points[order])
    queries = rng.integers(0, 1000, (301, 2)).astype(np.float32)
    found = np.zeros(301, np.int32)
    arguments = (np.array(nodes, node), ordered.view("V8"), queries.view("V8"), 301, found)
    run(TREE, *arguments, grid=-(-301 // run.block[0]))
    squared = ((ordered[None] - queries[:, None]) ** 2).sum(2)
    run.same(squared[np.arange(301), found], squared.min(1))
