#include "compiler/passes/vector/carry_quotients.hpp"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

class Carried {
 public:
  explicit Carried(Division& division)
      : d_(division),
        index_(division.operations.front()->getOperand(0)),  // what was carried before stands for what was divided
        divisor_(division.divisor),
        type_(index_->getType()) {}

  void emit(BasicBlock& before_loop, SmallVectorImpl<AllocaInst*>& variables) {
    BinaryOperator* first = d_.operations.front();
    BasicBlock& entry = first->getFunction()->getEntryBlock();
    IRBuilder<> b(&before_loop, before_loop.getTerminator()->getIterator());
    auto variable = [&](const char* name) {
      variables.push_back(new AllocaInst(type_, 0, name, entry.begin()));
      b.CreateStore(ConstantInt::get(type_, 0), variables.back());
      return variables.back();
    };
    AllocaInst *kept_quotient = variable("quotient"), *kept_start = variable("row");
    BasicBlock* asks = first->getParent();
    BasicBlock* known = SplitBlock(asks, first);
    auto add = [&](const char* name) { return BasicBlock::Create(b.getContext(), name, asks->getParent(), known); };
    BasicBlock *follows = add("follows"), *divides = add("divides");
    asks->getTerminator()->eraseFromParent();

    b.SetInsertPoint(asks);
    b.SetCurrentDebugLocation(first->getDebugLoc());
    Value *quotient = b.CreateLoad(type_, kept_quotient), *start = b.CreateLoad(type_, kept_start);
    Value* rest = b.CreateSub(index_, start);
    b.CreateCondBr(b.CreateAnd(in_row(b, rest), is_sound(b, start)), known, follows);

    b.SetInsertPoint(follows);
    Value *following = b.CreateAdd(quotient, one()), *following_start = b.CreateAdd(start, divisor_);
    Value* following_rest = b.CreateSub(rest, divisor_);
    Value* follows_on = b.CreateAnd(in_row(b, following_rest), is_sound(b, start));
    if (d_.is_signed) follows_on = b.CreateAnd(follows_on, b.CreateICmpSGE(index_, start));
    b.CreateCondBr(follows_on, known, divides);

    b.SetInsertPoint(divides);
    Value* divided = d_.is_signed ? b.CreateSDiv(index_, divisor_) : b.CreateUDiv(index_, divisor_);
    Value* divided_start = b.CreateMul(divided, divisor_);
    Value* divided_rest = b.CreateSub(index_, divided_start);
    b.CreateBr(known);

    b.SetInsertPoint(known, known->begin());
    auto join = [&](Value* same, Value* next, Value* other) {
      PHINode* phi = b.CreatePHI(type_, 3);
      phi->addIncoming(same, asks);
      phi->addIncoming(next, follows);
      phi->addIncoming(other, divides);
      return phi;
    };
    Value *is = join(quotient, following, divided), *row = join(start, following_start, divided_start);
    Value* remains = join(rest, following_rest, divided_rest);
    b.CreateStore(is, kept_quotient);
    b.CreateStore(row, kept_start);
    for (BinaryOperator* operation : d_.operations) {
      operation->replaceAllUsesWith(is_remainder(*operation) ? remains : is);
      operation->eraseFromParent();
    }
  }

 private:
  Constant* one() const { return ConstantInt::get(type_, 1); }
  Value* in_row(IRBuilder<>& b, Value* rest) const { return b.CreateICmpULT(rest, divisor_); }
  // Whether a rest that looks as if it lay in the row does.
  Value* is_sound(IRBuilder<>& b, Value* start) const {
    return d_.is_signed ? quotient_is_floor(b, index_, divisor_) : b.CreateICmpUGE(index_, start);
  }

  Division& d_;
  Value *const index_, *const divisor_;
  Type* const type_;
};

}  // namespace

void carry_quotients(RowLoop& loop) {
  SmallVector<AllocaInst*, 8> variables;
  for (Division& division : loop.divisions) Carried(division).emit(*loop.before, variables);
  DominatorTree dominators(*loop.before->getParent());
  PromoteMemToReg(variables, dominators);
}

}  // namespace lanza::compiler
