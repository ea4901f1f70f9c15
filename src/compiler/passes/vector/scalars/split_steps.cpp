#include "compiler/passes/vector/scalars/split_steps.hpp"

#include <optional>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/block_uniformity.hpp"
#include "compiler/passes/vector/analysis/extensions.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// A value of a loop that is `start` first, and by the step further with each turn.
struct Stepped {
  PHINode* value;
  Instruction* next;
  Value *start, *step;  // the step of a pointer counts elements
  uint64_t bytes;       // of such an element; 1 for integers
};

class StepSplitter {
  /// An instruction that takes the stepped value, or a sum of it.
  struct Root {
    Instruction *user, *sum;
  };

 public:
  StepSplitter(const BlockUniformity& uniformity, const Shapes& shapes) : uniformity_(uniformity), shapes_(shapes) {}

  bool split(PHINode& value, const Loop& loop) {
    const std::optional<Stepped> found = match(value, loop);
    if (!found || is_shared(value) || made_.contains(found->start)) return false;
    roots_.clear();
    const bool is_pointer = value.getType()->isPointerTy();
    if (is_pointer ? !collect_accesses(*found) : !collect_sums(*found)) return false;
    if (any_of(roots_, [&](const Root& root) { return !loop.contains(root.user); })) return false;
    begin(*found, loop);
    for (const Root& root : roots_) is_pointer ? replace_pointer(*found, *root.user) : replace_index(*found, root);
    leave_dead(*found);
    return true;
  }

  /// Afterwards: what the analyses know by its address must live as long as they are asked.
  void erase_dead() {
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead_);
    for (const WeakTrackingVH& value : dead_values_)
      if (auto* phi = cast_or_null<PHINode>(value)) RecursivelyDeleteDeadPHINode(phi);
  }

 private:
  std::optional<Stepped> match(PHINode& value, const Loop& loop) const {
    auto* next = dyn_cast<Instruction>(value.getIncomingValueForBlock(loop.getLoopLatch()));
    if (!next || !loop.contains(next)) return {};
    Stepped s{&value, next, value.getIncomingValueForBlock(loop.getLoopPreheader()), nullptr, 1};
    if (auto* address = dyn_cast<GetElementPtrInst>(next)) {
      if (address->getPointerOperand() != &value || address->getNumIndices() != 1) return {};
      const TypeSize size = value.getDataLayout().getTypeAllocSize(address->getSourceElementType());
      s.step = address->getOperand(1);
      s.bytes = size.getFixedValue();
    } else if (next->getOpcode() == Instruction::Add && is_exact(*next)) {
      s.step = next->getOperand(next->getOperand(0) == &value ? 1 : 0);
      if (next->getOperand(0) != &value && next->getOperand(1) != &value) return {};
    } else {
      return {};
    }
    return loop.isLoopInvariant(s.step) && is_shared(*s.step) ? std::optional(s) : std::nullopt;
  }

  bool is_shared(const Value& value) const { return !made_.contains(&value) && uniformity_.is_uniform(value); }

  // An address does not ask how its index of 64 bits came to be.
  static bool is_exact(const Instruction& sum) {
    return sum.getType()->isIntegerTy(64) || (sum.getType()->isIntegerTy(32) && sum.hasNoSignedWrap());
  }

  // What an address is made of: the extensions of sums with what all threads share, or such sums themselves.
  bool collect_sums(const Stepped& s) {
    if (s.value->getType()->isIntegerTy(32) && !shapes_[s.start].is_varying() && !shapes_.extends(s.start, true))
      return false;
    SmallVector<Instruction*, 8> work{s.value, s.next};
    SmallPtrSet<Instruction*, 8> seen(work.begin(), work.end());
    while (!work.empty()) {
      Instruction* sum = work.pop_back_val();
      for (User* user : sum->users()) {
        auto* i = cast<Instruction>(user);
        if (seen.contains(i)) continue;
        if (ends_sum(*i, *sum)) {
          roots_.push_back({i, sum});
        } else if (is_sum_with_shared(*i, *sum)) {
          seen.insert(i);
          work.push_back(i);
        } else {
          return false;
        }
      }
    }
    return true;
  }

  static bool ends_sum(const Instruction& i, const Instruction& sum) {
    if (sum.getType()->isIntegerTy(32)) return extends_sign(i) && i.getType()->isIntegerTy(64);
    auto* address = dyn_cast<GetElementPtrInst>(&i);
    return address && address->getPointerOperand() != &sum;
  }

  bool is_sum_with_shared(const Instruction& i, const Instruction& sum) const {
    if (!is_exact(i)) return false;
    if (i.getOpcode() == Instruction::Sub) return i.getOperand(0) == &sum && is_shared(*i.getOperand(1));
    if (i.getOpcode() != Instruction::Add) return false;
    return is_shared(*i.getOperand(i.getOperand(0) == &sum ? 1 : 0));
  }

  bool collect_accesses(const Stepped& s) {
    for (Instruction* pointer : {static_cast<Instruction*>(s.value), s.next})
      for (User* user : pointer->users()) {
        auto* i = cast<Instruction>(user);
        if (i == s.next || i == s.value) continue;
        if (isa<PHINode>(i)) return false;
        roots_.push_back({i, pointer});
      }
    return true;
  }

  // The steps so far, in 64 bits, of which pointers go their bytes.
  void begin(const Stepped& s, const Loop& loop) {
    IRBuilder<> b(loop.getLoopPreheader()->getTerminator());
    Type* wide = b.getInt64Ty();
    if (!s.value->getType()->isPointerTy()) start_ = b.CreateSExt(s.start, wide);
    Value* step = b.CreateSExtOrTrunc(s.step, wide);
    if (s.bytes != 1) step = b.CreateMul(step, b.getInt64(s.bytes));
    steps_ = PHINode::Create(wide, 2, "steps", s.value->getIterator());
    steps_->addIncoming(b.getInt64(0), loop.getLoopPreheader());
    b.SetInsertPoint(s.next);
    further_ = b.CreateAdd(steps_, step);
    steps_->addIncoming(further_, loop.getLoopLatch());
  }

  // The thread's part of a sum is its start alone.
  Value* shared_part(IRBuilder<>& b, const Stepped& s, const Value& sum) const {
    if (&sum == s.value) return steps_;
    if (&sum == s.next) return further_;
    auto& i = cast<Instruction>(sum);
    const bool first = !is_shared(*i.getOperand(0));
    Value* before = shared_part(b, s, *i.getOperand(first ? 0 : 1));
    Value* other = b.CreateSExt(i.getOperand(first ? 1 : 0), b.getInt64Ty());
    return i.getOpcode() == Instruction::Sub ? b.CreateSub(before, other) : b.CreateAdd(before, other);
  }

  void replace_index(const Stepped& s, const Root& root) {
    IRBuilder<> b(root.user);
    Value* index = b.CreateAdd(start_, shared_part(b, s, *root.sum));
    made_.insert(index);
    if (isa<CastInst>(root.user))
      root.user->replaceAllUsesWith(index);
    else
      root.user->replaceUsesOfWith(root.sum, index);
  }

  void replace_pointer(const Stepped& s, Instruction& access) {
    IRBuilder<> b(&access);
    for (Instruction* pointer : {static_cast<Instruction*>(s.value), s.next}) {
      if (!is_contained(access.operands(), pointer)) continue;
      Value* place = b.CreateGEP(b.getInt8Ty(), s.start, pointer == s.value ? steps_ : further_);
      made_.insert(place);
      access.replaceUsesOfWith(pointer, place);
    }
  }

  void leave_dead(const Stepped& s) {
    for (const Root& root : roots_) {
      if (isa<CastInst>(root.user)) dead_.push_back(root.user);
      if (root.sum != s.value && root.sum != s.next) dead_.push_back(root.sum);
    }
    dead_values_.push_back(s.value);
  }

  const BlockUniformity& uniformity_;
  const Shapes& shapes_;
  SmallVector<Root, 8> roots_;
  SmallVector<WeakTrackingVH, 16> dead_;
  SmallVector<WeakTrackingVH, 4> dead_values_;  // cycles of phis and their sums
  SmallPtrSet<const Value*, 16> made_;          // what the analyses do not know
  Value *start_ = nullptr, *further_ = nullptr;
  PHINode* steps_ = nullptr;
};

bool has_point(const Loop& loop) {
  return any_of(loop.blocks(),
                [](BasicBlock* block) { return any_of(*block, [](Instruction& i) { return as_block_sync(i); }); });
}

}  // namespace

bool split_steps(Function& kernel, const GroupShape& group, const LoopInfo& loops) {
  SmallVector<const Loop*, 4> waiting;
  for (const Loop* loop : loops.getLoopsInPreorder())
    if (loop->getLoopPreheader() && loop->getLoopLatch() && has_point(*loop)) waiting.push_back(loop);
  if (waiting.empty()) return false;
  const BlockUniformity uniformity(kernel);
  const Shapes shapes(kernel, group);
  StepSplitter splitter(uniformity, shapes);
  bool changed = false;
  for (const Loop* loop : waiting)
    for (PHINode& value : make_early_inc_range(loop->getHeader()->phis())) changed |= splitter.split(value, *loop);
  splitter.erase_dead();
  return changed;
}

}  // namespace lanza::compiler
