#include "compiler/passes/vector/lanes/order_by_halves.hpp"

#include <array>
#include <numeric>

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/analysis/processors.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr int kLanes = 8;               // of a register
using Order = std::array<int, kLanes>;  // which lane lies where
constexpr Order kAsIs{0, 1, 2, 3, 4, 5, 6, 7}, kByHalves{0, 1, 4, 5, 2, 3, 6, 7}, kByQuarters{0, 2, 4, 6, 1, 3, 5, 7};

int place_of(const Order& order, int lane) {
  return lane - lane % kLanes + static_cast<int>(find(order, lane % kLanes) - order.begin());
}

// Of a shuffle of vectors in one order whose result has another one.
SmallVector<int, 32> reordered(ArrayRef<int> mask, const Order& operands, const Order& result) {
  SmallVector<int, 32> now(mask.size());
  for (int k = 0; k < static_cast<int>(mask.size()); ++k) {
    const int lane = mask[k - k % kLanes + result[k % kLanes]];
    now[k] = lane < 0 ? lane : place_of(operands, lane);
  }
  return now;
}

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

bool is_step(const Value* v) {
  auto* shuffle = dyn_cast<ShuffleVectorInst>(v);
  return shuffle && takes_every_second(*shuffle);
}

// Every fourth of four registers, by two steps; of more steps the last two. Nobody's half then.
bool takes_every_fourth(const ShuffleVectorInst& shuffle) {
  if (!is_step(&shuffle) || any_of(shuffle.users(), is_step)) return false;
  if (!is_step(shuffle.getOperand(0)) || !is_step(shuffle.getOperand(1))) return false;
  return cast<ShuffleVectorInst>(shuffle.getOperand(0))->getMaskValue(0) ==
         cast<ShuffleVectorInst>(shuffle.getOperand(1))->getMaskValue(0);
}

// One lane of either operand after the other, from the first of a register on, or from its second half.
bool makes_pairs(const ShuffleVectorInst& shuffle) {
  const ArrayRef<int> mask = shuffle.getShuffleMask();
  const int lanes = static_cast<int>(lanes_of(*shuffle.getOperand(0)));
  if (lanes == 0 || lanes_of(shuffle) == 0 || mask[0] < 0 || mask[0] % (kLanes / 2) != 0) return false;
  for (int k = 0; k < static_cast<int>(mask.size()); ++k)
    if (mask[k] != mask[0] + k / 2 + (k % 2) * lanes) return false;
  return true;
}

// What a loop of one block hands on to its next turn.
bool is_of_turns(const Instruction& i) {
  auto* phi = dyn_cast<PHINode>(&i);
  return phi && phi->getNumIncomingValues() == 2 && phi->getBasicBlockIndex(phi->getParent()) >= 0;
}

bool computes_lane_by_lane(const Instruction& i) {
  if (lanes_of(i) == 0) return false;
  if (isa<BinaryOperator, UnaryOperator>(i) || is_of_turns(i)) return true;
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

using Shuffles = SmallSetVector<ShuffleVectorInst*, 8>;

/// What is computed, in a block, of lanes that were taken from pairs, or from records of four, as far as it hangs
/// together.
class Web {
 public:
  /// `candidates`: of all webs. Its own are no longer among them then.
  Web(Instruction& first, Members& candidates, bool of_quarters) : of_quarters_(of_quarters) {
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
    find_results();
  }

  /// Registers' shuffles that are spared, less those that come to it. What a loop begins and ends with is not counted.
  int gain() const {
    int registers = 0;
    SmallPtrSet<const Value*, 8> counted;
    auto count = [&](const Value* v, int times) {
      if (counted.insert(v).second) registers += times * registers_of(*v);
    };
    for (ShuffleVectorInst* source : sources_) {
      count(source, 1);
      if (!of_quarters_) continue;
      for (Value* half : source->operand_values()) count(half, 1);
    }
    for (ShuffleVectorInst* pair : pairs_) count(pair, 1);
    for (ShuffleVectorInst* whole : wholes_) count(whole, 1);
    counted.clear();
    for (Use* use : foreign_operands()) {
      auto* phi = dyn_cast<PHINode>(use->getUser());
      if (!phi || phi->getIncomingBlock(*use) == phi->getParent()) count(use->get(), -1);
    }
    counted.clear();
    for (Instruction* member : members_)
      if (any_of(member->uses(), [&](const Use& use) { return is_foreign(use) && !behind_loop(use); }))
        count(member, -1);
    return registers;
  }

  void put_in_order() {
    for (Use* use : foreign_operands()) {
      auto* user = cast<Instruction>(use->getUser());
      auto* phi = dyn_cast<PHINode>(user);
      IRBuilder<> b(phi ? phi->getIncomingBlock(*use)->getTerminator() : user);
      use->set(b.CreateShuffleVector(use->get(), shuffled(*use->get(), kAsIs, order())));
    }
    for (Instruction* member : members_) give_results(*member);
    for (ShuffleVectorInst* source : sources_) {
      if (of_quarters_)
        for (Use& half : source->operands()) half.set(half_in_order(*cast<ShuffleVectorInst>(half.get())));
      change(*source, of_quarters_ ? kByHalves : kAsIs, order());
    }
    for (auto [half, _] : halves_)
      if (half->use_empty()) half->eraseFromParent();
    for (ShuffleVectorInst* pair : pairs_) change(*pair, order(), of_quarters_ ? kByHalves : kAsIs);
    for (ShuffleVectorInst* whole : wholes_) change(*whole, kByHalves, kAsIs);
  }

 private:
  const Order& order() const { return of_quarters_ ? kByQuarters : kByHalves; }
  static int registers_of(const Value& v) { return static_cast<int>(lanes_of(v)) / kLanes; }

  bool is_member(const Value* v) const {
    auto* i = dyn_cast<Instruction>(v);
    return i && members_.contains(const_cast<Instruction*>(i));
  }
  bool is_foreign(const Use& use) const {
    auto* user = cast<Instruction>(use.getUser());
    if (is_member(user) && computes_lane_by_lane(*user)) return false;
    auto* shuffle = dyn_cast<ShuffleVectorInst>(user);
    return !shuffle || !pairs_.contains(shuffle);
  }

  // Pairs of members; where these are quarters, those that only become records of four.
  void find_results() {
    for (Instruction* member : members_)
      for (User* user : member->users())
        if (auto* shuffle = dyn_cast<ShuffleVectorInst>(user); shuffle && makes_pairs(*shuffle))
          if (all_of(shuffle->operand_values(), [&](Value* v) { return is_member(v); })) pairs_.insert(shuffle);
    if (!of_quarters_) return;
    auto is_whole = [&](const User* user) {
      auto* shuffle = dyn_cast<ShuffleVectorInst>(user);
      return shuffle && makes_pairs(*shuffle) && all_of(shuffle->operands(), [&](const Use& half) {
               auto* pair = dyn_cast<ShuffleVectorInst>(half.get());
               return pair && pairs_.contains(pair);
             });
    };
    while (pairs_.remove_if([&](ShuffleVectorInst* pair) { return !all_of(pair->users(), is_whole); })) {
    }
    for (ShuffleVectorInst* pair : pairs_)
      for (User* user : pair->users()) wholes_.insert(cast<ShuffleVectorInst>(user));
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

  static SmallVector<int, 32> shuffled(const Value& v, const Order& from, const Order& to) {
    SmallVector<int, 32> all(lanes_of(v));
    std::iota(all.begin(), all.end(), 0);
    return reordered(all, from, to);
  }
  static void change(ShuffleVectorInst& shuffle, const Order& operands, const Order& result) {
    shuffle.setShuffleMask(reordered(SmallVector<int, 32>(shuffle.getShuffleMask()), operands, result));
  }

  // Other members' quarters may be taken out of it, too.
  Value* half_in_order(ShuffleVectorInst& half) {
    Value*& made = halves_[&half];
    if (!made)
      made = IRBuilder<>(&half).CreateShuffleVector(half.getOperand(0), half.getOperand(1),
                                                    reordered(half.getShuffleMask(), kAsIs, kByHalves));
    return made;
  }

  // The only way from a loop's block to what its end hands on.
  static bool behind_loop(const Use& use) {
    auto* phi = dyn_cast<PHINode>(use.getUser());
    return phi && phi->getNumIncomingValues() == 1 && phi->getIncomingBlock(0) != phi->getParent() &&
           is_contained(successors(phi->getIncomingBlock(0)), phi->getIncomingBlock(0));
  }

  // In the source's order, for those who are not of the web.
  void give_results(Instruction& member) {
    SmallVector<Use*, 4> uses;
    for (Use& use : member.uses()) {
      if (!is_foreign(use)) continue;
      if (!behind_loop(use)) {
        uses.push_back(&use);
        continue;
      }
      auto* phi = cast<PHINode>(use.getUser());
      IRBuilder<> b(phi->getParent(), phi->getParent()->getFirstInsertionPt());
      Value* own = b.CreateShuffleVector(phi, shuffled(*phi, order(), kAsIs));
      phi->replaceUsesWithIf(own, [&](const Use& other) { return other.getUser() != own; });
    }
    if (uses.empty()) return;
    BasicBlock* block = member.getParent();
    IRBuilder<> b(block, isa<PHINode>(member) ? block->getFirstInsertionPt() : std::next(member.getIterator()));
    Value* own = b.CreateShuffleVector(&member, shuffled(member, order(), kAsIs));
    for (Use* use : uses) use->set(own);
  }

  const bool of_quarters_;
  Members members_;
  SmallVector<ShuffleVectorInst*, 8> sources_;
  Shuffles pairs_, wholes_;                      ///< of members; of pairs
  DenseMap<ShuffleVectorInst*, Value*> halves_;  ///< of quarters, in order
};

bool order_webs(Function& run, bool of_quarters) {
  Members candidates;
  for (Instruction& i : instructions(run))
    if (auto* shuffle = dyn_cast<ShuffleVectorInst>(&i))
      if (of_quarters ? takes_every_fourth(*shuffle) : takes_every_second(*shuffle)) candidates.insert(&i);
  for (size_t k = 0; k < candidates.size(); ++k) add_users(*candidates[k], candidates);
  bool changed = false;
  while (!candidates.empty()) {
    Web web(*candidates.front(), candidates, of_quarters);
    if (web.gain() <= 0) continue;
    web.put_in_order();
    changed = true;
  }
  return changed;
}

}  // namespace

bool order_by_halves(Function& run, const TargetMachine& host) {
  if (!has_avx2_at_most(host)) return false;
  const bool of_quarters = order_webs(run, /*of_quarters=*/true);
  return order_webs(run, /*of_quarters=*/false) || of_quarters;
}

}  // namespace lanza::compiler
