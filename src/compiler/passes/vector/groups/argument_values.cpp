#include "compiler/passes/vector/groups/argument_values.hpp"

#include <utility>

using namespace llvm;

namespace lanza::compiler {

ArgumentValues::ArgumentValues(Builder& b, Value* packed, const Function& kernel, Ask ask)
    : b_(b), packed_(packed), places_(places_of_arguments(kernel)), ask_(std::move(ask)) {}

Value* ArgumentValues::member(Type* type, const Argument& argument, uint64_t offset) {
  Value* place = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), packed_, places_[argument.getArgNo()].offset + offset);
  return b_.CreateAlignedLoad(type, place, Align(1));
}

Value* ArgumentValues::address(const Argument& pointer) { return member(b_.getInt64Ty(), pointer, 0); }

Value* ArgumentValues::divisor(Value* made) {
  ask_(b_.CreateICmpSGT(made, ConstantInt::get(made->getType(), 0)));
  return b_.CreateBinaryIntrinsic(Intrinsic::smax, made, ConstantInt::get(made->getType(), 1));
}

Value* ArgumentValues::value(Value* v) {
  if (isa<Constant>(v)) return v;
  if (auto found = values_.find(v); found != values_.end()) return found->second;
  Value* known = nullptr;
  if (auto* argument = dyn_cast<Argument>(v)) {
    known = member(v->getType(), *argument, 0);
  } else if (const auto loaded = loaded_member(*v)) {
    known = member(v->getType(), *loaded->parameter, loaded->offset);
  } else {
    Instruction* copied = cast<Instruction>(v)->clone();
    for (Use& operand : copied->operands()) operand.set(value(operand));
    copied->dropPoisonGeneratingFlags();
    if (copied->isIntDivRem()) copied->setOperand(1, divisor(copied->getOperand(1)));
    known = b_.Insert(copied);
  }
  return values_[v] = known;
}

Value* ArgumentValues::number(Value* v) { return b_.CreateSExtOrTrunc(value(v), b_.getInt64Ty()); }

}  // namespace lanza::compiler
