// A launch that outlives the call which made it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "backend/backend.hpp"
#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/kernel.hpp"
#include "backend/cpu/launch_plan.hpp"
#include "backend/cpu/stream_queue.hpp"

namespace lanza::executor {

LanzaLaunch describe(const KernelRecord& kernel, const backend::Launch& launch);
/// What the kernel is expected to take from now on; nothing is learnt of a run that was stopped, or is like no other.
void record_cost(const KernelObject& object, GridRun& run, const std::optional<Work>& work, Clock::duration elapsed);
/// What a run leaves in its stream: output, and why it failed.
void finish(GridRun& run, const std::string& kernel, StreamQueue& queue);

/// Packed arguments of a launch, 16-byte aligned.
class ArgumentCopy {
 public:
  explicit ArgumentCopy(const backend::Launch& launch);
  const void* get() const noexcept { return bytes_.get(); }

 private:
  struct Free {
    void operator()(std::byte* p) const noexcept;
  };
  std::unique_ptr<std::byte, Free> bytes_;
};

/// It holds kernel, code, variables and a copy of the arguments.
class LaunchTask final : public Task {
 public:
  LaunchTask(std::shared_ptr<KernelRecord> kernel, const KernelObject& object, const backend::Launch& launch,
             StreamQueue& queue, Plan plan, std::optional<Work> work);

  void run(StreamQueue& queue) override;
  void cancel() noexcept override;
  bool suits_caller() const noexcept override { return plan_.brief; }
  bool run_on_caller(StreamQueue& queue) override;
  /// Goes on with what has taken so long already.
  void take_over(GridRun& begun, Clock::duration elapsed);
  const std::shared_ptr<GridRun>& grid_run() const noexcept { return run_; }

 private:
  bool lead(Clock::time_point start, Clock::time_point limit);

  const Plan plan_;
  const std::optional<Work> work_;
  std::shared_ptr<KernelRecord> kernel_;
  const KernelObject& object_;  // the record's
  ArgumentCopy arguments_;
  std::chrono::milliseconds timeout_;
  std::shared_ptr<GridRun> run_;
  Clock::duration elapsed_{0};
};

/// That long a launch may keep its caller; then the stream's thread takes over.
constexpr auto caller_limit = std::chrono::milliseconds(20);

}  // namespace lanza::executor
