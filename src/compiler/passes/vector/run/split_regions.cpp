#include "compiler/passes/vector/run/split_regions.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/group_ways.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/run/mask_words.hpp"
#include "compiler/passes/vector/run/order_groups.hpp"
#include "compiler/passes/vector/run/recipes.hpp"
#include "compiler/passes/vector/run/stagger_arrays.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

const Align kSlotAlign(64);
constexpr uint64_t kManyBytes = 16384;     // of slots: then they lie side by side
constexpr unsigned kFewGroups = 16;        // loops over so many are straight code
constexpr uint64_t kRegisterBytes = 2048;  // slots of no more become registers

uint64_t private_bytes(const AllocaInst& array) {
  return alignTo(array.getDataLayout().getTypeAllocSize(array.getAllocatedType()), array.getAlign());
}

// The blocks at whose beginning `value` is still wanted.
SmallPtrSet<BasicBlock*, 16> live_in(Instruction& value) {
  SmallPtrSet<BasicBlock*, 16> live;
  SmallVector<BasicBlock*, 16> work;
  auto wanted_in = [&](BasicBlock* block) {
    if (block != value.getParent() && live.insert(block).second) work.push_back(block);
  };
  for (Use& use : value.uses()) {
    auto* user = cast<Instruction>(use.getUser());
    auto* phi = dyn_cast<PHINode>(user);
    wanted_in(phi ? phi->getIncomingBlock(use) : user->getParent());
  }
  while (!work.empty()) for_each(predecessors(work.pop_back_val()), wanted_in);
  return live;
}

SetVector<BasicBlock*> reachable_from(BasicBlock* entry, function_ref<bool(BasicBlock*)> ends) {
  SetVector<BasicBlock*> blocks;
  blocks.insert(entry);
  for (size_t i = 0; i < blocks.size(); ++i)
    if (BasicBlock* block = blocks[i]; !ends(block)) blocks.insert(succ_begin(block), succ_end(block));
  return blocks;
}

bool has_point(BasicBlock* block) { return as_block_sync(block->front()); }

}  // namespace

unsigned size_of_regions(Function& kernel) {
  SmallVector<BasicBlock*, 16> entries{&kernel.getEntryBlock()};
  for (BasicBlock& block : kernel)
    if (has_point(&block)) entries.push_back(block.getSingleSuccessor());
  unsigned size = 0;
  for (BasicBlock* entry : entries)
    for (BasicBlock* block : reachable_from(entry, has_point)) size += static_cast<unsigned>(block->size());
  return size;
}

RegionSplitter::RegionSplitter(Function& run, BasicBlock* body, unsigned groups, const BlockUniformity& uniformity,
                               const Memory& memory)
    : run_(run), body_(body), groups_(groups), original_(reachable_from(body, [](BasicBlock*) { return false; })) {
  const bool has_points = any_of(original_, has_point);
  if (has_points) {
    place_private_memory(memory);
    cut_at_barriers();
  }
  find_downwards();
  if (has_points) find_crossing(uniformity);
  for (Instruction* i : dead_) i->eraseFromParent();
  if (has_points) demote(memory);
}

RegionSplitter::~RegionSplitter() {
  for (Variable& v : variables_) delete v.recipe;
}

// What a barrier counts is summed up in front of it; behind it stands the call, for its result.
void RegionSplitter::cut_at_barriers() {
  SmallVector<CallInst*, 8> points;
  for (BasicBlock* block : original_)
    if (CallInst* point = as_sync(block->front())) points.push_back(point);
  for (CallInst* point : points) {
    Cut cut{point->getParent(), point->getParent()->getSingleSuccessor()};
    cut.is_seldom = point->hasMetadata(kSeldom);
    cut.line = line_of_kernel(*point);
    cut.is_of_grid = sync_kind(*point) == LANZA_SYNC_GRID;
    if (sync_kind(*point) == LANZA_SYNC_BARRIER_COUNT) {
      Builder b(point);
      cut.count = new AllocaInst(b.getInt64Ty(), 0, "count", run_.getEntryBlock().begin());
      b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), cut.count), point->getArgOperand(kSyncValue)), cut.count);
      point->setArgOperand(kSyncValue, b.getInt64(0));
      point->moveBefore(&*cut.after->getFirstInsertionPt());
      cut.result = point;
    } else {
      dead_.push_back(point);
    }
    cuts_.push_back(cut);
  }
}

void RegionSplitter::find_downwards() {
  downwards_.resize(count());
  for (unsigned r = 0; r < count(); ++r) downwards_[r] = goes_downwards(blocks_of(r).getArrayRef());
  for (BasicBlock* block : original_)
    for (Instruction& i : *block)
      if (marks_downwards(i)) dead_.push_back(&i);
}

// Of the kernel's own variables: copies of arguments are made in front of the blocks.
void RegionSplitter::place_private_memory(const Memory& memory) {
  for (BasicBlock* block : original_)
    for (Instruction& i : *block)
      if (i.isLifetimeStartOrEnd()) dead_.push_back(&i);
  for (Instruction& i : run_.getEntryBlock()) {
    auto* array = dyn_cast<AllocaInst>(&i);
    auto is_own = [&](User* user) { return original_.contains(cast<Instruction>(user)->getParent()); };
    if (array && all_of(array->users(), is_own)) private_.push_back({array, nullptr});
  }
  for (auto& [array, slot] : private_)
    slot = memory(staggered(private_bytes(*array) * groups_), std::max(array->getAlign(), Align(16)));
}

// Where the mask is kept that lanes voted by, the word is made of it again, and not kept beside it.
void RegionSplitter::vote_again() {
  for (BasicBlock* block : original_)
    for (Instruction& i : *block) {
      Instruction* mask = mask_of_word(i);
      if (!mask) continue;
      if (const BitVector live = wanted_behind(i); live.none() || live.test(wanted_behind(*mask))) continue;
      for (Use& use : make_early_inc_range(i.uses())) {
        auto* user = cast<Instruction>(use.getUser());
        if (!isa<PHINode>(user) && user->getParent() != block) use.set(Builder(user).CreateBitCast(mask, i.getType()));
      }
    }
}

void RegionSplitter::find_crossing(const BlockUniformity& uniformity) {
  vote_again();
  SmallVector<std::pair<Instruction*, BitVector>, 32> crossing;
  for (BasicBlock* block : original_)
    for (Instruction& i : *block) {
      if (i.getType()->isVoidTy() || i.getType()->isTokenTy()) continue;
      if (all_of(i.users(), [&](User* u) { return cast<Instruction>(u)->getParent() == block && !isa<PHINode>(u); }))
        continue;
      if (const BitVector live = wanted_behind(i); live.any()) crossing.push_back({&i, live});
    }
  // Recipes are written while all values still are what they were.
  for (auto& [value, live] : crossing) keep(*value, live, uniformity.is_uniform(*value));
  for (size_t i = 0, all = variables_.size(); i < all; ++i)
    if (variables_[i].kept == Kept::InSlots) make_of_shared(i);
}

// At the beginning of which regions a value is still wanted.
BitVector RegionSplitter::wanted_behind(Instruction& value) const {
  const auto blocks = live_in(value);
  BitVector live(count());
  for (unsigned k = 0; k < cuts_.size(); ++k) live[k + 1] = blocks.contains(cuts_[k].after);
  return live;
}

void RegionSplitter::keep(Instruction& value, BitVector live, bool uniform) {
  Variable v{&value, value.getParent(), std::move(live), uniform ? Kept::OnceABlock : Kept::InSlots};
  if (const auto steps = recipe_of(value, original_, [](const Instruction&) { return false; })) {
    v.kept = Kept::Recomputed;
    v.recipe = write_recipe(*steps, run_.getContext(), {});
  } else if (uniform) {
    v.once = once_a_block(value);
  }
  variables_.push_back(std::move(v));
}

AllocaInst* RegionSplitter::once_a_block(const Instruction& value) const {
  return new AllocaInst(value.getType(), 0, "uniform", run_.getEntryBlock().begin());
}

std::vector<RegionSplitter::Variable>::iterator RegionSplitter::find_variable(const Instruction& value) {
  return find_if(variables_, [&](const Variable& v) { return v.value == &value; });
}

// Numbers that many groups would have a slot for, a line of the cache each, are made of what the block keeps once:
// places in a loop's turn. That stays what it was as long as any of the steps is wanted, as each comes behind what it
// is made of.
void RegionSplitter::make_of_shared(size_t variable) {
  Instruction& value = *variables_[variable].value;
  if (value.getType()->isVectorTy()) return;
  const uint64_t bytes = run_.getDataLayout().getTypeAllocSize(value.getType()) * groups_;
  if (groups_ <= kFewGroups && bytes <= kRegisterBytes) return;
  // Others may be the same in a turn of a loop only, which threads leave one by one.
  auto is_shared = [&](const Instruction& i) {
    const auto known = find_variable(i);
    return known != variables_.end() && known->kept == Kept::OnceABlock;
  };
  const auto steps = recipe_of(value, original_, is_shared);
  if (!steps) return;
  BitVector live(count());
  for (Instruction* step : steps->steps) live |= wanted_behind(*step);
  for (Instruction* of : steps->shared) find_variable(*of)->live |= live;
  variables_[variable].kept = Kept::Recomputed;
  variables_[variable].recipe =
      write_recipe(*steps, run_.getContext(), [&](const Instruction& i) { return find_variable(i)->once; });
}

void RegionSplitter::demote(const Memory& memory) {
  make_rings(memory);
  for (Variable& v : variables_)
    if (v.kept == Kept::InSlots && !v.ring) take_slot(v);
  for (Variable& v : variables_) {
    v.variable = DemoteRegToStack(*v.value, false, run_.getEntryBlock().begin());
    demoted_.insert(v.variable);
  }
  place_slots(memory);
}

// The values that become `phi`, and those that they are made of by phis alone.
static void add_origins(const PHINode& phi, SmallPtrSetImpl<const Value*>& origins) {
  constexpr size_t kMost = 16;
  for (const Value* value : phi.incoming_values()) {
    if (origins.size() >= kMost || !isa<Instruction>(value) || !origins.insert(value).second) continue;
    if (auto* further = dyn_cast<PHINode>(value)) add_origins(*further, origins);
  }
}

// A group reads its slots where a region begins and writes those of the next one where it ends: values that are never
// wanted at the beginning of the same region can share a slot. What a loop hands on stays where it is: then nothing is
// copied.
void RegionSplitter::take_slot(Variable& v) {
  const uint64_t bytes = run_.getDataLayout().getTypeAllocSize(v.value->getType());
  auto fits = [&](const Slot& s) { return s.bytes == bytes && !s.live.anyCommon(v.live); };
  SmallPtrSet<const Value*, 16> origins;
  if (auto* phi = dyn_cast<PHINode>(v.value)) add_origins(*phi, origins);
  auto is_related = [&](const Slot& s) {
    return s.origins.contains(v.value) || any_of(s.values, [&](const Value* other) { return origins.contains(other); });
  };
  auto slot = find_if(slots_, [&](const Slot& s) { return fits(s) && is_related(s); });
  if (slot == slots_.end()) slot = find_if(slots_, fits);
  if (slot == slots_.end()) slot = slots_.insert(slot, {bytes, BitVector(count())});
  slot->live |= v.live;
  slot->values.push_back(v.value);
  slot->origins.insert(origins.begin(), origins.end());
  v.slot = static_cast<size_t>(slot - slots_.begin());
}

void RegionSplitter::make_rings(const Memory& memory) {
  SmallVector<BasicBlock*, 8> begins;
  for (unsigned r = 0; r < count(); ++r) begins.push_back(begin_of(r));
  auto ends = [&](BasicBlock* block) { return cut_at(block) != nullptr; };
  auto has_slot = [&](const Value* value) {
    return any_of(variables_, [&](const Variable& v) { return v.value == value && v.kept == Kept::InSlots; });
  };
  for (SlotRing& ring : find_slot_rings(begins, ends, has_slot)) {
    const uint64_t bytes = run_.getDataLayout().getTypeAllocSize(ring.values[0]->getType());
    if (bytes * ring.values.size() * groups_ > kRegisterBytes) rings_.push_back({std::move(ring), 0});
  }
  for (Ring& ring : rings_) place_ring(ring, memory);
}

// Nothing else shares its slots. Each is a line longer than its values: the same place of each shall not share few sets
// of the cache.
void RegionSplitter::place_ring(Ring& ring, const Memory& memory) {
  const uint64_t bytes = run_.getDataLayout().getTypeAllocSize(ring.values[0]->getType());
  const uint64_t size = alignTo(bytes * groups_, kSlotAlign) + kSlotAlign.value();
  Value* all = memory(size * ring.values.size(), kSlotAlign);
  ring.slot = slots_.size();
  for (auto [i, value] : enumerate(ring.values)) {
    auto v = find_if(variables_, [of = value](const Variable& variable) { return variable.value == of; });
    v->ring = &ring;
    v->slot = slots_.size();
    Slot& slot = slots_.emplace_back(Slot{bytes, BitVector(count(), true)});
    slot.memory = all;
    slot.stride = bytes;
    slot.offset = size * i;
    slot.place = new AllocaInst(Type::getInt64Ty(run_.getContext()), 0, "place", run_.getEntryBlock().begin());
  }
}

// Few slots are arrays of their own, of which SROA makes registers where the loops over groups are unrolled. Many lie
// side by side, a group's together: arrays a power of two apart would share few sets of the cache.
void RegionSplitter::place_slots(const Memory& memory) {
  uint64_t stride = 0;
  const auto staying = make_filter_range(slots_, [](const Slot& slot) { return !slot.place; });
  for (Slot& slot : staying) {
    slot.align = std::min(kSlotAlign, Align(PowerOf2Ceil(slot.bytes)));
    slot.offset = alignTo(stride, slot.align);
    slot.stride = slot.bytes;
    stride = slot.offset + slot.bytes;
  }
  stride = alignTo(stride, kSlotAlign) + kSlotAlign.value();
  if (stride * groups_ < kManyBytes) {
    for (Slot& slot : staying)
      slot.memory = memory(slot.bytes * groups_, std::max(slot.align, Align(16))), slot.offset = 0;
    return;
  }
  Value* all = memory(stride * groups_, kSlotAlign);
  for (Slot& slot : staying) slot.memory = all, slot.stride = stride;
}

unsigned RegionSplitter::spilled() const { return static_cast<unsigned>(slots_.size() + private_.size()); }

// Slots of few bytes become registers. Barriers of the compiler's own, which have no line, come for less memory.
Reason RegionSplitter::kept_over(unsigned r) const {
  if (r == 0 || cuts_[r - 1].line == 0) return {};
  uint64_t bytes = 0;
  for (const Slot& slot : slots_) bytes += slot.live.test(r) ? slot.bytes * groups_ : 0;
  if (bytes <= kRegisterBytes) return {};
  return {"values live across this barrier: they go to memory for each thread", cuts_[r - 1].line};
}

// What only passes through region `r` stays where it is.
bool RegionSplitter::is_wanted_in(const Blocks& blocks, const Variable& v) const {
  if (v.kept != Kept::Recomputed && blocks.contains(v.home)) return true;  // it may leave without a new value
  return any_of(v.variable->users(), [&](User* user) {
    return isa<LoadInst>(user) && blocks.contains(cast<Instruction>(user)->getParent());
  });
}

const RegionSplitter::Cut* RegionSplitter::cut_at(BasicBlock* block) const {
  const auto cut = find_if(cuts_, [&](const Cut& c) { return c.at == block; });
  return cut == cuts_.end() ? nullptr : &*cut;
}

RegionSplitter::Blocks RegionSplitter::blocks_of(unsigned r) const {
  return reachable_from(begin_of(r), [&](BasicBlock* block) { return cut_at(block) != nullptr; });
}

BitVector RegionSplitter::reached_from(BasicBlock* block) const {
  const Blocks reached = reachable_from(block, [](BasicBlock*) { return false; });
  BitVector regions(count());
  for (unsigned k = 0; k < cuts_.size(); ++k)
    if (reached.contains(cuts_[k].at)) regions.set(k + 1);
  return regions;
}

static Value* element_of(Builder& b, Value* array, uint64_t stride, Value* index) {
  return b.CreateInBoundsGEP(ArrayType::get(b.getInt8Ty(), stride), array, b.CreateZExt(index, b.getInt64Ty()));
}

Value* RegionSplitter::slot_of(Builder& b, const Slot& slot, Value* index) const {
  Value* element = element_of(b, slot.memory, slot.stride, index);
  if (slot.place) return b.CreateInBoundsGEP(b.getInt8Ty(), element, b.CreateLoad(b.getInt64Ty(), slot.place));
  return slot.offset ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), element, slot.offset) : element;
}

// The group takes up what it had: first what all groups share, then its own.
void RegionSplitter::enter(unsigned r, const Blocks& blocks, Builder& before, Builder& b, const GroupPlace& place,
                           ValueToValueMapTy& map) const {
  for (const auto& [array, slot] : private_) {
    map[array] = element_of(b, slot, private_bytes(*array), place.index);
  }
  for (const Variable& v : variables_) {
    if (!v.live[r] || !is_wanted_in(blocks, v)) continue;
    Type* type = v.variable->getAllocatedType();
    Value* value = v.kept == Kept::OnceABlock ? before.CreateLoad(type, v.once)
                   : v.kept == Kept::InSlots  ? mark(b.CreateLoad(type, slot_of(b, slots_[v.slot], place.index)), v, r)
                                              : cook(*v.recipe, before, b, place, map);
    b.CreateStore(value, map.lookup(v.variable));
  }
}

// No variable is set in one region and read in another: with one for each of them LLVM does not look for its value
// through all that follow.
void RegionSplitter::make_variables(const Blocks& blocks, ValueToValueMapTy& map) const {
  for (BasicBlock* block : blocks)
    for (Instruction& i : *block) {
      auto* variable = dyn_cast_or_null<AllocaInst>(getLoadStorePointerOperand(&i));
      if (!variable || !demoted_.contains(variable) || map.count(variable)) continue;
      map[variable] = new AllocaInst(variable->getAllocatedType(), 0, variable->getName(), variable->getIterator());
    }
}

void RegionSplitter::leave(unsigned r, unsigned next, Builder& b, const GroupPlace& place, const Blocks& blocks,
                           const ValueToValueMapTy& map) const {
  for (const Variable& v : variables_) {
    if (!v.live[next] || v.kept == Kept::Recomputed || !blocks.contains(v.home)) continue;
    const bool turned = v.ring && turns(*v.ring, r, next);
    if (turned && v.value != v.ring->values.back()) continue;
    Value* value = b.CreateLoad(v.variable->getAllocatedType(), map.lookup(v.variable));
    if (turned)
      b.CreateStore(value, slot_of(b, slots_[v.ring->slot], place.index));  // the first value's will be the last one's
    else if (v.kept == Kept::InSlots)
      mark(b.CreateStore(value, slot_of(b, slots_[v.slot], place.index)), v, r);
    else
      b.CreateStore(value, v.once);
  }
}

bool RegionSplitter::turns(const Ring& ring, unsigned r, unsigned next) const {
  return next != RegionExit::kEnd && is_contained(ring.behind, cuts_[next - 1].at) && blocks_of(r).contains(ring.from);
}

bool RegionSplitter::turns_rings(unsigned r, unsigned next) const {
  return any_of(rings_, [&](const Ring& ring) { return turns(ring, r, next); });
}

void RegionSplitter::turn_rings(unsigned r, unsigned next, Builder& b) const {
  for (const Ring& ring : rings_) {
    if (!turns(ring, r, next)) continue;
    const ArrayRef<Slot> slots = ArrayRef(slots_).slice(ring.slot, ring.values.size());
    Value* first = b.CreateLoad(b.getInt64Ty(), slots[0].place);
    for (size_t i = 1; i < slots.size(); ++i)
      b.CreateStore(b.CreateLoad(b.getInt64Ty(), slots[i].place), slots[i - 1].place);
    b.CreateStore(first, slots.back().place);
  }
}

// For drop_slot_copies().
Instruction* RegionSplitter::mark(Instruction* access, const Variable& v, unsigned r) const {
  LLVMContext& context = access->getContext();
  auto number = [&](size_t n) { return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), n)); };
  access->setMetadata(kSlot, MDNode::get(context, {number(v.slot), number(r)}));
  return access;
}

// Before a region counts for the next barrier, it takes what the last one counted.
void RegionSplitter::begin(unsigned r, Builder& before) {
  if (r == 0)
    for (const Slot& slot : slots_)
      if (slot.place) before.CreateStore(before.getInt64(slot.offset), slot.place);
  counted_ = r && cuts_[r - 1].count ? before.CreateLoad(before.getInt64Ty(), cuts_[r - 1].count) : nullptr;
  for (BasicBlock* block : blocks_of(r))
    if (const Cut* cut = cut_at(block); cut && cut->count) before.CreateStore(before.getInt64(0), cut->count);
}

SmallVector<RegionExit, 4> RegionSplitter::emit(unsigned r, Builder& before, BasicBlock* start,
                                                const GroupPlace& place) {
  const Blocks blocks = blocks_of(r);
  ValueToValueMapTy map;
  Builder b(start);
  make_variables(blocks, map);
  enter(r, blocks, before, b, place, map);
  SmallVector<BasicBlock*, 16> copies;
  for (BasicBlock* block : blocks) {
    BasicBlock* copy = CloneBasicBlock(block, map, "", &run_);
    map[block] = copy;
    copies.push_back(copy);
    for (PHINode& phi : copy->phis())
      phi.removeIncomingValueIf([&](unsigned i) { return !blocks.contains(phi.getIncomingBlock(i)); }, false);
  }
  remapInstructionsInBlocks(copies, map);
  b.CreateBr(copies[0]);
  if (counted_) {
    auto* result = cast<Instruction>(&*map[cuts_[r - 1].result]);
    result->replaceAllUsesWith(counted_);
    result->eraseFromParent();
  }
  SmallVector<RegionExit, 4> exits;
  for (auto [block, copy] : zip(blocks, copies)) {
    for (Instruction& i : make_early_inc_range(*copy)) {
      const auto axis = group_axis(i);
      if (!axis) continue;
      i.replaceAllUsesWith(place.lane0[*axis]);
      i.eraseFromParent();
    }
    const Cut* cut = cut_at(block);
    if (!cut && !isa<ReturnInst>(copy->getTerminator())) continue;
    const unsigned next = cut ? static_cast<unsigned>(cut - cuts_.data()) + 1 : RegionExit::kEnd;
    copy->getTerminator()->eraseFromParent();
    b.SetInsertPoint(copy);
    if (cut) leave(r, next, b, place, blocks, map);
    exits.push_back({copy, next});
  }
  return exits;
}

void RegionSplitter::finish() {
  DeleteDeadBlocks(original_.getArrayRef());
  EliminateUnreachableBlocks(run_);
  for (const auto& [array, slot] : private_) array->eraseFromParent();
}

// A region writes each slot once, where it ends.
void drop_slot_copies(Function& run) {
  for (Instruction& i : make_early_inc_range(instructions(run))) {
    auto* store = dyn_cast<StoreInst>(&i);
    const MDNode* slot = store ? store->getMetadata(kSlot) : nullptr;
    if (!slot) continue;
    Value* value = store->getValueOperand();
    for (auto* phi = dyn_cast<PHINode>(value); phi; phi = dyn_cast_or_null<PHINode>(value))
      value = phi->hasConstantValue();
    auto* load = dyn_cast_or_null<LoadInst>(value);
    if (load && load->getMetadata(kSlot) == slot) store->eraseFromParent();
  }
}

}  // namespace lanza::compiler
