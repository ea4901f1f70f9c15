#include "compiler/passes/vector/lanes/pack_factors.hpp"

#include <map>
#include <utility>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/bit.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/run/lane_places.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr size_t kLeast = 4, kMostBytes = 64;
constexpr unsigned kMostSteps = 3;  // from what is loaded

bool is_broadcast(const Instruction& number) {
  return !number.use_empty() && all_of(number.users(), [](const User* user) {
    auto* insert = dyn_cast<InsertElementInst>(user);
    return insert && isa<PoisonValue>(insert->getOperand(0)) && isa<ConstantInt>(insert->getOperand(2)) &&
           cast<ConstantInt>(insert->getOperand(2))->isZero();
  });
}

bool is_step(const Instruction& i) {
  return i.getType()->isFloatingPointTy() && i.getOpcode() != Instruction::FRem &&
         isa<BinaryOperator, FPExtInst, SIToFPInst, UIToFPInst>(i);
}

/// How a number is made of an element: operations, their flags, and what is there before the block, in order.
using Steps = SmallVector<std::pair<const void*, unsigned>, 8>;

bool is_there_before(const Value& v, const BasicBlock& block) {
  auto* i = dyn_cast<Instruction>(&v);
  return !i || i->getParent() != &block || isa<PHINode>(i);
}

// False where it is made of several elements, or none, or in another way.
bool follow(Value& v, const BasicBlock& block, Steps& steps, LoadInst*& element, unsigned depth = 0) {
  if (is_there_before(v, block)) return steps.push_back({&v, 0}), true;
  if (auto* load = dyn_cast<LoadInst>(&v)) {
    steps.push_back({load->getType(), 0});
    const bool is_whole = block.getDataLayout().typeSizeEqualsStoreSize(load->getType());
    return load->isSimple() && is_whole && !std::exchange(element, load);
  }
  auto& i = cast<Instruction>(v);
  if (!is_step(i) || depth == kMostSteps || (depth != 0 && !i.hasOneUse())) return false;
  steps.push_back({i.getType(), i.getOpcode() << 8 | i.getRawSubclassOptionalData()});
  return all_of(i.operands(), [&](Use& part) { return follow(*part, block, steps, element, depth + 1); });
}

struct Factor {
  Instruction* value;
  LoadInst* element;
  int64_t bytes;  ///< of its place
};

Value* compute(IRBuilder<>& b, Value& v, const BasicBlock& block, Value* elements) {
  const ElementCount count = cast<VectorType>(elements->getType())->getElementCount();
  if (is_there_before(v, block)) return b.CreateVectorSplat(count, &v);
  if (isa<LoadInst>(v)) return elements;
  auto& i = cast<Instruction>(v);
  Value* first = compute(b, *i.getOperand(0), block, elements);
  Value* result = nullptr;
  if (auto* cast = dyn_cast<CastInst>(&i))
    result = b.CreateCast(cast->getOpcode(), first, VectorType::get(i.getType(), count));
  else
    result = b.CreateBinOp(static_cast<Instruction::BinaryOps>(i.getOpcode()), first,
                           compute(b, *i.getOperand(1), block, elements));
  if (auto* made = dyn_cast<Instruction>(result)) made->copyIRFlags(&i);
  return result;
}

// Where the first one's element is loaded.
void pack(ArrayRef<Factor> run) {
  LoadInst* first = run[0].element;
  BasicBlock& block = *first->getParent();
  Type* type = run[0].value->getType();
  const auto n = static_cast<unsigned>(run.size());
  const uint64_t size = block.getDataLayout().getTypeStoreSize(type);
  const Align align(PowerOf2Ceil(n * size));
  Instruction* entry = &*block.getParent()->getEntryBlock().begin();
  auto* slot = new AllocaInst(ArrayType::get(type, n), 0, nullptr, align, "factors", entry->getIterator());
  IRBuilder<> b(first);
  auto* row = FixedVectorType::get(first->getType(), n);
  Value* elements = b.CreateAlignedLoad(row, first->getPointerOperand(), first->getAlign());
  b.CreateAlignedStore(compute(b, *run[0].value, block, elements), slot, align);
  for (unsigned k = 0; k < n; ++k) {
    for (User* user : make_early_inc_range(run[k].value->users())) {
      b.SetInsertPoint(cast<Instruction>(user));
      Value* place = b.CreateConstInBoundsGEP1_64(type, slot, k);
      user->setOperand(1, b.CreateAlignedLoad(type, place, commonAlignment(align, k * size)));
    }
    RecursivelyDeleteTriviallyDeadInstructions(run[k].value);
  }
}

/// The factors of a block, by how and from which row they are made.
class BlockFactors {
 public:
  explicit BlockFactors(BasicBlock& block) {
    SmallVector<Instruction*, 16> numbers;
    for (Instruction& i : block)
      if (is_step(i) && is_broadcast(i)) numbers.push_back(&i);
    if (numbers.size() < kLeast) return;
    for (Instruction& i : block) {
      position_[&i] = position_.size();
      if (i.mayWriteToMemory()) writes_.push_back(&i);
    }
    for (Instruction* number : numbers) add(*number, block);
  }

  bool pack_runs() {
    bool changed = false;
    for (ArrayRef<Factor> factors : rows_)
      for (size_t from = 0; from < factors.size();) {
        const size_t n = length_of_run(factors.drop_front(from));
        if (n >= kLeast) pack(factors.slice(from, n));
        changed |= n >= kLeast;
        from += n;
      }
    return changed;
  }

 private:
  void add(Instruction& number, const BasicBlock& block) {
    Steps steps;
    LoadInst* element = nullptr;
    if (!follow(number, block, steps, element) || !element) return;
    const Place place = place_of(element->getPointerOperand(), block.getDataLayout());
    const auto [row, is_new] = row_of_.try_emplace({steps, place.terms}, rows_.size());
    if (is_new) rows_.emplace_back();
    rows_[row->second].push_back({&number, element, place.bytes});
  }

  // Elements in order, a power of two of them that is a register at most, and nothing that writes between their loads.
  size_t length_of_run(ArrayRef<Factor> factors) const {
    const DataLayout& layout = factors[0].value->getDataLayout();
    const auto step = static_cast<int64_t>(layout.getTypeStoreSize(factors[0].element->getType()));
    const size_t most = kMostBytes / layout.getTypeStoreSize(factors[0].value->getType());
    size_t n = 1;
    while (n < std::min(most, factors.size()) &&
           factors[n].bytes == factors[0].bytes + step * static_cast<int64_t>(n) &&
           !is_written_between(*factors[n - 1].element, *factors[n].element))
      ++n;
    return n < kLeast ? n : bit_floor(n);
  }

  // Or the second one comes first.
  bool is_written_between(const LoadInst& first, const LoadInst& second) const {
    const size_t from = position_.lookup(&first), to = position_.lookup(&second);
    return from > to || any_of(writes_, [&](const Instruction* write) {
             const size_t place = position_.lookup(write);
             return from < place && place < to;
           });
  }

  std::map<std::pair<Steps, SmallVector<Term, 4>>, size_t> row_of_;
  SmallVector<SmallVector<Factor, 16>, 8> rows_;  ///< as they come
  DenseMap<const Instruction*, size_t> position_;
  SmallVector<const Instruction*, 8> writes_;
};

}  // namespace

bool pack_factors(Function& run) {
  bool changed = false;
  for (BasicBlock& block : run) changed |= BlockFactors(block).pack_runs();
  return changed;
}

}  // namespace lanza::compiler
