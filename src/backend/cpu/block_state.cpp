// What one worker holds to run blocks: recycled from launch to launch, one spare state a thread.
#include "backend/cpu/block_state.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "backend/cpu/fault_text.hpp"
#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/spin.hpp"
#include "backend/cpu/worker_pool.hpp"

namespace lanza::executor {

namespace {
constexpr std::size_t kept_bytes = std::size_t{32} << 20;  // a spare state that holds more is freed
constexpr std::size_t text_bytes = std::size_t{64} << 10;  // printed by one block before it is handed on
}  // namespace

struct SpareState {
  BlockState* state = nullptr;
  ~SpareState() { delete state; }
};

namespace {
thread_local SpareState spare;
}

BlockState* BlockState::acquire(GridRun& run) {
  provide_signal_stack();
  BlockState* state = std::exchange(spare.state, nullptr);
  std::unique_ptr<BlockState> made(state ? state : new BlockState);
  made->prepare(run);
  return made.release();
}

void BlockState::release(BlockState* state) noexcept {
  state->run = nullptr;
  const std::size_t held =
      state->frames.size() + state->stacks.size() + state->shared_.size() + state->counters_.size();
  if (spare.state || held > kept_bytes) {
    delete state;
  } else {
    spare.state = state;
  }
}

void BlockState::prepare(GridRun& r) {
  run = &r;
  threads.reset();
  own_stack_.forget();
  text_.clear();
  block.launch = &r.launch();
  block.arguments = r.arguments();
  block.executor = this;
  block.alone = 0;
  block.shared = shared_.need(std::max<std::size_t>(64, r.code().shared_bytes + r.launch().dynamic_shared));
  block.context = r.code().context_bytes ? frames.need(r.code().context_bytes) : nullptr;
  block.counters = r.counts() ? counters_.need(r.code().counter_bytes) : nullptr;
  if ((r.code().flags & LANZA_KERNEL_OWN_STACK) && !own_stack_.provide()) throw std::bad_alloc();
  if (!block.shared || (r.code().context_bytes && !block.context) || (r.counts() && !block.counters))
    throw std::bad_alloc();
  if (block.counters) std::memset(block.counters, 0, r.code().counter_bytes);
}

std::int32_t BlockState::call() noexcept {
  running_block = this;
  const auto here = [](void* self) noexcept { return static_cast<BlockState*>(self)->call_here(); };
  const bool has_own_stack = run->code().flags & LANZA_KERNEL_OWN_STACK;
  const auto status = has_own_stack ? own_stack_.enter(here, this) : call_here();
  running_block = nullptr;
  if (status == LANZA_FAILED && fault.signal) note_fault();
  return status;
}

// No variable of the thread's: the kernel may end on another one.
std::int32_t BlockState::call_here() noexcept {
  block.lane_count = 0;
  block.lane_rows = 1;
  stack_base_ = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  // The mask is not saved, for the system call would cost 0.2 us: who leaves a kernel brings it back.
  if (sigsetjmp(leave_, 0) != 0) return LANZA_FAILED;
  return run->code().run(&run->launch(), block.arguments, &block);
}

// Who it waits for may be at work on another core.
void BlockState::wait() noexcept {
  constexpr unsigned patience = 32;
  if (run->stopped()) leave();
  if (worker_count() > 1 && ++polls_ % patience != 0) return spin_pause();
  own_stack_.give_way(LANZA_YIELDED);
}

void BlockState::wait_for_grid() noexcept {
  if (run->stopped()) leave();
  own_stack_.give_way(LANZA_GRID_BARRIER);
}

std::uint32_t BlockState::space_of(std::uintptr_t address) const noexcept {
  const auto within = [&](const Scratch& memory) {
    return address - reinterpret_cast<std::uintptr_t>(memory.data()) < memory.size();
  };
  if (within(shared_)) return LANZA_SPACE_SHARED;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const bool on_stack = here <= address && address < stack_base_;
  return on_stack || within(frames) || within(stacks) ? LANZA_SPACE_LOCAL : LANZA_SPACE_GLOBAL;
}

void BlockState::note_fault() noexcept {
  try {
    run->fail(describe_fault(*this, fault));
  } catch (const std::exception&) {
    run->fail("invalid access to memory");
  }
  fault = {};
}

void BlockState::print(std::string_view text) {
  const auto& grid = run->launch().grid;
  const std::uint64_t index = block.index[0] + grid[0] * (block.index[1] + std::uint64_t{grid[1]} * block.index[2]);
  if (index != text_block_ || text_.size() > text_bytes) flush_print();
  text_block_ = index;
  text_ += text;
}

void BlockState::flush_print() {
  if (text_.empty()) return;
  run->output().add(text_block_, text_);
  text_.clear();
}

}  // namespace lanza::executor
