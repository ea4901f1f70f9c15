// The data segment of a module: its __device__ and __constant__ variables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lanza::executor {

class Segment {
 public:
  /// A copy of the initial bytes; the pointers at `relocations` hold offsets and become addresses. Throws Error for an
  /// offset outside.
  Segment(const std::string& data, const std::vector<std::uint64_t>& relocations);
  char* data() const noexcept { return data_.get(); }
  std::size_t size() const noexcept { return size_; }

 private:
  struct Free {
    void operator()(char* p) const noexcept;
  };
  std::size_t size_;
  std::unique_ptr<char, Free> data_;
};

}  // namespace lanza::executor
