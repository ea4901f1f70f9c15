#include "compiler/passes/vector/scalars/skip_margins.hpp"

#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/called_functions.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/scalars/asked_together.hpp"
#include "compiler/passes/vector/scalars/barrier_ends.hpp"
#include "compiler/passes/vector/scalars/thread_places.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kDepth = 12;

/// Of threadIdx.x: [begin, end).
struct Busy {
  unsigned begin, end;
};

/// What is asked, made of threadIdx.x and constants alone, for one x; null: it is made of something else.
Constant* answer(Value& v, unsigned x, const DataLayout& layout, unsigned depth = kDepth) {
  if (auto* constant = dyn_cast<Constant>(&v)) return constant;
  if (is_thread_x(&v)) return ConstantInt::get(v.getType(), x);
  auto* i = dyn_cast<Instruction>(&v);
  if (!i || depth == 0 || !isa<BinaryOperator, CmpInst, CastInst, SelectInst, IntrinsicInst>(i)) return nullptr;
  if (auto* call = dyn_cast<CallBase>(i); call && (call->arg_empty() || !call->doesNotAccessMemory())) return nullptr;
  SmallVector<Constant*, 3> operands;
  for (Use& use : i->operands()) {
    if (isa<Function>(use)) continue;
    operands.push_back(answer(*use, x, layout, depth - 1));
    if (!operands.back()) return nullptr;
  }
  if (auto* cmp = dyn_cast<CmpInst>(i))
    return ConstantFoldCompareInstOperands(cmp->getPredicate(), operands[0], operands[1], layout);
  if (auto* call = dyn_cast<CallBase>(i)) return ConstantFoldCall(call, call->getCalledFunction(), operands);
  return ConstantFoldInstOperands(i, operands, layout);
}

bool goes_by_x_alone(Value& v, const DataLayout& layout) {
  return !isa<Constant>(v) && isa_and_nonnull<ConstantInt>(answer(v, 0, layout));
}

/// A side of a branch and what leads there: parts that all are true, or, else, none is.
struct Question {
  BranchInst* guard;
  bool works_if;
  unsigned threads;  ///< of a row
  Busy busy;
  SmallVector<Value*, 4> others;  ///< but for those about threadIdx.x alone

  BasicBlock* work() const { return guard->getSuccessor(works_if ? 0 : 1); }
  BasicBlock* join() const { return guard->getSuccessor(works_if ? 1 : 0); }
};

class Questions {
 public:
  explicit Questions(const GroupShape& group) : group_(group) {}

  std::optional<Question> find(BranchInst& guard, bool works_if) const {
    Question question{&guard, works_if, group_.block[0], {}, {}};
    if (question.work()->getSinglePredecessor() != guard.getParent()) return std::nullopt;
    SmallVector<Value*, 4> parts, of_x;
    split_question(*guard.getCondition(), works_if, parts);
    for (Value* part : parts) (goes_by_x_alone(*part, guard.getDataLayout()) ? of_x : question.others).push_back(part);
    const auto busy = of_x.empty() ? std::nullopt : busy_threads(of_x, works_if, guard.getDataLayout());
    if (!busy || !pays(*busy)) return std::nullopt;
    question.busy = *busy;
    return question;
  }

 private:
  std::optional<Busy> busy_threads(ArrayRef<Value*> of_x, bool works_if, const DataLayout& layout) const {
    std::optional<Busy> busy;
    for (unsigned x = 0; x < group_.block[0]; ++x) {
      const bool works = all_of(of_x, [&](Value* part) {
        auto* is = dyn_cast_or_null<ConstantInt>(answer(*part, x, layout));
        return is && is->isOne() == works_if;
      });
      if (!works) continue;
      if (busy && busy->end != x) return std::nullopt;
      busy = Busy{busy ? busy->begin : x, x + 1};
    }
    return busy;
  }

  bool pays(Busy busy) const {
    const unsigned lanes = group_.extent[0];
    const unsigned now = (busy.end - 1) / lanes - busy.begin / lanes + 1;
    return divideCeil(busy.end - busy.begin, lanes) < now;
  }

  const GroupShape& group_;
};

class Margin {
 public:
  Margin(const Question& question, const BlockUniformity& uniformity, const PostDominatorTree& ends)
      : question_(question), guard_(*question.guard), uniformity_(uniformity), ends_(ends) {}

  bool skip() {
    if (!find_region() || !is_asked_together(*guard_.getParent(), uniformity_, ends_) || !is_anybodys()) return false;
    leave();
    return true;
  }

 private:
  // ---- what they do

  // From the guard to where all meet again: behind a barrier, or at the kernel's end.
  bool find_region() {
    BasicBlock &join = *question_.join(), &work = *question_.work();
    if (isa<PHINode>(work.front()) || isa<PHINode>(join.front()) || !(begins_at_barrier(join) || ends_all(join)))
      return false;
    region_.insert(&work);
    for (size_t n = 0; n < region_.size(); ++n)
      for (BasicBlock* next : successors(region_[n])) {
        if (next == guard_.getParent() || region_.size() > kMostBlocks) return false;
        if (next != &join && !ends_all(*next)) region_.insert(next);
      }
    return all_of(region_, [&](BasicBlock* b) {
      return b == &work || all_of(predecessors(b), [&](BasicBlock* from) { return region_.contains(from); });
    });
  }

  static bool ends_all(BasicBlock& block) {
    return isa<ReturnInst>(block.getTerminator()) && !isa<PHINode>(block.front()) && none_of(block, touches_memory);
  }

  bool is_anybodys() const {
    for (BasicBlock* block : region_)
      for (Instruction& i : *block) {
        if (any_of(i.users(), [&](User* user) { return !is_here(*user); }) || !may_be_done_by_another(i)) return false;
        if (!all_of(i.operands(), [&](const Use& use) { return is_here(*use) || is_anothers(*use, is_computed); }))
          return false;
      }
    return all_of(question_.others, [&](Value* part) { return is_anothers(*part, is_harmless); });
  }

  static bool may_be_done_by_another(Instruction& i) {
    if (isa<AllocaInst, FenceInst>(i) || as_sync(i)) return false;
    if (auto* load = dyn_cast<LoadInst>(&i)) return load->isSimple();
    if (auto* store = dyn_cast<StoreInst>(&i)) return store->isSimple();
    auto* call = dyn_cast<CallBase>(&i);
    if (!call) return true;
    const Function* callee = call->getCalledFunction();
    if (!callee) return false;
    return callee->getName() == kSharedBase || callee->hasFnAttribute(kComputesOnly) || is_index(i) || is_arithmetic(i);
  }

  // Of special registers only these: others tell lanes of a warp apart, or are clocks.
  static bool is_index(const Instruction& i) {
    auto* call = dyn_cast<IntrinsicInst>(&i);
    if (!call) return false;
    switch (call->getIntrinsicID()) {
      case Intrinsic::nvvm_read_ptx_sreg_tid_x:
      case Intrinsic::nvvm_read_ptx_sreg_tid_y:
      case Intrinsic::nvvm_read_ptx_sreg_tid_z:
      case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
      case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
      case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
        return true;
      default:
        return false;
    }
  }

  static bool is_arithmetic(const Instruction& i) {
    if (auto* call = dyn_cast<IntrinsicInst>(&i))
      return !call->arg_empty() && call->doesNotAccessMemory() && !call->isConvergent();
    return isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst, FreezeInst>(i);
  }

  bool is_here(const Value& v) const {
    auto* i = dyn_cast<Instruction>(&v);
    return isa<BasicBlock>(v) || (i && region_.contains(const_cast<BasicBlock*>(i->getParent())));
  }

  // Made, by what `can_copy` allows, of the thread's indices and what all threads share.
  bool is_anothers(Value& v, bool can_copy(const Instruction&), unsigned depth = kDepth) const {
    auto* i = dyn_cast<Instruction>(&v);
    if (!i || is_index(*i)) return true;
    if (isa<AllocaInst>(i)) return false;
    if (uniformity_.is_uniform(v)) return true;
    return depth > 0 && can_copy(*i) &&
           all_of(i->operands(), [&](const Use& use) { return is_anothers(*use, can_copy, depth - 1); });
  }

  // By a thread that works: once more.
  static bool is_computed(const Instruction& i) { return is_arithmetic(i) || is_load_of_constants(i); }
  // By idle threads, too.
  static bool is_harmless(const Instruction& i) { return is_arithmetic(i) && !i.isIntDivRem(); }

  static bool is_load_of_constants(const Instruction& i) {
    auto* load = dyn_cast<LoadInst>(&i);
    auto* from =
        load && load->isSimple() ? dyn_cast<Argument>(getUnderlyingObject(load->getPointerOperand())) : nullptr;
    return from && from->hasNoAliasAttr() && is_only_read(*from);
  }

  static bool is_only_read(const Value& pointer) {
    return all_of(pointer.users(), [](const User* user) {
      return isa<LoadInst>(user) || (isa<GetElementPtrInst>(user) && is_only_read(*user));
    });
  }

  // ---- the change

  void leave() {
    IRBuilder<> b(&*guard_.getFunction()->getEntryBlock().getFirstInsertionPt());
    CallInst* thread = b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {}, {});
    thread->addRangeRetAttr(ConstantRange(APInt(32, 0), APInt(32, question_.threads)));
    b.SetInsertPoint(&guard_);
    const Busy busy = question_.busy;
    other_x_ = b.CreateAdd(thread, b.getInt32(busy.begin), "", /*HasNUW=*/true, /*HasNSW=*/true);
    Value* count = b.getInt32(busy.end - busy.begin);
    const bool works_if = question_.works_if;
    Value* all = works_if ? b.CreateICmpULT(thread, count) : b.CreateICmpUGE(thread, count);
    Copies asked;
    for (Value* part : question_.others) {
      Value* its = of_another(*part, guard_, asked);
      all = works_if ? b.CreateLogicalAnd(all, its) : b.CreateLogicalOr(all, its);
    }
    guard_.setCondition(all);
    Instruction& begin = *question_.work()->begin();
    Copies worked;
    for (BasicBlock* block : region_)
      for (Instruction& i : make_early_inc_range(*block))
        for (Use& use : i.operands())
          if (is_thread_x(use) || !is_here(*use)) use.set(of_another(*use, begin, worked));
  }

  using Copies = DenseMap<Value*, Value*>;

  // In front of `at`.
  Value* of_another(Value& v, Instruction& at, Copies& copies) {
    auto* i = dyn_cast<Instruction>(&v);
    if (!i || i == other_x_) return &v;
    if (is_thread_x(i)) return other_x_;
    if (is_index(*i) || uniformity_.is_uniform(v)) return &v;
    if (const auto known = copies.find(&v); known != copies.end()) return known->second;
    Instruction* copy = i->clone();
    for (Use& use : copy->operands()) use.set(of_another(*use, at, copies));
    copy->insertBefore(at.getIterator());
    return copies[&v] = copy;
  }

  static constexpr size_t kMostBlocks = 32;

  const Question& question_;
  BranchInst& guard_;
  const BlockUniformity& uniformity_;
  const PostDominatorTree& ends_;
  SmallSetVector<BasicBlock*, 8> region_;
  Value* other_x_ = nullptr;
};

// `if (x == 0 || x == 17)`, as LLVM has it, as a branch.
bool branch_by_cases(SwitchInst& cases) {
  BasicBlock* others = cases.getDefaultDest();
  if (cases.getNumCases() == 0 || !goes_by_x_alone(*cases.getCondition(), cases.getDataLayout())) return false;
  BasicBlock* margin = cases.case_begin()->getCaseSuccessor();
  if (margin == others || isa<PHINode>(margin->front()) || isa<PHINode>(others->front())) return false;
  if (!all_of(cases.cases(), [&](const auto& one) { return one.getCaseSuccessor() == margin; })) return false;
  IRBuilder<> b(&cases);
  Value* is_any = b.getFalse();
  for (const auto& one : cases.cases())
    is_any = b.CreateOr(is_any, b.CreateICmpEQ(cases.getCondition(), one.getCaseValue()));
  b.CreateCondBr(is_any, margin, others);
  cases.eraseFromParent();
  return true;
}

// `(x - 2 | y - 2) < 16` as two questions: whether one of them is about x alone.
bool part_limits(BranchInst& guard) {
  SmallVector<Value*, 4> parts;
  split_question(*guard.getCondition(), true, parts);
  split_question(*guard.getCondition(), false, parts);
  bool changed = false;
  for (Value* part : SmallSetVector<Value*, 4>(parts.begin(), parts.end())) {  // a single one is both ways' part
    ICmpInst::Predicate predicate{};
    Value *a = nullptr, *b = nullptr;
    const APInt* limit = nullptr;
    if (!match(part, m_OneUse(m_ICmp(predicate, m_Or(m_Value(a), m_Value(b)), m_APInt(limit))))) continue;
    const bool is_below = predicate == ICmpInst::ICMP_ULT && limit->isPowerOf2();
    if (!is_below && !(predicate == ICmpInst::ICMP_UGT && limit->isMask())) continue;
    if (goes_by_x_alone(*a, guard.getDataLayout()) == goes_by_x_alone(*b, guard.getDataLayout())) continue;
    IRBuilder<> builder(cast<Instruction>(part));
    Value* number = ConstantInt::get(a->getType(), *limit);
    Value *of_a = builder.CreateICmp(predicate, a, number), *of_b = builder.CreateICmp(predicate, b, number);
    part->replaceAllUsesWith(is_below ? builder.CreateAnd(of_a, of_b) : builder.CreateOr(of_a, of_b));
    cast<Instruction>(part)->eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace

bool skip_margins(Function& kernel, const GroupShape& group) {
  if (group.lanes == 1 || group.whole_rows || group.block[0] <= group.extent[0] ||
      !has_sync(kernel, LANZA_SYNC_BARRIER))
    return false;
  SmallVector<Question, 4> questions;
  bool changed = false;
  for (BasicBlock& block : kernel) {
    if (auto* cases = dyn_cast<SwitchInst>(block.getTerminator())) changed |= branch_by_cases(*cases);
    auto* guard = dyn_cast<BranchInst>(block.getTerminator());
    if (!guard || !guard->isConditional()) continue;
    changed |= part_limits(*guard);
    for (const bool works_if : {true, false})
      if (auto question = Questions(group).find(*guard, works_if)) questions.push_back(*question);
  }
  if (questions.empty()) return changed;
  const BlockUniformity uniformity(kernel);
  const PostDominatorTree ends(kernel);
  for (const Question& question : questions) changed |= Margin(question, uniformity, ends).skip();
  return changed;
}

}  // namespace lanza::compiler
