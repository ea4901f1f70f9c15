#include "compiler/passes/vector/scalars/version_blocks.hpp"

#include <algorithm>
#include <optional>

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/KnownBits.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/guard_division.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/address_terms.hpp"
#include "compiler/passes/vector/analysis/block_uniformity.hpp"
#include "compiler/passes/vector/analysis/thread_values.hpp"
#include "compiler/passes/vector/scalars/copied_blocks.hpp"
#include "compiler/passes/vector/scalars/fold_rings.hpp"
#include "compiler/passes/vector/scalars/recompute.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr int64_t kLargestRing = 1 << 30;
constexpr unsigned kLargest = 600;  // instructions of a kernel that is copied
constexpr unsigned kMostTests = 16;
constexpr unsigned kDepth = 12;  // of index arithmetic

using Extension = Recomputer::Extension;

/// What threads of the block have lies between these, in 64 bits.
struct Range {
  Value *least, *greatest;
};

class BlockVersions {
 public:
  BlockVersions(Function& kernel, const std::array<unsigned, 3>& block, bool asks_few)
      : kernel_(kernel),
        asks_few_(asks_few),
        threads_(block),
        head_(SplitBlock(&kernel.getEntryBlock(), &*kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca())),
        uniformity_(kernel),
        dominators_(kernel),
        loops_(dominators_),
        copies_(kernel.getEntryBlock().getTerminator(), dominators_) {}

  bool run() {
    for (BasicBlock* block : ReversePostOrderTraversal<BasicBlock*>(head_)) {
      for (Instruction& i : *block)
        if (auto* clamp = dyn_cast<MinMaxIntrinsic>(&i)) take_clamp(*clamp);
      for (Instruction& i : make_early_inc_range(*block))
        if (i.getOpcode() == Instruction::URem || i.getOpcode() == Instruction::SRem)
          take_remainder(cast<BinaryOperator>(i));
        else
          take_step(i);
      take_guard(*block);
    }
    if (!all_) return false;
    for (BasicBlock* block : ReversePostOrderTraversal<BasicBlock*>(head_))
      for (Instruction& i : *block) {
        if (auto* clamp = dyn_cast<MinMaxIntrinsic>(&i)) settle_clamp(*clamp);
        if (auto* compare = dyn_cast<ICmpInst>(&i)) settle_compare(*compare);
      }
    BasicBlock* inside = copy();
    emit_own_barrier(&*inside->getFirstInsertionPt());
    CallInst* edges = emit_own_barrier(&*head_->getFirstInsertionPt());
    edges->setMetadata(kSeldom, MDNode::get(kernel_.getContext(), {}));
    keep_edges_short();
    BranchInst* choice =
        BranchInst::Create(inside, head_, all_, kernel_.getEntryBlock().getTerminator()->getIterator());
    choice->setMetadata(LLVMContext::MD_prof, MDBuilder(kernel_.getContext()).createLikelyBranchWeights());
    kernel_.getEntryBlock().getTerminator()->eraseFromParent();
    return true;
  }

 private:
  // The side that works, where the other one goes on behind it or leaves; of equality that of the many.
  void take_guard(BasicBlock& block) {
    auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional()) return;
    if (!asks_few_ && (is_of_few(block) || uniformity_.ends_uniformly(block))) return;
    if (uniformity_.ends_uniformly(block)) return take_rows_of_halo(*branch);
    BasicBlock *yes = branch->getSuccessor(0), *no = branch->getSuccessor(1);
    ICmpInst::Predicate predicate;
    bool truth;
    if (match(branch->getCondition(), m_ICmp(predicate, m_Value(), m_Value())) && ICmpInst::isEquality(predicate))
      truth = predicate == ICmpInst::ICMP_NE;
    else if (is_entered_here_only(yes) != is_entered_here_only(no))
      truth = is_entered_here_only(yes);
    else
      return;
    if (!guards_loop(truth ? yes : no)) take_condition(branch->getCondition(), truth);
  }

  // `blockIdx.y == 0 ? 0 : in[...]`: rows that a block has, or has not.
  void take_rows_of_halo(BranchInst& branch) {
    for (const unsigned way : {0U, 1U}) {
      const BasicBlock* to = branch.getSuccessor(way);
      if (!is_entered_here_only(to) || !to->getSingleSuccessor()) continue;
      if (any_of(*to, [](const Instruction& i) { return isa<LoadInst>(i); }))
        return take_condition(branch.getCondition(), way == 0);
    }
  }

  // Behind `if (threadIdx.x == 31)`, or a case of a switch: a row's end asks by itself.
  bool is_of_few(const BasicBlock& block) {
    const BasicBlock* before = block.getSinglePredecessor();
    if (!before) return false;
    if (auto* choice = dyn_cast<SwitchInst>(before->getTerminator()))
      return choice->getDefaultDest() != &block && threads_.of(choice->getCondition());
    ICmpInst::Predicate predicate;
    Value* thread;
    BasicBlock *yes, *no;
    if (!match(before->getTerminator(), m_Br(m_ICmp(predicate, m_Value(thread), m_ConstantInt()), yes, no)))
      return false;
    return ICmpInst::isEquality(predicate) && &block == (predicate == ICmpInst::ICMP_EQ ? yes : no) &&
           threads_.of(thread);
  }

  static bool is_entered_here_only(const BasicBlock* block) {
    return block->getSinglePredecessor() && !isa<ReturnInst>(block->getTerminator());
  }

  // `if (i < n) do { ... i += all; } while (i < n)`: that all threads begin says little.
  bool guards_loop(BasicBlock* first) const {
    if (!loops_.isLoopHeader(first) && first->getSingleSuccessor()) first = first->getSingleSuccessor();
    if (!loops_.isLoopHeader(first)) return false;
    SmallVector<BasicBlock*, 4> exiting;
    loops_.getLoopFor(first)->getExitingBlocks(exiting);
    return any_of(exiting, [&](BasicBlock* block) { return !uniformity_.ends_uniformly(*block); });
  }

  void take_condition(Value* condition, bool truth) {
    Value *a, *b;
    if (match(condition, m_Not(m_Value(a)))) return take_condition(a, !truth);
    if (truth ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
              : match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
      take_condition(a, truth);
      return take_condition(b, truth);
    }
    auto* compare = dyn_cast<ICmpInst>(condition);
    if (!compare || known_.contains(compare) || (!asks_few_ && uniformity_.is_uniform(*compare))) return;
    const ICmpInst::Predicate predicate = truth ? compare->getPredicate() : compare->getInversePredicate();
    if (ask(predicate, compare->getOperand(0), compare->getOperand(1))) known_[compare] = truth;
  }

  void take_clamp(MinMaxIntrinsic& clamp) {
    if (uniformity_.is_uniform(clamp) || clamp.getType()->isVectorTy()) return;
    for (unsigned k = 0; k < 2; ++k) {
      Value *index = clamp.getArgOperand(k), *bound = clamp.getArgOperand(1 - k);
      if (!uniformity_.is_uniform(*bound) || uniformity_.is_uniform(*index)) continue;
      if (is_beside_thread(index)) return;
      if (ask(ICmpInst::getNonStrictPredicate(clamp.getPredicate()), index, bound) ||
          (was_signed(clamp, *bound) && is_within(index, bound)))
        replaced_[&clamp] = index;
      return;
    }
  }

  // Perhaps: of `min(max(x, 0), 511)` simplification makes an unsigned minimum.
  bool was_signed(const MinMaxIntrinsic& clamp, const Value& bound) const {
    return clamp.getIntrinsicID() == Intrinsic::umin && isKnownNonNegative(&bound, kernel_.getDataLayout());
  }

  bool is_within(Value* index, Value* last) {
    return ask(ICmpInst::ICMP_SLE, index, last) &&
           ask(ICmpInst::ICMP_SLE, ConstantInt::get(index->getType(), 0), index);
  }

  // `x == 0 ? n - 1 : x - 1` and `x - (x > 0)`, as simplification writes `x > 0 ? x - 1 : x`: a place beside x.
  void take_step(Instruction& i) {
    auto* choice = dyn_cast<SelectInst>(&i);
    const bool is_step = isa<SExtInst, ZExtInst>(i) && i.getOperand(0)->getType()->isIntegerTy(1);
    if (!is_step && !(choice && i.getType()->isIntOrPtrTy())) return;
    auto* compare = dyn_cast<ICmpInst>(i.getOperand(0));
    if (!compare || (choice && !compare->isEquality()) || is_of_few(*i.getParent()) || !leads_to_address(i)) return;
    bool truth = compare->getPredicate() == ICmpInst::ICMP_NE;
    if (!compare->isEquality()) {
      const bool from_below = isa<ConstantInt>(compare->getOperand(1));
      truth = (ICmpInst::isLT(compare->getPredicate()) || ICmpInst::isLE(compare->getPredicate())) != from_below;
    }
    take_condition(compare, truth);
  }

  static bool leads_to_address(const Value& v, unsigned depth = 6) {
    return any_of(v.users(), [&](const User* user) {
      if (isa<GetElementPtrInst>(user)) return true;
      return depth != 0 && isa<BinaryOperator, CastInst>(user) && leads_to_address(*user, depth - 1);
    });
  }

  // `(first + i - 1 + n) % n`, of a tile and its halo on a ring.
  void take_remainder(BinaryOperator& remainder) {
    if (uniformity_.is_uniform(remainder) || !remainder.getType()->isIntegerTy(32) || !wraps_neighbour(remainder))
      return;
    const bool is_signed = remainder.getOpcode() == Instruction::SRem;
    Value *sum = remainder.getOperand(0), *size = remainder.getOperand(1), *n = unguarded_divisor(size);
    if (!uniformity_.is_uniform(*n) || isa<Constant>(n)) return;
    Value *index, *none = ConstantInt::get(sum->getType(), 0);
    if (Value* part = without_addend(sum, n, is_signed, remainder)) {
      index = part;
    } else {
      index = without_addend_modulo(sum, n, remainder);
      // Then n + index wraps in no sense.
      if (!index || !ask(ICmpInst::ICMP_SLE, n, ConstantInt::get(n->getType(), kLargestRing))) return;
    }
    if (!range(index, Extension::Sign)) return;
    if (ask(ICmpInst::ICMP_SLT, index, n) && ask(ICmpInst::ICMP_SLE, none, index)) replaced_[&remainder] = index;
  }

  // What the tests say of the block's threads they may say of what these share: min(256, n - first).
  void settle_clamp(MinMaxIntrinsic& clamp) {
    if (replaced_.contains(&clamp) || !clamp.isSigned() || !clamp.getType()->isIntegerTy(32)) return;
    Value *a = clamp.getArgOperand(0), *b = clamp.getArgOperand(1);
    if (!copies_.can(a) || !copies_.can(b)) return;
    const bool is_least = ICmpInst::isLT(clamp.getPredicate());
    if (follows(a, b))
      replaced_[&clamp] = is_least ? a : b;
    else if (follows(b, a))
      replaced_[&clamp] = is_least ? b : a;
  }

  // `first < 0 ? -first : 0`: the least place of a block that reaches beyond an edge.
  void settle_compare(ICmpInst& compare) {
    Value *a = compare.getOperand(0), *b = compare.getOperand(1);
    if (!compare.isRelational() || !compare.isSigned() || !a->getType()->isIntegerTy(32)) return;
    if (known_.contains(&compare) || !uniformity_.is_uniform(compare) || !copies_.can(a) || !copies_.can(b)) return;
    if (ICmpInst::isGT(compare.getPredicate()) || ICmpInst::isGE(compare.getPredicate())) std::swap(a, b);
    const int64_t step = ICmpInst::isStrictPredicate(compare.getPredicate());
    if (follows(a, b, step))
      known_[&compare] = true;
    else if (follows(b, a, 1 - step))
      known_[&compare] = false;
  }

  // Whether a + by <= b where all tests hold.
  bool follows(Value* a, Value* b, int64_t by = 0) {
    Value* margin = copies_.builder.CreateSub(copies_.wide(b, Extension::Sign), copies_.wide(a, Extension::Sign));
    const AddressTerms terms = terms_of(margin, kernel_.getDataLayout());
    return any_of(facts_, [&](const AddressTerms& fact) {
      return fact.has_same_terms(terms) && static_cast<int64_t>(terms.constant - fact.constant) >= by;
    });
  }

  // False: it cannot be asked, or blockDim says no.
  bool ask(ICmpInst::Predicate predicate, Value* a, Value* b) {
    if (!a->getType()->isIntegerTy() || tests_ == kMostTests) return false;
    if (predicate == ICmpInst::ICMP_EQ) return false;
    if (predicate == ICmpInst::ICMP_NE)  // an index that is not the first, or not the last
      return ask(match(b, m_Zero()) ? ICmpInst::ICMP_SGT : ICmpInst::ICMP_SLT, a, b);
    if (ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate))
      return ask(ICmpInst::getSwappedPredicate(predicate), b, a);
    const Extension extension = ICmpInst::isUnsigned(predicate) ? Extension::Zero : Extension::Sign;
    if (a->getType()->getIntegerBitWidth() > (extension == Extension::Sign ? 64 : 32)) return false;
    const auto low = range(a, extension), high = low ? range(b, extension) : std::nullopt;
    if (!high) return false;
    IRBuilder<>& builder = copies_.builder;
    Value* holds = builder.CreateICmp(ICmpInst::getSignedPredicate(predicate), low->greatest, high->least);
    if (match(holds, m_Zero())) return false;
    all_ = all_ ? builder.CreateAnd(all_, holds) : holds;
    ++tests_;
    if (extension == Extension::Sign && a->getType()->getIntegerBitWidth() <= 32) {
      AddressTerms fact = terms_of(builder.CreateSub(high->least, low->greatest), kernel_.getDataLayout());
      fact.constant -= ICmpInst::isStrictPredicate(predicate);
      facts_.push_back(std::move(fact));
    }
    return true;
  }

  // A neighbour in the block's own tile, which the last thread of a row has not: its clamp acts in every block.
  bool is_beside_thread(Value* index) {
    Value* thread;
    const APInt* step;
    if (!match(index, m_Add(m_Value(thread), m_APInt(step))) || step->isZero()) return false;
    return isa<Instruction>(thread) && range_of_thread(*cast<Instruction>(thread), Extension::Sign);
  }

  // Nothing where it is not that easy.
  std::optional<Range> range(Value* v, Extension extension, unsigned depth = kDepth) {
    if (Value* index = replaced_.lookup(v)) return depth ? range(index, extension, depth - 1) : std::nullopt;
    if (depth == 0) return {};
    auto* i = dyn_cast<Instruction>(v);
    if (!i || uniformity_.is_uniform(*v)) {
      if (!copies_.can(v)) return {};
      Value* value = copies_.wide(v, extension);
      return Range{value, value};
    }
    if (const auto thread = range_of_thread(*i, extension)) return thread;
    if (auto* clamp = dyn_cast<MinMaxIntrinsic>(i)) {
      if (clamp->isSigned() != (extension == Extension::Sign)) return {};
      const auto a = range(i->getOperand(0), extension, depth - 1), b = range(i->getOperand(1), extension, depth - 1);
      if (!a || !b) return {};
      auto both = [&](Value* x, Value* y) {
        return copies_.builder.CreateBinaryIntrinsic(
            ICmpInst::isLT(clamp->getPredicate()) ? Intrinsic::smin : Intrinsic::smax, x, y);
      };
      return Range{both(a->least, b->least), both(a->greatest, b->greatest)};
    }
    if (auto* extended = dyn_cast<CastInst>(i)) {
      const bool is_signed = isa<SExtInst>(extended);
      if (!is_signed && !isa<ZExtInst>(extended)) return {};
      if (is_signed && extension == Extension::Zero) return {};
      return range(i->getOperand(0), is_signed ? Extension::Sign : Extension::Zero, depth - 1);
    }
    return range_of_sum(*i, extension, depth);
  }

  std::optional<Range> range_of_sum(Instruction& i, Extension extension, unsigned depth) {
    if (!keeps_sum(i, extension) || i.getOpcode() == Instruction::Shl) return {};
    const auto a = range(i.getOperand(0), extension, depth - 1), b = range(i.getOperand(1), extension, depth - 1);
    if (!a || !b) return {};
    IRBuilder<>& builder = copies_.builder;
    const APInt* factor = nullptr;
    switch (i.getOpcode()) {
      case Instruction::Add:
      case Instruction::Or:
        return Range{builder.CreateAdd(a->least, b->least), builder.CreateAdd(a->greatest, b->greatest)};
      case Instruction::Sub:
        return Range{builder.CreateSub(a->least, b->greatest), builder.CreateSub(a->greatest, b->least)};
      case Instruction::Mul:
        if (!match(i.getOperand(1), m_APInt(factor)) || !factor->isStrictlyPositive() || factor->uge(1 << 16))
          return {};
        return Range{builder.CreateMul(a->least, b->least), builder.CreateMul(a->greatest, b->least)};
      default:
        return {};
    }
  }

  // Of threadIdx, and what is made of it alone: of every thread (`(y * 32 + x) / 34`), or what its bits say.
  ConstantRange constant_range(Instruction& i, bool is_signed) {
    const auto* values = threads_.of(&i);
    if (!values) {
      const KnownBits bits = computeKnownBits(&i, kernel_.getDataLayout());
      return computeConstantRange(&i, is_signed).intersectWith(ConstantRange::fromKnownBits(bits, is_signed));
    }
    const auto [least, greatest] = std::ranges::minmax_element(
        *values, [&](const APInt& a, const APInt& b) { return is_signed ? a.slt(b) : a.ult(b); });
    return ConstantRange::getNonEmpty(*least, *greatest + 1);
  }

  std::optional<Range> range_of_thread(Instruction& i, Extension extension) {
    const bool is_signed = extension == Extension::Sign;
    const ConstantRange all = constant_range(i, is_signed);
    if (all.isEmptySet() || all.isSizeLargerThan(1 << 16)) return {};
    if (is_signed ? all.isSignWrappedSet() : all.isWrappedSet()) return {};
    auto end = [&](const APInt& x) {
      const APInt wide = is_signed ? x.sextOrTrunc(64) : x.zextOrTrunc(64);
      return ConstantInt::get(kernel_.getContext(), wide);
    };
    return is_signed ? Range{end(all.getSignedMin()), end(all.getSignedMax())}
                     : Range{end(all.getUnsignedMin()), end(all.getUnsignedMax())};
  }

  // In the few blocks at the edges version_guards() need not tell groups that lie inside from others, but where a loop
  // over barriers goes through planes or tiles: it may be all there is of a grid.
  void keep_edges_short() {
    for (BasicBlock* block : depth_first(head_)) {
      const Loop* loop = loops_.getLoopFor(block);
      auto* branch = dyn_cast<BranchInst>(block->getTerminator());
      if (branch && branch->isConditional() && !(loop && has_sync(*loop->getOutermostLoop())))
        branch->setMetadata(kForSomeLanes, MDNode::get(kernel_.getContext(), {}));
    }
  }

  // Its first block.
  BasicBlock* copy() {
    SmallVector<BasicBlock*, 32> originals;
    for (BasicBlock& block : drop_begin(kernel_)) originals.push_back(&block);
    CopiedBlocks copied(originals, ".inside");
    for (const auto& [clamp, index] : replaced_) copied.replace(clamp, copied.of(index));
    for (const auto& [condition, truth] : known_)
      copied.replace(condition, ConstantInt::getBool(kernel_.getContext(), truth));
    return copied.of(head_);
  }

  Function& kernel_;
  const bool asks_few_;
  ThreadValues threads_;
  BasicBlock* const head_;
  const BlockUniformity uniformity_;
  DominatorTree dominators_;
  LoopInfo loops_;
  Recomputer copies_;
  MapVector<ICmpInst*, bool> known_;  // and which way it goes

  MapVector<Value*, Value*> replaced_;
  std::vector<AddressTerms> facts_;  ///< what the tests say is not negative, of sums that do not wrap
  Value* all_ = nullptr;
  unsigned tests_ = 0;
};

bool can_copy(Function& kernel) {
  unsigned size = 0;
  for (BasicBlock& block : kernel) {
    size += static_cast<unsigned>(block.sizeWithoutDebug());
    for (Instruction& i : block) {
      auto* call = dyn_cast<CallBase>(&i);
      if ((call && call->cannotDuplicate()) || (isa<AllocaInst>(i) && &block != &kernel.getEntryBlock())) return false;
    }
  }
  return size <= kLargest;
}

}  // namespace

bool version_blocks(Function& kernel, const GroupShape& group, bool asks_few) {
  return can_copy(kernel) && BlockVersions(kernel, group.block, asks_few).run();
}

}  // namespace lanza::compiler
