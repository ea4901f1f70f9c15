// The host ranges of a launch: used in place where the device works on host memory and no result depends on it, else
// copied to memory from the pool and back.
#pragma once

#include <cstddef>
#include <vector>

#include <lanza/arguments.hpp>

#include "runtime/records.hpp"

namespace lanza::detail {

class HostArguments {
 public:
  /// Refers to all of them until its end. `wait`: the call returns only when written ranges hold their results.
  HostArguments(ContextRecord&, StreamRecord&, const Plan&, const Argument* arguments, bool wait);
  /// Gives the copies back to the pool, in stream order.
  ~HostArguments();
  HostArguments(const HostArguments&) = delete;
  HostArguments& operator=(const HostArguments&) = delete;

  /// Copies what the kernel reads to the device and writes the addresses of all ranges to the block.
  void place(std::byte* block);
  /// Enqueues the copies of what the kernel wrote, in the order of the arguments.
  void copy_back();
  /// Whether the caller has to wait for the stream before it may return.
  bool must_wait() const noexcept { return wait_ && (writes_ || in_place_); }
  /// Whether the kernel works on the caller's memory.
  bool in_place() const noexcept { return in_place_; }

 private:
  struct Copy {
    backend::Pointer device, host;
    std::size_t bytes;
    bool back;
  };
  bool may_use_in_place(std::size_t index) const;
  backend::Pointer copy_in(const Argument&, Argument::Mode);

  ContextRecord& context_;
  StreamRecord& stream_;
  const Plan& plan_;
  const Argument* arguments_;
  bool wait_, writes_ = false, in_place_ = false;
  std::vector<Copy> copies_;
};

}  // namespace lanza::detail
