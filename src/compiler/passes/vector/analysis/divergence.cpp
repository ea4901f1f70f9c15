// The control half of Shapes: where lanes part, where they meet again, and which loops they leave apart.
#include <map>

#include <llvm/ADT/SetVector.h>

#include <llvm/IR/CFG.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"

using namespace llvm;

namespace lanza::compiler {

bool Shapes::update_control() {
  bool changed = false;
  for (const BasicBlock* block : order_) {
    const Instruction* end = block->getTerminator();
    if (end->getNumSuccessors() < 2 || divergent_.contains(end)) continue;
    const Value* condition = isa<BranchInst, SwitchInst>(end) ? end->getOperand(0) : nullptr;
    if (auto* branch = dyn_cast<BranchInst>(end)) condition = branch->getCondition();
    if (group_.lanes == 1 || (condition && seen_in(block, condition).is_uniform())) continue;
    divergent_.insert(end);
    SmallVector<const BasicBlock*, 4> to(successors(block));
    const auto* node = post_dominators_.getNode(block)->getIDom();
    part_at(to, node ? node->getBlock() : nullptr, loops_.getLoopFor(block));
    changed = true;
  }
  return changed;
}

// A thread that is in one of these can meet no other thread any more.
void Shapes::find_leaving_blocks() {
  DenseSet<const BasicBlock*> meets;
  SmallVector<const BasicBlock*, 16> work;
  for (const BasicBlock* block : order_)
    if (any_of(*block, [](const Instruction& i) { return as_sync(const_cast<Instruction&>(i)) != nullptr; }))
      work.push_back(block);
  while (!work.empty()) {
    const BasicBlock* block = work.pop_back_val();
    if (meets.insert(block).second) append_range(work, predecessors(block));
  }
  for (const BasicBlock* block : order_) {
    if (meets.contains(block)) continue;
    leaves_.insert(block);
    if (!block->hasNPredecessors(1)) joins_.insert(block);
  }
}

// The ways of the lanes get numbers, one for each successor, that are carried along forward edges in reverse post
// order. A block that two numbers reach is a join, a way of its own from there on. At `meet` the lanes are
// together again; `around` is the innermost loop that they all are in. Where some come to `meet` only in a later
// iteration of that, they meet nowhere in this one.
void Shapes::part_at(ArrayRef<const BasicBlock*> to, const BasicBlock* meet, const Loop* around) {
  std::map<unsigned, unsigned> ways;  // by position
  unsigned next_way = 0;
  bool iterates = false;
  SmallVector<const Loop*, 2> left;
  auto arrive = [&](const BasicBlock* block, unsigned way) {
    if (leaves_.contains(block)) return;
    const Loop* loop = around;
    for (; loop && !loop->contains(block); loop = loop->getParentLoop()) left.push_back(loop);
    if (loop != around) return;  // goes on in leave_apart()
    if (loop && loop->getHeader() == block) {
      iterates = true;
      return;
    }
    auto [known, first] = ways.try_emplace(position_.lookup(block), way);
    if (first || known->second == way) return;
    joins_.insert(block);
    known->second = next_way++;
  };
  SmallSetVector<const BasicBlock*, 4> distinct;
  for (const BasicBlock* block : to)
    if (!leaves_.contains(block)) distinct.insert(block);
  next_way = distinct.size();
  const bool parts = distinct.size() > 1;
  for (unsigned k = 0; k < distinct.size(); ++k) arrive(distinct[k], k);
  for (; !ways.empty(); ways.erase(ways.begin())) {
    const auto [position, way] = *ways.begin();
    const BasicBlock* block = order_[position];
    if (block == meet) continue;
    if (parts) partial_.insert(block);
    for (const BasicBlock* next : successors(block))
      if (position_.lookup(next) > position || (around && next == around->getHeader())) arrive(next, way);
  }
  if (iterates && meet && around->contains(meet)) return part_at(to, nullptr, around);
  for (const Loop* loop : left) leave_apart(loop);
}

// All lanes leave a loop, each in its own iteration: as from a branch with the loop's exits as successors.
void Shapes::leave_apart(const Loop* loop) {
  if (!left_apart_.insert(loop).second) return;
  partial_.insert(loop->block_begin(), loop->block_end());
  SmallVector<BasicBlock*, 4> exits;
  loop->getUniqueExitBlocks(exits);
  for (const BasicBlock* exit : exits)
    if (count_if(predecessors(exit), [&](const BasicBlock* p) { return loop->contains(p); }) > 1) joins_.insert(exit);
  const auto* meet = post_dominators_.getNode(loop->getHeader());
  while (meet && meet->getBlock() && loop->contains(meet->getBlock())) meet = meet->getIDom();
  SmallVector<const BasicBlock*, 4> to(exits.begin(), exits.end());
  part_at(to, meet ? meet->getBlock() : nullptr, loop->getParentLoop());
}

}  // namespace lanza::compiler
