// Operations of a warp in vector code. The group is the warp, and those of its lanes that an operation names come to it
// together (warp_meetings.hpp): its members are the active lanes of its mask. Results are those of the thread engine's
// (backend/cpu/warp_operation.cpp).
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/widen/widener.hpp"

using namespace llvm;

namespace lanza::compiler {

void Widener::widen_warp(CallInst& point) {
  switch (sync_kind(point)) {
    case LANZA_SYNC_BALLOT:
      return widen_ballot(point);
    case LANZA_SYNC_SHUFFLE:
      return widen_shuffle(point);
    case LANZA_SYNC_MATCH_ANY:
      return widen_match_any(point);
    case LANZA_SYNC_MATCH_ALL:
      return widen_match_all(point);
    case LANZA_SYNC_REDUCE:
      return widen_reduce(point);
    case LANZA_SYNC_ACTIVEMASK:
      scalars_[&point] = b_.CreateZExt(mask_bits(), b_.getInt64Ty());
      return;
    default:  // lanes in lock step meet everywhere
      set(point, Constant::getNullValue(wide(point.getType())));
  }
}

// The members of the lanes' operations: one word for all, or a word of each lane.
Value* Widener::members(CallInst& point) {
  Value* mask = point.getArgOperand(kSyncMask);
  const bool one = shapes_.is_uniform(mask);
  Value* named = one ? scalar(mask) : vector(mask);
  if (!this->mask()) return named;
  return b_.CreateAnd(named, one ? mask_bits() : splat(mask_bits()));
}

// Inactive lanes may hold poison, which must not spread to the word.
Value* Widener::bits_of(Value* lanes) {
  if (Value* active = mask()) lanes = b_.CreateSelect(active, lanes, Constant::getNullValue(lanes->getType()));
  return b_.CreateBitCast(lanes, bits_type());
}

Value* Widener::lanes_of(Value* bits) { return b_.CreateBitCast(bits, wide(b_.getInt1Ty())); }

// Threads that come to the block, as far as branches on the way and the mask ask for nothing but the thread's index.
std::vector<bool> Widener::threads_at(const BasicBlock* block) {
  std::vector<bool> come;
  auto ask = [&](const Value* condition, bool truth) {
    const auto* values = thread_values_.of(condition);
    if (!values) return;
    come.resize(values->size(), true);
    for (size_t thread = 0; thread < come.size(); ++thread)
      if ((*values)[thread].isOne() != truth) come[thread] = false;
  };
  if (mask_) ask(mask_, true);
  if (!dominators_) dominators_.emplace(kernel_);
  for (const auto* node = dominators_->getNode(block); node; node = node->getIDom()) {
    const BasicBlock *to = node->getBlock(), *from = to->getSinglePredecessor();
    auto* branch = from ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
    if (branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1))
      ask(branch->getCondition(), branch->getSuccessor(0) == to);
  }
  return come;
}

// A word of the thread's index and of nothing else may be the same in all groups, lane by lane: a lane number is, and
// the index itself where only the first warp comes.
Constant* Widener::known_by_lane(const Value* value, const BasicBlock* block) {
  const auto* values = thread_values_.of(value);
  if (!values) return nullptr;
  const std::vector<bool> come = threads_at(block);
  SmallVector<Constant*, 32> lanes(lanes_, PoisonValue::get(value->getType()));
  for (size_t thread = 0; thread < values->size(); ++thread) {
    if (!come.empty() && !come[thread]) continue;
    Constant*& lane = lanes[thread % lanes_];
    Constant* word = ConstantInt::get(value->getType(), (*values)[thread]);
    if (!isa<PoisonValue>(lane) && lane != word) return nullptr;
    lane = word;
  }
  return ConstantVector::get(lanes);
}

void Widener::widen_ballot(CallInst& point) {
  Value* votes = point.getArgOperand(kSyncValue);
  if (auto* number = dyn_cast<ZExtInst>(votes)) votes = number->getOperand(0);
  Value *yes = b_.CreateIsNotNull(vector(votes)), *who = members(point);
  Value* bits = bits_of(yes);
  if (who->getType()->isVectorTy())
    set(point, b_.CreateZExt(b_.CreateAnd(who, splat(bits)), wide(point.getType())));
  else
    scalars_[&point] = b_.CreateZExt(b_.CreateAnd(who, bits), point.getType());
}

// Whether the source lane takes part in the operation of each lane; null: always.
Value* Widener::is_member(CallInst& point, Value* source) {
  Value* who = members(point);
  if (auto* all = dyn_cast<ConstantInt>(who); all && all->isMinusOne()) return nullptr;
  const bool each_own = who->getType()->isVectorTy(), moves = source->getType()->isVectorTy();
  if (moves && !each_own && isa<Constant>(source)) return permuted(lanes_of(who), source);
  if (moves && !each_own) who = splat(who);
  if (each_own && !moves) source = splat(source);
  Value* last = b_.CreateLShr(who, source);
  return b_.CreateTrunc(last, last->getType()->getWithNewBitWidth(1));
}

// Whether 32 bits hold it, whichever way of a branch it came.
static bool is_word(Value* value, const DataLayout& layout) {
  SmallSetVector<Value*, 8> ways;
  ways.insert(value);
  for (size_t k = 0; k < ways.size(); ++k) {
    if (auto* phi = dyn_cast<PHINode>(ways[k]))
      ways.insert(phi->op_begin(), phi->op_end());
    else if (auto* choice = dyn_cast<SelectInst>(ways[k]))
      ways.insert(choice->op_begin() + 1, choice->op_end());
    else if (computeKnownBits(ways[k], layout).countMaxActiveBits() > 32)
      return false;
  }
  return true;
}

void Widener::widen_shuffle(CallInst& point) {
  Value *value = point.getArgOperand(kSyncValue), *aux = point.getArgOperand(kSyncAux);
  const bool is_short = is_word(value, layout_);
  if (auto* word = dyn_cast<ZExtInst>(value); word && word->getSrcTy()->isIntegerTy(32)) value = word->getOperand(0);
  if (shapes_.is_uniform(&point)) {
    Value* source = shapes_.is_uniform(aux) ? b_.CreateAnd(scalar(aux), lanes_ - 1) : b_.getInt32(0);
    scalars_[&point] = b_.CreateZExt(lane_of(value, source), point.getType());
    return;
  }
  Constant* known = known_by_lane(aux, point.getParent());
  Value* source = known                     ? known
                  : shapes_.is_uniform(aux) ? b_.CreateAnd(scalar(aux), lanes_ - 1)
                                            : b_.CreateAnd(vector(aux), splat(b_.getInt32(lanes_ - 1)));
  Value* own = vector(value);
  if (is_short) own = b_.CreateTrunc(own, wide(b_.getInt32Ty()));  // words move at their own width
  Value* moved = permuted(own, source);
  if (Value* there = is_member(point, source)) moved = b_.CreateSelect(there, moved, own);
  set(point, b_.CreateZExt(moved, wide(point.getType())));
}

// Every lane's element at its source.
Value* Widener::permuted(Value* lanes, Value* source) {
  if (!source->getType()->isVectorTy()) return splat(b_.CreateExtractElement(lanes, source));
  if (auto* table = dyn_cast<Constant>(source)) {
    SmallVector<int, 32> sources;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      auto* number = dyn_cast_or_null<ConstantInt>(table->getAggregateElement(lane));
      sources.push_back(number ? static_cast<int>(number->getZExtValue() % lanes_) : PoisonMaskElem);
    }
    return b_.CreateShuffleVector(lanes, sources);
  }
  Type* element = cast<VectorType>(lanes->getType())->getElementType();
  auto* memory =
      new AllocaInst(lanes->getType(), 0, nullptr, Align(64), "lanes", group_function_->getEntryBlock().begin());
  b_.CreateAlignedStore(lanes, memory, Align(64));
  Value* addresses = b_.CreateGEP(element, memory, source);
  return b_.CreateMaskedGather(lanes->getType(), addresses, layout_.getABITypeAlign(element), mask_or_all(), lanes);
}

// Numbers are compared at their own width.
static Value* narrow_operand(CallInst& point) {
  Value* value = point.getArgOperand(kSyncValue);
  auto* number = dyn_cast<ZExtInst>(value);
  return number && number->getSrcTy()->getIntegerBitWidth() >= 8 ? number->getOperand(0) : value;
}

// The active lanes with the same operand as `lane`.
Value* Widener::lanes_equal(CallInst& point, Value* lane) {
  Value* value = narrow_operand(point);
  return bits_of(b_.CreateICmpEQ(vector(value), splat(lane_of(value, lane))));
}

// Sets of lanes, those of the lowest and of the highest lane left in each turn, which may be one: neither waits for the
// other. Of each its members, and the result that they share.
void Widener::widen_by_sets(CallInst& point, function_ref<Set(Value* lane)> of_lane) {
  LLVMContext& c = kernel_.getContext();
  Type* type = wide(b_.getInt32Ty());
  Value* active = mask_bits();
  BasicBlock *before = b_.GetInsertBlock(),
             *each = BasicBlock::Create(c, "set", group_function_, before->getNextNode()),
             *after = BasicBlock::Create(c, "sets", group_function_, each->getNextNode());
  b_.CreateBr(each);
  b_.SetInsertPoint(each);
  PHINode *left = b_.CreatePHI(bits_type(), 2), *results = b_.CreatePHI(type, 2);
  left->addIncoming(active, before);
  results->addIncoming(PoisonValue::get(type), before);
  auto number = [&](uint64_t n) { return ConstantInt::get(bits_type(), n); };
  Value *lowest = b_.CreateBinaryIntrinsic(Intrinsic::cttz, left, b_.getTrue()),
        *above = b_.CreateBinaryIntrinsic(Intrinsic::ctlz, left, b_.getTrue()),
        *rest = b_.CreateAnd(left, b_.CreateSub(left, number(1))),  // one less at least
            *chosen = results;
  for (Value* lane : {lowest, b_.CreateSub(number(lanes_ - 1), above)}) {
    const auto [set, result] = of_lane(lane);
    chosen = b_.CreateSelect(lanes_of(set), splat(b_.CreateZExtOrTrunc(result, b_.getInt32Ty())), chosen);
    rest = b_.CreateAnd(rest, b_.CreateNot(set));
  }
  left->addIncoming(rest, each);
  results->addIncoming(chosen, each);
  b_.CreateCondBr(b_.CreateIsNull(rest), after, each);
  b_.SetInsertPoint(after);
  this->set(point, b_.CreateZExt(chosen, wide(point.getType())));
}

// Of few bits that may differ (a digit of a key): lanes are equal that are so in each of them.
bool Widener::match_bits(CallInst& point, Value* who) {
  constexpr unsigned kMostBits = 10;  // of 1024 values, of which 32 lanes have more than a dozen
  Value* value = narrow_operand(point);
  const KnownBits known = computeKnownBits(value, layout_);
  const APInt differ = ~(known.Zero | known.One);
  if (who->getType()->isVectorTy() || differ.popcount() > kMostBits) return false;
  Type* word = b_.getInt32Ty();
  Value *words = vector(value), *equal = splat(b_.CreateZExtOrTrunc(who, word));
  for (unsigned bit = 0; bit < differ.getBitWidth(); ++bit) {
    if (!differ[bit]) continue;
    Value* is_set = b_.CreateIsNotNull(b_.CreateAnd(words, ConstantInt::get(words->getType(), uint64_t{1} << bit)));
    Value* all = b_.CreateZExtOrTrunc(bits_of(is_set), word);
    equal = b_.CreateAnd(equal, b_.CreateXor(splat(all), b_.CreateSExt(b_.CreateNot(is_set), equal->getType())));
  }
  set(point, b_.CreateZExt(equal, wide(point.getType())));
  return true;
}

void Widener::widen_match_any(CallInst& point) {
  Value* who = members(point);
  if (match_bits(point, who)) return;
  vector(narrow_operand(point));  // before the loop
  widen_by_sets(point, [&](Value* lane) -> Set {
    Value* own = who->getType()->isVectorTy() ? b_.CreateExtractElement(who, lane) : who;
    Value* equal = b_.CreateAnd(lanes_equal(point, lane), own);
    return {equal, equal};
  });
}

void Widener::widen_match_all(CallInst& point) {
  vector(narrow_operand(point));
  Value *who = members(point), *none = ConstantInt::get(bits_type(), 0);
  auto of_set = [&](Value* own, Value* lane) {
    Value* equal = b_.CreateAnd(lanes_equal(point, lane), own);
    return b_.CreateSelect(b_.CreateICmpEQ(equal, own), own, none);
  };
  if (!who->getType()->isVectorTy()) {
    Value* first = b_.CreateAnd(b_.CreateBinaryIntrinsic(Intrinsic::cttz, who, b_.getFalse()), lanes_ - 1);
    scalars_[&point] = b_.CreateZExt(of_set(who, first), point.getType());
    return;
  }
  widen_by_sets(point, [&](Value* lane) -> Set {
    Value* own = b_.CreateExtractElement(who, lane);
    return {own, of_set(own, lane)};
  });
}

static Intrinsic::ID reduction(uint64_t operation) {
  switch (operation) {
    case LANZA_REDUCE_ADD:
      return Intrinsic::vector_reduce_add;
    case LANZA_REDUCE_MIN_SIGNED:
      return Intrinsic::vector_reduce_smin;
    case LANZA_REDUCE_MAX_SIGNED:
      return Intrinsic::vector_reduce_smax;
    case LANZA_REDUCE_MIN_UNSIGNED:
      return Intrinsic::vector_reduce_umin;
    case LANZA_REDUCE_MAX_UNSIGNED:
      return Intrinsic::vector_reduce_umax;
    case LANZA_REDUCE_AND:
      return Intrinsic::vector_reduce_and;
    case LANZA_REDUCE_OR:
      return Intrinsic::vector_reduce_or;
    default:
      return Intrinsic::vector_reduce_xor;
  }
}

// What a lane that is no member brings: it changes nothing.
static uint32_t neutral(uint64_t operation) {
  switch (operation) {
    case LANZA_REDUCE_MIN_SIGNED:
      return INT32_MAX;
    case LANZA_REDUCE_MAX_SIGNED:
      return static_cast<uint32_t>(INT32_MIN);
    case LANZA_REDUCE_MIN_UNSIGNED:
    case LANZA_REDUCE_AND:
      return UINT32_MAX;
    default:
      return 0;
  }
}

Value* Widener::reduced(CallInst& point, Value* lanes, Value* members) {
  const uint64_t operation = cast<ConstantInt>(point.getArgOperand(kSyncAux))->getZExtValue();
  Value* others = splat(b_.getInt32(neutral(operation)));
  return b_.CreateUnaryIntrinsic(reduction(operation), b_.CreateSelect(lanes_of(members), lanes, others));
}

void Widener::widen_reduce(CallInst& point) {
  Value *words = b_.CreateTrunc(vector(point.getArgOperand(kSyncValue)), wide(b_.getInt32Ty())), *who = members(point);
  if (!who->getType()->isVectorTy()) {
    scalars_[&point] = b_.CreateZExt(reduced(point, words, who), point.getType());
    return;
  }
  widen_by_sets(point, [&](Value* lane) -> Set {
    Value* own = b_.CreateExtractElement(who, lane);
    return {own, reduced(point, words, own)};
  });
}

}  // namespace lanza::compiler
