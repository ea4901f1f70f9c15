#include "compiler/passes/vector/run/lane_places.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

bool is_constant(const Value* index, Extension extension, int64_t& number) {
  const APInt* constant;
  if (!match(index, m_APInt(constant))) return false;
  number = extension == Extension::Unsigned ? static_cast<int64_t>(constant->getZExtValue()) : constant->getSExtValue();
  return true;
}

// Whether the extended sum is the sum of what is extended.
bool can_be_split(const Value* index, Extension extension, const Value*& a, const Value*& b) {
  Value *x, *y;
  const bool is_or = match(index, m_DisjointOr(m_Value(x), m_Value(y)));
  if (!is_or && !match(index, m_Add(m_Value(x), m_Value(y)))) return false;
  a = x, b = y;
  if (extension == Extension::None || is_or) return true;  // at most one of the two has a sign, which is the sum's
  auto* sum = cast<OverflowingBinaryOperator>(index);
  return extension == Extension::Signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap();
}

// As number + a - b, extended each, a null if there is none: what goes backwards is x - y, or a constant less y where
// all bits of y and of the constant's complement are apart (`~y`, of which known bits were folded away).
bool is_difference(const Value* index, Extension extension, int64_t& number, const Value*& a, const Value*& b) {
  Value *x = nullptr, *y = nullptr;
  const APInt* bits;
  if (extension == Extension::Unsigned) return false;
  number = 0;
  if (match(index, m_Xor(m_Value(y), m_APInt(bits)))) {
    auto* i = dyn_cast<Instruction>(index);
    if (!i || !(~*bits).isSubsetOf(computeKnownBits(y, i->getDataLayout()).Zero)) return false;
    number = bits->getSExtValue();
  } else if (!match(index, m_Sub(m_Value(x), m_Value(y))) ||
             (extension == Extension::Signed && !cast<OverflowingBinaryOperator>(index)->hasNoSignedWrap())) {
    return false;
  }
  a = x, b = y;
  return true;
}

void add_index(const Value* index, Extension extension, int64_t scale, Place& place) {
  if (const Value* same = index->getType()->isVectorTy() ? getSplatValue(index) : nullptr) index = same;
  Value* inner;
  if (extension == Extension::None && match(index, m_ZExtOrSExt(m_Value(inner))))
    return add_index(inner, isa<SExtInst>(index) ? Extension::Signed : Extension::Unsigned, scale, place);
  int64_t number;
  const Value *a, *b;
  if (is_constant(index, extension, number)) {
    place.bytes += number * scale;
  } else if (is_difference(index, extension, number, a, b)) {
    place.bytes += number * scale;
    if (a) add_index(a, extension, scale, place);
    add_index(b, extension, -scale, place);
  } else if (can_be_split(index, extension, a, b)) {
    add_index(a, extension, scale, place);
    add_index(b, extension, scale, place);
  } else {
    place.terms.push_back({index, extension, scale});
  }
}

}  // namespace

Place place_of(const Value* address, const DataLayout& layout) {
  Place place;
  while (auto* step = dyn_cast<GEPOperator>(address)) {
    if (step->getType()->isVectorTy()) {
      if (step->getNumIndices() != 1) break;
      const auto size = static_cast<int64_t>(layout.getTypeAllocSize(step->getSourceElementType()));
      add_index(step->getOperand(1), Extension::None, size, place);
    } else {
      MapVector<Value*, APInt> variable;
      APInt constant(64, 0);
      if (!step->collectOffset(layout, 64, variable, constant)) break;
      place.bytes += constant.getSExtValue();
      for (auto& [index, scale] : variable) add_index(index, Extension::None, scale.getSExtValue(), place);
    }
    address = step->getPointerOperand();
  }
  place.terms.push_back({address, Extension::None, 1});
  llvm::sort(place.terms);
  return place;
}

}  // namespace lanza::compiler
