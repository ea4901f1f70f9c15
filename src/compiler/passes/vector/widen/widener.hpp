// The state of widening one function: what its files share.
#pragma once

#include <optional>

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/analysis/lane_tables.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/analysis/thread_values.hpp"
#include "compiler/passes/vector/widen/interleaved_accesses.hpp"
#include "compiler/passes/vector/widen/lone_updates.hpp"
#include "compiler/passes/vector/widen/tabled_accesses.hpp"
#include "compiler/passes/vector/widen/widen.hpp"

namespace lanza::compiler {

/// What kAtEdge says of an access, of the gather or scatter that it became.
void mark_edge(llvm::Instruction& wide, const llvm::Instruction& access);

class Widener {
 public:
  Widener(llvm::Function& kernel, const GroupShape& group);
  Widened run();

 private:
  using Value = llvm::Value;

  // Values: widen_values.cpp
  /// A uniform value, or lane 0's of a strided one.
  Value* scalar(Value* value);
  /// All lanes' values; of structs, a struct of vectors.
  Value* vector(Value* value);
  Value* splat(Value* scalar);
  Value* lane_of(Value* value, Value* lane);
  llvm::Constant* steps(llvm::Type* type, int64_t stride) const;
  llvm::Type* wide(llvm::Type* type) const;
  Value* extended(Value* value, llvm::Type* type, bool is_signed);
  Value* mask();  ///< null: all lanes
  Value* mask_or_all();
  Value* mask_bits();
  /// Ends the block under way; the builder stands in the way of all lanes then. There must be a mask.
  struct Branches {
    llvm::BasicBlock *whole, *partly, *after;
  };
  Branches branch_on_all_active();
  Branches branch_on(llvm::Value* condition);
  llvm::IntegerType* bits_type() const;

  // Instructions: widen.cpp
  void widen_block(llvm::BasicBlock& block);
  void widen(llvm::Instruction& i);
  void widen_strided(llvm::Instruction& i);
  void widen_varying(llvm::Instruction& i);
  void widen_call(llvm::CallInst& call);
  void widen_select(llvm::SelectInst& i);
  void widen_intrinsic(llvm::CallInst& call);
  void widen_thread_index(llvm::CallInst& call, unsigned axis);
  void widen_phi(llvm::PHINode& phi);
  void widen_address(llvm::GetElementPtrInst& i);
  void widen_terminator(llvm::Instruction& i);
  void widen_sync(llvm::CallInst& call);
  void finish_phis();
  bool is_done_once(const llvm::Instruction& i) const;
  llvm::Instruction* clone_scalar(llvm::Instruction& i);
  void set(llvm::Instruction& i, Value* vector) { vectors_[&i] = vector; }

  // Memory: widen_memory.cpp
  void widen_load(llvm::LoadInst& load);
  void widen_store(llvm::StoreInst& store);
  void widen_prefetch(llvm::CallInst& call);
  void widen_alloca(llvm::AllocaInst& alloca);
  Value* reversed(Value* vector);

  // Members of records: widen_interleaved.cpp
  void find_interleaved(llvm::BasicBlock& block);
  void widen_interleaved(const InterleavedAccesses& accesses);
  // By the lanes of a mask, or by all.
  void load_interleaved(const InterleavedAccesses& accesses, Value* active);
  void store_interleaved(const InterleavedAccesses& accesses, Value* active);
  llvm::SmallVector<Value*, 8> gather_or_scatter(const InterleavedAccesses& accesses);
  Value* active_elements(unsigned q, unsigned elements, const llvm::BitVector& wanted, Value* active);
  llvm::SmallVector<Value*, 8> load_parts(const InterleavedAccesses& accesses, Value* base, Value* active);
  llvm::SmallVector<Value*, 8> load_members(const InterleavedAccesses& accesses, Value* base,
                                            const llvm::BitVector& wanted, Value* active);
  llvm::SmallVector<Value*, 8> load_records(const InterleavedAccesses& accesses, Value* base);
  Value* offset_from_place(const InterleavedAccesses& accesses, Value* address, int64_t offset);
  Value* first_record(const InterleavedAccesses& accesses);
  Value* part_of_unit(const InterleavedAccesses& accesses, const InterleavedAccesses::Member& member, Value* unit);
  Value* unit_with(const InterleavedAccesses& accesses, unsigned unit, llvm::Type* type);

  // Lanes close together, in a known order: widen_tabled.cpp
  Value* first_lane(Value* value);
  Value* first_extended(Value* value, llvm::Type* type, bool is_signed);
  struct Lanes {
    llvm::BitVector may_be;
    bool are_known = false;  ///< those are
  };
  Lanes lanes_that_pass(const Value* condition);
  void find_tabled(llvm::BasicBlock& block);
  void widen_tabled(const TabledAccesses& accesses);
  void load_tabled(const TabledAccesses& accesses, Value* base);
  void store_tabled(const TabledAccesses& accesses, Value* base);

  // Quotients of integers: widen_division.cpp
  void widen_division(llvm::BinaryOperator& i);
  Value* as_real(Value* integers, llvm::Type* type, bool is_signed);
  Value* as_integers(Value* reals, llvm::Type* type, bool is_signed);
  Value* quotients_of_one(Value* dividends, Value* divisor, bool is_signed);
  Value* remainders_beside(Value* dividends, Value* divisor, Value* active, bool is_signed,
                           llvm::function_ref<Value*()> divided);
  Value* are_short(Value* dividends, Value* divisors, bool is_signed);
  Value* quotients(Value* dividends, Value* divisors, llvm::Type* real, bool is_signed);
  Value* quotients_by_size(Value* dividends, Value* divisors, bool is_signed);

  // Questions to all lanes: widen_collective.cpp
  Value* collective(llvm::CallInst& call);
  Value* ask_ends(Value* condition, bool truth, bool all);
  Value* ask_end(const llvm::ICmpInst& compare, bool truth, bool all);
  Value* ask_whether_it(Value* index, Value* it, bool equal, bool all);

  // Operations of a warp, which the group is: widen_warp.cpp
  void widen_warp(llvm::CallInst& point);
  void widen_ballot(llvm::CallInst& point);
  void widen_shuffle(llvm::CallInst& point);
  bool match_bits(llvm::CallInst& point, llvm::Value* who);
  void widen_match_any(llvm::CallInst& point);
  void widen_match_all(llvm::CallInst& point);
  void widen_reduce(llvm::CallInst& point);
  Value* reduced(llvm::CallInst& point, Value* lanes, Value* members);
  Value* lanes_equal(llvm::CallInst& point, Value* lane);
  Value* members(llvm::CallInst& point);
  Value* is_member(llvm::CallInst& point, Value* lane);
  Value* bits_of(Value* lanes);
  Value* lanes_of(Value* bits);
  Value* permuted(Value* lanes, Value* source);
  std::vector<bool> threads_at(const llvm::BasicBlock* block);
  llvm::Constant* known_by_lane(const Value* value, const llvm::BasicBlock* block);
  using Set = std::pair<Value*, Value*>;
  void widen_by_sets(llvm::CallInst& point, llvm::function_ref<Set(Value* lane)> of_lane);

  // Neighbours on a ring: widen_rings.cpp
  struct Ring {
    Value *begin, *behind;  ///< addresses, as if all lanes stood up to the ring's end, or behind it
    Value* is_before;       ///< which of them, in the order of memory, stand up to its end
    bool backwards;         ///< the last lane is the first one in memory
  };
  std::optional<Ring> ring_of(Value* address, int64_t size);
  Value* load_ring(llvm::LoadInst& load);
  bool store_ring(llvm::StoreInst& store);
  Value* active_on(const Ring& ring, Value* those);

  // Groups of several rows: widen_rows.cpp
  void find_row_shapes();
  bool is_row_of_lanes(llvm::Instruction* access) const;
  Value* load_rows(llvm::LoadInst& load);
  bool store_rows(llvm::StoreInst& store);
  void find_row_records(llvm::BasicBlock& block);
  void load_row_records(const InterleavedAccesses& accesses);

  // One lane after the other: widen_serial.cpp
  /// For the lanes of `active`, one at least; null: of the mask.
  void serialise(llvm::Instruction& i, Value* active = nullptr);
  llvm::Value* with_lane(llvm::Value* all, llvm::Value* one, llvm::Value* lane);
  llvm::Value* joined(llvm::Instruction& i, llvm::ArrayRef<llvm::PHINode*> members, llvm::BasicBlock* each);
  void note_thread(Value* lane);
  void note_lane_by_lane(llvm::Instruction& made, const llvm::Instruction& i);

  // Atomic operations: widen_atomic.cpp
  void widen_lone(llvm::AtomicRMWInst& i);
  void widen_atomic(llvm::AtomicRMWInst& i);
  std::optional<unsigned> only_lane(const llvm::BasicBlock* block);
  void update_by(llvm::AtomicRMWInst& i, unsigned lane);
  void combine(llvm::AtomicRMWInst& i, Value* active);
  void widen_exchange(llvm::AtomicCmpXchgInst& i);
  template <class Operation>
  bool is_at_neighbours(const Operation& i, llvm::Type* type) const;
  void update_neighbours(llvm::AtomicRMWInst& i);
  Value* found_by_neighbours(llvm::Type* type, Value* base, llvm::Align align, Value* active);
  bool is_seldom(llvm::BasicBlock* block);
  bool has_many_atomics(bool are_plain);
  void in_turn(llvm::Instruction& i);
  void all_take_part(llvm::AtomicRMWInst& i);
  void one_by_one(llvm::Instruction& i);

  // Minima and maxima of memory: widen_extrema.cpp
  bool change_extremum(llvm::AtomicRMWInst& i);

  // Updates of one place that most lanes leave as it is: widen_updates.cpp
  bool update_in_turn(llvm::CallInst& call);
  void ask_in_turn(llvm::CallInst& call, Value* active, llvm::function_ref<Value*()> changes);

  llvm::Function& kernel_;
  llvm::Function* group_function_ = nullptr;
  const llvm::DataLayout& layout_;
  const GroupShape group_;
  const Shapes shapes_;
  std::optional<Shapes> row_shapes_;  ///< of a row, where groups have several
  const unsigned lanes_;
  ThreadValues thread_values_;
  std::optional<llvm::DominatorTree> dominators_;  ///< of the kernel, where it was asked for
  Updates updates_ = Updates::None;                ///< of the kernel
  llvm::SmallVector<UpdateCode, 4> lone_updates_;
  std::optional<long> atomics_;  ///< of the kernel, how many; where it was asked for
  llvm::IRBuilder<> b_;
  Value* mask_ = nullptr;  ///< of the kernel: the operand of lanza.mask
  llvm::DenseMap<const Value*, Value*> scalars_, vectors_;
  llvm::DenseMap<const Value*, Value*> here_;  ///< vectors made of scalars in the block under way
  llvm::DenseMap<std::pair<const Value*, unsigned>, Value*> extended_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> first_, last_;  ///< of the widened block
  std::optional<llvm::DenseSet<const llvm::Instruction*>> alike_members_;    ///< of the kernel
  std::vector<InterleavedAccesses> interleaved_;                             ///< of the block under way
  llvm::DenseMap<const llvm::Instruction*, const InterleavedAccesses*> interleaved_of_;
  LaneTables tables_;
  std::vector<TabledAccesses> tabled_;  ///< of the block under way
  Lanes tabled_lanes_;                  ///< that its mask leaves on
  llvm::DenseMap<const llvm::Instruction*, const TabledAccesses*> tabled_of_;
  std::vector<InterleavedAccesses> row_records_;  ///< of the block under way: by rows
  llvm::DenseMap<const llvm::Instruction*, const InterleavedAccesses*> row_records_of_;
  struct Pending {
    llvm::PHINode *phi, *wide;
    enum How { Scalar, Vector, Extended } how;
    bool is_signed = false;
  };
  llvm::SmallVector<Pending, 16> pending_;
  Widened result_;
};

}  // namespace lanza::compiler
