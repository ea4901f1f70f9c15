// Atomic operations of all lanes: one for all of them where they meet at one address, vectors where they are neighbours
// in memory of the block, else one after the other.
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/widen/widener.hpp"

using namespace llvm;

namespace lanza::compiler {

// What changes nothing; null for operations whose order shows (of floats) or that do not add up.
static Constant* neutral(AtomicRMWInst::BinOp operation, Type* type) {
  if (!type->isIntegerTy()) return nullptr;
  const unsigned bits = type->getIntegerBitWidth();
  auto number = [&](const APInt& value) { return ConstantInt::get(type, value); };
  switch (operation) {
    case AtomicRMWInst::Add:
    case AtomicRMWInst::Sub:
    case AtomicRMWInst::Or:
    case AtomicRMWInst::Xor:
    case AtomicRMWInst::UMax:
      return number(APInt::getZero(bits));
    case AtomicRMWInst::And:
    case AtomicRMWInst::UMin:
      return number(APInt::getMaxValue(bits));
    case AtomicRMWInst::Max:
      return number(APInt::getSignedMinValue(bits));
    case AtomicRMWInst::Min:
      return number(APInt::getSignedMaxValue(bits));
    default:
      return nullptr;
  }
}

static Value* reduce(IRBuilder<>& b, AtomicRMWInst::BinOp operation, Value* lanes) {
  switch (operation) {
    case AtomicRMWInst::Or:
      return b.CreateOrReduce(lanes);
    case AtomicRMWInst::Xor:
      return b.CreateXorReduce(lanes);
    case AtomicRMWInst::And:
      return b.CreateAndReduce(lanes);
    case AtomicRMWInst::Max:
    case AtomicRMWInst::UMax:
      return b.CreateIntMaxReduce(lanes, operation == AtomicRMWInst::Max);
    case AtomicRMWInst::Min:
    case AtomicRMWInst::UMin:
      return b.CreateIntMinReduce(lanes, operation == AtomicRMWInst::Min);
    default:
      return b.CreateAddReduce(lanes);
  }
}

// Where no other thread works on the memory meanwhile.
template <class Operation>
bool Widener::is_at_neighbours(const Operation& i, Type* type) const {
  const Shape shape = shapes_[i.getPointerOperand()];
  return i.getSyncScopeID() == SyncScope::SingleThread && !i.isVolatile() && shape.is_strided() &&
         shape.stride == static_cast<int64_t>(layout_.getTypeStoreSize(type)) && has_lanes_in_memory(layout_, type);
}

void Widener::widen_atomic(AtomicRMWInst& i) {
  if (is_at_neighbours(i, i.getType())) return update_neighbours(i);
  if (const auto lane = only_lane(i.getParent())) return update_by(i, *lane);
  if (change_extremum(i)) return;
  const bool sums = i.getOperation() == AtomicRMWInst::Add || i.getOperation() == AtomicRMWInst::Sub;
  if (shapes_.is_uniform(i.getPointerOperand()) && !i.isVolatile() && neutral(i.getOperation(), i.getType()) &&
      (i.use_empty() || sums))
    return combine(i, mask());
  if (!i.use_empty()) return serialise(i);
  in_turn(i);
}

// In blocks of its own, of which nothing is used elsewhere.
void Widener::widen_lone(AtomicRMWInst& i) {
  Value* place = i.getPointerOperand();
  if (!shapes_[place].is_varying()) scalar(place);
  if (!is_at_neighbours(i, i.getType()) && !shapes_.is_uniform(place)) vector(place);
  vector(i.getValOperand());
  mask();
  auto add = [&](const char* name) {
    return BasicBlock::Create(kernel_.getContext(), name, group_function_, b_.GetInsertBlock()->getNextNode());
  };
  const auto known = here_;
  BasicBlock *after = add("updated"), *update = add("update");
  b_.CreateBr(update);
  b_.SetInsertPoint(update);
  widen_atomic(i);
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  here_ = known;
  lone_updates_.emplace_back(update, after);
}

// Where no other thread works on the memory meanwhile, and idle lanes have a place of their size.
static bool is_plain(const AtomicRMWInst& i) {
  const uint64_t bits = i.getType()->getPrimitiveSizeInBits();
  return i.getSyncScopeID() == SyncScope::SingleThread && !i.isVolatile() && bits != 0 && bits <= 64;
}

// Few blocks come there: a loop over lanes is the shortest code.
bool Widener::is_seldom(BasicBlock* block) {
  if (!dominators_) dominators_.emplace(kernel_);
  for (const auto* node = dominators_->getNode(block); node; node = node->getIDom())
    if (CallInst* point = as_block_sync(node->getBlock()->front()); point && point->hasMetadata(kSeldom)) return true;
  return false;
}

// Of so many operations, two pieces of code for each lane, a kernel took seconds to compile. Plain ones are shorter,
// and in a loop over lanes take 1.3 to 1.7 times as long to run; 320 of them compiled in 1.3 s, as loops in 0.7. Each
// of the kernel's that may be alone counts twice (ask_whether_alone()).
bool Widener::has_many_atomics(bool are_plain) {
  constexpr auto kMany = 64, kManyPlain = 256;
  if (!atomics_) atomics_ = count_if(instructions(kernel_), [](const Instruction& i) { return i.isAtomic(); });
  return *atomics_ > (are_plain ? kManyPlain : kMany);
}

// Nobody asks for the results.
void Widener::in_turn(Instruction& i) {
  auto* update = dyn_cast<AtomicRMWInst>(&i);
  const bool is_alone = update && is_plain(*update);
  if (is_seldom(i.getParent()) || has_many_atomics(is_alone)) return serialise(i);
  if (!mask()) return one_by_one(i);
  const auto known = here_;
  const Branches branches = branch_on_all_active();
  one_by_one(i);
  b_.CreateBr(branches.after);
  here_ = known;
  b_.SetInsertPoint(branches.partly);
  if (is_alone)
    all_take_part(*update);
  else
    serialise(i);
  b_.CreateBr(branches.after);
  here_ = known;
  b_.SetInsertPoint(branches.after);
}

// Idle lanes at places that nobody reads, unless few lanes are active: to ask each lane, which no processor foresees,
// takes longer (a histogram of four values out of five: 531 and 100 us).
void Widener::all_take_part(AtomicRMWInst& i) {
  Value* bits = mask_bits();
  Value* few = ConstantInt::get(bits_type(), lanes_ / 4);
  const auto known = here_;
  const Branches branches = branch_on(b_.CreateICmpUGT(b_.CreateUnaryIntrinsic(Intrinsic::ctpop, bits), few));
  Value* aside = b_.CreateGEP(b_.getInt64Ty(), emit_scratch(b_), steps(b_.getInt64Ty(), 1));
  Value* places = b_.CreateSelect(mask(), vector(i.getPointerOperand()), aside);
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    Instruction* copy = i.clone();
    copy->setOperand(0, b_.CreateExtractElement(places, lane));
    copy->setOperand(1, lane_of(i.getValOperand(), b_.getInt32(lane)));
    b_.Insert(copy)->setDebugLoc(i.getDebugLoc());
    note_lane_by_lane(*copy, i);
  }
  b_.CreateBr(branches.after);
  here_ = known;
  b_.SetInsertPoint(branches.partly);
  serialise(i);
  b_.CreateBr(branches.after);
  b_.SetInsertPoint(branches.after);
}

// The one that always is on, where no other is: `if (threadIdx.x % 32 == 0)`.
std::optional<unsigned> Widener::only_lane(const BasicBlock* block) {
  if (!mask_ || group_.whole_rows) return {};
  const std::vector<bool> come = threads_at(block);
  std::optional<unsigned> only;
  for (unsigned thread = 0; thread < come.size(); ++thread) {
    if (!come[thread]) continue;
    const unsigned lane = group_.lane_of(thread);
    if (only && *only != lane) return {};
    only = lane;
  }
  return only;
}

// Some lane is active: linearise() sees to that.
void Widener::update_by(AtomicRMWInst& i, unsigned lane) {
  Instruction* copy = i.clone();
  for (Use& operand : copy->operands()) operand.set(lane_of(operand, b_.getInt32(lane)));
  b_.Insert(copy);
  copy->setDebugLoc(i.getDebugLoc());
  if (!i.use_empty()) set(i, splat(copy));
}

// Some lane is active: linearise() sees to that. Each gets what it would have found in the order of lanes.
void Widener::combine(AtomicRMWInst& i, Value* active) {
  Value* lanes = vector(i.getValOperand());
  if (active)
    lanes = b_.CreateSelect(
        active, lanes,
        ConstantVector::getSplat(ElementCount::getFixed(lanes_), neutral(i.getOperation(), i.getType())));
  Value* sums = lanes;
  Value* all;
  if (i.use_empty()) {
    all = reduce(b_, i.getOperation(), lanes);
  } else {
    Constant* none = Constant::getNullValue(lanes->getType());
    for (unsigned step = 1; step < lanes_; step *= 2) {
      SmallVector<int, 64> below;
      for (unsigned lane = 0; lane < lanes_; ++lane) below.push_back(lane < step ? lanes_ : lane - step);
      sums = b_.CreateAdd(sums, b_.CreateShuffleVector(sums, none, below));
    }
    all = b_.CreateExtractElement(sums, lanes_ - 1);
  }
  Instruction* copy = i.clone();
  copy->setOperand(0, scalar(i.getPointerOperand()));
  copy->setOperand(1, all);
  b_.Insert(copy);
  copy->setDebugLoc(i.getDebugLoc());
  if (i.use_empty()) return;
  Value* before = b_.CreateSub(sums, lanes);
  Value* found = splat(copy);
  set(i, i.getOperation() == AtomicRMWInst::Add ? b_.CreateAdd(found, before) : b_.CreateSub(found, before));
}

Value* Widener::found_by_neighbours(Type* type, Value* base, Align align, Value* active) {
  Instruction* found =
      active ? static_cast<Instruction*>(b_.CreateMaskedLoad(type, base, align, active, Constant::getNullValue(type)))
             : b_.CreateAlignedLoad(type, base, align);
  found->setMetadata(kFound, MDNode::get(b_.getContext(), {}));
  return found;
}

// Each lane is the only one at its place.
void Widener::widen_exchange(AtomicCmpXchgInst& i) {
  Type* element = i.getNewValOperand()->getType();
  if (!is_at_neighbours(i, element)) return serialise(i);
  Type* type = wide(element);
  Value *base = scalar(i.getPointerOperand()), *active = mask();
  Value* old = found_by_neighbours(type, base, i.getAlign(), active);
  Value* equal = b_.CreateICmpEQ(old, vector(i.getCompareOperand()));
  b_.CreateMaskedStore(vector(i.getNewValOperand()), base, i.getAlign(), active ? b_.CreateAnd(active, equal) : equal);
  set(i, b_.CreateInsertValue(b_.CreateInsertValue(PoisonValue::get(wide(i.getType())), old, 0), equal, 1));
}

void Widener::update_neighbours(AtomicRMWInst& i) {
  Type* type = wide(i.getType());
  Value *base = scalar(i.getPointerOperand()), *active = mask();
  Value* old = found_by_neighbours(type, base, i.getAlign(), active);
  Value* updated = buildAtomicRMWValue(i.getOperation(), b_, old, vector(i.getValOperand()));
  if (active)
    b_.CreateMaskedStore(updated, base, i.getAlign(), active);
  else
    b_.CreateAlignedStore(updated, base, i.getAlign());
  set(i, old);
}

// Straight code for all lanes.
void Widener::one_by_one(Instruction& i) {
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    Instruction* copy = i.clone();
    for (Use& operand : copy->operands()) operand.set(lane_of(operand, b_.getInt32(lane)));
    b_.Insert(copy);
    copy->setDebugLoc(i.getDebugLoc());
    note_lane_by_lane(*copy, i);
  }
}

}  // namespace lanza::compiler
