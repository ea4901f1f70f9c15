// Launching: limits are compared here, so that a launch that fits costs one call of the driver.
#include "backend/cuda/kernel.hpp"

#include <fmt/format.h>

#include "backend/cuda/context.hpp"
#include "backend/cuda/current.hpp"
#include "backend/cuda/device.hpp"
#include "backend/cuda/stream.hpp"

namespace lanza::cuda_backend {
namespace {

std::string text(const Dim3& d) { return fmt::format("{}x{}x{}", d.x, d.y, d.z); }

bool fits(const Dim3& value, const Dim3& limit) noexcept {
  // Zero wraps to the largest number, so that one comparison refuses it too.
  return value.x - 1 < limit.x && value.y - 1 < limit.y && value.z - 1 < limit.z;
}

/// CUfunction_attribute by value.
constexpr const char* attribute_names[] = {"max_threads_per_block",
                                           "shared_size_bytes",
                                           "const_size_bytes",
                                           "local_size_bytes",
                                           "num_regs",
                                           "ptx_version",
                                           "binary_version",
                                           "cache_mode_ca",
                                           "max_dynamic_shared_size_bytes",
                                           "preferred_shared_memory_carveout",
                                           "cluster_size_must_be_set",
                                           "required_cluster_width",
                                           "required_cluster_height",
                                           "required_cluster_depth",
                                           "non_portable_cluster_size_allowed",
                                           "cluster_scheduling_policy_preference"};

}  // namespace

Kernel::Kernel(Context& context, CUfunction function, const backend::KernelInfo& info)
    : context_(context),
      function_(function),
      name_(context.keep_name(info.name)),
      max_threads_(function_attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)),
      max_block_(context.device().max_block()),
      max_grid_(context.device().max_grid()),
      allowed_shared_(function_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)) {
  const std::size_t fixed = function_attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  const std::size_t most = context.device().max_shared();
  most_shared_ = most > fixed ? most - fixed : 0;
  check_signature(info);
}

int Kernel::function_attribute(int attribute) const {
  int value = 0;
  context_.call(context_.driver().cuFuncGetAttribute, &value, static_cast<CUfunction_attribute>(attribute), function_);
  return value;
}

void Kernel::check_signature(const backend::KernelInfo& info) const {
  const auto& routine = context_.driver().cuFuncGetParamInfo;
  if (!info.signature.known || !routine) return;
  const auto& parameters = info.signature.parameters;
  for (std::size_t i = 0; i <= parameters.size(); ++i) {
    std::size_t offset = 0, size = 0;
    const CUresult result = routine(function_, i, &offset, &size);
    const bool exists = result == CUDA_SUCCESS;
    if (!exists && result != CUDA_ERROR_INVALID_VALUE) return;  // the driver does not tell
    if (exists == (i < parameters.size()) &&
        (!exists || (offset == parameters[i].offset && size == parameters[i].size)))
      continue;
    throw Error(
        fmt::format("{}: the driver's parameter list differs from the compiled signature at parameter {} (driver: {}); "
                    "please report "
                    "this with the kernel's source",
                    info.name, i + 1, exists ? fmt::format("{} bytes at {}", size, offset) : "no such parameter"));
  }
}

bool Kernel::within_limits(const backend::Launch& l) const noexcept {
  return fits(l.block, max_block_) && fits(l.grid, max_grid_) && l.block.count() <= max_threads_ &&
         l.shared <= allowed_shared_.load(std::memory_order_relaxed);
}

void Kernel::raise_or_refuse(const backend::Launch& l) {
  if (l.block.count() == 0)
    throw InvalidArgument(fmt::format("{}: block {} has a zero; every extent is at least 1", name_, text(l.block)));
  if (l.grid.count() == 0)
    throw InvalidArgument(fmt::format("{}: grid {} has a zero; every extent is at least 1", name_, text(l.grid)));
  if (l.block.count() > max_threads_)
    throw InvalidArgument(
        fmt::format("{}: block {} has {} threads; this kernel can run with at most {} (its registers and launch bounds "
                    "decide, at most 1024)",
                    name_, text(l.block), l.block.count(), max_threads_));
  if (!fits(l.block, max_block_))
    throw InvalidArgument(
        fmt::format("{}: block {} is over the device's limit of {}", name_, text(l.block), text(max_block_)));
  if (!fits(l.grid, max_grid_))
    throw InvalidArgument(
        fmt::format("{}: grid {} is over the device's limit of {}", name_, text(l.grid), text(max_grid_)));
  if (l.shared > most_shared_)
    throw InvalidArgument(
        fmt::format("{}: {} bytes of dynamic shared memory are over the limit of {} on this device for this kernel",
                    name_, l.shared, most_shared_));
  context_.call(context_.driver().cuFuncSetAttribute, function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                static_cast<int>(most_shared_));
  allowed_shared_.store(most_shared_, std::memory_order_relaxed);
}

void Kernel::check_cooperative(const backend::Launch& l) {
  if (!context_.device().attribute("cooperative_launch"))
    throw InvalidArgument(fmt::format("{}: this device cannot launch cooperatively", name_));
  int blocks = 0;
  context_.call(context_.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, function_,
                static_cast<int>(l.block.count()), l.shared);
  const std::uint64_t most = std::uint64_t(blocks) * context_.device().attribute("multiprocessor_count");
  if (l.grid.count() > most)
    throw InvalidArgument(fmt::format(
        "{}: a cooperative grid of {} blocks does not fit: at most {} blocks of {} threads are resident at once", name_,
        l.grid.count(), most, l.block.count()));
}

CUresult Kernel::enqueue(const backend::Launch& l, CUstream stream) const {
  std::size_t bytes = l.argument_bytes;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(l.arguments), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  void** arguments = bytes ? extra : nullptr;
  const Driver& driver = context_.driver();
  const auto shared = static_cast<unsigned>(l.shared);
  if (!l.cooperative) [[likely]]
    return driver.cuLaunchKernel(function_, l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z, shared,
                                 stream, nullptr, arguments);
  CUlaunchAttribute cooperative{CU_LAUNCH_ATTRIBUTE_COOPERATIVE, {}};
  cooperative.value.cooperative = 1;
  const CUlaunchConfig config{l.grid.x,  l.grid.y, l.grid.z, l.block.x,    l.block.y,
                              l.block.z, shared,   stream,   &cooperative, 1};
  return driver.cuLaunchKernelEx(&config, function_, nullptr, arguments);
}

void Kernel::launch(backend::Stream& on, const backend::Launch& l) {
  Stream& stream = stream_of(on, context_);
  const Current current(context_.driver(), context_.raw());
  if (!within_limits(l)) [[unlikely]]
    raise_or_refuse(l);
  if (l.cooperative) [[unlikely]]
    check_cooperative(l);
  if (const CUresult result = enqueue(l, stream.raw()); result != CUDA_SUCCESS) [[unlikely]]
    fail(result, l);
  stream.recent().add(name_);
}

void Kernel::fail(CUresult result, const backend::Launch& l) const {
  const char* routine = l.cooperative ? context_.driver().cuLaunchKernelEx.name : context_.driver().cuLaunchKernel.name;
  const std::string details =
      fmt::format("{}, grid {}, block {}, {} bytes of shared memory", name_, text(l.grid), text(l.block), l.shared);
  if (classify(result) != Failure::Launch) context_.fail(result, routine, details);
  throw_result(result, routine, details, {name_});
}

std::vector<std::pair<std::string, std::int64_t>> Kernel::attributes() {
  const Current current(context_.driver(), context_.raw());
  std::vector<std::pair<std::string, std::int64_t>> result;
  for (int i = 0; i < static_cast<int>(std::size(attribute_names)); ++i) {
    int value = 0;
    // An older driver does not know the newer ones.
    if (context_.driver().cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(i), function_) == CUDA_SUCCESS)
      result.emplace_back(attribute_names[i], value);
  }
  return result;
}

}  // namespace lanza::cuda_backend
