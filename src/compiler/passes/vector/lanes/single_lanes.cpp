#include "compiler/passes/vector/lanes/single_lanes.hpp"

#include <optional>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

// The only one that is looked at.
std::optional<uint64_t> lane_in_use(const PHINode& phi) {
  auto* type = dyn_cast<FixedVectorType>(phi.getType());
  if (!type || phi.use_empty()) return std::nullopt;
  std::optional<uint64_t> found;
  for (const User* user : phi.users()) {
    auto* extract = dyn_cast<ExtractElementInst>(user);
    auto* lane = extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
    if (!lane || lane->getValue().uge(type->getNumElements())) return std::nullopt;
    if (found && *found != lane->getZExtValue()) return std::nullopt;
    found = lane->getZExtValue();
  }
  return found;
}

Value* lane_of(IRBuilder<>& b, Value* vector, uint64_t lane) {
  if (auto* constant = dyn_cast<Constant>(vector))
    if (Constant* element = constant->getAggregateElement(static_cast<unsigned>(lane))) return element;
  if (auto* insert = dyn_cast<InsertElementInst>(vector))
    if (auto* place = dyn_cast<ConstantInt>(insert->getOperand(2)))
      return place->getValue() == lane ? insert->getOperand(1) : lane_of(b, insert->getOperand(0), lane);
  if (auto* shuffle = dyn_cast<ShuffleVectorInst>(vector)) {
    const int source = shuffle->getMaskValue(static_cast<unsigned>(lane));
    if (source < 0) return PoisonValue::get(shuffle->getType()->getElementType());
    const auto from = static_cast<unsigned>(source);
    const unsigned width = cast<FixedVectorType>(shuffle->getOperand(0)->getType())->getNumElements();
    return lane_of(b, shuffle->getOperand(from < width ? 0 : 1), from % width);
  }
  if (auto* choice = dyn_cast<SelectInst>(vector); choice && choice->hasOneUse()) {
    Value* condition = choice->getCondition();
    if (condition->getType()->isVectorTy()) condition = lane_of(b, condition, lane);
    Value* first = lane_of(b, choice->getTrueValue(), lane);
    return b.CreateSelect(condition, first, lane_of(b, choice->getFalseValue(), lane));
  }
  return b.CreateExtractElement(vector, lane);
}

void take_lane(PHINode& phi, uint64_t lane) {
  PHINode* one = PHINode::Create(phi.getType()->getScalarType(), phi.getNumIncomingValues(), "", phi.getIterator());
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    BasicBlock* from = phi.getIncomingBlock(i);
    const int known = one->getBasicBlockIndex(from);  // of a switch that comes by several ways
    IRBuilder<> b(from->getTerminator());
    one->addIncoming(known < 0 ? lane_of(b, phi.getIncomingValue(i), lane) : one->getIncomingValue(known), from);
  }
  for (User* user : make_early_inc_range(phi.users())) {
    user->replaceAllUsesWith(one);
    cast<Instruction>(user)->eraseFromParent();
  }
  phi.eraseFromParent();
}

}  // namespace

bool take_single_lanes(Function& function) {
  SmallVector<PHINode*, 16> found;
  for (Instruction& i : instructions(function))
    if (auto* phi = dyn_cast<PHINode>(&i); phi && lane_in_use(*phi)) found.push_back(phi);
  for (PHINode* phi : found) take_lane(*phi, *lane_in_use(*phi));
  return !found.empty();
}

}  // namespace lanza::compiler
