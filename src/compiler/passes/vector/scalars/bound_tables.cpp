#include "compiler/passes/vector/scalars/bound_tables.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr uint64_t kMostBytes = 256;        // four registers
constexpr unsigned kMostInstructions = 16;  // of which a place is made

/// The elements of a variable that is one row of numbers; 0: it is not, or too long.
uint64_t elements_of(const Value& pointer, const Type& element, const DataLayout& layout) {
  auto* variable = dyn_cast<GlobalVariable>(&pointer);
  auto* row = variable ? dyn_cast<ArrayType>(variable->getValueType()) : nullptr;
  if (!row || row->getElementType() != &element || !(element.isIntegerTy() || element.isFloatingPointTy())) return 0;
  const uint64_t count = row->getNumElements();
  const uint64_t size = layout.getTypeAllocSize(const_cast<Type*>(&element));
  return count > 1 && PowerOf2Ceil(count) * size <= kMostBytes ? count : 0;
}

/// The operand that counts the elements of a row from its beginning; null: there is another, too.
Use* place_in(GetElementPtrInst& address, const Type& element) {
  Use* place = nullptr;
  unsigned number = 0;
  for (auto i = gep_type_begin(address), end = gep_type_end(address); i != end; ++i) {
    Use& operand = address.getOperandUse(++number);
    if (auto* constant = dyn_cast<Constant>(operand); constant && constant->isNullValue()) continue;
    if (place || i.isStruct() || i.getIndexedType() != &element) return nullptr;
    place = &operand;
  }
  return place && !isa<Constant>(place->get()) ? place : nullptr;
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

bool bound(GetElementPtrInst& address, const LoopInfo& loops) {
  if (address.getType()->isVectorTy() || address.use_empty()) return false;
  auto* first = dyn_cast<LoadInst>(address.user_back());
  if (!first || !all_of(address.users(), [](const User* user) {
        auto* load = dyn_cast<LoadInst>(user);
        return load && load->isSimple();
      }))
    return false;
  const DataLayout& layout = address.getDataLayout();
  const Type& element = *first->getType();
  const uint64_t count = elements_of(*address.getPointerOperand(), element, layout);
  Use* place = count ? place_in(address, element) : nullptr;
  if (!place || !is_found(place->get(), loops)) return false;
  const uint64_t most = PowerOf2Ceil(count) - 1;
  if (computeKnownBits(place->get(), layout).getMaxValue().ule(most)) return false;
  IRBuilder<> b(&address);
  place->set(b.CreateAnd(place->get(), ConstantInt::get(place->get()->getType(), most)));
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
