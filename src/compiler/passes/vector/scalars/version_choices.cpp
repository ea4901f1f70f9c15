#include "compiler/passes/vector/scalars/version_choices.hpp"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/strided_loop.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostLoops = 4, kLargest = 200;  // instructions of a loop

struct Choice {
  StridedLoop form;
  SelectInst* number = nullptr;
  bool is_common_if = false;  ///< the answer for which it is the same for all lanes

  Value* arm(bool common) const { return common == is_common_if ? number->getTrueValue() : number->getFalseValue(); }
};

bool is_worth_it(const Loop& loop) {
  unsigned size = 0;
  bool loads = false;
  for (const BasicBlock* block : loop.blocks()) {
    size += block->sizeWithoutDebug();
    loads |= any_of(*block, [](const Instruction& i) { return isa<LoadInst>(i); });
  }
  return loads && size <= kLargest;
}

bool chooses(Value* v, const Shapes& shapes, Choice& found) {
  auto* number = dyn_cast<SelectInst>(v);
  if (!number || !number->getType()->isIntegerTy() || !shapes.is_uniform(number->getCondition())) return false;
  const bool first = shapes.is_uniform(number->getTrueValue());
  if (first == shapes.is_uniform(number->getFalseValue())) return false;
  found.number = number;
  found.is_common_if = first;
  return true;
}

bool match(Loop& loop, const Shapes& shapes, Choice& found) {
  BasicBlock *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader();
  auto* repeats = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
  auto* asks = repeats && repeats->isConditional() ? dyn_cast<ICmpInst>(repeats->getCondition()) : nullptr;
  if (!asks || !before || !is_worth_it(loop)) return false;
  const bool begins = any_of(loop.getHeader()->phis(), [&](PHINode& phi) {
    return is_contained(asks->operands(), phi.getIncomingValueForBlock(latch)) &&
           chooses(phi.getIncomingValueForBlock(before), shapes, found);
  });
  const bool ends = !begins && any_of(asks->operands(), [&](Value* limit) { return chooses(limit, shapes, found); });
  return (begins || ends) && match_guarded_loop(loop, found.form);
}

void version(const Choice& choice) {
  const StridedLoop& form = choice.form;
  BasicBlock* asks = SplitBlock(form.guard, form.enters);
  auto* question = dyn_cast<ICmpInst>(form.enters->getCondition());
  if (question && question->hasOneUse()) question->moveBefore(form.enters);
  SmallVector<BasicBlock*, 8> blocks{asks, form.before, form.exit};
  append_range(blocks, form.loop->blocks());
  CopiedBlocks copied(blocks, ".together");
  copied.replace(choice.number, choice.arm(true));
  copied.join_exits();
  for (BasicBlock* block : blocks)
    for (Instruction& i : *block) i.replaceUsesOfWith(choice.number, choice.arm(false));
  Instruction* end = form.guard->getTerminator();
  BasicBlock* together = copied.of(asks);
  IRBuilder<> b(end);
  b.CreateCondBr(choice.number->getCondition(), choice.is_common_if ? together : asks,
                 choice.is_common_if ? asks : together);
  end->eraseFromParent();
}

// Before analyses are made for it.
bool may_choose(const Function& kernel) {
  return any_of(kernel, [](const BasicBlock& block) {
    return any_of(block, [](const Instruction& i) {
      return isa<SelectInst>(i) && i.getType()->isIntegerTy() && !i.getType()->isIntegerTy(1);
    });
  });
}

}  // namespace

bool version_choices(Function& kernel, const GroupShape& group) {
  bool changed = false;
  for (unsigned k = 0; group.lanes > 1 && k < kMostLoops && may_choose(kernel); ++k) {
    DominatorTree dominators(kernel);
    LoopInfo loops(dominators);
    if (loops.empty()) break;
    const Shapes shapes(kernel, group);
    Choice found;
    if (none_of(loops.getLoopsInPreorder(), [&](Loop* loop) { return match(*loop, shapes, found); })) break;
    version(found);
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
