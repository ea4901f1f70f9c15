#include "compiler/passes/vector/lanes/join_trees.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/lanes/fold_trees.hpp"
#include "compiler/passes/vector/lanes/lanes_in_use.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMost = 16;       // vectors that are folded together
constexpr unsigned kPartBits = 128;  // within which a shuffle of two vectors takes from each where it lies

using Trees = SmallVector<FoldTree, 8>;

/// What lies in a vector of several trees: so many lanes of each, one behind the other from here on.
struct Place {
  unsigned tree, start;
};
struct Part {
  Value* vector;
  SmallVector<Place, 16> places;  ///< by start
};

/// Does a step of a tree with other vectors.
class StepCopy {
 public:
  StepCopy(IRBuilder<>& b, const FoldStep& step, unsigned lanes, Value* first, Value* second)
      : b_(b), step_(step), lanes_(lanes), first_(first), second_(second) {}

  Value* make() {
    for (Instruction* i : step_.code) copies_[i] = copy(*i);
    return copies_.lookup(step_.result());
  }

 private:
  Type* type_for(const Value& value) const {
    return FixedVectorType::get(value.getType()->getScalarType(), lanes_of(*first_));
  }

  Value* operand(Value* value) {
    if (auto* constant = dyn_cast<Constant>(value); constant && !isa<Function>(constant))
      return ConstantVector::getSplat(ElementCount::getFixed(lanes_of(*first_)), constant->getSplatValue());
    return value == step_.from ? first_ : copies_.lookup(value);
  }

  Value* cast_once(Value* value, Type* type) {
    Value*& there = casts_[{value, type}];
    return there ? there : there = b_.CreateBitCast(value, type);
  }

  Value* copy(Instruction& i) {
    if (const Half half = half_of(i, *step_.from, lanes_); half != Half::none)
      return half == Half::first ? cast_once(first_, type_for(i)) : cast_once(second_, type_for(i));
    if (auto* there = dyn_cast_or_null<BitCastInst>(isa<BitCastInst>(i) ? operand(i.getOperand(0)) : nullptr);
        there && there->getSrcTy() == type_for(i))
      return there->getOperand(0);  // and back again
    b_.SetCurrentDebugLocation(i.getDebugLoc());
    if (auto* call = dyn_cast<IntrinsicInst>(&i)) {
      SmallVector<Value*, 4> operands;
      for (Value* v : call->args()) operands.push_back(operand(v));
      return b_.CreateIntrinsic(type_for(i), call->getIntrinsicID(), operands, isa<FPMathOperator>(i) ? &i : nullptr);
    }
    Instruction* other = i.clone();
    for (Use& v : other->operands()) v.set(operand(v));
    other->mutateType(type_for(i));
    return b_.Insert(other);
  }

  IRBuilder<>& b_;
  const FoldStep& step_;
  const unsigned lanes_;
  Value* const first_;
  Value* const second_;
  DenseMap<const Value*, Value*> copies_;
  DenseMap<std::pair<Value*, Type*>, Value*> casts_;
};

/// Folds vectors of the same length by the same steps.
class Joiner {
 public:
  explicit Joiner(ArrayRef<FoldTree> trees) : trees_(trees), b_(trees[0].source->getContext()), left_(trees[0].lanes) {}

  /// All numbers in one vector.
  Part join() {
    SmallVector<Part, 16> parts;
    for (unsigned i = 0; i < trees_.size(); ++i) parts.push_back({trees_[i].source, {{i, 0}}});
    for (const FoldStep& step : trees_[0].steps) {
      if (parts.size() > 1) {
        SmallVector<Part, 16> pairs;
        for (unsigned i = 0; i < parts.size(); i += 2) pairs.push_back(fold_pair(step, parts[i], parts[i + 1]));
        parts = std::move(pairs);
      } else {
        fold(step, parts[0]);
      }
      left_ /= 2;
    }
    return parts[0];
  }

 private:
  // Behind both.
  void go_behind(Value* a, Value* b) {
    auto *i = cast<Instruction>(a), *j = cast<Instruction>(b);
    Instruction* last = i->comesBefore(j) ? j : i;
    BasicBlock* block = last->getParent();
    b_.SetInsertPoint(block, isa<PHINode>(last) ? block->getFirstInsertionPt() : std::next(last->getIterator()));
  }

  Part fold_pair(const FoldStep& step, const Part& a, const Part& b) {
    const unsigned lanes = trees_[0].lanes, half = left_ / 2;
    const unsigned part = kPartBits / a.vector->getType()->getScalarSizeInBits(), room = half < part ? part : lanes;
    SmallVector<int, 16> first(lanes, PoisonMaskElem), second = first;
    Part both;
    for (const auto& [from, base] : {std::pair{&a, 0U}, std::pair{&b, lanes}})
      for (const auto [tree, start] : from->places) {
        const unsigned to = start / room * room + (base ? room / 2 : 0) + start % room / 2;
        for (unsigned lane = 0; lane < half; ++lane) {
          first[to + lane] = static_cast<int>(base + start + lane);
          second[to + lane] = static_cast<int>(base + start + half + lane);
        }
        both.places.push_back({tree, to});
      }
    sort(both.places, [](const Place& x, const Place& y) { return x.start < y.start; });
    go_behind(a.vector, b.vector);
    b_.SetCurrentDebugLocation(step.result()->getDebugLoc());
    Value* low = b_.CreateShuffleVector(a.vector, b.vector, first);
    Value* high = b_.CreateShuffleVector(a.vector, b.vector, second);
    both.vector = StepCopy(b_, step, left_, low, high).make();
    return both;
  }

  // Within the vector, whose places stay.
  void fold(const FoldStep& step, Part& all) {
    const unsigned half = left_ / 2;
    SmallVector<int, 16> second(trees_[0].lanes, PoisonMaskElem);
    for (const Place& place : all.places)
      for (unsigned lane = 0; lane < half; ++lane)
        second[place.start + lane] = static_cast<int>(place.start + half + lane);
    go_behind(all.vector, all.vector);
    b_.SetCurrentDebugLocation(step.result()->getDebugLoc());
    Value* high = b_.CreateShuffleVector(all.vector, second);
    all.vector = StepCopy(b_, step, left_, all.vector, high).make();
  }

  ArrayRef<FoldTree> trees_;
  IRBuilder<> b_;
  unsigned left_;  ///< lanes of each tree
};

bool can_move(const Instruction& i) {
  return !i.mayReadOrWriteMemory() && !i.mayHaveSideEffects() && !isa<PHINode, AllocaInst>(i) && !i.isTerminator();
}

/// What is made of results of trees in front of the last one's source; none if it has to stay, or leads to a source.
std::optional<SmallVector<Instruction*, 8>> find_between(ArrayRef<FoldTree> trees) {
  SmallPtrSet<const Instruction*, 16> results, sources, found;
  Instruction *first = nullptr, *last = nullptr;
  for (const FoldTree& tree : trees) {
    results.insert(tree.result());
    sources.insert(tree.source);
    if (!first || tree.result()->comesBefore(first)) first = tree.result();
    if (!last || last->comesBefore(tree.source)) last = tree.source;
  }
  if (any_of(results, [&](const Instruction* result) { return sources.contains(result); })) return std::nullopt;
  SmallVector<Instruction*, 8> between;
  for (Instruction* i = first; i && i->comesBefore(last->getNextNode()); i = i->getNextNode()) {
    if (none_of(i->operand_values(), [&](const Value* v) {
          auto* of = dyn_cast<Instruction>(v);
          return of && (results.contains(of) || found.contains(of));
        }))
      continue;
    if (!can_move(*i) || sources.contains(i)) return std::nullopt;
    found.insert(i);
    between.push_back(i);
  }
  return between;
}

/// Shuffles of shuffles of `vector` are shuffles of it.
void shorten_ways(Instruction& vector) {
  DenseMap<const Value*, SmallVector<int, 32>> masks;
  for (Instruction& i : make_early_inc_range(make_range(std::next(vector.getIterator()), vector.getParent()->end()))) {
    auto* shuffle = dyn_cast<ShuffleVectorInst>(&i);
    if (!shuffle) continue;
    if (shuffle->getOperand(0) == &vector) {
      masks[shuffle].assign(shuffle->getShuffleMask().begin(), shuffle->getShuffleMask().end());
      continue;
    }
    const unsigned lanes = lanes_of(*shuffle->getOperand(0));
    SmallVector<int, 32> mask;
    for (const int from : shuffle->getShuffleMask()) {
      if (from == PoisonMaskElem) {
        mask.push_back(from);
        continue;
      }
      const auto at = static_cast<unsigned>(from);
      const auto known = masks.find(shuffle->getOperand(at >= lanes ? 1 : 0));
      if (known == masks.end()) break;
      mask.push_back(known->second[at % lanes]);
    }
    if (mask.size() != shuffle->getShuffleMask().size()) continue;
    auto* shorter = new ShuffleVectorInst(&vector, mask, "", shuffle->getIterator());
    shorter->setDebugLoc(shuffle->getDebugLoc());
    shuffle->replaceAllUsesWith(shorter);
    masks[shorter] = std::move(mask);
  }
}

void join(ArrayRef<FoldTree> trees, ArrayRef<Instruction*> between) {
  const Part all = Joiner(trees).join();
  auto* vector = cast<Instruction>(all.vector);
  IRBuilder<> b(vector->getNextNode());
  SmallVector<WeakTrackingVH, 8> old;
  for (const Place& place : all.places) {
    Instruction* result = trees[place.tree].result();
    SmallVector<int, 16> mask(lanes_of(*result), PoisonMaskElem);
    mask[0] = static_cast<int>(place.start);
    result->replaceAllUsesWith(b.CreateShuffleVector(vector, mask));
    old.emplace_back(result);
  }
  for (Instruction* i : between) {
    i->moveBefore(*b.GetInsertBlock(), b.GetInsertPoint());
    old.emplace_back(i);
  }
  shorten_ways(*vector);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(old);
}

/// Of `trees`, in their order, those that can be joined with the first one: so many that halving leaves none out.
bool join_with_first(ArrayRef<FoldTree> trees) {
  Trees group, tried{trees[0]};
  SmallVector<Instruction*, 8> between;
  for (const FoldTree& tree : trees.drop_front()) {
    if (tried.size() == std::min(kMost, tree.lanes)) break;
    if (!trees[0].is_like(tree)) continue;
    tried.push_back(tree);
    if (!isPowerOf2_64(tried.size())) continue;
    auto found = find_between(tried);
    if (!found) break;
    group = tried;
    between = std::move(*found);
  }
  if (group.empty()) return false;
  join(group, between);
  return true;
}

bool join_some(BasicBlock& block, unsigned bits) {
  Trees trees;
  for (Instruction& i : block)
    if (lanes_of(i) > 1 && i.getType()->getPrimitiveSizeInBits() == TypeSize::getFixed(bits))
      if (auto tree = find_fold_tree(i)) trees.push_back(std::move(*tree));
  if (trees.size() < 2) return false;
  const LanesInUse in_use(*block.getParent());
  erase_if(trees, [&](const FoldTree& tree) { return !in_use.of(*tree.result()).isOne(); });
  for (unsigned i = 0; i + 1 < trees.size(); ++i)
    if (join_with_first(ArrayRef(trees).drop_front(i))) return true;
  return false;
}

}  // namespace

bool join_trees(Function& run, const TargetTransformInfo& costs) {
  const unsigned bits = costs.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  bool changed = false;
  for (BasicBlock& block : run)
    while (join_some(block, bits)) changed = true;
  return changed;
}

}  // namespace lanza::compiler
