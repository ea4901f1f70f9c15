// Groups of several short rows, or of parts of one: what is regular within each of them.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/widen/block_mask.hpp"
#include "compiler/passes/vector/widen/record_shuffles.hpp"
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

// Whole records of words that lie side by side within rows: a row is some vectors in memory. What a table says of few
// vectors takes fewer shuffles.
void Widener::find_row_records(BasicBlock& block) {
  row_records_.clear();
  row_records_of_.clear();
  if (!row_shapes_ || mask_of(block)) return;
  const unsigned in_row = row_shapes_->group().lanes, few = 4 * lanes_;
  auto is_whole = [&](const InterleavedAccesses& accesses) {
    return !accesses.stores && !accesses.backwards && accesses.members.size() == accesses.records &&
           accesses.span == accesses.records && accesses.unit >= kWord && accesses.records * in_row % lanes_ == 0 &&
           all_of(accesses.members, [&](const auto& member) {
             return accesses.unit == layout_.getTypeStoreSize(getLoadStoreType(member.access)) &&
                    getLoadStoreType(member.access) == getLoadStoreType(accesses.place()) &&
                    !interleaved_of_.contains(member.access) &&
                    (accesses.records * in_row >= few || !tabled_of_.contains(member.access));
           });
  };
  row_records_ = find_interleaved_accesses(block, *row_shapes_, *alike_members_);
  erase_if(row_records_, [&](const InterleavedAccesses& accesses) { return !is_whole(accesses); });
  for (const InterleavedAccesses& accesses : row_records_)
    for (const auto& member : accesses.members) {
      row_records_of_[member.access] = &accesses;
      if (const TabledAccesses* table = tabled_of_.lookup(member.access))
        for (const auto& other : table->members) tabled_of_.erase(other.access);
    }
}

void Widener::load_row_records(const InterleavedAccesses& accesses) {
  auto* place = cast<LoadInst>(accesses.place());
  Type *type = place->getType(), *vectors = wide(type);
  const unsigned in_row = row_shapes_->group().lanes;
  const Align align = commonAlignment(place->getAlign(), accesses.unit);  // records may begin anywhere
  SmallVector<Value*, 16> memory;
  for (unsigned lane = 0; lane < lanes_; lane += in_row) {
    Value* base = offset_from_place(accesses, lane_of(place->getPointerOperand(), b_.getInt32(lane)), 0);
    for (unsigned at = 0; at < accesses.records * in_row; at += lanes_)
      memory.push_back(b_.CreateAlignedLoad(vectors, b_.CreateConstGEP1_64(type, base, at), align));
  }
  CallInst* apart = emit_take_apart(b_, memory);
  for (const auto& member : accesses.members)
    set(*member.access, b_.CreateExtractValue(apart, accesses.unit_of(member)));
}

}  // namespace lanza::compiler
