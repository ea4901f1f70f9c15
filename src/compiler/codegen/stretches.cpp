#include "compiler/codegen/stretches.hpp"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

// Instructions of a piece of a block; values that one hands on to the next.
constexpr unsigned kLeastOfPiece = 60, kMostOfPiece = 160, kMostHandedOn = 12;
constexpr unsigned kMostPlaces = 32;  // where a stretch may begin or end

// How many values of the block each of its instructions finds that are still of use.
SmallVector<unsigned, 0> handed_on(BasicBlock& block) {
  SmallVector<unsigned, 0> counts(block.size());
  SmallPtrSet<const Instruction*, 32> live;
  for (Instruction& i : block)
    if (i.isUsedOutsideOfBlock(&block)) live.insert(&i);
  unsigned place = counts.size();
  for (Instruction& i : reverse(block)) {
    live.erase(&i);
    if (!isa<PHINode>(i))
      for (Value* operand : i.operands())
        if (auto* value = dyn_cast<Instruction>(operand); value && value->getParent() == &block) live.insert(value);
    counts[--place] = live.size();
  }
  return counts;
}

// Behind it the next piece begins. 0: too many values are on their way everywhere, or the rest is short.
unsigned end_of_piece(ArrayRef<unsigned> counts, unsigned begin) {
  unsigned best = 0, least = kMostHandedOn + 1;
  for (unsigned end = begin + kLeastOfPiece; end <= begin + kMostOfPiece && end + kLeastOfPiece < counts.size(); ++end)
    if (counts[end] < least) {
      best = end;
      least = counts[end];
    }
  return best;
}

/// The blocks that every turn comes to, in their order, and what lies between them.
class Stations {
 public:
  Stations(const Loop& loop, const DominatorTree& dominators) {
    BasicBlock *first = loop.getHeader(), *last = loop.getLoopLatch();
    if (!last) return;
    for (auto* node = dominators.getNode(last); node; node = node->getIDom()) {
      stations_.push_back(node->getBlock());
      if (node->getBlock() == first) break;
    }
    std::reverse(stations_.begin(), stations_.end());
    spans_.resize(stations_.size());
    for (auto [number, block] : enumerate(stations_)) add(block, number);
    for (BasicBlock& block : *first->getParent())
      if (loop.contains(&block) && !span_of_.contains(&block)) add(&block, span_below(dominators.getNode(&block)));
    for (unsigned s = 0; s < spans_.size(); ++s) spans_[s].back_to = where_it_goes(s);
  }

  // Between stations that are some way apart: of neighbours nothing else would be learnt.
  std::vector<Stretch> stretches(unsigned least, unsigned most, unsigned step) const {
    std::vector<Stretch> found;
    const unsigned last = spans_.empty() ? 0 : spans_.size() - 1;
    for (unsigned begin = 1, since = step; begin < last; since += spans_[begin++].size) {
      if (since < step) continue;
      since = 0;
      add_stretches(begin, last, least, most, step, found);
    }
    return found;
  }

 private:
  /// From a station up to the next one.
  struct Span {
    SmallVector<BasicBlock*, 8> blocks;
    unsigned size = 0;
    std::optional<unsigned> back_to;  ///< the first station that it goes to but the next one; none: it goes elsewhere
  };

  void add(BasicBlock* block, unsigned span) {
    span_of_[block] = span;
    spans_[span].blocks.push_back(block);
    spans_[span].size += block->sizeWithoutDebug();
  }

  unsigned span_below(const DomTreeNode* node) const {
    while (true) {
      node = node->getIDom();
      if (const auto span = span_of_.find(node->getBlock()); span != span_of_.end()) return span->second;
    }
  }

  std::optional<unsigned> where_it_goes(unsigned s) const {
    unsigned first = s;
    for (const BasicBlock* block : spans_[s].blocks) {
      if (succ_empty(block)) return std::nullopt;
      for (const BasicBlock* next : successors(block)) {
        const auto span = span_of_.find(next);
        if (span == span_of_.end()) return std::nullopt;
        if (span->second == s || (s + 1 < stations_.size() && next == stations_[s + 1])) continue;
        if (next != stations_[span->second] || span->second > s) return std::nullopt;
        first = std::min(first, span->second);
      }
    }
    return first;
  }

  void add_stretches(unsigned begin, unsigned last, unsigned least, unsigned most, unsigned step,
                     std::vector<Stretch>& found) const {
    unsigned size = 0, since = step;
    for (unsigned s = begin; s < last && spans_[s].back_to.value_or(0) >= begin; ++s) {
      size += spans_[s].size;
      since += spans_[s].size;
      if (size > most) return;
      if (size < least || since < step || comes_back(begin, s + 1)) continue;
      since = 0;
      found.push_back({{}, size});
      for (unsigned inside = begin; inside <= s; ++inside) found.back().blocks.append(spans_[inside].blocks);
    }
  }

  // A loop that is not in there whole.
  bool comes_back(unsigned begin, unsigned end) const {
    return any_of(drop_begin(spans_, end),
                  [&](const Span& span) { return span.back_to && *span.back_to >= begin && *span.back_to < end; });
  }

  SmallVector<BasicBlock*, 32> stations_;
  std::vector<Span> spans_;
  DenseMap<const BasicBlock*, unsigned> span_of_;
};

}  // namespace

CutBlocks::CutBlocks(Function& run) {
  for (BasicBlock& block : make_early_inc_range(run)) {
    if (block.isEntryBlock() || block.size() <= kMostOfPiece) continue;
    const auto counts = handed_on(block);
    SmallVector<Instruction*, 8> begins;
    auto i = block.begin();
    const unsigned leading = std::distance(block.begin(), block.getFirstInsertionPt());
    for (unsigned at = 0, end = leading; (end = end_of_piece(counts, end));) {
      std::advance(i, end - at);
      at = end;
      begins.push_back(&*i);
    }
    for (Instruction* begin : begins)
      pieces_.push_back(SplitBlock(begin->getParent(), begin, static_cast<DominatorTree*>(nullptr)));
  }
}

CutBlocks::~CutBlocks() {
  for (BasicBlock* piece : pieces_)
    if (BasicBlock* before = piece->getSinglePredecessor(); before && before->getSingleSuccessor() == piece)
      MergeBlockIntoPredecessor(piece);
}

std::vector<Stretch> stretches_of(const Loop& loop, const DominatorTree& dominators, unsigned least, unsigned most) {
  const unsigned step = std::max(least / 4, loop.getHeader()->getParent()->getInstructionCount() / kMostPlaces);
  return Stations(loop, dominators).stretches(least, most, step);
}

}  // namespace lanza::compiler
