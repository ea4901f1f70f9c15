#include "compiler/passes/vector/analysis/address_ranges.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include "compiler/passes/vector/group_form.hpp"

using namespace llvm;

namespace lanza::compiler {

std::optional<AddressRange> range_of(const SCEV* address, uint64_t size, const Loop& loop, const SCEV* turns,
                                     ScalarEvolution& evolution) {
  if (evolution.isLoopInvariant(address, &loop)) return AddressRange{address, address, size};
  auto* walk = dyn_cast<SCEVAddRecExpr>(address);
  if (!walk || walk->getLoop() != &loop || !walk->isAffine()) return {};
  const SCEV* count = evolution.getTruncateOrZeroExtend(turns, evolution.getEffectiveSCEVType(address->getType()));
  return AddressRange{walk->getStart(), walk->evaluateAtIteration(count, evolution), size};
}

ApartQuestion::ApartQuestion(Instruction& at, ScalarEvolution& evolution)
    : at_(at), b_(&at), expander_(evolution, at.getDataLayout(), "apart") {}

bool ApartQuestion::can(const AddressRange& range) const {
  return expander_.isSafeToExpandAt(range.first, &at_) && expander_.isSafeToExpandAt(range.last, &at_);
}

void ApartQuestion::ask(const AddressRange& a, const AddressRange& b) {
  const Ends one = ends(a), other = ends(b);
  Value* apart = b_.CreateOr(b_.CreateICmpULE(one.second, other.first), b_.CreateICmpULE(other.second, one.first));
  all_ = all_ ? b_.CreateAnd(all_, apart) : apart;
}

void ApartQuestion::ask(const SCEVPredicate& predicate) {
  if (predicate.isAlwaysTrue()) return;
  Value* holds = b_.CreateNot(expander_.expandCodeForPredicate(&predicate, &at_));
  all_ = all_ ? b_.CreateAnd(all_, holds) : holds;
}

Value* ApartQuestion::value_of(const SCEV* expression) {
  return expander_.expandCodeFor(expression, expression->getType(), &at_);
}

Value* ApartQuestion::all() { return emit_collective(b_, kAll, all_ ? all_ : b_.getTrue()); }

ApartQuestion::Ends ApartQuestion::ends(const AddressRange& range) {
  for (const auto& [known, made] : known_)
    if (known == range) return made;
  auto number = [&](const SCEV* address) {
    return b_.CreatePtrToInt(expander_.expandCodeFor(address, address->getType(), &at_), b_.getInt64Ty());
  };
  Value *low = number(range.first), *high = low;
  if (range.first != range.last) {
    Value *first = low, *last = number(range.last);
    low = b_.CreateBinaryIntrinsic(Intrinsic::umin, first, last);
    high = b_.CreateBinaryIntrinsic(Intrinsic::umax, first, last);
  }
  known_.push_back({range, {low, b_.CreateAdd(high, b_.getInt64(range.size))}});
  return known_.back().second;
}

}  // namespace lanza::compiler
