#include "compiler/passes/vector/scalars/version_starts.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/strided_loop.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostLoops = 4, kLargest = 120;  // instructions of a loop
constexpr uint64_t kMostThreads = 1 << 20;

struct Start {
  StridedLoop form;
  BinaryOperator* sum = nullptr;  ///< what the counter begins with
  Value* shared = nullptr;        ///< its part that all lanes have in common
  uint64_t most = 0;              ///< of the other one
  bool is_signed = false;
};

bool touches_memory(const Instruction& i) { return isa<LoadInst, StoreInst>(i); }

bool is_worth_it(const Loop& loop) {
  unsigned size = 0;
  bool any = false;
  for (const BasicBlock* block : loop.blocks()) {
    size += block->sizeWithoutDebug();
    any |= any_of(*block, touches_memory);
  }
  return any && size <= kLargest;
}

bool take_sum(Value* value, const Shapes& shapes, Start& found) {
  found.sum = dyn_cast<BinaryOperator>(value);
  if (!found.sum || found.sum->getOpcode() != Instruction::Add || !found.sum->getType()->isIntegerTy(32)) return false;
  if (found.is_signed ? found.sum->hasNoSignedWrap() : found.sum->hasNoUnsignedWrap()) return false;
  Value* own = found.sum->getOperand(1);
  found.shared = found.sum->getOperand(0);
  if (!shapes.is_uniform(found.shared)) std::swap(found.shared, own);
  if (!shapes.is_uniform(found.shared) || !shapes[own].is_strided() || !shapes.extends(own, found.is_signed))
    return false;
  const KnownBits bits = computeKnownBits(own, found.sum->getModule()->getDataLayout());
  found.most = bits.getMaxValue().getZExtValue();
  return found.most <= kMostThreads;
}

// Nobody else knows the sum: where both copies begin with one that came before them, simplification would join theirs
// with it, and what they know is lost.
bool is_own(const Start& start) {
  const Value* asks = start.form.enters->getCondition();
  return asks->hasOneUse() && all_of(start.sum->users(), [&](const User* user) {
           auto* phi = dyn_cast<PHINode>(user);
           return user == asks || (phi && phi->getParent() == start.form.header);
         });
}

// The counter by which a loop ends, that begins with such a sum.
bool match(Loop& loop, const Shapes& shapes, Start& found) {
  auto* repeats = loop.getLoopLatch() ? dyn_cast<BranchInst>(loop.getLoopLatch()->getTerminator()) : nullptr;
  auto* asks = repeats && repeats->isConditional() ? dyn_cast<ICmpInst>(repeats->getCondition()) : nullptr;
  if (!asks || asks->isEquality() || repeats->hasMetadata(kRestOfLoop) || !loop.getLoopPreheader()) return false;
  found.is_signed = asks->isSigned();
  for (PHINode& phi : loop.getHeader()->phis()) {
    auto* next = dyn_cast<OverflowingBinaryOperator>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
    if (!next || next->getOpcode() != Instruction::Add || !is_contained(asks->operands(), next)) continue;
    if (!(found.is_signed ? next->hasNoSignedWrap() : next->hasNoUnsignedWrap())) continue;
    if (shapes.extends(&phi, found.is_signed) || !is_worth_it(loop)) continue;
    return take_sum(phi.getIncomingValueForBlock(loop.getLoopPreheader()), shapes, found) &&
           match_strided_loop(loop, found.form) && is_own(found);
  }
  return false;
}

// Few groups come here.
void mark(const StridedLoop& form) {
  MDNode* none = MDNode::get(form.header->getContext(), {});
  form.repeats->setMetadata(kRestOfLoop, none);
  for (BasicBlock* block : form.loop->blocks())
    for (Instruction& i : *block)
      if (touches_memory(i)) i.setMetadata(kAtEdge, none);
}

void version(const Start& start) {
  const StridedLoop& form = start.form;
  mark(form);
  BasicBlock* asks = SplitBlock(form.guard, form.enters);
  if (auto* question = dyn_cast<ICmpInst>(form.enters->getCondition())) question->moveBefore(form.enters);
  start.sum->moveBefore(&asks->front());
  SmallVector<BasicBlock*, 8> blocks{asks, form.before, form.exit};
  append_range(blocks, form.loop->blocks());
  CopiedBlocks copied(blocks, ".steady");
  copied.join_exits();
  cast<Instruction>(copied.of(form.repeats))->setMetadata(kRestOfLoop, nullptr);
  for (BasicBlock* block : copied.blocks())
    for (Instruction& i : *block) i.setMetadata(kAtEdge, nullptr);

  auto* sum = cast<BinaryOperator>(copied.of(start.sum));
  start.is_signed ? sum->setHasNoSignedWrap() : sum->setHasNoUnsignedWrap();
  IRBuilder<> b(form.guard->getTerminator());
  const uint64_t room = (start.is_signed ? INT32_MAX : UINT32_MAX) - start.most;
  Value* fits = b.CreateICmp(start.is_signed ? ICmpInst::ICMP_SLE : ICmpInst::ICMP_ULE, start.shared, b.getInt32(room));
  b.CreateCondBr(fits, copied.of(asks), asks);
  form.guard->getTerminator()->eraseFromParent();
}

}  // namespace

bool version_starts(Function& kernel, const GroupShape& group) {
  bool changed = false;
  for (unsigned k = 0; group.lanes > 1 && k < kMostLoops; ++k) {
    DominatorTree dominators(kernel);
    LoopInfo loops(dominators);
    const Shapes shapes(kernel, group);
    Start found;
    if (none_of(loops.getLoopsInPreorder(), [&](Loop* loop) { return match(*loop, shapes, found); })) break;
    version(found);
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
