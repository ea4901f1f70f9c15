#include "compiler/passes/vector/scalars/barrier_ends.hpp"

#include <llvm/IR/Instructions.h>

#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

bool is_barrier(Instruction& i) {
  CallInst* point = as_sync(i);
  return point && sync_kind(*point) == LANZA_SYNC_BARRIER;
}

bool touches_memory(const Instruction& i) { return i.mayReadOrWriteMemory() || i.mayHaveSideEffects(); }

template <typename Range>
static bool is_first_touched(Range&& instructions) {
  const auto first = find_if(instructions, touches_memory);
  return first != instructions.end() && is_barrier(*first);
}

bool begins_at_barrier(BasicBlock& block) { return is_first_touched(block); }

bool ends_behind_barrier(BasicBlock& block) { return is_first_touched(reverse(block)); }

}  // namespace lanza::compiler
