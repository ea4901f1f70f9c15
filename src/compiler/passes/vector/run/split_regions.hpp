// The code between barriers, cut out so that it can be put into loops over groups.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "compiler/codegen/report.hpp"
#include "compiler/passes/thread_context.hpp"
#include "compiler/passes/vector/analysis/block_uniformity.hpp"
#include "compiler/passes/vector/run/recipes.hpp"
#include "compiler/passes/vector/run/slot_rings.hpp"

namespace lanza::compiler {

/// A way out of a region: a block that wants a terminator. The group either waits at a barrier, behind which region
/// `next` begins, or it has come to the kernel's end (kEnd: nobody comes back to region 0).
struct RegionExit {
  static constexpr unsigned kEnd = 0;
  llvm::BasicBlock* block;
  unsigned next;
};

/// Instructions of all regions of a kernel together, its points isolated.
unsigned size_of_regions(llvm::Function& kernel);

/// In: `run` with its context lowered and, in the blocks from `body` on, the kernel in group form, its barriers proved
/// uniform and isolated. Region 0 begins at `body`, region k behind the k-th barrier; each is all that can be reached
/// from there without crossing a barrier, so code may be part of several. What lives across a barrier is kept once a
/// block where it is uniform, computed again where it follows cheaply from the group's place, also with what is
/// kept once where slots would be many, and else kept in a slot a group, which values share that do not live across the
/// same barriers; private memory has a slot a group as well. Slots of values that a loop hands on (slot_rings.hpp)
/// change places instead of being copied.
class RegionSplitter {
 public:
  /// Memory of the block: bytes, alignment.
  using Memory = std::function<llvm::Value*(std::uint64_t, llvm::Align)>;
  RegionSplitter(llvm::Function& run, llvm::BasicBlock* body, unsigned groups, const BlockUniformity& uniformity,
                 const Memory& memory);
  ~RegionSplitter();
  RegionSplitter(const RegionSplitter&) = delete;
  RegionSplitter& operator=(const RegionSplitter&) = delete;

  unsigned count() const { return static_cast<unsigned>(cuts_.size()) + 1; }
  /// Regions that threads may come to from the end of the original `block`, behind whatever other barriers.
  llvm::BitVector reached_from(llvm::BasicBlock* block) const;
  llvm::BasicBlock* begin_of(unsigned r) const { return r ? cuts_[r - 1].after : body_; }
  /// Whether region `r` begins behind a barrier of the grid.
  bool follows_grid(unsigned r) const { return r && cuts_[r - 1].is_of_grid; }
  /// Whether the barrier before it is kSeldom.
  bool is_seldom(unsigned r) const { return r && cuts_[r - 1].is_seldom; }
  /// Whether its last group runs first (order_groups.hpp).
  bool is_downwards(unsigned r) const { return downwards_[r]; }
  /// How many slots a group has.
  unsigned spilled() const;

  /// Of the barrier in front of region `r`, over which values of each thread are kept in memory; no words: none are.
  Reason kept_over(unsigned r) const;

  /// To be called once before the emit()s of region `r`. `before`: in front of the loops over groups.
  void begin(unsigned r, Builder& before);

  /// Puts region `r`, or another copy of it, behind the end of `start`, a block inside the loops over groups. `before`:
  /// in front of those loops, where it loads what all groups share.
  llvm::SmallVector<RegionExit, 4> emit(unsigned r, Builder& before, llvm::BasicBlock* start, const GroupPlace& place);

  /// Whether slots change places when all groups have gone on from region `r` to `next`, and what does it there.
  bool turns_rings(unsigned r, unsigned next) const;
  void turn_rings(unsigned r, unsigned next, Builder& b) const;

  /// After the last emit(): removes the original body. What was a variable on the way is left to SROA.
  void finish();

 private:
  struct Cut {
    llvm::BasicBlock *at, *after;
    llvm::CallInst* result = nullptr;   // of a barrier that counts, at the head of `after`
    llvm::AllocaInst* count = nullptr;  // summed up by the groups that come to it
    bool is_of_grid = false, is_seldom = false;
    unsigned line = 0;  // of the source
  };
  enum class Kept { OnceABlock, InSlots, Recomputed };
  struct Ring : SlotRing {
    std::size_t slot;  // of the first value; the others' follow
  };
  struct Variable {
    llvm::Instruction* value;
    llvm::BasicBlock* home;  // where it is defined
    llvm::BitVector live;    // at the beginning of which regions
    Kept kept;
    llvm::AllocaInst* variable = nullptr;
    llvm::AllocaInst* once = nullptr;
    std::size_t slot = 0;
    const Ring* ring = nullptr;
    llvm::BasicBlock* recipe = nullptr;  // its computation, the last instruction is the value
  };
  struct Slot {
    std::uint64_t bytes;   // a group
    llvm::BitVector live;  // of the values that share it
    llvm::SmallVector<const llvm::Value*, 4> values;
    llvm::SmallPtrSet<const llvm::Value*, 16> origins;  // of those that are phis
    llvm::Align align = llvm::Align();
    llvm::Value* memory = nullptr;
    std::uint64_t offset = 0, stride = 0;  // of the first group's; from group to group
    llvm::AllocaInst* place = nullptr;     // of a ring's slot: the offset where it now is
  };
  using Blocks = llvm::SetVector<llvm::BasicBlock*>;

  void cut_at_barriers();
  void find_downwards();
  void vote_again();
  void find_crossing(const BlockUniformity& uniformity);
  void keep(llvm::Instruction& value, llvm::BitVector live, bool uniform);
  llvm::BitVector wanted_behind(llvm::Instruction& value) const;
  void make_of_shared(std::size_t variable);
  llvm::AllocaInst* once_a_block(const llvm::Instruction& value) const;
  std::vector<Variable>::iterator find_variable(const llvm::Instruction& value);
  void demote(const Memory& memory);
  void take_slot(Variable& v);
  void make_rings(const Memory& memory);
  void place_ring(Ring& ring, const Memory& memory);
  bool turns(const Ring& ring, unsigned r, unsigned next) const;
  void place_slots(const Memory& memory);
  void place_private_memory(const Memory& memory);

  Blocks blocks_of(unsigned r) const;
  const Cut* cut_at(llvm::BasicBlock* block) const;
  llvm::Value* slot_of(Builder& b, const Slot& slot, llvm::Value* index) const;
  bool is_wanted_in(const Blocks& blocks, const Variable& variable) const;
  void enter(unsigned r, const Blocks& blocks, Builder& before, Builder& b, const GroupPlace& place,
             llvm::ValueToValueMapTy& map) const;
  llvm::Instruction* mark(llvm::Instruction* access, const Variable& v, unsigned r) const;
  void make_variables(const Blocks& blocks, llvm::ValueToValueMapTy& map) const;
  void leave(unsigned r, unsigned next, Builder& b, const GroupPlace& place, const Blocks& blocks,
             const llvm::ValueToValueMapTy& map) const;

  llvm::Function& run_;
  llvm::BasicBlock* body_;
  const unsigned groups_;
  Blocks original_;
  std::vector<Cut> cuts_;
  std::vector<Variable> variables_;
  llvm::SmallPtrSet<const llvm::AllocaInst*, 32> demoted_;  ///< what they are until SROA makes values of them again
  std::vector<Slot> slots_;
  llvm::SmallVector<Ring, 2> rings_;
  llvm::SmallVector<std::pair<llvm::AllocaInst*, llvm::Value*>, 4> private_;  // and its slots
  llvm::BitVector downwards_;                                                 ///< regions
  llvm::Value* counted_ = nullptr;                 ///< by the barrier in front of the region that has begun
  llvm::SmallVector<llvm::Instruction*, 8> dead_;  // until the analysis is not asked any more
};

/// In: run form whose variables SROA has made values. Out: no region writes to a slot what it has read from it.
void drop_slot_copies(llvm::Function& run);

}  // namespace lanza::compiler
