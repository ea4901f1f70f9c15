// How a kernel is launched: grid, block, shared memory, stream.
#pragma once

#include <chrono>
#include <cstddef>

#include <lanza/dim3.hpp>
#include <lanza/export.hpp>
#include <lanza/fwd.hpp>

namespace lanza {

/// A stream that somebody else owns: it must outlive the call that the view is given to. By default the stream that is
/// current on the thread, if it belongs to the context that the call works in, else the default stream of that context.
/// It cannot be made from 0 or nullptr, so that nobody gets a default stream by accident.
class LANZA_API StreamView {
 public:
  constexpr StreamView() noexcept = default;
  StreamView(const Stream& stream) noexcept;
  StreamView(int) = delete;
  StreamView(decltype(nullptr)) = delete;

  explicit StreamView(detail::StreamRecord& record) noexcept : record_(&record) {}
  detail::StreamRecord* record() const noexcept { return record_; }  ///< null: the current one

 private:
  detail::StreamRecord* record_ = nullptr;
};

/// What a launch needs besides the arguments: `kernel({.grid = 16, .block = 256}, ...)`.
struct LaunchConfig {
  Dim3 grid{1};
  Dim3 block{0, 0, 0};     ///< threads of a block; must be given
  std::size_t shared = 0;  ///< bytes of dynamic shared memory
  StreamView stream{};
  /// Whether the call returns only when the host ranges that the kernel writes hold their results. With false those
  /// ranges must live, and be left alone, until the stream is synchronised. Ranges that are only read may be changed
  /// when the call returns, always. A launch that writes no host range does not wait for the kernel on a GPU.
  bool wait = true;
  bool cooperative = false;  ///< all blocks resident at once, so that they can wait for each other
  std::chrono::milliseconds timeout{
      0};  ///< 0: none. Ends a kernel that takes longer with a LaunchError, where the device can (CPU)
};

}  // namespace lanza
