// Memory that is reused from block to block: grows, keeps no contents, 64-byte aligned.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace lanza::executor {

class Scratch {
 public:
  Scratch() = default;
  ~Scratch() { std::free(memory_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// At least so many bytes, or null when the system has none. Never throws: it is called below frames of kernels.
  char* need(std::size_t bytes) noexcept {
    if (bytes <= size_) return memory_;
    std::free(memory_);
    size_ = (bytes + 63) & ~std::size_t{63};
    memory_ = static_cast<char*>(std::aligned_alloc(64, size_));
    if (!memory_) size_ = 0;
    return memory_;
  }
  const char* data() const noexcept { return memory_; }
  std::size_t size() const noexcept { return size_; }

 private:
  char* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace lanza::executor
