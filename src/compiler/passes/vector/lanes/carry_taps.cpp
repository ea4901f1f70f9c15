#include "compiler/passes/vector/lanes/carry_taps.hpp"

#include <numeric>

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/passes/note_lanes.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kLeastElement = 32;  // bits: vectors of less have no such shuffle of one instruction

struct Tap {
  LoadInst* load;
  const SCEVAddRecExpr* address;
  int64_t at;  ///< bytes from the row's first tap in the code
};

/// Loads of one type whose addresses are constants apart.
struct Row {
  SmallVector<Tap, 8> taps;
};

bool is_silent(const Instruction& i) {
  if (!i.mayHaveSideEffects()) return true;
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return call && (call->getIntrinsicID() == Intrinsic::prefetch || call->isAssumeLikeIntrinsic());
}

class Carrier {
 public:
  Carrier(Loop& loop, ScalarEvolution& evolution)
      : loop_(loop),
        evolution_(evolution),
        layout_(loop.getHeader()->getModule()->getDataLayout()),
        before_(loop.getLoopPreheader()),
        latch_(loop.getLoopLatch()) {}

  bool run() {
    if (!before_ || !latch_) return false;
    find();
    erase_if(rows_, [&](const Row& row) { return !overlaps(row); });
    if (rows_.size() > kMostCarriedRows) return false;
    for (const Row& row : rows_) carry(row);
    return !rows_.empty();
  }

 private:
  // In the blocks that each turn begins with, before it writes.
  void find() {
    for (BasicBlock* block = loop_.getHeader(); block && loop_.contains(block); block = block->getSingleSuccessor()) {
      if (block != loop_.getHeader() && !block->getSinglePredecessor()) return;
      for (Instruction& i : *block) {
        if (!is_silent(i)) return;
        if (auto* load = dyn_cast<LoadInst>(&i); load && load->isSimple()) take(*load);
      }
      if (block == latch_) return;
    }
  }

  int64_t bytes_of(const Type* type) const {
    return static_cast<int64_t>(layout_.getTypeStoreSize(const_cast<Type*>(type)).getFixedValue());
  }

  void take(LoadInst& load) {
    auto* type = dyn_cast<FixedVectorType>(load.getType());
    if (!type || type->getScalarSizeInBits() < kLeastElement) return;
    auto* address = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(load.getPointerOperand()));
    if (!address || address->getLoop() != &loop_ || !address->isAffine()) return;
    auto* step = dyn_cast<SCEVConstant>(address->getStepRecurrence(evolution_));
    if (!step || step->getAPInt().getSExtValue() != bytes_of(type)) return;
    for (Row& row : rows_) {
      if (row.taps.front().load->getType() != type) continue;
      const SCEV* distance = evolution_.getMinusSCEV(address, row.taps.front().address);
      auto* bytes = dyn_cast<SCEVConstant>(distance);
      if (!bytes || std::abs(bytes->getAPInt().getSExtValue()) >= bytes_of(type)) continue;
      row.taps.push_back({&load, address, bytes->getAPInt().getSExtValue()});
      return;
    }
    rows_.push_back({{{&load, address, 0}}});
  }

  static bool is_lower(const Tap& a, const Tap& b) { return a.at < b.at; }

  // Two loads at least, none of which begins behind the end of another one.
  bool overlaps(const Row& row) const {
    const auto [low, high] = std::minmax_element(row.taps.begin(), row.taps.end(), is_lower);
    const Type* type = low->load->getType();
    const int64_t element = type->getScalarSizeInBits() / 8;
    if (low->at == high->at || high->at - low->at >= bytes_of(type)) return false;
    if (any_of(row.taps, [&](const Tap& tap) { return (tap.at - low->at) % element != 0; })) return false;
    const SCEVExpander expander(evolution_, layout_, "row");
    return expander.isSafeToExpandAt(low->address->getStart(), before_->getTerminator());
  }

  void carry(const Row& row) {
    const auto [low, high] = std::minmax_element(row.taps.begin(), row.taps.end(), is_lower);
    // As integers: LLVM 19 shifts two registers of those by one instruction.
    auto* type = cast<FixedVectorType>(VectorType::getInteger(cast<VectorType>(low->load->getType())));
    const int64_t element = type->getScalarSizeInBits() / 8;
    const unsigned lanes = type->getNumElements();
    const auto most = static_cast<unsigned>((high->at - low->at) / element);

    IRBuilder<> b(before_->getTerminator());
    SCEVExpander expander(evolution_, layout_, "row");
    Value* start = expander.expandCodeFor(low->address->getStart(), b.getPtrTy(), before_->getTerminator());
    Value* first = b.CreateAlignedLoad(type, start, low->load->getAlign());
    SmallVector<int, 32> to_end(lanes, PoisonMaskElem);
    std::iota(to_end.end() - most, to_end.end(), 0);
    first = b.CreateShuffleVector(first, to_end);

    b.SetInsertPoint(loop_.getHeader(), loop_.getHeader()->begin());
    PHINode* kept = b.CreatePHI(type, 2, "kept");
    const Tap& front = row.taps.front();
    b.SetInsertPoint(front.load);
    Value* last_at = b.CreateConstGEP1_64(b.getInt8Ty(), front.load->getPointerOperand(), high->at - front.at);
    Value* last = b.CreateAlignedLoad(type, last_at, high->load->getAlign());
    kept->addIncoming(first, before_);
    kept->addIncoming(last, latch_);
    for (const Tap& tap : row.taps) {
      const auto behind = static_cast<unsigned>((high->at - tap.at) / element);
      SmallVector<int, 32> lanes_of(lanes);
      std::iota(lanes_of.begin(), lanes_of.end(), static_cast<int>(lanes - behind));
      b.SetInsertPoint(tap.load);
      evolution_.forgetValue(tap.load);
      Value* value = behind ? b.CreateShuffleVector(kept, last, lanes_of) : last;
      tap.load->replaceAllUsesWith(b.CreateBitCast(value, tap.load->getType()));
      tap.load->eraseFromParent();
    }
  }

  Loop& loop_;
  ScalarEvolution& evolution_;
  const DataLayout& layout_;
  BasicBlock *before_, *latch_;
  SmallVector<Row, 8> rows_;
};

}  // namespace

bool carry_taps(LoopInfo& loops, ScalarEvolution& evolution) {
  bool changed = false;
  for (Loop* loop : loops.getLoopsInPreorder())
    if (is_lane_loop(*loop)) changed |= Carrier(*loop, evolution).run();
  return changed;
}

}  // namespace lanza::compiler
