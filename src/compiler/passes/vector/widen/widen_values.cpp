// Values of the widened function: as scalars, as vectors, of one lane.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>

#include "compiler/passes/vector/widen/widener.hpp"

using namespace llvm;

namespace lanza::compiler {

Type* Widener::wide(Type* type) const {
  auto* structure = dyn_cast<StructType>(type);
  if (!structure) return FixedVectorType::get(type, lanes_);
  SmallVector<Type*, 4> members;
  for (Type* member : structure->elements()) members.push_back(wide(member));
  return StructType::get(type->getContext(), members);
}

IntegerType* Widener::bits_type() const { return IntegerType::get(kernel_.getContext(), lanes_); }

Value* Widener::scalar(Value* value) {
  if (isa<Constant>(value) || isa<BasicBlock>(value) || isa<MetadataAsValue>(value)) return value;
  if (Value* known = scalars_.lookup(value)) return known;
  result_.why_not = "internal error: a value has no scalar form";
  return PoisonValue::get(value->getType());
}

Constant* Widener::steps(Type* type, int64_t stride) const {
  SmallVector<Constant*, 64> lanes;
  for (unsigned lane = 0; lane < lanes_; ++lane) lanes.push_back(ConstantInt::getSigned(type, lane * stride));
  return ConstantVector::get(lanes);
}

Value* Widener::splat(Value* value) {
  auto* structure = dyn_cast<StructType>(value->getType());
  if (!structure) {
    if (isa<PoisonValue>(value)) return PoisonValue::get(wide(value->getType()));
    if (auto* constant = dyn_cast<Constant>(value))
      return ConstantVector::getSplat(ElementCount::getFixed(lanes_), constant);
    return b_.CreateVectorSplat(lanes_, value);
  }
  Value* result = PoisonValue::get(wide(structure));
  for (unsigned k = 0; k < structure->getNumElements(); ++k)
    result = b_.CreateInsertValue(result, splat(b_.CreateExtractValue(value, k)), k);
  return result;
}

Value* Widener::vector(Value* value) {
  if (Value* known = vectors_.lookup(value)) return known;
  if (isa<Constant>(value)) return splat(value);
  Value*& made = here_[value];
  if (made) return made;
  const Shape shape = shapes_[value];
  Value* base = scalar(value);
  Value* result;
  if (!shape.is_strided())
    result = splat(base);
  else if (base->getType()->isPointerTy())
    result = b_.CreateGEP(b_.getInt8Ty(), base, steps(b_.getInt64Ty(), shape.stride));
  else
    result = b_.CreateAdd(splat(base), steps(base->getType(), shape.stride));
  return here_[value] = result;
}

// Addresses and extensions are computed of one lane's operands: lanes of a vector of 64 bits cost more.
Value* Widener::lane_of(Value* value, Value* lane) {
  if (isa<GetElementPtrInst, SExtInst, ZExtInst>(value) && shapes_[value].is_varying()) {
    Instruction* copy = cast<Instruction>(value)->clone();
    for (Use& operand : copy->operands()) operand.set(lane_of(operand, lane));
    return b_.Insert(copy);
  }
  if (Value* known = vectors_.lookup(value)) {
    auto* structure = dyn_cast<StructType>(known->getType());
    if (!structure) return b_.CreateExtractElement(known, lane);
    Value* result = PoisonValue::get(value->getType());
    for (unsigned k = 0; k < structure->getNumElements(); ++k)
      result = b_.CreateInsertValue(result, b_.CreateExtractElement(b_.CreateExtractValue(known, k), lane), k);
    return result;
  }
  Value* base = scalar(value);
  const Shape shape = shapes_[value];
  if (!shape.is_strided()) return base;
  const bool pointer = base->getType()->isPointerTy();
  Type* type = pointer ? b_.getInt64Ty() : base->getType();
  Value* step = b_.CreateMul(b_.CreateZExtOrTrunc(lane, type), ConstantInt::getSigned(type, shape.stride));
  return pointer ? b_.CreateGEP(b_.getInt8Ty(), base, step) : b_.CreateAdd(base, step);
}

Value* Widener::mask() {
  auto* constant = dyn_cast_or_null<ConstantInt>(mask_);
  return !mask_ || (constant && constant->isOne()) ? nullptr : vector(mask_);
}

Value* Widener::mask_or_all() {
  Value* m = mask();
  return m ? m : ConstantInt::getTrue(wide(b_.getInt1Ty()));
}

Value* Widener::mask_bits() {
  Value* m = mask();
  return m ? b_.CreateBitCast(m, bits_type()) : Constant::getAllOnesValue(bits_type());
}

Widener::Branches Widener::branch_on_all_active() {
  return branch_on(b_.CreateICmpEQ(mask_bits(), Constant::getAllOnesValue(bits_type())));
}

Widener::Branches Widener::branch_on(Value* condition) {
  LLVMContext& c = kernel_.getContext();
  auto add = [&](const char* name, BasicBlock* behind) {
    return BasicBlock::Create(c, name, group_function_, behind->getNextNode());
  };
  BasicBlock *whole = add("whole", b_.GetInsertBlock()), *partly = add("partly", whole), *after = add("after", partly);
  b_.CreateCondBr(condition, whole, partly);
  b_.SetInsertPoint(whole);
  return {whole, partly, after};
}

// Lane 0 may be inactive, and its sum wrap where no other does: so not the sum is extended but its parts are.
Value* Widener::extended(Value* value, Type* type, bool is_signed) {
  auto extend = [&](Value* v) { return is_signed ? b_.CreateSExt(v, type) : b_.CreateZExt(v, type); };
  if (shapes_.crosses_no_wrap(value)) return extend(scalar(value));
  const unsigned key = type->getIntegerBitWidth() * 2 + is_signed;
  if (Value* known = extended_.lookup({value, key})) return known;
  auto* i = cast<Instruction>(value);
  IRBuilder<>::InsertPointGuard guard(b_);
  if (auto* phi = dyn_cast<PHINode>(i)) {
    b_.SetInsertPoint(cast<Instruction>(scalar(value)));
    PHINode* result = b_.CreatePHI(type, phi->getNumIncomingValues());
    pending_.push_back({phi, result, Pending::Extended, is_signed});
    return extended_[{value, key}] = result;
  }
  auto* whole = dyn_cast<Instruction>(scalar(value));  // or a constant, as of what is poison
  if (whole) b_.SetInsertPoint(whole->getParent(), std::next(whole->getIterator()));
  auto part = [&](unsigned k) { return extended(i->getOperand(k), type, is_signed); };
  Value* result;
  if (isa<SelectInst>(i))
    result = b_.CreateSelect(scalar(i->getOperand(0)), part(1), part(2));
  else if (isa<SExtInst>(i))
    result = part(0);
  else if (auto* zero = dyn_cast<ZExtInst>(i))
    result = extended(zero->getOperand(0), type, is_signed && zero->hasNonNeg());
  else if (i->getOpcode() == Instruction::Or)
    result = b_.CreateAdd(part(0), part(1));
  else
    result = b_.CreateBinOp(cast<BinaryOperator>(i)->getOpcode(), part(0), part(1));
  if (!whole && !isa<Constant>(result)) return result;  // here only
  return extended_[{value, key}] = result;
}

}  // namespace lanza::compiler
