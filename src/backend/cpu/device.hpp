// The CPU as a device.
#pragma once

#include <memory>
#include <mutex>

#include "backend/backend.hpp"

namespace lanza::executor {

class Device final : public backend::Device {
 public:
  int index() const override { return 0; }
  std::string name() override;
  std::pair<int, int> compute_capability() override;
  std::pair<std::size_t, std::size_t> memory_info() override;
  std::vector<std::pair<std::string, std::int64_t>> attributes() override;
  std::int64_t attribute(std::string_view name) override;

  std::shared_ptr<backend::Context> primary_context() override;
  std::shared_ptr<backend::Context> create_context() override;

  std::string compiler_identity() override;
  backend::CompileResult compile(const backend::CompileRequest&) override;

 private:
  std::mutex mutex_;
  std::weak_ptr<backend::Context> primary_;
};

}  // namespace lanza::executor
