// What cannot be done for all lanes at once, for one after the other.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/cost_notes.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/widen/serial_loops.hpp"
#include "compiler/passes/vector/widen/widener.hpp"

using namespace llvm;

namespace lanza::compiler {

// Traps and assertions, what stops in a debugger, and functions that are not inlined.
static bool names_its_thread(const Instruction& i) {
  auto* call = dyn_cast<CallInst>(&i);
  if (!call || !call->getCalledFunction() || call->getCalledFunction()->hasFnAttribute(kSerial)) return false;
  return call->doesNotReturn() || call->getIntrinsicID() == Intrinsic::debugtrap ||
         !call->getCalledFunction()->isDeclaration();
}

void Widener::note_thread(Value* lane) {
  const GroupShape& group = shapes_.group();
  lane = b_.CreateZExtOrTrunc(lane, b_.getInt32Ty());
  SmallVector<Value*, 3> thread;
  for (unsigned axis = 0, below = 1; axis < 3; below *= group.extent[axis++]) {
    thread.push_back(emit_group_index(b_, axis));
    if (group.extent[axis] == 1) continue;
    Value* offset = b_.CreateURem(b_.CreateUDiv(lane, b_.getInt32(below)), b_.getInt32(group.extent[axis]));
    thread.back() = b_.CreateAdd(thread.back(), offset);
  }
  Type* i32 = b_.getInt32Ty();
  b_.CreateCall(kernel_.getParent()->getOrInsertFunction(kThread, b_.getVoidTy(), i32, i32, i32), thread);
}

// An element at a place that varies would go through memory where the vector has several registers, and wait there for
// each lane. Of conditions the bits: LLVM would put each into a vector of bytes.
Value* Widener::with_lane(Value* all, Value* one, Value* lane) {
  if (all->getType()->isVectorTy()) {
    Type* number = b_.getIntNTy(static_cast<unsigned>(layout_.getTypeSizeInBits(one->getType())));
    Value* is_it = b_.CreateICmpEQ(splat(b_.CreateZExtOrTrunc(lane, number)), steps(number, 1));
    return b_.CreateSelect(is_it, splat(one), all);
  }
  return b_.CreateOr(all, b_.CreateShl(b_.CreateZExt(one, all->getType()), lane));
}

// What the loop over lanes leaves of each member: the value of all of them.
Value* Widener::joined(Instruction& i, ArrayRef<PHINode*> members, BasicBlock* each) {
  Value* result = PoisonValue::get(wide(i.getType()));
  for (auto [k, phi] : enumerate(members)) {
    Value* all = phi->getIncomingValueForBlock(each);
    if (!all->getType()->isVectorTy()) all = b_.CreateBitCast(all, wide(b_.getInt1Ty()));
    if (!i.getType()->isStructTy()) return all;
    result = b_.CreateInsertValue(result, all, static_cast<unsigned>(k));
  }
  return result;
}

// What a lane does may show to the next one.
static StringRef why_one_by_one(const Instruction& i) {
  if (isa<MemTransferInst>(i)) return "each lane copies a record of its own";
  if (auto* call = dyn_cast<CallInst>(&i)) {
    const Function* callee = call->getCalledFunction();
    const bool is_serial = callee && callee->hasFnAttribute(kSerial);
    return is_serial ? callee->getFnAttribute(kSerial).getValueAsString() : "each lane calls by itself";
  }
  if (isa<AtomicCmpXchgInst>(i)) return "each lane compares with what the one before left";
  auto* update = dyn_cast<AtomicRMWInst>(&i);
  if (!update)
    return i.isAtomic() || i.isVolatile() ? "an access that others may watch"
                                          : "no instruction does it for several lanes";
  if (!i.use_empty()) return "each lane is told what it found, in the order of threads";
  if (update->isFloatingPointOperation()) return "floats are added in the order of threads";
  return "lanes may meet at one address";
}

void Widener::note_lane_by_lane(Instruction& made, const Instruction& i) {
  note_cost(made, kLaneByLaneCost, why_one_by_one(i));
}

// A loop over the set bits of the mask, lowest first:
//   lane = cttz(bits); copy of the instruction with that lane's operands; bits &= bits - 1.
void Widener::serialise(Instruction& i, Value* active) {
  ++result_.serial;
  LLVMContext& c = kernel_.getContext();
  Type* bits_type = this->bits_type();
  const bool has_result = !i.use_empty();
  auto* structure = dyn_cast<StructType>(i.getType());
  SmallVector<Type*, 2> members;
  if (has_result && structure) members.append(structure->element_begin(), structure->element_end());
  if (has_result && !structure) members.push_back(i.getType());
  if (!active) active = mask_bits();
  BasicBlock *before = b_.GetInsertBlock(),
             *each = BasicBlock::Create(c, "each", group_function_, before->getNextNode()),
             *after = BasicBlock::Create(c, "after", group_function_, each->getNextNode());
  b_.CreateBr(each);
  b_.SetInsertPoint(each);
  PHINode* bits = b_.CreatePHI(bits_type, 2, "lanes");
  bits->addIncoming(active, before);
  SmallVector<PHINode*, 2> results;  // of each member
  for (Type* type : members) {
    Type* all = type->isIntegerTy(1) ? bits_type : wide(type);
    results.push_back(b_.CreatePHI(all, 2));
    results.back()->addIncoming(Constant::getNullValue(all), before);  // see widen_load()
  }
  Value* lane = b_.CreateBinaryIntrinsic(Intrinsic::cttz, bits, b_.getTrue());
  Instruction* copy = i.clone();
  for (Use& operand : copy->operands())
    if (!isa<Constant, InlineAsm>(operand)) operand.set(lane_of(operand, lane));
  if (names_its_thread(i)) note_thread(lane);
  b_.Insert(copy);
  copy->setDebugLoc(i.getDebugLoc());
  for (auto [k, all] : enumerate(results)) {
    Value* member = structure ? b_.CreateExtractValue(copy, static_cast<unsigned>(k)) : copy;
    all->addIncoming(with_lane(all, member, lane), each);
  }
  Value* rest = b_.CreateAnd(bits, b_.CreateSub(bits, ConstantInt::get(bits_type, 1)));
  bits->addIncoming(rest, each);
  note_lane_by_lane(*b_.CreateCondBr(b_.CreateIsNull(rest), after, each), i);
  b_.SetInsertPoint(after);
  if (has_result) set(i, joined(i, results, each));
}

}  // namespace lanza::compiler
