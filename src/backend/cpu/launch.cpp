#include "backend/cpu/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <optional>

#include "backend/cpu/fault_handler.hpp"
#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/helpers.hpp"
#include "backend/cpu/launch_plan.hpp"
#include "backend/cpu/launch_task.hpp"
#include "backend/cpu/own_stack.hpp"
#include "backend/cpu/stream.hpp"
#include "support/cpu.hpp"

namespace lanza::executor {
namespace {

// Launches too short to wake a helper for, but longer than what is worth sharing, are worth one that stays awake when
// they take so much of such a time.
constexpr double train_ns = 100e3, train_time_ns = 400e3;

// Of all streams: a guess, as several may count at once.
class Train {
 public:
  // True: helpers that stay awake would have had enough to do lately.
  bool grows(double nanoseconds, Clock::time_point now) noexcept {
    const double ticks = std::chrono::duration<double, std::nano>(now.time_since_epoch()).count();
    if (ticks - begin_.load(std::memory_order_relaxed) > train_time_ns) {
      begin_.store(ticks, std::memory_order_relaxed);
      sum_.store(0, std::memory_order_relaxed);
    }
    const double sum = sum_.load(std::memory_order_relaxed) + nanoseconds;
    sum_.store(sum < train_ns ? sum : 0, std::memory_order_relaxed);
    return sum >= train_ns;
  }

 private:
  std::atomic<double> begin_{0}, sum_{0};
};

// It does nothing, and waits for the next launches then.
void wake_helper() noexcept {
  try {
    request_helper([](void*, unsigned) {}, nullptr, Helpers::Later);
  } catch (const std::bad_alloc&) {
    return;  // the launches do without
  }
}

// Blocks that wait for the grid keep what they have in memory, all of them at once: better an error than a process that
// is killed for it. A launch that needs little is not worth the question how much there is.
void check_cooperative(const KernelRecord& kernel, const KernelObject& object, const backend::Launch& launch) {
  constexpr std::uint64_t little = std::uint64_t{1} << 30;
  const LanzaKernelObject& code = object.table();
  if (!(code.flags & LANZA_KERNEL_GRID_SYNC)) return;
  const bool has_stacks = code.flags & LANZA_KERNEL_OWN_STACK;
  const std::uint64_t bytes = code.shared_bytes + launch.shared + code.context_bytes +
                              code.frame_bytes * launch.block.count() + (has_stacks ? OwnStack::touched : 0);
  const std::uint64_t blocks = launch.grid.count();
  if (blocks <= little / std::max<std::uint64_t>(bytes, 1)) return;
  const std::uint64_t stacks = has_stacks ? OwnStack::most : blocks;
  const std::uint64_t most = std::min(host_memory().free / bytes, stacks);
  if (blocks > most)
    throw InvalidArgument(fmt::format(
        "{}: a cooperative grid of {} blocks does not fit: all of them wait in memory, {} bytes for each block of "
        "{} threads, and what is free of this machine's memory holds {}",
        kernel.info.name, blocks, bytes, launch.block.count(), most));
}

// The stream's thread goes on with what the caller has begun; without such a thread the caller does.
void hand_over(StreamQueue& queue, const std::shared_ptr<LaunchTask>& task) {
  try {
    queue.hand_over(task);
  } catch (const Error&) {
    task->run(queue);
    queue.end();
  }
}

void run_alone(StreamQueue& queue, const std::shared_ptr<KernelRecord>& kernel, const KernelObject& object,
               const backend::Launch& launch, const std::optional<Work>& work, const Plan& plan) {
  static constinit Train train;
  GridRun run(describe(*kernel, launch), object.table(), launch.arguments, false);
  run.may_be_alone(plan.blocks_alone);
  run.output().to(queue.printer().get());
  run.allocates_on(queue.memory().heap);
  const auto start = Clock::now();
  arm_fault_handlers_now_and_then(start);
  if (plan.wants_helpers_ns != 0 && train.grows(plan.wants_helpers_ns, start)) wake_helper();
  queue.runs_alone(run);
  const bool ended = run.run_alone(start + caller_limit);
  const auto elapsed = Clock::now() - start;
  if (ended) {
    record_cost(object, run, work, elapsed);
    finish(run, kernel->info.name, queue);
    queue.end();
    return;
  }
  try {
    auto task = std::make_shared<LaunchTask>(kernel, object, launch, queue, Plan{Place::Queued}, work);
    task->take_over(run, elapsed);
    hand_over(queue, task);
  } catch (const std::bad_alloc&) {
    queue.fail(LaunchError(fmt::format("{}: out of memory", kernel->info.name), kernel->info.name));
    queue.end();
  }
}

}  // namespace

void launch_kernel(Stream& stream, const std::shared_ptr<KernelRecord>& kernel, const KernelObject& object,
                   const backend::Launch& launch) {
  if (launch.cooperative) check_cooperative(*kernel, object, launch);
  const std::optional<Work> work = work_of(*kernel, object, launch);
  const Plan plan = plan_for(object, launch, work);
  if (plan.place == Place::Alone && stream.try_begin())
    return run_alone(stream.queue(), kernel, object, launch, work, plan);
  auto task = std::make_shared<LaunchTask>(kernel, object, launch, stream.queue(), plan, work);
  if (plan.place == Place::Led && stream.run_here(task)) return;
  if (plan.place == Place::Led || plan.brief) {
    arm_fault_handlers_now_and_then(Clock::now());
  } else {
    arm_fault_handlers();
  }
  stream.submit(std::move(task));
}

}  // namespace lanza::executor
