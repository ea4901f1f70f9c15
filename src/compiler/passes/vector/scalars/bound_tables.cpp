#include "compiler/passes/vector/scalars/bound_tables.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr uint64_t kMostBytes = 256;        // four registers
constexpr unsigned kMostInstructions = 16;  // of which a place is made

/// The elements of a variable that is an array of numbers, or of rows of them; 0: it is not, or too long.
uint64_t elements_of(const Value& pointer, const Type& element, const DataLayout& layout) {
  auto* variable = dyn_cast<GlobalVariable>(&pointer);
  const Type* row = variable ? variable->getValueType() : &element;
  uint64_t count = 1;
  for (; row->isArrayTy(); row = row->getArrayElementType()) count *= row->getArrayNumElements();
  if (row != &element) return 0;
  const uint64_t size = layout.getTypeAllocSize(const_cast<Type*>(&element));
  return count > 1 && PowerOf2Ceil(count) * size <= kMostBytes ? count : 0;
}

/// A place as the sum of all that addresses from the variable's beginning on are made of.
struct Place {
  const Value* variable;
  MapVector<Value*, APInt> parts;  ///< each times so many elements
  APInt start;
};

std::optional<Place> place_of(GetElementPtrInst& address, uint64_t size, const DataLayout& layout) {
  const unsigned bits = layout.getIndexTypeSizeInBits(address.getType());
  Place place{&address, {}, APInt(bits, 0)};
  MapVector<Value*, APInt> bytes;
  while (auto* from = dyn_cast<GEPOperator>(place.variable)) {
    if (!from->collectOffset(layout, bits, bytes, place.start)) return {};
    place.variable = from->getPointerOperand();
  }
  const APInt element(bits, size);
  for (auto& [part, by] : bytes) {
    if (!by.srem(element).isZero()) return {};
    place.parts[part] = by.sdiv(element);
  }
  if (!place.start.srem(element).isZero() || place.parts.empty()) return {};
  place.start = place.start.sdiv(element);
  return place;
}

// `k += 1` in each turn.
bool is_counter(const PHINode& phi, const LoopInfo& loops) {
  const Loop* loop = loops.getLoopFor(phi.getParent());
  if (!loop || loop->getHeader() != phi.getParent() || !loop->getLoopLatch()) return false;
  auto* next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(loop->getLoopLatch()));
  return next && is_contained(next->operands(), &phi) &&
         any_of(next->operands(), [&](const Use& step) { return step != &phi && loop->isLoopInvariant(step); });
}

/// Whether a place is made of what was loaded or chosen, and of constants: not of an index of threads, nor of a
/// counter.
bool is_found(Value* place, const LoopInfo& loops) {
  SmallSetVector<Value*, kMostInstructions> parts;
  parts.insert(place);
  bool any = false;
  for (size_t n = 0; n < parts.size(); ++n) {
    if (isa<Constant>(parts[n])) continue;
    auto* i = dyn_cast<Instruction>(parts[n]);
    if (!i || parts.size() > kMostInstructions) return false;
    if (auto* phi = dyn_cast<PHINode>(i); phi && is_counter(*phi, loops)) return false;
    if (isa<LoadInst, PHINode>(i)) {
      any = true;
    } else if (isa<CastInst, BinaryOperator, SelectInst>(i)) {
      const bool chooses = isa<SelectInst>(i);
      parts.insert(i->op_begin() + chooses, i->op_end());
    } else {
      return false;
    }
  }
  return any;
}

// A number of elements of few bits: what is above them does not matter.
Value* sum_of(const Place& place, IRBuilder<>& b) {
  if (place.parts.size() == 1 && place.start.isZero() && place.parts.front().second.isOne())
    return place.parts.front().first;
  Type* word = b.getInt32Ty();
  Value* sum = ConstantInt::get(word, place.start.sextOrTrunc(32));
  for (auto& [part, by] : place.parts)
    sum = b.CreateAdd(b.CreateMul(b.CreateSExtOrTrunc(part, word), ConstantInt::get(word, by.sextOrTrunc(32))), sum);
  return sum;
}

bool bound(GetElementPtrInst& address, const LoopInfo& loops) {
  if (address.getType()->isVectorTy() || address.use_empty()) return false;
  auto* first = dyn_cast<LoadInst>(address.user_back());
  if (!first || !all_of(address.users(), [](const User* user) {
        auto* load = dyn_cast<LoadInst>(user);
        return load && load->isSimple();
      }))
    return false;
  const DataLayout& layout = address.getDataLayout();
  Type& element = *first->getType();
  if (!element.isIntegerTy() && !element.isFloatingPointTy()) return false;
  const auto place = place_of(address, layout.getTypeAllocSize(&element), layout);
  const uint64_t count = place ? elements_of(*place->variable, element, layout) : 0;
  if (count == 0 || !all_of(place->parts, [&](auto& part) { return is_found(part.first, loops); })) return false;
  IRBuilder<> b(&address);
  const uint64_t most = PowerOf2Ceil(count) - 1;
  Value* sum = sum_of(*place, b);
  if (computeKnownBits(sum, layout).getMaxValue().ule(most)) return false;
  Value* bounded = b.CreateAnd(sum, ConstantInt::get(sum->getType(), most));
  if (sum != place->parts.front().first) bounded = b.CreateZExtOrTrunc(bounded, layout.getIndexType(address.getType()));
  Value* table = const_cast<Value*>(place->variable);
  address.replaceAllUsesWith(b.CreateGEP(&element, table, bounded, "", address.getNoWrapFlags()));
  return true;
}

}  // namespace

PreservedAnalyses BoundTablesPass::run(Function& f, FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<LoopAnalysis>(f);
  bool changed = false;
  for (Instruction& i : instructions(f))
    if (auto* address = dyn_cast<GetElementPtrInst>(&i)) changed |= bound(*address, loops);
  if (!changed) return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

}  // namespace lanza::compiler
