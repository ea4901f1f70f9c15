#include "compiler/passes/vector/scalars/launch_windows.hpp"

#include "compiler/passes/window_loops.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr double kSmall = 64;          // turns
static constexpr double kFarthest = 1 << 20;  // what the sums of a window's size are, so that they do not wrap
static constexpr unsigned kMostRequired = 44;

namespace {

class LaunchWindows {
 public:
  LaunchWindows(LaunchRanges& ranges, LaunchTest& test, function_ref<void(const KnownRange&)> require)
      : ranges_(ranges), test_(test), require_(require) {}

  void take(Loop& loop) {
    const auto window = launch_window(loop);
    Value* turns = window ? size_of(*window) : nullptr;
    if (!turns || test_.required() >= kMostRequired) return;
    Value* most = most_turns(*window);
    for (const KnownRange* part : parts_) require_(*part);
    test_.require(test_.is_at_least(turns, -kFarthest));
    test_.require(test_.is_below(turns, kFarthest));
    if (constant_of(most))
      test_.require(test_.is_below(turns, *constant_of(most) + 1));
    else
      test_.require(test_.is_less(turns, most));
    loop.getHeader()->getTerminator()->setMetadata(kLaunchWindow, MDNode::get(loop.getHeader()->getContext(), {}));
  }

 private:
  // Null: not all threads have the same, or nobody knows.
  Value* size_of(const LaunchWindow& window) {
    parts_.clear();
    Value* size = test_.number(static_cast<double>(window.constant));
    for (const auto& [value, is_negative] : window.terms) {
      const KnownRange& known = ranges_.of(*value);
      if (!known.range || !known.range.is_exact()) return nullptr;
      parts_.push_back(&known);
      size = is_negative ? test_.difference(size, known.range.low) : test_.sum(known.range.low, size);
    }
    return size;
  }

  Value* most_turns(const LaunchWindow& window) {
    Value* small = test_.number(kSmall);
    if (!window.low || !window.high) return small;
    const KnownRange &low = ranges_.of(*window.low), &high = ranges_.of(*window.high);
    if (!low.range || !high.range) return small;
    parts_.append({&low, &high});
    return test_.greatest(small, test_.product(test_.difference(high.range.low, low.range.high), test_.number(2)));
  }

  LaunchRanges& ranges_;
  LaunchTest& test_;
  const function_ref<void(const KnownRange&)> require_;
  SmallVector<const KnownRange*, 6> parts_;
};

}  // namespace

void mark_launch_windows(const LoopInfo& loops, LaunchRanges& ranges, LaunchTest& test,
                         function_ref<void(const KnownRange&)> require) {
  LaunchWindows windows(ranges, test, require);
  for (Loop* loop : loops.getLoopsInPreorder()) windows.take(*loop);
}

}  // namespace lanza::compiler
