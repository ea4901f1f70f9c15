#include "compiler/passes/vector/lanes/lane_trees.hpp"

#include <list>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/lanes/lane_addresses.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostNodes = 64;
constexpr unsigned kWord = 64;

using Gathers = SmallPtrSet<const Value*, 32>;

/// Integer operations of one block whose other ends are gathers, constants and what is the same in all lanes.
struct Tree {
  BinaryOperator* root;
  SmallSetVector<IntrinsicInst*, 8> gathers;
  unsigned nodes = 0;

  bool take(Value* v, const Gathers& known) {
    auto* i = dyn_cast<Instruction>(v);
    if (isa<ConstantDataVector>(v) || getSplatValue(v)) return true;
    if (!i || i->getParent() != root->getParent() || (i != root && !i->hasOneUse()) || ++nodes > kMostNodes)
      return false;
    if (known.contains(i)) return gathers.insert(cast<IntrinsicInst>(i));
    if (isa<ZExtInst, SExtInst, TruncInst>(i)) return take(i->getOperand(0), known);
    return isa<BinaryOperator>(i) && i->getType()->isIntOrIntVectorTy() && !i->isIntDivRem() &&
           all_of(i->operands(), [&](const Use& operand) { return take(operand, known); });
  }

  // Loads may come as late as the root.
  bool may_wait() const {
    return none_of(gathers, [&](const IntrinsicInst* gather) { return may_be_written_between(*gather, *root); });
  }
};

Value* index_of(const IntrinsicInst& gather) {
  auto* address = dyn_cast<GetElementPtrInst>(gather.getArgOperand(0));
  if (!address || !address->getType()->isVectorTy()) return nullptr;
  Value* index = address->getOperand(address->getNumOperands() - 1);
  if (!index->getType()->isVectorTy() || getSplatValue(index)) return nullptr;
  return isa<SExtInst, ZExtInst>(index) ? cast<CastInst>(index)->getOperand(0) : index;
}

class Expansion {
 public:
  Expansion(const Tree& tree, const TargetTransformInfo* hides)
      : tree_(tree), b_(tree.root), words_(*tree.root, hides) {
    SmallMapVector<Value*, unsigned, 8> parts;
    for (const IntrinsicInst* gather : tree.gathers)
      if (Value* index = index_of(*gather)) ++parts[LaneWords::whole(index)];
    for (const auto& [whole, count] : parts)
      if (count > 1) words_.add(whole);
    for (IntrinsicInst* gather : tree.gathers)
      addresses_.emplace_back(gather, LaneAddresses(b_, gather->getArgOperand(0), hides, &words_));
  }

  void run() {
    tree_.root->replaceAllUsesWith(combined());
    SmallVector<WeakVH, 8> unused;
    for (const IntrinsicInst* gather : tree_.gathers) unused.emplace_back(gather->getArgOperand(0));
    erase_tree(tree_.root);
    for (WeakVH& address : unused)
      if (address) RecursivelyDeleteTriviallyDeadInstructions(address);
  }

 private:
  Value* value(Value* v, unsigned lane) {
    if (Value* same = getSplatValue(v)) return same;
    if (auto* constant = dyn_cast<Constant>(v)) return constant->getAggregateElement(lane);
    auto* i = cast<Instruction>(v);
    if (auto* gather = dyn_cast<IntrinsicInst>(i)) return load(*gather, lane);
    if (auto* cast = dyn_cast<CastInst>(i))
      return b_.CreateCast(cast->getOpcode(), value(cast->getOperand(0), lane), cast->getType()->getScalarType());
    Value* left = value(i->getOperand(0), lane);
    Value* result = b_.CreateBinOp(cast<BinaryOperator>(i)->getOpcode(), left, value(i->getOperand(1), lane));
    if (auto* made = dyn_cast<BinaryOperator>(result)) made->copyIRFlags(i);
    return result;
  }

  Value* load(IntrinsicInst& gather, unsigned lane) {
    auto known = find_if(addresses_, [&](const auto& entry) { return entry.first == &gather; });
    const Align align = cast<ConstantInt>(gather.getArgOperand(1))->getAlignValue();
    LoadInst* load = b_.CreateAlignedLoad(gather.getType()->getScalarType(), known->second[lane], align);
    load->copyMetadata(gather, {LLVMContext::MD_invariant_load, LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
    return load;
  }

  // Each lane enters the result at once, so that none waits in a register: two neighbours of 32 bits as one word, as a
  // shift and an addition are cheaper than what puts a lane into a vector.
  Value* combined() {
    auto* type = cast<FixedVectorType>(tree_.root->getType());
    const unsigned lanes = type->getNumElements();
    const bool pairs = type->getScalarSizeInBits() == kWord / 2 && lanes % 2 == 0;
    Type* element = pairs ? b_.getIntNTy(kWord) : type->getElementType();
    Value* all = PoisonValue::get(FixedVectorType::get(element, pairs ? lanes / 2 : lanes));
    for (unsigned lane = 0; lane < lanes; lane += pairs ? 2 : 1) {
      Value* one = value(tree_.root, lane);
      if (pairs) {
        Value* next = b_.CreateShl(b_.CreateZExt(value(tree_.root, lane + 1), element), kWord / 2);
        one = b_.CreateOr(b_.CreateZExt(one, element), next);
      }
      all = b_.CreateInsertElement(all, one, pairs ? lane / 2 : lane);
    }
    return b_.CreateBitCast(all, type);
  }

  void erase_tree(Value* v) {
    auto* i = dyn_cast<Instruction>(v);
    if (!i || !i->use_empty()) return;
    const bool is_gather = isa<IntrinsicInst>(i);
    if (!is_gather && !isa<BinaryOperator, CastInst>(i)) return;
    SmallVector<Value*, 2> operands(i->operands());
    i->eraseFromParent();
    if (!is_gather)
      for (Value* operand : operands) erase_tree(operand);
  }

  const Tree& tree_;
  IRBuilder<> b_;
  LaneWords words_;
  std::list<std::pair<IntrinsicInst*, LaneAddresses>> addresses_;
};

// From the last operation of a block up, so that none is found before the one that it is an operand of.
std::list<Tree> find_trees(const SmallVectorImpl<IntrinsicInst*>& gathers) {
  Gathers known(gathers.begin(), gathers.end());
  SmallSetVector<BasicBlock*, 8> blocks;
  for (IntrinsicInst* gather : gathers) blocks.insert(gather->getParent());
  std::list<Tree> found;
  for (BasicBlock* block : blocks)
    for (Instruction& i : reverse(*block)) {
      auto* root = dyn_cast<BinaryOperator>(&i);
      if (!root || !root->getType()->isVectorTy()) continue;
      Tree tree{root, {}};
      if (!tree.take(root, known) || tree.gathers.size() < 2 || !tree.may_wait()) continue;
      for (IntrinsicInst* gather : tree.gathers) known.erase(gather);
      found.push_back(std::move(tree));
    }
  return found;
}

}  // namespace

bool expand_lane_trees(SmallVectorImpl<IntrinsicInst*>& gathers, const TargetTransformInfo* hides) {
  const std::list<Tree> trees = find_trees(gathers);
  for (const Tree& tree : trees) {
    erase_if(gathers, [&](IntrinsicInst* gather) { return tree.gathers.contains(gather); });
    Expansion(tree, hides).run();
  }
  return !trees.empty();
}

}  // namespace lanza::compiler
