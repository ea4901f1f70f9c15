// Groups of several short rows, or of parts of one: what is regular within each of them.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/widen/widener.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kLeastInRow = 4, kPart = 8;
static constexpr int64_t kWord = 4;

// An index taken to pieces, as `tile[i / 8][i % 8]`: neighbours are neighbours in memory as far as a row goes.
static bool splits_indices(Function& kernel, const Shapes& shapes) {
  return any_of(instructions(kernel), [&](const Instruction& i) {
    const unsigned code = i.getOpcode();
    const bool splits = code == Instruction::LShr || code == Instruction::AShr || code == Instruction::And ||
                        code == Instruction::UDiv || code == Instruction::URem;
    return splits && isa<ConstantInt>(i.getOperand(1)) && shapes[&i].is_varying() &&
           shapes[i.getOperand(0)].is_strided();
  });
}

// Nothing in a row's code depends on the other rows of its group, save what is the same for all of them. That goes for
// parts of a row, too.
void Widener::find_row_shapes() {
  const GroupShape& group = shapes_.group();
  if (group.rows() > 1) {
    if (group.extent[0] >= kLeastInRow) row_shapes_.emplace(kernel_, group.one_row());
  } else if (group.extent[0] == lanes_ && lanes_ >= 2 * kLeastInRow && splits_indices(kernel_, shapes_)) {
    const unsigned part = lanes_ > kPart ? kPart : kLeastInRow;
    row_shapes_.emplace(kernel_, GroupShape{part, group.block, {part, 1, 1}, group.whole_rows});
  }
}

// Of bytes and shorts one for each row is no better loaded so: they would be put into the vector one after the other.
bool Widener::is_row_of_lanes(Instruction* access) const {
  if (!row_shapes_) return false;
  const Shape shape = (*row_shapes_)[getLoadStorePointerOperand(access)];
  const auto size = static_cast<int64_t>(layout_.getTypeStoreSize(getLoadStoreType(access)));
  return shape.stride == size || (shape.is_uniform() && isa<LoadInst>(access) && size >= kWord);
}

// With all lanes active, so that each row's first lane has an address. Null where rows are irregular.
Value* Widener::load_rows(LoadInst& load) {
  if (!row_shapes_ || mask()) return nullptr;
  const Shape shape = (*row_shapes_)[load.getPointerOperand()];
  const int64_t size = layout_.getTypeStoreSize(load.getType());
  if (!shape.is_uniform() && shape.stride != size) return nullptr;
  const unsigned in_row = row_shapes_->group().lanes;
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
  const unsigned in_row = row_shapes_->group().lanes;
  Value* lanes = vector(store.getValueOperand());
  for (unsigned lane = 0; lane < lanes_; lane += in_row) {
    Value* base = lane_of(store.getPointerOperand(), b_.getInt32(lane));
    Value* row = b_.CreateShuffleVector(lanes, createSequentialMask(lane, in_row, 0));
    b_.CreateAlignedStore(row, base, store.getAlign());
  }
  return true;
}

}  // namespace lanza::compiler
