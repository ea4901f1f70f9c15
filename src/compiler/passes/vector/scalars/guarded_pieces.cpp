#include "compiler/passes/vector/scalars/guarded_pieces.hpp"

#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

static bool may_be_copied(BasicBlock& block) {
  return none_of(block, [](Instruction& i) {
    auto* call = dyn_cast<CallBase>(&i);
    return as_sync(i) || isa<AllocaInst>(i) || (call && call->cannotDuplicate());
  });
}

static bool touches_memory(const BasicBlock& block) {
  return any_of(block, [](const Instruction& i) { return i.mayReadOrWriteMemory(); });
}

bool collect_piece(GuardedPiece& piece, const DominatorTree& dominators, unsigned most) {
  SmallVector<BasicBlock*, 16> work{piece.head};
  while (!work.empty()) {
    BasicBlock* block = work.pop_back_val();
    if (!dominators.dominates(piece.head, block) || !piece.blocks.insert(block)) continue;
    if (!may_be_copied(*block)) return false;
    piece.has_memory |= touches_memory(*block);
    piece.size += block->sizeWithoutDebug();
    append_range(work, successors(block));
  }
  return piece.size <= most;
}

bool outweighs(BasicBlock& way, BasicBlock& other, const LoopInfo& loops, const DominatorTree& dominators) {
  auto has_loops = [&](BasicBlock& head) {
    SmallVector<BasicBlock*, 16> blocks;
    dominators.getDescendants(&head, blocks);
    return any_of(blocks, [&](BasicBlock* block) { return loops.isLoopHeader(block); });
  };
  return has_loops(way) && !has_loops(other);
}

static BasicBlock* behind(const GuardedPiece& piece) { return piece.guard->getSuccessor(piece.when ? 1 : 0); }

size_t length_of_row(ArrayRef<GuardedPiece> pieces) {
  size_t length = 1;
  while (length < pieces.size() && behind(pieces[length - 1]) == pieces[length].guard->getParent()) ++length;
  return length;
}

static bool is_used_behind(BasicBlock& block, const GuardedPiece& piece) {
  return any_of(block, [&](Instruction& i) {
    return any_of(i.uses(), [&](Use& use) {
      auto* user = cast<Instruction>(use.getUser());
      auto* phi = dyn_cast<PHINode>(user);
      return !piece.blocks.contains(phi ? phi->getIncomingBlock(use) : user->getParent());
    });
  });
}

bool collect_row(GuardedPiece& all, ArrayRef<GuardedPiece> row) {
  for (const GuardedPiece& piece : row) {
    all.blocks.insert(piece.guard->getParent());
    all.blocks.insert(piece.blocks.begin(), piece.blocks.end());
  }
  for (BasicBlock* block : all.blocks) {
    all.size += block->sizeWithoutDebug();
    all.has_memory |= touches_memory(*block);
    if (!may_be_copied(*block) || is_used_behind(*block, all)) return false;
  }
  return true;
}

}  // namespace lanza::compiler
