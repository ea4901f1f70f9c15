"""cuComplex: arithmetic with CUDA's own formulas, conversions, magnitudes without overflow."""

import numpy as np
from harness import case

PRECISIONS = {"float": np.float32, "double": np.float64}


def operands(dtype, n):
    random = np.random.default_rng(n)
    scale = np.exp2(random.integers(-6, 7, (3, n, 2)))
    return (random.uniform(-1, 1, (3, n, 2)) * scale).astype(dtype)


def sources(dtype, text):
    """The text, written for float; the double functions have no suffix."""
    if dtype is np.float32:
        return text
    return text.replace("cuFloatComplex", "cuDoubleComplex").replace("f(", "(").replace("float ", "double ")


@case(each=PRECISIONS)
def arithmetic(run, dtype):
    """cuCadd, cuCsub, cuCmul, cuCdiv, cuCfma, cuConj and the parts, bit for bit."""
    x, y, z = operands(dtype, run.threads)
    out = np.zeros((7, run.threads, 2), dtype)
    run(
        sources(
            dtype,
            """
            #include <cuComplex.h>
            __global__ void k(const cuFloatComplex* x, const cuFloatComplex* y, const cuFloatComplex* z, cuFloatComplex* out,
                              int n) {
              const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
              cuFloatComplex* o = out + t;
              o[0] = cuCaddf(x[t], y[t]);
              o[n] = cuCsubf(x[t], y[t]);
              o[2 * n] = cuCmulf(x[t], y[t]);
              o[3 * n] = cuCdivf(x[t], y[t]);
              o[4 * n] = cuCfmaf(x[t], y[t], z[t]);
              o[5 * n] = cuConjf(x[t]);
              o[6 * n] = make_cuFloatComplex(cuCimagf(x[t]), cuCrealf(y[t]));
            }
            """,
        ),
        *(np.ascontiguousarray(v).view(np.complex64 if dtype is np.float32 else np.complex128) for v in (x, y, z)),
        out.view(np.complex64 if dtype is np.float32 else np.complex128), run.threads,
    )  # fmt: skip
    a, b, c, d, e, f = x[:, 0], x[:, 1], y[:, 0], y[:, 1], z[:, 0], z[:, 1]
    inverse = dtype(1) / (np.abs(c) + np.abs(d))
    p, q, r, s = a * inverse, b * inverse, c * inverse, d * inverse
    scale = dtype(1) / (r * r + s * s)
    wanted = [
        (a + c, b + d), (a - c, b - d), (a * c - b * d, a * d + b * c), ((p * r + q * s) * scale, (q * r - p * s) * scale),
        (-(b * d) + (a * c + e), b * c + (a * d + f)), (a, -b), (b, c),
    ]  # fmt: skip
    for got, want in zip(out, wanted, strict=True):
        run.same(got, np.stack(want, 1))


@case(each=PRECISIONS)
def magnitude(run, dtype):
    """cuCabs neither overflows nor underflows on the way."""
    x = operands(dtype, run.threads)[0]
    x[::3] *= np.finfo(dtype).max / 128
    x[1::3] *= np.finfo(dtype).tiny * 64
    x[2::7, 0] = 0
    out = np.zeros(run.threads, dtype)
    run(
        sources(
            dtype,
            """
            #include <cuComplex.h>
            __global__ void k(const cuFloatComplex* x, float * out) {
              const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
              out[t] = cuCabsf(x[t]);
            }
            """,
        ),
        x.view(np.complex64 if dtype is np.float32 else np.complex128), out,
    )  # fmt: skip
    run.close(out, np.hypot(x[:, 0].astype(np.longdouble), x[:, 1].astype(np.longdouble)), 4)


@case
def between_precisions(run):
    """cuComplexFloatToDouble and back, and the name cuComplex."""
    x = operands(np.float64, run.threads)[0]
    narrow, wide = np.zeros((run.threads, 2), np.float32), np.zeros((run.threads, 2))
    run(
        """
        #include <cuComplex.h>
        __global__ void k(const cuDoubleComplex* x, cuComplex* narrow, cuDoubleComplex* wide) {
          const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          cuComplex c = cuComplexDoubleToFloat(x[t]);
          narrow[t] = make_cuComplex(c.x, c.y);
          wide[t] = cuComplexFloatToDouble(c);
        }
        """,
        x.view(np.complex128), narrow.view(np.complex64), wide.view(np.complex128),
    )  # fmt: skip
    run.same(narrow, x.astype(np.float32))
    run.same(wide, x.astype(np.float32).astype(float))
