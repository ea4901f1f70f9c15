// A GPU: what it is, its contexts, and compiling for it.
#pragma once

#include <mutex>

#include "backend/backend.hpp"
#include "backend/cuda/driver.hpp"
#include "backend/cuda/memory_pool.hpp"

namespace lanza::cuda_backend {

class Device final : public backend::Device {
 public:
  Device(const Driver&, int index);

  int index() const override { return index_; }
  std::string name() override;
  std::pair<int, int> compute_capability() override { return {major_, minor_}; }
  std::pair<std::size_t, std::size_t> memory_info() override;
  std::vector<std::pair<std::string, std::int64_t>> attributes() override;
  std::int64_t attribute(std::string_view name) override;
  std::shared_ptr<backend::Context> primary_context() override;
  std::shared_ptr<backend::Context> create_context() override;
  std::string compiler_identity() override;
  backend::CompileResult compile(const backend::CompileRequest&) override;

  const Driver& driver() const { return driver_; }
  CUdevice raw() const { return raw_; }
  PoolRegistry& pools() { return pools_; }
  Dim3 max_block() const { return max_block_; }
  Dim3 max_grid() const { return max_grid_; }
  /// Shared memory that a block can have at most, static and dynamic together.
  std::size_t max_shared() const { return max_shared_; }
  std::string pci_bus_id() const;
  bool can_access(const Device& other) const;

 private:
  const Driver& driver_;
  int index_;
  CUdevice raw_ = 0;
  int major_ = 0, minor_ = 0;
  Dim3 max_block_, max_grid_;
  std::size_t max_shared_ = 0;
  PoolRegistry pools_;
  std::mutex mutex_;
  std::weak_ptr<backend::Context> primary_;
};

}  // namespace lanza::cuda_backend
