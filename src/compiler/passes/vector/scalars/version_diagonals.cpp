#include "compiler/passes/vector/scalars/version_diagonals.hpp"

#include <optional>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
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
constexpr unsigned kMostInstructions = 100;

struct Diagonal {
  Loop* loop = nullptr;
  BasicBlock *before = nullptr, *header = nullptr, *latch = nullptr, *exit = nullptr;
  ICmpInst* asks = nullptr;
  PHINode* counter = nullptr;
  Value* own = nullptr;         ///< what the counter is compared with
  const SCEV* turns = nullptr;  ///< behind the first
};

bool has_form(Loop& loop, Diagonal& found) {
  found = {&loop, loop.getLoopPreheader(), loop.getHeader(), loop.getLoopLatch(), loop.getExitBlock(), {}, {}, {}, {}};
  return loop.isInnermost() && found.before && found.latch && found.exit && loop.getExitingBlock() == found.latch &&
         found.exit->getSinglePredecessor() == found.latch;
}

// Rows of the lanes' own among what it reads; nothing that anybody could see.
bool only_reads_rows(const Diagonal& d, const TurnSteps& steps, const Shapes& shapes) {
  unsigned size = 0;
  bool rows = false;
  for (BasicBlock* block : d.loop->blocks())
    for (Instruction& i : *block) {
      auto* load = dyn_cast<LoadInst>(&i);
      if (++size > kMostInstructions || i.mayHaveSideEffects() || (load && !load->isSimple())) return false;
      if (i.hasMetadata(kAtEdge) || (isa<CallInst>(i) && !isa<IntrinsicInst>(i))) return false;
      rows |= steps.is_in_row(i, shapes);
    }
  return rows;
}

bool is_counter(PHINode& phi, const Loop& loop, ScalarEvolution& evolution) {
  auto* steps = phi.getType()->isIntegerTy() ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi)) : nullptr;
  return steps && steps->getLoop() == &loop && steps->isAffine() && steps->getStepRecurrence(evolution)->isOne();
}

bool find_question(Diagonal& d, const Shapes& shapes, ScalarEvolution& evolution) {
  for (BasicBlock* block : d.loop->blocks())
    for (Instruction& i : *block) {
      auto* asks = dyn_cast<ICmpInst>(&i);
      if (!asks || !asks->isEquality()) continue;
      for (unsigned k = 0; k < 2; ++k) {
        auto* counter = dyn_cast<PHINode>(asks->getOperand(k));
        Value* own = asks->getOperand(1 - k);
        if (!counter || counter->getParent() != d.header || !d.loop->isLoopInvariant(own) || shapes.is_uniform(own) ||
            !shapes.is_uniform(counter) || !is_counter(*counter, *d.loop, evolution))
          continue;
        d.asks = asks, d.counter = counter, d.own = own;
        return true;
      }
    }
  return false;
}

bool find(Loop& loop, const Shapes& shapes, ScalarEvolution& evolution, Diagonal& found) {
  if (!has_form(loop, found) || shapes.runs_some_lanes(found.header) || shapes.is_left_apart(found.header))
    return false;
  found.turns = evolution.getBackedgeTakenCount(&loop);
  const unsigned known = evolution.getSmallConstantMaxTripCount(&loop);
  return can_count(found.turns, *found.before, evolution) && (known == 0 || known >= 2 * kPiece) &&
         only_reads_rows(found, TurnSteps(loop, evolution), shapes) && find_question(found, shapes, evolution);
}

// What counts the turns of a piece; i1: this one is the last.
Value* count_turns(BasicBlock& header, BasicBlock& latch, BasicBlock& before) {
  IRBuilder<> b(&header, header.begin());
  PHINode* turn = b.CreatePHI(b.getInt32Ty(), 2, "turn");
  b.SetInsertPoint(latch.getTerminator());
  turn->addIncoming(b.getInt32(0), &before);
  turn->addIncoming(b.CreateNUWAdd(turn, b.getInt32(1)), &latch);
  return b.CreateICmpEQ(turn, b.getInt32(kPiece - 1));
}

// piece: 16 left, and for no lane its own? apart, else the loop; each of them ends at the exit, or at the next piece.
void version(const Diagonal& d, ScalarEvolution& evolution) {
  Function* kernel = d.header->getParent();
  LLVMContext& context = kernel->getContext();
  SCEVExpander expander(evolution, d.before->getDataLayout(), "turns");
  Value* turns = expander.expandCodeFor(d.turns, d.turns->getType(), d.before->getTerminator());
  CopiedBlocks copied(d.loop->getBlocks(), ".apart");
  copied.replace(d.asks, ConstantInt::getBool(context, d.asks->getPredicate() == ICmpInst::ICMP_NE));
  BasicBlock* piece = BasicBlock::Create(context, "piece", kernel, d.header);
  BasicBlock* apart_end = BasicBlock::Create(context, "apart.end", kernel, d.exit);
  BasicBlock* end = BasicBlock::Create(context, "piece.end", kernel, d.exit);
  BasicBlock *apart = copied.of(d.header), *apart_latch = copied.of(d.latch);

  IRBuilder<> b(piece);
  auto number = [&](unsigned n) { return ConstantInt::get(turns->getType(), n); };
  PHINode* left = b.CreatePHI(turns->getType(), 3, "left");
  left->addIncoming(turns, d.before);
  DenseMap<PHINode*, PHINode*> begins;
  for (PHINode& phi : d.header->phis()) {
    PHINode* begin = b.CreatePHI(phi.getType(), 3);
    Value* next = phi.getIncomingValueForBlock(d.latch);
    begin->addIncoming(phi.getIncomingValueForBlock(d.before), d.before);
    begin->addIncoming(copied.of(next), apart_end);
    begin->addIncoming(next, end);
    begins[&phi] = begin;
  }
  for (auto [phi, begin] : begins)
    for (PHINode* of_loop : {phi, cast<PHINode>(copied.of(phi))}) {
      of_loop->setIncomingValueForBlock(d.before, begin);
      of_loop->replaceIncomingBlockWith(d.before, piece);
    }
  Value* following = b.CreateSub(left, number(kPiece));
  left->addIncoming(following, apart_end);
  left->addIncoming(following, end);
  Value* ahead = b.CreateSub(d.own, begins[d.counter]);
  Value* others = emit_collective(b, kAll, b.CreateICmpUGE(ahead, ConstantInt::get(ahead->getType(), kPiece)));
  b.CreateCondBr(b.CreateAnd(b.CreateICmpUGE(left, number(kPiece - 1)), others), apart, d.header);
  d.before->getTerminator()->setSuccessor(0, piece);

  auto* repeats = cast<BranchInst>(d.latch->getTerminator());
  Value* last = count_turns(*d.header, *d.latch, *piece);
  Value* last_apart = count_turns(*apart, *apart_latch, *piece);
  b.SetInsertPoint(repeats);
  Value* done = repeats->getSuccessor(0) == d.exit ? repeats->getCondition() : b.CreateNot(repeats->getCondition());
  b.CreateCondBr(b.CreateOr(done, last), end, d.header);
  repeats->eraseFromParent();
  b.SetInsertPoint(apart_latch->getTerminator());
  b.CreateCondBr(last_apart, apart_end, apart);
  apart_latch->getTerminator()->eraseFromParent();
  b.SetInsertPoint(end);
  b.CreateCondBr(done, d.exit, piece);
  b.SetInsertPoint(apart_end);
  b.CreateCondBr(b.CreateICmpEQ(left, number(kPiece - 1)), d.exit, piece);
  for (PHINode& phi : d.exit->phis()) {
    Value* value = phi.getIncomingValueForBlock(d.latch);
    phi.replaceIncomingBlockWith(d.latch, end);
    phi.addIncoming(copied.of(value), apart_end);
  }
}

}  // namespace

bool version_diagonals(Function& kernel, const GroupShape& group, PassRunner& runner) {
  std::optional<Shapes> shapes;  // of the code as it is
  return version_loops(kernel, runner, [&](Loop& loop, FunctionAnalysisManager& analyses) {
    auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(kernel);
    Diagonal found;
    if (!shapes) shapes.emplace(kernel, group);
    if (!find(loop, *shapes, evolution, found)) return false;
    shapes.reset();
    version(found, evolution);
    runner.clear();
    runner.run(kernel, "loop-simplify,lcssa");
    return true;
  });
}

}  // namespace lanza::compiler
