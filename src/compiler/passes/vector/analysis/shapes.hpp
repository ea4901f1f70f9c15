// How each value differs from lane to lane of a group, and which code runs with only some of the lanes.
#pragma once

#include <cstdlib>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/passes/vector/analysis/erased_values.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// Elements: up to this stride whole vectors are loaded or stored, and shuffled.
inline constexpr int64_t kMostInterleaved = 16;

/// The value of lane l is that of lane 0 plus l * stride, in the arithmetic of the value's own width (pointers: bytes).
/// That holds for lanes that are active; an inactive lane's value is never looked at.
struct Shape {
  enum Kind : uint8_t { Unknown, Strided, Varying } kind = Unknown;
  unsigned zeros = 0;  ///< strided integers: so many low bits of lane 0's value are 0, active or not
  int64_t stride = 0;

  bool is_uniform() const { return kind == Strided && stride == 0; }
  bool is_strided() const { return kind == Strided && stride != 0; }
  bool is_varying() const { return kind == Varying; }
  /// Of the addresses of elements of so many bytes: each lane goes to memory by itself.
  bool is_scattered(uint64_t size) const {
    return is_varying() || std::abs(stride) > kMostInterleaved * static_cast<int64_t>(size);
  }
  bool operator==(const Shape&) const = default;
};

/// Whether a thread that leaves the kernel, meeting no synchronisation point on its way, counts as one that parts from
/// the others. For masks it does. For the question whether all threads that are left meet at a point it does not.
enum class Leaving { Diverges, IsIgnored };

/// In: a kernel in SPMD form (host IR of one thread), with reducible loops in simplified form. Shapes are closed over
/// loops: what a loop's lanes take out of it in different iterations varies, as does what phis join behind branches
/// that lanes take differently. Asks the values that are there when it is made: those that come later are unknown. Who
/// erases one and goes on asking must use erase(), or what is made next may get its address, and so its shape.
class Shapes {
 public:
  Shapes(llvm::Function& function, const GroupShape& group, Leaving leaving = Leaving::Diverges);

  /// As seen by instructions of the loop where it is computed.
  Shape operator[](const llvm::Value* value) const;
  /// As seen in `block`: other lanes may have taken the value out of a loop in other iterations.
  Shape seen_in(const llvm::BasicBlock* block, const llvm::Value* value) const;
  bool is_uniform(const llvm::Value* value) const { return (*this)[value].is_uniform(); }
  bool is_divergent(const llvm::Instruction* terminator) const {
    erased_.ask();
    return divergent_.contains(terminator);
  }
  /// True when some lanes of a group may run the block without others.
  bool runs_some_lanes(const llvm::BasicBlock* block) const {
    erased_.ask();
    return partial_.contains(block);
  }
  /// True where, with Leaving::IsIgnored, a thread meets no other any more.
  bool leaves(const llvm::BasicBlock* block) const { return leaves_.contains(block); }
  /// True when lanes leave the loop in different iterations.
  bool is_left_apart(const llvm::BasicBlock* header) const {
    const llvm::Loop* loop = loops_.getLoopFor(header);
    return loop && loop->getHeader() == header && left_apart_.contains(loop);
  }
  /// True when extending lane 0's value and adding strides gives every active lane's extended value: sums that do not
  /// wrap, or a base aligned so that the group crosses no wrap.
  bool extends(const llvm::Value* value, bool is_signed) const;
  /// The same by alignment alone: then lane 0's own value may be extended, even where lane 0 is inactive.
  bool crosses_no_wrap(const llvm::Value* value) const;
  unsigned low_zeros(const llvm::Value* value) const;

  void erase(llvm::Instruction& instruction);

  /// True when all lanes of a group, which is a warp, come to a point whose mask names them all.
  bool all_take_part(const llvm::CallInst& point) const;

  const GroupShape& group() const { return group_; }
  void print(llvm::raw_ostream& stream) const;

 private:
  bool update_shapes();
  bool settle_unknown();
  bool update_control();
  Shape shape_of(const llvm::Instruction& i) const;
  Shape of_phi(const llvm::PHINode& phi) const;
  Shape of_binary(const llvm::BinaryOperator& i) const;
  Shape of_bits(const llvm::BinaryOperator& i) const;
  Shape of_pattern(const llvm::BinaryOperator& i) const;
  Shape of_cast(const llvm::CastInst& i) const;
  Shape of_compare(const llvm::ICmpInst& i) const;
  Shape of_select(const llvm::SelectInst& i) const;
  Shape of_address(const llvm::GetElementPtrInst& i) const;
  Shape of_call(const llvm::CallInst& i) const;
  Shape of_sync(const llvm::CallInst& point) const;
  Shape of_thread_index(unsigned axis) const;
  bool span_fits(const Shape& shape) const;
  unsigned span_bits(const Shape& shape) const;
  bool extends(const llvm::Value* value, bool is_signed, llvm::SmallPtrSetImpl<const llvm::Value*>& open) const;

  void find_leaving_blocks();
  void part_at(llvm::ArrayRef<const llvm::BasicBlock*> to, const llvm::BasicBlock* meet, const llvm::Loop* around);
  void leave_apart(const llvm::Loop* loop);

  llvm::Function& function_;
  const GroupShape group_;
  const Leaving leaving_;
  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree post_dominators_;
  llvm::LoopInfo loops_;
  std::vector<const llvm::BasicBlock*> order_;  ///< reverse post order
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> position_;
  llvm::DenseMap<const llvm::Value*, Shape> shapes_;
  llvm::DenseSet<const llvm::Instruction*> divergent_;  ///< terminators that lanes leave to different blocks
  llvm::DenseSet<const llvm::BasicBlock*> joins_;       ///< reached by lanes on different ways at once
  llvm::DenseSet<const llvm::BasicBlock*> partial_, leaves_;
  llvm::DenseSet<const llvm::Loop*> left_apart_;
  mutable llvm::DenseMap<const llvm::Value*, unsigned> zeros_;
  ErasedValues erased_;
};

}  // namespace lanza::compiler
