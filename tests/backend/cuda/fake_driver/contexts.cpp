// The fake driver's devices, contexts, streams and events.
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "backend/cuda/fake_driver/state.hpp"

using namespace lanza::fake;

namespace {

/// What an H200 answers, for the attributes that the code reads.
int default_attribute(int attribute) {
  switch (attribute) {
    case 1:
      return 1024;  // max_threads_per_block
    case 2:
    case 3:
      return 1024;  // max_block_dim_x, y
    case 4:
      return 64;  // max_block_dim_z
    case 5:
      return 2147483647;  // max_grid_dim_x
    case 6:
    case 7:
      return 65535;
    case 8:
      return 49152;  // max_shared_memory_per_block
    case 10:
      return 32;  // warp_size
    case 16:
      return 132;  // multiprocessor_count
    case 41:
      return 1;  // unified_addressing
    case 75:
      return 9;  // compute_capability_major
    case 76:
      return 0;
    case 95:
      return 1;  // cooperative_launch
    case 97:
      return 232448;  // max_shared_memory_per_block_optin
    case 115:
      return 1;  // memory_pools_supported
    default:
      return 0;
  }
}

bool valid(CUdevice device) { return device >= 0 && device < device_count(); }

Object* primary_of(CUdevice device, std::uintptr_t* handle) {
  for (auto& [h, object] : state().objects)
    if (object.kind == "primary" && object.device == device) {
      *handle = h;
      return &object;
    }
  return nullptr;
}

/// Handles are numbers that no memory has and that are never used again.
std::uintptr_t new_handle() {
  static std::uintptr_t last = 0;
  return last += 16;
}

/// A context goes: what is still alive in it is a violation, and dies with it.
void drop_context(std::uintptr_t handle, const std::string& name) {
  auto& s = state();
  for (auto at = s.objects.begin(); at != s.objects.end();) {
    if (key(at->second.context) == handle && at->second.kind != "host" && at->second.kind != "pool") {
      s.violation(name + " destroyed before " + at->second.name());
      if (at->second.kind == "mem") std::free(reinterpret_cast<void*>(at->first));
      at = s.objects.erase(at);
    } else {
      ++at;
    }
  }
  s.objects.erase(handle);
}

double now() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

/// The error for a stream that is stale or of another context than the current one, or 0.
int check_stream(CUstream stream) {
  if (!stream) return 0;
  const Object* object = state().find(key(stream), "stream");
  return object && object->context == stack().back() ? 0 : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned) {
  LANZA_FAKE_CALL(call, "cuInit", "", Call::Nothing);
  state().initialised = true;
  return call.done(device_count() > 0 ? 0 : CUDA_ERROR_NO_DEVICE);
}

CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  LANZA_FAKE_CALL(call, "cuDeviceGetCount", "", Call::Nothing, false);
  *count = device_count();
  return call.done(0);
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  LANZA_FAKE_CALL(call, "cuDeviceGet", "", Call::Nothing, false);
  *device = ordinal;
  return call.done(valid(ordinal) ? 0 : CUDA_ERROR_INVALID_DEVICE);
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  LANZA_FAKE_CALL(call, "cuDeviceGetName", "", Call::Nothing, false);
  if (!valid(device)) return call.done(CUDA_ERROR_INVALID_DEVICE);
  std::strncpy(name, "Fake GPU", length);
  return call.done(0);
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  LANZA_FAKE_CALL(call, "cuDeviceTotalMem_v2", "", Call::Nothing, false);
  if (!valid(device)) return call.done(CUDA_ERROR_INVALID_DEVICE);
  *bytes = state().memory;
  return call.done(0);
}

CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device) {
  LANZA_FAKE_CALL(call, "cuDeviceGetAttribute", "", Call::Nothing, false);
  if (!valid(device)) return call.done(CUDA_ERROR_INVALID_DEVICE);
  if (attribute < 1 || attribute > 147) return call.done(CUDA_ERROR_INVALID_VALUE);
  const auto at = state().attributes.find(attribute);
  *value = at != state().attributes.end() ? at->second : default_attribute(attribute);
  return call.done(0);
}

CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  LANZA_FAKE_CALL(call, "cuDeviceGetPCIBusId", "", Call::Nothing, false);
  if (!valid(device)) return call.done(CUDA_ERROR_INVALID_DEVICE);
  std::strncpy(id, ("0000:0" + std::to_string(device + 1) + ":00.0").c_str(), length);
  return call.done(0);
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  LANZA_FAKE_CALL(call, "cuDeviceCanAccessPeer", "", Call::Nothing, false);
  *can = valid(device) && valid(peer) && device != peer;
  return call.done(0);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  LANZA_FAKE_CALL(call, "cuDevicePrimaryCtxRetain", std::to_string(device), Call::Nothing);
  if (!valid(device)) return call.done(CUDA_ERROR_INVALID_DEVICE);
  std::uintptr_t handle = 0;
  Object* object = primary_of(device, &handle);
  if (!object) {
    handle = new_handle();
    object = &state().add(handle, "primary");
    object->context = nullptr;
    object->device = device;
  }
  ++object->references;
  *context = reinterpret_cast<CUcontext>(handle);
  return call.done(0);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  LANZA_FAKE_CALL(call, "cuDevicePrimaryCtxRelease_v2", std::to_string(device), Call::Nothing);
  std::uintptr_t handle = 0;
  Object* object = valid(device) ? primary_of(device, &handle) : nullptr;
  if (!object) return call.done(CUDA_ERROR_INVALID_CONTEXT);
  if (--object->references == 0) drop_context(handle, object->name());
  return call.done(0);
}

CUresult cuCtxCreate_v2(CUcontext* context, unsigned, CUdevice device) {
  LANZA_FAKE_CALL(call, "cuCtxCreate_v2", std::to_string(device), Call::Nothing);
  if (!valid(device)) return call.done(CUDA_ERROR_INVALID_DEVICE);
  const std::uintptr_t handle = new_handle();
  Object& object = state().add(handle, "ctx");
  object.context = nullptr;
  object.device = device;
  *context = reinterpret_cast<CUcontext>(handle);
  stack().push_back(*context);
  return call.done(0);
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  LANZA_FAKE_CALL(call, "cuCtxDestroy_v2", show(context), Call::Nothing);
  Object* object = state().find(key(context), "ctx");
  if (!object) return call.done(CUDA_ERROR_INVALID_CONTEXT);
  if (!stack().empty() && stack().back() == context) stack().pop_back();
  drop_context(key(context), object->name());
  return call.done(0);
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = stack().empty() ? nullptr : stack().back();
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (state().quiet.load(std::memory_order_relaxed)) return stack().push_back(context), CUDA_SUCCESS;
  LANZA_FAKE_CALL(call, "cuCtxPushCurrent_v2", show(context), Call::Nothing, false);
  if (!state().find(key(context), "ctx") && !state().find(key(context), "primary"))
    return call.done(CUDA_ERROR_INVALID_CONTEXT);
  stack().push_back(context);
  return call.done(0);
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  if (state().quiet.load(std::memory_order_relaxed) && !stack().empty()) {
    if (context) *context = stack().back();
    return stack().pop_back(), CUDA_SUCCESS;
  }
  LANZA_FAKE_CALL(call, "cuCtxPopCurrent_v2", "", Call::Nothing, false);
  if (stack().empty()) return call.done(CUDA_ERROR_INVALID_CONTEXT);
  if (context) *context = stack().back();
  stack().pop_back();
  return call.done(0);
}

CUresult cuCtxSynchronize() {
  LANZA_FAKE_CALL(call, "cuCtxSynchronize", "");
  return call.done(0);
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  LANZA_FAKE_CALL(call, "cuCtxGetStreamPriorityRange", "", Call::Context, false);
  *least = 0;
  *greatest = -5;
  return call.done(0);
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  LANZA_FAKE_CALL(call, "cuStreamCreateWithPriority", std::to_string(flags) + ", " + std::to_string(priority));
  const std::uintptr_t handle = new_handle();
  state().add(handle, "stream").flags = flags;
  *stream = reinterpret_cast<CUstream>(handle);
  return call.done(0);
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  LANZA_FAKE_CALL(call, "cuStreamDestroy_v2", show(stream));
  if (const int code = stream ? check_stream(stream) : CUDA_ERROR_INVALID_HANDLE) return call.done(code);
  state().objects.erase(key(stream));
  return call.done(0);
}

CUresult cuStreamSynchronize(CUstream stream) {
  LANZA_FAKE_CALL(call, "cuStreamSynchronize", show(stream));
  return call.done(check_stream(stream));
}

CUresult cuStreamQuery(CUstream stream) {
  LANZA_FAKE_CALL(call, "cuStreamQuery", show(stream));
  return call.done(check_stream(stream));
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  LANZA_FAKE_CALL(call, "cuStreamGetCtx", show(stream), Call::Context, false);
  const Object* object = state().find(key(stream), "stream");
  if (!object) return call.done(CUDA_ERROR_INVALID_HANDLE);
  *context = object->context;
  return call.done(0);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  LANZA_FAKE_CALL(call, "cuStreamWaitEvent", show(stream) + ", " + show(event));
  if (!state().find(key(event), "event")) return call.done(CUDA_ERROR_INVALID_HANDLE);
  return call.done(check_stream(stream));
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  LANZA_FAKE_CALL(call, "cuEventCreate", std::to_string(flags));
  const std::uintptr_t handle = new_handle();
  state().add(handle, "event").flags = flags;
  *event = reinterpret_cast<CUevent>(handle);
  return call.done(0);
}

CUresult cuEventDestroy_v2(CUevent event) {
  LANZA_FAKE_CALL(call, "cuEventDestroy_v2", show(event));
  if (!state().find(key(event), "event")) return call.done(CUDA_ERROR_INVALID_HANDLE);
  state().objects.erase(key(event));
  return call.done(0);
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  LANZA_FAKE_CALL(call, "cuEventRecord", show(event) + ", " + show(stream));
  Object* object = state().find(key(event), "event");
  if (!object || object->context != stack().back()) return call.done(CUDA_ERROR_INVALID_HANDLE);
  if (const int code = check_stream(stream)) return call.done(code);
  object->recorded = true;
  object->time = now();
  return call.done(0);
}

CUresult cuEventQuery(CUevent event) {
  LANZA_FAKE_CALL(call, "cuEventQuery", show(event));
  return call.done(state().find(key(event), "event") ? 0 : CUDA_ERROR_INVALID_HANDLE);
}

CUresult cuEventSynchronize(CUevent event) {
  LANZA_FAKE_CALL(call, "cuEventSynchronize", show(event));
  return call.done(state().find(key(event), "event") ? 0 : CUDA_ERROR_INVALID_HANDLE);
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  LANZA_FAKE_CALL(call, "cuEventElapsedTime", show(start) + ", " + show(end));
  const Object* a = state().find(key(start), "event");
  const Object* b = state().find(key(end), "event");
  if (!a || !b || !a->recorded || !b->recorded || ((a->flags | b->flags) & CU_EVENT_DISABLE_TIMING))
    return call.done(CUDA_ERROR_INVALID_HANDLE);
  *milliseconds = static_cast<float>(b->time - a->time);
  return call.done(0);
}

}  // extern "C"
