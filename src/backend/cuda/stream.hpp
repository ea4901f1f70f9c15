// A CUDA stream: an own one, or another library's that is used and not destroyed.
#pragma once

#include <atomic>

#include "backend/backend.hpp"
#include "backend/cuda/driver.hpp"
#include "backend/cuda/recent_kernels.hpp"
#include "backend/cuda/upload_ring.hpp"

namespace lanza::cuda_backend {

class Context;

class Stream final : public backend::Stream {
 public:
  Stream(Context&, CUstream, bool owned);
  ~Stream() override;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void synchronize() override;
  bool synchronize_for(std::chrono::nanoseconds) override;
  bool query() override;
  void wait(backend::Event&) override;
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(raw_); }

  Context& context() const { return context_; }
  CUstream raw() const { return raw_; }
  RecentKernels& recent() { return recent_; }
  UploadRing& uploads();

 private:
  Context& context_;
  CUstream raw_;
  bool owned_;
  RecentKernels recent_;
  std::atomic<UploadRing*> uploads_{nullptr};  // made when it is first needed
};

/// The stream as ours. Throws InvalidArgument when it belongs to another context.
Stream& stream_of(backend::Stream&, const Context&);

}  // namespace lanza::cuda_backend
