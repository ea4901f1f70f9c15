// The thread engine's scheduler: resumes the coroutines of a block, one a CUDA thread, and serves what they wait at.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "compiler/kernel_abi.h"

namespace lanza::executor {

class BlockState;

/// The threads of one block. It follows the table of sync_kinds.h:
/// - a barrier opens when its count of threads has arrived or all live threads wait there: those that have ended are
/// not
///   waited for;
/// - a warp operation fires when every live lane of its mask waits at an operation of the same kind and mask;
/// - lock-step points go on when nothing else in the warp can, those at the lowest place first;
/// - a thread that yields goes on in the next round; a block whose threads only yield gives way to other blocks.
class ThreadScheduler {
 public:
  /// No block is under way: the next run() starts one.
  void reset() noexcept { active_ = running_ = false; }
  /// Runs the blocks [next, end) of `state.block`, or goes on with the one that gave way: a LanzaStatus.
  std::int32_t run(BlockState& state, const LanzaThreads& threads);
  /// Linear index of the thread that runs; nothing outside run().
  std::optional<unsigned> current_thread() const noexcept { return running_ ? std::optional(current_) : std::nullopt; }

 private:
  struct Warp {
    std::uint32_t live, ready;                                  // lanes that have not ended; that can go on now
    std::uint32_t yielded, barrier, operation, lockstep, grid;  // lanes by what they wait at
    std::uint32_t unused;
  };
  struct Barrier {
    std::uint32_t arrived, waiting, expected, count;  // some arrive and go on; expected 0: all that live
  };

  // PTX's 16 and those of cooperative groups' tiles of several warps: see sync_kinds.h.
  static constexpr unsigned barrier_count = 64;
  static constexpr unsigned barrier_of(const LanzaRecord& record) noexcept { return record.id % barrier_count; }

  bool begin(BlockState& state, const LanzaThreads& threads);
  template <class Resume>
  std::int32_t run_rounds(BlockState& state, Resume resume);
  template <class Resume>
  void step(unsigned warp, std::uint32_t lanes, Resume resume);
  std::int32_t stuck(BlockState& state);

  LanzaFrame& frame(unsigned thread) noexcept { return *reinterpret_cast<LanzaFrame*>(frames_ + thread * stride_); }
  LanzaRecord& record(unsigned warp, unsigned lane) noexcept { return frame(warp * 32 + lane).record; }

  void arrive(unsigned id, std::uint32_t expected, std::uint32_t threads, bool wait = true);
  bool complete(const Barrier&) const noexcept;
  void open(unsigned id);
  void fire(unsigned warp, unsigned lane);
  void fire_waiting(unsigned warp, std::uint32_t lanes);
  bool release_lockstep(unsigned warp);
  void end_threads(unsigned warp, std::uint32_t lanes);
  std::string describe_deadlock(const LanzaBlock& block);

  char* frames_ = nullptr;
  std::uint64_t stride_ = 0;
  unsigned thread_count_ = 0, warp_count_ = 0, live_ = 0, current_ = 0;
  std::uint64_t open_barriers_ = 0;       // ids at which somebody waits
  unsigned impatience_ = 0, rounds_ = 0;  // since the block began or last gave way
  bool active_ = false, running_ = false, yields_ = false, progress_ = false;
  std::array<Warp, 32> warps_;
  std::array<Barrier, barrier_count> barriers_{};  // all 0 where nobody waits
};

}  // namespace lanza::executor
