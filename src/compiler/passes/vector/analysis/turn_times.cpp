#include "compiler/passes/vector/analysis/turn_times.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

// Half cycles for a line of another row than the last one: a second cache's latency, of which out-of-order execution
// hides most. Measured on Zen 4: sums down the columns of a plane, 0.5 MiB: 16 cycles a vector, 4 where eight groups
// walk side by side.
static constexpr unsigned kLine = 16;
static constexpr unsigned kFar = 1024;  // bytes; less is a stream
// Half cycles for a line of a stream, and its bytes. Warps that go along a row each twice, and store another one: four
// together take as long as one after the other at 512 floats a row, a fifth more at 256, a third at 4096.
static constexpr unsigned kStreamLine = 4, kLineBytes = 64;

static unsigned cycles_of(const Instruction& i) {
  switch (i.getOpcode()) {
    case Instruction::PHI:
    case Instruction::BitCast:
      return 0;
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
      return 4;
    case Instruction::FDiv:
      return 13;
    case Instruction::FCmp:
    case Instruction::Mul:
      return 3;
    case Instruction::Call: {
      const Intrinsic::ID id = cast<CallInst>(i).getIntrinsicID();
      return id == Intrinsic::fma ? 4 : id == Intrinsic::sqrt ? 20 : 1;
    }
    default:
      return 1;
  }
}

// Of vectors only: what is counted or addressed by is quickly done.
static unsigned longest_chain(ArrayRef<Instruction*> inside, const Loop& loop,
                              function_ref<bool(const Value&)> counts) {
  unsigned longest = 0;
  for (PHINode& phi : loop.getHeader()->phis()) {
    if (!phi.getType()->isVectorTy() || !counts(phi)) continue;
    DenseMap<const Value*, unsigned> there{{&phi, 0}};
    for (Instruction* i : inside) {
      if (i == &phi || (isa<PHINode>(i) && i->getParent() == loop.getHeader())) continue;
      for (const Value* operand : i->operand_values())
        if (auto before = there.find(operand); before != there.end()) {
          const unsigned end = before->second + cycles_of(*i);
          unsigned& known = there[i];
          known = std::max(known, end);
        }
    }
    longest = std::max(longest, there.lookup(phi.getIncomingValueForBlock(loop.getLoopLatch())));
  }
  return longest;
}

// Null: it loads no vector.
static Value* loaded_from(Instruction& i) {
  if (!i.getType()->isVectorTy()) return nullptr;
  if (auto* load = dyn_cast<LoadInst>(&i)) return load->getPointerOperand();
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return call && call->getIntrinsicID() == Intrinsic::masked_load ? call->getArgOperand(0) : nullptr;
}

static bool goes_to_another_row(Instruction& i, const Loop& loop, ScalarEvolution& evolution) {
  Value* pointer = loaded_from(i);
  if (!pointer) return false;
  auto* walk = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(pointer));
  if (!walk || walk->getLoop() != &loop) return false;
  auto* step = dyn_cast<SCEVConstant>(walk->getStepRecurrence(evolution));
  return !step || step->getAPInt().abs().uge(kFar);
}

unsigned wait_of_turn(const Loop& loop, const LoopInfo& loops, ScalarEvolution& evolution,
                      function_ref<bool(const Value&)> counts) {
  if (!loop.isInnermost() || !loop.getLoopLatch()) return 0;
  LoopBlocksRPO order(const_cast<Loop*>(&loop));
  order.perform(&loops);
  SmallVector<Instruction*, 32> inside;
  for (BasicBlock* block : order)
    for (Instruction& i : *block) inside.push_back(&i);
  unsigned lines = 0;
  for (Instruction* i : inside) lines += goes_to_another_row(*i, loop, evolution);
  return std::max(2 * longest_chain(inside, loop, counts), kLine * lines);
}

// Where lanes leave one by one a counter may wrap for all that is known, and what it counts is taken for a stream.
static bool is_stream(Instruction& load, const SCEV* address, uint64_t bytes, const Loop& loop,
                      ScalarEvolution& evolution) {
  auto* steps = dyn_cast<SCEVAddRecExpr>(address);
  if (!steps) return !isa<LoadInst>(load) && !evolution.isLoopInvariant(address, &loop);
  auto* step = dyn_cast<SCEVConstant>(steps->getStepRecurrence(evolution));
  return steps->getLoop() == &loop && step && step->getAPInt() == bytes;
}

unsigned time_of_stream(Instruction& load, const LoopInfo& loops, ScalarEvolution& evolution) {
  const Loop* loop = loops.getLoopFor(load.getParent());
  Value* pointer = loaded_from(load);
  if (!loop || !pointer || isa<CallBase, AllocaInst>(getUnderlyingObject(pointer))) return 0;
  const uint64_t bytes = load.getDataLayout().getTypeStoreSize(load.getType()).getFixedValue();
  if (!is_stream(load, evolution.getSCEV(pointer), bytes, *loop, evolution)) return 0;
  return kStreamLine * static_cast<unsigned>(bytes / kLineBytes);
}

}  // namespace lanza::compiler
