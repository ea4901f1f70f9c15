"""math_constants.h: special values and the numbers that formulas need."""

import math

import numpy as np
from harness import case

NUMBERS = {
    "ZERO": 0.0,
    "ONE": 1.0,
    "NEG_ZERO": -0.0,
    "INF": math.inf,
    "NAN": math.nan,
    "PI": math.pi,
    "PIO2": math.pi / 2,
    "PIO4": math.pi / 4,
    "2_OVER_PI": 2 / math.pi,
    "SQRT_TWO": math.sqrt(2),
    "SQRT_HALF": math.sqrt(0.5),
    "LN2": math.log(2),
    "LNT": math.log(10),
    "L2E": 1 / math.log(2),
    "L2T": math.log2(10),
    "LG2": math.log10(2),
    "LGE": math.log10(math.e),
    "THIRD": 1 / 3,
}


@case(blocks=[33])
def constants(run):
    """CUDART_ constants in float and double, to a unit in the last place."""
    lines = "".join(f"f[{i}] = CUDART_{n}_F; d[{i}] = CUDART_{n};\n" for i, n in enumerate(NUMBERS))
    source = f"#include <math_constants.h>\n__global__ void k(float* f, double* d) {{\n{lines}}}"
    f, d = np.zeros(len(NUMBERS), np.float32), np.zeros(len(NUMBERS))
    run(source, f, d)
    expected = np.array(list(NUMBERS.values()))
    finite = np.isfinite(expected) & (expected != 0)
    for found in (f, d):
        unit = np.spacing(np.abs(expected[finite]).astype(found.dtype))
        assert (np.abs(found[finite] - expected[finite]) <= unit).all()
        run.same(found[~finite], expected[~finite].astype(found.dtype))


@case(blocks=[33])
def limits_of_floats(run):
    """The smallest and largest numbers."""
    source = """
    #include <math_constants.h>
    __global__ void k(float* f, double* d) {
      f[0] = CUDART_MIN_DENORM_F; f[1] = CUDART_MAX_NORMAL_F; f[2] = CUDART_TWO_TO_M126_F; f[3] = CUDART_TWO_TO_126_F;
      d[0] = CUDART_MIN_DENORM; d[1] = CUDART_TWO_TO_M1022;
    }
    """
    f, d = np.zeros(4, np.float32), np.zeros(2)
    run(source, f, d)
    run.same(f, np.array([2.0**-149, np.finfo(np.float32).max, 2.0**-126, 2.0**126], np.float32))
    run.same(d, np.array([5e-324, 2.0**-1022]))
