#include "compiler/passes/equal_turns.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/kept_analyses.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostSeen = 64;        // instructions that an index is made of
constexpr unsigned kMostTerms = 16;       // with these limits no sum of products of 32 bits wraps in 64
constexpr int64_t kMostFactor = 1 << 12;  // bytes of an element, too
constexpr uint64_t kMostNumber = 1 << 9;  // that is added to what is multiplied

/// So many times a value, or a product of two.
struct Term {
  Value* value;
  Value* times;  ///< null: there is no other
  int64_t factor;
  bool operator==(const Term&) const = default;
};
using Terms = SmallVector<Term, 4>;

std::optional<int64_t> times_number(int64_t factor, const Value* v) {
  const APInt* number;
  if (!match(v, m_APInt(number)) || number->abs().ugt(kMostNumber)) return {};
  const int64_t product = factor * number->getSExtValue();
  return std::abs(product) <= kMostFactor ? std::optional(product) : std::nullopt;
}

// (x + 1) * n is x * n and n. Where both are large the product did not wrap, but x * n might: only small numbers go.
void add_product(Value* v, Value* times, int64_t factor, Terms& terms) {
  Value *rest, *number;
  while (terms.size() < kMostTerms && match(v, m_NSWAdd(m_Value(rest), m_Value(number)))) {
    const auto product = times_number(factor, number);
    if (!product) break;
    terms.push_back({times, nullptr, *product});
    v = rest;
  }
  if (times < v) std::swap(v, times);  // the same whichever way it is written
  terms.push_back({v, times, factor});
}

// What a sum that does not wrap is made of.
void add_terms(Value* v, int64_t factor, Terms& terms) {
  Value *left, *right;
  if (terms.size() < kMostTerms && match(v, m_NSWAdd(m_Value(left), m_Value(right)))) {
    add_terms(left, factor, terms);
    add_terms(right, factor, terms);
  } else if (!match(v, m_NSWMul(m_Value(left), m_Value(right)))) {
    terms.push_back({v, nullptr, factor});
  } else if (const auto product = times_number(factor, right)) {
    add_terms(left, *product, terms);
  } else if (match(right, m_NSWAdd(m_Value(), m_Value()))) {
    add_product(right, left, factor, terms);
  } else {
    add_product(left, right, factor, terms);
  }
}

bool is_of_few_bits(const Value& v) { return v.getType()->isIntegerTy() && v.getType()->getIntegerBitWidth() <= 32; }

// The index of an address, if it is one of few bits, and the size of what it counts.
std::optional<Term> index_of(const GEPOperator& address, const DataLayout& layout) {
  Value* index;
  if (address.getNumIndices() != 1 || !address.isInBounds()) return {};
  if (!match(address.getOperand(1), m_CombineOr(m_SExt(m_Value(index)), m_NNegZExt(m_Value(index))))) return {};
  const uint64_t size = layout.getTypeAllocSize(address.getSourceElementType());
  if (!is_of_few_bits(*index) || size > kMostFactor) return {};
  return Term{index, nullptr, static_cast<int64_t>(size)};
}

/// Where a counter stands, or ends: the sum of terms, of bytes from a base if it is a pointer.
struct Place {
  Value* base = nullptr;
  Terms terms;
};

Place place_of(Value* v, const DataLayout& layout) {
  Place place;
  if (is_of_few_bits(*v)) {
    add_terms(v, 1, place.terms);
    return place;
  }
  for (place.base = v; place.terms.size() < kMostTerms;) {
    auto* address = dyn_cast<GEPOperator>(place.base);
    const auto index = address ? index_of(*address, layout) : std::nullopt;
    if (!index) break;
    add_terms(index->value, index->factor, place.terms);
    place.base = address->getPointerOperand();
  }
  return place;
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

bool is_of_thread(ArrayRef<Term> terms) {
  return any_of(terms, [](const Term& term) {
    SmallPtrSet<const Value*, 16> seen;
    return is_of_thread(term.value, seen) || (term.times && is_of_thread(term.times, seen));
  });
}

/// A loop whose threads start as far apart as they end.
struct Race {
  ICmpInst* asks;
  unsigned side;  ///< which operand of the question is the counter
  Term step;
  Terms first, last;  ///< start and end, without what both have in common
};

// What is added each turn.
std::optional<Term> step_of(PHINode& counter, Value* following, const DataLayout& layout) {
  Value* step;
  if (match(following, m_NSWAdd(m_Specific(&counter), m_Value(step))) ||
      match(following, m_NSWAdd(m_Value(step), m_Specific(&counter))))
    return Term{step, nullptr, 1};
  auto* address = dyn_cast<GEPOperator>(following);
  APInt bytes(64, 0);
  if (!address || address->getPointerOperand() != &counter || !address->isInBounds()) return {};
  if (!address->accumulateConstantOffset(layout, bytes)) return index_of(*address, layout);
  return Term{ConstantInt::get(counter.getContext(), bytes), nullptr, 1};
}

std::optional<Race> as_race(const Loop& loop, bool& changed) {
  BasicBlock *head = loop.getHeader(), *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader();
  auto* branch = dyn_cast<BranchInst>(head->getTerminator());
  if (!latch || !before || !branch || !branch->isConditional()) return {};
  auto* asks = dyn_cast<ICmpInst>(branch->getCondition());
  if (!asks) return {};
  // Pointers into one object are in the order of their distances from its beginning.
  const bool is_pointer = asks->getOperand(0)->getType()->isPointerTy();
  if (!is_pointer && (asks->isUnsigned() || !is_of_few_bits(*asks->getOperand(0)))) return {};
  const DataLayout& layout = head->getModule()->getDataLayout();
  for (unsigned side : {0, 1}) {
    auto* counter = dyn_cast<PHINode>(asks->getOperand(side));
    Value* end = asks->getOperand(1 - side);
    if (!counter || counter->getParent() != head || !loop.makeLoopInvariant(end, changed)) continue;
    const auto step = step_of(*counter, counter->getIncomingValueForBlock(latch), layout);
    if (!step || !loop.isLoopInvariant(step->value) || is_of_thread(*step)) continue;
    const Place first = place_of(counter->getIncomingValueForBlock(before), layout), last = place_of(end, layout);
    if (first.base != last.base) continue;
    Race race{asks, side, *step, first.terms, last.terms};
    Terms common;
    for (const Term& term : Terms(race.first))
      if (auto* same = find(race.last, term); same != race.last.end()) {
        common.push_back(term);
        race.last.erase(same);
        race.first.erase(find(race.first, term));
      }
    if (is_of_thread(common) && !is_of_thread(race.first) && !is_of_thread(race.last)) return race;
  }
  return {};
}

Value* wide(const Term& term, IRBuilder<>& builder) {
  Value* value = builder.CreateSExt(term.value, builder.getInt64Ty());
  if (term.times) value = builder.CreateNSWMul(value, builder.CreateSExt(term.times, builder.getInt64Ty()));
  return term.factor == 1 ? value : builder.CreateNSWMul(value, builder.getInt64(term.factor));
}

Value* sum_of(ArrayRef<Term> terms, IRBuilder<>& builder) {
  Value* sum = nullptr;
  for (const Term& term : terms) {
    Value* part = wide(term, builder);
    sum = sum ? builder.CreateNSWAdd(sum, part) : part;
  }
  return sum ? sum : builder.getInt64(0);
}

void ask_together(const Loop& loop, const Race& race) {
  IRBuilder<> builder(loop.getLoopPreheader()->getTerminator());
  builder.SetCurrentDebugLocation(race.asks->getDebugLoc());
  Value* first = sum_of(race.first, builder);
  Value* last = sum_of(race.last, builder);
  Value* step = wide(race.step, builder);
  builder.SetInsertPoint(loop.getHeader(), loop.getHeader()->begin());
  PHINode* together = builder.CreatePHI(builder.getInt64Ty(), 2, "together");
  builder.SetInsertPoint(loop.getLoopLatch()->getTerminator());
  Value* following = builder.CreateNSWAdd(together, step);
  together->addIncoming(first, loop.getLoopPreheader());
  together->addIncoming(following, loop.getLoopLatch());
  race.asks->setOperand(race.side, together);
  race.asks->setOperand(1 - race.side, last);
  if (race.asks->isUnsigned()) race.asks->setPredicate(race.asks->getSignedPredicate());
}

}  // namespace

PreservedAnalyses EqualTurnsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  bool changed = false;
  for (Loop* loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (const auto race = as_race(*loop, changed)) {
      ask_together(*loop, *race);
      changed = true;
    }
  return keeps_control_flow(changed);
}

}  // namespace lanza::compiler
