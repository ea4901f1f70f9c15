#include "compiler/passes/vector/lanes/split_masked_stores.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/lanes/masked_stores.hpp"

using namespace llvm;

namespace lanza::compiler {

// Whether the lane is stored; nothing where that is not constant.
static std::optional<bool> is_stored(const Constant& mask, unsigned lane) {
  auto* bit = dyn_cast_or_null<ConstantInt>(mask.getAggregateElement(lane));
  return bit ? std::optional(bit->isOne()) : std::nullopt;
}

namespace {

struct Piece {
  unsigned first, lanes;
};

// None where the mask is no constant.
SmallVector<Piece, 8> pieces(const IntrinsicInst& store) {
  constexpr unsigned kLongest = 4;
  SmallVector<Piece, 8> found;
  auto* mask = dyn_cast<Constant>(store_mask(store));
  const unsigned lanes = cast<FixedVectorType>(stored_value(store)->getType())->getNumElements();
  if (!mask || !all_of(seq(0u, lanes), [&](unsigned lane) { return is_stored(*mask, lane).has_value(); })) return found;
  for (unsigned lane = 0; lane < lanes;) {
    unsigned length = 0;
    while (lane + length < lanes && length < kLongest && *is_stored(*mask, lane + length)) ++length;
    if (length > 0) found.push_back({lane, length = bit_floor(length)});
    lane += std::max(length, 1U);
  }
  return found;
}

void split(IntrinsicInst& store, ArrayRef<Piece> pieces) {
  Value* value = stored_value(store);
  const uint64_t size = store.getDataLayout().getTypeAllocSize(value->getType()->getScalarType());
  const Align align = store_align(store);
  IRBuilder<> b(&store);
  for (const auto [lane, lanes] : pieces) {
    Value* part = lanes == 1 ? b.CreateExtractElement(value, lane)
                             : b.CreateShuffleVector(value, createSequentialMask(lane, lanes, 0));
    Value* address = b.CreateConstGEP1_64(b.getInt8Ty(), stored_at(store), lane * size);
    b.CreateAlignedStore(part, address, commonAlignment(align, lane * size));
  }
  store.eraseFromParent();
}

}  // namespace

unsigned pieces_of(const IntrinsicInst& store) { return pieces(store).size(); }

bool split_masked_stores(Function& run, const TargetTransformInfo& host) {
  if (has_native_masks(host)) return false;
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(run))) {
    IntrinsicInst* store = as_masked_store(i);
    if (!store) continue;
    const auto parts = pieces(*store);
    if (parts.empty()) continue;
    split(*store, parts);
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
