#include "compiler/passes/vector/scalars/load_by_ways.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/analysis/shapes.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostWays = 12;
constexpr unsigned kMostLoads = 96;  // of a kernel, on all ways

bool leads_here_only(const BasicBlock* way) {
  return isa<BranchInst>(way->getTerminator()) && way->getSingleSuccessor();
}

// As many as there are ways; none: the load stays.
unsigned ways_of(const LoadInst& load, const Shapes& shapes) {
  auto* place = dyn_cast<PHINode>(load.getPointerOperand());
  if (!place || place->getParent() != load.getParent() || !load.isSimple() || !shapes[place].is_varying()) return 0;
  if (place->getNumIncomingValues() > kMostWays || !load.getType()->isSingleValueType()) return 0;
  const uint64_t size = load.getDataLayout().getTypeStoreSize(load.getType()).getFixedValue();
  for (auto [address, way] : zip_equal(place->incoming_values(), place->blocks())) {
    if (way == load.getParent() || !leads_here_only(way)) return 0;
    const Shape shape = shapes.seen_in(way, address);
    if (shape.kind != Shape::Strided || shape.is_scattered(size)) return 0;
  }
  return place->getNumIncomingValues();
}

// Those at the head of a block, in front of which nothing there is written.
SmallVector<LoadInst*, 8> first_loads(BasicBlock& block) {
  SmallVector<LoadInst*, 8> loads;
  for (Instruction& i : block) {
    if (auto* load = dyn_cast<LoadInst>(&i)) loads.push_back(load);
    if (i.mayWriteToMemory() || !isGuaranteedToTransferExecutionToSuccessor(&i)) break;
  }
  return loads;
}

PHINode* load_on_ways(LoadInst& load) {
  auto* place = cast<PHINode>(load.getPointerOperand());
  auto* value = PHINode::Create(load.getType(), place->getNumIncomingValues(), load.getName(), place->getIterator());
  for (auto [address, way] : zip_equal(place->incoming_values(), place->blocks())) {
    auto* loaded = cast<LoadInst>(load.clone());
    loaded->setOperand(LoadInst::getPointerOperandIndex(), address);
    loaded->insertBefore(way->getTerminator());
    value->addIncoming(loaded, way);
  }
  return value;
}

}  // namespace

bool load_by_ways(Function& kernel, const GroupShape& group) {
  if (group.lanes == 1) return false;
  auto is_candidate = [](LoadInst* load) { return isa<PHINode>(load->getPointerOperand()); };
  SmallVector<LoadInst*, 16> candidates;
  for (BasicBlock& block : kernel) copy_if(first_loads(block), std::back_inserter(candidates), is_candidate);
  if (candidates.empty()) return false;
  unsigned made = 0;
  SmallVector<LoadInst*, 16> chosen;
  const Shapes shapes(kernel, group);
  for (LoadInst* load : candidates)
    if (const unsigned ways = ways_of(*load, shapes); ways && made + ways <= kMostLoads) {
      chosen.push_back(load);
      made += ways;
    }
  for (LoadInst* load : chosen) {
    auto* place = cast<PHINode>(load->getPointerOperand());
    load->replaceAllUsesWith(load_on_ways(*load));
    load->eraseFromParent();
    if (place->use_empty()) place->eraseFromParent();
  }
  return !chosen.empty();
}

}  // namespace lanza::compiler
