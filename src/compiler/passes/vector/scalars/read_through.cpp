#include "compiler/passes/vector/scalars/read_through.hpp"

#include <map>
#include <memory>

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/address_terms.hpp"
#include "compiler/passes/vector/analysis/uniform_barriers.hpp"
#include "compiler/passes/vector/group_shape.hpp"
#include "compiler/passes/vector/groups/whole_rows.hpp"
#include "compiler/passes/vector/scalars/tile_accesses.hpp"
#include "compiler/passes/vector/scalars/tile_copies.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kConstant = 4;       // the address space
constexpr uint64_t kWidestElement = 4;  // bytes; rows of doubles, two registers a group, are read faster from a tile
constexpr unsigned kLeastColumns = 8;   // threads of a row; fewer are no vector
constexpr unsigned kWideRow = 32, kManyRows = 8;        // threads: as many columns and rows as sums in registers are of
constexpr unsigned kRowsOfTile = 32, kRowsOfTurn = 16;  // that pay for copies, and for sums in memory, on few registers

using Blocks = SmallPtrSet<const BasicBlock*, 16>;

struct Tile {
  const GlobalVariable* array;
  int64_t end;  ///< of the bytes
  SmallVector<Access*, 4> stores;
  SmallVector<Access*, 16> loads;
  std::unique_ptr<TileCopy> copy = nullptr;  ///< where stores by the thread's indices alone do not tell
};

/// Which thread copied an element: on each axis a sum.
struct Place {
  struct Part {
    Value* value;  ///< null: the thread's own index on `axis`
    unsigned axis;
    uint64_t factor;
  };
  std::array<SmallVector<Part, 2>, 3> parts;
  std::array<int64_t, 3> constant{};

  bool is_own(unsigned axis) const {
    return constant[axis] == 0 && parts[axis].size() == 1 && !parts[axis][0].value && parts[axis][0].axis == axis &&
           parts[axis][0].factor == 1;
  }
};

class ReadThrough {
 public:
  ReadThrough(Function& kernel, std::array<unsigned, 3> block)
      : kernel_(kernel),
        block_(block),
        layout_(kernel.getParent()->getDataLayout()),
        runner_(nullptr),
        memory_(kernel, block, runner_) {}

  /// Changes nothing.
  std::optional<unsigned> find() {
    if (!memory_.collect() || memory_.accesses.empty()) return std::nullopt;
    find_blocks_before_barriers();
    const std::optional<unsigned> axes = shared_axes();
    if (!axes || !find_tiles()) return std::nullopt;
    isolate_points(kernel_);
    runner_.clear();
    const BlockUniformity uniformity(kernel_);
    if (!why_barriers_diverge(kernel_, uniformity).words.empty()) return std::nullopt;
    if (!blocks_with_early_exits(kernel_, uniformity).empty()) return std::nullopt;
    return all_of(tiles_, [&](Tile& tile) { return find_places(tile, uniformity); }) ? axes : std::nullopt;
  }

  /// Where a barrier `stays` in each turn of a loop, all of the block is done with a tile before the next one.
  void change(bool stays) {
    for (auto& [load, source] : sources_) {
      note_walk(*load, source.place);
      read_source(*load, *source.store, source.place);
    }
    for (auto& [load, copy] : copied_) {
      note_walk(*load);
      read_copied(*load, *copy);
    }
    SmallVector<WeakTrackingVH, 8> idle;
    for (const Tile& tile : tiles_)
      for (const Access* access : tile.stores) {
        idle.append({access->instruction->getOperand(0), access->instruction->getOperand(1)});
        BasicBlock* copies = access->instruction->getParent();
        access->instruction->eraseFromParent();
        leave_at_once(*copies);
      }
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(idle);
    memory_.drop_barriers(stays);
    for (Loop* loop : walks_) loop->setLoopAlreadyUnrolled();
  }

 private:
  struct Source {
    StoreInst* store;
    Place place;
  };

  void find_blocks_before_barriers() {
    SmallVector<BasicBlock*, 16> found;
    for (CallInst* barrier : memory_.barriers) found.push_back(barrier->getParent());
    while (!found.empty())
      for (BasicBlock* before : predecessors(found.pop_back_val()))
        if (before_barriers_.insert(before).second) found.push_back(before);
  }

  // Of the grid: if it has several blocks along these, nothing that is read ahead of a barrier is written behind it.
  std::optional<unsigned> shared_axes() {
    for (StoreInst* write : memory_.writes)
      if (before_barriers_.contains(write->getParent())) return std::nullopt;
    unsigned control = 0, result = 0;
    for (const BasicBlock* block : before_barriers_)
      if (block->getTerminator()->getNumSuccessors() > 1)
        control |= Origins(*block->getTerminator()->getOperand(0)).blocks;
    for (LoadInst* read : memory_.reads) {
      if (!before_barriers_.contains(read->getParent()) || !may_be_written(*read)) continue;
      const unsigned depends = control | Origins(*read->getPointerOperand()).blocks;
      if ((depends & 7) == 7) return std::nullopt;
      result |= ~depends & (depends + 1);  // the first axis that it does not depend on
    }
    const bool is_plane = any_of(instructions(kernel_), [](Instruction& i) {
      auto* call = dyn_cast<IntrinsicInst>(&i);
      return call && call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_ctaid_y;
    });
    return result & 4 || (result & 2 && !is_plane) ? std::nullopt : std::optional(result);  // grids that few have
  }

  bool may_be_written(const LoadInst& read) const {
    const Value* object = object_of(read.getPointerOperand());
    if (auto* variable = dyn_cast<GlobalVariable>(object); variable && variable->getAddressSpace() == kConstant)
      return false;
    auto* from = dyn_cast<Argument>(object);
    return any_of(memory_.writes, [&](const StoreInst* write) {
      auto* to = cast<Argument>(object_of(write->getPointerOperand()));
      return !from || from == to || (!from->hasNoAliasAttr() && !to->hasNoAliasAttr());
    });
  }

  // Accesses that may meet.
  bool find_tiles() {
    SmallVector<Access*, 32> sorted;
    for (Access& access : memory_.accesses) sorted.push_back(&access);
    stable_sort(sorted, [](const Access* a, const Access* b) { return a->begin < b->begin; });
    for (Access* access : sorted) {
      auto known =
          find_if(tiles_, [&](const Tile& tile) { return tile.array == access->array && access->begin < tile.end; });
      if (known == tiles_.end()) known = tiles_.insert(tiles_.end(), Tile{access->array, access->end, {}, {}});
      Tile& tile = *known;
      tile.end = std::max(tile.end, access->end);
      if (isa<StoreInst>(access->instruction))
        tile.stores.push_back(access);
      else
        tile.loads.push_back(access);
    }
    return all_of(tiles_, [](const Tile& tile) { return !tile.stores.empty(); });
  }

  bool find_places(Tile& tile, const BlockUniformity& uniformity) {
    Instruction* first = tile.stores[0]->instruction;
    const BasicBlock* copies = first->getParent();
    Type* type = getLoadStoreType(first);
    if (layout_.getTypeStoreSize(type).getFixedValue() > kWidestElement) return false;
    const bool is_one = all_of(tile.stores, [&](Access* access) {
      return access->instruction->getParent() == copies && getLoadStoreType(access->instruction) == type &&
             is_of_argument(*access);
    });
    const Blocks early = blocks_to_barrier(*copies);
    if (!is_one || early.empty()) return false;
    const DominatorTree& dominators = runner_.functions().getResult<DominatorTreeAnalysis>(kernel_);
    for (Access* load : tile.loads) {
      const BasicBlock* block = load->instruction->getParent();
      if (getLoadStoreType(load->instruction) != type || early.contains(block) || !dominators.dominates(copies, block))
        return false;
    }
    return find_sources(tile, uniformity) || find_copied(tile, uniformity);
  }

  static bool is_of_argument(const Access& access) {
    auto* load = dyn_cast<LoadInst>(cast<StoreInst>(access.instruction)->getValueOperand());
    return load && load->getParent() == access.instruction->getParent() &&
           isa<Argument>(object_of(load->getPointerOperand()));
  }

  bool find_sources(const Tile& tile, const BlockUniformity& uniformity) {
    const size_t known = sources_.size();
    if (all_of(tile.stores, [&](Access* access) { return is_copy(*access, uniformity); }) &&
        all_of(tile.loads, [&](Access* load) { return find_source(tile, *load); }))
      return true;
    sources_.erase(sources_.begin() + static_cast<ptrdiff_t>(known), sources_.end());
    return false;
  }

  bool find_copied(Tile& tile, const BlockUniformity& uniformity) {
    if (tile.stores.size() != 1) return false;
    tile.copy = std::make_unique<TileCopy>(*cast<StoreInst>(tile.stores[0]->instruction), *tile.array, block_);
    if (!tile.copy->run(uniformity)) return false;
    for (Access* load : tile.loads) {
      if (!tile.copy->has_source(terms_of_place(*load), load->constant)) return false;
      copied_.push_back({load, tile.copy.get()});
    }
    return true;
  }

  SmallVector<TileCopy::Term, 4> terms_of_place(const Access& access) {
    SmallVector<TileCopy::Term, 4> terms;
    for (unsigned axis = 0; axis < 3; ++axis)
      if (access.threads[axis])
        terms.push_back({nullptr, block_[axis], static_cast<int64_t>(access.threads[axis]), axis == 0, axis == 0});
    for (const Access::Other& other : access.others)
      terms.push_back({other.value, other.most + 1, static_cast<int64_t>(other.factor), false,
                       (Origins(*other.value).threads & 1) != 0});
    return terms;
  }

  // From the one in which all threads copy to where they have all come; none: not on all ways.
  static Blocks blocks_to_barrier(const BasicBlock& copies) {
    Blocks passed;
    for (const BasicBlock* block = &copies; block; block = behind(*block)) {
      if (as_sync(const_cast<Instruction&>(*block->getFirstNonPHI()))) return passed;
      if (!passed.insert(block).second) break;
    }
    return {};
  }

  // Where all ways from it lead, loops of one block left; null: nowhere.
  static const BasicBlock* behind(const BasicBlock& block) {
    const BasicBlock* next = nullptr;
    for (const BasicBlock* successor : successors(&block)) {
      if (successor == &block) continue;
      if (next && next != successor) return nullptr;
      next = successor;
    }
    return next;
  }

  // Of one element of global memory by each thread, to an element of its own.
  bool is_copy(const Access& access, const BlockUniformity& uniformity) const {
    auto* store = cast<StoreInst>(access.instruction);
    auto* load = cast<LoadInst>(store->getValueOperand());
    if (!access.others.empty()) return false;
    if (!is_known_to_all(*load->getPointerOperand(), uniformity)) return false;
    uint64_t reach = layout_.getTypeStoreSize(load->getType()).getFixedValue();
    for (const unsigned axis : reverse(axes_by_factor(access))) {
      if (access.threads[axis] < reach) return false;
      reach += access.threads[axis] * (block_[axis] - 1);
    }
    return true;
  }

  // Whether a thread can compute it for another one.
  static bool is_known_to_all(const Value& value, const BlockUniformity& uniformity) {
    auto* i = dyn_cast<Instruction>(&value);
    if (!i || uniformity.is_uniform(*i)) return true;
    if (auto* call = dyn_cast<IntrinsicInst>(i); call && thread_axis(call->getIntrinsicID())) return true;
    if (isa<PHINode>(i) || i->mayReadOrWriteMemory() || isa<CallInst>(i)) return false;
    return all_of(i->operand_values(), [&](const Value* v) { return is_known_to_all(*v, uniformity); });
  }

  // Those that the block has threads along, the greatest factor first.
  SmallVector<unsigned, 3> axes_by_factor(const Access& access) const {
    SmallVector<unsigned, 3> axes;
    for (unsigned axis = 0; axis < 3; ++axis)
      if (block_[axis] > 1) axes.push_back(axis);
    stable_sort(axes, [&](unsigned a, unsigned b) { return access.threads[a] > access.threads[b]; });
    return axes;
  }

  bool find_source(const Tile& tile, const Access& load) {
    for (Access* store : tile.stores) {
      std::optional<Place> place = place_of(load, *store);
      if (!place) continue;
      auto* copy = cast<StoreInst>(store->instruction);
      if (!reads_neighbours(*cast<LoadInst>(copy->getValueOperand()), *place)) return false;
      sources_.push_back({cast<LoadInst>(load.instruction), {copy, std::move(*place)}});
      return true;
    }
    return false;
  }

  // Nothing: another store writes it, as far as one can tell.
  std::optional<Place> place_of(const Access& load, const Access& store) {
    const SmallVector<unsigned, 3> axes = axes_by_factor(store);
    Place place;
    std::array<uint64_t, 3> most{};
    int64_t rest = load.constant - store.constant;
    if (rest < 0) return std::nullopt;
    for (const unsigned axis : axes) {
      const auto factor = static_cast<int64_t>(store.threads[axis]);
      place.constant[axis] = rest / factor;
      most[axis] = static_cast<uint64_t>(rest / factor);
      rest %= factor;
    }
    if (rest != 0) return std::nullopt;
    auto add = [&](Value* value, unsigned of, uint64_t factor, uint64_t greatest) {
      for (const unsigned axis : axes) {
        if (factor % store.threads[axis] != 0) continue;
        const uint64_t times = factor / store.threads[axis];
        place.parts[axis].push_back({value, of, times});
        most[axis] += times * greatest;
        return true;
      }
      return false;
    };
    for (unsigned axis = 0; axis < 3; ++axis)
      if (load.threads[axis] && !add(nullptr, axis, load.threads[axis], block_[axis] - 1)) return std::nullopt;
    for (const Access::Other& other : load.others)
      if (!add(other.value, 0, other.factor, other.most)) return std::nullopt;
    if (any_of(axes, [&](unsigned axis) { return most[axis] >= block_[axis]; })) return std::nullopt;
    return place;
  }

  // Whether lanes read one address, or neighbours, as they do of the tile: no columns of global memory.
  bool reads_neighbours(const LoadInst& copied, const Place& place) const {
    auto own_x = [](const Place::Part& part) { return !part.value && part.axis == 0; };
    for (unsigned axis = 1; axis < 3; ++axis)
      if (any_of(place.parts[axis], own_x)) return false;
    auto part = find_if(place.parts[0], own_x);
    if (part == place.parts[0].end()) return true;
    const uint64_t size = layout_.getTypeStoreSize(copied.getType()).getFixedValue();
    uint64_t step = 0;
    for (const AddressTerms::Term& term : terms_of(copied.getPointerOperand(), layout_).terms) {
      const auto times = thread_axis(term.value) == 0U ? 1 : times_of_x(*term.value);
      if (!times) return false;
      step += term.factor * *times;
    }
    return step * part->factor == size;
  }

  // How many times a value holds threadIdx.x, as if no sum wrapped; nothing: it goes by it in another way.
  static std::optional<uint64_t> times_of_x(const Value& value) {
    if (!(Origins(value).threads & 1)) return 0;
    auto* call = dyn_cast<IntrinsicInst>(&value);
    if (call && thread_axis(call->getIntrinsicID()) == 0U) return 1;
    const Value *a, *b;
    if (!match(&value, m_AddLike(m_Value(a), m_Value(b)))) return std::nullopt;
    const auto of_a = times_of_x(*a), of_b = times_of_x(*b);
    return of_a && of_b ? std::optional(*of_a + *of_b) : std::nullopt;
  }

  // ---- the change

  // A loop over a tile's rows or columns stays one: what an instruction reads turn after turn is fetched ahead.
  void note_walk(const LoadInst& load, const Place& place) {
    Loop* loop = runner_.functions().getResult<LoopAnalysis>(kernel_).getLoopFor(load.getParent());
    for (const auto& parts : place.parts)
      for (const Place::Part& part : parts)
        if (loop && part.value && !loop->isLoopInvariant(part.value)) walks_.insert(loop);
  }

  void read_source(LoadInst& load, StoreInst& store, const Place& place) {
    auto* copied = cast<LoadInst>(store.getValueOperand());
    IRBuilder<> b(&load);
    std::map<const Value*, Value*> known;
    Value* address = at(*copied->getPointerOperand(), place, b, known);
    LoadInst* read = b.CreateAlignedLoad(load.getType(), address, copied->getAlign());
    read->setDebugLoc(copied->getDebugLoc());
    load.replaceAllUsesWith(read);
    RecursivelyDeleteTriviallyDeadInstructions(&load);
  }

  // A private array that the loop fills, too, is to become registers.
  void note_walk(const Access& load) {
    Loop* loop = runner_.functions().getResult<LoopAnalysis>(kernel_).getLoopFor(load.instruction->getParent());
    if (!loop || any_of(*load.instruction->getParent(), [](const Instruction& i) {
          const Value* address = getLoadStorePointerOperand(&i);
          return address && isa<AllocaInst>(object_of(address));
        }))
      return;
    for (const Access::Other& other : load.others)
      if (!loop->isLoopInvariant(other.value)) walks_.insert(loop);
  }

  void read_copied(const Access& access, const TileCopy& copy) {
    auto& load = *cast<LoadInst>(access.instruction);
    SmallVector<TileCopy::Term, 4> terms = terms_of_place(access);
    unsigned n = 0;
    for (unsigned axis = 0; axis < 3; ++axis)
      if (access.threads[axis]) terms[n++].value = own_index(axis);
    IRBuilder<> b(&load);
    LoadInst* read =
        b.CreateAlignedLoad(load.getType(), copy.emit_source(b, terms, access.constant), copy.load().getAlign());
    read->setDebugLoc(copy.load().getDebugLoc());
    load.replaceAllUsesWith(read);
    RecursivelyDeleteTriviallyDeadInstructions(&load);
  }

  // A loop that only copied has nothing left to do.
  static void leave_at_once(BasicBlock& copies) {
    auto* branch = dyn_cast<BranchInst>(copies.getTerminator());
    const BasicBlock* next = behind(copies);
    if (!branch || !next || !is_contained(branch->successors(), &copies)) return;
    for (Instruction& i : copies)
      if (i.mayHaveSideEffects() || i.isUsedOutsideOfBlock(&copies)) return;
    copies.removePredecessor(&copies);
    BranchInst::Create(const_cast<BasicBlock*>(next), branch->getIterator());
    branch->eraseFromParent();
  }

  // What the thread that copied had as `value`.
  Value* at(Value& value, const Place& place, IRBuilder<>& b, std::map<const Value*, Value*>& known) {
    auto* i = dyn_cast<Instruction>(&value);
    if (!i) return &value;
    auto [found, is_new] = known.try_emplace(i, i);
    if (!is_new) return found->second;
    if (auto* call = dyn_cast<IntrinsicInst>(i))
      if (const auto axis = thread_axis(call->getIntrinsicID()))
        return known[i] = place.is_own(*axis) ? i : index(place, *axis, b);
    SmallVector<Value*, 4> operands;
    bool differs = false;
    if (!isa<PHINode, CallInst, LoadInst>(i))
      for (Use& operand : i->operands()) {
        operands.push_back(at(*operand, place, b, known));
        differs |= operands.back() != operand;
      }
    if (!differs) return i;
    Instruction* copy = i->clone();
    for (auto [n, operand] : enumerate(operands)) copy->setOperand(static_cast<unsigned>(n), operand);
    return known[i] = b.Insert(copy);
  }

  Value* index(const Place& place, unsigned axis, IRBuilder<>& b) {
    Value* sum = nullptr;
    auto add = [&](Value* part) { sum = sum ? b.CreateAdd(sum, part, "", true, true) : part; };
    for (const Place::Part& part : place.parts[axis]) {
      Value* value = part.value ? b.CreateZExtOrTrunc(part.value, b.getInt32Ty()) : own_index(part.axis);
      add(part.factor == 1 ? value
                           : b.CreateMul(value, b.getInt32(static_cast<uint32_t>(part.factor)), "", true, true));
    }
    if (!sum || place.constant[axis]) add(b.getInt32(static_cast<uint32_t>(place.constant[axis])));
    return sum;
  }

  Value* own_index(unsigned axis) {
    auto reads = [&](Instruction& i) {
      auto* call = dyn_cast<IntrinsicInst>(&i);
      return call && thread_axis(call->getIntrinsicID()) == axis;
    };
    auto instructions_of = instructions(kernel_);
    Instruction& first = *find_if(instructions_of, reads);  // an access has it as a term
    first.moveBefore(kernel_.getEntryBlock(), kernel_.getEntryBlock().begin());
    return &first;
  }

  Function& kernel_;
  const std::array<unsigned, 3> block_;
  const DataLayout& layout_;
  PassRunner runner_;
  TileAccesses memory_;
  Blocks before_barriers_;  ///< from which one is reached
  SmallVector<Tile, 4> tiles_;
  SmallSetVector<Loop*, 4> walks_;
  std::vector<std::pair<LoadInst*, Source>> sources_;        ///< of loads from tiles
  std::vector<std::pair<Access*, const TileCopy*>> copied_;  ///< of others
};

}  // namespace

std::optional<unsigned> read_through(Function& kernel, std::array<unsigned, 3> block) {
  if (block[0] < kLeastColumns || !has_sync(kernel)) return std::nullopt;
  const bool has_few_registers = module_flag(*kernel.getParent(), kFewRegisters, 0) != 0;
  const unsigned rows = block[1] * block[2];
  if (has_few_registers && rows >= kRowsOfTile) return std::nullopt;
  ReadThrough tiles(kernel, block);
  const std::optional<unsigned> axes = tiles.find();
  if (!axes) return std::nullopt;
  ValueToValueMapTy map;
  Function* trial = CloneFunction(&kernel, map);
  ReadThrough first(*trial, block);
  if (first.find()) first.change(false);
  const bool is_row = can_take_whole_rows(*trial, GroupShape::of(16, block));
  trial->eraseFromParent();
  const bool is_wide = block[0] % kWideRow == 0 && rows >= kManyRows;
  if (!is_row && !is_wide) return std::nullopt;
  tiles.change(has_few_registers && rows >= kRowsOfTurn);
  return axes;
}

}  // namespace lanza::compiler
