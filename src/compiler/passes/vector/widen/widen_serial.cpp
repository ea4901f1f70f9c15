// What cannot be done for all lanes at once, for one after the other.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

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

// A loop over the set bits of the mask, lowest first:
//   lane = cttz(bits); copy of the instruction with that lane's operands; bits &= bits - 1.
void Widener::serialise(Instruction& i) {
  ++result_.serial;
  LLVMContext& c = kernel_.getContext();
  Type* bits_type = this->bits_type();
  const bool has_result = !i.use_empty();
  Value* active = mask_bits();
  BasicBlock *before = b_.GetInsertBlock(),
             *each = BasicBlock::Create(c, "each", group_function_, before->getNextNode()),
             *after = BasicBlock::Create(c, "after", group_function_, each->getNextNode());
  b_.CreateBr(each);
  b_.SetInsertPoint(each);
  PHINode* bits = b_.CreatePHI(bits_type, 2, "lanes");
  bits->addIncoming(active, before);
  PHINode* results = nullptr;
  if (has_result) {
    results = b_.CreatePHI(wide(i.getType()), 2);
    results->addIncoming(Constant::getNullValue(results->getType()), before);  // see widen_load()
  }
  Value* lane = b_.CreateBinaryIntrinsic(Intrinsic::cttz, bits, b_.getTrue());
  Instruction* copy = i.clone();
  for (Use& operand : copy->operands())
    if (!isa<Constant, InlineAsm>(operand)) operand.set(lane_of(operand, lane));
  if (names_its_thread(i)) note_thread(lane);
  b_.Insert(copy);
  copy->setDebugLoc(i.getDebugLoc());
  Value* result = results;
  if (has_result && !i.getType()->isStructTy()) result = b_.CreateInsertElement(results, copy, lane);
  for (unsigned k = 0; has_result && i.getType()->isStructTy() && k < i.getType()->getStructNumElements(); ++k) {
    Value* member = b_.CreateInsertElement(b_.CreateExtractValue(results, k), b_.CreateExtractValue(copy, k), lane);
    result = b_.CreateInsertValue(result, member, k);
  }
  Value* rest = b_.CreateAnd(bits, b_.CreateSub(bits, ConstantInt::get(bits_type, 1)));
  bits->addIncoming(rest, each);
  if (has_result) results->addIncoming(result, each);
  b_.CreateCondBr(b_.CreateIsNull(rest), after, each);
  b_.SetInsertPoint(after);
  if (has_result) set(i, result);
}

}  // namespace lanza::compiler
