#include "compiler/passes/vector/widen/lane_distances.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/cost_notes.hpp"

using namespace llvm;

namespace lanza::compiler {

// What of the lanes is told by memory: loaded, found by an atomic, or kept in a variable.
static bool comes_from_memory(const Instruction& i) { return isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(i); }

// `threadIdx.x * width`: lanes are as far apart as a number that all of them have.
static bool is_multiple(const Shapes& shapes, const Instruction& i) {
  if (i.getOpcode() != Instruction::Mul && i.getOpcode() != Instruction::Shl) return false;
  const Shape one = shapes[i.getOperand(0)], other = shapes[i.getOperand(1)];
  return (one.is_uniform() && other.is_strided()) || (one.is_strided() && other.is_uniform());
}

// `row * width + i` of unsigned numbers, as an index: lanes are neighbours, unless it wraps around between them.
static bool may_wrap(const Shapes& shapes, const Instruction& i) {
  return isa<ZExtInst, SExtInst>(i) && shapes[i.getOperand(0)].is_strided();
}

std::string why_apart(const Shapes& shapes, const Value* address) {
  if (const Shape shape = shapes[address]; shape.is_strided())
    return "lanes are " + std::to_string(std::abs(shape.stride)) +
           " bytes apart: neighbouring threads on neighbouring elements would be one access";
  constexpr size_t kMost = 64;
  bool is_multiple_of_size = false, wraps = false;
  SmallSetVector<const Instruction*, 16> parts;
  auto add = [&](const Value* v) {
    auto* i = dyn_cast<Instruction>(v);
    if (i && shapes[v].is_varying()) parts.insert(i);
  };
  add(address);
  for (size_t k = 0; k < parts.size() && k < kMost; ++k) {
    if (comes_from_memory(*parts[k])) return "the index comes from memory";
    is_multiple_of_size |= is_multiple(shapes, *parts[k]);
    wraps |= may_wrap(shapes, *parts[k]);
    if (!isa<CmpInst>(parts[k])) for_each(parts[k]->operands(), add);  // a choice is no address
  }
  if (wraps) return "an index of 32 bits may wrap around from lane to lane: a signed one, or one of 64 bits, would not";
  if (is_multiple_of_size)
    return "how far lanes are apart is known only when the kernel runs: neighbouring threads on neighbouring elements "
           "would be one access";
  return kNoPattern;
}

}  // namespace lanza::compiler
