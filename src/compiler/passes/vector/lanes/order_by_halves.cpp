#include "compiler/passes/vector/lanes/order_by_halves.hpp"

#include <array>

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/analysis/processors.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kLanes = 8;                                     // of a register
constexpr std::array<int, kLanes> kOrder{0, 1, 4, 5, 2, 3, 6, 7};  // which lane lies where; its own inverse
int place_of(int lane) { return lane - lane % static_cast<int>(kLanes) + kOrder[lane % kLanes]; }

// 0: not of vectors of 32-bit lanes that fill registers.
unsigned lanes_of(const Value& v) {
  auto* type = dyn_cast<FixedVectorType>(v.getType());
  const bool fits = type && type->getScalarSizeInBits() == 32 && type->getNumElements() % kLanes == 0;
  return fits ? type->getNumElements() : 0;
}

bool takes_every_second(const ShuffleVectorInst& shuffle) {
  const ArrayRef<int> mask = shuffle.getShuffleMask();
  if (lanes_of(shuffle) == 0 || lanes_of(*shuffle.getOperand(0)) == 0) return false;
  for (size_t k = 0; k < mask.size(); ++k)
    if (mask[k] != static_cast<int>(2 * k) + mask[0] || mask[0] < 0 || mask[0] > 1) return false;
  return true;
}

// One lane of either operand after the other, from the first of a register on.
bool makes_pairs(const ShuffleVectorInst& shuffle) {
  const ArrayRef<int> mask = shuffle.getShuffleMask();
  const int lanes = static_cast<int>(lanes_of(*shuffle.getOperand(0)));
  if (lanes == 0 || lanes_of(shuffle) == 0 || mask[0] < 0 || mask[0] % static_cast<int>(kLanes) != 0) return false;
  for (int k = 0; k < static_cast<int>(mask.size()); ++k)
    if (mask[k] != mask[0] + k / 2 + (k % 2) * lanes) return false;
  return true;
}

bool computes_lane_by_lane(const Instruction& i) {
  if (lanes_of(i) == 0) return false;
  if (isa<BinaryOperator, UnaryOperator>(i)) return true;
  if (auto* cast = dyn_cast<CastInst>(&i)) return lanes_of(*cast->getOperand(0)) == lanes_of(i);
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return call && isTriviallyVectorizable(call->getIntrinsicID()) &&
         all_of(call->args(), [&](const Use& a) { return lanes_of(*a) == lanes_of(i); });
}

using Members = SmallSetVector<Instruction*, 16>;

// Users in its block that compute with it.
void add_users(Instruction& member, Members& members) {
  for (User* user : member.users())
    if (auto* i = cast<Instruction>(user); i->getParent() == member.getParent() && computes_lane_by_lane(*i))
      members.insert(i);
}

/// What is computed, in a block, of lanes that were taken from pairs, as far as it hangs together.
class Web {
 public:
  /// `candidates`: of all webs. Its own are no longer among them then.
  Web(Instruction& first, Members& candidates) {
    auto add_operands = [&](Instruction& of) {
      for (Value* operand : of.operand_values())
        if (auto* i = dyn_cast<Instruction>(operand); i && candidates.contains(i)) members_.insert(i);
    };
    members_.insert(&first);
    for (size_t k = 0; k < members_.size(); ++k) {
      Instruction& member = *members_[k];
      add_users(member, members_);
      for (User* user : member.users())
        if (auto* shuffle = dyn_cast<ShuffleVectorInst>(user); shuffle && makes_pairs(*shuffle)) add_operands(*shuffle);
      if (auto* source = dyn_cast<ShuffleVectorInst>(&member))
        sources_.push_back(source);
      else
        add_operands(member);
    }
    candidates.remove_if([&](Instruction* i) { return members_.contains(i); });
  }

  /// Registers' shuffles that are spared, less those that come to it.
  int gain() const {
    int registers = 0;
    SmallPtrSet<const Value*, 8> counted;
    for (ShuffleVectorInst* source : sources_) registers += registers_of(*source);
    for (ShuffleVectorInst* pair : pairs()) registers += registers_of(*pair);
    for (Use* use : foreign_operands()) counted.insert(use->get());
    for (const Value* operand : counted) registers -= registers_of(*operand);
    for (Instruction* member : members_)
      if (any_of(member->uses(), [&](const Use& use) { return is_foreign(use); })) registers -= registers_of(*member);
    return registers;
  }

  void put_in_order() {
    const auto operands = foreign_operands();
    const auto pairs = this->pairs();
    for (Use* use : operands) {
      IRBuilder<> b(cast<Instruction>(use->getUser()));
      use->set(shuffled(b, use->get()));
    }
    for (Instruction* member : members_) {
      SmallVector<Use*, 4> uses;
      for (Use& use : member->uses())
        if (is_foreign(use)) uses.push_back(&use);
      if (uses.empty()) continue;
      IRBuilder<> b(member->getNextNode());
      Value* own = shuffled(b, member);
      for (Use* use : uses) use->set(own);
    }
    for (ShuffleVectorInst* source : sources_) {
      const SmallVector<int, 32> mask(source->getShuffleMask());
      SmallVector<int, 32> now(mask.size());
      for (size_t k = 0; k < mask.size(); ++k) now[k] = mask[place_of(static_cast<int>(k))];
      source->setShuffleMask(now);
    }
    for (ShuffleVectorInst* pair : pairs) {
      SmallVector<int, 32> mask(pair->getShuffleMask());
      const int lanes = static_cast<int>(lanes_of(*pair->getOperand(0)));
      for (int& lane : mask) lane = lane < lanes ? place_of(lane) : lanes + place_of(lane - lanes);
      pair->setShuffleMask(mask);
    }
  }

 private:
  static int registers_of(const Value& v) { return static_cast<int>(lanes_of(v) / kLanes); }

  bool is_pair(const User* user) const {
    auto* shuffle = dyn_cast<ShuffleVectorInst>(user);
    return shuffle && makes_pairs(*shuffle) && is_member(shuffle->getOperand(0)) && is_member(shuffle->getOperand(1));
  }
  bool is_member(const Value* v) const {
    auto* i = dyn_cast<Instruction>(v);
    return i && members_.contains(const_cast<Instruction*>(i));
  }
  bool is_foreign(const Use& use) const {
    auto* user = cast<Instruction>(use.getUser());
    const bool is_computed = is_member(user) && computes_lane_by_lane(*user);
    return !is_computed && !is_pair(user);
  }

  SmallSetVector<ShuffleVectorInst*, 8> pairs() const {
    SmallSetVector<ShuffleVectorInst*, 8> found;
    for (Instruction* member : members_)
      for (User* user : member->users())
        if (is_pair(user)) found.insert(cast<ShuffleVectorInst>(user));
    return found;
  }

  // What all lanes have alike needs no order.
  SmallVector<Use*, 8> foreign_operands() const {
    SmallVector<Use*, 8> found;
    for (Instruction* member : members_) {
      if (!computes_lane_by_lane(*member)) continue;
      for (Use& operand : member->operands()) {
        if (lanes_of(*operand) == 0 || is_member(operand) || getSplatValue(operand) || isa<UndefValue>(operand))
          continue;
        found.push_back(&operand);
      }
    }
    return found;
  }

  static Value* shuffled(IRBuilder<>& b, Value* v) {
    SmallVector<int, 32> mask(lanes_of(*v));
    for (size_t k = 0; k < mask.size(); ++k) mask[k] = place_of(static_cast<int>(k));
    return b.CreateShuffleVector(v, mask);
  }

  Members members_;
  SmallVector<ShuffleVectorInst*, 8> sources_;
};

}  // namespace

bool order_by_halves(Function& run, const TargetMachine& host) {
  if (!has_avx2_at_most(host)) return false;
  Members candidates;
  for (Instruction& i : instructions(run))
    if (auto* shuffle = dyn_cast<ShuffleVectorInst>(&i); shuffle && takes_every_second(*shuffle)) candidates.insert(&i);
  for (size_t k = 0; k < candidates.size(); ++k) add_users(*candidates[k], candidates);
  bool changed = false;
  while (!candidates.empty()) {
    Web web(*candidates.front(), candidates);
    if (web.gain() <= 0) continue;
    web.put_in_order();
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
