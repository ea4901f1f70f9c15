#include "compiler/passes/vector/run/transpose_gathers.hpp"

#include <numeric>

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/vector/run/column_accesses.hpp"
#include "compiler/passes/vector/run/lane_places.hpp"
#include "compiler/passes/vector/run/transposition.hpp"
#include "compiler/passes/vector/scalars/read_through.hpp"

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

/// The scalar from which a gather by constant steps counts.
Value* base_of(const IntrinsicInst& gather) {
  return cast<GetElementPtrInst>(gather.getArgOperand(0))->getPointerOperand();
}

// The first lane's element, counted from there.
int64_t start_of(const IntrinsicInst& gather) {
  auto* address = cast<GetElementPtrInst>(gather.getArgOperand(0));
  const int64_t first = cast<ConstantDataVector>(address->getOperand(1))->getElementAsAPInt(0).getSExtValue();
  return first * static_cast<int64_t>(gather.getDataLayout().getTypeAllocSize(address->getSourceElementType()));
}

// Of columns at once: half of the registers, so that none goes to memory. Without AVX-512 those are a quarter, and four
// columns are as few instructions for each element as eight or sixteen.
constexpr size_t kMostBytes = 1024, kMostBytesOfFew = 256;

size_t most_bytes(const Function& run) {
  return module_flag(*run.getParent(), kFewRegisters, 0) ? kMostBytesOfFew : kMostBytes;
}

/// By all lanes, or by those of a mask.
bool is_gather(const Instruction& i) {
  auto* gather = dyn_cast<IntrinsicInst>(&i);
  if (!gather || gather->getIntrinsicID() != Intrinsic::masked_gather) return false;
  const bool are_zeros = isa<UndefValue>(gather->getArgOperand(3)) || match(gather->getArgOperand(3), m_Zero());
  return is_full_gather(i) || (!isa<Constant>(gather->getArgOperand(2)) && are_zeros);
}

struct Column {
  IntrinsicInst* access;  // a gather or a scatter
  int64_t bytes;
};

/// Gathers of one block that differ by constants.
struct Tile {
  Place place;
  int64_t stride;  ///< from lane to lane; 0: any addresses
  Type* type;
  Value* mask;  ///< null: all lanes
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

bool is_overwritten_between(Instruction* from, Instruction* to, bool of_any_address) {
  if (of_any_address)
    return any_of(make_range(from->getIterator(), to->getIterator()),
                  [](const Instruction& i) { return i.mayWriteToMemory(); });
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

/// Where the rows of lanes begin that are active; the others' begin where the first active one's does, so that no more
/// is loaded than the gathers would.
class ActiveRows {
 public:
  ActiveRows(IRBuilderBase& b, Value& mask, Type& row) : b_(b) {
    const auto lanes = cast<FixedVectorType>(mask.getType())->getNumElements();
    bits_ = b.CreateBitCast(&mask, b.getIntNTy(lanes));
    Function& run = *b.GetInsertBlock()->getParent();
    nobodys_ = new AllocaInst(&row, 0, "nobodys", run.getEntryBlock().begin());
  }

  Value* first_lane() {
    return b_.CreateZExtOrTrunc(b_.CreateBinaryIntrinsic(Intrinsic::cttz, bits_, b_.getFalse()), b_.getInt64Ty());
  }

  /// Asked once, before of(): of no lane at all something is loaded that nobody looks at.
  void begin_with(Value& address) { first_ = b_.CreateSelect(b_.CreateIsNotNull(bits_), &address, nobodys_); }

  Value* of(unsigned lane, Value& address) {
    Value* bit = b_.CreateAnd(
        bits_, ConstantInt::get(bits_->getType(), APInt::getOneBitSet(bits_->getType()->getIntegerBitWidth(), lane)));
    return b_.CreateSelect(b_.CreateIsNotNull(bit), &address, first_);
  }

 private:
  IRBuilderBase& b_;
  Value *bits_, *nobodys_, *first_ = nullptr;
};

void transpose(ArrayRef<Column> columns, int64_t stride, Value* mask) {
  IntrinsicInst* first = columns[0].access;
  for (const Column& column : columns)
    if (column.access->comesBefore(first)) first = column.access;
  auto* type = cast<FixedVectorType>(first->getType());
  const auto n = static_cast<unsigned>(columns.size());
  IRBuilder<> b(first);
  auto* row_type = FixedVectorType::get(type->getElementType(), n);
  int64_t origin = columns[0].bytes;
  for (const Column& column : columns)
    if (column.access == first) origin -= column.bytes;
  auto row_at = [&](unsigned row) {
    Value* base = stride ? base_of(*first) : in_lane(b, first->getArgOperand(0), row);
    const int64_t from = stride ? origin + start_of(*first) + row * stride : origin;
    return b.CreateConstGEP1_64(b.getInt8Ty(), base, static_cast<uint64_t>(from));
  };
  std::optional<ActiveRows> active;
  if (mask) {
    active.emplace(b, *mask, *row_type);
    Value* base = b.CreateExtractElement(first->getArgOperand(0), active->first_lane());
    active->begin_with(*b.CreateConstGEP1_64(b.getInt8Ty(), base, static_cast<uint64_t>(origin)));
  }
  const auto registers = transpose_rows(b, type->getNumElements(), n, [&](unsigned row) {
    Value* address = row_at(row);
    return b.CreateAlignedLoad(row_type, active ? active->of(row, *address) : address, Align(1));
  });
  for (unsigned c = 0; c < n; ++c) {
    columns[c].access->replaceAllUsesWith(registers[c]);
    columns[c].access->eraseFromParent();
  }
}

// Scatters one behind the other, whose addresses are next to each other, are the columns of rows that are stored.
void store_rows(ArrayRef<Column> columns) {
  IntrinsicInst* last = columns[0].access;
  for (const Column& column : columns)
    if (last->comesBefore(column.access)) last = column.access;
  IRBuilder<> b(last);
  SmallVector<Value*, 16> registers;
  for (const Column& column : columns) registers.push_back(column.access->getArgOperand(0));
  const auto lanes = cast<FixedVectorType>(registers[0]->getType())->getNumElements();
  const auto n = static_cast<unsigned>(columns.size());
  transpose_squares(b, registers);
  for (unsigned square = 0; square < lanes; square += n) {
    SmallVector<int, 16> part(n);
    std::iota(part.begin(), part.end(), square);
    for (unsigned k = 0; k < n; ++k) {
      Value* to = in_lane(b, columns[0].access->getArgOperand(1), square + k);
      b.CreateAlignedStore(b.CreateShuffleVector(registers[k], part), to, Align(1));
    }
  }
  for (const Column& column : columns) column.access->eraseFromParent();
}

bool is_ordinary(const Type* type, const DataLayout& layout) {
  Type* element = type->getScalarType();
  return !element->isPointerTy() && layout.getTypeSizeInBits(element) == layout.getTypeAllocSizeInBits(element);
}

bool transpose_scatters(BasicBlock& block, const DataLayout& layout, size_t most) {
  std::vector<Tile> tiles;
  bool is_open = false;
  for (Instruction& i : block) {
    if (!is_full_scatter(i)) {
      is_open &= !i.mayReadOrWriteMemory();
      continue;
    }
    auto* scatter = cast<IntrinsicInst>(&i);
    Type* type = scatter->getArgOperand(0)->getType();
    Place place = place_of(scatter->getArgOperand(1), layout);
    if (!is_open || tiles.back().type != type || tiles.back().place.terms != place.terms)
      tiles.push_back({place, 0, type, nullptr, {}});
    tiles.back().columns.push_back({scatter, place.bytes});
    is_open = true;
  }
  bool changed = false;
  for (Tile& tile : tiles) {
    if (tile.columns.back().bytes < tile.columns.front().bytes) std::ranges::reverse(tile.columns);
    const auto size = static_cast<int64_t>(layout.getTypeAllocSize(tile.type->getScalarType()));
    const size_t lanes = cast<FixedVectorType>(tile.type)->getNumElements(), n = tile.columns.size();
    bool is_run = n >= 4 && n <= lanes && isPowerOf2_64(n) && is_ordinary(tile.type, layout);
    for (size_t k = 1; k < n; ++k)
      is_run &= tile.columns[k].bytes == tile.columns[0].bytes + size * static_cast<int64_t>(k);
    if (!is_run) continue;
    size_t part = n;
    while (part > 4 && part * lanes * static_cast<size_t>(size) > most) part /= 2;
    for (size_t from = 0; from < n; from += part) store_rows(ArrayRef(tile.columns).slice(from, part));
    changed = true;
  }
  return changed;
}

}  // namespace

bool transpose_gathers(Function& run) {
  const DataLayout& layout = run.getDataLayout();
  const size_t most = most_bytes(run);
  bool changed = false;
  for (BasicBlock& block : run) changed |= transpose_scatters(block, layout, most);
  for (BasicBlock& block : run) {
    std::vector<Tile> tiles;
    for (Instruction& i : block) {
      if (!is_gather(i) || i.getType()->isPtrOrPtrVectorTy()) continue;
      const int64_t stride = stride_of_gather(i);
      if (layout.getTypeSizeInBits(i.getType()->getScalarType()) !=
          layout.getTypeAllocSizeInBits(i.getType()->getScalarType()))
        continue;
      auto* gather = cast<IntrinsicInst>(&i);
      Value* mask = is_full_gather(i) ? nullptr : gather->getArgOperand(2);
      Place place = place_of(stride ? base_of(*gather) : gather->getArgOperand(0), layout);
      auto fits = [&](const Tile& t) {
        return t.stride == stride && t.type == i.getType() && t.mask == mask && t.place.terms == place.terms &&
               !is_overwritten_between(t.columns[0].access, gather, stride == 0);
      };
      auto tile = find_if(tiles, fits);
      if (tile == tiles.end()) tile = tiles.insert(tiles.end(), {place, stride, i.getType(), mask, {}});
      tile->columns.push_back({gather, place.bytes + (stride ? start_of(*gather) : 0)});
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
        while (n > run_length || (n > 4 && n * lanes * static_cast<size_t>(size) > most)) n /= 2;
        if (n >= 4) {
          transpose(ArrayRef(tile.columns).slice(from, n), tile.stride, tile.mask);
          changed = true;
        }
        from += n >= 4 ? n : run_length;
      }
    }
  }
  return changed;
}

}  // namespace lanza::compiler
