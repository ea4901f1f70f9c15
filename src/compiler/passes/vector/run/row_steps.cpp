#include "compiler/passes/vector/run/row_steps.hpp"

#include <optional>

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr size_t kLeastRows = 4;  // fewer steps are no less to do

/// (y + c) * n, extended.
struct Row {
  SExtInst* index;
  int64_t c;
};
using Matrix = std::pair<Value*, Value*>;  // y and n
using Matrices = MapVector<Matrix, SmallVector<Row, 8>>;

// The y of a sum of it and a constant, exact with signs.
Value* without_constant(Value* sum, int64_t& c) {
  Value* y;
  const APInt* constant;
  c = 0;
  if (!match(sum, m_NSWAddLike(m_Value(y), m_APInt(constant)))) return sum;
  c = constant->getSExtValue();
  return y;
}

void note(SExtInst& index, Matrices& matrices) {
  Value *a, *n;
  if (!index.getType()->isIntegerTy(64) || !index.getOperand(0)->getType()->isIntegerTy(32)) return;
  if (!match(index.getOperand(0), m_NSWMul(m_Value(a), m_Value(n))) || isa<Constant>(n)) return;
  int64_t c;
  for (auto [sum, times] : {std::pair(a, n), std::pair(n, a)})
    if (Value* y = without_constant(sum, c); y != sum && !isa<Constant>(y)) {
      matrices[{y, times}].push_back({&index, c});
      return;
    }
  matrices[{a, n}].push_back({&index, 0});
}

// In front of all that uses the value.
std::optional<BasicBlock::iterator> place_behind(Value* value, Function& function) {
  if (auto* i = dyn_cast<Instruction>(value)) return i->getInsertionPointAfterDef();
  return function.getEntryBlock().getFirstInsertionPt();
}

/// Rows of one matrix.
class Rows {
 public:
  Rows(Matrix matrix, Function& function, const DominatorTree& dominators)
      : y_(matrix.first), n_(matrix.second), function_(function), dominators_(dominators) {}

  /// False: there is no place for what they share.
  bool begin() {
    const auto at_n = place_behind(n_, function_), at_y = place_behind(y_, function_);
    if (!at_n || !at_y || !is_known_at(n_, **at_y)) return false;
    IRBuilder<> b(function_.getContext());
    b.SetInsertPoint(*at_n);
    step_ = b.CreateSExt(n_, b.getInt64Ty());
    b.SetInsertPoint(*at_y);
    first_ = cast<Instruction>(b.CreateNSWMul(b.CreateSExt(y_, b.getInt64Ty()), step_));
    return true;
  }

  void rewrite(const Row& row) {
    for (User* user : make_early_inc_range(row.index->users()))
      if (auto* address = dyn_cast<GetElementPtrInst>(user); address && is_of_elements(*address, *row.index))
        step(*address, row.c);
    if (row.index->use_empty()) return RecursivelyDeleteTriviallyDeadInstructions(row.index), void();
    IRBuilder<> b(row.index);
    row.index->replaceAllUsesWith(row.c ? b.CreateNSWAdd(first_, steps(row.c)) : first_);
    RecursivelyDeleteTriviallyDeadInstructions(row.index);
  }

 private:
  bool is_known_at(Value* value, Instruction& place) const {
    auto* i = dyn_cast<Instruction>(value);
    return !i || dominators_.dominates(i, &place);
  }

  static bool is_of_elements(const GetElementPtrInst& address, const Value& index) {
    return address.getNumIndices() == 1 && address.getOperand(1) == &index && !address.getType()->isVectorTy();
  }

  void step(GetElementPtrInst& address, int64_t c) {
    const uint64_t size = address.getDataLayout().getTypeAllocSize(address.getSourceElementType());
    Value* row = first_row(address);
    IRBuilder<> b(&address);
    address.replaceAllUsesWith(c ? b.CreatePtrAdd(row, steps(c * static_cast<int64_t>(size))) : row);
    address.eraseFromParent();
  }

  // Where an array's row y begins.
  Value* first_row(GetElementPtrInst& address) {
    Value* array = address.getPointerOperand();
    Type* element = address.getSourceElementType();
    const bool is_shared = is_known_at(array, *first_);
    Value* found = is_shared ? first_rows_.lookup({array, element}) : nullptr;
    if (found) return found;
    IRBuilder<> b(&address);
    if (is_shared) b.SetInsertPoint(*place_behind(first_, function_));
    found = b.CreateGEP(element, array, first_);
    if (is_shared) first_rows_[{array, element}] = found;
    return found;
  }

  Value* steps(int64_t times) {
    Value*& known = steps_[times];
    if (known) return known;
    IRBuilder<> b(function_.getContext());
    b.SetInsertPoint(*place_behind(step_, function_));
    return known = b.CreateNSWMul(step_, b.getInt64(static_cast<uint64_t>(times)));
  }

  Value *const y_, *const n_;
  Function& function_;
  const DominatorTree& dominators_;
  Value* step_ = nullptr;
  Instruction* first_ = nullptr;
  DenseMap<int64_t, Value*> steps_;
  DenseMap<std::pair<Value*, Type*>, Value*> first_rows_;
};

}  // namespace

bool step_rows(Function& function, const DominatorTree& dominators) {
  Matrices matrices;
  for (Instruction& i : instructions(function))
    if (auto* index = dyn_cast<SExtInst>(&i)) note(*index, matrices);
  bool changed = false;
  for (auto& [matrix, indices] : matrices) {
    SmallDenseSet<int64_t, 8> constants;
    for (const Row& row : indices) constants.insert(row.c);
    Rows rows(matrix, function, dominators);
    if (constants.size() < kLeastRows || !rows.begin()) continue;
    for (const Row& row : indices) rows.rewrite(row);
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
