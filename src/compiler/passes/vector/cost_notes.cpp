#include "compiler/passes/vector/cost_notes.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Metadata.h>

using namespace llvm;

namespace lanza::compiler {

static constexpr char kCost[] = "lanza.cost";

void note_cost(Instruction& i, StringRef what, const Twine& why) {
  LLVMContext& c = i.getContext();
  i.setMetadata(kCost, MDNode::get(c, {MDString::get(c, what), MDString::get(c, why.str())}));
}

void note_costly_extremum(Instruction& i) {
  note_cost(i, kExtremumCost, "CUDA's minimum and maximum look at NaN and at the sign of zeros: several instructions");
}

void copy_cost_note(Instruction& to, const Instruction& from) {
  if (MDNode* note = from.getMetadata(kCost)) to.setMetadata(kCost, note);
}

void add_noted_cost(const Instruction& i, std::vector<Cost>& costs) {
  if (!i.hasMetadataOtherThanDebugLoc()) return;  // else the kind is looked up
  const MDNode* note = i.getMetadata(kCost);
  if (!note) return;
  auto text = [&](unsigned k) { return cast<MDString>(note->getOperand(k))->getString().str(); };
  add_cost(costs, {text(0), text(1), line_of_kernel(i)});
}

void drop_cost_notes(Function& function) {
  const unsigned kind = function.getContext().getMDKindID(kCost);
  for (Instruction& i : instructions(function))
    if (i.hasMetadataOtherThanDebugLoc()) i.setMetadata(kind, nullptr);
}

}  // namespace lanza::compiler
