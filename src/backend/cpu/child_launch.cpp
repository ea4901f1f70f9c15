// Kernels that kernels launch.
#include "backend/cpu/child_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/kernel.hpp"
#include "backend/cpu/limits.hpp"
#include "backend/cpu/services.hpp"

namespace lanza::executor {
namespace {

bool fits(const unsigned (&size)[3], unsigned x, unsigned y, unsigned z) {
  return size[0] > 0 && size[1] > 0 && size[2] > 0 && size[0] <= x && size[1] <= y && size[2] <= z;
}

bool is_possible(const LanzaChildLaunch& launch, std::uint32_t max_threads) {
  if (!fits(launch.grid, limits::grid_x, limits::grid_y, limits::grid_z)) return false;
  if (!fits(launch.block, limits::block_x, limits::block_y, limits::block_z)) return false;
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads > (max_threads ? max_threads : limits::threads_per_block)) return false;
  return launch.shared <= limits::shared_per_block_optin;
}

LanzaLaunch describe(const LanzaChildLaunch& what, const Segment& segment) {
  return {.grid = {what.grid[0], what.grid[1], what.grid[2]},
          .block = {what.block[0], what.block[1], what.block[2]},
          .dynamic_shared = static_cast<std::uint32_t>(what.shared),
          .flags = 0,
          .globals = segment.data(),
          .services = &services,
          .executor = nullptr,
          .launched_blocks = 0,
          .reserved = 0};
}

/// Why the child failed, if it did.
std::optional<std::string> run_child(KernelRecord& kernel, GridRun& parent, const ChildLaunch& child) {
  const auto dim3 = [](const std::uint32_t(&size)[3]) { return Dim3(size[0], size[1], size[2]); };
  const std::shared_ptr<const KernelObject> object =
      kernel.child(child.symbol, child.name, dim3(child.what.grid), dim3(child.what.block), child.arguments.data());
  const std::uint64_t shared = object->table().shared_bytes + child.what.shared;
  if (shared > limits::shared_per_block_optin)
    return fmt::format("needs {} bytes of shared memory; the limit of cpu is {}", shared,
                       limits::shared_per_block_optin);
  const auto run = std::make_shared<GridRun>(describe(child.what, kernel.module->segment), object->table(),
                                             child.arguments.data(), false);
  run->launches_at(parent.children()->depth() + 1);
  run->output().to(parent.output().printer());
  if (parent.heap()) run->allocates_on(*parent.heap());
  parent.stand_in(run);
  run->lead();
  run_children(kernel, *run);
  parent.stand_in(nullptr);
  return run->failure();
}

}  // namespace

std::uint32_t ChildLaunches::add(const char* symbol, const char* name, std::uint32_t max_threads,
                                 const LanzaChildLaunch& launch) noexcept {
  std::lock_guard lock(mutex_);
  std::uint32_t error = LANZA_CHILD_QUEUED;
  try {
    if (depth_ >= deepest) {
      error = LANZA_CHILD_TOO_DEEP;
    } else if (!is_possible(launch, max_threads)) {
      error = LANZA_CHILD_BAD_CONFIGURATION;
    } else if (waiting_.size() >= most_waiting) {
      error = LANZA_CHILD_TOO_MANY;
    } else {
      const auto* bytes = static_cast<const std::byte*>(launch.arguments);
      waiting_.push_back({symbol, name, launch, std::vector<std::byte>(bytes, bytes + launch.argument_bytes)});
    }
  } catch (const std::bad_alloc&) {
    error = LANZA_CHILD_NO_MEMORY;
  }
  try {
    if (error != LANZA_CHILD_QUEUED) errors_[{launch.parent, launch.thread}] = error;
  } catch (const std::bad_alloc&) {  // the answer says it
  }
  return error;
}

std::uint32_t ChildLaunches::error(std::uint64_t block, std::uint32_t thread, bool clear) noexcept {
  std::lock_guard lock(mutex_);
  const auto found = errors_.find({block, thread});
  if (found == errors_.end()) return LANZA_CHILD_QUEUED;
  const std::uint32_t error = found->second;
  if (clear) errors_.erase(found);
  return error;
}

std::vector<ChildLaunch> ChildLaunches::take() {
  std::lock_guard lock(mutex_);
  std::vector<ChildLaunch> children = std::exchange(waiting_, {});
  const auto order = [](const ChildLaunch& c) { return std::pair(c.what.stream == LANZA_STREAM_TAIL, c.what.parent); };
  std::stable_sort(children.begin(), children.end(),
                   [&](const ChildLaunch& a, const ChildLaunch& b) { return order(a) < order(b); });
  return children;
}

void run_children(KernelRecord& kernel, GridRun& parent) {
  parent.output().finish();
  for (const ChildLaunch& child : parent.children()->take()) {
    if (parent.stopped()) return;
    try {
      if (const auto why = run_child(kernel, parent, child))
        parent.fail(fmt::format("its child kernel {} failed: {}", child.name, *why));
    } catch (const std::exception& e) {
      parent.fail(fmt::format("its child kernel {} did not start: {}", child.name, e.what()));
    }
  }
}

}  // namespace lanza::executor
