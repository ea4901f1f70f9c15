#include "compiler/passes/vector/run/region_report.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/cost_notes.hpp"

using namespace llvm;

namespace lanza::compiler {

RegionReport report_region(iterator_range<Function::iterator> region, bool vectorised, const Reason& kept) {
  RegionReport said{.vectorised = vectorised};
  for (BasicBlock& block : region)
    for (Instruction& i : block) {
      if (!said.line && i.mayReadOrWriteMemory()) said.line = source_line(i);
      auto* call = dyn_cast<CallInst>(&i);
      const Intrinsic::ID id = call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;
      said.gathers += id == Intrinsic::masked_gather;
      said.scatters += id == Intrinsic::masked_scatter;
      said.lane_by_lane += isa<AtomicRMWInst, AtomicCmpXchgInst>(i) || (call && !isa<IntrinsicInst>(i));
      add_noted_cost(i, said.costs);
    }
  if (!kept.words.empty()) add_cost(said.costs, {kMemoryCost, kept.words, kept.line});
  return said;
}

}  // namespace lanza::compiler
