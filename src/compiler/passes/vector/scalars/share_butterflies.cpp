#include "compiler/passes/vector/scalars/share_butterflies.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/MathExtras.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/analysis/thread_values.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kDeepest = 6;  // operations of a step: a maximum with its zeros has five

/// An exchange with the lane at a distance that is a power of two.
struct Exchange {
  const CallInst* point;
  unsigned distance;

  /// What is exchanged: 64 bits, or the 32 that were extended to them.
  const Value* word() const {
    const Value* value = point->getArgOperand(kSyncValue);
    auto* extended = dyn_cast<ZExtInst>(value);
    return extended && extended->getSrcTy()->isIntegerTy(32) ? extended->getOperand(0) : value;
  }
};

/// Over which distances lanes have the same value: the bits of a lane's number that it does not depend on.
class Invariance {
 public:
  Invariance(Function& kernel, const GroupShape& group) : shapes_(kernel, group), thread_values_(group.block) {
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&kernel))
      for (Instruction& i : *block) see(i);
  }

  /// Results of last steps: the same in all lanes, and part of something that need not be.
  SmallVector<Instruction*, 4> reduced() const {
    SmallVector<Instruction*, 4> results;
    for (Instruction* i : last_)
      if (leads_elsewhere(*i)) results.push_back(i);
    return results;
  }

 private:
  void see(Instruction& i) {
    if (CallInst* point = as_sync(i)) return see_point(*point);
    const bool is_step = isa<BinaryOperator, SelectInst, CastInst>(i) || isa<IntrinsicInst>(i);
    if (exchanges_.empty() || !is_step || shapes_.is_uniform(&i) || i.mayReadOrWriteMemory()) return;
    unsigned same = kWarp - 1;
    for (const Use& operand : i.operands())
      if (!isa<Function>(operand)) same &= of(operand);
    const bool follows = same == kWarp - 1;
    for (const Exchange& exchange : exchanges_)
      if (!(same & exchange.distance) && exchange.point->getParent() == i.getParent() &&
          is_swapped(&i, &i, exchange, 0))
        same |= exchange.distance;
    if (same) same_[&i] = same;
    if (same == kWarp - 1 && !follows) last_.push_back(&i);
  }

  // Whether it, or what follows from it alone, is part of something that need not be the same in all lanes.
  bool leads_elsewhere(const Instruction& result) const {
    SmallSetVector<const Value*, 16> from;
    from.insert(&result);
    for (size_t k = 0; k < from.size(); ++k)
      for (const User* u : from[k]->users()) {
        if (of(u) != kWarp - 1) return true;
        if (!is_contained(last_, u)) from.insert(u);
      }
    return false;
  }

  void see_point(CallInst& point) {
    if (sync_kind(point) != LANZA_SYNC_SHUFFLE || !shapes_.all_take_part(point)) return;
    const auto* sources = thread_values_.of(point.getArgOperand(kSyncAux));
    if (!sources) return;
    const uint64_t distance = (*sources)[0].getZExtValue();
    if (distance >= kWarp || !isPowerOf2_64(distance)) return;
    for (size_t thread = 0; thread < sources->size(); ++thread)
      if ((*sources)[thread] != (thread % kWarp ^ distance)) return;
    exchanges_.push_back({&point, static_cast<unsigned>(distance)});
    same_[&point] = of(point.getArgOperand(kSyncValue));
  }

  unsigned of(const Value* v) const {
    if (shapes_.is_uniform(v)) return kWarp - 1;
    if (auto* cast = dyn_cast<CastInst>(v); cast && !same_.contains(v)) return of(cast->getOperand(0));
    return same_.lookup(v);
  }

  // The lane's own number, or its bits.
  static bool is_own(const Value* v, const Exchange& exchange) {
    const Value* word = exchange.word();
    return v == word || (isa<BitCastInst>(word) && v == cast<BitCastInst>(word)->getOperand(0));
  }

  // The partner's, or its bits.
  static bool is_moved(const Value* v, const Exchange& exchange) {
    if (auto* number = dyn_cast<BitCastInst>(v)) v = number->getOperand(0);
    if (exchange.word() == exchange.point->getArgOperand(kSyncValue)) return v == exchange.point;
    return match(v, m_Trunc(m_Specific(exchange.point))) && v->getType()->isIntegerTy(32);
  }

  // Whether `b` is what `a` becomes when a lane and its partner exchange their values.
  bool is_swapped(const Value* a, const Value* b, const Exchange& exchange, unsigned depth) const {
    if (a == b && (of(a) & exchange.distance)) return true;
    if (a->getType() != b->getType() || depth == kDeepest) return false;
    if (is_own(a, exchange) && is_moved(b, exchange)) return true;
    if (is_own(b, exchange) && is_moved(a, exchange)) return true;
    auto *left = dyn_cast<Instruction>(a), *right = dyn_cast<Instruction>(b);
    if (!left || !right || !left->isSameOperationAs(right) || left->mayReadOrWriteMemory() || isa<PHINode>(left))
      return false;
    auto operands_are = [&](unsigned first, unsigned second) {
      return is_swapped(left->getOperand(0), right->getOperand(first), exchange, depth + 1) &&
             is_swapped(left->getOperand(1), right->getOperand(second), exchange, depth + 1);
    };
    if (is_commutative(*left) && left->getNumOperands() >= 2) return operands_are(0, 1) || operands_are(1, 0);
    if (!isa<BinaryOperator, CmpInst, SelectInst, CastInst>(left)) return false;
    for (unsigned k = 0; k < left->getNumOperands(); ++k)
      if (!is_swapped(left->getOperand(k), right->getOperand(k), exchange, depth + 1)) return false;
    return true;
  }

  // Of two operands and nothing else.
  static bool is_commutative(const Instruction& i) {
    if (auto* call = dyn_cast<IntrinsicInst>(&i)) return call->isCommutative() && call->arg_size() == 2;
    auto* compare = dyn_cast<CmpInst>(&i);
    return compare ? compare->isCommutative() : i.isCommutative();
  }

  const Shapes shapes_;
  ThreadValues thread_values_;
  SmallVector<Exchange, 8> exchanges_;
  DenseMap<const Value*, unsigned> same_;
  SmallVector<Instruction*, 8> last_;
};

// The value of lane 0 for all.
void share(Instruction& i) {
  IRBuilder<> b(i.getNextNode());
  b.SetCurrentDebugLocation(i.getDebugLoc());
  Type *type = i.getType(), *bits = b.getIntNTy(type->getScalarSizeInBits());
  Value *number = b.CreateBitCast(&i, bits), *word = b.CreateZExt(number, b.getInt64Ty());
  CallInst* point = emit_sync(&*b.GetInsertPoint(), LANZA_SYNC_SHUFFLE, 0, word);
  point->setArgOperand(kSyncMask, b.getInt32(UINT32_MAX));
  point->setDebugLoc(i.getDebugLoc());
  Value* shared = b.CreateBitCast(b.CreateTrunc(point, bits), type);
  i.replaceUsesWithIf(shared,
                      [&](const Use& use) { return !is_contained({number, word, cast<Value>(point)}, use.getUser()); });
}

}  // namespace

bool share_butterflies(Function& kernel, const GroupShape& group) {
  if (!group.is_warp()) return false;
  const SmallVector<Instruction*, 4> reduced = Invariance(kernel, group).reduced();
  for (Instruction* i : reduced) share(*i);
  return !reduced.empty();
}

}  // namespace lanza::compiler
