#include "compiler/passes/vector/run/sorts_for_one.hpp"

#include <array>

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/cost_notes.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// Minima and maxima that the shortest known networks for medians take (N. Devillard, "Fast median search", 1998).
struct Network {
  size_t numbers, extrema;
};
constexpr std::array kNetworks{Network{3, 4}, Network{5, 10}, Network{7, 20}, Network{9, 30}};

/// Of a choice of one of two numbers the comparison that makes it: an extremum.
CmpInst* comparison_of(Instruction& i) {
  auto* choice = dyn_cast<SelectInst>(&i);
  auto* comparison = choice ? dyn_cast<CmpInst>(choice->getCondition()) : nullptr;
  if (!comparison || comparison->isEquality()) return nullptr;
  const Value *a = comparison->getOperand(0), *b = comparison->getOperand(1);
  const Value *yes = choice->getTrueValue(), *no = choice->getFalseValue();
  return (a == yes && b == no) || (a == no && b == yes) ? comparison : nullptr;
}

bool is_extremum(Instruction& i) {
  if (!i.getType()->isVectorTy()) return false;
  if (isa<MinMaxIntrinsic>(i) || comparison_of(i)) return true;
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return call && (call->getIntrinsicID() == Intrinsic::minnum || call->getIntrinsicID() == Intrinsic::maxnum);
}

std::pair<Value*, Value*> numbers_of(Instruction& extremum) {
  if (auto* choice = dyn_cast<SelectInst>(&extremum)) return {choice->getTrueValue(), choice->getFalseValue()};
  return {extremum.getOperand(0), extremum.getOperand(1)};
}

/// Extrema of each other.
struct Sort {
  Instruction* first = nullptr;
  SmallPtrSet<Value*, 32> numbers;
  size_t extrema = 0, results = 0;
};

class Sorts {
 public:
  explicit Sorts(BasicBlock& block) {
    for (Instruction& i : block)
      if (is_extremum(i)) extrema_.insert(&i);
    for (Instruction& i : block)
      if (extrema_.contains(&i)) join(i);
  }

  void note() {
    MapVector<Instruction*, Sort> sorts;
    for (Instruction* i : reverse(order_)) {
      const bool is_result = any_of(i->users(), [&](User* user) { return !is_of_sort(*user); });
      if (!is_result && !wanted_.contains(i)) continue;
      Sort& sort = sorts[together_.getLeaderValue(i)];
      sort.first = i;
      sort.results += is_result;
      ++sort.extrema;
      const auto [a, b] = numbers_of(*i);
      for (Value* number : {a, b}) (extrema_.contains(number) ? wanted_ : sort.numbers).insert(number);
    }
    for (const auto& [leader, sort] : sorts) note(sort);
  }

 private:
  void join(Instruction& i) {
    order_.push_back(&i);
    together_.insert(&i);
    const auto [a, b] = numbers_of(i);
    for (Value* number : {a, b})
      if (extrema_.contains(number)) together_.unionSets(&i, cast<Instruction>(number));
  }

  // The comparison of an extremum asks for numbers, too; one that nobody looks at has not been dropped yet.
  bool is_of_sort(User& user) const {
    return extrema_.contains(&user) ||
           (isa<CmpInst>(user) && all_of(user.users(), [&](User* choice) {
              return extrema_.contains(choice) && comparison_of(*cast<Instruction>(choice)) == &user;
            }));
  }

  static void note(const Sort& sort) {
    const size_t numbers = sort.numbers.size();
    const auto* network = find_if(kNetworks, [&](const Network& n) { return n.numbers >= numbers; });
    if (sort.results != 1 || network == kNetworks.end() || sort.extrema <= network->extrema) return;
    Instruction& first = *sort.first;
    CmpInst* comparison = comparison_of(first);
    const bool shows_nan = first.getType()->isFPOrFPVectorTy();
    note_cost(comparison ? *comparison : first, kSortCost,
              "the source's comparisons of " + Twine(numbers) + " numbers are done as they are" +
                  (shows_nan ? ", as NaN would show others" : "") + ": " + Twine(sort.extrema) +
                  " minima and maxima; a network made for one element takes " + Twine(network->extrema) +
                  ", even for the median");
  }

  SmallPtrSet<Value*, 32> extrema_, wanted_;
  SmallVector<Instruction*, 32> order_;
  EquivalenceClasses<Instruction*> together_;
};

}  // namespace

void note_sorts_for_one(Function& kernel) {
  for (BasicBlock& block : kernel) Sorts(block).note();
}

}  // namespace lanza::compiler
