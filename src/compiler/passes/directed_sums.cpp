#include "compiler/passes/directed_sums.hpp"

#include <array>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "compiler/passes/lane_functions.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

struct Direction {
  const char *intrinsic, *name;
  unsigned rounding;  ///< of the instruction; 8: it raises no flags
};

constexpr Direction kDirections[] = {{"llvm.nvvm.fma.rm.f", "lanza.fma.down", 8 | 1},
                                     {"llvm.nvvm.fma.rp.f", "lanza.fma.up", 8 | 2}};

constexpr unsigned kRegister = 16;  // floats

SmallVector<int, 32> order(unsigned from, unsigned count, unsigned known) {
  return to_vector<32>(map_range(seq(from, from + count), [known](unsigned k) { return k < known ? int(k) : -1; }));
}

Value* directed(IRBuilder<>& b, std::array<Value*, 3> operands, unsigned rounding) {
  auto call = [&](Intrinsic::ID id) {
    return b.CreateIntrinsic(id, {}, {operands[0], operands[1], operands[2], b.getInt32(rounding)});
  };
  auto* type = dyn_cast<FixedVectorType>(operands[0]->getType());
  if (!type) return call(Intrinsic::x86_avx512_vfmadd_f32);
  const unsigned lanes = type->getNumElements();
  if (lanes == kRegister) return call(Intrinsic::x86_avx512_vfmadd_ps_512);
  auto part = [&](unsigned from, unsigned count) {
    std::array<Value*, 3> parts = operands;
    for (Value*& v : parts) v = b.CreateShuffleVector(v, order(from, count, lanes));
    return directed(b, parts, rounding);
  };
  if (lanes < kRegister) return b.CreateShuffleVector(part(0, kRegister), order(0, lanes, lanes));
  Value *low = part(0, lanes / 2), *high = part(lanes / 2, lanes / 2);
  return b.CreateShuffleVector(low, high, order(0, lanes, lanes));
}

}  // namespace

void name_directed_sums(Module& module) {
  for (const Direction& direction : kDirections) {
    Function* before = module.getFunction(direction.intrinsic);
    if (!before) continue;
    const FunctionCallee callee = lane_function(module, direction.name, before->getReturnType(), 3);
    for (User* user : make_early_inc_range(before->users())) {
      auto* call = cast<CallInst>(user);
      call->setCalledFunction(callee);
      offer_of_lanes(*call);
    }
    before->eraseFromParent();
  }
}

void lower_directed_sums(Module& module) {
  for (const Direction& direction : kDirections)
    lower_lane_function(module, direction.name, [&](IRBuilder<>& b, CallInst& call) {
      return directed(b, {call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2)}, direction.rounding);
    });
}

}  // namespace lanza::compiler
