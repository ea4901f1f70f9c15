// Whether code with numbers in place of arguments is worth it: it and the code for any run by turns.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "backend/cpu/kernel_object.hpp"

namespace lanza::executor {

/// Thread-safe.
class FoldTrial {
 public:
  /// `other`: the code for any; null: folded code stays in any case.
  explicit FoldTrial(const KernelObject* other) : other_(other), state_(other ? State::Tried : State::Kept) {}

  const KernelObject* other() const noexcept { return other_; }
  bool is_kept() const noexcept { return state_ == State::Kept; }
  bool is_over() const noexcept { return state_ != State::Tried; }
  /// Whether the next launch takes the folded code.
  bool takes_turn() noexcept {
    const State state = state_;
    return state == State::Tried ? turns_.fetch_add(1, std::memory_order_relaxed) % 2 == 0 : state == State::Kept;
  }
  /// What a launch takes by each; both are known from some turns on. Ends the trial after enough of them, and where
  /// launches with these arguments no longer come: another kind may be waiting.
  void compare(std::optional<double> folded_ns, std::optional<double> other_ns) noexcept {
    constexpr unsigned enough = 16, most = 256, most_looks = 4096;
    constexpr double gain = 0.98;
    const unsigned turns = turns_.load(std::memory_order_relaxed);
    const bool waits = turns < enough || (turns < most && !(folded_ns && other_ns));
    if (waits && looks_.fetch_add(1, std::memory_order_relaxed) < most_looks) return;
    const bool is_worth_it = !waits && folded_ns && other_ns && *folded_ns < gain * *other_ns;
    state_ = is_worth_it ? State::Kept : State::Rejected;
  }

 private:
  enum class State : std::uint8_t { Tried, Kept, Rejected };
  const KernelObject* const other_;
  std::atomic<State> state_;
  std::atomic<unsigned> turns_{0}, looks_{0};
};

}  // namespace lanza::executor
