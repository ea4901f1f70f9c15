#include "compiler/passes/vector/lanes/rotate_lanes.hpp"

#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>

#include "compiler/passes/vector/analysis/processors.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr int kLanes = 8, kHalf = 4;  // of a register; of what vpalignr does not leave

SmallVector<int, kLanes> from(int first) {
  SmallVector<int, kLanes> mask(kLanes);
  std::iota(mask.begin(), mask.end(), first);
  return mask;
}

// The first of eight lanes side by side, in all lanes of the operands; nothing: they are not, or LLVM does as well.
std::optional<int> first_of(ArrayRef<int> mask, int lanes) {
  std::optional<int> first;
  for (int k = 0; k < kLanes; ++k) {
    if (mask[k] < 0) continue;
    if (first && *first != mask[k] - k) return {};
    first = mask[k] - k;
  }
  const bool is_odd = first && *first % 2 != 0;
  return is_odd && *first > 0 && *first + kLanes <= 2 * lanes ? first : std::nullopt;
}

class Rotations {
 public:
  bool rotate(ShuffleVectorInst& shuffle) {
    auto* whole = dyn_cast<FixedVectorType>(shuffle.getOperand(0)->getType());
    if (!whole || shuffle.getType()->getScalarSizeInBits() != 32) return false;
    lanes_ = static_cast<int>(whole->getNumElements());
    const ArrayRef<int> mask = shuffle.getShuffleMask();
    if (lanes_ % kLanes != 0 || mask.size() % kLanes != 0) return false;
    std::vector<std::optional<int>> firsts;
    for (size_t k = 0; k < mask.size(); k += kLanes) firsts.push_back(first_of(mask.slice(k, kLanes), lanes_));
    if (none_of(firsts, [](const auto& first) { return first.has_value(); })) return false;
    IRBuilder<> b(&shuffle);
    SmallVector<Value*, 4> registers;
    for (size_t k = 0; k < firsts.size(); ++k)
      registers.push_back(firsts[k] ? rotated(b, shuffle, *firsts[k])
                                    : b.CreateShuffleVector(shuffle.getOperand(0), shuffle.getOperand(1),
                                                            mask.slice(k * kLanes, kLanes)));
    shuffle.replaceAllUsesWith(concatenateVectors(b, registers));
    shuffle.eraseFromParent();
    return true;
  }

 private:
  Value* part(IRBuilder<>& b, const ShuffleVectorInst& shuffle, int number) {
    Value* of = shuffle.getOperand(number * kLanes < lanes_ ? 0 : 1);
    return lanes_ == kLanes ? of : b.CreateShuffleVector(of, from(number * kLanes % lanes_));
  }

  // Within each half, so that the register between two, of the first one's upper half and the second one's lower half,
  // comes before or behind.
  Value* rotated(IRBuilder<>& b, const ShuffleVectorInst& shuffle, int first) {
    Value *low = part(b, shuffle, first / kLanes), *high = part(b, shuffle, first / kLanes + 1);
    Value* between = b.CreateShuffleVector(low, high, from(kHalf));
    const bool is_behind = first % kLanes < kHalf;
    return aligned(b, is_behind ? between : high, is_behind ? low : between, first % kHalf);
  }

  static Value* aligned(IRBuilder<>& b, Value* high, Value* low, int by) {
    auto* type = FunctionType::get(high->getType(), {high->getType(), low->getType()}, false);
    const std::string text = "vpalignr $$" + std::to_string(4 * by) + ", $2, $1, $0";
    return b.CreateCall(InlineAsm::get(type, text, "=x,x,x", /*hasSideEffects=*/false), {high, low});
  }

  int lanes_ = 0;
};

}  // namespace

bool rotate_lanes(Function& run, const TargetMachine& host) {
  if (!has_avx2_at_most(host)) return false;
  SmallVector<ShuffleVectorInst*, 16> shuffles;
  for (Instruction& i : instructions(run))
    if (auto* shuffle = dyn_cast<ShuffleVectorInst>(&i)) shuffles.push_back(shuffle);
  bool changed = false;
  for (ShuffleVectorInst* shuffle : shuffles) changed |= Rotations().rotate(*shuffle);
  return changed;
}

}  // namespace lanza::compiler
