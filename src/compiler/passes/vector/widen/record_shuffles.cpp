#include "compiler/passes/vector/widen/record_shuffles.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr char kTakeApart[] = "lanza.take.apart ", kPutTogether[] = "lanza.put.together ";

CallInst* emit(IRBuilderBase& b, StringRef what, ArrayRef<Value*> vectors) {
  const SmallVector<Type*, 16> types(vectors.size(), vectors[0]->getType());
  std::string name;
  raw_string_ostream(name) << what << vectors.size() << ' ' << *vectors[0]->getType();
  auto* type = FunctionType::get(StructType::get(b.getContext(), types), types, false);
  auto* function = cast<Function>(b.GetInsertBlock()->getModule()->getOrInsertFunction(name, type).getCallee());
  function->setMemoryEffects(MemoryEffects::none());
  function->setDoesNotThrow();
  function->setWillReturn();
  return b.CreateCall(function, vectors);
}

bool calls(const Value& value, StringRef what) {
  auto* call = dyn_cast<CallInst>(&value);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName().starts_with(what);
}

/// Vectors of `lanes` elements that follow each other in memory, from and to vectors of one unit of each record.
class Shuffles {
 public:
  Shuffles(IRBuilder<>& b, unsigned lanes) : b_(b), lanes_(lanes) {}

  /// Units `first`, `first` + `step`, ... lie side by side in `memory`; writes those that are wanted.
  void take_apart(ArrayRef<Value*> memory, unsigned first, unsigned step, MutableArrayRef<Value*> units,
                  const BitVector& wanted) {
    const unsigned count = memory.size();
    auto is_wanted = [&](unsigned k) { return wanted.test(first + k * step); };
    if (none_of(seq(0u, count), is_wanted)) return;
    if (count == 1) return void(units[first] = memory[0]);
    if (count % 2 == 0) {
      for (unsigned odd = 0; odd < 2; ++odd) {
        if (none_of(seq(0u, count / 2), [&](unsigned k) { return is_wanted(odd + 2 * k); })) continue;
        SmallVector<Value*, 8> half;
        for (unsigned q = 0; q < count; q += 2)
          half.push_back(b_.CreateShuffleVector(memory[q], memory[q + 1], createStrideMask(odd, 2, lanes_)));
        take_apart(half, first + odd * step, 2 * step, units, wanted);
      }
      return;
    }
    for (unsigned k = 0; k < count; ++k)
      if (is_wanted(k)) units[first + k * step] = pick(memory, [&](unsigned lane) { return lane * count + k; });
  }

  /// The inverse: returns as many vectors as there are units.
  SmallVector<Value*, 8> put_together(ArrayRef<Value*> units) {
    const unsigned count = units.size();
    SmallVector<Value*, 8> memory;
    if (count == 1) return {units[0]};
    if (count % 2) {
      for (unsigned q = 0; q < count; ++q)
        memory.push_back(pick(units, [&](unsigned at) {
          const unsigned element = q * lanes_ + at;
          return element % count * lanes_ + element / count;
        }));
      return memory;
    }
    SmallVector<Value*, 8> even, odd;
    for (unsigned k = 0; k < count; k += 2) even.push_back(units[k]), odd.push_back(units[k + 1]);
    even = put_together(even), odd = put_together(odd);
    for (unsigned q = 0; q < count; ++q) {
      SmallVector<int, 64> zip;
      for (unsigned at = 0; at < lanes_; ++at) zip.push_back(q % 2 * (lanes_ / 2) + at / 2 + (at % 2 ? lanes_ : 0));
      memory.push_back(b_.CreateShuffleVector(even[q / 2], odd[q / 2], zip));
    }
    return memory;
  }

 private:
  /// Element `from(lane)` of all vectors in a row, for each lane.
  Value* pick(ArrayRef<Value*> vectors, function_ref<unsigned(unsigned)> from) {
    Value* result = vectors[0];
    for (unsigned q = 1; q < vectors.size(); ++q) {
      SmallVector<int, 64> mask;
      for (unsigned lane = 0; lane < lanes_; ++lane) {
        const unsigned at = from(lane) % lanes_, vector = from(lane) / lanes_;
        mask.push_back(vector > q ? -1 : vector == q ? lanes_ + at : q == 1 ? at : lane);
      }
      result = b_.CreateShuffleVector(result, vectors[q], mask);
    }
    return result;
  }

  IRBuilder<>& b_;
  const unsigned lanes_;
};

BitVector units_used(const CallInst& call) {
  BitVector used(call.arg_size());
  for (const User* user : call.users()) used.set(cast<ExtractValueInst>(user)->getIndices()[0]);
  return used;
}

void lower(CallInst& call) {
  IRBuilder<> b(&call);
  const unsigned count = call.arg_size();
  SmallVector<Value*, 16> operands(call.args()), results(count);
  Shuffles shuffles(b, cast<FixedVectorType>(operands[0]->getType())->getNumElements());
  if (is_take_apart(call))
    shuffles.take_apart(operands, 0, 1, results, units_used(call));
  else
    copy(shuffles.put_together(operands), results.begin());
  for (User* user : make_early_inc_range(call.users())) {
    auto* result = cast<ExtractValueInst>(user);
    result->replaceAllUsesWith(results[result->getIndices()[0]]);
    result->eraseFromParent();
  }
  call.eraseFromParent();
}

unsigned count_apart(unsigned count, unsigned first, unsigned step, const BitVector& wanted) {
  unsigned units = 0;
  for (unsigned k = 0; k < count; ++k) units += wanted.test(first + k * step);
  if (units == 0 || count == 1) return 0;
  if (count % 2) return units * (count - 1);
  unsigned shuffles = 0;
  for (unsigned odd = 0; odd < 2; ++odd) {
    bool any = false;
    for (unsigned k = odd; k < count; k += 2) any |= wanted.test(first + k * step);
    if (any) shuffles += count / 2 + count_apart(count / 2, first + odd * step, 2 * step, wanted);
  }
  return shuffles;
}

unsigned count_together(unsigned count) {
  if (count == 1) return 0;
  return count % 2 ? count * (count - 1) : count + 2 * count_together(count / 2);
}

}  // namespace

CallInst* emit_take_apart(IRBuilderBase& b, ArrayRef<Value*> memory) { return emit(b, kTakeApart, memory); }
CallInst* emit_put_together(IRBuilderBase& b, ArrayRef<Value*> units) { return emit(b, kPutTogether, units); }

bool is_take_apart(const Value& value) { return calls(value, kTakeApart); }
bool is_put_together(const Value& value) { return calls(value, kPutTogether); }

unsigned count_shuffles(const CallInst& call, const BitVector& wanted) {
  return is_take_apart(call) ? count_apart(call.arg_size(), 0, 1, wanted) : count_together(call.arg_size());
}

void lower_record_shuffles(Function& kernel) {
  SmallVector<CallInst*, 16> calls;
  for (Instruction& i : instructions(kernel))
    if (is_take_apart(i) || is_put_together(i)) calls.push_back(cast<CallInst>(&i));
  for (CallInst* call : calls) lower(*call);
}

}  // namespace lanza::compiler
