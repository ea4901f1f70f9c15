#include "compiler/passes/vector/lanes/fold_trees.hpp"

#include <algorithm>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Support/MathExtras.h>

#include "compiler/passes/vector/lanes/lanes_in_use.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kLongest = 12;  // instructions of a step: fmaxf has nine

const Value* without_cast(const Value& value) {
  auto* cast = dyn_cast<BitCastInst>(&value);
  return cast && is_lane_by_lane(*cast) ? cast->getOperand(0) : &value;
}

bool has_lanes(ArrayRef<int> mask, unsigned count, unsigned first) {
  if (mask.size() < count || mask[0] == PoisonMaskElem) return false;
  for (unsigned lane = 0; lane < count; ++lane)
    if (mask[lane] != PoisonMaskElem && mask[lane] != static_cast<int>(first + lane)) return false;
  return true;
}

// Computes, rather than takes a half.
bool is_computed(const Instruction& i) { return is_lane_by_lane(i) && !isa<BitCastInst>(i); }

/// Finds the one value in which all that comes of `from` ends.
class StepFinder {
 public:
  StepFinder(Instruction& from, unsigned lanes) : from_(from), lanes_(lanes) {}

  std::optional<FoldStep> find() {
    FoldStep step{.from = &from_, .code = {}};
    if (!add_users(from_)) return std::nullopt;
    while (!open_.empty() && step.code.size() < kLongest) {
      auto first = std::min_element(open_.begin(), open_.end(), [](auto* a, auto* b) { return a->comesBefore(b); });
      Instruction* i = *first;
      open_.erase(first);
      if (!belongs(*i)) return std::nullopt;
      step.code.push_back(i);
      if (open_.empty() && is_computed(*i)) return step;
      if (!add_users(*i)) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  bool add_users(Instruction& of) {
    for (User* user : of.users()) {
      auto* i = cast<Instruction>(user);
      if (i->getParent() != from_.getParent() || isa<PHINode>(i)) return false;
      if (seen_.insert(i).second) open_.push_back(i);
    }
    return true;
  }

  bool belongs(const Instruction& i) const {
    if (isa<ShuffleVectorInst>(i)) return half_of(i, from_, lanes_) != Half::none;
    return is_lane_by_lane(i) && all_of(i.operand_values(), [&](const Value* v) {
             if (isa<Function>(v) || v == &from_) return true;
             if (auto* constant = dyn_cast<Constant>(v)) return constant->getSplatValue() != nullptr;
             return seen_.contains(dyn_cast<Instruction>(v));
           });
  }

  Instruction& from_;
  const unsigned lanes_;
  SmallVector<Instruction*, 8> open_;
  SmallPtrSet<const Instruction*, 16> seen_;
};

bool are_alike(const FoldStep& a, const FoldStep& b) {
  if (a.code.size() != b.code.size()) return false;
  DenseMap<const Value*, const Value*> twins;
  twins[a.from] = b.from;
  for (auto [one, other] : zip_equal(a.code, b.code)) {
    if (!one->isSameOperationAs(other) || !one->hasSameSubclassOptionalData(other)) return false;
    for (auto [x, y] : zip_equal(one->operand_values(), other->operand_values()))
      if (isa<Constant>(x) ? x != y : twins.lookup(x) != y) return false;
    twins[one] = other;
  }
  return true;
}

}  // namespace

bool FoldTree::is_like(const FoldTree& other) const {
  return source->getType() == other.source->getType() && steps.size() == other.steps.size() &&
         all_of(zip_equal(steps, other.steps),
                [](const auto& pair) { return are_alike(std::get<0>(pair), std::get<1>(pair)); });
}

Half half_of(const Value& value, const Instruction& of, unsigned lanes) {
  if (without_cast(value) == &of) return Half::first;
  auto* shuffle = dyn_cast<ShuffleVectorInst>(&value);
  if (!shuffle || without_cast(*shuffle->getOperand(0)) != &of) return Half::none;
  const unsigned count = lanes / 2;
  if (has_lanes(shuffle->getShuffleMask(), count, 0)) return Half::first;
  return has_lanes(shuffle->getShuffleMask(), count, count) ? Half::second : Half::none;
}

std::optional<FoldTree> find_fold_tree(Instruction& source) {
  const unsigned lanes = lanes_of(source);
  if (lanes < 2 || !isPowerOf2_32(lanes)) return std::nullopt;
  FoldTree tree{.source = &source, .lanes = lanes, .steps = {}};
  Instruction* from = &source;
  for (unsigned left = lanes; left > 1; left /= 2) {
    std::optional<FoldStep> step = StepFinder(*from, left).find();
    if (!step || lanes_of(*step->result()) < left / 2 ||
        step->result()->getType()->getScalarType() != source.getType()->getScalarType())
      return std::nullopt;
    from = step->result();
    tree.steps.push_back(std::move(*step));
  }
  return tree;
}

}  // namespace lanza::compiler
