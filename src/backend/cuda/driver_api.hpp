// The part of the CUDA driver API that Lanza calls: types, constants and routines as NVIDIA's documentation gives them.
// The build needs no CUDA toolkit. Routines carry the names that libcuda exports, with their ABI version
// (cuMemAlloc_v2).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanza::cuda_backend {

using CUdevice = int;
using CUdeviceptr = std::uintptr_t;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;

/// Codes that the code tells apart; driver_error.cpp knows all of them by name and meaning.
enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING = 703,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
  CUDA_ERROR_TENSOR_MEMORY_LEAK = 721,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_UNKNOWN = 999
};

enum : unsigned {
  CU_CTX_SCHED_AUTO = 0,
  CU_STREAM_DEFAULT = 0,
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_MEMHOSTALLOC_PORTABLE = 1
};

enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
};

enum CUpointer_attribute : int { CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2 };
enum CUmemorytype : unsigned { CU_MEMORYTYPE_HOST = 1 };

enum CUmemPool_attribute : int { CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4 };
enum : int { CU_MEM_ALLOCATION_TYPE_PINNED = 1, CU_MEM_LOCATION_TYPE_DEVICE = 1 };

struct CUmemLocation {
  int type, id;
};

struct CUmemPoolProps {
  int allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  int handleTypes = 0;
  CUmemLocation location{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  void* win32SecurityAttributes = nullptr;
  std::size_t maxSize = 0;
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};

struct CUmemAccessDesc {
  CUmemLocation location;
  int flags;  ///< 3: read and write
};

enum CUjit_option : int {
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6
};

enum CUlaunchAttributeID : int { CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2 };

struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  alignas(8) union {
    int cooperative;
    char pad[64];
  } value;
};

struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute* attrs;
  unsigned numAttrs;
};

/// Markers in the `extra` list of a launch whose arguments come as one packed block.
inline void* const CU_LAUNCH_PARAM_END = nullptr;
inline void* const CU_LAUNCH_PARAM_BUFFER_POINTER = reinterpret_cast<void*>(1);
inline void* const CU_LAUNCH_PARAM_BUFFER_SIZE = reinterpret_cast<void*>(2);

}  // namespace lanza::cuda_backend

/// X(name, parameters...) for each routine.
#define LANZA_DRIVER_ROUTINES(X)                                                                              \
  X(cuInit, unsigned flags)                                                                                   \
  X(cuDriverGetVersion, int* version)                                                                         \
  X(cuDeviceGetCount, int* count)                                                                             \
  X(cuDeviceGet, CUdevice* device, int ordinal)                                                               \
  X(cuDeviceGetName, char* name, int length, CUdevice device)                                                 \
  X(cuDeviceTotalMem_v2, std::size_t* bytes, CUdevice device)                                                 \
  X(cuDeviceGetAttribute, int* value, int attribute, CUdevice device)                                         \
  X(cuDeviceGetPCIBusId, char* id, int length, CUdevice device)                                               \
  X(cuDeviceCanAccessPeer, int* can, CUdevice device, CUdevice peer)                                          \
  X(cuDevicePrimaryCtxRetain, CUcontext* context, CUdevice device)                                            \
  X(cuDevicePrimaryCtxRelease_v2, CUdevice device)                                                            \
  X(cuCtxCreate_v2, CUcontext* context, unsigned flags, CUdevice device)                                      \
  X(cuCtxDestroy_v2, CUcontext context)                                                                       \
  X(cuCtxGetCurrent, CUcontext* context)                                                                      \
  X(cuCtxPushCurrent_v2, CUcontext context)                                                                   \
  X(cuCtxPopCurrent_v2, CUcontext* context)                                                                   \
  X(cuCtxSynchronize)                                                                                         \
  X(cuCtxGetStreamPriorityRange, int* least, int* greatest)                                                   \
  X(cuStreamCreateWithPriority, CUstream* stream, unsigned flags, int priority)                               \
  X(cuStreamDestroy_v2, CUstream stream)                                                                      \
  X(cuStreamSynchronize, CUstream stream)                                                                     \
  X(cuStreamQuery, CUstream stream)                                                                           \
  X(cuStreamGetCtx, CUstream stream, CUcontext* context)                                                      \
  X(cuStreamWaitEvent, CUstream stream, CUevent event, unsigned flags)                                        \
  X(cuEventCreate, CUevent* event, unsigned flags)                                                            \
  X(cuEventDestroy_v2, CUevent event)                                                                         \
  X(cuEventRecord, CUevent event, CUstream stream)                                                            \
  X(cuEventQuery, CUevent event)                                                                              \
  X(cuEventSynchronize, CUevent event)                                                                        \
  X(cuEventElapsedTime, float* milliseconds, CUevent start, CUevent end)                                      \
  X(cuMemGetInfo_v2, std::size_t* free, std::size_t* total)                                                   \
  X(cuMemAlloc_v2, CUdeviceptr* address, std::size_t bytes)                                                   \
  X(cuMemFree_v2, CUdeviceptr address)                                                                        \
  X(cuMemHostAlloc, void** address, std::size_t bytes, unsigned flags)                                        \
  X(cuMemFreeHost, void* address)                                                                             \
  X(cuMemPoolCreate, CUmemoryPool* pool, const CUmemPoolProps* properties)                                    \
  X(cuMemPoolDestroy, CUmemoryPool pool)                                                                      \
  X(cuMemPoolSetAttribute, CUmemoryPool pool, CUmemPool_attribute attribute, void* value)                     \
  X(cuMemPoolTrimTo, CUmemoryPool pool, std::size_t bytes_to_keep)                                            \
  X(cuMemPoolSetAccess, CUmemoryPool pool, const CUmemAccessDesc* access, std::size_t count)                  \
  X(cuMemAllocFromPoolAsync, CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool, CUstream stream)     \
  X(cuMemFreeAsync, CUdeviceptr address, CUstream stream)                                                     \
  X(cuMemcpyHtoD_v2, CUdeviceptr destination, const void* source, std::size_t bytes)                          \
  X(cuMemcpyHtoDAsync_v2, CUdeviceptr destination, const void* source, std::size_t bytes, CUstream stream)    \
  X(cuMemcpyDtoHAsync_v2, void* destination, CUdeviceptr source, std::size_t bytes, CUstream stream)          \
  X(cuMemcpyDtoDAsync_v2, CUdeviceptr destination, CUdeviceptr source, std::size_t bytes, CUstream stream)    \
  X(cuMemcpyPeerAsync, CUdeviceptr destination, CUcontext destination_context, CUdeviceptr source,            \
    CUcontext source_context, std::size_t bytes, CUstream stream)                                             \
  X(cuMemsetD8Async, CUdeviceptr destination, unsigned char value, std::size_t count, CUstream stream)        \
  X(cuMemsetD16Async, CUdeviceptr destination, unsigned short value, std::size_t count, CUstream stream)      \
  X(cuMemsetD32Async, CUdeviceptr destination, unsigned value, std::size_t count, CUstream stream)            \
  X(cuMemsetD2D32Async, CUdeviceptr destination, std::size_t pitch, unsigned value, std::size_t width,        \
    std::size_t height, CUstream stream)                                                                      \
  X(cuPointerGetAttribute, void* value, CUpointer_attribute attribute, CUdeviceptr address)                   \
  X(cuModuleLoadDataEx, CUmodule* module, const void* image, unsigned option_count, CUjit_option* options,    \
    void** values)                                                                                            \
  X(cuModuleUnload, CUmodule module)                                                                          \
  X(cuModuleGetFunction, CUfunction* function, CUmodule module, const char* name)                             \
  X(cuModuleGetGlobal_v2, CUdeviceptr* address, std::size_t* bytes, CUmodule module, const char* name)        \
  X(cuFuncGetAttribute, int* value, CUfunction_attribute attribute, CUfunction function)                      \
  X(cuFuncSetAttribute, CUfunction function, CUfunction_attribute attribute, int value)                       \
  X(cuFuncGetParamInfo, CUfunction function, std::size_t index, std::size_t* offset, std::size_t* size)       \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, int* blocks, CUfunction function, int block_size,            \
    std::size_t dynamic_shared)                                                                               \
  X(cuLaunchKernel, CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
    unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** parameters, void** extra)    \
  X(cuLaunchKernelEx, const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra)
