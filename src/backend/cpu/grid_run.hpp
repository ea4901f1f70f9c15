// One launch while it runs: hands its blocks to the threads that work on it, in ascending order where that may matter
// (decision D14).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "backend/cpu/block_state.hpp"
#include "backend/cpu/block_tickets.hpp"
#include "backend/cpu/child_launch.hpp"
#include "backend/cpu/cost_history.hpp"
#include "backend/cpu/device_heap.hpp"
#include "backend/cpu/grid_barrier.hpp"
#include "backend/cpu/helpers.hpp"
#include "backend/cpu/interrupt.hpp"
#include "backend/cpu/printer.hpp"
#include "compiler/kernel_abi.h"

namespace lanza::executor {

/// Blocks are taken by atomic tickets, several at a time. A block that yields or waits at a barrier of the grid is
/// put aside with its state and taken up again; new blocks go on meanwhile. Any number of threads may work on a grid;
/// one leads it.
class GridRun : public std::enable_shared_from_this<GridRun> {
 public:
  /// All referenced things outlive the run. `arguments` are packed and 16-byte aligned.
  GridRun(const LanzaLaunch& launch, const LanzaKernelObject& code, const void* arguments, bool cooperative);
  ~GridRun();
  GridRun(const GridRun&) = delete;
  GridRun& operator=(const GridRun&) = delete;

  static constexpr Clock::time_point never = Clock::time_point::max();
  /// Runs the grid on the calling thread only. False: `limit` has passed and blocks are left that were not begun;
  /// lead() a run that took over.
  /// A quarter at a time, so that a kernel which takes longer than ever before can be handed over.
  bool run_alone(Clock::time_point limit) { return run_here(limit, total_ / 4, WorkOn::For::Caller); }
  /// The same on the thread of a stream, a block at a time. May be called again.
  bool run_in_order(Clock::time_point limit) { return run_here(limit, 1, WorkOn::For::Stream); }
  /// Runs the grid on the calling thread and helpers from the pool; the run must be held by a shared_ptr. False:
  /// `limit` has passed; call again.
  bool lead(Clock::time_point limit = never, Helpers helpers = Helpers::Any);
  /// Before that: no more threads than that are to work on it.
  void has_team_of(unsigned threads) noexcept { most_workers_ = threads; }
  /// Before that: what is known of its blocks.
  void shares(const Shares& shares) noexcept { shares_ = shares; }
  /// Before that: so many blocks may keep others waiting that work on memory by atomic accesses (alone.hpp).
  void may_be_alone(std::uint64_t blocks) noexcept { most_alone_ = blocks; }
  /// Continues what another run, that nobody works on any more, has begun.
  void take_over(GridRun& begun);

  /// What device-side malloc and free use. Without, there is no memory.
  void allocates_on(DeviceHeap& heap) noexcept { heap_ = &heap; }
  DeviceHeap* heap() const noexcept { return heap_; }
  /// Lets its threads launch kernels; the host launches at depth 0.
  void launches_at(unsigned depth) { children_ = std::make_unique<ChildLaunches>(depth); }
  /// Null: its threads launch none.
  ChildLaunches* children() noexcept { return children_.get(); }
  /// The child that runs now that this grid's own blocks have ended: what ends this one ends it too. Null: none.
  void stand_in(std::shared_ptr<GridRun> child) noexcept;

  /// Ends the launch with an error at the next block, yield or round of the scheduler. The first call counts.
  void fail(std::string_view what) noexcept;
  void fail_for_memory(std::uint64_t bytes, unsigned threads) noexcept;
  /// Calls the threads that lead() or help a failed run out of its kernel, where it stands. Call again while it returns
  /// true: some were still at work.
  bool interrupt() noexcept;
  bool stopped() const noexcept { return stop_.load(std::memory_order_relaxed); }
  /// Why it failed.
  std::optional<std::string> failure();

  const LanzaLaunch& launch() const noexcept { return launch_; }
  const LanzaKernelObject& code() const noexcept { return code_; }
  const void* arguments() const noexcept { return arguments_; }
  GridOutput& output() noexcept { return output_; }
  std::uint64_t threads() const noexcept;
  std::uint64_t blocks_begun() const noexcept { return total_ - tickets_.left(); }
  /// True when each worker counts for itself (LanzaBlock::counters).
  bool counts() const noexcept { return counts_; }
  /// True when nobody else worked on memory by atomic accesses while its kernel ran (LanzaBlock::alone).
  bool was_alone() const noexcept { return tries_alone_ && !was_beside_; }
  /// True when the whole team, of several, was awake.
  bool had_team() const noexcept { return had_team_; }
  /// Threads that have worked on it so far.
  unsigned workers() const noexcept { return 1 + helpers_.load(std::memory_order_relaxed); }

 private:
  enum class Stop { NothingLeft, TimeUp, Retire };
  static constexpr std::uint32_t closed = 1u << 31;  // of inside_: no more helpers may come
  Stop work(Clock::time_point limit, unsigned worker);
  Stop work(Clock::time_point limit, unsigned worker, BlockState*& state);
  bool run_here(Clock::time_point limit, std::uint64_t at_a_time, WorkOn::For whom);
  unsigned hand_out();
  bool take(unsigned worker, BlockRange& range, bool& patient) noexcept;
  void decide_who_counts(unsigned team) noexcept;
  void decide_who_is_beside(unsigned team) noexcept;
  void leave_others() noexcept;
  std::int32_t call(BlockState*) noexcept;
  void give_back(BlockState*) noexcept;
  BlockState* try_acquire() noexcept;
  BlockState* acquire(unsigned worker);        ///< throws std::bad_alloc
  BlockState* acquire_later(unsigned worker);  ///< likewise
  std::uint64_t progress() const noexcept;
  void ask_crowd(unsigned worker) noexcept;
  void run_range(BlockRange, unsigned worker, BlockState*& state);
  bool run_waiting(BlockState*, unsigned worker) noexcept;
  void rest(std::uint64_t idle_turns) const noexcept;
  void settle(BlockState*, std::int32_t status) noexcept;
  void block_ended() noexcept;
  BlockState* take_waiting() noexcept;
  bool await_round(std::uint64_t round) const noexcept;
  bool prefer_waiting(unsigned turn) const noexcept;
  bool left() const noexcept;
  bool waits() const noexcept { return code_.flags & (LANZA_KERNEL_BLOCKING | LANZA_KERNEL_GRID_SYNC); }
  void gather(unsigned wanted);
  void summon();
  void call_team() noexcept;
  bool ask_for_helper(Helpers) noexcept;
  bool dismiss() noexcept;
  bool await_helpers(std::uint32_t inside, Clock::time_point limit) noexcept;
  void help(unsigned worker) noexcept;
  void help_inside(unsigned worker) noexcept;

  // What the leader needs, or what is seldom asked.
  DeviceHeap* heap_ = nullptr;
  Shares shares_;
  std::uint64_t most_alone_ = 0;
  unsigned most_workers_ = ~0u, team_ = 1;
  bool led_ = false, has_called_ = false, had_team_ = false, is_beside_ = false;
  Helpers whom_ = Helpers::Any;

  // What all workers read, and hardly anybody writes while they do.
  alignas(cache_line) LanzaLaunch launch_;
  const LanzaKernelObject& code_;
  const void* arguments_;
  const std::uint64_t total_;
  const bool cooperative_;
  bool counts_ = false, tries_alone_ = false, was_beside_ = false;
  std::atomic<bool> stop_{false};
  const std::unique_ptr<GridBarrier> meeting_;  // of cooperative launches whose kernel has barriers of the grid
  BlockTickets tickets_;

  // What is written while they work: each helper writes the first as it leaves, and blocks that wait the last ones.
  alignas(cache_line) std::atomic<std::uint32_t> inside_{0};  // helpers at work, or `closed`
  alignas(cache_line) std::atomic<int> wanted_{0};            // helpers still to be asked for
  std::atomic<unsigned> helpers_{0};
  std::atomic<int> on_their_way_{0};   // helpers that were asked for and have not come
  std::atomic<unsigned> starving_{0};  // workers that wait for memory to begin a block
  alignas(cache_line) std::atomic<std::uint64_t> waiting_count_{0};
  std::atomic<std::uint64_t> came_further_{0};  // how often a block that had waited did

  std::mutex mutex_;  // what follows
  WaitingBlocks waiting_;
  std::optional<std::string> failure_;
  std::shared_ptr<GridRun> stand_in_;
  GridOutput output_;
  std::unique_ptr<ChildLaunches> children_;
};

}  // namespace lanza::executor
