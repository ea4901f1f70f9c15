// Modules of the CPU device: variables in a data segment, kernels compiled at their first launch.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cpu/kernel.hpp"

namespace lanza::executor {

class Module final : public backend::Module {
 public:
  /// Throws InvalidArgument for code that is not the CPU's.
  Module(const backend::Code& code, bool use_cache);

  std::unique_ptr<backend::Kernel> kernel(const backend::KernelInfo&) override;
  backend::Memory variable(const backend::VariableInfo&) override;
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(record_.get()); }
  /// "bitcode", or "object": the shared object of the first kernel that was compiled.
  std::string image(std::string_view kind) override;

 private:
  std::shared_ptr<const ModuleRecord> record_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<KernelRecord>> kernels_;
};

}  // namespace lanza::executor
