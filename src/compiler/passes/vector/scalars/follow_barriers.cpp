#include "compiler/passes/vector/scalars/follow_barriers.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/shared_strides.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

class Follower {
 public:
  Follower(Function& kernel, const GroupShape& group)
      : shapes_(kernel, group), tables_(shapes_, kernel.getParent()->getDataLayout()), dominators_(kernel) {}

  bool run(Function& kernel) {
    SmallVector<Instruction*, 32> accesses;
    for (Instruction& i : instructions(kernel)) {
      if (as_sync(i)) points_.push_back(&i);
      const Value* address = getLoadStorePointerOperand(&i);
      if (address && shapes_[address].is_varying()) accesses.push_back(&i);
    }
    for (Instruction* access : accesses) follow(*access);
    return changed_;
  }

 private:
  void follow(Instruction& access) {
    auto* address = dyn_cast<Instruction>(getLoadStorePointerOperand(&access));
    const auto stride = address ? shared_stride(address, shapes_, tables_) : std::nullopt;
    if (Instruction* point = stride ? last_point(*stride->first, access) : nullptr) follow(*point, *address);
  }

  // What stands in front of the point of what the value is made of.
  void follow(Instruction& point, Instruction& value) {
    if (!is_made_of_lanes(value)) return;
    if (!dominators_.dominates(&value, &point)) {
      for (Use& operand : value.operands())
        if (auto* i = dyn_cast<Instruction>(operand)) follow(point, *i);
      return;
    }
    Instruction* again = make_behind(point, value);
    value.replaceUsesWithIf(again, [&](const Use& use) {
      return !isa<PHINode>(use.getUser()) && dominators_.dominates(again, cast<Instruction>(use.getUser()));
    });
    changed_ = true;
  }

  // The point nearest to the access of those that all ways from `first` to it pass.
  Instruction* last_point(const Instruction& first, const Instruction& access) const {
    Instruction* last = nullptr;
    for (Instruction* point : points_)
      if (dominators_.dominates(&first, point) && dominators_.dominates(point, &access) &&
          (!last || dominators_.dominates(last, point)))
        last = point;
    return last;
  }

  // By arithmetic that costs little.
  bool is_made_of_lanes(const Instruction& value) const {
    return isa<BinaryOperator, CastInst, GetElementPtrInst>(value) && !shapes_.is_uniform(&value);
  }

  // The value, made behind the point of what is the same for all lanes, or no such arithmetic.
  Instruction* make_behind(Instruction& point, Instruction& value) {
    if (!is_made_of_lanes(value)) return &value;
    if (Instruction* made = made_.lookup({&point, &value})) return made;
    Instruction* again = value.clone();
    for (Use& operand : again->operands())
      if (auto* i = dyn_cast<Instruction>(operand)) operand = make_behind(point, *i);
    Instruction*& behind = behind_[&point];
    if (!behind) behind = first_behind(point);
    again->insertBefore(behind);
    return made_[{&point, &value}] = again;
  }

  static Instruction* first_behind(Instruction& point) {
    Instruction* next = point.getNextNode();
    if (next->isTerminator() && next->getNumSuccessors() == 1 && next->getSuccessor(0)->getSinglePredecessor())
      next = next->getSuccessor(0)->getFirstNonPHI();
    return next;
  }

  const Shapes shapes_;
  LaneTables tables_;
  const DominatorTree dominators_;
  SmallVector<Instruction*, 8> points_;
  DenseMap<std::pair<Instruction*, Instruction*>, Instruction*> made_;
  DenseMap<Instruction*, Instruction*> behind_;  ///< a point: what values are made in front of
  bool changed_ = false;
};

bool has_candidates(Function& kernel) { return has_sync(kernel) && any_of(instructions(kernel), may_meet_stride); }

}  // namespace

bool follow_barriers(Function& kernel, const GroupShape& group) {
  return has_candidates(kernel) && Follower(kernel, group).run(kernel);
}

}  // namespace lanza::compiler
