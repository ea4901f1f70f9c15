"""The first example in Lanza's own words: element by element, dest = a * b."""

import numpy as np

import lanza

module = lanza.compile("""
__global__ void multiplicar(float* dest, const float* a, const float* b) {
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
""")

a = np.random.randn(400).astype(np.float32)
b = np.random.randn(400).astype(np.float32)
dest = np.zeros_like(a)

module.multiplicar(lanza.out(dest), lanza.in_(a), lanza.in_(b), grid=1, block=400)

print(f"on {lanza.default_device().name}; largest difference: {abs(dest - a * b).max()}")

# A kernel call is checked before anything runs.
try:
    module.multiplicar(dest.astype(np.float64), a, b, block=400)
except TypeError as error:
    print(error)
