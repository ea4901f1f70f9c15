// A kernel of a loaded module: its limits, known beforehand, and its launch.
#pragma once

#include <atomic>

#include "backend/backend.hpp"
#include "backend/cuda/driver.hpp"

namespace lanza::cuda_backend {

class Context;
class Stream;

class Kernel final : public backend::Kernel {
 public:
  Kernel(Context&, CUfunction, const backend::KernelInfo&);

  void launch(backend::Stream&, const backend::Launch&) override;
  std::vector<std::pair<std::string, std::int64_t>> attributes() override;
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(function_); }
  std::string report() override { return {}; }

 private:
  bool within_limits(const backend::Launch&) const noexcept;
  /// For what the quick check refused: raises the shared memory limit when the device can, else says which limit is
  /// exceeded.
  void raise_or_refuse(const backend::Launch&);
  void check_cooperative(const backend::Launch&);
  CUresult enqueue(const backend::Launch&, CUstream) const;
  [[noreturn]] void fail(CUresult, const backend::Launch&) const;
  void check_signature(const backend::KernelInfo&) const;
  int function_attribute(int attribute) const;

  Context& context_;
  CUfunction function_;
  const char* name_;
  unsigned max_threads_;
  Dim3 max_block_, max_grid_;
  std::size_t most_shared_;                  ///< dynamic, after raising
  std::atomic<std::size_t> allowed_shared_;  ///< dynamic, as it is set now
};

}  // namespace lanza::cuda_backend
