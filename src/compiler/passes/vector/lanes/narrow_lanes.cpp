#include "compiler/passes/vector/lanes/narrow_lanes.hpp"

#include <numeric>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

#include "compiler/passes/vector/lanes/lanes_in_use.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kLeastBits = 128;  // a register

bool is_vector_load(const Instruction& i) {
  auto* load = dyn_cast<LoadInst>(&i);
  return load && load->isSimple() && lanes_of(i) != 0;
}

// So many of the first lanes hold all that are looked at; 0: that is no gain. A comparison is as long as what it
// compares.
unsigned enough(const Instruction& i, const APInt& used) {
  const unsigned bits = (isa<CmpInst>(i) ? i.getOperand(0)->getType() : i.getType())->getScalarSizeInBits();
  if (used.isZero() || bits < 8) return 0;
  const auto count = static_cast<unsigned>(PowerOf2Ceil(used.getActiveBits()));
  const unsigned least = std::max(kLeastBits / bits, 1u);
  return std::max(count, least) <= used.getBitWidth() / 2 ? std::max(count, least) : 0;
}

SmallVector<int, 32> first_lanes(unsigned count, unsigned lanes) {
  SmallVector<int, 32> mask(lanes, PoisonMaskElem);
  std::iota(mask.begin(), mask.begin() + count, 0);
  return mask;
}

Value* narrowed(Instruction& i, unsigned count) {
  IRBuilder<> b(&i);
  auto first = [&](Value* v) { return b.CreateShuffleVector(v, first_lanes(count, count)); };
  Value* result;
  if (auto* shuffle = dyn_cast<ShuffleVectorInst>(&i)) {
    result = b.CreateShuffleVector(shuffle->getOperand(0), shuffle->getOperand(1),
                                   shuffle->getShuffleMask().take_front(count));
  } else if (auto* load = dyn_cast<LoadInst>(&i)) {
    Type* type = FixedVectorType::get(cast<VectorType>(i.getType())->getElementType(), count);
    LoadInst* fewer = b.CreateAlignedLoad(type, load->getPointerOperand(), load->getAlign());
    fewer->copyMetadata(*load, {LLVMContext::MD_invariant_load, LLVMContext::MD_dbg});
    result = fewer;
  } else if (auto* call = dyn_cast<IntrinsicInst>(&i)) {
    SmallVector<Value*, 4> operands;
    for (Value* v : call->args()) operands.push_back(first(v));
    Type* type = FixedVectorType::get(cast<VectorType>(i.getType())->getElementType(), count);
    result = b.CreateIntrinsic(type, call->getIntrinsicID(), operands, isa<FPMathOperator>(i) ? &i : nullptr);
  } else {
    Instruction* copy = i.clone();
    for (Use& v : copy->operands()) v.set(first(v));
    copy->mutateType(FixedVectorType::get(cast<VectorType>(i.getType())->getElementType(), count));
    result = b.Insert(copy);
  }
  return b.CreateShuffleVector(result, first_lanes(count, lanes_of(i)));
}

}  // namespace

bool narrow_lanes(Function& function) {
  const LanesInUse lanes(function);
  SmallVector<std::pair<Instruction*, unsigned>, 32> found;
  for (Instruction& i : instructions(function)) {
    if (!is_lane_by_lane(i) && !isa<ShuffleVectorInst>(i) && !is_vector_load(i)) continue;
    if (const unsigned count = enough(i, lanes.of(i))) found.emplace_back(&i, count);
  }
  for (auto [i, count] : found) {
    i->replaceAllUsesWith(narrowed(*i, count));
    i->eraseFromParent();
  }
  return !found.empty();
}

}  // namespace lanza::compiler
