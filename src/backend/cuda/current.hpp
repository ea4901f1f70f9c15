// Makes a context current for a scope and leaves the thread as it was.
#pragma once

#include <new>

#include "backend/cuda/driver_error.hpp"

namespace lanza::cuda_backend {

class Current {
 public:
  Current(const Driver& driver, CUcontext context) : driver_(driver) {
    if (is_current(context)) return;
    call(driver_.cuCtxPushCurrent_v2, context);
    pushed_ = true;
  }
  /// For destructors: says by ok() whether the context could be made current.
  Current(const Driver& driver, CUcontext context, std::nothrow_t) noexcept : driver_(driver) {
    if (is_current(context)) return;
    const CUresult result = driver_.cuCtxPushCurrent_v2.entry(context);
    ok_ = pushed_ = result == CUDA_SUCCESS;
    report_cleanup(result, driver_.cuCtxPushCurrent_v2.name);
  }
  ~Current() {
    CUcontext popped;
    if (pushed_) driver_.cuCtxPopCurrent_v2.entry(&popped);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  bool ok() const noexcept { return ok_; }

 private:
  bool is_current(CUcontext context) const noexcept {
    CUcontext now = nullptr;
    driver_.cuCtxGetCurrent.entry(&now);
    return now == context;
  }

  const Driver& driver_;
  bool pushed_ = false, ok_ = true;
};

}  // namespace lanza::cuda_backend
