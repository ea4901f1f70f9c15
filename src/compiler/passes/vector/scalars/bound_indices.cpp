#include "compiler/passes/vector/scalars/bound_indices.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

#include "compiler/passes/vector/scalars/launch_ranges.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostRequired = 48;  // conditions: a launch takes less than a microsecond in all

class BoundIndices {
 public:
  BoundIndices(Function& kernel, const LoopInfo& loops, const DominatorTree& dominators, ScalarEvolution& evolution)
      : kernel_(kernel), loops_(loops), test_(kernel), ranges_(loops, dominators, evolution, test_) {}

  std::unique_ptr<Module> run() {
    for (Instruction& i : instructions(kernel_))
      if (auto* address = dyn_cast<GetElementPtrInst>(&i))
        for (Value* index : address->indices()) visit(index);
    for (const Loop* loop : loops_.getLoopsInPreorder()) bound_counters(*loop);
    for (Instruction& i : instructions(kernel_))
      if (auto* question = dyn_cast<ICmpInst>(&i); question && question->isUnsigned()) sign(*question);
    return test_.take();
  }

 private:
  // The extensions that an index of 64 bits is made of.
  void visit(Value* index) {
    auto* i = dyn_cast<Instruction>(index);
    if (!i || !visited_.insert(i).second) return;
    if (isa<ZExtInst>(i)) return bound(*i);
    if (isa<SExtInst>(i)) return bound(*i->getOperand(0));
    if (!isa<BinaryOperator, PHINode, SelectInst, FreezeInst>(i)) return;
    switch (i->getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Mul:
      case Instruction::Shl:
      case Instruction::Or:
      case Instruction::PHI:
      case Instruction::Select:
      case Instruction::Freeze:
        for (Value* operand : i->operands()) visit(operand);
        break;
      default:
        break;
    }
  }

  void bound_counters(const Loop& loop) {
    if (!loop.getLoopLatch()) return;
    for (PHINode& phi : loop.getHeader()->phis())
      if (phi.getType()->isIntegerTy(32) || phi.getType()->isIntegerTy(64))
        if (ranges_.of(phi).range) bound(*phi.getIncomingValueForBlock(loop.getLoopLatch()));
  }

  // A guard, or a question at a loop's end, of numbers that are not negative is one of signed numbers: passes that copy
  // guarded code ask no more then whether the limit is beyond 2^31.
  void sign(ICmpInst& question) {
    if (any_of(question.operands(), [](const Use& operand) { return isa<Constant>(operand); })) return;
    const auto left = ranges_.of_natural(*question.getOperand(0)), right = ranges_.of_natural(*question.getOperand(1));
    if (!left.range || !right.range || test_.required() >= kMostRequired) return;
    question.setPredicate(question.getSignedPredicate());
    for (const KnownRange& known : {left, right}) {
      for (Value* condition : known.needs) test_.require(condition);
      for (Value* part : known.parts) require(*part);
    }
  }

  // Marks what leads to the value, if anything is gained by it.
  void bound(Value& value) {
    if (!ranges_.of(value).range || test_.required() >= kMostRequired) return;
    if (any_of(parts_of(value), [&](Value* v) { return ranges_.of(*v).is_arithmetic && gains(*v); })) require(value);
  }

  void require(Value& value) {
    for (Value* v : parts_of(value)) {
      const KnownRange& known = ranges_.of(*v);
      if (known.is_arithmetic) mark(*v, known.is_unsigned);
      for (Value* condition : known.needs) test_.require(condition);
    }
  }

  SmallSetVector<Value*, 16> parts_of(Value& value) {
    SmallSetVector<Value*, 16> all;
    all.insert(&value);
    for (unsigned k = 0; k < all.size(); ++k)
      for (Value* part : ranges_.of(*all[k]).parts) all.insert(part);
    return all;
  }

  static bool gains(const Value& v) {
    if (auto* extension = dyn_cast<ZExtInst>(&v)) return !extension->hasNonNeg();
    auto* i = dyn_cast<OverflowingBinaryOperator>(&v);
    return i && !i->hasNoSignedWrap();
  }

  static void mark(Value& v, bool is_unsigned) {
    if (auto* extension = dyn_cast<ZExtInst>(&v)) return extension->setNonNeg();
    auto* i = dyn_cast<BinaryOperator>(&v);
    if (!i || !isa<OverflowingBinaryOperator>(i)) return;
    i->setHasNoSignedWrap();
    if (is_unsigned) i->setHasNoUnsignedWrap();
  }

  Function& kernel_;
  const LoopInfo& loops_;
  LaunchTest test_;
  LaunchRanges ranges_;
  SmallPtrSet<Instruction*, 32> visited_;
};

}  // namespace

std::unique_ptr<Module> bound_indices(Function& kernel, FunctionAnalysisManager& analyses) {
  return BoundIndices(kernel, analyses.getResult<LoopAnalysis>(kernel),
                      analyses.getResult<DominatorTreeAnalysis>(kernel),
                      analyses.getResult<ScalarEvolutionAnalysis>(kernel))
      .run();
}

}  // namespace lanza::compiler
