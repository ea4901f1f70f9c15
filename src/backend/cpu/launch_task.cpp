// Launches that outlive the call which made them.
#include "backend/cpu/launch_task.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "backend/cpu/cache_aligned.hpp"
#include "backend/cpu/child_launch.hpp"
#include "backend/cpu/fault_handler.hpp"
#include "backend/cpu/services.hpp"
#include "backend/cpu/watchdog.hpp"

namespace lanza::executor {

LanzaLaunch describe(const KernelRecord& kernel, const backend::Launch& launch) {
  const Dim3 &g = launch.grid, &b = launch.block;
  return {.grid = {g.x, g.y, g.z},
          .block = {b.x, b.y, b.z},
          .dynamic_shared = static_cast<std::uint32_t>(launch.shared),
          .flags = launch.cooperative ? std::uint32_t{LANZA_LAUNCH_COOPERATIVE} : 0,
          .globals = kernel.module->segment.data(),
          .services = &services,
          .executor = nullptr,
          .launched_blocks = launch.asked_x,
          .reserved = 0};
}

void record_cost(const KernelObject& object, GridRun& run, const std::optional<Work>& work, Clock::duration elapsed) {
  if (!work || run.stopped()) return;
  const double nanoseconds = std::chrono::duration<double, std::nano>(elapsed).count();
  (run.was_alone() ? object.cost_alone() : object.cost()).record(*work, nanoseconds * run.workers());
}

void finish(GridRun& run, const std::string& kernel, StreamQueue& queue) {
  run.output().finish();
  if (const auto why = run.failure()) queue.fail(LaunchError(fmt::format("{}: {}", kernel, *why), kernel));
}

ArgumentCopy::ArgumentCopy(const backend::Launch& launch) {
  if (!launch.argument_bytes) return;
  bytes_.reset(CacheAligned<std::byte>().allocate(launch.argument_bytes));
  std::memcpy(bytes_.get(), launch.arguments, launch.argument_bytes);
}

void ArgumentCopy::Free::operator()(std::byte* p) const noexcept { CacheAligned<std::byte>().deallocate(p, 0); }

LaunchTask::LaunchTask(std::shared_ptr<KernelRecord> kernel, const KernelObject& object, const backend::Launch& launch,
                       StreamQueue& queue, Plan plan, std::optional<Work> work)
    : plan_(plan),
      work_(work),
      kernel_(std::move(kernel)),
      object_(object),
      arguments_(launch),
      timeout_(launch.timeout),
      run_(std::allocate_shared<GridRun>(CacheAligned<GridRun>(), describe(*kernel_, launch), object.table(),
                                         arguments_.get(), launch.cooperative)) {
  run_->output().to(queue.printer().get());
  run_->allocates_on(queue.memory().heap);
  Shares shares = plan.shares;
  shares.backwards = queue.turns() && !(object.table().flags & LANZA_KERNEL_IN_ORDER);
  run_->shares(shares);
  run_->has_team_of(plan.team);
  run_->may_be_alone(plan.blocks_alone);
  if (object.table().flags & LANZA_KERNEL_LAUNCHES) run_->launches_at(0);
}

void LaunchTask::run(StreamQueue& queue) {
  if (timeout_.count() > 0) watch(run_, timeout_);
  lead(Clock::now(), GridRun::never);
  if (run_->children()) run_children(*kernel_, *run_);
  finish(*run_, kernel_->info.name, queue);
}

void LaunchTask::cancel() noexcept {
  run_->fail("cancelled");
  interrupt(run_);
}

bool LaunchTask::run_on_caller(StreamQueue& queue) {
  const auto start = Clock::now();
  arm_fault_handlers_now_and_then(start);
  if (!lead(start, start + caller_limit)) return false;
  finish(*run_, kernel_->info.name, queue);
  return true;
}

void LaunchTask::take_over(GridRun& begun, Clock::duration elapsed) {
  run_->take_over(begun);
  elapsed_ = elapsed;
}

// False when `limit` has passed.
bool LaunchTask::lead(Clock::time_point start, Clock::time_point limit) {
  const bool ended = run_->lead(limit, plan_.helpers);
  elapsed_ += Clock::now() - start;
  if (!ended) return false;
  record_cost(object_, *run_, work_, elapsed_);
  if (work_ && run_->had_team() && !run_->stopped())
    object_.sharing().record(*work_, plan_.shares.whole, std::chrono::duration<double, std::nano>(elapsed_).count());
  return true;
}

}  // namespace lanza::executor
