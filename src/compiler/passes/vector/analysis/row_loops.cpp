#include "compiler/passes/vector/analysis/row_loops.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/ProfDataUtils.h>

#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr unsigned kMostRepeated = 200;  // instructions on the way from one turn's row to the next's
static constexpr uint32_t kLikely = 100;        // times as often as the other way

static bool divides_signed(const BinaryOperator& i) {
  return i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
}

bool is_remainder(const BinaryOperator& i) {
  return i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem;
}

Value* quotient_is_floor(IRBuilder<>& b, Value* index, Value* divisor) {
  Constant* zero = ConstantInt::get(index->getType(), 0);
  return b.CreateAnd(b.CreateICmpSGT(divisor, zero), b.CreateICmpSGE(index, zero));
}

void WayFacts::take(ArrayRef<BasicBlock*> way, BasicBlock* row) {
  for (auto [block, next] : zip_equal(way, concat<BasicBlock* const>(way.drop_front(), ArrayRef(row)))) {
    auto* branch = cast<BranchInst>(block->getTerminator());
    if (branch->isConditional()) take(branch->getCondition(), branch->getSuccessor(0) == next);
  }
}

bool WayFacts::is_below(const Division& division) const {
  return any_of(below_, [&](const auto& fact) {
    auto [value, bound] = fact;
    if (!is_contained(division.operations, value) || !is_remainder(*cast<BinaryOperator>(value))) return false;
    auto *number = dyn_cast<ConstantInt>(bound), *divisor = dyn_cast<ConstantInt>(division.divisor);
    if (number && divisor) return number->getValue().ule(divisor->getValue());
    return match(bound, m_Intrinsic<Intrinsic::usub_sat>(m_Specific(division.divisor), m_Value()));
  });
}

bool WayFacts::is_positive(const Value* divisor) const {
  auto* number = dyn_cast<ConstantInt>(divisor);
  if (number) return number->getValue().isStrictlyPositive();
  return positive_.contains(divisor) || match(divisor, m_SMax(m_Value(), m_One()));
}

bool WayFacts::is_not_negative(const Value* index, ArrayRef<Division> divisions) const {
  auto has_sign_bit_off = [&](const auto& fact) {
    auto* number = dyn_cast<ConstantInt>(fact.second);
    return fact.first == index && number && (number->getValue() - 1).isNonNegative();
  };
  if (any_of(below_, has_sign_bit_off)) return true;
  auto* operation = dyn_cast<BinaryOperator>(index);
  return operation && is_remainder(*operation) &&
         any_of(divisions, [&](const Division& d) { return d.is_signed && is_contained(d.operations, operation); });
}

void WayFacts::take(Value* condition, bool truth) {
  Value *a, *b;
  if (match(condition, m_Not(m_Value(a)))) return take(a, !truth);
  if (truth ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
            : match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
    take(a, truth);
    return take(b, truth);
  }
  auto* compare = dyn_cast<ICmpInst>(condition);
  if (!compare) return;
  const ICmpInst::Predicate is = truth ? compare->getPredicate() : compare->getInversePredicate();
  auto* least = dyn_cast<ConstantInt>(compare->getOperand(1));
  if (is == ICmpInst::ICMP_SGT && least && !least->isNegative()) positive_.insert(compare->getOperand(0));
  if (is == ICmpInst::ICMP_ULT) below_.push_back({compare->getOperand(0), compare->getOperand(1)});
  if (is == ICmpInst::ICMP_UGT) below_.push_back({compare->getOperand(1), compare->getOperand(0)});
}

namespace {

/// The side that a branch nearly always takes.
BasicBlock* likely_side(const BasicBlock& block) {
  auto* branch = dyn_cast<BranchInst>(block.getTerminator());
  uint64_t yes = 0, no = 0;
  if (!branch || !branch->isConditional() || !extractBranchWeights(*branch, yes, no)) return nullptr;
  if (yes > no * kLikely) return branch->getSuccessor(0);
  return no > yes * kLikely ? branch->getSuccessor(1) : nullptr;
}

class RowFinder {
 public:
  RowFinder(const DominatorTree& dominators, const LoopInfo& loops) : dominators_(dominators), loops_(loops) {}

  bool find(BasicBlock& asks, RowLoop& found) const {
    Loop* loop = loops_.getLoopFor(&asks);
    found.asks = &asks;
    found.before = loop ? loop->getLoopPreheader() : nullptr;
    found.row = likely_side(asks);
    if (!loop || !loop->getLoopLatch() || !loop->getLoopPreheader() || !found.row || !loop->contains(found.row))
      return false;
    if (found.row->getSinglePredecessor() != &asks) return false;
    return find_way(*loop, found) && find_divisions(*loop, found) && find_body(*loop, found) &&
           find_way_back(*loop, found) && is_short(found);
  }

 private:
  bool find_way(const Loop& loop, RowLoop& found) const {
    SmallVector<BasicBlock*, 8> upwards{found.asks};
    while (upwards.back() != loop.getHeader()) {
      BasicBlock* before = upwards.back()->getSinglePredecessor();
      if (!before || loops_.getLoopFor(before) != &loop) return false;
      upwards.push_back(before);
    }
    found.way.insert(upwards.rbegin(), upwards.rend());
    found.facts.take(found.way.getArrayRef(), found.row);
    return all_of(found.way,
                  [](BasicBlock* block) { return all_of(*block, [](Instruction& i) { return may_be_repeated(i); }); });
  }

  // A turn whose quotients are not those of the turn before begins again; notes of lanes may be made twice.
  static bool may_be_repeated(const Instruction& i) {
    if (auto* store = dyn_cast<StoreInst>(&i)) return is_note(*store);
    return !i.mayReadOrWriteMemory() && !i.mayHaveSideEffects() && (i.isTerminator() ? isa<BranchInst>(i) : true) &&
           !i.getType()->isTokenTy();
  }

  static bool is_note(const StoreInst& store) {
    return store.isVolatile() && getUnderlyingObject(store.getPointerOperand()) == store.getFunction()->getArg(2);
  }

  static bool find_divisions(const Loop& loop, RowLoop& found) {
    for (BasicBlock* block : found.way)
      for (Instruction& i : *block) {
        auto* operation = dyn_cast<BinaryOperator>(&i);
        if (!operation || !operation->isIntDivRem() || !operation->getType()->isIntegerTy()) continue;
        Value *index = operation->getOperand(0), *divisor = operation->getOperand(1);
        if (!loop.isLoopInvariant(divisor) || loop.isLoopInvariant(index)) continue;
        if (Division* known = find_division(found, *operation))
          known->operations.push_back(operation);
        else
          found.divisions.push_back({index, divisor, divides_signed(*operation), {operation}});
      }
    return !found.divisions.empty();
  }

  static Division* find_division(RowLoop& loop, const BinaryOperator& i) {
    auto* found = find_if(loop.divisions, [&](const Division& d) {
      return d.index == i.getOperand(0) && d.divisor == i.getOperand(1) && d.is_signed == divides_signed(i);
    });
    return found == loop.divisions.end() ? nullptr : found;
  }

  // Ends only where the loop goes on.
  bool find_body(const Loop& loop, RowLoop& found) const {
    for (BasicBlock* block : loop.blocks())
      if (dominators_.dominates(found.row, block)) found.body.insert(block);
    bool has_memory = false;
    for (BasicBlock* block : found.body)
      for (Instruction& i : *block) {
        if (i.hasMetadata(kAtEdge)) return false;  // few groups come here
        has_memory |= i.mayReadOrWriteMemory();
      }
    return has_memory;
  }

  bool find_way_back(const Loop& loop, RowLoop& found) const {
    BasicBlock* end = nullptr;
    for (BasicBlock* block : found.body)
      for (BasicBlock* next : successors(block)) {
        if (found.body.contains(next)) continue;
        if (!loop.contains(next) || next == loop.getHeader() || (end && next != end)) return false;
        end = next;
      }
    for (BasicBlock* block = end; block; block = block->getSingleSuccessor()) {
      if (loops_.getLoopFor(block) != &loop || found.way.contains(block) || !found.back.insert(block)) return false;
      if (block == loop.getLoopLatch()) return isa<BranchInst>(block->getTerminator());
    }
    return false;
  }

  static bool is_short(const RowLoop& found) {
    size_t size = 0;
    for (const RowLoop::Blocks* part : {&found.back, &found.way})
      for (BasicBlock* block : *part) {
        size += block->size();
        if (any_of(*block, [](Instruction& i) {
              auto* call = dyn_cast<CallBase>(&i);
              return isa<AllocaInst>(i) || (call && (call->cannotDuplicate() || call->isConvergent()));
            }))
          return false;
      }
    return size <= kMostRepeated;
  }

  const DominatorTree& dominators_;
  const LoopInfo& loops_;
};

}  // namespace

bool find_row_loop(BasicBlock& asks, const DominatorTree& dominators, const LoopInfo& loops, RowLoop& found) {
  return RowFinder(dominators, loops).find(asks, found);
}

static bool signs_are_equal(const RowLoop& found, const Division& d) {
  return found.facts.is_positive(d.divisor) && found.facts.is_not_negative(d.index, found.divisions);
}

void gather_divisions(RowLoop& found) {
  for (BasicBlock* block : found.body)
    for (Instruction& i : make_early_inc_range(*block)) {
      auto* operation = dyn_cast<BinaryOperator>(&i);
      if (!operation || !operation->isIntDivRem()) continue;
      auto* known = find_if(found.divisions, [&](const Division& d) {
        return d.index == operation->getOperand(0) && d.divisor == operation->getOperand(1) &&
               (d.is_signed == divides_signed(*operation) || signs_are_equal(found, d));
      });
      if (known == found.divisions.end()) continue;
      operation->dropPoisonGeneratingFlags();
      operation->moveAfter(known->operations.back());
      known->operations.push_back(operation);
    }
}

}  // namespace lanza::compiler
