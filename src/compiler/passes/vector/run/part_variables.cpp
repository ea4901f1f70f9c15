#include "compiler/passes/vector/run/part_variables.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

using Blocks = SmallPtrSet<BasicBlock*, 32>;

bool is_access(const Use& address) {
  auto* user = cast<Instruction>(address.getUser());
  if (isa<LoadInst>(user)) return true;
  if (isa<StoreInst>(user)) return address.getOperandNo() == StoreInst::getPointerOperandIndex();
  if (isa<MemIntrinsic>(user)) return true;
  auto* call = dyn_cast<IntrinsicInst>(user);
  if (!call) return false;
  switch (call->getIntrinsicID()) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_store:
    case Intrinsic::masked_gather:
    case Intrinsic::masked_scatter:
      return true;
    default:
      return false;
  }
}

class Variable {
 public:
  explicit Variable(AllocaInst& memory) : memory_(memory) {}

  bool part() {
    if (!memory_.isStaticAlloca() || !find_uses(memory_) || begins_.empty()) return false;
    if (any_of(accesses_, [&](Instruction* i) { return begins_.contains(i->getParent()); })) return false;
    if (find_copies() < 2) return false;
    for (Instruction* access : accesses_)
      if (const unsigned copy = copy_of_.lookup(access->getParent()); copy != 0)
        for (Use& operand : access->operands())
          if (is_address(operand)) operand.set(address_in(operand, copy));
    return true;
  }

 private:
  // False where an address goes a way that is not followed.
  bool find_uses(Instruction& address) {
    addresses_.insert(&address);
    return all_of(address.uses(), [&](Use& use) {
      auto* user = cast<Instruction>(use.getUser());
      if (user->isLifetimeStartOrEnd()) {
        marks_.push_back(cast<IntrinsicInst>(user));
        if (marks_.back()->getIntrinsicID() == Intrinsic::lifetime_start) begins_.insert(user->getParent());
        return &address == &memory_;
      }
      if (isa<GetElementPtrInst>(user)) return use.getOperandNo() == 0 && find_uses(*user);
      if (is_access(use)) accesses_.push_back(user);
      return is_access(use);
    });
  }

  bool is_address(const Value* v) const { return addresses_.contains(v); }

  /// Blocks to which a way leads from accesses, or from which one leads there, without the variable's new beginning.
  Blocks reached(bool forwards) const {
    Blocks found;
    SmallVector<BasicBlock*, 32> work;
    for (Instruction* access : accesses_)
      if (found.insert(access->getParent()).second) work.push_back(access->getParent());
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      auto visit = [&](auto&& neighbours) {
        for (BasicBlock* next : neighbours)
          if (!begins_.contains(next) && found.insert(next).second) work.push_back(next);
      };
      forwards ? visit(successors(block)) : visit(predecessors(block));
    }
    return found;
  }

  // Blocks that values in the variable pass on their way from one access to another; those that hang together are a
  // copy. How many there are.
  unsigned find_copies() {
    Blocks between = reached(true);
    const Blocks before = reached(false);
    between.remove_if([&](BasicBlock* block) { return !before.contains(block); });
    unsigned copies = 0;
    for (Instruction* access : accesses_) {
      if (!copy_of_.try_emplace(access->getParent(), copies).second) continue;
      SmallVector<BasicBlock*, 32> work{access->getParent()};
      while (!work.empty()) {
        BasicBlock* block = work.pop_back_val();
        auto visit = [&](auto&& neighbours) {
          for (BasicBlock* next : neighbours)
            if (between.contains(next) && copy_of_.try_emplace(next, copies).second) work.push_back(next);
        };
        visit(successors(block));
        visit(predecessors(block));
      }
      ++copies;
    }
    return copies;
  }

  Value* address_in(Value* address, unsigned copy) {
    Value*& known = address_in_[{address, copy}];
    if (known) return known;
    auto* i = cast<Instruction>(address);
    Instruction* same = i->clone();
    same->insertAfter(i);
    if (i == &memory_) {
      for (IntrinsicInst* mark : marks_) {
        Instruction* also = mark->clone();
        also->replaceUsesOfWith(&memory_, same);
        also->insertAfter(mark);
      }
    } else {
      same->setOperand(0, address_in(i->getOperand(0), copy));
    }
    return address_in_[{address, copy}] = same;
  }

  AllocaInst& memory_;
  SmallPtrSet<const Value*, 32> addresses_;
  SmallVector<Instruction*, 32> accesses_;
  SmallVector<IntrinsicInst*, 4> marks_;
  Blocks begins_;  // where the lifetime does
  DenseMap<BasicBlock*, unsigned> copy_of_;
  DenseMap<std::pair<Value*, unsigned>, Value*> address_in_;
};

}  // namespace

bool part_variables(Function& run) {
  SmallVector<AllocaInst*, 16> variables;
  for (Instruction& i : instructions(run))
    if (auto* variable = dyn_cast<AllocaInst>(&i)) variables.push_back(variable);
  bool changed = false;
  for (AllocaInst* variable : variables) changed |= Variable(*variable).part();
  return changed;
}

}  // namespace lanza::compiler
