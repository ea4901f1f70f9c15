#include "compiler/passes/vector/lanes/loop_gathers.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/lanes/lane_accesses.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostStraight = 16, kMostLanes = 64, kLeastLanes = 4, kWord = 32;
constexpr unsigned kDeepestAddress = 6;
constexpr int kManyAtEdge = 6;

bool is_gather(const IntrinsicInst& i) { return i.getIntrinsicID() == Intrinsic::masked_gather; }

Value* mask_of(const IntrinsicInst& access) { return access.getArgOperand(is_gather(access) ? 2 : 3); }

FixedVectorType* type_of(const IntrinsicInst& access) {
  return cast<FixedVectorType>(is_gather(access) ? access.getType() : access.getArgOperand(0)->getType());
}

bool is_access(const IntrinsicInst& i) { return is_gather(i) || i.getIntrinsicID() == Intrinsic::masked_scatter; }

bool is_at_edge(const IntrinsicInst& access, const TargetTransformInfo& host) {
  const unsigned lanes = type_of(access)->getNumElements();
  return access.hasMetadata(kLanesAtEdge) && lanes >= kLeastLanes && lanes <= kMostLanes &&
         !isa<Constant>(mask_of(access)) && !has_lane_instruction(access, host);
}

// Of few lanes, as data say, each would be asked by a branch that nobody can guess.
bool is_of_parts(const IntrinsicInst& scatter) {
  const unsigned lanes = type_of(scatter)->getNumElements();
  return !is_gather(scatter) && lanes >= kMostStraight && lanes <= kMostLanes &&
         type_of(scatter)->getScalarSizeInBits() < kWord && !isa<Constant>(mask_of(scatter));
}

bool is_long(const IntrinsicInst& access) {
  const unsigned lanes = type_of(access)->getNumElements(), bits = type_of(access)->getScalarSizeInBits();
  if (!is_gather(access) || lanes <= kMostStraight || lanes > kMostLanes || bits >= kWord) return false;
  return access.hasMetadata(kAtEdge) || !match(mask_of(access), m_AllOnes());
}

/// What becomes loops.
class Choice {
 public:
  Choice(Function& run, const TargetTransformInfo& host) : host_(host), edges_(loops_at_edges(run, host)) {}

  bool contains(const IntrinsicInst& i) const {
    if (!is_access(i) || type_of(i)->getScalarType()->isPointerTy() || type_of(i)->getScalarSizeInBits() % 8 != 0)
      return false;
    return is_long(i) || is_of_parts(i) || (edges_ && is_at_edge(i, host_));
  }

 private:
  const TargetTransformInfo& host_;
  const bool edges_;
};

// Moves what computes `value` in front of `place`, where that is arithmetic of the same block.
bool raise(Value* value, Instruction& place, unsigned depth) {
  auto* i = dyn_cast<Instruction>(value);
  if (!i || i->getParent() != place.getParent() || i->comesBefore(&place)) return true;
  if (depth == 0 || !isa<GetElementPtrInst, CastInst, BinaryOperator>(i) || i->isIntDivRem()) return false;
  for (Value* operand : i->operands())
    if (!raise(operand, place, depth - 1)) return false;
  i->moveBefore(&place);
  return true;
}

using Accesses = SmallVector<IntrinsicInst*, 16>;

// What is loaded together: for the same lanes, and nothing is written between.
std::vector<Accesses> loops_of(BasicBlock& block, const Choice& choice) {
  std::vector<Accesses> loops;
  bool is_open = false;
  for (Instruction& i : make_early_inc_range(block)) {
    auto* access = dyn_cast<IntrinsicInst>(&i);
    if (!access || !choice.contains(*access)) {
      is_open &= !i.mayWriteToMemory();
      continue;
    }
    const bool joins = is_open && is_gather(*access) && mask_of(*access) == mask_of(*loops.back().front()) &&
                       isa<Constant>(access->getArgOperand(3)) &&
                       raise(access->getArgOperand(0), *loops.back().front(), kDeepestAddress);
    if (!joins) loops.emplace_back();
    loops.back().push_back(access);
    is_open = is_gather(*access);
  }
  return loops;
}

AllocaInst* variable(Function& run, Type* type) { return new AllocaInst(type, 0, "", run.getEntryBlock().begin()); }

// Addresses and values lie on the stack.
void loop(ArrayRef<IntrinsicInst*> accesses) {
  struct Part {
    IntrinsicInst* access;
    AllocaInst *places, *values;
  };
  SmallVector<Part, 16> parts;
  IntrinsicInst& first = *accesses.front();
  Function& run = *first.getFunction();
  IRBuilder<> b(&first);
  for (IntrinsicInst* access : accesses) {
    Value* addresses = access->getArgOperand(is_gather(*access) ? 0 : 1);
    const Part part{access, variable(run, addresses->getType()), variable(run, type_of(*access))};
    b.CreateStore(addresses, part.places);
    b.CreateStore(access->getArgOperand(is_gather(*access) ? 3 : 0), part.values);
    parts.push_back(part);
  }
  const unsigned lanes = type_of(first)->getNumElements();
  Type* bits_type = b.getIntNTy(lanes);
  Value* all = b.CreateBitCast(b.CreateFreeze(mask_of(first)), bits_type);

  BasicBlock* before = first.getParent();
  BasicBlock* each = SplitBlock(before, &first);
  BasicBlock* after = SplitBlock(each, &first);
  before->getTerminator()->eraseFromParent();
  b.SetInsertPoint(before);
  b.CreateCondBr(b.CreateIsNull(all), after, each);

  each->getTerminator()->eraseFromParent();
  b.SetInsertPoint(each);
  PHINode* bits = b.CreatePHI(bits_type, 2);
  Value* lane = b.CreateIntrinsic(Intrinsic::cttz, {bits_type}, {bits, b.getTrue()});
  for (const auto& [access, places, values] : parts) {
    b.SetCurrentDebugLocation(access->getDebugLoc());
    Type* type = type_of(*access)->getElementType();
    Value* place = b.CreateLoad(b.getPtrTy(), b.CreateGEP(b.getPtrTy(), places, lane));
    Value* value = b.CreateGEP(type, values, lane);
    const Align align(cast<ConstantInt>(access->getArgOperand(is_gather(*access) ? 1 : 2))->getZExtValue());
    if (is_gather(*access))
      b.CreateStore(b.CreateAlignedLoad(type, place, align), value);
    else
      b.CreateAlignedStore(b.CreateLoad(type, value), place, align);
  }
  Value* rest = b.CreateAnd(bits, b.CreateSub(bits, ConstantInt::get(bits_type, 1)));
  b.CreateCondBr(b.CreateIsNull(rest), after, each);
  bits->addIncoming(all, before);
  bits->addIncoming(rest, each);

  b.SetInsertPoint(&first);
  for (const auto& [access, places, values] : parts)
    if (is_gather(*access)) access->replaceAllUsesWith(b.CreateLoad(access->getType(), values));
  for (IntrinsicInst* access : accesses) access->eraseFromParent();
}

}  // namespace

bool loops_at_edges(Function& run, const TargetTransformInfo& host) {
  const auto at_edge = [&](const Instruction& i) {
    auto* access = dyn_cast<IntrinsicInst>(&i);
    return access && is_access(*access) && is_at_edge(*access, host);
  };
  return count_if(instructions(run), at_edge) >= kManyAtEdge;
}

bool loop_gathers(Function& run, const TargetTransformInfo& host) {
  const Choice choice(run, host);
  std::vector<Accesses> found;
  for (BasicBlock& block : run)
    for (Accesses& accesses : loops_of(block, choice)) found.push_back(std::move(accesses));
  for (const Accesses& accesses : found) loop(accesses);
  return !found.empty();
}

}  // namespace lanza::compiler
