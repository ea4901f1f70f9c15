// Kernels that kernels launch: queued by the parent's threads, run when all of its blocks have ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "compiler/kernel_abi.h"

namespace lanza::executor {

class GridRun;
class KernelRecord;

struct ChildLaunch {
  std::string symbol, name;
  LanzaChildLaunch what;
  std::vector<std::byte> arguments;
};

/// What the threads of one grid have launched, and the errors that they got. Thread-safe.
class ChildLaunches {
 public:
  static constexpr unsigned deepest = 24;                ///< CUDA's limit of nested launches
  static constexpr std::size_t most_waiting = 1u << 20;  ///< a runaway kernel ends here, not with the memory

  /// `depth`: of the grid; the host launches at 0.
  explicit ChildLaunches(unsigned depth) : depth_(depth) {}

  unsigned depth() const noexcept { return depth_; }
  /// Copies the launch. A LanzaChildError, which the thread can ask for again.
  std::uint32_t add(const char* symbol, const char* name, std::uint32_t max_threads, const LanzaChildLaunch&) noexcept;
  /// The last error of a thread. `clear` forgets it.
  std::uint32_t error(std::uint64_t block, std::uint32_t thread, bool clear) noexcept;
  /// In the order to run: by parent block and by time, tail launches after all others.
  std::vector<ChildLaunch> take();

 private:
  const unsigned depth_;
  std::mutex mutex_;
  std::vector<ChildLaunch> waiting_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> errors_;
};

/// Runs what the grid, which has ended, has launched, and what that launches: one grid after the other. When one fails,
/// so does its parent. `kernel`: the one that the host launched.
void run_children(KernelRecord& kernel, GridRun& parent);

}  // namespace lanza::executor
