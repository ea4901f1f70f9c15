#include "compiler/passes/vector/scalars/tile_copies.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostTurns = 64;
constexpr int64_t kMostElements = 1 << 14;
constexpr uint64_t kMostChecks = 1 << 14;

// Of the loop that is that block, if it is one.
bool is_of_loop(const Value& v, BasicBlock& block) {
  auto* i = dyn_cast<Instruction>(&v);
  return i && i->getParent() == &block && is_contained(successors(&block), &block);
}

bool is_sum(const Value& v) { return v.getType()->isIntegerTy() && match(&v, m_AddLike(m_Value(), m_Value())); }

/// The parts of sums of sums.
void flatten(Value& v, SmallVectorImpl<Value*>& parts) {
  if (!is_sum(v)) return parts.push_back(&v);
  for (Value* operand : cast<Instruction>(v).operands()) flatten(*operand, parts);
}

// No part is negative, and no sum of them is.
bool is_of_positive_parts(const Value& v) {
  if (!is_sum(v)) return true;
  auto& i = cast<Instruction>(v);
  const bool wraps = i.getOpcode() == Instruction::Add && !(i.hasNoUnsignedWrap() && i.hasNoSignedWrap());
  return !wraps && all_of(i.operands(), [](const Use& use) { return is_of_positive_parts(*use); });
}

}  // namespace

TileCopy::TileCopy(StoreInst& store, const Value& array, std::array<unsigned, 3> block)
    : store_(store),
      load_(dyn_cast<LoadInst>(store.getValueOperand())),
      array_(array),
      block_(block),
      numbers_(*store.getParent()) {}

bool TileCopy::run(const BlockUniformity& uniformity) {
  if (!load_ || load_->getParent() != store_.getParent()) return false;
  const DataLayout& layout = store_.getDataLayout();
  place_ = numbers_.constant(0);
  for (const Value* address = store_.getPointerOperand(); address != &array_;) {
    auto* step = dyn_cast<GEPOperator>(address);
    if (!step) return false;
    MapVector<Value*, APInt> variable;
    APInt constant(layout.getIndexTypeSizeInBits(step->getType()), 0);
    if (!step->collectOffset(layout, constant.getBitWidth(), variable, constant)) return false;
    place_ = numbers_.sum(place_, numbers_.constant(static_cast<uint64_t>(constant.getSExtValue())));
    for (auto& [index, scale] : variable) {
      const auto number = index->getType()->isIntegerTy(64) ? numbers_.of(*index) : std::nullopt;
      if (!number) return false;
      place_ = numbers_.sum(place_, numbers_.product(*number, static_cast<uint64_t>(scale.getSExtValue())));
    }
    address = step->getPointerOperand();
  }
  return find_leaves(*load_->getPointerOperand(), uniformity) && !leaves_.empty() && numbers_.can_run() && run_all();
}

bool TileCopy::find_leaves(Value& v, const BlockUniformity& uniformity) {
  auto* i = dyn_cast<Instruction>(&v);
  if (!i || leaf_of_.contains(i)) return true;
  auto add_leaf = [&](ThreadNumbers::Number number) {
    leaf_of_[i] = static_cast<unsigned>(leaves_.size());
    leaves_.push_back(number);
  };
  if (const auto number = numbers_.of(v)) return add_leaf(*number), true;
  if (!is_of_loop(v, *store_.getParent()) && uniformity.is_uniform(*i)) return true;
  if (isa<PHINode, CallInst>(i) || i->mayReadOrWriteMemory()) return false;
  if (!is_sum(v)) return all_of(i->operands(), [&](Use& use) { return find_leaves(*use, uniformity); });
  SmallVector<Value*, 4> parts;
  flatten(v, parts);
  std::optional<ThreadNumbers::Number> of_thread;
  Values others;
  for (Value* part : parts) {
    const auto number = numbers_.of(*part);
    if (!number)
      others.push_back(part);
    else
      of_thread = of_thread ? numbers_.sum(*of_thread, *number) : *number;
  }
  if (!of_thread) return all_of(i->operands(), [&](Use& use) { return find_leaves(*use, uniformity); });
  add_leaf(*of_thread);
  others_[i] = others;
  return all_of(others, [&](Value* other) { return find_leaves(*other, uniformity); });
}

bool TileCopy::run_all() {
  const auto size = static_cast<int64_t>(store_.getDataLayout().getTypeStoreSize(load_->getType()).getFixedValue());
  element_of_.assign(static_cast<size_t>(kMostElements), -1);
  return numbers_.run(block_, kMostTurns, [&] {
    const auto offset = static_cast<int64_t>(numbers_[place_]);
    return offset >= 0 && offset % size == 0 && offset / size < kMostElements && note(offset / size);
  });
}

bool TileCopy::note(int64_t place) {
  int& element = element_of_[static_cast<size_t>(place)];
  if (element >= 0) return false;  // by two threads
  element = static_cast<int>(copied_.size());
  for (const ThreadNumbers::Number leaf : leaves_) copied_.push_back(static_cast<int64_t>(numbers_[leaf]));
  return true;
}

const int64_t* TileCopy::copied(int64_t offset) const {
  const auto size = static_cast<int64_t>(store_.getDataLayout().getTypeStoreSize(load_->getType()).getFixedValue());
  if (offset < 0 || offset % size != 0 || offset / size >= kMostElements) return nullptr;
  const int element = element_of_[static_cast<size_t>(offset / size)];
  return element < 0 ? nullptr : &copied_[static_cast<size_t>(element)];
}

// From the first element and its neighbours along each term; then all are compared.
std::optional<TileCopy::Fits> TileCopy::fit(ArrayRef<Term> terms, int64_t constant) const {
  const int64_t* first = copied(constant);
  uint64_t all = 1;
  for (const Term& term : terms) {
    if (term.end > kMostChecks) return std::nullopt;
    all *= term.end;
    if (all > kMostChecks) return std::nullopt;
  }
  if (!first) return std::nullopt;
  Fits fits(leaves_.size());
  for (size_t leaf = 0; leaf < fits.size(); ++leaf) fits[leaf].constant = first[leaf];
  for (const Term& term : terms) {
    const int64_t* next = term.end > 1 ? copied(constant + term.factor) : first;
    if (!next) return std::nullopt;
    for (size_t leaf = 0; leaf < fits.size(); ++leaf) fits[leaf].factors.push_back(next[leaf] - first[leaf]);
  }
  SmallVector<uint64_t, 4> at(terms.size(), 0);
  for (uint64_t n = 0; n < all; ++n) {
    uint64_t rest = n;
    int64_t offset = constant;
    for (size_t t = 0; t < terms.size(); ++t) {
      at[t] = rest % terms[t].end, rest /= terms[t].end;
      offset += terms[t].factor * static_cast<int64_t>(at[t]);
    }
    const int64_t* element = copied(offset);
    if (!element) return std::nullopt;
    for (size_t leaf = 0; leaf < fits.size(); ++leaf) {
      int64_t value = fits[leaf].constant;
      for (size_t t = 0; t < terms.size(); ++t) value += fits[leaf].factors[t] * static_cast<int64_t>(at[t]);
      if (value != element[leaf]) return std::nullopt;
    }
  }
  return fits;
}

bool TileCopy::has_source(ArrayRef<Term> terms, int64_t constant) const {
  const auto fits = fit(terms, constant);
  if (!fits) return false;
  const auto size = static_cast<int64_t>(store_.getDataLayout().getTypeStoreSize(load_->getType()).getFixedValue());
  const auto step = times_of_x(*load_->getPointerOperand(), terms, *fits);
  return step && (*step == 0 || *step == size);
}

// How many times a value holds the reading thread's threadIdx.x, of an address in bytes, as if no sum wrapped.
std::optional<int64_t> TileCopy::times_of_x(Value& v, ArrayRef<Term> terms, const Fits& fits) const {
  auto* i = dyn_cast<Instruction>(&v);
  if (!i) return 0;
  int64_t times = 0;
  const auto leaf = leaf_of_.find(i);
  if (leaf != leaf_of_.end())
    for (size_t t = 0; t < terms.size(); ++t) {
      const int64_t factor = fits[leaf->second].factors[t];
      if (factor != 0 && terms[t].goes_by_x && !terms[t].is_x) return std::nullopt;
      times += terms[t].is_x ? factor : 0;
    }
  auto add = [&](Value& part, int64_t factor) {
    const auto of_part = times_of_x(part, terms, fits);
    times += of_part.value_or(0) * factor;
    return of_part.has_value();
  };
  if (const auto others = others_.find(i); others != others_.end())
    return all_of(others->second, [&](Value* other) { return add(*other, 1); }) ? std::optional(times) : std::nullopt;
  if (leaf != leaf_of_.end() || isa<PHINode, CallInst, LoadInst>(i)) return times;
  if (auto* address = dyn_cast<GetElementPtrInst>(i)) {
    if (address->getNumIndices() != 1) return std::nullopt;
    const auto size = static_cast<int64_t>(i->getDataLayout().getTypeAllocSize(address->getSourceElementType()));
    return add(*address->getPointerOperand(), 1) && add(*address->getOperand(1), size) ? std::optional(times)
                                                                                       : std::nullopt;
  }
  if (isa<SExtInst, ZExtInst>(i) || is_sum(v))
    return all_of(i->operands(), [&](Use& use) { return add(*use, 1); }) ? std::optional(times) : std::nullopt;
  const bool goes_by_x = any_of(i->operands(), [&](Use& use) { return times_of_x(*use, terms, fits) != 0; });
  return goes_by_x ? std::nullopt : std::optional<int64_t>(0);
}

Value* TileCopy::emit_source(IRBuilder<>& b, ArrayRef<Term> terms, int64_t constant) const {
  return emit(b, *load_->getPointerOperand(), terms, *fit(terms, constant));
}

Value* TileCopy::emit(IRBuilder<>& b, Value& v, ArrayRef<Term> terms, const Fits& fits) const {
  auto* i = dyn_cast<Instruction>(&v);
  if (!i) return &v;
  const auto leaf = leaf_of_.find(i);
  if (leaf != leaf_of_.end()) {
    Value* sum = emit(b, v.getType(), terms, fits[leaf->second]);
    const auto others = others_.find(i);
    if (others == others_.end()) return sum;
    const bool positive = is_of_positive_parts(v);
    for (Value* other : others->second) sum = b.CreateAdd(emit(b, *other, terms, fits), sum, "", positive, positive);
    return sum;
  }
  if (isa<PHINode, CallInst, LoadInst>(i)) return i;
  SmallVector<Value*, 4> operands;
  bool differs = is_of_loop(v, *store_.getParent());
  for (Value* operand : i->operands()) {
    operands.push_back(emit(b, *operand, terms, fits));
    differs |= operands.back() != operand;
  }
  if (!differs) return i;
  Instruction* copy = i->clone();
  for (auto [n, operand] : enumerate(operands)) copy->setOperand(static_cast<unsigned>(n), operand);
  return b.Insert(copy);
}

Value* TileCopy::emit(IRBuilder<>& b, Type* type, ArrayRef<Term> terms, const Fit& fit) {
  const bool positive = fit.constant >= 0 && all_of(fit.factors, [](int64_t factor) { return factor >= 0; });
  Value* sum = nullptr;
  auto add = [&](Value* part) { sum = sum ? b.CreateAdd(sum, part, "", positive, positive) : part; };
  for (size_t t = 0; t < terms.size(); ++t) {
    if (fit.factors[t] == 0) continue;
    Value* part = b.CreateZExtOrTrunc(terms[t].value, type);
    add(fit.factors[t] == 1 ? part
                            : b.CreateMul(part, ConstantInt::getSigned(type, fit.factors[t]), "", positive, positive));
  }
  if (!sum || fit.constant != 0) add(ConstantInt::getSigned(type, fit.constant));
  return sum;
}

}  // namespace lanza::compiler
