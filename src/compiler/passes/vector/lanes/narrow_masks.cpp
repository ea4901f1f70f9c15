#include "compiler/passes/vector/lanes/narrow_masks.hpp"

#include <numeric>
#include <optional>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/MathExtras.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// Neighbouring lanes, so many as a register has.
struct Run {
  unsigned first, count;
};

unsigned lanes_of(const Value& vector) { return cast<FixedVectorType>(vector.getType())->getNumElements(); }

// The bit of a lane; null: who knows.
const Constant* known_bit(const Value* mask, unsigned lane) {
  if (auto* constant = dyn_cast<Constant>(mask)) return constant->getAggregateElement(lane);
  auto* shuffle = dyn_cast<ShuffleVectorInst>(mask);
  if (!shuffle || shuffle->getMaskValue(lane) < 0) return nullptr;
  const auto from = static_cast<unsigned>(shuffle->getMaskValue(lane)), width = lanes_of(*shuffle->getOperand(0));
  return known_bit(shuffle->getOperand(from < width ? 0 : 1), from % width);
}

// Whether an access is under way only where a lane of its mask is on: behind a branch that asks for any.
bool follows_question(const Instruction& access, const Value* mask) {
  const BasicBlock* before = access.getParent()->getSinglePredecessor();
  auto* branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return false;
  const bool on_true = branch->getSuccessor(0) == access.getParent();
  ICmpInst::Predicate predicate;
  return match(branch->getCondition(), m_ICmp(predicate, m_BitCast(m_Specific(mask)), m_Zero())) &&
         predicate == (on_true ? ICmpInst::ICMP_NE : ICmpInst::ICMP_EQ);
}

std::optional<Run> lanes_on(const Instruction& access, const Value* mask) {
  unsigned first = 0, count = 0;
  bool is_known = true;
  for (unsigned lane = 0; lane < lanes_of(*mask); ++lane) {
    const Constant* bit = known_bit(mask, lane);
    if (bit && bit->isNullValue()) continue;
    if (count != 0 && lane != first + count) return std::nullopt;
    if (count++ == 0) first = lane;
    is_known &= isa_and_nonnull<ConstantInt>(bit);
  }
  if (!is_known && (count != 1 || !follows_question(access, mask))) return std::nullopt;
  return isPowerOf2_32(count) ? std::optional(Run{first, count}) : std::nullopt;
}

Type* of_lanes(Type* vector, unsigned count) {
  Type* element = cast<FixedVectorType>(vector)->getElementType();
  return count == 1 ? element : FixedVectorType::get(element, count);
}

// The lanes of a run, and the others of `rest`.
Value* joined(IRBuilder<>& b, Value* some, Value* rest, Run run) {
  if (run.count == 1) return b.CreateInsertElement(rest, some, uint64_t{run.first});
  SmallVector<int, 32> all(lanes_of(*rest), PoisonMaskElem);
  std::iota(all.begin() + run.first, all.begin() + run.first + run.count, 0);
  Value* widened = b.CreateShuffleVector(some, all);
  if (isa<UndefValue>(rest)) return widened;
  std::iota(all.begin(), all.end(), static_cast<int>(all.size()));
  std::iota(all.begin() + run.first, all.begin() + run.first + run.count, static_cast<int>(run.first));
  return b.CreateShuffleVector(widened, rest, all);
}

Value* lanes_of_run(IRBuilder<>& b, Value* vector, Run run) {
  if (run.count == 1) return b.CreateExtractElement(vector, uint64_t{run.first});
  SmallVector<int, 32> lanes(run.count);
  std::iota(lanes.begin(), lanes.end(), static_cast<int>(run.first));
  return b.CreateShuffleVector(vector, lanes);
}

class Narrowing {
 public:
  Narrowing(IntrinsicInst& access, Run run)
      : access_(access), b_(&access), run_(run), loads_(access.getIntrinsicID() == Intrinsic::masked_load) {}

  void narrow() {
    Type* vector = loads_ ? access_.getType() : access_.getArgOperand(0)->getType();
    const uint64_t size = access_.getDataLayout().getTypeStoreSize(of_lanes(vector, 1)).getFixedValue();
    const unsigned base = loads_ ? 0 : 1;
    Value* all = access_.getArgOperand(base);
    offset_ = run_.first * size;
    narrow_prefetches(*all, size);
    Value* place = offset_ == 0 ? all : b_.CreateConstGEP1_64(b_.getInt8Ty(), all, offset_);
    const Align align = commonAlignment(cast<ConstantInt>(access_.getArgOperand(base + 1))->getAlignValue(), offset_);
    if (loads_)
      access_.replaceAllUsesWith(
          joined(b_, b_.CreateAlignedLoad(of_lanes(vector, run_.count), place, align), access_.getArgOperand(3), run_));
    else
      b_.CreateAlignedStore(lanes_of_run(b_, access_.getArgOperand(0), run_), place, align);
    access_.eraseFromParent();
  }

 private:
  // What is asked for ahead of time for the access alone is its first and its last line, by which lane is on.
  void narrow_prefetches(Value& place, uint64_t size) {
    if (run_.count != 1 || !place.hasNUses(2)) return;
    for (User* user : place.users()) {
      auto* ahead = dyn_cast<GetElementPtrInst>(user);
      if (!ahead || ahead->getParent() != access_.getParent() || !ahead->getSourceElementType()->isIntegerTy(8))
        continue;
      SmallVector<IntrinsicInst*, 2> asks;
      for (User* of : ahead->users()) {
        auto* next = dyn_cast<GetElementPtrInst>(of);
        auto* ask = dyn_cast<IntrinsicInst>(next && next->hasOneUse() ? *next->user_begin() : of);
        if (!ask || ask->getIntrinsicID() != Intrinsic::prefetch || ask->getParent() != ahead->getParent()) return;
        asks.push_back(ask);
      }
      for (IntrinsicInst* ask : drop_begin(asks)) ask->eraseFromParent();
      if (asks.empty()) return;
      IRBuilder<> b(asks[0]);
      asks[0]->setArgOperand(0, b.CreateConstGEP1_64(b.getInt8Ty(), ahead, run_.first * size));
    }
  }

  IntrinsicInst& access_;
  IRBuilder<> b_;
  const Run run_;
  const bool loads_;
  uint64_t offset_ = 0;  ///< bytes
};

// `if (lane == 0) out[...] = v`, wherever that is.
bool narrow_to_one(IntrinsicInst& access) {
  const bool loads = access.getIntrinsicID() == Intrinsic::masked_gather;
  if (!loads && access.getIntrinsicID() != Intrinsic::masked_scatter) return false;
  const auto run = lanes_on(access, access.getArgOperand(loads ? 2 : 3));
  if (!run || run->count != 1) return false;
  IRBuilder<> b(&access);
  const unsigned base = loads ? 0 : 1;
  const Align align(cast<ConstantInt>(access.getArgOperand(base + 1))->getZExtValue());
  Value* place = b.CreateExtractElement(access.getArgOperand(base), uint64_t{run->first});
  if (loads)
    access.replaceAllUsesWith(
        joined(b, b.CreateAlignedLoad(of_lanes(access.getType(), 1), place, align), access.getArgOperand(3), *run));
  else
    b.CreateAlignedStore(b.CreateExtractElement(access.getArgOperand(0), uint64_t{run->first}), place, align);
  access.eraseFromParent();
  return true;
}

}  // namespace

bool narrow_masks(Function& function) {
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(function)))
    if (auto* access = dyn_cast<IntrinsicInst>(&i)) changed |= narrow_to_one(*access);
  SmallVector<std::pair<IntrinsicInst*, Run>, 16> found;
  for (Instruction& i : instructions(function)) {
    auto* access = dyn_cast<IntrinsicInst>(&i);
    if (!access) continue;
    const bool loads = access->getIntrinsicID() == Intrinsic::masked_load;
    if (!loads && access->getIntrinsicID() != Intrinsic::masked_store) continue;
    if (const auto run = lanes_on(*access, access->getArgOperand(loads ? 2 : 3))) found.emplace_back(access, *run);
  }
  for (auto [access, run] : found) Narrowing(*access, run).narrow();
  return changed || !found.empty();
}

}  // namespace lanza::compiler
