// Groups of several short rows: what is regular within each row.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/widener.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kLeastInRow = 4;

// Nothing in a row's code depends on the other rows of its group, save what is the same for all of them.
void Widener::find_row_shapes() {
  const GroupShape& group = shapes_.group();
  if (group.rows() > 1 && group.extent[0] >= kLeastInRow) row_shapes_.emplace(kernel_, group.one_row());
}

bool Widener::is_row_of_lanes(Instruction* access) const {
  if (!row_shapes_) return false;
  const Shape shape = (*row_shapes_)[getLoadStorePointerOperand(access)];
  return shape.stride == static_cast<int64_t>(layout_.getTypeStoreSize(getLoadStoreType(access))) ||
         (shape.is_uniform() && isa<LoadInst>(access));
}

// With all lanes active, so that each row's first lane has an address. Null where rows are irregular.
Value* Widener::load_rows(LoadInst& load) {
  if (!row_shapes_ || mask()) return nullptr;
  const Shape shape = (*row_shapes_)[load.getPointerOperand()];
  const int64_t size = layout_.getTypeStoreSize(load.getType());
  if (!shape.is_uniform() && shape.stride != size) return nullptr;
  const unsigned in_row = shapes_.group().extent[0];
  SmallVector<Value*, 8> rows;
  for (unsigned lane = 0; lane < lanes_; lane += in_row) {
    Value* base = lane_of(load.getPointerOperand(), b_.getInt32(lane));
    Type* type = shape.is_uniform() ? load.getType() : FixedVectorType::get(load.getType(), in_row);
    Value* row = b_.CreateAlignedLoad(type, base, load.getAlign());
    rows.push_back(shape.is_uniform() ? b_.CreateVectorSplat(in_row, row) : row);
  }
  return concatenateVectors(b_, rows);
}

bool Widener::store_rows(StoreInst& store) {
  if (!row_shapes_ || mask()) return false;
  const Shape shape = (*row_shapes_)[store.getPointerOperand()];
  if (shape.stride != static_cast<int64_t>(layout_.getTypeStoreSize(store.getValueOperand()->getType()))) return false;
  const unsigned in_row = shapes_.group().extent[0];
  Value* lanes = vector(store.getValueOperand());
  for (unsigned lane = 0; lane < lanes_; lane += in_row) {
    Value* base = lane_of(store.getPointerOperand(), b_.getInt32(lane));
    Value* row = b_.CreateShuffleVector(lanes, createSequentialMask(lane, in_row, 0));
    b_.CreateAlignedStore(row, base, store.getAlign());
  }
  return true;
}

}  // namespace lanza::compiler
