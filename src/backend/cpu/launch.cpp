// Where a launch runs, decided by what the kernel took so far.
//
// - On the calling thread alone: a short kernel in an idle stream. Waking another thread would cost more.
// - On the calling thread with helpers from the pool: one of medium length, when the caller waits anyway.
// - In the stream's own thread with helpers: everything else; the first launch too, so that who waits can still be
// interrupted. A kernel that takes much longer than it ever did moves to the stream's thread with the blocks that are
// left.
#include "backend/cpu/launch.hpp"

#include <fmt/format.h>

#include <cstring>
#include <new>

#include "backend/cpu/child_launch.hpp"
#include "backend/cpu/fault_handler.hpp"
#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/services.hpp"
#include "backend/cpu/stream.hpp"
#include "backend/cpu/watchdog.hpp"
#include "backend/cpu/worker_pool.hpp"

namespace lanza::executor {
namespace {

constexpr double alone_ns = 10e3, alone_waited_ns = 20e3;  // estimates up to which a launch runs on the caller alone,
constexpr double led_ns = 5e6;                             // and with helpers, when the caller waits
constexpr auto caller_limit = std::chrono::milliseconds(20);  // then the stream's thread takes over

enum class Place { Alone, Led, Queued };

Place place_of(const KernelObject& object, const backend::Launch& launch) {
  constexpr auto not_here =
      LANZA_KERNEL_BLOCKING | LANZA_KERNEL_GRID_SYNC | LANZA_KERNEL_UNBOUNDED | LANZA_KERNEL_LAUNCHES;
  if ((object.table().flags & not_here) || launch.cooperative || launch.timeout.count() > 0 || !object.cost().known())
    return Place::Queued;
  const double estimate = object.cost().estimate(launch.grid.count() * launch.block.count());
  if (estimate <= (launch.caller_waits ? alone_waited_ns : alone_ns)) return Place::Alone;
  return launch.caller_waits && estimate / worker_count() <= led_ns ? Place::Led : Place::Queued;
}

LanzaLaunch describe(const KernelRecord& kernel, const backend::Launch& launch) {
  const Dim3 &g = launch.grid, &b = launch.block;
  return {.grid = {g.x, g.y, g.z},
          .block = {b.x, b.y, b.z},
          .dynamic_shared = static_cast<std::uint32_t>(launch.shared),
          .flags = launch.cooperative ? std::uint32_t{LANZA_LAUNCH_COOPERATIVE} : 0,
          .globals = kernel.module->segment.data(),
          .services = &services,
          .executor = nullptr};
}

void record_cost(const KernelObject& object, GridRun& run, Clock::duration elapsed) {
  const double nanoseconds = std::chrono::duration<double, std::nano>(elapsed).count();
  object.cost().record(run.threads(), nanoseconds * run.workers());
}

// What a run leaves in its stream.
void finish(GridRun& run, const std::string& kernel, StreamQueue& queue) {
  run.output().finish();
  if (const auto why = run.failure()) queue.fail(LaunchError(fmt::format("{}: {}", kernel, *why), kernel));
}

// A launch that outlives the call: it holds kernel, code, variables and a copy of the arguments.
class LaunchTask final : public Task {
 public:
  LaunchTask(std::shared_ptr<KernelRecord> kernel, const KernelObject& object, const backend::Launch& launch,
             StreamQueue& queue)
      : kernel_(std::move(kernel)),
        object_(object),
        arguments_(copy(launch)),
        timeout_(launch.timeout),
        run_(std::make_shared<GridRun>(describe(*kernel_, launch), object.table(), arguments_.get(),
                                       launch.cooperative)) {
    run_->output().to(queue.printer().get());
    if (object.table().flags & LANZA_KERNEL_LAUNCHES) run_->launches_at(0);
  }

  void run(StreamQueue& queue) override {
    if (timeout_.count() > 0) watch(run_, timeout_);
    lead(GridRun::never);
    if (run_->children()) run_children(*kernel_, *run_);
    finish(*run_, kernel_->info.name, queue);
  }
  void cancel() noexcept override {
    run_->fail("cancelled");
    interrupt(run_);
  }

  /// A part of run(): false when `limit` has passed.
  bool lead(Clock::time_point limit) {
    const auto start = Clock::now();
    const bool ended = run_->lead(limit);
    elapsed_ += Clock::now() - start;
    if (ended && !run_->stopped()) record_cost(object_, *run_, elapsed_);
    return ended;
  }
  GridRun& grid() noexcept { return *run_; }

 private:
  struct Free {
    void operator()(std::byte* p) const noexcept { ::operator delete(p, std::align_val_t{64}); }
  };
  static std::unique_ptr<std::byte, Free> copy(const backend::Launch& launch) {
    if (!launch.argument_bytes) return nullptr;
    std::unique_ptr<std::byte, Free> bytes(
        static_cast<std::byte*>(::operator new(launch.argument_bytes, std::align_val_t{64})));
    std::memcpy(bytes.get(), launch.arguments, launch.argument_bytes);
    return bytes;
  }

  std::shared_ptr<KernelRecord> kernel_;
  const KernelObject& object_;  // the record's
  std::unique_ptr<std::byte, Free> arguments_;
  std::chrono::milliseconds timeout_;
  std::shared_ptr<GridRun> run_;
  Clock::duration elapsed_{0};
};

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
               const backend::Launch& launch) {
  GridRun run(describe(*kernel, launch), object.table(), launch.arguments, false);
  run.output().to(queue.printer().get());
  const auto start = Clock::now();
  arm_fault_handlers_now_and_then(start);
  const bool ended = run.run_alone(start + caller_limit);
  record_cost(object, run, Clock::now() - start);
  if (ended) {
    finish(run, kernel->info.name, queue);
    queue.end();
    return;
  }
  try {
    auto task = std::make_shared<LaunchTask>(kernel, object, launch, queue);
    task->grid().take_over(run);
    hand_over(queue, task);
  } catch (const std::bad_alloc&) {
    queue.fail(LaunchError(fmt::format("{}: out of memory", kernel->info.name), kernel->info.name));
    queue.end();
  }
}

void run_led(StreamQueue& queue, const std::string& kernel, const std::shared_ptr<LaunchTask>& task) {
  if (!task->lead(Clock::now() + caller_limit)) return hand_over(queue, task);
  finish(task->grid(), kernel, queue);
  queue.end();
}

}  // namespace

void launch_kernel(Stream& stream, const std::shared_ptr<KernelRecord>& kernel, const KernelObject& object,
                   const backend::Launch& launch) {
  const Place place = place_of(object, launch);
  if (place == Place::Alone && stream.try_begin()) return run_alone(stream.queue(), kernel, object, launch);
  arm_fault_handlers();
  auto task = std::make_shared<LaunchTask>(kernel, object, launch, stream.queue());
  if (place == Place::Led && stream.try_begin()) return run_led(stream.queue(), kernel->info.name, task);
  stream.submit(std::move(task));
}

}  // namespace lanza::executor
