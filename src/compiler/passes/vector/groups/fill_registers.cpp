#include "compiler/passes/vector/groups/fill_registers.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/groups/whole_rows.hpp"
#include "compiler/passes/vector/scalars/edge_loads.hpp"
#include "compiler/passes/vector/scalars/narrow_bytes.hpp"
#include "compiler/passes/vector/scalars/prepare_scalars.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostLanes = 64, kMostAtEdges = 32, kFewEdges = 4;
constexpr int64_t kMostMembers = 4;  // of pixels, that shuffles take apart
constexpr unsigned kWide = 32;       // bits of elements that as many lanes as elsewhere are right for

class Elements {
 public:
  Elements(Function& kernel, const GroupShape& group)
      : kernel_(kernel), layout_(kernel.getParent()->getDataLayout()), shapes_(kernel, group) {}

  /// Bits of the widest that differs from lane to lane; kWide too where lanes have no neighbours.
  unsigned widest() {
    unsigned bits = 8;
    for (Instruction& i : instructions(kernel_)) {
      bits = std::max(bits, bits_of(i));
      if (bits >= kWide) return kWide;
    }
    return bits;
  }

  /// Behind widest(). What a group does at many edges, with indices of 32 bits, costs more than many lanes gain.
  unsigned most_lanes() const { return edges_ > kFewEdges ? kMostAtEdges : kMostLanes; }

 private:
  unsigned bits_of(Instruction& i) {
    if (isa<LoadInst, StoreInst>(i)) return bits_of_access(i);
    if (isa<AllocaInst>(i) || (i.mayReadOrWriteMemory() && !as_sync(i))) return kWide;
    if (!shapes_[&i].is_varying() || i.getType()->isVoidTy() || i.getType()->isIntegerTy(1)) return 0;
    return is_index(&i) ? 0 : layout_.getTypeSizeInBits(i.getType());
  }

  unsigned bits_of_access(Instruction& i) {
    Value* address = getLoadStorePointerOperand(&i);
    Type* type = getLoadStoreType(&i);
    const Shape shape = shapes_[address];
    auto* load = dyn_cast<LoadInst>(&i);
    if (shape.is_uniform()) return load ? 0 : kWide;
    const auto size = static_cast<int64_t>(layout_.getTypeStoreSize(type));
    const bool is_member = load && shape.is_strided() && shape.stride > size && shape.stride <= kMostMembers * size;
    if (is_member) return layout_.getTypeSizeInBits(type);
    const bool is_neighbour = shape.is_strided() && shape.stride == size;
    if (!is_neighbour && !(load && loads_neighbours_but_for_edges(*load, shapes_))) return kWide;
    edges_ += !is_neighbour;
    return layout_.getTypeSizeInBits(type);
  }

  // Only addresses and comparisons are made of it.
  bool is_index(const Value* v, unsigned depth = 8) const {
    if (isa<GetElementPtrInst>(v)) return true;
    if (!v->getType()->isIntegerTy() || depth == 0) return false;
    return all_of(v->users(), [&](const User* user) {
      if (isa<GetElementPtrInst, ICmpInst>(user)) return true;
      return isa<BinaryOperator, CastInst, SelectInst, MinMaxIntrinsic>(user) && is_index(user, depth - 1);
    });
  }

  Function& kernel_;
  const DataLayout& layout_;
  const Shapes shapes_;
  unsigned edges_ = 0;
};

bool has_narrow_accesses(Function& kernel) {
  return any_of(instructions(kernel), [](Instruction& i) {
    return isa<LoadInst, StoreInst>(i) && getLoadStoreType(&i)->getScalarSizeInBits() < kWide;
  });
}

}  // namespace

GroupShape fill_registers(Function& kernel, const GroupShape& group, unsigned bits, PassRunner& runner) {
  if (!has_narrow_accesses(kernel)) return group;
  const bool in_rows = can_take_whole_rows(kernel, group);
  const GroupShape asked = in_rows ? GroupShape::of_rows(group.lanes, group.block) : group;
  if (narrow_bytes(kernel, asked)) runner.run(kernel, kTidyScalars);
  Elements elements(kernel, asked);
  const unsigned widest = elements.widest();
  const unsigned lanes = std::min(elements.most_lanes(), bits / widest);
  if (lanes <= group.lanes || (!in_rows && group.block[0] % lanes != 0)) return group;
  return group.with_lanes(lanes);
}

}  // namespace lanza::compiler
