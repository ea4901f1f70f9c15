#include "compiler/passes/vector/widen/record_packs.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/widen/record_shuffles.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

// Which is the same for elements that nobody wants.
static bool has_constant_divisor(const BinaryOperator& division) {
  const APInt* divisor;
  return match(division.getOperand(1), m_APInt(divisor)) && !divisor->isZero() && !divisor->isAllOnes();
}

bool is_elementwise(const Instruction& i) {
  if (!i.getType()->isVectorTy()) return false;
  if (auto* operation = dyn_cast<BinaryOperator>(&i))
    return !operation->isIntDivRem() || has_constant_divisor(*operation);
  if (auto* call = dyn_cast<IntrinsicInst>(&i)) return isTriviallyVectorizable(call->getIntrinsicID());
  if (isa<BitCastInst>(i)) {
    auto* from = dyn_cast<FixedVectorType>(i.getOperand(0)->getType());
    return from && from->getNumElements() == cast<FixedVectorType>(i.getType())->getNumElements();
  }
  return isa<UnaryOperator, CmpInst, SelectInst, FreezeInst, CastInst>(i);
}

namespace {

constexpr size_t kMostPacks = 256;
constexpr unsigned kMostClasses = 4, kDepth = 4;

bool is_splat(const Value* value) { return isa<Constant>(value) || getSplatValue(value); }

/// What units must have in common to be done at once, as far as it can be told by themselves.
struct Kind {
  enum { Constant, Home, Other, Phi, Operation } is = Other;
  const Instruction* example = nullptr;
  SmallVector<bool, 3> splats;  ///< of the operands

  bool operator==(const Kind& other) const {
    if (is != other.is || splats != other.splats) return false;
    if (is == Phi) return example->getParent() == other.example->getParent();
    if (is != Operation) return is != Other;
    return example->getParent() == other.example->getParent() && example->isSameOperationAs(other.example) &&
           callee() == other.callee() && divisor() == other.divisor();
  }
  const Value* divisor() const { return example->isIntDivRem() ? example->getOperand(1) : nullptr; }
  const Function* callee() const {
    auto* call = dyn_cast<CallInst>(example);
    return call ? call->getCalledFunction() : nullptr;
  }
};

Kind kind_of(Value* unit, bool has_home) {
  if (is_splat(unit)) return {Kind::Constant, nullptr, {}};
  if (has_home) return {Kind::Home, nullptr, {}};
  auto* i = dyn_cast<Instruction>(unit);
  if (i && isa<PHINode>(i)) return {Kind::Phi, i, {}};
  if (!i || !is_elementwise(*i)) return {};
  Kind kind{Kind::Operation, i, {}};
  for (Value* operand : i->operands()) kind.splats.push_back(operand->getType()->isVectorTy() && is_splat(operand));
  return kind;
}

Value* first_of(ArrayRef<Value*> units) {
  return *find_if(units, [](Value* unit) { return unit; });
}

/// Operands that are no vectors, and have to be the same for all.
bool have_same_scalars(ArrayRef<Value*> units) {
  auto* first = cast<Instruction>(first_of(units));
  return all_of(units, [&](Value* unit) {
    if (!unit) return true;
    for (unsigned k = 0; k < first->getNumOperands(); ++k) {
      Value *mine = cast<Instruction>(unit)->getOperand(k), *its = first->getOperand(k);
      if (mine->getType() != its->getType() || (!its->getType()->isVectorTy() && mine != its)) return false;
    }
    return true;
  });
}

/// The number that these lanes have, where that is one for all and known as a scalar; else null.
Value* number_of_lanes(Value* vector, int first, int last) {
  Value* number = findScalarElement(vector, first);
  for (int lane = first + 1; number && lane <= last; ++lane)
    if (findScalarElement(vector, lane) != number) return nullptr;
  return number;
}

}  // namespace

RecordPacks::RecordPacks(const DominatorTree& dominators)
    : dominators_(dominators),
      b_(dominators.getRoot()->getContext(), ConstantFolder(),
         IRBuilderCallbackInserter([this](Instruction* i) { made_.push_back(i); })) {
  unsigned position = 0;
  positions_.reserve(dominators.getRoot()->getParent()->getInstructionCount());
  ReversePostOrderTraversal<Function*> order(dominators.getRoot()->getParent());
  for (BasicBlock* block : order)
    for (Instruction& i : *block) positions_[&i] = ++position;
}

bool RecordPacks::replace(CallInst& together) {
  units_ = together.arg_size();
  lanes_ = cast<FixedVectorType>(together.getArgOperand(0)->getType())->getNumElements();
  const Values results = make(Values(together.args()), &together);
  if (packs_.size() > kMostPacks) return false;
  for (User* user : together.users())
    for (Use& use : make_early_inc_range(user->uses())) {
      replaced_.push_back({&use, user});
      use.set(results[cast<ExtractValueInst>(user)->getIndices()[0]]);
    }
  return true;
}

void RecordPacks::discard() {
  for (auto [use, value] : replaced_) use->set(value);
  replaced_.clear();
  for (Instruction* i : made_) i->replaceAllUsesWith(PoisonValue::get(i->getType()));
  for (Instruction* i : reverse(made_)) i->eraseFromParent();
  made_.clear();
}

RecordPacks::Values RecordPacks::make(const Values& wanted, Instruction* before) {
  Values units = wanted;
  for (Value*& unit : units)
    if (unit && isa<UndefValue>(unit)) unit = nullptr;
  if (none_of(units, [](Value* unit) { return unit; })) {
    Type* type = (*find_if(wanted, [](Value* v) { return v; }))->getType();
    return Values(units_, PoisonValue::get(type));
  }
  if (const Pack* known = find(units, before)) return known->vectors;
  Values vectors = packs_.size() > kMostPacks ? put_together(units, before) : make_anew(units, before);
  remember(units, vectors);
  return vectors;
}

const RecordPacks::Pack* RecordPacks::find(const Values& units, Instruction* before) const {
  auto covers = [&](const Pack& pack) {
    for (auto [unit, known] : zip(units, pack.units))
      if (unit && unit != known) return false;
    return is_there(pack, before);
  };
  auto known = find_if(packs_, covers);
  return known == packs_.end() ? nullptr : &*known;
}

RecordPacks::Values RecordPacks::make_anew(const Values& units, Instruction* before) {
  b_.SetInsertPoint(before);
  Value* first = first_of(units);
  SmallVector<Kind, 2> kinds;
  bool all_same = true;
  for (Value* unit : units) {
    if (!unit) continue;
    all_same &= unit == first;
    if (unit == first && !kinds.empty()) continue;
    const Kind kind = kind_of(unit, home_of(unit, before).has_value());
    if (!is_contained(kinds, kind)) kinds.push_back(kind);
  }
  Values result;
  if (kinds.size() > 1) {
    result = classes(units, before);
  } else if (kinds[0].is == Kind::Constant) {
    result = constants(units);
    if (result.empty()) result = splats(units, before);
  } else if (kinds[0].is == Kind::Home) {
    result = from_homes(units, before);
  } else if (all_same && !has_home_beneath(first, before, kDepth)) {
    result = same(first, units, before);
  } else if (kinds[0].is == Kind::Phi) {
    result = phis(units);
  } else if (kinds[0].is == Kind::Operation && have_same_scalars(units)) {
    result = operation(units);
  }
  return result.empty() ? put_together(units, before) : result;
}

RecordPacks::Values RecordPacks::constants(const Values& units) {
  if (any_of(units, [](Value* unit) { return unit && !isa<Constant>(unit); })) return {};
  Type* element = first_of(units)->getType()->getScalarType();
  Values result;
  for (unsigned q = 0; q < units_; ++q) {
    SmallVector<Constant*, 32> elements;
    for (unsigned at = q * lanes_; at < (q + 1) * lanes_; ++at) {
      auto* unit = cast_or_null<Constant>(units[at % units_]);
      elements.push_back(unit ? unit->getAggregateElement(at / units_) : PoisonValue::get(element));
      if (!elements.back()) return {};
    }
    result.push_back(ConstantVector::get(elements));
  }
  return result;
}

// One vector for all, made of the scalars.
RecordPacks::Values RecordPacks::splats(const Values& units, Instruction* before) {
  Value* first = first_of(units);
  if (all_of(units, [&](Value* unit) { return !unit || unit == first; }) && !isa<Constant>(first))
    return Values(units_, first);
  if (lanes_ % units_ || any_of(units, [](Value* unit) { return unit && !getSplatValue(unit); })) return {};
  b_.SetInsertPoint(before);
  Value* pattern = PoisonValue::get(first->getType());
  for (unsigned u = 0; u < units_; ++u)
    if (units[u]) pattern = b_.CreateInsertElement(pattern, getSplatValue(units[u]), u);
  SmallVector<int, 32> mask;
  for (unsigned at = 0; at < lanes_; ++at) mask.push_back(static_cast<int>(at % units_));
  return Values(units_, b_.CreateShuffleVector(pattern, mask));
}

RecordPacks::Values RecordPacks::from_homes(const Values& units, Instruction* before) {
  SmallVector<unsigned, 4> packs;
  SmallVector<int, 16> places(units_, -1);
  Values at_home(units_, nullptr);
  bool moves = false;
  for (unsigned u = 0; u < units_; ++u) {
    if (!units[u]) continue;
    const Home home = *home_of(units[u], before);
    if (at_home[home.place] && at_home[home.place] != units[u]) return {};
    at_home[home.place] = units[u];
    places[u] = static_cast<int>(home.place);
    moves |= home.place != u;
    if (!is_contained(packs, home.pack)) packs.push_back(home.pack);
  }
  if (moves && lanes_ % units_) return {};
  const Values vectors = packs.size() == 1 ? packs_[packs[0]].vectors : blend(at_home, packs, before);
  return moves ? permuted(vectors, places, before) : vectors;
}

// Each lane's value for the whole of its record. Lanes of a row may have one number together.
RecordPacks::Values RecordPacks::same(Value* unit, const Values& units, Instruction* before) {
  if (count_if(units, [](Value* u) { return u; }) < 2) return {};
  b_.SetInsertPoint(before);
  Values result;
  SmallDenseMap<Value*, Value*, 4> splats;
  for (unsigned q = 0; q < units_; ++q) {
    SmallVector<int, 32> mask;
    for (unsigned at = 0; at < lanes_; ++at) mask.push_back(static_cast<int>((q * lanes_ + at) / units_));
    if (Value* number = number_of_lanes(unit, mask.front(), mask.back())) {
      Value*& splat = splats[number];
      if (!splat) splat = b_.CreateVectorSplat(lanes_, number);
      result.push_back(splat);
    } else {
      result.push_back(b_.CreateShuffleVector(unit, mask));
    }
  }
  return result;
}

// Known before what comes in is made: it may lead back here.
RecordPacks::Values RecordPacks::phis(const Values& units) {
  auto* first = cast<PHINode>(first_of(units));
  Values result;
  b_.SetInsertPoint(first);
  for (unsigned q = 0; q < units_; ++q) result.push_back(b_.CreatePHI(first->getType(), first->getNumIncomingValues()));
  remember(units, result);
  for (BasicBlock* from : first->blocks()) {
    if (cast<PHINode>(result[0])->getBasicBlockIndex(from) >= 0) {  // another edge from there
      for (Value* phi : result)
        cast<PHINode>(phi)->addIncoming(cast<PHINode>(phi)->getIncomingValueForBlock(from), from);
      continue;
    }
    Values incoming;
    for (Value* unit : units) incoming.push_back(unit ? cast<PHINode>(unit)->getIncomingValueForBlock(from) : nullptr);
    incoming = make(incoming, from->getTerminator());
    for (auto [phi, value] : zip(result, incoming)) cast<PHINode>(phi)->addIncoming(value, from);
  }
  return result;
}

// Where the last of the units is computed.
RecordPacks::Values RecordPacks::operation(const Values& units) {
  auto* first = cast<Instruction>(first_of(units));
  Instruction* last = first;
  for (Value* unit : units)
    if (unit && last->comesBefore(cast<Instruction>(unit))) last = cast<Instruction>(unit);
  Instruction* behind = last->getNextNode();
  SmallVector<Values, 3> operands;
  for (unsigned k = 0; k < first->getNumOperands(); ++k) {
    Values of_units;
    for (Value* unit : units) of_units.push_back(unit ? cast<Instruction>(unit)->getOperand(k) : nullptr);
    const bool is_vector = first->getOperand(k)->getType()->isVectorTy() && !(k == 1 && first->isIntDivRem());
    operands.push_back(is_vector ? make(of_units, behind) : Values(units_, first->getOperand(k)));
  }
  if (const Pack* made = find(units, behind)) return made->vectors;  // around a loop
  b_.SetInsertPoint(behind);
  b_.SetCurrentDebugLocation(last->getDebugLoc());
  Values result;
  for (unsigned q = 0; q < units_; ++q) {
    Instruction* i = first->clone();
    for (Value* unit : units)
      if (unit) i->andIRFlags(unit);
    for (unsigned k = 0; k < operands.size(); ++k) i->setOperand(k, operands[k][q]);
    result.push_back(b_.Insert(i));
  }
  return result;
}

// One kind after the other, in the order of the code, each with any value in the place of the rest.
RecordPacks::Values RecordPacks::classes(const Values& units, Instruction* before) {
  std::vector<std::pair<Kind, Values>> parts;
  for (unsigned u = 0; u < units_; ++u) {
    if (!units[u]) continue;
    const Kind kind = kind_of(units[u], home_of(units[u], before).has_value());
    auto part = find_if(parts, [&](auto& p) { return p.first == kind || is_contained(p.second, units[u]); });
    if (part == parts.end()) part = parts.insert(part, {kind, Values(units_, nullptr)});
    part->second[u] = units[u];
  }
  if (parts.size() > kMostClasses) return {};
  llvm::stable_sort(parts, [&](auto& a, auto& b) { return position_of(a.second) < position_of(b.second); });
  SmallVector<unsigned, 4> packs;
  for (auto& [kind, part] : parts) {
    const Values vectors = make(part, before);
    packs.push_back(remember(part, vectors));
  }
  return blend(units, packs, before);
}

RecordPacks::Values RecordPacks::put_together(const Values& units, Instruction* before) {
  b_.SetInsertPoint(before);
  Values operands = units, result;
  for (Value*& unit : operands)
    if (!unit) unit = PoisonValue::get(first_of(units)->getType());
  CallInst* together = emit_put_together(b_, operands);
  for (unsigned q = 0; q < units_; ++q) result.push_back(b_.CreateExtractValue(together, q));
  return result;
}

// What was taken apart is at home where it came from.
std::optional<RecordPacks::Home> RecordPacks::home_of(Value* unit, Instruction* before) {
  if (auto* part = dyn_cast<ExtractValueInst>(unit); part && is_take_apart(*part->getAggregateOperand())) {
    auto* apart = cast<CallInst>(part->getAggregateOperand());
    if (apart->arg_size() != units_) return std::nullopt;
    const auto [known, is_new] = aparts_.insert({apart, static_cast<unsigned>(packs_.size())});
    if (is_new) packs_.push_back({Values(units_, nullptr), Values(apart->args())});
    const unsigned place = part->getIndices()[0];
    packs_[known->second].units[place] = unit;
    return Home{known->second, place};
  }
  if (const WordPart part = as_word_part(*unit); part.word && part.parts == units_) return home_in_word(unit, part);
  const auto home = homes_.find(unit);
  if (home == homes_.end() || !is_there(packs_[home->second.pack], before)) return std::nullopt;
  return home->second;
}

// Parts of words lie there as they do in memory.
std::optional<RecordPacks::Home> RecordPacks::home_in_word(Value* unit, const WordPart& part) {
  auto* word = dyn_cast<Instruction>(part.word);
  if (!word || word->isTerminator()) return std::nullopt;
  const auto [known, is_new] = aparts_.insert({word, static_cast<unsigned>(packs_.size())});
  if (is_new) {
    IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(*word->getInsertionPointAfterDef());
    packs_.push_back({Values(units_, nullptr), split_words(b_, *word, units_)});
  }
  packs_[known->second].units[part.unit] = unit;
  return Home{known->second, part.unit};
}

RecordPacks::Values RecordPacks::blend(const Values& units, ArrayRef<unsigned> packs, Instruction* before) {
  b_.SetInsertPoint(before);
  Values result = packs_[packs[0]].vectors;
  for (unsigned pack : drop_begin(packs)) {
    for (unsigned q = 0; q < units_; ++q) {
      SmallVector<Constant*, 32> mask;
      for (unsigned at = 0; at < lanes_; ++at) {
        const unsigned u = (q * lanes_ + at) % units_;
        mask.push_back(b_.getInt1(units[u] && packs_[pack].units[u] == units[u]));
      }
      result[q] = b_.CreateSelect(ConstantVector::get(mask), packs_[pack].vectors[q], result[q]);
    }
  }
  remember(units, result);
  return result;
}

RecordPacks::Values RecordPacks::permuted(const Values& vectors, ArrayRef<int> places, Instruction* before) {
  b_.SetInsertPoint(before);
  SmallVector<int, 32> mask;
  for (unsigned at = 0; at < lanes_; ++at) {
    const int place = places[at % units_];
    mask.push_back(place < 0 ? -1 : static_cast<int>(at / units_ * units_) + place);
  }
  Values result;
  for (Value* vector : vectors) result.push_back(b_.CreateShuffleVector(vector, mask));
  return result;
}

// Whether the value is made of units that are at home, within a few operations.
bool RecordPacks::has_home_beneath(Value* value, Instruction* before, unsigned depth) {
  if (is_splat(value)) return true;
  if (home_of(value, before)) return true;
  auto* i = dyn_cast<Instruction>(value);
  if (depth == 0 || !i || !is_elementwise(*i)) return false;
  return all_of(i->operands(), [&](Value* operand) {
    return isa<Constant>(operand) || !operand->getType()->isVectorTy() || has_home_beneath(operand, before, depth - 1);
  });
}

unsigned RecordPacks::remember(const Values& units, const Values& vectors) {
  const auto pack = static_cast<unsigned>(packs_.size());
  packs_.push_back({units, vectors});
  for (unsigned u = 0; u < units_; ++u)
    if (units[u] && !is_splat(units[u])) homes_.insert({units[u], {pack, u}});
  return pack;
}

bool RecordPacks::is_there(const Pack& pack, const Instruction* before) const {
  return all_of(pack.vectors, [&](Value* vector) {
    auto* i = dyn_cast<Instruction>(vector);
    return !i || dominators_.dominates(i, before);
  });
}

unsigned RecordPacks::position_of(const Values& units) const {
  unsigned last = 0;
  for (Value* unit : units)
    if (auto* i = dyn_cast_or_null<Instruction>(unit)) last = std::max(last, positions_.lookup(i));
  return last;
}

}  // namespace lanza::compiler
