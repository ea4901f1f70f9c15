// The data segment of a module: its __device__ and __constant__ variables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lanza::executor {

class Segment {
 public:
  /// A copy of the initial bytes, then zeros up to `bytes`; pages of zeros that nobody writes take no memory. The
  /// pointers at `relocations` hold offsets and become addresses. Throws Error for an offset outside of `data`.
  Segment(const std::string& data, const std::vector<std::uint64_t>& relocations, std::uint64_t bytes = 0);
  char* data() const noexcept { return data_.get(); }
  std::size_t size() const noexcept { return size_; }

 private:
  struct Free {
    std::size_t mapped;
    void operator()(char* p) const noexcept;
  };
  std::size_t size_;
  std::unique_ptr<char, Free> data_;
};

}  // namespace lanza::executor
