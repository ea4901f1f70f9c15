// The driver's result codes: names, meanings in our words, and the exception that each becomes.
#include "backend/cuda/driver_error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <lanza/error.hpp>

#include "support/log.hpp"

namespace lanza::cuda_backend {

const std::vector<ResultInfo>& all_results() {
  static const auto* const table = new std::vector<ResultInfo>{
      {0, "CUDA_SUCCESS", "no error"},
      {1, "CUDA_ERROR_INVALID_VALUE", "an argument is outside what the routine accepts"},
      {2, "CUDA_ERROR_OUT_OF_MEMORY", "the memory does not suffice"},
      {3, "CUDA_ERROR_NOT_INITIALIZED", "the driver was not initialised"},
      {4, "CUDA_ERROR_DEINITIALIZED", "the driver is shutting down"},
      {5, "CUDA_ERROR_PROFILER_DISABLED", "the profiler is not available for this run"},
      {6, "CUDA_ERROR_PROFILER_NOT_INITIALIZED", "the profiler was not initialised"},
      {7, "CUDA_ERROR_PROFILER_ALREADY_STARTED", "the profiler already runs"},
      {8, "CUDA_ERROR_PROFILER_ALREADY_STOPPED", "the profiler does not run"},
      {34, "CUDA_ERROR_STUB_LIBRARY", "the library is a stub for linking, not a driver"},
      {36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "the call needs a newer driver"},
      {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "the device is busy or reserved for another process"},
      {100, "CUDA_ERROR_NO_DEVICE", "no CUDA device can be seen"},
      {101, "CUDA_ERROR_INVALID_DEVICE", "no such device, or not one for this operation"},
      {102, "CUDA_ERROR_DEVICE_NOT_LICENSED", "the device has no licence for compute"},
      {200, "CUDA_ERROR_INVALID_IMAGE", "the module's image is not valid code"},
      {201, "CUDA_ERROR_INVALID_CONTEXT", "there is no valid current context"},
      {202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT", "the context is already current"},
      {205, "CUDA_ERROR_MAP_FAILED", "mapping failed"},
      {206, "CUDA_ERROR_UNMAP_FAILED", "unmapping failed"},
      {207, "CUDA_ERROR_ARRAY_IS_MAPPED", "the array is mapped and cannot be destroyed"},
      {208, "CUDA_ERROR_ALREADY_MAPPED", "the resource is already mapped"},
      {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "the code holds nothing for this device's architecture"},
      {210, "CUDA_ERROR_ALREADY_ACQUIRED", "the resource was already acquired"},
      {211, "CUDA_ERROR_NOT_MAPPED", "the resource is not mapped"},
      {212, "CUDA_ERROR_NOT_MAPPED_AS_ARRAY", "the resource is not mapped as an array"},
      {213, "CUDA_ERROR_NOT_MAPPED_AS_POINTER", "the resource is not mapped as a pointer"},
      {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "the device's memory had an error that ECC could not correct"},
      {215, "CUDA_ERROR_UNSUPPORTED_LIMIT", "the device does not know this limit"},
      {216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE", "the context is bound to another thread"},
      {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "these devices cannot reach each other's memory"},
      {218, "CUDA_ERROR_INVALID_PTX", "the PTX could not be compiled"},
      {219, "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", "the graphics context is not valid"},
      {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "NVLink had an error that could not be corrected"},
      {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "the driver's PTX compiler library was not found"},
      {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the PTX is newer than this driver"},
      {223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", "compiling PTX is switched off (CUDA_DISABLE_PTX_JIT)"},
      {224, "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", "the device does not support this execution affinity"},
      {225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", "cudaDeviceSynchronize in device code is not supported"},
      {226, "CUDA_ERROR_CONTAINED", "the device had a contained memory error; the process must end"},
      {300, "CUDA_ERROR_INVALID_SOURCE", "the device code's source is not valid"},
      {301, "CUDA_ERROR_FILE_NOT_FOUND", "the file was not found"},
      {302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "a symbol of a shared object was not found"},
      {303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "a shared object could not be initialised"},
      {304, "CUDA_ERROR_OPERATING_SYSTEM", "a call of the operating system failed"},
      {400, "CUDA_ERROR_INVALID_HANDLE", "the handle is not valid here (another context's, or destroyed)"},
      {401, "CUDA_ERROR_ILLEGAL_STATE", "the resource is not in a state that allows this"},
      {402, "CUDA_ERROR_LOSSY_QUERY", "the query would lose information"},
      {500, "CUDA_ERROR_NOT_FOUND", "no such symbol"},
      {600, "CUDA_ERROR_NOT_READY", "the work is not done yet"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "a thread read or wrote memory that is not allocated"},
      {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
       "the launch needs more registers, shared memory or threads than there are"},
      {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the kernel ran longer than the system allows"},
      {703, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", "the kernel's texturing mode does not fit"},
      {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
      {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access is not enabled"},
      {708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "the primary context is already in use"},
      {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "the context was destroyed"},
      {710, "CUDA_ERROR_ASSERT", "an assert in the kernel failed"},
      {711, "CUDA_ERROR_TOO_MANY_PEERS", "no more peer connections are possible"},
      {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "the host memory is already registered"},
      {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "the host memory is not registered"},
      {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "a thread's call stack overflowed or was corrupted"},
      {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "a thread met an illegal instruction"},
      {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "a thread read or wrote at a misaligned address"},
      {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "an instruction was given an address of the wrong memory space"},
      {718, "CUDA_ERROR_INVALID_PC", "a thread jumped outside the code"},
      {719, "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed while it ran"},
      {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "the grid has more blocks than can be resident at once"},
      {721, "CUDA_ERROR_TENSOR_MEMORY_LEAK", "a kernel ended without freeing its tensor memory"},
      {800, "CUDA_ERROR_NOT_PERMITTED", "the operation is not permitted"},
      {801, "CUDA_ERROR_NOT_SUPPORTED", "this device or driver does not support the operation"},
      {802, "CUDA_ERROR_SYSTEM_NOT_READY", "the system is not ready (is the fabric manager running?)"},
      {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
       "the driver's library and its kernel module have different versions; reboot or reinstall"},
      {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "forward compatibility is not supported on this device"},
      {805, "CUDA_ERROR_MPS_CONNECTION_FAILED", "the MPS control daemon or server cannot be reached"},
      {806, "CUDA_ERROR_MPS_RPC_FAILURE", "a call to the MPS server failed"},
      {807, "CUDA_ERROR_MPS_SERVER_NOT_READY", "the MPS server does not take new clients"},
      {808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "the MPS server has no room for more clients"},
      {809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "the device has no room for more MPS connections"},
      {810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", "the MPS server ended this client"},
      {811, "CUDA_ERROR_CDP_NOT_SUPPORTED", "launching kernels from kernels is not supported"},
      {812, "CUDA_ERROR_CDP_VERSION_MISMATCH", "versions of the device runtime do not fit"},
      {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "the operation cannot be captured into a graph"},
      {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "an earlier error invalidated the stream's capture"},
      {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "two independent captures would be merged"},
      {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "the capture was not begun on this stream"},
      {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "the capture has forks that were not joined"},
      {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "a dependency would cross the capture's boundary"},
      {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "the legacy stream would depend on a capturing stream"},
      {907, "CUDA_ERROR_CAPTURED_EVENT", "the event was last recorded in a capturing stream"},
      {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "the capture belongs to another thread"},
      {909, "CUDA_ERROR_TIMEOUT", "the operation's time ran out"},
      {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "the graph differs too much for an update in place"},
      {911, "CUDA_ERROR_EXTERNAL_DEVICE", "a device outside CUDA's control failed"},
      {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "the cluster size does not fit the kernel"},
      {913, "CUDA_ERROR_FUNCTION_NOT_LOADED", "the function is not loaded"},
      {914, "CUDA_ERROR_INVALID_RESOURCE_TYPE", "the resource is of the wrong type"},
      {915, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION", "the resource's configuration is not valid"},
      {916, "CUDA_ERROR_KEY_ROTATION", "a key rotation is under way"},
      {999, "CUDA_ERROR_UNKNOWN", "the driver gives no reason"},
  };
  return *table;
}

ResultInfo describe(int code) noexcept {
  const auto& table = all_results();
  const auto at =
      std::lower_bound(table.begin(), table.end(), code, [](const ResultInfo& r, int c) { return r.code < c; });
  if (at != table.end() && at->code == code) return *at;
  return {code, "unrecognised error code", "newer than this version of Lanza"};
}

Failure classify(int code) noexcept {
  switch (code) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return Failure::OutOfMemory;
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
      return Failure::KernelFault;
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING:
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
      return Failure::Launch;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_NOT_INITIALIZED:
      return Failure::Unavailable;
    default:
      return Failure::Driver;
  }
}

void throw_result(CUresult result, const char* routine, const std::string& details,
                  const std::vector<std::string>& kernels) {
  const ResultInfo info = describe(result);
  const std::string text =
      fmt::format("{}({}) failed: {} ({}): {}", routine, details, info.name, info.code, info.meaning);
  switch (classify(result)) {
    case Failure::OutOfMemory:
      throw OutOfMemory(text);
    case Failure::Unavailable:
      throw Unavailable(text);
    case Failure::Launch:
      throw LaunchError(text, kernels.empty() ? std::string() : kernels.front());
    case Failure::Driver:
      throw DriverError(text, routine, info.code, info.name);
    case Failure::KernelFault:
      break;
  }
  const std::string who = kernels.empty()       ? "a kernel that this library did not launch"
                          : kernels.size() == 1 ? fmt::format("kernel {}", kernels.front())
                                                : fmt::format("one of the kernels {}", fmt::join(kernels, ", "));
  throw LaunchError(
      fmt::format(
          "{} failed: {} ({}, {}; reported by {}). The driver does no more work for this process, in a new context "
          "neither: what needs the GPU must start again in a new process",
          who, info.meaning, info.name, info.code, routine),
      kernels.size() == 1 ? kernels.front() : std::string());
}

void report_cleanup(CUresult result, const char* routine) noexcept {
  switch (result) {
    case CUDA_SUCCESS:
      return;
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
      log::debug("{} while cleaning up: {} (nothing is left to clean up)", routine, describe(result).name);
      return;
    default:
      // After a kernel's fault every call of its context answers the fault again; who launched it was told by an
      // exception.
      if (classify(result) == Failure::KernelFault) {
        log::info("{} while cleaning up a lost context: {}", routine, describe(result).name);
      } else {
        log::warning("{} failed while cleaning up: {} ({}): {}", routine, describe(result).name, int{result},
                     describe(result).meaning);
      }
  }
}

}  // namespace lanza::cuda_backend
