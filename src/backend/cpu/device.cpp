// The CPU as a device.
#include "backend/cpu/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "backend/cpu/code_settings.hpp"
#include "backend/cpu/context.hpp"
#include "backend/cpu/limits.hpp"
#include "backend/cpu/worker_pool.hpp"
#include "backend/front_end.hpp"
#include "compiler/loader.hpp"
#include "support/cpu.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace lanza::executor {
namespace {

// From the kernel's tables; 0 where it has none (virtual machines, containers).
std::int64_t read_number(const char* path) { return leading_number(read_file(path).value_or("")).value_or(0); }

std::int64_t read_cache_bytes() { return read_number("/sys/devices/system/cpu/cpu0/cache/index3/size") * 1024; }

}  // namespace

std::string Device::name() { return cpu_name(); }

std::pair<int, int> Device::compute_capability() { return limits::compute_capability; }

std::pair<std::size_t, std::size_t> Device::memory_info() {
  const auto memory = host_memory();
  return {memory.free, memory.total};
}

std::vector<std::pair<std::string, std::int64_t>> Device::attributes() {
  using namespace limits;
  return {
      {"max_threads_per_block", threads_per_block},
      {"max_block_dim_x", block_x},
      {"max_block_dim_y", block_y},
      {"max_block_dim_z", block_z},
      {"max_grid_dim_x", grid_x},
      {"max_grid_dim_y", grid_y},
      {"max_grid_dim_z", grid_z},
      {"max_shared_memory_per_block", shared_per_block},
      {"max_shared_memory_per_block_optin", shared_per_block_optin},
      {"max_shared_memory_per_multiprocessor", shared_per_block_optin},
      {"reserved_shared_memory_per_block", 0},
      {"total_constant_memory", constant_memory},
      {"warp_size", warp},
      {"max_registers_per_block", 65536},
      {"max_registers_per_multiprocessor", 65536},
      {"max_threads_per_multiprocessor", threads_per_multiprocessor},
      {"max_blocks_per_multiprocessor", 32},
      {"multiprocessor_count", worker_count()},
      {"clock_rate", read_number("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")},  // kHz
      {"l2_cache_size", read_cache_bytes()},  // the last level, as a GPU's L2 is
      {"compute_capability_major", limits::compute_capability.first},
      {"compute_capability_minor", limits::compute_capability.second},
      {"integrated", 1},
      {"unified_addressing", 1},
      {"managed_memory", 1},
      {"concurrent_managed_access", 1},
      {"pageable_memory_access", 1},
      {"can_map_host_memory", 1},
      {"can_use_host_pointer_for_registered_mem", 1},
      {"concurrent_kernels", 1},
      {"cooperative_launch", 1},
      {"async_engine_count", 1},
      {"gpu_overlap", 1},
      {"stream_priorities_supported", 0},
      {"memory_pools_supported", 1},
      {"kernel_exec_timeout", 0},
      {"compute_mode", 0},
      {"ecc_enabled", 0},
      {"tcc_driver", 0},
      {"multi_gpu_board", 0},
      {"pci_bus_id", 0},
      {"pci_device_id", 0},
      {"pci_domain_id", 0},
      {"global_memory_bus_width", 64},
      {"memory_clock_rate", 0},
      {"max_pitch", 2147483647},
      {"texture_alignment", 256},
  };
}

std::int64_t Device::attribute(std::string_view name) {
  if (name == "multiprocessor_count") return worker_count();
  for (const auto& [n, value] : attributes()) {
    if (n == name) return value;
  }
  throw NotFound(fmt::format("cpu has no attribute '{}'; Device.attributes lists them", name));
}

std::shared_ptr<backend::Context> Device::primary_context() {
  std::lock_guard lock(mutex_);
  auto context = primary_.lock();
  if (!context) primary_ = context = std::make_shared<Context>();
  return context;
}

std::shared_ptr<backend::Context> Device::create_context() { return std::make_shared<Context>(); }

std::string Device::compiler_identity() {
  return fmt::format("cpu: {}, {}", compiler::expected_version(), CodeSettings::from_environment().text());
}

backend::CompileResult Device::compile(const backend::CompileRequest& request) {
  return backend::compile_to_bitcode(request);
}

}  // namespace lanza::executor
