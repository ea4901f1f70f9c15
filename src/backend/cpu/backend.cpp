// The CPU backend: one device, always there.
#include "backend/backend.hpp"

#include <fmt/format.h>

#include "backend/cpu/device.hpp"
#include "backend/cpu/worker_pool.hpp"
#include "compiler/loader.hpp"
#include "support/cpu.hpp"

namespace lanza::executor {
namespace {

class Backend final : public backend::Backend {
 public:
  int device_count() noexcept override { return 1; }
  std::string why_none() override { return {}; }
  backend::Device& device(int index) override {
    if (index != 0) throw InvalidArgument(fmt::format("no device cpu:{}; there is one, cpu", index));
    return device_;
  }
  std::vector<std::string> diagnosis() override {
    std::vector<std::string> lines{fmt::format("{}, {} threads", cpu_name(), worker_count())};
    for (auto& line : compiler::diagnosis()) lines.push_back("compiler: " + std::move(line));
    return lines;
  }

 private:
  Device device_;
};

}  // namespace
}  // namespace lanza::executor

namespace lanza::backend {

// Never destroyed: threads may still run kernels while the process ends.
Backend& cpu() {
  static Backend& made = *new executor::Backend;
  return made;
}

}  // namespace lanza::backend
