// The fake driver's modules, kernels and launches.
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "backend/cuda/fake_driver/state.hpp"

using namespace lanza::fake;

namespace {

constexpr std::size_t variable_bytes = 256;  // of a variable whose size the image does not tell

/// Size of an ELF image, whose section headers stand at its end; of text, its length.
std::size_t image_size(const char* image) {
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0) return std::strlen(image);
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  std::size_t end = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  return std::max<std::size_t>(end, header.e_phoff + std::size_t{header.e_phnum} * header.e_phentsize);
}

/// Size of a data symbol in an ELF image, or 0.
std::size_t symbol_size(const std::string& image, const char* name) {
  if (image.compare(0, SELFMAG, ELFMAG) != 0) return 0;
  Elf64_Ehdr header;
  std::memcpy(&header, image.data(), sizeof header);
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table, strings;
    std::memcpy(&table, image.data() + header.e_shoff + i * sizeof table, sizeof table);
    if (table.sh_type != SHT_SYMTAB) continue;
    std::memcpy(&strings, image.data() + header.e_shoff + table.sh_link * sizeof strings, sizeof strings);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, image.data() + table.sh_offset + at, sizeof symbol);
      if (std::strcmp(image.data() + strings.sh_offset + symbol.st_name, name) == 0) return symbol.st_size;
    }
  }
  return 0;
}

std::string hex(const void* bytes, std::size_t count) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<const unsigned char*>(bytes)[i];
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

struct Packed {
  const void* bytes = nullptr;
  std::size_t size = 0;
};

Packed packed_arguments(void** extra) {
  Packed packed;
  for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) packed.bytes = extra[1];
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) packed.size = *static_cast<const std::size_t*>(extra[1]);
  }
  return packed;
}

std::string extents(const unsigned* v) {
  return std::to_string(v[0]) + " " + std::to_string(v[1]) + " " + std::to_string(v[2]);
}

CUresult launch(const char* routine, CUfunction function, const unsigned* grid, const unsigned* block, unsigned shared,
                CUstream stream, void** extra) {
  if (state().quiet.load(std::memory_order_relaxed)) return CUDA_SUCCESS;
  const Packed packed = packed_arguments(extra);
  std::string symbol = "?";
  {
    std::lock_guard lock(state().mutex);
    if (const auto at = state().functions.find(key(function)); at != state().functions.end())
      symbol = at->second.symbol;
  }
  KernelModel model;
  {
    LANZA_FAKE_CALL(call, routine,
                    symbol + ", grid " + extents(grid) + ", block " + extents(block) + ", shared " +
                        std::to_string(shared) + ", " + show(stream) + ", " + std::to_string(packed.size) + " bytes " +
                        hex(packed.bytes, packed.size));
    const auto at = state().functions.find(key(function));
    if (at == state().functions.end()) return call.done(CUDA_ERROR_INVALID_HANDLE);
    if (at->second.context != stack().back()) return call.done(CUDA_ERROR_INVALID_CONTEXT);
    if (stream && !state().find(key(stream), "stream")) return call.done(CUDA_ERROR_INVALID_HANDLE);
    for (int i = 0; i < 3; ++i)
      if (!grid[i] || !block[i]) return call.done(CUDA_ERROR_INVALID_VALUE);
    model = state().kernels[symbol];
  }
  // Outside the lock: a body may look at the driver.
  if (model.body) model.body(packed.bytes, packed.size, grid, block, model.user);
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  LANZA_FAKE_CALL(call, "cuModuleLoadDataEx", "");
  const auto* text = static_cast<const char*>(image);
  const std::size_t size = image_size(text);
  if (size < 4) return call.done(CUDA_ERROR_INVALID_IMAGE);
  static std::uintptr_t last = 4;
  const std::uintptr_t handle = last += 16;
  state().add(handle, "module").image.assign(text, size);
  *module = reinterpret_cast<CUmodule>(handle);
  return call.done(0);
}

CUresult cuModuleUnload(CUmodule module) {
  LANZA_FAKE_CALL(call, "cuModuleUnload", show(module));
  auto& s = state();
  const Object* object = s.find(key(module), "module");
  if (!object) return call.done(CUDA_ERROR_INVALID_HANDLE);
  for (const auto& [name, address] : object->variables) {
    s.objects.erase(address);
    std::free(reinterpret_cast<void*>(address));
  }
  s.objects.erase(key(module));
  return call.done(0);
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  LANZA_FAKE_CALL(call, "cuModuleGetFunction", show(module) + ", " + name);
  auto& s = state();
  const Object* object = s.find(key(module), "module");
  if (!object) return call.done(CUDA_ERROR_INVALID_HANDLE);
  if (object->image.find(name) == std::string::npos) return call.done(CUDA_ERROR_NOT_FOUND);
  static std::uintptr_t last = 12;
  const std::uintptr_t handle = last += 16;
  s.functions[handle] = {name, object->context};
  *function = reinterpret_cast<CUfunction>(handle);
  return call.done(0);
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule module, const char* name) {
  LANZA_FAKE_CALL(call, "cuModuleGetGlobal_v2", show(module) + ", " + name);
  auto& s = state();
  Object* object = s.find(key(module), "module");
  if (!object) return call.done(CUDA_ERROR_INVALID_HANDLE);
  if (object->image.find(name) == std::string::npos) return call.done(CUDA_ERROR_NOT_FOUND);
  if (const auto at = object->variables.find(name); at != object->variables.end()) {
    *address = at->second;
    *bytes = s.objects.at(at->second).bytes;
    return call.done(0);
  }
  const std::size_t known = symbol_size(object->image, name);
  const std::size_t size = known ? known : variable_bytes;
  void* memory = std::aligned_alloc(256, (size + 255) / 256 * 256);
  std::memset(memory, 0, size);
  object->variables[name] = key(memory);
  s.add(key(memory), "mem").bytes = size;
  *address = key(memory);
  *bytes = size;
  return call.done(0);
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
  LANZA_FAKE_CALL(call, "cuFuncGetAttribute", "", Call::Context, false);
  switch (static_cast<int>(attribute)) {
    case 0:
      *value = 1024;
      break;  // max_threads_per_block
    case 4:
      *value = 16;
      break;  // num_regs
    case 5:
    case 6:
      *value = 90;
      break;
    case 8:
      *value = 49152;
      break;  // max_dynamic_shared_size_bytes
    default:
      *value = 0;
  }
  return call.done(attribute >= 0 && attribute < 16 ? 0 : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  std::string symbol;
  {
    std::lock_guard lock(state().mutex);
    symbol = state().functions[key(function)].symbol;
  }
  LANZA_FAKE_CALL(call, "cuFuncSetAttribute", symbol + ", " + std::to_string(attribute) + ", " + std::to_string(value));
  return call.done(0);
}

CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* size) {
  LANZA_FAKE_CALL(call, "cuFuncGetParamInfo", "", Call::Context, false);
  const KernelModel& model = state().kernels[state().functions[key(function)].symbol];
  if (!model.parameters_known) return call.done(CUDA_ERROR_NOT_SUPPORTED);
  if (index >= model.parameters.size()) return call.done(CUDA_ERROR_INVALID_VALUE);
  *offset = model.parameters[index].first;
  *size = model.parameters[index].second;
  return call.done(0);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, std::size_t) {
  LANZA_FAKE_CALL(call, "cuOccupancyMaxActiveBlocksPerMultiprocessor", "", Call::Context, false);
  *blocks = 2;
  return call.done(0);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void**, void** extra) {
  const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
  return launch("cuLaunchKernel", function, grid, block, shared, stream, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void**, void** extra) {
  const unsigned grid[] = {config->gridDimX, config->gridDimY, config->gridDimZ};
  const unsigned block[] = {config->blockDimX, config->blockDimY, config->blockDimZ};
  return launch("cuLaunchKernelEx", function, grid, block, config->sharedMemBytes, config->hStream, extra);
}

}  // extern "C"
