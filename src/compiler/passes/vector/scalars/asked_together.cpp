#include "compiler/passes/vector/scalars/asked_together.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/scalars/barrier_ends.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static bool comes_from_barrier(BasicBlock& block) {
  SmallPtrSet<BasicBlock*, 8> seen{&block};
  SmallVector<BasicBlock*, 8> open{&block};
  while (!open.empty()) {
    BasicBlock* next = open.pop_back_val();
    const auto touch = find_if(reverse(*next), touches_memory);
    if (touch != next->rend()) {
      if (!is_barrier(*touch)) return false;
      continue;
    }
    if (pred_empty(next)) return false;
    for (BasicBlock* before : predecessors(next))
      if (seen.insert(before).second) open.push_back(before);
  }
  return true;
}

static bool meets_before(BasicBlock& parted, const BasicBlock& block, const PostDominatorTree& ends) {
  const auto* node = ends.getNode(&parted);
  const BasicBlock* meeting = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  if (!meeting) return false;
  SmallPtrSet<const BasicBlock*, 8> seen;
  SmallVector<const BasicBlock*, 8> open(successors(&parted));
  while (!open.empty()) {
    const BasicBlock* next = open.pop_back_val();
    if (next == meeting || !seen.insert(next).second) continue;
    if (next == &block) return false;
    append_range(open, successors(next));
  }
  return true;
}

// No branch that threads take differently leads some of them past it.
static bool all_come_to(BasicBlock& block, const BlockUniformity& uniformity, const PostDominatorTree& ends) {
  SmallPtrSet<BasicBlock*, 16> before{&block};
  SmallVector<BasicBlock*, 16> open{&block};
  while (!open.empty())
    for (BasicBlock* next : predecessors(open.pop_back_val()))
      if (before.insert(next).second) open.push_back(next);
  return all_of(before, [&](BasicBlock* b) { return uniformity.ends_uniformly(*b) || meets_before(*b, block, ends); });
}

bool is_asked_together(BasicBlock& block, const BlockUniformity& uniformity, const PostDominatorTree& ends) {
  return comes_from_barrier(block) && all_come_to(block, uniformity, ends);
}

void split_question(Value& question, bool all, SmallVectorImpl<Value*>& parts) {
  Value *a = nullptr, *b = nullptr;
  const bool is_several = all ? match(&question, m_LogicalAnd(m_Value(a), m_Value(b)))
                              : match(&question, m_LogicalOr(m_Value(a), m_Value(b)));
  if (!is_several) return parts.push_back(&question);
  split_question(*a, all, parts);
  split_question(*b, all, parts);
}

}  // namespace lanza::compiler
