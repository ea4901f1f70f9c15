#include "compiler/passes/vector/scalars/split_row_loops.hpp"

#include <optional>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/passes/vector/analysis/turn_steps.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/scalars/copied_blocks.hpp"
#include "compiler/passes/vector/scalars/loop_copy.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kPiece = 16;  // turns: as many as unroll_row_loops() does at once
constexpr unsigned kMostInstructions = 60;

struct RowLoop {
  BasicBlock *before = nullptr, *body = nullptr;
  BasicBlock* ahead = nullptr;  ///< where all lanes still are: in front of the loop, or of its guard
  Value* enters = nullptr;      ///< the guard's condition; null: none
  bool truth = true;            ///< with which lanes enter
  const SCEV* turns = nullptr;  ///< of a lane, behind its first one
};

// Rows element by element; nothing that anybody could see.
bool only_reads_rows(BasicBlock& body, const TurnSteps& steps, const Shapes& shapes) {
  bool rows = false;
  for (Instruction& i : body) {
    auto* load = dyn_cast<LoadInst>(&i);
    if (i.mayHaveSideEffects() || (load && !load->isSimple()) || i.hasMetadata(kAtEdge)) return false;
    if (isa<CallInst>(i) && !isa<IntrinsicInst>(i)) return false;
    rows |= steps.is_in_row(i, shapes);
  }
  return rows;
}

bool can_come_first(const Instruction& i) {
  return i.isTerminator() || (!isa<PHINode>(i) && !i.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&i));
}

bool take_guard(const Shapes& shapes, RowLoop& found) {
  found.ahead = found.before;
  if (!shapes.runs_some_lanes(found.before)) return true;
  found.ahead = found.before->getSinglePredecessor();
  auto* branch = found.ahead ? dyn_cast<BranchInst>(found.ahead->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional() || shapes.runs_some_lanes(found.ahead)) return false;
  if (branch->getSuccessor(0) == branch->getSuccessor(1) || !all_of(*found.before, can_come_first)) return false;
  found.enters = branch->getCondition();
  found.truth = branch->getSuccessor(0) == found.before;
  return true;
}

bool find(Loop& loop, const Shapes& shapes, ScalarEvolution& evolution, RowLoop& found) {
  if (!LoopCopy::can(loop, kMostInstructions) || !shapes.is_left_apart(loop.getHeader())) return false;
  found = {loop.getLoopPreheader(), loop.getHeader(), nullptr, nullptr, true, evolution.getBackedgeTakenCount(&loop)};
  return can_count(found.turns, *found.before, evolution) &&
         only_reads_rows(*found.body, TurnSteps(loop, evolution), shapes) && take_guard(shapes, found);
}

// ahead: have all lanes more than a piece? piece, else as before
// piece, body.together (16 turns), end: have all still? piece, else the loop
void split(const RowLoop& l, ScalarEvolution& evolution) {
  Function* kernel = l.body->getParent();
  LLVMContext& context = kernel->getContext();
  Instruction* at = l.ahead->getTerminator();
  if (l.before != l.ahead)
    for (Instruction& i : make_early_inc_range(*l.before))
      if (!i.isTerminator()) i.moveBefore(at);
  SCEVExpander expander(evolution, at->getDataLayout(), "turns");
  Value* turns = expander.expandCodeFor(l.turns, l.turns->getType(), at);
  CopiedBlocks copied({l.body}, ".together");
  BasicBlock* together = copied.of(l.body);
  BasicBlock* piece = BasicBlock::Create(context, "piece", kernel, l.body);
  BasicBlock* end = BasicBlock::Create(context, "piece.end", kernel, l.body);
  BasicBlock* rest = BasicBlock::Create(context, "rest", kernel, l.body);

  IRBuilder<> b(at);
  auto number = [&](unsigned n) { return ConstantInt::get(turns->getType(), n); };
  auto all_have_more = [&](Value* left, Value* enter) {
    Value* more = b.CreateICmpUGE(left, number(kPiece));
    return emit_collective(b, kAll, enter ? b.CreateLogicalAnd(enter, more) : more);
  };
  Value* enter = l.enters && !l.truth ? b.CreateNot(l.enters) : l.enters;
  Value* begins = all_have_more(turns, enter);
  BasicBlock* as_before = SplitBlock(l.ahead, at);
  BasicBlock* before = l.before == l.ahead ? as_before : l.before;
  l.ahead->getTerminator()->eraseFromParent();
  b.SetInsertPoint(l.ahead);
  b.CreateCondBr(begins, piece, as_before);

  b.SetInsertPoint(piece);
  PHINode* left = b.CreatePHI(turns->getType(), 2, "left");
  SmallVector<std::pair<PHINode*, PHINode*>, 8> starts;
  for (PHINode& phi : l.body->phis()) {
    PHINode* start = b.CreatePHI(phi.getType(), 2);
    Value* next = copied.of(phi.getIncomingValueForBlock(l.body));
    start->addIncoming(phi.getIncomingValueForBlock(before), l.ahead);
    start->addIncoming(next, end);
    starts.push_back({&phi, start});
  }
  b.CreateBr(together);
  for (auto [phi, start] : starts) {
    auto* of_copy = cast<PHINode>(copied.of(phi));
    const int index = of_copy->getBasicBlockIndex(together) == 0 ? 1 : 0;
    of_copy->setIncomingValue(index, start);
    of_copy->setIncomingBlock(index, piece);
    phi->addIncoming(of_copy->getIncomingValueForBlock(together), rest);
  }
  IRBuilder<> counts(together, together->begin());
  PHINode* turn = counts.CreatePHI(b.getInt32Ty(), 2, "turn");
  b.SetInsertPoint(together->getTerminator());
  turn->addIncoming(b.getInt32(0), piece);
  turn->addIncoming(b.CreateNUWAdd(turn, b.getInt32(1)), together);
  b.CreateCondBr(b.CreateICmpEQ(turn, b.getInt32(kPiece - 1)), end, together);
  together->getTerminator()->eraseFromParent();

  b.SetInsertPoint(end);
  Value* less = b.CreateSub(left, number(kPiece));
  left->addIncoming(turns, l.ahead);
  left->addIncoming(less, end);
  b.CreateCondBr(all_have_more(less, nullptr), piece, rest);
  b.SetInsertPoint(rest);
  b.CreateBr(l.body);
}

}  // namespace

bool split_row_loops(Function& kernel, const GroupShape& group, PassRunner& runner) {
  std::optional<Shapes> shapes;  // of the code as it is
  return version_loops(kernel, runner, [&](Loop& loop, FunctionAnalysisManager& analyses) {
    if (loop.getNumBlocks() != 1) return false;
    auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(kernel);
    RowLoop found;
    if (!shapes) shapes.emplace(kernel, group);
    if (!find(loop, *shapes, evolution, found)) return false;
    shapes.reset();
    split(found, evolution);
    runner.clear();
    runner.run(kernel, "loop-simplify,lcssa");
    return true;
  });
}

}  // namespace lanza::compiler
