#include "compiler/passes/vector/transpose_gathers.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

int64_t stride_of_gather(const Instruction& i) {
  auto* gather = dyn_cast<IntrinsicInst>(&i);
  if (!gather || gather->getIntrinsicID() != Intrinsic::masked_gather || !match(gather->getArgOperand(2), m_AllOnes()))
    return 0;
  auto* address = dyn_cast<GetElementPtrInst>(gather->getArgOperand(0));
  if (!address || address->getPointerOperandType()->isVectorTy() || address->getNumIndices() != 1) return 0;
  auto* steps = dyn_cast<ConstantDataVector>(address->getOperand(1));
  if (!steps) return 0;
  const int64_t first = steps->getElementAsAPInt(0).getSExtValue();
  const int64_t step = steps->getElementAsAPInt(1).getSExtValue() - first;
  for (unsigned lane = 0; lane < steps->getNumElements(); ++lane)
    if (steps->getElementAsAPInt(lane).getSExtValue() != first + step * lane) return 0;
  return step * static_cast<int64_t>(i.getDataLayout().getTypeAllocSize(address->getSourceElementType()));
}

namespace {

Value* base_of(const IntrinsicInst& gather) {
  return cast<GetElementPtrInst>(gather.getArgOperand(0))->getPointerOperand();
}

// The first lane's element, counted from there.
int64_t start_of(const IntrinsicInst& gather) {
  auto* address = cast<GetElementPtrInst>(gather.getArgOperand(0));
  const int64_t first = cast<ConstantDataVector>(address->getOperand(1))->getElementAsAPInt(0).getSExtValue();
  return first * static_cast<int64_t>(gather.getDataLayout().getTypeAllocSize(address->getSourceElementType()));
}

/// An address as something that two of them may have in common, and a number of bytes.
struct Place {
  SmallVector<std::pair<const Value*, int64_t>, 4> variable;  ///< in the order of the computation, times bytes
  int64_t bytes = 0;
};

/// Takes off what is added to an index, where that cannot wrap.
const Value* without_offset(const Value* index, int64_t& offset) {
  const Value* inner = index;
  const bool zero = match(index, m_ZExt(m_Value(inner))) || match(index, m_NNegZExt(m_Value(inner)));
  const bool sign = !zero && match(index, m_SExt(m_Value(inner)));
  const APInt* constant = nullptr;
  const Value* rest = nullptr;
  auto* sum = dyn_cast<OverflowingBinaryOperator>(inner);
  const bool disjoint = match(inner, m_DisjointOr(m_Value(rest), m_APInt(constant)));
  const bool adds =
      match(inner, m_Add(m_Value(rest), m_APInt(constant))) && (zero   ? sum->hasNoUnsignedWrap()
                                                                : sign ? sum->hasNoSignedWrap()
                                                                       : index->getType()->isIntegerTy(64));
  if (!(disjoint || adds)) return zero || sign ? inner : index;
  offset += zero ? static_cast<int64_t>(constant->getZExtValue()) : constant->getSExtValue();
  return rest;
}

Place place_of(const Value* address, const DataLayout& layout) {
  Place place;
  while (auto* step = dyn_cast<GEPOperator>(address)) {
    MapVector<Value*, APInt> variable;
    APInt constant(64, 0);
    if (!step->collectOffset(layout, 64, variable, constant)) break;
    place.bytes += constant.getSExtValue();
    for (auto& [index, scale] : variable) {
      int64_t offset = 0;
      const Value* rest = without_offset(index, offset);
      place.bytes += offset * scale.getSExtValue();
      place.variable.push_back({rest, scale.getSExtValue()});
    }
    address = step->getPointerOperand();
  }
  place.variable.push_back({address, 1});
  return place;
}

struct Column {
  IntrinsicInst* gather;
  int64_t bytes;
};

/// Gathers of one block that differ by constants.
struct Tile {
  Place place;
  int64_t stride;
  Type* type;
  SmallVector<Column, 16> columns;
};

/// Whether all accesses to a variable are made from its address as such: nobody else has a pointer to it. LLVM's own
/// analysis takes gathers for leaks.
bool keeps_address(const AllocaInst& variable) {
  SmallSetVector<const Value*, 32> addresses;
  addresses.insert(&variable);
  for (size_t k = 0; k < addresses.size(); ++k)
    for (const User* user : addresses[k]->users()) {
      if (isa<GetElementPtrInst, PHINode, SelectInst>(user)) {
        addresses.insert(user);
        continue;
      }
      auto* access = dyn_cast<IntrinsicInst>(user);
      auto* store = dyn_cast<StoreInst>(user);
      const bool writes = access && (access->getIntrinsicID() == Intrinsic::masked_store ||
                                     access->getIntrinsicID() == Intrinsic::masked_scatter);
      const Value* written = store ? store->getValueOperand() : writes ? access->getArgOperand(0) : nullptr;
      auto* call = dyn_cast<CallInst>(user);
      const bool accesses = store || access || isa<LoadInst>(user) || (call && call->doesNotCapture(0));
      if (!accesses || written == addresses[k]) return false;
    }
  return true;
}

bool is_overwritten_between(Instruction* from, Instruction* to) {
  const Value* variable = getUnderlyingObject(base_of(*cast<IntrinsicInst>(to)), 0);
  std::optional<bool> kept;
  for (Instruction* i = from; i != to; i = i->getNextNode()) {
    if (!i->mayWriteToMemory()) continue;
    auto* store = dyn_cast<StoreInst>(i);
    const Value* object = store ? getUnderlyingObject(store->getPointerOperand(), 0) : nullptr;
    if (!object || object == variable || !isa<LoadInst, Argument, AllocaInst>(object)) return true;
    if (!kept) kept = isa<AllocaInst>(variable) && keeps_address(*cast<AllocaInst>(variable));
    if (!*kept) return true;
  }
  return false;
}

Value* shuffled(IRBuilderBase& b, Value* low, Value* high, function_ref<int(int)> from) {
  SmallVector<int, 32> mask;
  const auto lanes = static_cast<int>(cast<FixedVectorType>(low->getType())->getNumElements());
  for (int i = 0; i < lanes; ++i) mask.push_back(from(i));
  return b.CreateShuffleVector(low, high, mask);
}

// Register q begins with the rows q, q + n, q + 2n ... one behind the other; then the squares of n x n in them are
// transposed at once, halves of halves (Eklundh's way).
void transpose(ArrayRef<Column> columns, int64_t stride) {
  IntrinsicInst* first = columns[0].gather;
  for (const Column& column : columns)
    if (column.gather->comesBefore(first)) first = column.gather;
  auto* type = cast<FixedVectorType>(first->getType());
  const auto n = static_cast<int>(columns.size()), lanes = static_cast<int>(type->getNumElements());
  IRBuilder<> b(first);
  auto* row_type = FixedVectorType::get(type->getElementType(), static_cast<unsigned>(n));
  int64_t origin = columns[0].bytes + start_of(*first);
  for (const Column& column : columns)
    if (column.gather == first) origin -= column.bytes;
  SmallVector<Value*, 16> registers;
  for (int q = 0; q < n; ++q) {
    SmallVector<Value*, 8> rows;
    for (int row = q; row < lanes; row += n) {
      Value* address =
          b.CreateConstGEP1_64(b.getInt8Ty(), base_of(*first), static_cast<uint64_t>(origin + row * stride));
      rows.push_back(b.CreateAlignedLoad(row_type, address, Align(1)));
    }
    registers.push_back(rows.size() == 1 ? rows[0] : nullptr);
    if (rows.size() == 1) continue;
    while (rows.size() > 1) {
      SmallVector<Value*, 8> wider;
      for (size_t k = 0; k < rows.size(); k += 2) {
        SmallVector<int, 32> all;
        const auto size = cast<FixedVectorType>(rows[k]->getType())->getNumElements();
        for (unsigned i = 0; i < 2 * size; ++i) all.push_back(static_cast<int>(i));
        wider.push_back(b.CreateShuffleVector(rows[k], rows[k + 1], all));
      }
      rows = std::move(wider);
    }
    registers.back() = rows[0];
  }
  for (int half = n / 2; half; half /= 2)
    for (int q = 0; q < n; ++q) {
      if (q & half) continue;
      Value *low = registers[q], *high = registers[q + half];
      registers[q] = shuffled(b, low, high, [&](int i) { return i & half ? lanes + i - half : i; });
      registers[q + half] = shuffled(b, low, high, [&](int i) { return i & half ? lanes + i : i + half; });
    }
  for (int c = 0; c < n; ++c) {
    columns[c].gather->replaceAllUsesWith(registers[c]);
    columns[c].gather->eraseFromParent();
  }
}

}  // namespace

bool transpose_gathers(Function& run) {
  const DataLayout& layout = run.getDataLayout();
  bool changed = false;
  for (BasicBlock& block : run) {
    std::vector<Tile> tiles;
    for (Instruction& i : block) {
      const int64_t stride = stride_of_gather(i);
      if (stride == 0 || i.getType()->isPtrOrPtrVectorTy()) continue;
      if (layout.getTypeSizeInBits(i.getType()->getScalarType()) !=
          layout.getTypeAllocSizeInBits(i.getType()->getScalarType()))
        continue;
      auto* gather = cast<IntrinsicInst>(&i);
      Place place = place_of(base_of(*gather), layout);
      auto fits = [&](const Tile& t) {
        return t.stride == stride && t.type == i.getType() && t.place.variable == place.variable &&
               !is_overwritten_between(t.columns[0].gather, gather);
      };
      auto tile = find_if(tiles, fits);
      if (tile == tiles.end()) tile = tiles.insert(tiles.end(), {place, stride, i.getType(), {}});
      tile->columns.push_back({gather, place.bytes + start_of(*gather)});
    }
    for (Tile& tile : tiles) {
      const auto size = static_cast<int64_t>(layout.getTypeAllocSize(tile.type->getScalarType()));
      const unsigned lanes = cast<FixedVectorType>(tile.type)->getNumElements();
      llvm::stable_sort(tile.columns, [](const Column& a, const Column& b) { return a.bytes < b.bytes; });
      for (size_t from = 0; from < tile.columns.size();) {
        size_t run_length = 1;
        while (from + run_length < tile.columns.size() &&
               tile.columns[from + run_length].bytes == tile.columns[from].bytes + size * int64_t(run_length))
          ++run_length;
        size_t n = std::min<size_t>(lanes, 16);
        while (n > run_length) n /= 2;
        if (n >= 4) {
          transpose(ArrayRef(tile.columns).slice(from, n), tile.stride);
          changed = true;
        }
        from += n >= 4 ? n : run_length;
      }
    }
  }
  return changed;
}

}  // namespace lanza::compiler
