#include "compiler/passes/lone_ends.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/cycle_ways.hpp"
#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// An array, as far as the kernel names it: a parameter, a pointer in a parameter, a variable.
struct Array {
  const Value* object = nullptr;  ///< null: not known
  APInt offset = APInt(64, 0);    ///< of the pointer in the parameter

  bool operator==(const Array& other) const { return object == other.object && offset == other.offset; }
};

}  // namespace

static Array array_of(const Value* pointer) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(pointer, objects);
  if (objects.size() != 1) return {};
  if (isa<Argument, GlobalVariable, AllocaInst>(objects[0])) return {objects[0]};
  auto* load = dyn_cast<LoadInst>(objects[0]);
  if (!load) return {};
  const DataLayout& layout = load->getModule()->getDataLayout();
  APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
  const Value* base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  auto* parameter = dyn_cast<Argument>(base->stripPointerCasts());
  if (!parameter || !parameter->hasByValAttr()) return {};
  return {parameter, offset.sextOrTrunc(64) + 1};
}

// Null: nothing is written, or only what has no name here. False where that is not known.
static bool is_known_write(const Instruction& i, const Value*& place) {
  place = nullptr;
  if (auto* store = dyn_cast<StoreInst>(&i)) place = store->getPointerOperand();
  if (auto* operation = dyn_cast<AtomicRMWInst>(&i)) place = operation->getPointerOperand();
  if (auto* swap = dyn_cast<AtomicCmpXchgInst>(&i)) place = swap->getPointerOperand();
  if (auto* memory = dyn_cast<AnyMemIntrinsic>(&i)) place = memory->getRawDest();
  auto* call = dyn_cast<CallBase>(&i);
  if (place || !call || !call->mayWriteToMemory()) return true;
  return call->getCalledFunction() && call->getCalledFunction()->isDeclaration();
}

// Whether everything that the kernel writes to `array` is something that `may_be`.
static bool all_writes(const Function& kernel, const Array& array, function_ref<bool(const Instruction&)> may_be) {
  if (!array.object || !kernel.use_empty()) return false;
  return all_of(instructions(kernel), [&](const Instruction& i) {
    const Value* place = nullptr;
    if (!is_known_write(i, place)) return false;
    if (!place) return true;
    const Array written = array_of(place);
    return (written.object && !(written == array)) || may_be(i);
  });
}

static bool is_shared(const Array& array) {
  auto* variable = dyn_cast<GlobalVariable>(array.object);
  return variable && variable->getAddressSpace() == 3;
}

static bool is_barrier(const Instruction& i) {
  CallInst* point = as_sync(const_cast<Instruction&>(i));
  return point && sync_kind(*point) == LANZA_SYNC_BARRIER;
}

// What threads of the block may do while others are in the cycle: there is a way between the two without a barrier.
static SmallPtrSet<const Instruction*, 32> beside(const Cycle& cycle) {
  SmallPtrSet<const Instruction*, 32> found;
  SmallPtrSet<const BasicBlock*, 16> seen_forwards, seen_backwards;
  SmallVector<const BasicBlock*, 16> forwards(cycle.blocks()), backwards(cycle.blocks());
  auto add = [&](auto&& code) {  // false: a barrier ends it
    for (const Instruction& i : code) {
      if (is_barrier(i)) return false;
      found.insert(&i);
    }
    return true;
  };
  for (const BasicBlock* block : cycle.blocks()) add(*block);
  while (!forwards.empty())
    for (const BasicBlock* next : successors(forwards.pop_back_val()))
      if (seen_forwards.insert(next).second && add(*next)) forwards.push_back(next);
  while (!backwards.empty())
    for (const BasicBlock* before : predecessors(backwards.pop_back_val()))
      if (seen_backwards.insert(before).second && add(reverse(*before))) backwards.push_back(before);
  return found;
}

static bool comes_from(const Value* v, const AtomicCmpXchgInst& exchange, unsigned depth = 4) {
  while (auto* cast = dyn_cast<CastInst>(v)) v = cast->getOperand(0);
  if (auto* extract = dyn_cast<ExtractValueInst>(v))
    return extract->getAggregateOperand() == &exchange && extract->getIndices()[0] == 0;
  if (depth == 0 || !(isa<PHINode>(v) || isa<SelectInst>(v))) return false;
  return any_of(cast<User>(v)->operands(), [&](const Value* x) { return comes_from(x, exchange, depth - 1); });
}

LoneEnds::LoneEnds(const Cycle& cycle) : cycle_(cycle) {
  for (BasicBlock* block : cycle.blocks())
    for (Instruction& i : *block)
      if (auto* swap = dyn_cast<AtomicCmpXchgInst>(&i))
        look_at(*swap);
      else if (auto* operation = dyn_cast<AtomicRMWInst>(&i); operation && counts_up(*operation))
        accesses_.insert(operation);
}

void LoneEnds::look_at(const AtomicCmpXchgInst& swap) {
  places_.insert(swap.getPointerOperand());
  if (!leaves(swap, true)) return;
  const bool retries = comes_from(swap.getCompareOperand(), swap) || expects_what_it_loads(swap) || finds_root(swap);
  const bool takes = !retries && is_take(swap);
  if (!retries && !takes) return;
  takes_ |= takes;
  accesses_.insert(&swap);
  for (const User* user : swap.getPointerOperand()->users()) {
    auto* load = dyn_cast<LoadInst>(user);
    if (load && cycle_.contains(load->getParent()) && leads_to(*load, swap, takes)) accesses_.insert(load);
  }
}

// The element of an array with a variable index.
static const Value* index_of(const Value* pointer, const Value*& base, const Type*& type) {
  auto* place = dyn_cast<GetElementPtrInst>(pointer);
  if (!place || place->getNumIndices() != 1) return nullptr;
  base = place->getPointerOperand();
  type = place->getSourceElementType();
  const Value* index = place->getOperand(1);
  while (isa<SExtInst, ZExtInst>(index)) index = cast<CastInst>(index)->getOperand(0);
  return index;
}

// a[v] == v was seen in this turn on each way to `place`, the array being that of `swap`.
static bool is_seen_root(const Value* v, const Use& place, const AtomicCmpXchgInst& swap, const Cycle& cycle,
                         const DominatorTree& dominators) {
  const Value *base = nullptr, *other_base = nullptr;
  const Type *type = nullptr, *other_type = nullptr;
  index_of(swap.getPointerOperand(), base, type);
  for (const User* user : v->users()) {
    auto* compare = dyn_cast<ICmpInst>(user);
    if (!compare || !compare->isEquality()) continue;
    auto* load = dyn_cast<LoadInst>(compare->getOperand(compare->getOperand(0) == v ? 1 : 0));
    if (!load || index_of(load->getPointerOperand(), other_base, other_type) != v || other_base != base ||
        other_type != type)
      continue;
    for (const User* asked : compare->users()) {
      auto* branch = dyn_cast<BranchInst>(asked);
      if (!branch || !cycle.contains(branch->getParent())) continue;
      const BasicBlockEdge equal(branch->getParent(),
                                 branch->getSuccessor(compare->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1));
      if (dominators.dominates(equal, place)) return true;
    }
  }
  return false;
}

// So it is for v, or for each of several values of which v is one. What a phi of an entry has is of another turn.
static bool is_root(const Value* v, const Use& place, const AtomicCmpXchgInst& swap, const Cycle& cycle,
                    const DominatorTree& dominators, unsigned depth = 4) {
  auto* i = dyn_cast<Instruction>(v);
  if (!i || !cycle.contains(i->getParent()) || depth == 0) return false;
  if (is_seen_root(v, place, swap, cycle, dominators)) return true;
  auto each_at = [&](const Use& x, const Use& where) { return is_root(x, where, swap, cycle, dominators, depth - 1); };
  auto each = [&](const Use& x) { return each_at(x, place); };
  if (auto* extremum = dyn_cast<MinMaxIntrinsic>(i)) return all_of(extremum->args(), each);
  if (auto* choice = dyn_cast<SelectInst>(i)) return each(choice->getOperandUse(1)) && each(choice->getOperandUse(2));
  auto* phi = dyn_cast<PHINode>(i);
  if (!phi || cycle.isEntry(phi->getParent())) return false;
  if (phi->getNumIncomingValues() == 1) return each(phi->getOperandUse(0));
  return all_of(phi->incoming_values(), [&](const Use& x) { return each_at(x, x); });
}

// It hooks a root below another one, in union-find, and looks for the root again if that was no root any more.
bool LoneEnds::finds_root(const AtomicCmpXchgInst& swap) const {
  const Value* base = nullptr;
  const Type* type = nullptr;
  if (index_of(swap.getPointerOperand(), base, type) != swap.getCompareOperand()) return false;
  const DominatorTree dominators(*const_cast<Function*>(swap.getFunction()));
  return is_root(swap.getCompareOperand(), swap.getOperandUse(1), swap, cycle_, dominators);
}

// In the same turn.
bool LoneEnds::expects_what_it_loads(const AtomicCmpXchgInst& swap) const {
  const Value* expected = swap.getCompareOperand();
  while (auto* cast = dyn_cast<CastInst>(expected)) expected = cast->getOperand(0);
  auto* load = dyn_cast<LoadInst>(expected);
  return load && cycle_.contains(load->getParent()) && load->getPointerOperand() == swap.getPointerOperand();
}

// A thread's own memory, or shared memory: none that a parameter points to.
static bool is_of_block(const Array& array) {
  return array.object && (isa<AllocaInst>(array.object) || is_shared(array));
}

// As a lock is released, be it by another parameter with the same address.
static bool gives_back(const Instruction& i, const Value* expected) {
  const Value* place = nullptr;
  if (!is_known_write(i, place) || !place || is_of_block(array_of(place))) return false;
  if (auto* store = dyn_cast<StoreInst>(&i)) return store->getValueOperand() == expected;
  auto* operation = dyn_cast<AtomicRMWInst>(&i);
  if (!operation) return false;
  auto* by = dyn_cast<ConstantInt>(operation->getValOperand());
  switch (operation->getOperation()) {
    case AtomicRMWInst::Xchg:
      return operation->getValOperand() == expected;
    case AtomicRMWInst::Add:
      return by && by->isNegative();
    case AtomicRMWInst::And:
    case AtomicRMWInst::Sub:
      return true;
    default:
      return false;
  }
}

// Where in a record of an array an access lies: records of a power of two, that of the steps from one to another.
namespace {
struct Member {
  const Value* array = nullptr;
  uint64_t record = 0, first = 0, end = 0;
};
}  // namespace

static Member member_of(const Instruction& access) {
  const Value* place = nullptr;
  if (!is_known_write(access, place) || !place || isa<AnyMemIntrinsic>(access)) return {};
  const DataLayout& layout = access.getModule()->getDataLayout();
  uint64_t steps = uint64_t{1} << 32;
  APInt constant(64, 0);
  while (auto* step = dyn_cast<GEPOperator>(place)) {
    MapVector<Value*, APInt> variables;
    if (!step->collectOffset(layout, 64, variables, constant)) return {};
    for (const auto& [variable, scale] : variables) steps |= scale.getZExtValue();
    place = step->getPointerOperand();
  }
  const uint64_t record = steps & -steps, first = constant.getZExtValue() & (record - 1);
  auto* store = dyn_cast<StoreInst>(&access);
  Type* type = store ? store->getValueOperand()->getType() : access.getOperand(1)->getType();
  return {place, record, first, first + layout.getTypeStoreSize(type).getFixedValue()};
}

// `table[slot].value = value;` writes no key of a table, whichever slot it is.
static bool writes_another_member(const Instruction& write, const AtomicCmpXchgInst& swap) {
  const Member a = member_of(write), b = member_of(swap);
  if (!a.array || a.array != b.array) return false;
  const uint64_t record = std::min(a.record, b.record);
  auto within = [&](const Member& m) { return m.end - m.first + (m.first & (record - 1)) <= record; };
  if (!within(a) || !within(b)) return false;
  const uint64_t from_a = a.first & (record - 1), from_b = b.first & (record - 1);
  return from_a + a.end - a.first <= from_b || from_b + b.end - b.first <= from_a;
}

bool LoneEnds::is_take(const AtomicCmpXchgInst& swap) const {
  const Value* expected = swap.getCompareOperand();
  if (!isa<Constant, Argument>(expected) || swap.isVolatile()) return false;
  const Array array = array_of(swap.getPointerOperand());
  if (!array.object || (is_fixed(swap.getPointerOperand()) && !leaves(swap, false))) return false;
  if (!is_shared(array) &&
      any_of(instructions(*swap.getFunction()), [&](const Instruction& i) { return gives_back(i, expected); }))
    return false;
  SmallPtrSet<const Instruction*, 32> beside_it;
  if (is_shared(array)) beside_it = beside(cycle_);
  return all_writes(*swap.getFunction(), array, [&](const Instruction& i) {
    auto* other = dyn_cast<AtomicCmpXchgInst>(&i);
    if (other && other->getCompareOperand() == expected) return true;
    if (writes_another_member(i, swap)) return true;
    return is_shared(array) && !beside_it.contains(&i);
  });
}

bool LoneEnds::is_fixed(const Value* v) const {
  auto* i = dyn_cast<Instruction>(v);
  return !i || !cycle_.contains(i->getParent());
}

// At one place, and leaves the cycle when it has come to what does not change.
bool LoneEnds::counts_up(const AtomicRMWInst& operation) const {
  auto* step = dyn_cast<ConstantInt>(operation.getValOperand());
  if (operation.getOperation() != AtomicRMWInst::Add || !step || !step->getValue().isStrictlyPositive()) return false;
  auto* branch = dyn_cast<BranchInst>(operation.getParent()->getTerminator());
  auto* compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  if (!compare || !is_fixed(operation.getPointerOperand())) return false;
  const bool is_first = compare->getOperand(0) == &operation;
  if (!is_first && compare->getOperand(1) != &operation) return false;
  if (!is_fixed(compare->getOperand(is_first ? 1 : 0))) return false;
  const CmpInst::Predicate with_bound = is_first ? compare->getPredicate() : compare->getSwappedPredicate();
  if (!ICmpInst::isRelational(with_bound)) return false;
  const bool is_below = ICmpInst::isLT(with_bound) || ICmpInst::isLE(with_bound);
  return !cycle_.contains(branch->getSuccessor(is_below ? 1 : 0));
}

bool LoneEnds::leaves(const AtomicCmpXchgInst& swap, bool succeeds) const {
  const Value* expected = swap.getCompareOperand();
  CycleWays ways(cycle_, swap.getParent(), false);
  CycleWays::Known known;
  const Value* found = nullptr;
  for (const User* user : swap.users()) {
    auto* part = dyn_cast<ExtractValueInst>(user);
    if (!part) continue;
    if (part->getIndices()[0] == 1) {
      known[part] = ConstantInt::getBool(part->getType(), succeeds);
      continue;
    }
    if (!found) found = succeeds ? expected : part;
    known[part] = found;
  }
  if (!succeeds) ways.let_differ(found, expected);
  return ways.end_well(swap.getParent(), known);
}

bool LoneEnds::leads_to(const LoadInst& load, const AtomicCmpXchgInst& swap, bool only_if_expected) const {
  if (load.getParent() == swap.getParent()) return load.comesBefore(&swap);
  CycleWays::Known known;
  if (only_if_expected) known[&load] = swap.getCompareOperand();
  return CycleWays(cycle_, swap.getParent(), true).end_well(load.getParent(), known);
}

bool LoneEnds::is_written(const LoadInst& load) const {
  return !all_writes(*load.getFunction(), array_of(load.getPointerOperand()),
                     [](const Instruction& /*i*/) { return false; });
}

}  // namespace lanza::compiler
