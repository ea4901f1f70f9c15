#include "compiler/passes/vector/scalars/thread_sums.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kDepth = 16;      // of index arithmetic
static constexpr size_t kMostProducts = 8;  // of a sum

static ThreadSums::Sum single(ThreadSums::Product product, ThreadNumbers::Number number) {
  ThreadSums::Sum sum;
  sum.emplace(std::move(product), number);
  return sum;
}

std::optional<unsigned> SharedValues::number_of(Value& v, Extension extension) {
  if (!is_shared_(v)) return std::nullopt;
  const Shared shared{&v, v.getType()->isIntegerTy(64) ? Extension::Sign : extension};
  const auto known = find(values_, shared);
  if (known != values_.end()) return static_cast<unsigned>(known - values_.begin());
  values_.push_back(shared);
  return static_cast<unsigned>(values_.size() - 1);
}

std::optional<ThreadSums::Sum> ThreadSums::offset(Value& address, const Value& base) {
  Sum sum;
  const Value* at = &address;
  while (at != &base) {
    auto* step = dyn_cast<GEPOperator>(at);
    if (!step) return std::nullopt;
    const DataLayout& layout = cast<Instruction>(address).getDataLayout();
    MapVector<Value*, APInt> variable;
    APInt constant(layout.getIndexTypeSizeInBits(step->getType()), 0);
    if (!step->collectOffset(layout, constant.getBitWidth(), variable, constant)) return std::nullopt;
    add(sum, single({}, numbers_.constant(static_cast<uint64_t>(constant.getSExtValue()))), 1);
    for (auto& [index, scale] : variable) {
      const auto part = of(*index, Extension::Sign, kDepth);
      if (!part) return std::nullopt;
      add(sum, *part, scale.getSExtValue());
    }
    at = step->getPointerOperand();
  }
  return sum.size() <= kMostProducts ? std::optional(sum) : std::nullopt;
}

std::optional<ThreadSums::Sum> ThreadSums::of(Value& v, Extension extension, unsigned depth) {
  if (!v.getType()->isIntegerTy() || v.getType()->getIntegerBitWidth() > 64 || depth == 0) return std::nullopt;
  if (const auto number = numbers_.of(v)) return single({}, numbers_.wide(*number, extension == Extension::Sign));
  if (auto* i = dyn_cast<Instruction>(&v))
    if (auto sum = of_operation(*i, extension, depth - 1)) return sum;
  const auto shared = shared_.number_of(v, extension);
  return shared ? std::optional(single({*shared}, numbers_.constant(1))) : std::nullopt;
}

std::optional<ThreadSums::Sum> ThreadSums::of_operation(Instruction& i, Extension extension, unsigned depth) {
  if (isa<SExtInst>(i)) return of(*i.getOperand(0), Extension::Sign, depth);
  if (auto* zero = dyn_cast<ZExtInst>(&i))
    return of(*i.getOperand(0), zero->hasNonNeg() ? Extension::Sign : Extension::Zero, depth);
  if (!i.getType()->isIntegerTy(64) && !keeps_sum(i, extension)) return std::nullopt;
  const bool is_sum = i.getOpcode() == Instruction::Add || i.getOpcode() == Instruction::Sub ||
                      (i.getOpcode() == Instruction::Or && keeps_sum(i, extension));
  if (!is_sum && i.getOpcode() != Instruction::Mul && i.getOpcode() != Instruction::Shl) return std::nullopt;
  auto a = of(*i.getOperand(0), extension, depth);
  if (!a) return std::nullopt;
  if (i.getOpcode() == Instruction::Shl) {
    auto* by = dyn_cast<ConstantInt>(i.getOperand(1));
    if (!by || by->getValue().uge(32)) return std::nullopt;
    Sum sum;
    add(sum, *a, int64_t{1} << by->getZExtValue());
    return sum;
  }
  const auto b = of(*i.getOperand(1), extension, depth);
  if (!b) return std::nullopt;
  if (!is_sum) return product(*a, *b);
  add(*a, *b, i.getOpcode() == Instruction::Sub ? -1 : 1);
  return a;
}

std::optional<ThreadSums::Sum> ThreadSums::product(const Sum& a, const Sum& b) {
  Sum result;
  for (const auto& [of_a, x] : a)
    for (const auto& [of_b, y] : b) {
      Product both(of_a);
      append_range(both, of_b);
      sort(both);
      add(result, single(std::move(both), numbers_.product(x, y)), 1);
    }
  return result.size() <= kMostProducts ? std::optional(result) : std::nullopt;
}

void ThreadSums::add(Sum& sum, const Sum& other, int64_t times) {
  for (const auto& [product, number] : other) {
    const auto more = times == 1 ? number : numbers_.product(number, static_cast<uint64_t>(times));
    const auto [known, is_new] = sum.try_emplace(product, more);
    if (!is_new) known->second = numbers_.sum(known->second, more);
  }
}

Value* SharedProducts::of(const ThreadSums::Product& product) {
  Value*& value = known_[product];
  if (value) return value;
  value = builder().getInt64(1);
  for (const unsigned n : product) {
    const SharedValues::Shared& shared = shared_[n];
    value = builder().CreateMul(value, shared.value->getType()->isIntegerTy(64)
                                           ? place_.copy(shared.value)
                                           : place_.wide(shared.value, shared.extension));
  }
  return value;
}

}  // namespace lanza::compiler
