// The CUDA backend: its devices, and what was found on this machine.
#include <fmt/format.h>

#include <memory>

#include "backend/backend.hpp"
#include "backend/cuda/compile.hpp"
#include "backend/cuda/device.hpp"

namespace lanza::backend {
namespace {

class Cuda final : public Backend {
 public:
  int device_count() noexcept override {
    try {
      const auto& state = cuda_backend::driver_state();
      return state.why_none.empty() ? state.driver.device_count : 0;
    } catch (...) {
      return 0;
    }
  }

  std::string why_none() override { return cuda_backend::driver_state().why_none; }

  Device& device(int index) override {
    const cuda_backend::Driver& driver = cuda_backend::driver();
    if (index < 0 || index >= driver.device_count)
      throw InvalidArgument(fmt::format(
          "no device cuda:{}; there {} {}: cuda:0{}", index, driver.device_count == 1 ? "is" : "are",
          driver.device_count, driver.device_count == 1 ? "" : fmt::format(" to cuda:{}", driver.device_count - 1)));
    const std::lock_guard lock(mutex_);
    devices_.resize(driver.device_count);
    auto& slot = devices_[index];
    if (!slot) slot = std::make_unique<cuda_backend::Device>(driver, index);
    return *slot;
  }

  std::vector<std::string> diagnosis() override {
    const auto& state = cuda_backend::driver_state();
    std::vector<std::string> lines;
    if (state.path.empty()) {
      lines.push_back("CUDA driver: not found");
      for (const std::string& attempt : state.attempts) lines.push_back("  " + attempt);
    } else {
      lines.push_back(fmt::format("CUDA driver: {} (CUDA {}.{})", state.path, state.driver.version / 1000,
                                  state.driver.version % 1000 / 10));
    }
    if (!state.why_none.empty()) lines.push_back(state.why_none);
    for (int i = 0; i < device_count(); ++i) lines.push_back(describe(i));
    for (std::string& line : cuda_backend::compiler_diagnosis()) lines.push_back(std::move(line));
    return lines;
  }

 private:
  std::string describe(int index) {
    try {
      auto& d = static_cast<cuda_backend::Device&>(device(index));
      const auto [major, minor] = d.compute_capability();
      return fmt::format("cuda:{}: {}, compute capability {}.{}, PCI {}", index, d.name(), major, minor,
                         d.pci_bus_id());
    } catch (const Error& error) {
      return fmt::format("cuda:{}: {}", index, error.what());
    }
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<cuda_backend::Device>> devices_;
};

}  // namespace

Backend& cuda() {
  static Cuda* const instance = new Cuda;
  return *instance;
}

}  // namespace lanza::backend
