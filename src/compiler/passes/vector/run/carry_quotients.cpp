#include "compiler/passes/vector/run/carry_quotients.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

class Carried {
 public:
  explicit Carried(Division& division)
      : d_(division),
        index_(division.operations.front()->getOperand(0)),  // what was carried before stands for what was divided
        divisor_(division.divisor),
        type_(index_->getType()) {}

  /// The quotient.
  Value* emit(BasicBlock& before_loop, SmallVectorImpl<AllocaInst*>& variables) {
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
    return is;
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

/// Divisions wherever they are, in the order of the code.
class Carriers {
 public:
  Carriers(Function& run, ScalarEvolution& evolution, const LoopInfo& loops) : run_(run), dominators_(run) {
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&run))
      for (Instruction& i : *block) take(i, evolution, loops);
  }

  bool run() {
    if (found_.empty()) return false;
    SmallVector<AllocaInst*, 8> variables;
    for (auto& [division, before] : found_) Carried(division).emit(*before, variables);
    DominatorTree dominators(run_);
    PromoteMemToReg(variables, dominators);
    return true;
  }

 private:
  void take(Instruction& i, ScalarEvolution& evolution, const LoopInfo& loops) {
    auto* division = dyn_cast<BinaryOperator>(&i);
    if (!division || !division->isIntDivRem() || !i.getType()->isIntegerTy()) return;
    Value *index = i.getOperand(0), *divisor = i.getOperand(1);
    const bool is_signed = i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
    for (auto& [known, before] : found_)
      if (known.index == index && known.divisor == divisor && known.is_signed == is_signed &&
          dominators_.dominates(known.operations.front(), &i)) {
        known.operations.push_back(division);
        return;
      }
    BasicBlock* before = before_loop(*division, evolution, loops);
    if (before && found_.size() < kMost) found_.push_back({{index, divisor, is_signed, {division}}, before});
  }

  // Of the outermost loop that divides by the same; null: the index jumps.
  BasicBlock* before_loop(BinaryOperator& i, ScalarEvolution& evolution, const LoopInfo& loops) const {
    Loop* loop = loops.getLoopFor(i.getParent());
    if (!loop || isa<Constant>(i.getOperand(1)) || !goes_slowly(i.getOperand(0), *loop, evolution)) return nullptr;
    BasicBlock* before = nullptr;
    for (; loop && loop->isLoopInvariant(i.getOperand(1)) && loop->getLoopPreheader(); loop = loop->getParentLoop())
      before = loop->getLoopPreheader();
    return before;
  }

  bool goes_slowly(Value* index, const Loop& loop, ScalarEvolution& evolution, unsigned depth = 0) const {
    auto* i = dyn_cast<Instruction>(index);
    if (!i || loop.isLoopInvariant(i) || depth > kMostDepth) return false;
    auto is_slow = [&](Value* v) { return goes_slowly(v, loop, evolution, depth + 1); };
    auto* operation = dyn_cast<BinaryOperator>(i);
    if (operation && operation->isIntDivRem())
      return !is_remainder(*operation) &&
             any_of(found_, [&](const auto& entry) { return is_contained(entry.first.operations, operation); });
    if (isa<SExtInst, ZExtInst, TruncInst>(i)) return is_slow(i->getOperand(0));
    if (auto* phi = dyn_cast<PHINode>(i); phi && is_end_of_row(*phi, loop)) return true;
    if (operation && (operation->getOpcode() == Instruction::Add || operation->getOpcode() == Instruction::Sub))
      return all_of(i->operands(), [&](Value* v) { return loop.isLoopInvariant(v) || is_slow(v); });
    auto* sum = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(i));
    return sum && sum->getLoop() == &loop && isa<SCEVConstant>(sum->getStepRecurrence(evolution));
  }

  // Of a walk (version_quotients): each turn begins where the one before ended, at the next row.
  static bool is_end_of_row(PHINode& phi, const Loop& loop) {
    if (phi.getParent() != loop.getHeader() || !loop.getLoopLatch()) return false;
    Value *end = phi.getIncomingValueForBlock(loop.getLoopLatch()), *sum;
    if (!match(end, m_UMin(m_Value(end), m_ConstantInt()))) return false;  // the group's lanes
    while (match(end, m_UMin(m_Value(), m_Value(sum)))) end = sum;
    return match(end, m_c_Add(m_Specific(&phi), m_Value()));
  }

  static constexpr unsigned kMostDepth = 6;
  static constexpr unsigned kMost = 12;

  Function& run_;
  const DominatorTree dominators_;
  SmallVector<std::pair<Division, BasicBlock*>, 8> found_;
};

}  // namespace

bool carry_quotients(Function& run, FunctionAnalysisManager& analyses) {
  const bool divides = any_of(instructions(run), [](Instruction& i) {
    return i.isIntDivRem() && i.getType()->isIntegerTy() && !isa<Constant>(i.getOperand(1));
  });
  if (!divides) return false;  // most kernels: no analysis for them
  return Carriers(run, analyses.getResult<ScalarEvolutionAnalysis>(run), analyses.getResult<LoopAnalysis>(run)).run();
}

void carry_quotients(RowLoop& loop) {
  SmallVector<AllocaInst*, 8> variables;
  for (Division& division : loop.divisions) Carried(division).emit(*loop.before, variables);
  DominatorTree dominators(*loop.before->getParent());
  PromoteMemToReg(variables, dominators);
}

}  // namespace lanza::compiler
