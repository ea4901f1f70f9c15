#include "compiler/passes/vector/lanes/plain_extrema.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "compiler/passes/vector/analysis/float_bits.hpp"
#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/lanes/range_extrema.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kOfZeros = 3, kOfNaN = 2;  // instructions that an extremum needs besides its own
constexpr unsigned kOfNumber = 2, kOfTest = 3;
constexpr size_t kMostExtrema = 400;  // of one question: all of them are there twice

/// An extremum, with the choice of a zero's sign behind it if there is one.
struct Extremum {
  Instruction* result;
  IntrinsicInst* call;
  Value* operand(unsigned k) const { return call->getArgOperand(k); }
};

bool is_extremum(const Instruction& i) {
  auto* call = dyn_cast<IntrinsicInst>(&i);
  const Intrinsic::ID id = call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;
  auto* type = dyn_cast<FixedVectorType>(i.getType());
  return (id == Intrinsic::maxnum || id == Intrinsic::minnum) && type && type->getElementType()->isFloatTy();
}

bool is_plain_constant(const Constant& numbers) {
  const APFloat* number;
  return match(&numbers, m_APFloat(number)) && !number->isNaN() && !number->isNegZero();
}

/// The extrema of one block, and what else their choices are made of.
class BlockExtrema {
 public:
  explicit BlockExtrema(BasicBlock& block) : block_(block) {
    for (Instruction& i : block) note(i);
    drop_used_pieces();
  }

  const Extremum* find(const Instruction& i) const {
    const auto found = extrema_.find(&i);
    return found == extrema_.end() ? nullptr : &found->second;
  }
  bool is_piece(const Instruction& i) const { return pieces_.contains(&i); }
  bool empty() const { return extrema_.empty(); }

 private:
  void note(Instruction& i) {
    if (auto* choice = dyn_cast<SelectInst>(&i)) {
      IntrinsicInst* call = chosen_extremum(*choice);
      if (!call || !is_extremum(*call) || !call->hasOneUse() || call->getParent() != &block_) return;
      extrema_.erase(call);
      extrema_[choice] = {choice, call};
      note_pieces(*choice);
    } else if (is_extremum(i)) {
      extrema_[&i] = {&i, cast<IntrinsicInst>(&i)};
    }
  }

  // The question and the bits, but not what they are asked of.
  void note_pieces(SelectInst& choice) {
    const IntrinsicInst& call = *cast<IntrinsicInst>(choice.getFalseValue());
    SmallVector<Value*, 8> parts(choice.value_op_begin(), choice.value_op_end());
    while (!parts.empty()) {
      auto* part = dyn_cast<Instruction>(parts.pop_back_val());
      if (!part || part->getParent() != &block_ || is_contained(call.args(), part)) continue;
      if (pieces_.insert(part)) parts.append(part->value_op_begin(), part->value_op_end());
    }
  }

  // What others look at, too, stays where it is.
  void drop_used_pieces() {
    auto is_used = [&](const Instruction* piece) {
      return any_of(piece->users(), [&](const User* user) {
        auto* i = cast<Instruction>(user);
        return !pieces_.contains(i) && !extrema_.contains(i);
      });
    };
    while (pieces_.remove_if(is_used)) {
    }
  }

  BasicBlock& block_;
  DenseMap<const Instruction*, Extremum> extrema_;
  SetVector<const Instruction*> pieces_;
};

/// Extrema that follow from numbers which are all there in front of `behind`, as nobody looks at them before.
struct Cluster {
  SmallVector<Extremum, 32> extrema;
  SmallPtrSet<const Value*, 32> results;
  Instruction* behind = nullptr;

  void add(const Extremum& e) {
    extrema.push_back(e);
    results.insert(e.result);
  }
  bool is_used_by(const Instruction& i) const {
    return any_of(i.operand_values(), [&](const Value* operand) { return results.contains(operand); });
  }
};

class Question {
 public:
  Question(const Cluster& cluster, const BlockExtrema& block) : cluster_(cluster), block_(block) {
    for (const Extremum& e : cluster.extrema) note(e);
    collect(cluster.extrema.front().result->getParent());
  }

  bool is_worth_it() const {
    return is_plain_ && cluster_.extrema.size() <= kMostExtrema && !is_used_before() &&
           2 * saved_ >= 3 * (kOfNumber * numbers_.size() + kOfTest);
  }

  void ask() {
    IRBuilder<> b(cluster_.behind);
    b.SetCurrentDebugLocation(cluster_.extrema.back().call->getDebugLoc());
    Value* special = any_special(b);
    Instruction *exact_end = nullptr, *plain_end = nullptr;
    SplitBlockAndInsertIfThenElse(special, cluster_.behind, &exact_end, &plain_end);
    const auto plain = emit_plain(plain_end);
    ValueToValueMapTy exact;
    for (Instruction* i : code_) {
      Instruction* copy = i->clone();
      copy->insertBefore(exact_end);
      exact[i] = copy;
      RemapInstruction(copy, exact, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    }
    b.SetInsertPoint(cluster_.behind);
    for (const Extremum& e : cluster_.extrema) {
      if (none_of(e.result->uses(), [&](const Use& use) { return is_outside(use); })) continue;
      PHINode* either = PHINode::Create(e.result->getType(), 2, "", cluster_.behind->getParent()->begin());
      either->addIncoming(plain.lookup(e.result), plain_end->getParent());
      either->addIncoming(exact[e.result], exact_end->getParent());
      e.result->replaceUsesWithIf(either, [&](const Use& use) { return is_outside(use) && use.getUser() != either; });
    }
    for (Instruction* i : reverse(code_))
      if (i->use_empty()) i->eraseFromParent();
  }

 private:
  void note(const Extremum& e) {
    saved_ += (e.result != e.call ? kOfZeros : 0) + (is_never_nan(e.operand(0)) ? 0 : kOfNaN);
    for (Value* x : e.call->args()) {
      if (cluster_.results.contains(x)) continue;
      if (auto* constant = dyn_cast<Constant>(x))
        is_plain_ &= is_plain_constant(*constant);
      else
        numbers_.insert(x);
    }
  }

  // The extrema and their pieces, in order.
  void collect(BasicBlock* block) {
    SmallPtrSet<const Instruction*, 32> needed;
    SmallVector<const Instruction*, 16> parts;
    for (const Extremum& e : cluster_.extrema) parts.push_back(e.result);
    while (!parts.empty()) {
      const Instruction* part = parts.pop_back_val();
      if (!needed.insert(part).second) continue;
      for (const Use& operand : part->operands())
        if (auto* i = dyn_cast<Instruction>(operand.get()); i && block_.is_piece(*i)) parts.push_back(i);
    }
    for (Instruction& i : *block)
      if (needed.contains(&i)) code_.insert(&i);
  }

  bool is_outside(const Use& use) const { return !code_.contains(cast<Instruction>(use.getUser())); }

  bool is_used_before() const {
    return any_of(cluster_.extrema, [&](const Extremum& e) {
      return any_of(e.result->uses(), [&](const Use& use) {
        auto* user = cast<Instruction>(use.getUser());
        const bool is_here = user->getParent() == cluster_.behind->getParent() && !isa<PHINode>(user);
        return is_outside(use) && is_here && user->comesBefore(cluster_.behind);
      });
    });
  }

  // Of integers the bits of -0 are the least.
  Value* any_special(IRBuilder<>& b) const {
    auto* lanes = cast<FixedVectorType>(cluster_.extrema.front().result->getType());
    auto* words = FixedVectorType::get(b.getInt32Ty(), lanes->getNumElements());
    Value *least = nullptr, *special = nullptr, *single = nullptr;
    auto add_unordered = [&](Value* x, Value* y) {
      Value* found = b.CreateSExt(b.CreateFCmpUNO(x, y), words);
      special = special ? b.CreateOr(special, found) : found;
    };
    for (Value* number : numbers_) {
      if (!has_positive_zeros(number)) {
        Value* bits = b.CreateBitCast(number, words);
        least = least ? b.CreateBinaryIntrinsic(Intrinsic::smin, least, bits) : bits;
      }
      if (is_never_nan(number)) continue;
      if (single) add_unordered(single, number);
      single = single ? nullptr : number;
    }
    if (single) add_unordered(single, single);
    Value* any = special ? b.CreateICmpSLT(special, Constant::getNullValue(words)) : nullptr;
    if (least) {
      Value* zeros = b.CreateICmpEQ(least, ConstantInt::get(words, APInt::getSignedMinValue(32)));
      any = any ? b.CreateOr(any, zeros) : zeros;
    }
    if (!any) return b.getFalse();
    Type* bits = b.getIntNTy(lanes->getNumElements());
    // Lanes that are off may hold poison, which is to say nothing of the others.
    return b.CreateICmpNE(b.CreateBitCast(b.CreateFreeze(any), bits), ConstantInt::get(bits, 0));
  }

  DenseMap<const Value*, Value*> emit_plain(Instruction* end) const {
    IRBuilder<> b(end);
    DenseMap<const Value*, Value*> plain;
    for (const Extremum& e : cluster_.extrema) {
      b.SetCurrentDebugLocation(e.call->getDebugLoc());
      auto of = [&](Value* x) { return cluster_.results.contains(x) ? plain.lookup(x) : x; };
      Value *x = of(e.operand(0)), *y = of(e.operand(1));
      const bool is_maximum = e.call->getIntrinsicID() == Intrinsic::maxnum;
      Value* question = is_maximum ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y);
      plain[e.result] = b.CreateSelect(question, x, y);
    }
    return plain;
  }

  const Cluster& cluster_;
  const BlockExtrema& block_;
  SmallSetVector<Value*, 16> numbers_;
  SetVector<Instruction*> code_;
  size_t saved_ = 0;
  bool is_plain_ = true;
};

SmallVector<Cluster, 4> find_clusters(BasicBlock& block, const BlockExtrema& extrema) {
  SmallVector<Cluster, 4> found;
  Cluster open;
  for (Instruction& i : block) {
    if (const Extremum* e = extrema.find(i)) {
      const bool is_alike = open.extrema.empty() || open.extrema.front().result->getType() == i.getType();
      if (is_alike) {
        open.add(*e);
        continue;
      }
    } else if (extrema.is_piece(i) || isa<PHINode>(i) || (!i.isTerminator() && !open.is_used_by(i))) {
      continue;
    }
    if (!open.extrema.empty()) {
      open.behind = &i;
      found.push_back(std::exchange(open, {}));
    }
    if (const Extremum* e = extrema.find(i)) open.add(*e);
  }
  return found;
}

bool ask_in(BasicBlock& block) {
  const BlockExtrema extrema(block);
  if (extrema.empty()) return false;
  bool changed = false;
  const auto clusters = find_clusters(block, extrema);
  for (const Cluster& cluster : reverse(clusters)) {
    Question question(cluster, extrema);
    if (!question.is_worth_it()) continue;
    question.ask();
    changed = true;
  }
  return changed;
}

}  // namespace

bool ask_plain_extrema(Function& function, const TargetMachine& host) {
  if (has_features(host, "+avx512dq,+avx512vl")) return false;
  bool changed = false;
  SmallVector<BasicBlock*, 32> blocks;
  for (BasicBlock& block : function) blocks.push_back(&block);
  for (BasicBlock* block : blocks) changed |= ask_in(*block);
  return changed;
}

}  // namespace lanza::compiler
