// Loaded code: a module of the driver.
#pragma once

#include <string>

#include "backend/backend.hpp"
#include "backend/cuda/driver.hpp"

namespace lanza::cuda_backend {

class Context;

class Module final : public backend::Module {
 public:
  Module(Context&, const backend::Code&);
  ~Module() override;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::unique_ptr<backend::Kernel> kernel(const backend::KernelInfo&) override;
  backend::Memory variable(const backend::VariableInfo&) override;
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(raw_); }
  std::string image(std::string_view kind) override;

 private:
  Context& context_;
  CUmodule raw_ = nullptr;
  std::string kind_, image_, ptx_;
};

}  // namespace lanza::cuda_backend
