#include "compiler/passes/vector/scalars/split_strided_loops.hpp"

#include <llvm/IR/Module.h>

#include "compiler/passes/vector/analysis/lane_tables.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/scalars/strided_loop.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kMostLoops = 8;

// An index that goes with the lanes, or by rows of lanes (`threadIdx.x / 16`), against a value that they share.
static bool compares_index(const Value* condition, const Shapes& shapes, const DataLayout& layout) {
  auto* compare = dyn_cast<ICmpInst>(condition);
  if (!compare || shapes.is_uniform(compare)) return false;
  const Value *a = compare->getOperand(0), *b = compare->getOperand(1);
  if (!shapes.is_uniform(b)) std::swap(a, b);
  return shapes.is_uniform(b) && (shapes[a].is_strided() || LaneTables(shapes, layout).of(a));
}

static bool strides(const Loop& loop, const Shapes& shapes) {
  auto* repeats = loop.getLoopLatch() ? dyn_cast<BranchInst>(loop.getLoopLatch()->getTerminator()) : nullptr;
  return repeats && repeats->isConditional() && !repeats->hasMetadata(kRestOfLoop) &&
         compares_index(repeats->getCondition(), shapes, loop.getHeader()->getModule()->getDataLayout());
}

// Where it is known that each thread has a turn at least (`for (j = 0; j <= i; ++j)`) nobody has asked.
static bool match_unguarded(Loop& loop, const Shapes& shapes, const DominatorTree& dominators, const LoopInfo& loops,
                            StridedLoop& found) {
  StridedLoop guarded;
  if (match_guarded_loop(loop, guarded) || !has_one_way_out(loop) || shapes.runs_some_lanes(loop.getLoopPreheader()))
    return false;
  found = take_unguarded(loop, dominators, loops);
  return true;
}

static bool match(Loop& loop, const Shapes& shapes, const DominatorTree& dominators, const LoopInfo& loops,
                  StridedLoop& found) {
  if (!strides(loop, shapes)) return false;
  BasicBlock* before = loop.getLoopPreheader();
  BasicBlock* guard = before ? before->getSinglePredecessor() : nullptr;
  auto match_guarded = [&] {
    return match_strided_loop(loop, found) || (match_guarded_loop(loop, found) && reads_before(found));
  };
  return (guard && !shapes.runs_some_lanes(guard) && match_guarded()) ||
         match_unguarded(loop, shapes, dominators, loops, found);
}

// What the copy branches on wraps in no lane.
static void mark_counter(const StridedLoop& l, const CopiedBlocks& copied) {
  auto* compare = cast<ICmpInst>(l.repeats->getCondition());
  for (PHINode& phi : l.header->phis()) {
    auto* next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(l.latch));
    if (next && next->getOpcode() == Instruction::Add && is_contained(compare->operands(), next))
      cast<Instruction>(copied.of(next))->setMetadata(kInAllLanes, MDNode::get(next->getContext(), {}));
  }
}

// The loop's own branches asked it here, too, so it is no poison. Said to LLVM, else the flags of what it is made of
// (`j = i + 1` in front of the loop) would go where addresses are expanded that are made of the same.
static Value* all_have_more(IRBuilder<>& b, Value* more, bool /*in_copy*/) {
  CallInst* all = emit_collective(b, kAll, more);
  all->addParamAttr(0, Attribute::NoUndef);
  return all;
}

bool split_strided_loops(Function& kernel, const GroupShape& group) {
  SmallPtrSet<BasicBlock*, 8> done;  // headers
  while (done.size() < kMostLoops) {
    DominatorTree dominators(kernel);
    LoopInfo loops(dominators);
    if (loops.empty()) break;
    const Shapes shapes(kernel, group);
    StridedLoop found;
    auto candidates = loops.getLoopsInPreorder();
    auto* next = find_if(candidates, [&](Loop* loop) {
      return !done.contains(loop->getHeader()) && match(*loop, shapes, dominators, loops, found);
    });
    if (next == candidates.end()) break;
    done.insert(found.header);
    SmallVector<BasicBlock*, 8> blocks(found.loop->getBlocks());
    if (found.before->size() > 1) blocks.push_back(found.before);
    const CopiedBlocks copied(blocks, ".full");
    mark_counter(found, copied);
    enter_copy(found, copied, all_have_more);
  }
  return !done.empty();
}

}  // namespace lanza::compiler
