// The first launch of a kernel: code of the thread engine until the better code is there.
#include "backend/cpu/quick_launch.hpp"

#include <chrono>
#include <new>
#include <optional>
#include <utility>

#include <lanza/error.hpp>

#include "backend/cpu/cache_aligned.hpp"
#include "backend/cpu/fault_handler.hpp"
#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/launch_task.hpp"
#include "backend/cpu/watchdog.hpp"

namespace lanza::executor {
namespace {

// How often a launch looks whether the better code is there: a look costs a microsecond.
constexpr auto slice = std::chrono::microseconds(200);

// What waits for other blocks, or has to do with more than its own grid, is not worth a second way to run it.
constexpr auto not_quick = LANZA_KERNEL_BLOCKING | LANZA_KERNEL_GRID_SYNC | LANZA_KERNEL_PRINTS | LANZA_KERNEL_LAUNCHES;

bool may_be_quick(const KernelRecord& kernel, const backend::Launch& launch) {
  const CodeSettings& settings = kernel.module->settings;
  return settings.quick_start != QuickStart::Never && settings.mode == LANZA_MODE_AUTO && !launch.cooperative &&
         launch.timeout.count() == 0;
}

// Null: there is none, or it is not for such launches: a block that was begun keeps its code.
std::shared_ptr<const KernelObject> quick_object(const KernelRecord& kernel, const backend::Launch& launch) {
  try {
    auto object = kernel.quick_object(launch.block);
    const LanzaKernelObject& code = object->table();
    const std::uint32_t grid[3] = {launch.grid.x, launch.grid.y, launch.grid.z};
    const bool suits = !(code.flags & not_quick) && (!code.fits || code.fits(grid, launch.arguments) != 0);
    return suits ? object : nullptr;
  } catch (const Error&) {
    return nullptr;  // the kernel's own code says what is wrong
  }
}

class QuickTask final : public Task {
 public:
  QuickTask(std::shared_ptr<KernelRecord> kernel, std::shared_ptr<const KernelObject> object,
            const backend::Launch& launch, StreamQueue& queue)
      : kernel_(std::move(kernel)),
        object_(std::move(object)),
        arguments_(launch),
        launch_(launch),
        run_(std::allocate_shared<GridRun>(CacheAligned<GridRun>(), describe(*kernel_, launch), object_->table(),
                                           arguments_.get(), false)) {
    launch_.arguments = arguments_.get();
    run_->output().to(queue.printer().get());
    run_->allocates_on(queue.memory().heap);
  }

  void run(StreamQueue& queue) override {
    while (!run_->run_in_order(Clock::now() + slice)) {
      const auto rest = with_better_code(queue);
      if (!rest) continue;
      note(run_->blocks_begun());
      return rest->run(queue);
    }
    note(launch_.grid.count());
    finish(*run_, kernel_->info.name, queue);
  }
  void cancel() noexcept override {
    run_->fail("cancelled");
    interrupt(run_);
  }

 private:
  void note(std::uint64_t blocks) const noexcept {
    kernel_->quick_blocks = blocks;
    kernel_->quick_grid = launch_.grid.count();
  }

  // What is left, once there is better code for it.
  std::shared_ptr<LaunchTask> with_better_code(StreamQueue& queue) {
    const KernelObject* better = kernel_->find(launch_.grid, launch_.block, arguments_.get());
    if (!better) return nullptr;
    try {
      auto rest =
          std::make_shared<LaunchTask>(kernel_, *better, launch_, queue, Plan{Place::Queued}, /*work=*/std::nullopt);
      rest->take_over(*run_, Clock::duration::zero());
      run_->stand_in(rest->grid_run());
      return rest;
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  std::shared_ptr<KernelRecord> kernel_;
  std::shared_ptr<const KernelObject> object_;
  ArgumentCopy arguments_;
  backend::Launch launch_;
  std::shared_ptr<GridRun> run_;
};

}  // namespace

bool launch_quickly(Stream& stream, const std::shared_ptr<KernelRecord>& kernel, const backend::Launch& launch) {
  if (!may_be_quick(*kernel, launch)) return false;
  if (kernel->find_made(launch.grid, launch.block, launch.arguments)) return false;
  if (!kernel->compile_behind(kernel, launch)) return false;
  auto object = quick_object(*kernel, launch);
  const bool always = kernel->module->settings.quick_start == QuickStart::Always;
  if (!object || (!always && kernel->await_compiler(std::chrono::nanoseconds(0)))) return false;
  auto task = std::make_shared<QuickTask>(kernel, std::move(object), launch, stream.queue());
  arm_fault_handlers();
  stream.submit(std::move(task));
  return true;
}

}  // namespace lanza::executor
