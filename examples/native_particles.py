"""Templates, a struct by value, a constant, buffers and a stream: particles that fall."""

import numpy as np

import lanza

SOURCE = """
template <class T> struct World { T gravity, floor; };
__constant__ float bounce = 0.5f;

template <class T>
__global__ void step(T* height, T* speed, int n, World<T> world, T dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  speed[i] += world.gravity * dt;
  height[i] += speed[i] * dt;
  if (height[i] >= world.floor) return;
  height[i] = world.floor;
  speed[i] *= -T(bounce);
}
"""

n = 100_000
module = lanza.compile(SOURCE, names=["step<float>", "step<double>"])

for dtype, name in ((np.float32, "step<float>"), (np.float64, "step<double>")):
    world = np.array((-9.81, 0), dtype=[("gravity", dtype), ("floor", dtype)])
    stream = lanza.Stream()
    with stream:
        height = lanza.to_device(np.linspace(1, 2, n, dtype=dtype))
        speed = lanza.Buffer(n, dtype)
        speed.fill(0)
        start = stream.record()
        for _ in range(100):
            module[name](height, speed, n, world, 0.01, grid=-(-n // 256), block=256)
        end = stream.record()
        stream.synchronize()
        print(f"{name}: mean height {height.numpy().mean():.6f}, {end.time_since(start) / 100:.3f} ms a step")
