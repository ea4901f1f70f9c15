// The project's own declarations of the driver API against NVIDIA's cuda.h, where a toolkit is installed: constants,
// layouts, and the sizes of every routine's parameters.
#include "backend/cuda/driver_api.hpp"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)

namespace ours = lanza::cuda_backend;

namespace {
// Values are taken before cuda.h comes, whose macros have the same names.
constexpr int our_values[] = {ours::CUDA_ERROR_OUT_OF_MEMORY,
                              ours::CUDA_ERROR_ILLEGAL_ADDRESS,
                              ours::CUDA_ERROR_TENSOR_MEMORY_LEAK,
                              ours::CUDA_ERROR_UNKNOWN,
                              ours::CU_STREAM_NON_BLOCKING,
                              ours::CU_EVENT_DISABLE_TIMING,
                              ours::CU_MEMHOSTALLOC_PORTABLE,
                              ours::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                              ours::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                              ours::CU_MEMORYTYPE_HOST,
                              ours::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                              ours::CU_MEM_ALLOCATION_TYPE_PINNED,
                              ours::CU_MEM_LOCATION_TYPE_DEVICE,
                              ours::CU_JIT_ERROR_LOG_BUFFER,
                              ours::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              ours::CU_LAUNCH_ATTRIBUTE_COOPERATIVE};
void* const our_buffer_pointer = ours::CU_LAUNCH_PARAM_BUFFER_POINTER;
void* const our_buffer_size = ours::CU_LAUNCH_PARAM_BUFFER_SIZE;
void* const our_end = ours::CU_LAUNCH_PARAM_END;
}  // namespace

#include <cuda.h>
#include <cudaTypedefs.h>

namespace {

TEST(DriverApi, Constants) {
  const int theirs[] = {CUDA_ERROR_OUT_OF_MEMORY,
                        CUDA_ERROR_ILLEGAL_ADDRESS,
                        CUDA_ERROR_TENSOR_MEMORY_LEAK,
                        CUDA_ERROR_UNKNOWN,
                        CU_STREAM_NON_BLOCKING,
                        CU_EVENT_DISABLE_TIMING,
                        CU_MEMHOSTALLOC_PORTABLE,
                        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                        CU_MEMORYTYPE_HOST,
                        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                        CU_MEM_ALLOCATION_TYPE_PINNED,
                        CU_MEM_LOCATION_TYPE_DEVICE,
                        CU_JIT_ERROR_LOG_BUFFER,
                        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                        CU_LAUNCH_ATTRIBUTE_COOPERATIVE};
  for (std::size_t i = 0; i < std::size(theirs); ++i) EXPECT_EQ(our_values[i], theirs[i]) << i;
  EXPECT_EQ(our_buffer_pointer, CU_LAUNCH_PARAM_BUFFER_POINTER);
  EXPECT_EQ(our_buffer_size, CU_LAUNCH_PARAM_BUFFER_SIZE);
  EXPECT_EQ(our_end, CU_LAUNCH_PARAM_END);
}

TEST(DriverApi, Layouts) {
  EXPECT_EQ(sizeof(ours::CUmemPoolProps), sizeof(CUmemPoolProps));
  EXPECT_EQ(offsetof(ours::CUmemPoolProps, location), offsetof(CUmemPoolProps, location));
  EXPECT_EQ(offsetof(ours::CUmemPoolProps, maxSize), offsetof(CUmemPoolProps, maxSize));
  EXPECT_EQ(sizeof(ours::CUmemAccessDesc), sizeof(CUmemAccessDesc));
  EXPECT_EQ(sizeof(ours::CUlaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(offsetof(ours::CUlaunchAttribute, value), offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(sizeof(ours::CUlaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_EQ(offsetof(ours::CUlaunchConfig, hStream), offsetof(CUlaunchConfig, hStream));
  EXPECT_EQ(offsetof(ours::CUlaunchConfig, numAttrs), offsetof(CUlaunchConfig, numAttrs));
}

/// Sizes of the parameters of a function type: two lists of the same sizes are passed the same way here.
template <class F>
struct Sizes;
template <class R, class... P>
struct Sizes<R(P...)> {
  static std::vector<std::size_t> list() { return {sizeof(R), sizeof(P)...}; }
};
template <class R, class... P>
struct Sizes<R (*)(P...)> : Sizes<R(P...)> {};

#define EXPECT_SAME(typedef_name, ...) \
  EXPECT_EQ((Sizes<PFN_##typedef_name>::list()), (Sizes<ours::CUresult(__VA_ARGS__)>::list())) << #typedef_name

TEST(DriverApi, Routines) {
  using namespace ours;
  EXPECT_SAME(cuLaunchKernel_v4000, ours::CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
              unsigned, ours::CUstream, void**, void**);
  EXPECT_SAME(cuLaunchKernelEx_v11060, const ours::CUlaunchConfig*, ours::CUfunction, void**, void**);
  EXPECT_SAME(cuMemAllocFromPoolAsync_v11020, ours::CUdeviceptr*, std::size_t, ours::CUmemoryPool, ours::CUstream);
  EXPECT_SAME(cuMemsetD2D32Async_v3020, ours::CUdeviceptr, std::size_t, unsigned, std::size_t, std::size_t,
              ours::CUstream);
  EXPECT_SAME(cuMemcpyPeerAsync_v4000, ours::CUdeviceptr, ours::CUcontext, ours::CUdeviceptr, ours::CUcontext,
              std::size_t, ours::CUstream);
  EXPECT_SAME(cuModuleLoadDataEx_v2010, ours::CUmodule*, const void*, unsigned, ours::CUjit_option*, void**);
  EXPECT_SAME(cuFuncGetParamInfo_v12040, ours::CUfunction, std::size_t, std::size_t*, std::size_t*);
  EXPECT_SAME(cuCtxCreate_v3020, ours::CUcontext*, unsigned, ours::CUdevice);
  EXPECT_SAME(cuEventElapsedTime_v2000, float*, ours::CUevent, ours::CUevent);
  EXPECT_SAME(cuMemPoolSetAccess_v11020, ours::CUmemoryPool, const ours::CUmemAccessDesc*, std::size_t);
}

}  // namespace

#else

TEST(DriverApi, AgainstCudasHeader) { GTEST_SKIP() << "no cuda.h on this machine: the declarations were not compared"; }

#endif
