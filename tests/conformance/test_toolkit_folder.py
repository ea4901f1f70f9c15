"""The toolkit's folder on the include path: its headers give way to those of the CPU device."""

import numpy as np
import pytest
from engines import toolkit_includes
from harness import case

THREAD = "const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);"

# What NVRTC takes of the toolkit's folder; on the CPU device its own headers stand in their place.
TOOLKIT = [
    "builtin_types.h",
    "common_functions.h",
    "cooperative_groups.h",
    "cooperative_groups/memcpy_async.h",
    "cooperative_groups/reduce.h",
    "cooperative_groups/scan.h",
    "cuComplex.h",
    "cuda_awbarrier.h",
    "cuda_awbarrier_primitives.h",
    "cuda_bf16.h",
    "cuda_device_runtime_api.h",
    "cuda_fp16.h",
    "cuda_pipeline.h",
    "cuda_pipeline_primitives.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "curand_kernel.h",
    "device_atomic_functions.h",
    "device_double_functions.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "device_types.h",
    "driver_types.h",
    "host_defines.h",
    "library_types.h",
    "math_constants.h",
    "math_functions.h",
    "mma.h",
    "sm_20_atomic_functions.h",
    "sm_20_intrinsics.h",
    "sm_30_intrinsics.h",
    "sm_32_atomic_functions.h",
    "sm_32_intrinsics.h",
    "sm_35_atomic_functions.h",
    "sm_35_intrinsics.h",
    "sm_60_atomic_functions.h",
    "sm_61_intrinsics.h",
    "surface_types.h",
    "texture_types.h",
    "vector_functions.h",
    "vector_types.h",
]


@case(blocks=[33, 256])
def the_toolkits_folder(run):
    """Half precision, bfloat16, random numbers and groups with the toolkit's folder on the path, after all of its headers."""
    folders = toolkit_includes()
    if not folders:
        pytest.skip("no CUDA toolkit")
    out = np.zeros((run.threads, 5), np.float32)
    headers = [f"#include <{header}>" for header in TOOLKIT if (folders[0] / header).exists()]
    run(
        "\n".join(headers)
        + f"""
        #include "cuda_fp16.h"
        namespace cg = cooperative_groups;
        __global__ void k(float* out) {{
          {THREAD}
          auto tile = cg::tiled_partition<4>(cg::this_thread_block());
          curandStatePhilox4_32_10_t state;
          curand_init(7, t, 0, &state);
          float* mine = out + 5 * t;
          mine[0] = __half2float(__hadd(__float2half(t), __float2half(0.5f)));
          mine[1] = __bfloat162float(__float2bfloat16(t + 0.25f));
          mine[2] = curand(&state) % 2 + 2;
          mine[3] = cg::reduce(tile, (int)t % 4, cg::plus<int>());
          mine[4] = cuCabsf(make_cuFloatComplex(3, 4));
        }}
        """,
        out,
        include_dirs=folders,
    )
    t = np.arange(run.threads)
    run.same(out[:, 0], (t + 0.5).astype(np.float16).astype(np.float32))
    bfloat = (t + 0.25).astype(np.float32).view(np.uint32)
    bfloat = ((bfloat + 0x7FFF + (bfloat >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    run.same(out[:, 1], bfloat)
    assert np.isin(out[:, 2], (2, 3)).all()
    whole = t < run.threads // 4 * 4
    run.same(out[whole, 3], np.full(whole.sum(), 6.0))
    run.same(out[:, 4], np.full(run.threads, 5.0))


@case
def toolkit_half(run):
    """cuda_fp16.h by the toolkit's path: conversions and sums of halves."""
    folders, out = toolkit_includes(), np.zeros(run.threads, np.float32)
    if not folders:
        pytest.skip("no CUDA toolkit")
    run(
        f"""
        #include "{folders[0]}/cuda_fp16.h"
        __global__ void k(float* out) {{
          {THREAD}
          out[t] = __half2float(__hadd(__float2half((float)t), __float2half(0.25f)));
        }}
        """,
        out,
        include_dirs=folders,
    )
    run.same(out, (np.arange(run.threads).astype(np.float16) + np.float16(0.25)).astype(np.float32))
