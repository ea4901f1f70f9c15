#include "compiler/passes/vector/scalars/equal_work.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/ValueTracking.h>

#include "compiler/passes/vector/analysis/operation_times.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr size_t kMostOperations = 400;  // of a way: all are held against all of the other one
static constexpr unsigned kSame = 4;            // what an operation's work counts, beside operands that are the same

FirstWork::FirstWork(BasicBlock& way) : way_(way) {
  bool may_load = true;
  for (Instruction& i : way) {
    if (i.mayWriteToMemory() || !isGuaranteedToTransferExecutionToSuccessor(&i)) may_load = false;
    if (i.isTerminator() || !can_move(i, may_load)) continue;
    movable_.insert(&i);
    if (isa<LoadInst>(i) || !is_of_floats(i)) continue;
    known_.insert(&i);
    floats_.push_back(&i);
  }
}

bool FirstWork::can_move(const Instruction& i, bool may_load) const {
  auto* load = dyn_cast<LoadInst>(&i);
  if (load ? !may_load || !load->isSimple() : i.mayReadOrWriteMemory() || i.mayHaveSideEffects()) return false;
  if (isa<PHINode, AllocaInst>(i) || !i.getType()->isSingleValueType()) return false;
  if (auto* call = dyn_cast<CallBase>(&i); call && call->isConvergent()) return false;
  return all_of(i.operand_values(), [&](const Value* operand) {
    auto* value = dyn_cast<Instruction>(operand);
    return !value || value->getParent() != &way_ || movable_.contains(value);
  });
}

bool FirstWork::is_of_floats(const Instruction& i) const {
  if (i.getType()->isFloatingPointTy()) return true;
  if (!i.getType()->isIntegerTy() || i.isIntDivRem()) return false;
  return any_of(i.operand_values(), [&](const Value* operand) {
    return operand->getType()->isFloatingPointTy() || known_.contains(operand);
  });
}

namespace {

bool is_same_operation(const Instruction& a, const Instruction& b) {
  if (!a.isSameOperationAs(&b, Instruction::CompareIgnoringAlignment)) return false;
  auto* call = dyn_cast<CallInst>(&a);
  if (!call) return true;
  const auto& other = cast<CallInst>(b);
  for (unsigned k = 0; k < call->arg_size(); ++k)  // what no choice may stand for
    if (call->paramHasAttr(k, Attribute::ImmArg) && call->getArgOperand(k) != other.getArgOperand(k)) return false;
  return call->getCalledOperand() == other.getCalledOperand();
}

// 0: they are not the same.
unsigned likeness(const Instruction& a, const Instruction& b) {
  if (!is_same_operation(a, b)) return 0;
  unsigned result = kSame * time_of(a).work + 1;
  for (unsigned k = 0; k < a.getNumOperands(); ++k) result += a.getOperand(k) == b.getOperand(k);
  return result;
}

/// The longest common subsequence, by likeness.
class Alignment {
 public:
  Alignment(ArrayRef<Instruction*> a, ArrayRef<Instruction*> b) : a_(a), b_(b), width_(b.size() + 1) {
    best_.assign((a.size() + 1) * width_, 0);
    for (size_t i = a.size(); i-- > 0;)
      for (size_t j = b.size(); j-- > 0;) {
        const unsigned both = likeness(*a[i], *b[j]);
        at(i, j) = std::max({at(i + 1, j), at(i, j + 1), both ? both + at(i + 1, j + 1) : 0});
      }
  }

  void collect(SmallVectorImpl<std::pair<Instruction*, Instruction*>>& pairs) {
    for (size_t i = 0, j = 0; i < a_.size() && j < b_.size();) {
      const unsigned both = likeness(*a_[i], *b_[j]);
      if (both && at(i, j) == both + at(i + 1, j + 1))
        pairs.push_back({a_[i++], b_[j++]});
      else
        at(i, j) == at(i + 1, j) ? ++i : ++j;
    }
  }

 private:
  unsigned& at(size_t i, size_t j) { return best_[i * width_ + j]; }

  ArrayRef<Instruction*> a_, b_;
  size_t width_;
  std::vector<unsigned> best_;
};

/// The choices that pairs take of what they are of.
class Choices {
 public:
  explicit Choices(EqualWork& work) : work_(work) { count(); }

  /// What is left pays for its choices.
  void leave_out() {
    for (size_t before = 0; before != work_.pairs.size();) {
      before = work_.pairs.size();
      erase_if(work_.pairs, [&](const auto& pair) {
        return time_of(*pair.first).work + used_.contains(pair.first) <= choices_of(pair);
      });
      count();
    }
  }

  unsigned saved() const {
    unsigned work = 0;
    for (const auto& [a, b] : work_.pairs) work += time_of(*a).work;
    return work - std::min<unsigned>(work, chosen_.size());
  }

 private:
  bool is_one(const Value* a, const Value* b) const { return a == b || partner_.lookup(a) == b; }

  void count() {
    partner_.clear();
    used_.clear();
    chosen_.clear();
    for (const auto& [a, b] : work_.pairs) partner_[a] = b;
    for (const auto& [a, b] : work_.pairs)
      for (unsigned k = 0; k < a->getNumOperands(); ++k) {
        Value *x = a->getOperand(k), *y = b->getOperand(k);
        if (!is_one(x, y))
          chosen_.insert({x, y});
        else if (x != y)
          used_.insert(x);
      }
  }

  unsigned choices_of(const std::pair<Instruction*, Instruction*>& pair) const {
    unsigned choices = 0;
    for (unsigned k = 0; k < pair.first->getNumOperands(); ++k)
      choices += !is_one(pair.first->getOperand(k), pair.second->getOperand(k));
    return choices;
  }

  EqualWork& work_;
  DenseMap<const Value*, const Value*> partner_;
  SmallPtrSet<const Value*, 32> used_;  ///< by other pairs, which need not choose then
  DenseSet<std::pair<Value*, Value*>> chosen_;
};

}  // namespace

EqualWork find_equal_work(const FirstWork& first, const FirstWork& second) {
  EqualWork work;
  const auto &a = first.of_floats(), &b = second.of_floats();
  if (a.empty() || b.empty() || a.size() > kMostOperations || b.size() > kMostOperations) return work;
  Alignment(a, b).collect(work.pairs);
  Choices choices(work);
  choices.leave_out();
  work.saved = choices.saved();
  return work;
}

}  // namespace lanza::compiler
