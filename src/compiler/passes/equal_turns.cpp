#include "compiler/passes/equal_turns.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostSeen = 64;   // instructions that an index is made of
constexpr unsigned kMostTerms = 16;  // so that no sum of them wraps in 64 bits

using Terms = SmallVector<Value*, 4>;

// What a sum that does not wrap is made of.
void add_terms(Value* v, Terms& terms) {
  Value *left, *right;
  if (terms.size() < kMostTerms && match(v, m_NSWAdd(m_Value(left), m_Value(right)))) {
    add_terms(left, terms);
    add_terms(right, terms);
  } else {
    terms.push_back(v);
  }
}

bool is_of_thread(const Value* v, SmallPtrSetImpl<const Value*>& seen) {
  auto* i = dyn_cast<Instruction>(v);
  if (!i || !seen.insert(v).second) return false;
  if (seen.size() > kMostSeen) return true;  // who knows
  if (auto* read = dyn_cast<IntrinsicInst>(i)) switch (read->getIntrinsicID()) {
      case Intrinsic::nvvm_read_ptx_sreg_tid_x:
      case Intrinsic::nvvm_read_ptx_sreg_tid_y:
      case Intrinsic::nvvm_read_ptx_sreg_tid_z:
        return true;
      default:
        break;
    }
  return any_of(i->operands(), [&](const Use& operand) { return is_of_thread(operand, seen); });
}

bool is_of_thread(ArrayRef<Value*> terms) {
  return any_of(terms, [](const Value* v) {
    SmallPtrSet<const Value*, 16> seen;
    return is_of_thread(v, seen);
  });
}

/// A loop whose threads start as far apart as they end.
struct Race {
  ICmpInst* asks;
  unsigned side;  ///< which operand of the question is the counter
  PHINode* counter;
  Value* step;
  Terms first, last;  ///< start and end, without what both have in common
};

std::optional<Race> as_race(const Loop& loop, bool& changed) {
  BasicBlock *head = loop.getHeader(), *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader();
  auto* branch = dyn_cast<BranchInst>(head->getTerminator());
  if (!latch || !before || !branch || !branch->isConditional()) return {};
  auto* asks = dyn_cast<ICmpInst>(branch->getCondition());
  if (!asks || asks->isUnsigned() || !asks->getOperand(0)->getType()->isIntegerTy()) return {};
  if (asks->getOperand(0)->getType()->getIntegerBitWidth() > 32) return {};
  for (unsigned side : {0, 1}) {
    auto* counter = dyn_cast<PHINode>(asks->getOperand(side));
    Value *end = asks->getOperand(1 - side), *step;
    if (!counter || counter->getParent() != head || !loop.makeLoopInvariant(end, changed)) continue;
    Value* following = counter->getIncomingValueForBlock(latch);
    if (!match(following, m_NSWAdd(m_Specific(counter), m_Value(step))) &&
        !match(following, m_NSWAdd(m_Value(step), m_Specific(counter))))
      continue;
    if (!loop.isLoopInvariant(step) || is_of_thread(step)) continue;
    Race race{asks, side, counter, step, {}, {}};
    Terms common;
    add_terms(counter->getIncomingValueForBlock(before), race.first);
    add_terms(end, race.last);
    for (Value* term : Terms(race.first))
      if (auto* same = find(race.last, term); same != race.last.end()) {
        common.push_back(term);
        race.last.erase(same);
        race.first.erase(find(race.first, term));
      }
    if (is_of_thread(common) && !is_of_thread(race.first) && !is_of_thread(race.last)) return race;
  }
  return {};
}

Value* sum_of(ArrayRef<Value*> terms, IRBuilder<>& builder) {
  Value* sum = nullptr;
  for (Value* term : terms) {
    Value* wide = builder.CreateSExt(term, builder.getInt64Ty());
    sum = sum ? builder.CreateNSWAdd(sum, wide) : wide;
  }
  return sum ? sum : builder.getInt64(0);
}

void ask_together(const Loop& loop, const Race& race) {
  IRBuilder<> builder(loop.getLoopPreheader()->getTerminator());
  builder.SetCurrentDebugLocation(race.asks->getDebugLoc());
  Value* first = sum_of(race.first, builder);
  Value* last = sum_of(race.last, builder);
  Value* step = builder.CreateSExt(race.step, builder.getInt64Ty());
  builder.SetInsertPoint(loop.getHeader(), loop.getHeader()->begin());
  PHINode* together = builder.CreatePHI(builder.getInt64Ty(), 2, "together");
  builder.SetInsertPoint(loop.getLoopLatch()->getTerminator());
  Value* following = builder.CreateNSWAdd(together, step);
  together->addIncoming(first, loop.getLoopPreheader());
  together->addIncoming(following, loop.getLoopLatch());
  race.asks->setOperand(race.side, together);
  race.asks->setOperand(1 - race.side, last);
}

}  // namespace

PreservedAnalyses EqualTurnsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  bool changed = false;
  for (Loop* loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (const auto race = as_race(*loop, changed)) {
      ask_together(*loop, *race);
      changed = true;
    }
  if (!changed) return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

}  // namespace lanza::compiler
