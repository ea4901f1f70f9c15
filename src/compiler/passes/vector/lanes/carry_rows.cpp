#include "compiler/passes/vector/lanes/carry_rows.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kFewest = 3;  // loads saved in a turn: fewer hide behind arithmetic
constexpr unsigned kMost = 32;   // loads of a turn: each is compared with every other
constexpr unsigned kOthers = 4;  // registers for what else a turn has under way

class CarriedRows {
 public:
  CarriedRows(Loop& loop, ScalarEvolution& evolution, const TargetTransformInfo& host)
      : loop_(loop), body_(*loop.getHeader()), evolution_(evolution), host_(host) {}

  bool run() {
    if (!loop_.getLoopPreheader() || loop_.getLoopLatch() != &body_) return false;
    if (any_of(body_, [](Instruction& i) { return i.mayWriteToMemory(); })) return false;
    find_loads();
    if (places_.size() > kMost) return false;
    find_followed();
    if (follower_.size() < kFewest || !fits()) return false;
    const DataLayout& layout = body_.getDataLayout();
    SCEVExpander expander(evolution_, layout, "row");
    if (!all_of(follower_, [&](const auto& pair) {
          return expander.isSafeToExpandAt(start(*pair.first), loop_.getLoopPreheader()->getTerminator());
        }))
      return false;
    for (const auto& [load, ahead] : follower_) carry(*load, expander);
    for (const auto& [load, ahead] : follower_) finish(*load, *ahead);
    for (const auto& [load, ahead] : follower_) load->eraseFromParent();
    return true;
  }

 private:
  void find_loads() {
    for (Instruction& i : body_) {
      auto* load = dyn_cast<LoadInst>(&i);
      if (!load || !load->isSimple() || !load->getType()->isVectorTy()) continue;
      auto* place = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(load->getPointerOperand()));
      if (place && place->getLoop() == &loop_ && place->isAffine()) places_[load] = place;
    }
  }

  const SCEV* start(LoadInst& load) const { return places_.lookup(&load)->getStart(); }

  // The load that was, a turn ago, where each one is now.
  void find_followed() {
    for (const auto& [load, place] : places_)
      for (const auto& [ahead, further] : places_) {
        const SCEV* step = place->getStepRecurrence(evolution_);
        if (load->getType() != ahead->getType() || step != further->getStepRecurrence(evolution_)) continue;
        if (evolution_.getMinusSCEV(further, place) != step) continue;
        follower_[load] = ahead;
        break;
      }
  }

  unsigned registers_of(const Type& type) const {
    const uint64_t bits = host_.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    return type.isVectorTy() ? static_cast<unsigned>(divideCeil(type.getPrimitiveSizeInBits().getFixedValue(), bits))
                             : 0;
  }

  // Those and what the loop has in registers already.
  bool fits() const {
    unsigned all = kOthers;
    for (const PHINode& phi : body_.phis()) all += registers_of(*phi.getType());
    for (const auto& [load, ahead] : follower_) all += registers_of(*load->getType());
    return all <= host_.getNumberOfRegisters(host_.getRegisterClassForType(true));
  }

  // The loop runs its first turn whatever happens, and so may what that loads in front of it.
  void carry(LoadInst& load, SCEVExpander& expander) {
    Instruction* before = loop_.getLoopPreheader()->getTerminator();
    Value* address = expander.expandCodeFor(start(load), load.getPointerOperandType(), before);
    auto* first = cast<LoadInst>(load.clone());
    first->setOperand(0, address);
    first->insertBefore(before->getIterator());
    auto* row = PHINode::Create(load.getType(), 2, "row", body_.begin());
    row->addIncoming(first, before->getParent());
    rows_[&load] = row;
  }

  void finish(LoadInst& load, LoadInst& ahead) {
    auto next = rows_.find(&ahead);
    PHINode* row = rows_[&load];
    row->addIncoming(next == rows_.end() ? static_cast<Value*>(&ahead) : next->second, &body_);
    evolution_.forgetValue(&load);
    load.replaceAllUsesWith(row);
  }

  Loop& loop_;
  BasicBlock& body_;
  ScalarEvolution& evolution_;
  const TargetTransformInfo& host_;
  MapVector<LoadInst*, const SCEVAddRecExpr*> places_;
  MapVector<LoadInst*, LoadInst*> follower_;
  MapVector<LoadInst*, PHINode*> rows_;
};

}  // namespace

bool carry_rows(LoopInfo& loops, ScalarEvolution& evolution, const TargetTransformInfo& host) {
  bool changed = false;
  for (Loop* loop : loops.getLoopsInPreorder())
    if (loop->isInnermost()) changed |= CarriedRows(*loop, evolution, host).run();
  return changed;
}

}  // namespace lanza::compiler
