#include "compiler/passes/vector/widen/part_choices.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/analysis/lane_tables.hpp"
#include "compiler/passes/vector/widen/block_mask.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

// Which lanes take the first of the two; nothing: that is not known.
std::optional<SmallVector<bool, 32>> answers(const Value* condition, LaneTables& tables) {
  auto* compare = dyn_cast<ICmpInst>(condition);
  const APInt* number;
  if (!compare || !match(compare->getOperand(1), m_APInt(number)) || number->getBitWidth() > 32) return {};
  const unsigned width = number->getBitWidth();
  const LaneTable* table = tables.of(compare->getOperand(0));
  if (!table || table->known < width) return {};
  SmallVector<bool, 32> result;
  for (unsigned lane = 0; lane < table->offsets.size(); ++lane)
    result.push_back(ICmpInst::compare(APInt(64, table->part(lane)).trunc(width), *number, compare->getPredicate()));
  return result;
}

// Each lane's address is that of a lane which takes it.
bool loads_nothing_new(const LaneTable& address, ArrayRef<bool> first, bool side) {
  return all_of(address.offsets, [&](int64_t offset) {
    return any_of(seq<size_t>(0, first.size()),
                  [&](size_t lane) { return first[lane] == side && address.offsets[lane] == offset; });
  });
}

bool may_part(const LoadInst& load, const Shapes& shapes, LaneTables& tables) {
  auto* addresses = dyn_cast<SelectInst>(load.getPointerOperand());
  if (!addresses || !load.isSimple() || !shapes[addresses->getCondition()].is_varying()) return false;
  const LaneTable *one = tables.of(addresses->getTrueValue()), *other = tables.of(addresses->getFalseValue());
  const auto first = one && other ? answers(addresses->getCondition(), tables) : std::nullopt;
  return first && loads_nothing_new(*one, *first, true) && loads_nothing_new(*other, *first, false);
}

void part(LoadInst& load) {
  auto* addresses = cast<SelectInst>(load.getPointerOperand());
  IRBuilder<> b(&load);
  auto load_from = [&](Value* address) {
    Instruction* copy = load.clone();
    copy->setOperand(0, address);
    return b.Insert(copy);
  };
  Value *first = load_from(addresses->getTrueValue()), *other = load_from(addresses->getFalseValue());
  load.replaceAllUsesWith(b.CreateSelect(addresses->getCondition(), first, other));
  load.eraseFromParent();
}

}  // namespace

bool part_choices(Function& kernel, const GroupShape& group) {
  auto is_one = [](const Instruction& i) {
    auto* load = dyn_cast<LoadInst>(&i);
    return load && isa<SelectInst>(load->getPointerOperand());
  };
  if (group.lanes == 1 || none_of(instructions(kernel), is_one)) return false;
  const Shapes shapes(kernel, group);
  LaneTables tables(shapes, kernel.getDataLayout());
  SmallVector<LoadInst*, 4> loads;
  for (BasicBlock& block : kernel) {
    if (mask_of(block)) continue;
    for (Instruction& i : block)
      if (is_one(i) && may_part(cast<LoadInst>(i), shapes, tables)) loads.push_back(cast<LoadInst>(&i));
  }
  for (LoadInst* load : loads) part(*load);
  return !loads.empty();
}

}  // namespace lanza::compiler
