#include "compiler/passes/vector/lanes/same_masks.hpp"

#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/scalars/copied_blocks.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr size_t kFewest = 12;        // masks of a loop, which has seven registers for them
constexpr size_t kMostInLoop = 1000;  // instructions that are copied
constexpr size_t kMostConditions = 64;

class LoopMasks {
 public:
  explicit LoopMasks(Loop& loop) : loop_(loop) {}

  bool make_same() {
    if (!can_copy() || !find_masks() || !make_shorter()) return false;
    copy();
    return true;
  }

 private:
  bool can_copy() const {
    size_t size = 0;
    for (const BasicBlock* block : loop_.blocks()) size += block->size();
    return loop_.isInnermost() && loop_.isLoopSimplifyForm() && size <= kMostInLoop;
  }

  bool find_masks() {
    for (BasicBlock* block : loop_.blocks())
      for (Instruction& i : *block) {
        auto* load = dyn_cast<IntrinsicInst>(&i);
        if (!load || load->getIntrinsicID() != Intrinsic::masked_load) continue;
        Value* mask = load->getArgOperand(2);
        if (isa<Instruction>(mask) && loop_.isLoopInvariant(mask)) masks_.insert({mask, nullptr});
      }
    if (masks_.size() < kFewest) return false;
    for (auto& [mask, shorter] : masks_) find_conditions(without_not({mask, true}));
    return !conditions_.empty() && conditions_.size() <= kMostConditions;
  }

  // What is `truth` where the mask is.
  struct Part {
    Value* mask;
    bool truth;
    bool operator<(const Part& other) const { return std::tie(mask, truth) < std::tie(other.mask, other.truth); }
  };

  static Part without_not(Part part) {
    for (Value* negated; match(part.mask, m_Not(m_Value(negated)));) part = {negated, !part.truth};
    return part;
  }

  /// The condition of all lanes that a part is; null: it is none.
  static Value* condition_of(const Part& part) {
    return part.mask->getType()->isVectorTy() ? getSplatValue(part.mask) : part.mask;
  }

  // `a && b`, or `!(a || b)`.
  static std::optional<std::pair<Part, Part>> split(const Part& part) {
    Value *a, *b;
    const bool both =
        part.truth
            ? match(part.mask, m_CombineOr(m_And(m_Value(a), m_Value(b)), m_Select(m_Value(a), m_Value(b), m_Zero())))
            : match(part.mask,
                    m_CombineOr(m_Or(m_Value(a), m_Value(b)), m_Select(m_Value(a), m_AllOnes(), m_Value(b))));
    if (!both) return {};
    return std::pair(without_not({a, part.truth}), without_not({b, part.truth}));
  }

  void find_conditions(const Part& part) {
    if (!seen_.insert(part).second) return;
    if (Value* condition = condition_of(part)) {
      if (!isa<Constant>(condition)) conditions_.insert({condition, part.truth});
    } else if (const auto parts = split(part)) {
      find_conditions(parts->first);
      find_conditions(parts->second);
    }
  }

  // As a mask, with all conditions as asked; null: it has all lanes.
  Value* without_conditions(IRBuilder<>& b, const Part& part) {
    if (const auto known = made_.find(part); known != made_.end()) return known->second;
    return made_[part] = make(b, part);
  }

  Value* make(IRBuilder<>& b, const Part& part) {
    const auto condition = conditions_.find(condition_of(part));
    if (condition != conditions_.end() && condition->second == part.truth) return nullptr;
    const auto parts = split(part);
    if (!parts) return part.truth ? part.mask : b.CreateNot(part.mask);
    Value *one = without_conditions(b, parts->first), *other = without_conditions(b, parts->second);
    if (!one || !other) return one ? one : other;
    Value*& both = both_[{one, other}];
    if (!both) both = b.CreateLogicalAnd(one, other);
    return both;
  }

  // False, and nothing has changed: they are not half as many.
  bool make_shorter() {
    IRBuilder<> b(loop_.getLoopPreheader()->getTerminator());
    SmallPtrSet<Value*, 16> left;
    for (auto& [mask, shorter] : masks_) {
      shorter = without_conditions(b, without_not({mask, true}));
      if (!shorter) shorter = Constant::getAllOnesValue(mask->getType());
      left.insert(shorter);
    }
    if (left.size() <= masks_.size() / 2) return true;
    SmallVector<WeakTrackingVH, 16> unused;
    for (Value* mask : left)
      if (auto* i = dyn_cast<Instruction>(mask); i && !masks_.contains(i)) unused.emplace_back(i);
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(unused);
    return false;
  }

  void copy() {
    BasicBlock *before = loop_.getLoopPreheader(), *header = loop_.getHeader();
    CopiedBlocks copied(loop_.getBlocks(), ".same");
    IRBuilder<> b(before->getTerminator());
    for (auto& [mask, shorter] : masks_) copied.replace(mask, shorter);
    for (auto& [question, answer] : find_questions(b)) copied.replace(question, answer);
    copied.join_exits();
    Value* all = nullptr;
    for (const auto& [condition, truth] : conditions_) {
      Value* holds = b.CreateFreeze(condition);
      if (!truth) holds = b.CreateNot(holds);
      all = all ? b.CreateAnd(all, holds) : holds;
    }
    auto* apart = BasicBlock::Create(before->getContext(), "apart", before->getParent(), header);
    IRBuilder<>(apart).CreateBr(header);
    header->replacePhiUsesWith(before, apart);
    b.CreateCondBr(all, copied.of(header), apart);
    before->getTerminator()->eraseFromParent();
    sink(*before, *apart);
  }

  // Whether any lane of masks is set, as taps are asked about; and the same of shorter ones.
  MapVector<Value*, Value*> find_questions(IRBuilder<>& b) {
    MapVector<Value*, Value*> questions;
    for (const BasicBlock* block : loop_.blocks()) {
      auto* branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch || !branch->isConditional() || !loop_.isLoopInvariant(branch->getCondition())) continue;
      ICmpInst::Predicate predicate;
      Value* mask;
      if (!match(branch->getCondition(), m_ICmp(predicate, m_BitCast(m_Value(mask)), m_Zero()))) continue;
      if (!ICmpInst::isEquality(predicate) || !mask->getType()->isIntOrIntVectorTy(1)) continue;
      Value* any = any_without_conditions(b, mask);
      if (!any) any = Constant::getAllOnesValue(mask->getType());
      Value* bits = b.CreateBitCast(any, b.getIntNTy(cast<FixedVectorType>(mask->getType())->getNumElements()));
      questions[branch->getCondition()] = b.CreateICmp(predicate, bits, Constant::getNullValue(bits->getType()));
    }
    return questions;
  }

  Value* any_without_conditions(IRBuilder<>& b, Value* mask) {
    Value *one, *other;
    if (!match(mask, m_Or(m_Value(one), m_Value(other)))) return without_conditions(b, without_not({mask, true}));
    one = any_without_conditions(b, one);
    other = any_without_conditions(b, other);
    if (!one || !other) return nullptr;
    return one == other ? one : b.CreateOr(one, other);
  }

  // What only the loop needs now is not for the copy to wait for.
  void sink(BasicBlock& from, BasicBlock& to) const {
    for (Instruction& i : make_early_inc_range(reverse(from))) {
      const bool may = !isa<PHINode, AllocaInst>(i) && !i.isTerminator() && !i.mayReadOrWriteMemory() &&
                       !i.mayHaveSideEffects() && !i.use_empty();
      const bool is_for_loop = may && all_of(i.users(), [&](User* user) {
                                 BasicBlock* block = cast<Instruction>(user)->getParent();
                                 return block == &to || loop_.contains(block);
                               });
      if (is_for_loop) i.moveBefore(&to.front());
    }
  }

  Loop& loop_;
  MapVector<Value*, Value*> masks_;  ///< and what they are without conditions
  std::set<Part> seen_;
  MapVector<Value*, bool> conditions_;  ///< and what they have to be
  std::map<Part, Value*> made_;
  std::map<std::pair<Value*, Value*>, Value*> both_;
};

}  // namespace

bool make_masks_same(LoopInfo& loops) {
  bool changed = false;
  for (Loop* loop : loops.getLoopsInPreorder()) changed |= LoopMasks(*loop).make_same();
  return changed;
}

}  // namespace lanza::compiler
