// Loops around atomic operations that end without anybody's help.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// Accesses of one cycle that look at memory which others write, and yet wait for nobody: as far as they are concerned
/// a thread that runs alone comes to the end of the cycle, or nothing that others do would bring it there. So threads
/// may run one after the other, and lanes side by side: of those that meet at one place the first one succeeds.
///
/// - A *retry* is a compare-and-swap that leaves the cycle when it succeeds, and expects what a compare-and-swap of the
///   cycle found before, what a load of the same place found in this turn, or, of a[v], a v for which a[v] == v was
///   seen in this turn, whichever of several such v it is. It fails only where somebody else wrote since then.
/// - A *take* is a compare-and-swap that leaves the cycle when it succeeds, and expects a constant or a parameter E,
///   where all that the kernel writes to this array are compare-and-swaps that expect E too, or other members of its
///   records (`table[slot].value`): an insertion into a hash table from which nothing is removed meanwhile. A word
///   changes once at most, so what a take that failed has found stays, and what the loop does from there on is settled:
///   it goes on elsewhere, or leaves. Other writes to shared memory may be beyond a barrier. Arrays of different
///   parameters are different, unless E may be written as a lock is released: as E itself, or by taking away. Nobody
///   knows what the host does: not those of the system's scope.
/// - Loads of a retry's place, where the retry always follows before the next turn; loads of a take's place, where the
///   take follows if they found E.
/// - An addition of a positive constant at one place whose sum is too large to go on sooner or later: a queue of work.
///
/// A lock is none of these: who holds it writes E behind the loop. Nor is a semaphore: its swap may succeed and go on.
class LoneEnds {
 public:
  explicit LoneEnds(const llvm::Cycle& cycle);

  bool waits_for_nobody(const llvm::Instruction& i) const { return accesses_.contains(&i); }
  /// True for a load of a place that a compare-and-swap of the cycle works on.
  bool is_of_swap(const llvm::LoadInst& load) const { return places_.contains(load.getPointerOperand()); }
  bool has_takes() const { return takes_; }
  /// False for a load from an array that the kernel only reads. Where there are takes, they settle nothing else.
  bool is_written(const llvm::LoadInst& load) const;

 private:
  void look_at(const llvm::AtomicCmpXchgInst& swap);
  bool expects_what_it_loads(const llvm::AtomicCmpXchgInst& swap) const;
  bool finds_root(const llvm::AtomicCmpXchgInst& swap) const;
  bool is_take(const llvm::AtomicCmpXchgInst& swap) const;
  bool counts_up(const llvm::AtomicRMWInst& operation) const;
  bool is_fixed(const llvm::Value* v) const;
  bool leaves(const llvm::AtomicCmpXchgInst& swap, bool succeeds) const;
  bool leads_to(const llvm::LoadInst& load, const llvm::AtomicCmpXchgInst& swap, bool only_if_expected) const;

  const llvm::Cycle& cycle_;
  bool takes_ = false;
  llvm::SmallPtrSet<const llvm::Instruction*, 8> accesses_;
  llvm::SmallPtrSet<const llvm::Value*, 4> places_;
};

}  // namespace lanza::compiler
