#include "compiler/passes/vector/widen/keep_records.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>

#include "compiler/passes/vector/widen/record_packs.hpp"
#include "compiler/passes/vector/widen/record_price.hpp"
#include "compiler/passes/vector/widen/record_shuffles.hpp"
#include "compiler/passes/vector/widen/record_words.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr size_t kMostCalls = 64;

/// The call's results are put together otherwise; true where that is cheaper. `known` is the kernel's price: to ask for
/// it takes a look at all of the kernel.
bool replace_if_cheaper(CallInst& together, const DominatorTree& dominators, const RecordPrice& price,
                        uint64_t& known) {
  RecordPacks packs(dominators);
  if (packs.replace(together))
    if (const uint64_t then = price.now(); then < known) return known = then, true;
  packs.discard();
  return false;
}

}  // namespace

bool keep_records(Function& kernel, const TargetTransformInfo& host) {
  SmallVector<CallInst*, 16> calls;
  for (Instruction& i : instructions(kernel))
    if (is_put_together(i)) calls.push_back(cast<CallInst>(&i));
  std::vector<RecordWord> words = RecordWord::find_all(kernel);
  if ((calls.empty() && words.empty()) || calls.size() + words.size() > kMostCalls) return false;
  const DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  const RecordPrice price(kernel, loops, host);
  bool changed = false;
  uint64_t known = price.now();
  for (CallInst* call : calls) changed |= replace_if_cheaper(*call, dominators, price, known);
  for (RecordWord& word : words) {
    if (replace_if_cheaper(*word.put_together(), dominators, price, known))
      changed = true;
    else
      word.undo();
  }
  if (changed) price.erase_dead();
  return changed;
}

}  // namespace lanza::compiler
