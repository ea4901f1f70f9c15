// The thread engine's scheduler: rounds over the warps of a block, barriers, warp operations, lock step, yields.
// Everything here runs below frames of kernels, which a failure leaves by longjmp: what resumes a thread owns nothing.
#include "backend/cpu/thread_scheduler.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "backend/cpu/block_state.hpp"
#include "backend/cpu/deadlock_report.hpp"
#include "backend/cpu/fault_text.hpp"
#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/warp_operation.hpp"

namespace lanza::executor {
namespace {

static_assert(std::endian::native == std::endian::little, "kind, id and aux are read as one word");

// A round in which somebody yielded costs 1 when others went on and 8 when nobody did; then the block gives way.
constexpr unsigned patience = 256;
// A block whose loops join others at every turn never yields: where it may wait for another block it gives way after so
// many rounds, and its warps take turns after so many steps.
constexpr unsigned slice_rounds = 4096, slice_steps = 1024;
// Frames of nested coroutines, a thread. Pages that no recursion reaches are never touched.
constexpr std::uint64_t nested_stack_bytes = 64 << 10;

// Records of neighbouring threads at multiples of 256 bytes fall into few cache sets: measured 1.3x a resume.
std::uint64_t frame_stride(const LanzaThreads& threads) {
  const std::uint64_t align = std::max<std::uint64_t>(threads.frame_align, 16);
  const std::uint64_t stride = (threads.frame_bytes + align - 1) & ~(align - 1);
  return stride % 256 == 0 && align <= 64 ? stride + 64 : stride;
}

}  // namespace

std::int32_t ThreadScheduler::run(BlockState& state, const LanzaThreads& threads) {
  LanzaBlock& block = state.block;
  for (; block.next < block.end; ++block.next) {
    running_ = true;
    if (!active_ && !begin(state, threads)) return LANZA_FAILED;
    const auto status = threads.nested ? run_rounds(state,
                                                    [](LanzaFrame& root) {
                                                      auto& record = reinterpret_cast<LanzaNestedRecord&>(root.record);
                                                      record.current->resume(record.current);
                                                    })
                                       : run_rounds(state, [](LanzaFrame& frame) { frame.resume(&frame); });
    running_ = false;
    if (status != LANZA_DONE) return status;
    active_ = false;
  }
  return LANZA_DONE;
}

bool ThreadScheduler::begin(BlockState& state, const LanzaThreads& threads) {
  LanzaBlock& block = state.block;
  const std::uint32_t *grid = block.launch->grid, *size = block.launch->block;
  block.index[0] = static_cast<std::uint32_t>(block.next % grid[0]);
  block.index[1] = static_cast<std::uint32_t>(block.next / grid[0] % grid[1]);
  block.index[2] = static_cast<std::uint32_t>(block.next / grid[0] / grid[1]);
  thread_count_ = live_ = size[0] * size[1] * size[2];
  warp_count_ = (thread_count_ + 31) / 32;
  stride_ = frame_stride(threads);

  const std::uint64_t align = std::max<std::uint64_t>(threads.frame_align, 64);
  char* memory = state.frames.need(stride_ * thread_count_ + align);
  char* stacks = threads.nested ? state.stacks.need(nested_stack_bytes * thread_count_) : nullptr;
  if (!memory || (threads.nested && !stacks)) {
    state.run->fail_for_memory(stride_ * thread_count_, thread_count_);
    return false;
  }
  frames_ = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(memory) + align - 1) & ~(align - 1));
  block.context = frames_;
  block.stacks = stacks;
  block.stack_bytes = stacks ? nested_stack_bytes : 0;

  if (std::exchange(open_barriers_, 0)) barriers_ = {};  // a block before this one failed
  impatience_ = rounds_ = 0;
  yields_ = progress_ = false;
  active_ = true;
  std::uint32_t x = 0, y = 0, z = 0;
  // All warps are known before the first thread runs: an early barrier must count them.
  for (unsigned w = 0; w < warp_count_; ++w) {
    const unsigned lanes = std::min(32u, thread_count_ - w * 32);
    warps_[w] = {};
    warps_[w].live = static_cast<std::uint32_t>((std::uint64_t{1} << lanes) - 1);
  }
  for (unsigned w = 0; w < warp_count_; ++w) {
    step(w, warps_[w].live, [&](LanzaFrame& frame) {
      threads.start(&frame, &block, x, y, z);
      if (++x == size[0]) {
        x = 0;
        if (++y == size[1]) y = 0, ++z;
      }
    });
  }
  return true;
}

template <class Resume>
std::int32_t ThreadScheduler::run_rounds(BlockState& state, Resume resume) {
  const bool may_wait = state.run->code().flags & LANZA_KERNEL_BLOCKING;
  while (live_) {
    if (state.run->stopped()) return LANZA_FAILED;
    bool resumed = false;
    for (unsigned w = 0; w < warp_count_; ++w) {
      Warp& warp = warps_[w];
      warp.ready |= warp.yielded;
      warp.yielded = 0;
      unsigned steps = 0;
      do {
        for (; warp.ready && steps < slice_steps; ++steps) {
          resumed = true;
          step(w, std::exchange(warp.ready, 0), resume);
          if (state.run->stopped()) return LANZA_FAILED;
        }
      } while (!warp.ready && release_lockstep(w));
    }
    if (!live_) break;
    if (!resumed) return stuck(state);
    const bool impatient = yields_ && (impatience_ += progress_ ? 1 : 8) >= patience;
    if (impatient || (may_wait && ++rounds_ >= slice_rounds)) {
      impatience_ = rounds_ = 0;
      return LANZA_YIELDED;
    }
    yields_ = progress_ = false;
  }
  return LANZA_DONE;
}

// Resumes lanes of a warp, then sorts them by what each waits at.
template <class Resume>
void ThreadScheduler::step(unsigned w, std::uint32_t lanes, Resume resume) {
  Warp& warp = warps_[w];
  std::uint32_t block_barrier = 0, operation = 0, yielded = 0, ended = 0;
  char* const first = frames_ + std::uint64_t{w} * 32 * stride_;
  for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint32_t bit = rest & (0 - rest);
    auto& f = *reinterpret_cast<LanzaFrame*>(first + lane * stride_);
    current_ = w * 32 + lane;
    resume(f);
    std::uint32_t what;
    std::memcpy(&what, &f.record, sizeof what);
    if (what == LANZA_SYNC_BARRIER) {  // barrier 0, all threads
      block_barrier |= bit;
      continue;
    }
    switch (what & 0xff) {
      case LANZA_SYNC_DONE:
        ended |= bit;
        break;
      case LANZA_SYNC_BARRIER_COUNT:
        barriers_[barrier_of(f.record)].count += f.record.operand != 0;
        [[fallthrough]];
      case LANZA_SYNC_BARRIER:
        warp.barrier |= bit;
        arrive(barrier_of(f.record), f.record.aux, 1);
        break;
      case LANZA_SYNC_ARRIVE:
        warp.ready |= bit;
        arrive(barrier_of(f.record), f.record.aux, 1, /*wait=*/false);
        break;
      case LANZA_SYNC_YIELD:
        yielded |= bit;
        break;
      case LANZA_SYNC_LOCKSTEP:
      case LANZA_SYNC_ACTIVEMASK:
        warp.lockstep |= bit;
        break;
      case LANZA_SYNC_RETURN:
        warp.ready |= bit;
        break;
      case LANZA_SYNC_GRID:
        warp.grid |= bit;
        break;
      default:
        operation |= bit;
    }
  }
  yields_ |= yielded != 0;
  progress_ |= lanes != yielded;
  warp.yielded |= yielded;
  warp.operation |= operation;
  if (block_barrier) {
    warp.barrier |= block_barrier;
    arrive(0, 0, static_cast<unsigned>(std::popcount(block_barrier)));
  }
  if (operation) fire_waiting(w, operation);
  if (ended) end_threads(w, ended);
}

// Those that have ended may have been the last that an operation or a barrier waited for.
void ThreadScheduler::end_threads(unsigned w, std::uint32_t lanes) {
  warps_[w].live &= ~lanes;
  live_ -= static_cast<unsigned>(std::popcount(lanes));
  fire_waiting(w, warps_[w].operation);
  for (std::uint64_t ids = open_barriers_; ids; ids &= ids - 1) {
    const auto id = static_cast<unsigned>(std::countr_zero(ids));
    if (complete(barriers_[id])) open(id);
  }
}

bool ThreadScheduler::complete(const Barrier& b) const noexcept {
  return b.waiting >= live_ || (b.expected && b.arrived >= b.expected);
}

void ThreadScheduler::arrive(unsigned id, std::uint32_t expected, std::uint32_t threads, bool wait) {
  Barrier& b = barriers_[id];
  open_barriers_ |= std::uint64_t{1} << id;
  b.arrived += threads;
  if (wait) b.waiting += threads;
  if (expected) b.expected = expected;  // those that give none wait for all, which is the count of the others
  if (complete(b)) open(id);
}

// Lets everybody at the barrier go on.
void ThreadScheduler::open(unsigned id) {
  const bool only_one = open_barriers_ == std::uint64_t{1} << id;
  const std::uint32_t count = barriers_[id].count;
  for (unsigned w = 0; w < warp_count_; ++w) {
    Warp& warp = warps_[w];
    std::uint32_t lanes = warp.barrier;
    if (!only_one || count) {
      for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
        LanzaRecord& r = record(w, static_cast<unsigned>(std::countr_zero(rest)));
        if (barrier_of(r) != id)
          lanes &= ~(rest & (0 - rest));
        else if (r.kind == LANZA_SYNC_BARRIER_COUNT)
          r.operand = count;
      }
    }
    warp.barrier &= ~lanes;
    warp.ready |= lanes;
  }
  barriers_[id] = {};
  open_barriers_ &= ~(std::uint64_t{1} << id);
}

void ThreadScheduler::fire_waiting(unsigned w, std::uint32_t lanes) {
  while ((lanes &= warps_[w].operation) != 0) {
    fire(w, static_cast<unsigned>(std::countr_zero(lanes)));
    lanes &= lanes - 1;
  }
}

// Runs the operation at which `lane` waits, if all its members are there.
void ThreadScheduler::fire(unsigned w, unsigned lane) {
  Warp& warp = warps_[w];
  const LanzaRecord& mine = record(w, lane);
  const std::uint32_t mask = mine.mask;
  WarpOperation operation;
  operation.kind = mine.kind;
  operation.members = mask & warp.live;
  if (!operation.members || (operation.members & ~warp.operation)) return;
  for (std::uint32_t rest = operation.members; rest; rest &= rest - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(rest));
    const LanzaRecord& r = record(w, i);
    if (r.kind != operation.kind || r.mask != mask) return;
    operation.value[i] = r.operand;
    operation.aux[i] = r.aux;
  }
  if (operation.kind != LANZA_SYNC_WARP) {
    operation.compute();
    for (std::uint32_t rest = operation.members; rest; rest &= rest - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(rest));
      record(w, i).operand = operation.value[i];
    }
  }
  warp.operation &= ~operation.members;
  warp.ready |= operation.members;
}

// Nothing else in the warp can go on: the lanes at the first place in program order do, together.
bool ThreadScheduler::release_lockstep(unsigned w) {
  Warp& warp = warps_[w];
  if (!warp.lockstep) return false;
  std::uint32_t first = ~0u, group = 0;
  for (std::uint32_t rest = warp.lockstep; rest; rest &= rest - 1) {
    const LanzaRecord& r = record(w, static_cast<unsigned>(std::countr_zero(rest)));
    const std::uint32_t place = r.aux * 256u + r.kind;
    if (place < first) first = place, group = 0;
    if (place == first) group |= rest & (0 - rest);
  }
  if ((first & 0xff) == LANZA_SYNC_ACTIVEMASK) {
    for (std::uint32_t rest = group; rest; rest &= rest - 1) {
      record(w, static_cast<unsigned>(std::countr_zero(rest))).operand = group;
    }
  }
  warp.lockstep &= ~group;
  warp.ready |= group;
  return true;
}

// No thread can go on: the block waits at a barrier of the grid, or for ever.
std::int32_t ThreadScheduler::stuck(BlockState& state) {
  unsigned at_grid = 0;
  for (unsigned w = 0; w < warp_count_; ++w) at_grid += static_cast<unsigned>(std::popcount(warps_[w].grid));
  if (at_grid != live_) {
    state.run->fail(describe_deadlock(state.block));
    return LANZA_FAILED;
  }
  for (unsigned w = 0; w < warp_count_; ++w) {
    warps_[w].ready |= warps_[w].grid;
    warps_[w].grid = 0;
  }
  return LANZA_GRID_BARRIER;
}

std::string ThreadScheduler::describe_deadlock(const LanzaBlock& block) {
  DeadlockReport report;
  std::string file;  // the kernel's
  for (unsigned t = 0; t < thread_count_; ++t) {
    if (!(warps_[t / 32].live >> t % 32 & 1)) continue;
    if (file.empty()) file = source_file_of(reinterpret_cast<std::uintptr_t>(frame(t).resume));
    report.add(t, frame(t).record, file);
  }
  return report.text(block);
}

}  // namespace lanza::executor
