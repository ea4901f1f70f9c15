#include "compiler/passes/vector/lanes/branch_rings.hpp"

#include <optional>
#include <vector>

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr size_t kMostAsked = 64;           // as of masked stores, see blend_local_stores()
constexpr unsigned kMask = 2, kOthers = 3;  // arguments of a masked load

struct RingLoad {
  IntrinsicInst *before = nullptr, *behind = nullptr;
  Value* left = nullptr;    ///< all lanes stand before the end where it is not less than their number
  Value* active = nullptr;  ///< null: all lanes load
};

IntrinsicInst* as_masked_load(Value* v) {
  auto* load = dyn_cast<IntrinsicInst>(v);
  return load && load->getIntrinsicID() == Intrinsic::masked_load ? load : nullptr;
}

/// A comparison of the same number in all lanes with one of each lane's own.
struct Question {
  Value* number = nullptr;
  bool answer = false;  ///< in all lanes, where the number is not less than there are lanes
};

std::optional<Question> as_question(Value* mask, unsigned lanes) {
  ICmpInst::Predicate asks;
  Value *a, *b;
  if (match(mask, m_Not(m_Value(a)))) {
    const auto other = as_question(a, lanes);
    return other ? std::optional(Question{other->number, !other->answer}) : std::nullopt;
  }
  if (!match(mask, m_ICmp(asks, m_Value(a), m_Value(b)))) return {};
  if (isa<Constant>(a)) {
    std::swap(a, b);
    asks = ICmpInst::getSwappedPredicate(asks);
  }
  auto* steps = dyn_cast<Constant>(b);
  Value* number = getSplatValue(a);
  if (!steps || !number || !ICmpInst::isUnsigned(asks)) return {};
  const bool is_one_less = asks == ICmpInst::ICMP_UGT || asks == ICmpInst::ICMP_ULE;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    auto* step = dyn_cast_or_null<ConstantInt>(steps->getAggregateElement(lane));
    if (!step || step->getValue().ugt(is_one_less ? lanes - 1 : lanes)) return {};
  }
  return Question{number, ICmpInst::isGT(asks) || ICmpInst::isGE(asks)};
}

// `active` takes the other part of a mask of two.
std::optional<Question> find_question(Value* mask, unsigned lanes, Value*& active) {
  active = nullptr;
  if (const auto whole = as_question(mask, lanes)) return whole;
  Value *a, *b;
  if (!match(mask, m_And(m_Value(a), m_Value(b)))) return {};
  const auto first = as_question(a, lanes);
  active = first ? b : a;
  return first ? first : as_question(b, lanes);
}

std::optional<RingLoad> as_pair(Instruction& i) {
  RingLoad ring;
  ring.behind = as_masked_load(&i);
  ring.before = ring.behind ? as_masked_load(ring.behind->getArgOperand(kOthers)) : nullptr;
  if (!ring.before || !ring.before->hasOneUse() || ring.before->getParent() != i.getParent()) return {};
  for (Instruction* k = ring.before; k != &i; k = k->getNextNode())
    if (k->mayWriteToMemory()) return {};
  const unsigned lanes = cast<FixedVectorType>(i.getType())->getNumElements();
  Value* ignored;
  const auto before = find_question(ring.before->getArgOperand(kMask), lanes, ring.active);
  const auto behind = find_question(ring.behind->getArgOperand(kMask), lanes, ignored);
  if (!before || !behind || before->number != behind->number || !before->answer || behind->answer) return {};
  ring.left = before->number;
  return ring;
}

Value* load_at_once(IRBuilder<>& b, const RingLoad& ring) {
  IntrinsicInst& like = *ring.before;
  const Align align = cast<ConstantInt>(like.getArgOperand(1))->getMaybeAlignValue().valueOrOne();
  Value *address = like.getArgOperand(0), *others = like.getArgOperand(kOthers);
  Instruction* load = ring.active
                          ? cast<Instruction>(b.CreateMaskedLoad(like.getType(), address, align, ring.active, others))
                          : b.CreateAlignedLoad(like.getType(), address, align);
  load->copyMetadata(like, {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
  return load;
}

void branch(const RingLoad& ring) {
  auto* type = cast<FixedVectorType>(ring.behind->getType());
  IRBuilder<> b(ring.behind);
  Value* are_all = b.CreateICmpUGT(ring.left, ConstantInt::get(ring.left->getType(), type->getNumElements() - 1));
  Instruction *then = nullptr, *otherwise = nullptr;
  SplitBlockAndInsertIfThenElse(are_all, ring.behind, &then, &otherwise);
  BasicBlock* end = ring.behind->getParent();
  ring.before->moveBefore(otherwise);
  ring.behind->moveBefore(otherwise);
  b.SetInsertPoint(then);
  b.SetCurrentDebugLocation(ring.behind->getDebugLoc());
  Value* whole = load_at_once(b, ring);
  b.SetInsertPoint(end, end->begin());
  PHINode* lanes = b.CreatePHI(type, 2);
  ring.behind->replaceAllUsesWith(lanes);
  lanes->addIncoming(whole, then->getParent());
  lanes->addIncoming(ring.behind, otherwise->getParent());
}

}  // namespace

bool branch_rings(Function& run) {
  std::vector<RingLoad> rings;
  for (Instruction& i : instructions(run))
    if (const auto ring = as_pair(i)) rings.push_back(*ring);
  if (rings.size() > kMostAsked) return false;
  for (const RingLoad& ring : rings) branch(ring);
  return !rings.empty();
}

}  // namespace lanza::compiler
