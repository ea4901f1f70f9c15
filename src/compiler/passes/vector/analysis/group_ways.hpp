// What groups of a block that are neighbours along an axis have in common, and where they part.
#pragma once

#include <optional>

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// A part of the code that each group walks through on a way of its own: all blocks strictly between `entry`, whose
/// branch may differ between groups or which lies in front of a loop that may, and `exit`, where all come together.
/// Nothing else leads to `exit` or inside.
struct Detour {
  llvm::BasicBlock* entry;
  llvm::SetVector<llvm::BasicBlock*> inside;
  llvm::BasicBlock* exit;
  bool is_loop = false;  ///< the original of ask_together(): nothing goes in or comes out
};

/// A guard in a loop around a few instructions, which groups pass together where one of them has lanes for it: nothing
/// is seen of the others, as all that goes to memory for a group is masked by what the guard asks about.
///
///     entry:   if (lanza.any(mask)) {   as one number: bitcast, icmp ne
///     inside:    v = ...; }
///     exit:    phi(v, what it was before)
struct MaskedPart {
  llvm::BasicBlock *entry, *inside, *exit;
  llvm::Value* mask;
};

/// In: a kernel in group form. Values that do not depend on the group's place along `axis` are the same for its
/// neighbours: whether computed or loaded, as groups that touch the same memory between two barriers only read it.
class GroupWays {
 public:
  /// Follows operands only: before find_detours() fewer values differ than do.
  GroupWays(llvm::Function& kernel, unsigned axis);

  /// False where neighbours cannot walk together: they part on the way to a barrier or to the end, or too often, or the
  /// kernel does what must be done group by group (atomics but lone ones (lone_updates.hpp), calls, volatile accesses,
  /// private arrays whose size is not constant). Blocks may be split, so that each detour has an exit of its own.
  bool find_detours();

  /// Whether it may have other values in neighbours.
  bool differs(const llvm::Value& value) const { return differing_.contains(&value); }
  llvm::ArrayRef<Detour> detours() const { return detours_; }
  llvm::ArrayRef<MaskedPart> masked_parts() const { return masked_; }
  unsigned axis() const { return axis_; }
  bool is_on_detour(const llvm::BasicBlock* block) const;
  bool is_in_loop(const llvm::BasicBlock* block) const;

 private:
  enum class Found { Nothing, Detour, NewBlock, Failure };
  bool find_differing();
  void find_original();
  bool is_masked(const MaskedPart& part) const;
  void drop_unmasked_parts();
  bool take_masked_part(llvm::BasicBlock& entry);
  Found find_detour();
  Found add_detour(llvm::BasicBlock* from);

  llvm::Function& kernel_;
  const unsigned axis_;
  llvm::DenseSet<const llvm::Value*> differing_;
  llvm::SmallVector<Detour, 4> detours_;
  llvm::SmallVector<MaskedPart, 4> masked_;
  llvm::DenseSet<const llvm::BasicBlock*> unmasked_;  ///< entries of what is none
};

/// All blocks that are reached from behind `entry` before `exit`.
llvm::SetVector<llvm::BasicBlock*> blocks_between(llvm::BasicBlock* entry, llvm::BasicBlock* exit);

/// Whether another group may do all of it before or after: nobody else sees when.
bool may_be_reordered(llvm::Function& kernel);

/// Where code that differs between groups is repeated for each of them: what stands before `i` comes first.
bool ends_run(const GroupWays& ways, const llvm::Instruction& i);

/// What a masked access of memory, a gather or a scatter is masked by; null: the instruction is none.
const llvm::Value* mask_of_access(const llvm::Instruction& i);

/// The axis of a call of lanza.group; nothing for other instructions.
std::optional<unsigned> group_axis(const llvm::Instruction& i);

}  // namespace lanza::compiler
