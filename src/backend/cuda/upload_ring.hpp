// Copies of up to 64 KiB to the device: through a ring of page-locked memory, so that the source may change at once,
// and page-locked sources need not be waited for. Measured on an H200 against the driver's own copy of pageable memory:
// 64 KiB 0.87. The smallest copies do not come here (Context::copy_by_stack).
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/cuda/driver.hpp"

namespace lanza::cuda_backend {

class Context;

/// The ring of one stream. Called with the context current. Thread-safe.
class UploadRing {
 public:
  static constexpr std::size_t largest = std::size_t{64} << 10;  ///< bytes of a copy

  explicit UploadRing(Context&);
  ~UploadRing();
  UploadRing(const UploadRing&) = delete;
  UploadRing& operator=(const UploadRing&) = delete;

  /// The source may be changed when this returns.
  void to_device(CUdeviceptr destination, const void* source, std::size_t bytes, CUstream);
  /// The stream ends, its copies may still wait for their turn. False: they cannot be waited for, and another stream
  /// must not have the ring.
  bool leave(CUstream) noexcept;

 private:
  static constexpr std::size_t half_bytes = std::size_t{256} << 10;
  struct Half {
    CUevent event = nullptr;
    bool in_flight = false;
  };

  void prepare();
  void enter_other_half(CUstream);

  Context& context_;
  std::mutex mutex_;
  void* memory_ = nullptr;
  std::array<Half, 2> halves_;
  std::size_t half_ = 0, used_ = 0;  // the half that is being filled, and how far
};

/// The rings of a context's streams. A stream that ends hands its ring on, because freeing page-locked memory would
/// wait for the stream's work. Thread-safe.
class UploadRings {
 public:
  explicit UploadRings(Context& context) : context_(context) {}
  UploadRing* take();
  void give_back(UploadRing*) noexcept;

 private:
  Context& context_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<UploadRing>> all_;
  std::vector<UploadRing*> idle_;
};

}  // namespace lanza::cuda_backend
