#include "compiler/passes/vector/scalars/pad_rows.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/uniform_barriers.hpp"
#include "compiler/passes/vector/scalars/barrier_ends.hpp"
#include "compiler/passes/vector/scalars/tile_accesses.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kShared = 3;         // the address space
constexpr uint64_t kVector = 16;        // threads side by side
constexpr uint64_t kBytes = 32;         // those of loops that write nothing wider
constexpr uint64_t kLeastColumns = 9;   // more than half of a vector
constexpr uint64_t kMostColumns = 128;  // of longer rows few groups lie in two
constexpr uint64_t kMostPitch = 1024;   // of a tile's rows
constexpr uint64_t kMostShift = 10;
constexpr int64_t kMostElements = 1 << 20;
constexpr unsigned kIndexBits = 32;

const GlobalVariable* shared_variable(const Value* address) {
  auto* variable = dyn_cast<GlobalVariable>(object_of(address));
  return variable && variable->getAddressSpace() == kShared ? variable : nullptr;
}

/// A loop over a flat index.
class FlatLoop {
 public:
  FlatLoop(Loop& loop, uint64_t threads, ScalarEvolution& evolution)
      : loop_(loop), threads_(threads), evolution_(evolution) {}

  bool find(std::array<unsigned, 3> block) {
    return find_index(block) && find_end() && find_divisions() && only_copies();
  }

  /// Nothing in it but the index differs between threads: whoever makes a turn does the same.
  bool is_anybodys(const BlockUniformity& uniformity) const {
    return all_of(loop_.blocks(), [&](BasicBlock* block) {
      return all_of(*block, [&](Instruction& i) {
        auto* call = dyn_cast<IntrinsicInst>(&i);
        if (call && thread_axis(call->getIntrinsicID())) return false;
        return &i == index_ || all_of(i.operands(), [&](const Use& operand) {
          auto* outside = dyn_cast<Instruction>(operand);
          return !outside || loop_.contains(outside) || uniformity.is_uniform(*outside);
        });
      });
    });
  }

  const Loop& loop() const { return loop_; }
  const SmallPtrSet<const GlobalVariable*, 2>& written() const { return written_; }
  const SmallPtrSet<const GlobalVariable*, 2>& read() const { return read_; }

  void pad() {
    BasicBlock *header = loop_.getHeader(), *latch = loop_.getLoopLatch();
    BasicBlock* body = SplitBlock(header, header->getFirstNonPHIIt());
    if (latch == header) latch = body;
    BasicBlock* next = SplitBlock(latch, latch->getTerminator());
    IRBuilder<> b(header->getTerminator());
    Type* type = index_->getType();
    const uint64_t vector = threads_ % kBytes == 0 && columns_ >= kBytes && has_bytes_only() ? kBytes : kVector;
    const uint64_t pieces = divideCeil(columns_, vector);
    Value* piece = b.CreateLShr(index_, Log2_64(vector));
    Value* row = b.CreateUDiv(piece, ConstantInt::get(type, pieces));
    Value* in_row = b.CreateURem(piece, ConstantInt::get(type, pieces));
    Value* lane = b.CreateAnd(index_, ConstantInt::get(type, vector - 1));
    Value* first = b.CreateShl(in_row, Log2_64(vector), "", true, true);
    if (pieces > 1) {  // two threads copy the same elements
      Value* is_last = b.CreateICmpEQ(in_row, ConstantInt::get(type, pieces - 1));
      first = b.CreateSelect(is_last, ConstantInt::get(type, columns_ - vector), first);
    }
    Value* column = b.CreateAdd(first, lane, "", true, true);
    Value* flat =
        b.CreateAdd(b.CreateMul(row, ConstantInt::get(type, columns_), "", true, true), column, "", true, true);
    if (pieces > 1)
      b.CreateBr(body);
    else
      b.CreateCondBr(b.CreateICmpULT(column, ConstantInt::get(type, columns_)), body, next);
    header->getTerminator()->eraseFromParent();
    for (BinaryOperator* division : divisions_) {
      const bool is_quotient = divides(*division);
      IRBuilder<> at(division);
      division->replaceAllUsesWith(at.CreateTrunc(is_quotient ? row : column, division->getType()));
      division->eraseFromParent();
    }
    index_->replaceUsesWithIf(flat, [&](Use& use) {
      auto* user = cast<Instruction>(use.getUser());
      return user->getParent() != header && user != step_;
    });
    b.SetInsertPoint(next->getTerminator());
    Value* after = b.CreateNUWAdd(index_, ConstantInt::get(type, threads_));
    Value* goes_on = b.CreateICmpULT(after, ConstantInt::get(type, rows_ * pieces * vector));
    auto* branch = cast<BranchInst>(next->getTerminator());
    branch->setCondition(branch->getSuccessor(0) == header ? goes_on : b.CreateNot(goes_on));
    index_->setIncomingValueForBlock(next, after);
  }

 private:
  // From the thread's number in the block on, in steps of the block.
  bool find_index(std::array<unsigned, 3> block) {
    for (PHINode& phi : loop_.getHeader()->phis()) {
      if (index_ || !phi.getType()->isIntegerTy()) return false;
      index_ = &phi;
    }
    auto* sum = index_ ? dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(index_)) : nullptr;
    if (!sum || !sum->isAffine() || sum->getLoop() != &loop_) return false;
    auto* step = dyn_cast<SCEVConstant>(sum->getStepRecurrence(evolution_));
    return step && step->getAPInt() == threads_ && is_thread_number(sum->getStart(), block);
  }

  bool is_thread_number(const SCEV* start, std::array<unsigned, 3> block) const {
    SmallVector<const SCEV*, 3> terms{start};
    if (auto* sum = dyn_cast<SCEVAddExpr>(start)) terms.assign(sum->operands().begin(), sum->operands().end());
    std::array<uint64_t, 3> factors{};
    for (const SCEV* term : terms) {
      uint64_t factor = 1;
      if (auto* product = dyn_cast<SCEVMulExpr>(term)) {
        auto* constant = dyn_cast<SCEVConstant>(product->getOperand(0));
        if (!constant || product->getNumOperands() != 2) return false;
        factor = constant->getAPInt().getZExtValue();
        term = product->getOperand(1);
      }
      while (auto* extension = dyn_cast<SCEVZeroExtendExpr>(term)) term = extension->getOperand();
      auto* value = dyn_cast<SCEVUnknown>(term);
      auto* call = value ? dyn_cast<IntrinsicInst>(value->getValue()) : nullptr;
      const auto axis = call ? thread_axis(call->getIntrinsicID()) : std::nullopt;
      if (!axis || factors[*axis]) return false;
      factors[*axis] = factor;
    }
    const std::array<uint64_t, 3> of_number{1, block[0], uint64_t{block[0]} * block[1]};
    for (unsigned axis = 0; axis < 3; ++axis)
      if (block[axis] > 1 && factors[axis] != of_number[axis]) return false;
    return true;
  }

  // `index + threads < end`, or what is left of that.
  bool find_end() {
    BasicBlock* latch = loop_.getLoopLatch();
    if (!latch || loop_.getExitingBlock() != latch || !loop_.getLoopPreheader() || !loop_.isInnermost()) return false;
    auto* branch = dyn_cast<BranchInst>(latch->getTerminator());
    auto* compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    if (!compare || !compare->hasOneUse()) return false;
    const auto predicate =
        branch->getSuccessor(0) == loop_.getHeader() ? compare->getPredicate() : compare->getInversePredicate();
    auto* limit = dyn_cast<ConstantInt>(compare->getOperand(1));
    step_ = dyn_cast<Instruction>(index_->getIncomingValueForBlock(latch));
    if (!limit || !step_ || (predicate != ICmpInst::ICMP_ULT && predicate != ICmpInst::ICMP_SLT)) return false;
    if (compare->getOperand(0) != step_ && compare->getOperand(0) != index_) return false;
    end_ = limit->getSExtValue() + (compare->getOperand(0) == index_ ? static_cast<int64_t>(threads_) : 0);
    return end_ > 0 && loop_.getExitBlock() && loop_.getExitBlock()->phis().empty();
  }

  // Which take all of the index apart, by one number of columns.
  bool find_divisions() {
    SmallVector<User*, 8> users(index_->user_begin(), index_->user_end());
    for (size_t n = 0; n < users.size(); ++n) {
      auto* i = cast<Instruction>(users[n]);
      uint64_t by = 0;
      if (isa<TruncInst>(i) && end_ < (int64_t{1} << (i->getType()->getIntegerBitWidth() - 1))) {
        append_range(users, i->users());
      } else if (i->isIntDivRem() && match(i->getOperand(1), m_ConstantInt(by)) && (columns_ == 0 || columns_ == by)) {
        columns_ = by;
        divisions_.push_back(cast<BinaryOperator>(i));
      }
    }
    if (columns_ < kLeastColumns || columns_ > kMostColumns || columns_ % kVector == 0) return false;
    rows_ = end_ / columns_;
    return end_ % columns_ == 0;
  }

  // From memory that is not shared, or another variable, to shared memory; nothing leaves the loop.
  bool only_copies() {
    for (BasicBlock* block : loop_.blocks())
      for (Instruction& i : *block) {
        if (any_of(i.users(), [&](User* user) { return !loop_.contains(cast<Instruction>(user)); })) return false;
        if (auto* store = dyn_cast<StoreInst>(&i)) {
          const GlobalVariable* variable = shared_variable(store->getPointerOperand());
          if (!store->isSimple() || !variable || !is_own_element(*store)) return false;
          written_.insert(variable);
        } else if (auto* load = dyn_cast<LoadInst>(&i)) {
          if (!load->isSimple()) return false;
          const Value* object = object_of(load->getPointerOperand());
          if (!isa<Argument, GlobalVariable>(object)) return false;
          if (const GlobalVariable* variable = shared_variable(object)) read_.insert(variable);
        } else if (i.mayReadOrWriteMemory() || i.mayThrow()) {
          return false;
        }
      }
    return !written_.empty() && none_of(written_, [&](const GlobalVariable* v) { return read_.contains(v); });
  }

  bool has_bytes_only() const {
    return all_of(loop_.blocks(), [](BasicBlock* block) {
      return all_of(*block, [](Instruction& i) {
        auto* store = dyn_cast<StoreInst>(&i);
        return !store || store->getValueOperand()->getType()->isIntegerTy(8);
      });
    });
  }

  // `tile[i / 18][i % 18]`, or `tile[i]`: no other turn writes there, of the same thread or of another one.
  bool is_own_element(const StoreInst& store) const {
    auto* place = dyn_cast<GetElementPtrInst>(store.getPointerOperand());
    if (!place) return false;
    if (place->getNumIndices() < 3) return is_own_of_line(*place, *store.getValueOperand()->getType());
    auto* rows = dyn_cast<ArrayType>(place->getSourceElementType());
    auto* row = rows ? dyn_cast<ArrayType>(rows->getElementType()) : nullptr;
    return row && place->getNumIndices() == 3 && row->getNumElements() >= columns_ &&
           store.getValueOperand()->getType() == row->getElementType() && is_part(place->getOperand(2), true) &&
           is_part(place->getOperand(3), false);
  }

  // Of a tile without rows of its own: `tile[i]`, and `tile[i / 18 * 20 + i % 18]`.
  bool is_own_of_line(const GetElementPtrInst& place, const Type& stored) const {
    if (!isa<GlobalVariable>(place.getPointerOperand()) || end_ > kMostElements) return false;
    const Type* element = place.getSourceElementType();
    if (place.getNumIndices() == 2) element = isa<ArrayType>(element) ? element->getArrayElementType() : nullptr;
    if (element != &stored) return false;
    const Value* at = without_casts(place.getOperand(place.getNumOperands() - 1));
    if (at == index_) return true;
    const Value *row = nullptr, *column = nullptr;
    uint64_t pitch = 0;
    if (!match(at, m_c_Add(m_Mul(m_Value(row), m_ConstantInt(pitch)), m_Value(column))) &&
        !match(at, m_DisjointOr(m_Mul(m_Value(row), m_ConstantInt(pitch)), m_Value(column)))) {
      if (!match(at, m_c_Add(m_Shl(m_Value(row), m_ConstantInt(pitch)), m_Value(column))) || pitch > kMostShift)
        return false;
      pitch = uint64_t{1} << pitch;
    }
    const bool is_wide = at->getType()->getIntegerBitWidth() >= kIndexBits;
    return is_wide && pitch >= columns_ && pitch <= kMostPitch && is_part(row, true) && is_part(column, false);
  }

  // Numbers of a tile, of which 32 bits hold all.
  static const Value* without_casts(const Value* v) {
    while (isa<ZExtInst, SExtInst, TruncInst>(v) && v->getType()->getIntegerBitWidth() >= kIndexBits)
      v = cast<CastInst>(v)->getOperand(0);
    return v;
  }

  bool is_part(const Value* v, bool is_quotient) const {
    auto* division = dyn_cast<BinaryOperator>(without_casts(v));
    return division && is_contained(divisions_, division) && divides(*division) == is_quotient;
  }

  static bool divides(const BinaryOperator& division) {
    return division.getOpcode() == Instruction::UDiv || division.getOpcode() == Instruction::SDiv;
  }

  Loop& loop_;
  const uint64_t threads_;
  ScalarEvolution& evolution_;
  PHINode* index_ = nullptr;
  Instruction* step_ = nullptr;
  int64_t end_ = 0;
  uint64_t columns_ = 0, rows_ = 0;
  SmallVector<BinaryOperator*, 4> divisions_;
  SmallPtrSet<const GlobalVariable*, 2> written_, read_;
};

/// What happens between the barriers around a loop.
class Surroundings {
 public:
  Surroundings(const FlatLoop& flat, const DominatorTree& dominators, const PostDominatorTree& post_dominators,
               const LoopInfo& loops)
      : flat_(flat), dominators_(dominators), post_dominators_(post_dominators), loops_(loops) {}

  bool leave_alone() { return is_met_by_all() && is_apart(true) && is_apart(false); }

 private:
  // A barrier behind the loop, which only who has run it comes to.
  bool is_met_by_all() const {
    BasicBlock* before = flat_.loop().getLoopPreheader();
    return any_of(*before->getParent(), [&](BasicBlock& block) {
      return any_of(block, is_barrier) && loops_.getLoopFor(&block) == loops_.getLoopFor(before) &&
             dominators_.dominates(before, &block) && post_dominators_.dominates(&block, before);
    });
  }

  // On the ways from the loop to the next barriers, or to it from those before.
  bool is_apart(bool forwards) const {
    SmallVector<BasicBlock*, 16> work{forwards ? flat_.loop().getExitBlock() : flat_.loop().getLoopPreheader()};
    SmallPtrSet<BasicBlock*, 16> seen(work.begin(), work.end());
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      if (flat_.loop().contains(block)) return false;  // no barrier before its next run
      if (forwards ? !passes(make_range(block->begin(), block->end()))
                   : !passes(make_range(block->rbegin(), block->rend())))
        return false;
      if (any_of(*block, is_barrier)) continue;
      auto add = [&](BasicBlock* other) {
        if (seen.insert(other).second) work.push_back(other);
      };
      if (forwards)
        for_each(successors(block), add);
      else
        for_each(predecessors(block), add);
    }
    return true;
  }

  template <typename Range>
  bool passes(Range instructions) const {
    for (Instruction& i : instructions) {
      if (is_barrier(i)) return true;
      if (!i.mayReadOrWriteMemory() || i.isLifetimeStartOrEnd()) continue;
      const Value* address = getLoadStorePointerOperand(&i);
      if (!address) return false;
      const GlobalVariable* variable = shared_variable(address);
      if (variable && flat_.written().contains(variable)) return false;
      const Value* object = object_of(address);
      const bool is_named = isa<Argument, GlobalVariable, AllocaInst>(object);
      if (isa<LoadInst>(i) ? !is_named : !(isa<AllocaInst>(object) || (variable && !flat_.read().contains(variable))))
        return false;
    }
    return true;
  }

  const FlatLoop& flat_;
  const DominatorTree& dominators_;
  const PostDominatorTree& post_dominators_;
  const LoopInfo& loops_;
};

// Most loops are none of those: no analysis for them.
bool may_fill(const Loop& loop) {
  if (!loop.isInnermost()) return false;
  bool divides = false, writes = false;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& i : *block) {
      divides |= i.isIntDivRem() && isa<ConstantInt>(i.getOperand(1));
      auto* store = dyn_cast<StoreInst>(&i);
      writes |= store && store->getPointerAddressSpace() == kShared;
    }
  return divides && writes;
}

bool pad_one(Function& kernel, std::array<unsigned, 3> block, FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<LoopAnalysis>(kernel);
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(kernel);
  auto& dominators = analyses.getResult<DominatorTreeAnalysis>(kernel);
  const uint64_t threads = uint64_t{block[0]} * block[1] * block[2];
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!may_fill(*loop)) continue;
    if (!loop->getLoopPreheader()) {
      evolution.forgetLoop(loop);
      InsertPreheaderForLoop(loop, &dominators, &loops, nullptr, /*PreserveLCSSA=*/false);
    }
    FlatLoop flat(*loop, threads, evolution);
    if (!flat.find(block)) continue;
    const PostDominatorTree post_dominators(kernel);
    Surroundings around(flat, dominators, post_dominators, loops);
    const BlockUniformity uniformity(kernel);
    if (!flat.is_anybodys(uniformity) || !around.leave_alone()) continue;
    if (!blocks_with_early_exits(kernel, uniformity).empty()) continue;
    flat.pad();
    return true;
  }
  return false;
}

}  // namespace

bool pad_rows(Function& kernel, std::array<unsigned, 3> block, FunctionAnalysisManager& analyses) {
  const uint64_t threads = uint64_t{block[0]} * block[1] * block[2];
  if (threads % kVector != 0 || !has_sync(kernel)) return false;
  const size_t blocks = kernel.size();
  bool changed = false;
  while (pad_one(kernel, block, analyses)) {
    analyses.invalidate(kernel, PreservedAnalyses::none());
    changed = true;
  }
  return changed || kernel.size() != blocks;
}

}  // namespace lanza::compiler
