#include "compiler/passes/vector/scalars/close_gaps.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Operator.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/thread_values.hpp"
#include "compiler/passes/vector/scalars/array_accesses.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr uint64_t kMostElements = 65536;  // of an array, 64 KiB and more of bytes

/// Where each thread that makes an access comes to, in elements.
using Places = std::vector<uint64_t>;

class Gaps {
 public:
  Gaps(Function& kernel, std::array<unsigned, 3> block)
      : kernel_(kernel), layout_(kernel.getDataLayout()), threads_(block[0]), values_(block) {}

  bool close(GlobalVariable& array, Value& thread) {
    const auto accesses = plain_accesses(array, kernel_);
    if (!accesses || accesses->empty() || !find_places(*accesses)) return false;
    BitVector touched(kMostElements);
    for (const auto& [access, places] : places_)
      for (const uint64_t place : places) touched.set(static_cast<unsigned>(place));
    Places ranks(kMostElements);
    for (unsigned place = 0, rank = 0; place < touched.size(); ++place) ranks[place] = touched[place] ? rank++ : 0;
    std::vector<std::pair<Instruction*, ThreadPlace>> moves;
    for (const auto& [access, places] : places_) {
      const auto place = as_steps(places, ranks);
      if (!place) return false;
      moves.emplace_back(access, *place);
    }
    for (const auto& [access, place] : moves) move_access(*access, array, place, thread);
    return true;
  }

 private:
  /// False: not of all, or none of them is anything but a multiple of the thread's number and a constant.
  bool find_places(ArrayRef<Instruction*> accesses) {
    places_.clear();
    const uint64_t size = layout_.getTypeStoreSize(getLoadStoreType(accesses.front()));
    SmallVector<Instruction*, 16> by_steps;
    for (Instruction* access : accesses) {
      if (layout_.getTypeStoreSize(getLoadStoreType(access)) != size) return false;
      if (place_in_elements(*access, layout_)) {
        by_steps.push_back(access);
        continue;
      }
      auto places = places_of(*access, size);
      if (!places) return false;
      places_.emplace_back(access, std::move(*places));
    }
    if (places_.empty()) return false;
    for (Instruction* access : by_steps) {
      const ThreadPlace place = *place_in_elements(*access, layout_);
      Places places;
      for (uint64_t t = 0; t < threads_at(*access); ++t) places.push_back(place.step * t + place.first);
      if (places.back() >= kMostElements) return false;
      places_.emplace_back(access, std::move(places));
    }
    return true;
  }

  uint64_t threads_at(const Instruction& access) const {
    return std::max<uint64_t>(most_threads_at(*access.getParent(), threads_), 1);
  }

  std::optional<Places> places_of(Instruction& access, uint64_t size) {
    std::vector<int64_t> bytes(threads_at(access));
    const Value* address = getLoadStorePointerOperand(&access);
    while (auto* step = dyn_cast<GEPOperator>(address)) {
      const unsigned bits = layout_.getIndexTypeSizeInBits(step->getType());
      MapVector<Value*, APInt> variables;
      APInt constant(bits, 0);
      if (!step->collectOffset(layout_, bits, variables, constant)) return std::nullopt;
      for (int64_t& at : bytes) at += constant.getSExtValue();
      for (const auto& [variable, scale] : variables) {
        const ThreadValues::Values* indices = values_.of(variable);
        if (!indices) return std::nullopt;
        for (size_t t = 0; t < bytes.size(); ++t) bytes[t] += (*indices)[t].getSExtValue() * scale.getSExtValue();
      }
      address = step->getPointerOperand();
    }
    Places places;
    for (const int64_t at : bytes) {
      const auto place = static_cast<uint64_t>(at);
      if (place % size || place / size >= kMostElements) return std::nullopt;
      places.push_back(place / size);
    }
    return places;
  }

  static std::optional<ThreadPlace> as_steps(const Places& places, const Places& ranks) {
    const uint64_t first = ranks[places[0]];
    const uint64_t step = places.size() < 2 ? 0 : ranks[places[1]] - first;
    for (size_t t = 0; t < places.size(); ++t)
      if (ranks[places[t]] != first + step * t) return std::nullopt;
    const bool goes_up = places.size() < 2 || ranks[places[1]] >= first;
    return goes_up ? std::optional(ThreadPlace{step, first}) : std::nullopt;
  }

  Function& kernel_;
  const DataLayout& layout_;
  const unsigned threads_;
  ThreadValues values_;
  std::vector<std::pair<Instruction*, Places>> places_;
};

}  // namespace

bool close_gaps(Function& kernel, std::array<unsigned, 3> block) {
  const bool is_row = block[1] == 1 && block[2] == 1 && block[0] > 1 && block[0] <= kMostThreads;
  if (!is_row || !has_sync(kernel, LANZA_SYNC_BARRIER)) return false;
  const auto thread = find_if(kernel.getEntryBlock(), [](Instruction& i) { return is_thread_x(&i); });
  if (thread == kernel.getEntryBlock().end()) return false;
  bool changed = false;
  for (GlobalVariable* array : own_arrays(kernel)) changed |= Gaps(kernel, block).close(*array, *thread);
  return changed;
}

}  // namespace lanza::compiler
