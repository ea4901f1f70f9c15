// The fake driver's memory: allocations, pools, copies and fills, all in host memory.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "backend/cuda/fake_driver/state.hpp"

using namespace lanza::fake;

namespace {

constexpr std::size_t alignment = 256;
constexpr unsigned char poison = 0xCD;  // fresh memory: reading it shows

std::string number(std::size_t n) { return std::to_string(n); }

std::string show_host(const void* pointer) {
  const std::string name = show(pointer);
  return name == "?" ? "host" : name;
}

int current_device() { return state().objects.at(key(stack().back())).device; }

CUdeviceptr new_memory(std::size_t bytes, CUmemoryPool pool) {
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  std::memset(memory, poison, bytes);
  Object& object = state().add(key(memory), "mem");
  object.bytes = bytes;
  object.pool = pool;
  return key(memory);
}

bool is_stream(CUstream stream) { return !stream || state().find(key(stream), "stream"); }

int check_copy(std::initializer_list<std::uintptr_t> device_addresses, std::size_t bytes, CUstream stream) {
  if (!is_stream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  for (const std::uintptr_t address : device_addresses)
    if (!state().allocation(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return 0;
}

template <class T>
void set(CUdeviceptr destination, T value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(reinterpret_cast<char*>(destination) + i * sizeof(T), &value, sizeof(T));
}

template <class T>
CUresult memset_call(const char* routine, CUdeviceptr destination, T value, std::size_t count, CUstream stream) {
  LANZA_FAKE_CALL(call, routine, show(destination) + ", " + number(value) + ", " + number(count) + ", " + show(stream));
  if (destination % sizeof(T)) return call.done(CUDA_ERROR_INVALID_VALUE);
  if (const int code = check_copy({destination}, count * sizeof(T), stream)) return call.done(code);
  set(destination, value, count);
  return call.done(0);
}

}  // namespace

extern "C" {

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  LANZA_FAKE_CALL(call, "cuMemGetInfo_v2", "", Call::Context, false);
  *total = state().memory;
  *free = state().memory - std::min(state().memory, state().used(current_device()));
  return call.done(0);
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  LANZA_FAKE_CALL(call, "cuMemAlloc_v2", number(bytes));
  if (bytes == 0) return call.done(CUDA_ERROR_INVALID_VALUE);
  if (bytes > state().memory || state().used(current_device()) + bytes > state().memory)
    return call.done(CUDA_ERROR_OUT_OF_MEMORY);
  *address = new_memory(bytes, nullptr);
  return call.done(0);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  LANZA_FAKE_CALL(call, "cuMemFree_v2", show(address));
  if (!state().find(address, "mem")) {
    state().violation("cuMemFree_v2 of memory that is not allocated");
    return call.done(CUDA_ERROR_INVALID_VALUE);
  }
  state().objects.erase(address);
  std::free(reinterpret_cast<void*>(address));
  return call.done(0);
}

CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  LANZA_FAKE_CALL(call, "cuMemHostAlloc", number(bytes));
  *address = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  state().add(key(*address), "host").bytes = bytes;
  return call.done(0);
}

CUresult cuMemFreeHost(void* address) {
  LANZA_FAKE_CALL(call, "cuMemFreeHost", show(address));
  if (!state().find(key(address), "host")) return call.done(CUDA_ERROR_INVALID_VALUE);
  state().objects.erase(key(address));
  std::free(address);
  return call.done(0);
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  LANZA_FAKE_CALL(call, "cuMemPoolCreate", number(properties->location.id), Call::Nothing);
  static std::uintptr_t last = 8;
  const std::uintptr_t handle = last += 16;
  Object& object = state().add(handle, "pool");
  object.device = properties->location.id;
  *pool = reinterpret_cast<CUmemoryPool>(handle);
  return call.done(0);
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  LANZA_FAKE_CALL(call, "cuMemPoolDestroy", show(pool), Call::Nothing);
  auto& s = state();
  const Object* object = s.find(key(pool), "pool");
  if (!object) return call.done(CUDA_ERROR_INVALID_VALUE);
  for (const auto& [handle, memory] : s.objects)
    if (memory.kind == "mem" && memory.pool == pool) s.violation(object->name() + " destroyed before " + memory.name());
  s.objects.erase(key(pool));
  return call.done(0);
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void*) {
  LANZA_FAKE_CALL(call, "cuMemPoolSetAttribute", show(pool) + ", " + number(attribute), Call::Nothing);
  return call.done(state().find(key(pool), "pool") ? 0 : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, std::size_t) {
  LANZA_FAKE_CALL(call, "cuMemPoolSetAccess", show(pool) + ", " + number(access->location.id), Call::Nothing);
  return call.done(state().find(key(pool), "pool") ? 0 : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t bytes) {
  LANZA_FAKE_CALL(call, "cuMemPoolTrimTo", show(pool) + ", " + number(bytes), Call::Nothing);
  Object* object = state().find(key(pool), "pool");
  if (!object) return call.done(CUDA_ERROR_INVALID_VALUE);
  object->cached = std::min(object->cached, bytes);
  return call.done(0);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool, CUstream stream) {
  LANZA_FAKE_CALL(call, "cuMemAllocFromPoolAsync", number(bytes) + ", " + show(pool) + ", " + show(stream));
  auto& s = state();
  Object* object = s.find(key(pool), "pool");
  if (!object || !is_stream(stream)) return call.done(CUDA_ERROR_INVALID_VALUE);
  // What the pool kept serves first; it fits only when it is large enough, as if it were one block.
  if (object->cached >= bytes) {
    object->cached -= bytes;
  } else if (bytes > s.memory || s.used(object->device) + bytes > s.memory) {
    return call.done(CUDA_ERROR_OUT_OF_MEMORY);
  }
  *address = new_memory(bytes, pool);
  return call.done(0);
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  LANZA_FAKE_CALL(call, "cuMemFreeAsync", show(address) + ", " + show(stream));
  auto& s = state();
  const Object* memory = s.find(address, "mem");
  if (!memory) s.violation("cuMemFreeAsync of memory that is not allocated");
  if (!memory || !is_stream(stream)) return call.done(CUDA_ERROR_INVALID_VALUE);
  if (Object* pool = s.find(key(memory->pool), "pool")) pool->cached += memory->bytes;
  s.objects.erase(address);
  std::free(reinterpret_cast<void*>(address));
  return call.done(0);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr destination, const void* source, std::size_t bytes) {
  LANZA_FAKE_CALL(call, "cuMemcpyHtoD_v2", show(destination) + ", " + show_host(source) + ", " + number(bytes));
  if (const int code = check_copy({destination}, bytes, nullptr)) return call.done(code);
  std::memcpy(reinterpret_cast<void*>(destination), source, bytes);
  return call.done(0);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr destination, const void* source, std::size_t bytes, CUstream stream) {
  LANZA_FAKE_CALL(call, "cuMemcpyHtoDAsync_v2",
                  show(destination) + ", " + show_host(source) + ", " + number(bytes) + ", " + show(stream));
  if (const int code = check_copy({destination}, bytes, stream)) return call.done(code);
  std::memcpy(reinterpret_cast<void*>(destination), source, bytes);
  return call.done(0);
}

CUresult cuMemcpyDtoHAsync_v2(void* destination, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  LANZA_FAKE_CALL(call, "cuMemcpyDtoHAsync_v2",
                  show_host(destination) + ", " + show(source) + ", " + number(bytes) + ", " + show(stream));
  if (const int code = check_copy({source}, bytes, stream)) return call.done(code);
  std::memcpy(destination, reinterpret_cast<const void*>(source), bytes);
  return call.done(0);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  LANZA_FAKE_CALL(call, "cuMemcpyDtoDAsync_v2",
                  show(destination) + ", " + show(source) + ", " + number(bytes) + ", " + show(stream));
  if (const int code = check_copy({destination, source}, bytes, stream)) return call.done(code);
  std::memmove(reinterpret_cast<void*>(destination), reinterpret_cast<const void*>(source), bytes);
  return call.done(0);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr destination, CUcontext to, CUdeviceptr source, CUcontext from, std::size_t bytes,
                           CUstream stream) {
  LANZA_FAKE_CALL(call, "cuMemcpyPeerAsync",
                  show(destination) + ", " + show(to) + ", " + show(source) + ", " + show(from) + ", " + number(bytes) +
                      ", " + show(stream));
  if (const int code = check_copy({destination, source}, bytes, stream)) return call.done(code);
  std::memmove(reinterpret_cast<void*>(destination), reinterpret_cast<const void*>(source), bytes);
  return call.done(0);
}

CUresult cuMemsetD8Async(CUdeviceptr destination, unsigned char value, std::size_t count, CUstream stream) {
  return memset_call("cuMemsetD8Async", destination, value, count, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr destination, unsigned short value, std::size_t count, CUstream stream) {
  return memset_call("cuMemsetD16Async", destination, value, count, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr destination, unsigned value, std::size_t count, CUstream stream) {
  return memset_call("cuMemsetD32Async", destination, value, count, stream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr destination, std::size_t pitch, unsigned value, std::size_t width,
                            std::size_t height, CUstream stream) {
  LANZA_FAKE_CALL(call, "cuMemsetD2D32Async",
                  show(destination) + ", " + number(pitch) + ", " + number(value) + ", " + number(width) + ", " +
                      number(height) + ", " + show(stream));
  if (height == 0 || width == 0) return call.done(0);
  if (destination % 4 || pitch % 4 || pitch < width * 4) return call.done(CUDA_ERROR_INVALID_VALUE);
  if (const int code = check_copy({destination}, (height - 1) * pitch + width * 4, stream)) return call.done(code);
  for (std::size_t row = 0; row < height; ++row) set(destination + row * pitch, value, width);
  return call.done(0);
}

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  LANZA_FAKE_CALL(call, "cuPointerGetAttribute", show(address), Call::Context, false);
  if (attribute != CU_POINTER_ATTRIBUTE_MEMORY_TYPE) return call.done(CUDA_ERROR_INVALID_VALUE);
  if (state().allocation(address, 1)) {
    *static_cast<unsigned*>(value) = 2;
    return call.done(0);
  }
  const std::string name = state().name(address);
  if (name.rfind("host#", 0) != 0) return call.done(CUDA_ERROR_INVALID_VALUE);
  *static_cast<unsigned*>(value) = CU_MEMORYTYPE_HOST;
  return call.done(0);
}

}  // extern "C"
