#include "compiler/passes/vector/scalars/tile_sources.hpp"

#include <algorithm>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/vector/analysis/address_terms.hpp"
#include "compiler/passes/vector/scalars/tile_accesses.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr uint64_t kMostChecks = 1 << 14;  // of elements that one load may read
constexpr int64_t kLine = 64;              // bytes of the cache
constexpr uint64_t kWidestElement = 4;     // bytes, as of read_through()

/// What a thread's number must be, or not, to take a way.
struct Condition {
  ThreadNumbers::Number number;
  SmallVector<uint64_t, 2> values;
  bool is_one;

  bool holds(const ThreadNumbers& numbers) const { return is_contained(values, numbers[number]) == is_one; }
};
using Conditions = SmallVector<Condition, 4>;

// Of a question with several parts, all of which must hold (or none, for the other way), those that threads' indices
// answer count by themselves.
bool find_condition(Value& question, bool is_true, ThreadNumbers& numbers, Conditions& conditions) {
  Value *a = nullptr, *b = nullptr;
  if (is_true ? match(&question, m_LogicalAnd(m_Value(a), m_Value(b)))
              : match(&question, m_LogicalOr(m_Value(a), m_Value(b)))) {
    const bool first = find_condition(*a, is_true, numbers, conditions);
    return find_condition(*b, is_true, numbers, conditions) && first;
  }
  const auto number = numbers.of(question);
  if (number) conditions.push_back({*number, {1}, is_true});
  return number.has_value();
}

bool find_condition(const Instruction& fork, const BasicBlock& way, ThreadNumbers& numbers, Conditions& conditions) {
  if (auto* branch = dyn_cast<BranchInst>(&fork)) {
    if (branch->isUnconditional()) return true;
    return find_condition(*branch->getCondition(), branch->getSuccessor(0) == &way, numbers, conditions);
  }
  auto* choice = dyn_cast<SwitchInst>(&fork);
  const auto number = choice ? numbers.of(*choice->getCondition()) : std::nullopt;
  if (!number) return false;
  Condition condition{*number, {}, choice->getDefaultDest() != &way};
  for (const auto& one : choice->cases())
    if ((one.getCaseSuccessor() == &way) == condition.is_one)
      condition.values.push_back(one.getCaseValue()->getZExtValue());
  conditions.push_back(std::move(condition));
  return true;
}

// What threads' indices say on the way to the block. False: they are not all that decides.
bool find_conditions(const KernelPart& part, const BasicBlock& block, ThreadNumbers& numbers, Conditions& conditions) {
  bool all = true;
  for (const BasicBlock* at = &block; at != part.begin;) {
    if (const BasicBlock* before = at->getSinglePredecessor()) {
      all &= find_condition(*before->getTerminator(), *at, numbers, conditions);
      at = before;
    } else {
      const BasicBlock* fork = part.dominators.getNode(at)->getIDom()->getBlock();
      all &= part.post_dominators.dominates(at, fork);
      at = fork;
    }
  }
  return all;
}

template <typename Offset>
int64_t factor_of(const Offset& offset, const ThreadSums::Product& product) {
  const auto found = offset.find(product);
  return found == offset.end() ? 0 : found->second;
}

// Of the load's first place in the tile.
int64_t begin_of(const TileSources::Source& source) {
  int64_t offset = source.constant;
  for (const auto& term : source.terms) offset += term.factor * term.begin;
  return offset;
}

int64_t size_of(Instruction& access) {
  return static_cast<int64_t>(access.getDataLayout().getTypeStoreSize(getLoadStoreType(&access)).getFixedValue());
}

}  // namespace

bool TileSources::run(StoreInst& store) {
  BasicBlock& block = *store.getParent();
  auto* copy = dyn_cast<LoadInst>(store.getValueOperand());
  if (!copy || copy->getParent() != &block || !part_.is_alone(block)) return false;
  const Value *base = object_of(copy->getPointerOperand()), *tile = object_of(store.getPointerOperand());
  if (!isa<Argument>(base) || size_of(*copy) > static_cast<int64_t>(kWidestElement)) return false;
  ThreadNumbers numbers(block);
  ThreadSums sums(shared_, numbers);
  const auto place = sums.offset(*store.getPointerOperand(), *tile);
  const auto from = sums.offset(*copy->getPointerOperand(), *base);
  Conditions conditions;
  if (!place || !from || !find_conditions(part_, block, numbers, conditions) || !numbers.can_run()) return false;
  if (any_of(*place, [](const auto& part) { return !part.first.empty(); })) return false;
  align_ = std::min(align_, copy->getAlign());
  return numbers.run(part_.block, kMostTurnsOfCopy, [&] {
    if (!all_of(conditions, [&](const Condition& c) { return c.holds(numbers); })) return true;
    int64_t at = 0;
    for (const auto& [product, number] : *place) at += static_cast<int64_t>(numbers[number]);
    Factors offset;
    for (const auto& [product, number] : *from)
      if (const auto factor = static_cast<int64_t>(numbers[number])) offset[product] = factor;
    return at % size_of(*copy) == 0 && note(at, {base, copy->getType(), std::move(offset)});
  });
}

// Several may copy an element, if from the same place. All elements are of one type.
bool TileSources::note(int64_t at, Element element) {
  const auto [known, is_new] = elements_.try_emplace(at, element);
  const Element& other = known->second;
  return element.type == elements_.begin()->second.type &&
         (is_new || (other.base == element.base && other.offset == element.offset));
}

std::optional<TileSources::Source> TileSources::source_of(LoadInst& load) {
  Source source;
  if (!find_terms(load, source) || !fit(source, load.getType()) || !reads_neighbours(source, size_of(load)))
    return std::nullopt;
  return source;
}

bool TileSources::find_terms(LoadInst& load, Source& source) {
  const auto threads = threads_of(*load.getParent());
  if (!threads) return false;
  const AddressTerms terms = terms_of(load.getPointerOperand(), load.getDataLayout());
  source.constant = static_cast<int64_t>(terms.constant);
  for (const AddressTerms::Term& term : terms.terms) {
    if (auto* f = dyn_cast<Function>(term.value); f && f->getName() == kSharedBase && term.factor == 1) continue;
    if (term.factor > kMostChecks) return false;
    const auto factor = static_cast<int64_t>(term.factor);
    if (const auto axis = thread_axis(term.value)) {
      const auto first = static_cast<int64_t>(threads->first[*axis]), last = static_cast<int64_t>(threads->last[*axis]);
      source.terms.push_back({nullptr, *axis, first, last + 1, factor});
      continue;
    }
    const auto range = range_of(*term.value);
    if (!range || (range->first < 0 && term.extension == AddressTerms::Zero)) return false;
    source.terms.push_back({const_cast<Value*>(term.value), 0, range->first, range->second, factor});
  }
  return true;
}

// Of a value that is not made of the thread's indices, to one behind its last; nothing: who knows.
std::optional<std::pair<int64_t, int64_t>> TileSources::range_of(const Value& v) {
  if (!isa<Instruction>(v) || !v.getType()->isIntegerTy() || Origins(v).threads) return std::nullopt;
  ScalarEvolution& evolution = part_.evolution;
  const ConstantRange range = evolution.getSignedRange(evolution.getSCEV(const_cast<Value*>(&v)));
  constexpr auto most = static_cast<int64_t>(kMostChecks);
  if (range.getSignedMax().sgt(most) || range.getSignedMin().slt(-most)) return std::nullopt;
  return std::pair(range.getSignedMin().getSExtValue(), range.getSignedMax().getSExtValue() + 1);
}

// The indices of those that may come to the block, from the least to the greatest; none: nobody does.
std::optional<TileSources::Threads> TileSources::threads_of(BasicBlock& block) const {
  ThreadNumbers numbers(block);
  Conditions conditions;
  find_conditions(part_, block, numbers, conditions);
  const std::array<ThreadNumbers::Number, 3> indices{numbers.index(0), numbers.index(1), numbers.index(2)};
  Threads threads{{0, 0, 0}, {part_.block[0] - 1, part_.block[1] - 1, part_.block[2] - 1}};
  if (!part_.is_alone(block) || !numbers.can_run()) return threads;
  std::swap(threads.first, threads.last);
  bool any = false;
  const bool ran = numbers.run(part_.block, kMostTurnsOfCopy, [&] {
    if (!all_of(conditions, [&](const Condition& c) { return c.holds(numbers); })) return true;
    any = true;
    for (unsigned axis = 0; axis < 3; ++axis) {
      threads.first[axis] = std::min(threads.first[axis], numbers[indices[axis]]);
      threads.last[axis] = std::max(threads.last[axis], numbers[indices[axis]]);
    }
    return true;
  });
  return ran && any ? std::optional(threads) : std::nullopt;
}

// From the first element and its neighbours along each term; then all are compared.
bool TileSources::fit(Source& source, const Type* type) {
  const int64_t begin = begin_of(source);
  const Element* first = element(begin, type);
  if (!first) return false;
  source.base = first->base;
  for (const auto& [product, factor] : first->offset) source.fits.try_emplace(product);
  SmallVector<const Element*, 4> next;
  uint64_t all = 1;
  for (const Source::Term& term : source.terms) {
    const auto values = static_cast<uint64_t>(term.end - term.begin);
    next.push_back(values > 1 ? element(begin + term.factor, type) : first);
    all *= values;
    if (!next.back() || all > kMostChecks) return false;
    for (const auto& [product, factor] : next.back()->offset) source.fits.try_emplace(product);
  }
  for (auto& [product, fit] : source.fits) {
    fit.constant = factor_of(first->offset, product);
    for (size_t t = 0; t < next.size(); ++t) {
      fit.factors.push_back(factor_of(next[t]->offset, product) - factor_of(first->offset, product));
      fit.constant -= fit.factors[t] * source.terms[t].begin;
    }
  }
  return all_of(seq<uint64_t>(0, all), [&](uint64_t n) { return holds(source, type, n); });
}

// For the n-th values of the terms.
bool TileSources::holds(const Source& source, const Type* type, uint64_t n) {
  int64_t offset = source.constant;
  SmallVector<int64_t, 4> at;
  for (const Source::Term& term : source.terms) {
    const auto values = static_cast<uint64_t>(term.end - term.begin);
    at.push_back(term.begin + static_cast<int64_t>(n % values));
    n /= values;
    offset += term.factor * at.back();
  }
  const Element* read = element(offset, type);
  if (!read || read->base != source.base) return false;
  if (any_of(read->offset, [&](const auto& part) { return !source.fits.contains(part.first); })) return false;
  std::vector<int64_t> row;
  int64_t start = 0;
  for (const auto& [product, fit] : source.fits) {
    int64_t value = fit.constant, beside_thread = fit.constant, beside_x = fit.constant;
    for (size_t t = 0; t < at.size(); ++t) {
      const Source::Term& term = source.terms[t];
      value += fit.factors[t] * at[t];
      if (term.value) beside_thread += fit.factors[t] * at[t];
      if (term.value || term.axis != 0) beside_x += fit.factors[t] * at[t];
    }
    if (value != factor_of(read->offset, product)) return false;
    if (product.empty())
      start = beside_x;
    else
      row.push_back(beside_thread);
  }
  rows_.insert(std::move(row));
  starts_.insert((start % kLine + kLine) % kLine);
  return true;
}

// Whether threads along x read one address, or neighbours.
bool TileSources::reads_neighbours(const Source& source, int64_t size) {
  for (size_t t = 0; t < source.terms.size(); ++t) {
    if (source.terms[t].value || source.terms[t].axis != 0) continue;
    for (const auto& [product, fit] : source.fits)
      if (fit.factors[t] != 0 && (!product.empty() || fit.factors[t] != size)) return false;
  }
  return true;
}

const TileSources::Element* TileSources::element(int64_t offset, const Type* type) const {
  const auto found = elements_.find(offset);
  return found == elements_.end() || found->second.type != type ? nullptr : &found->second;
}

}  // namespace lanza::compiler
