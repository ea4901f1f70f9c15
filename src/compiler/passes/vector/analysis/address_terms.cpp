#include "compiler/passes/vector/analysis/address_terms.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

using Extension = AddressTerms::Extension;

class Collector {
 public:
  Collector(const DataLayout& layout, function_ref<bool(const Value*)> keeps_high_bits)
      : layout_(layout), keeps_high_bits_(keeps_high_bits) {}

  void add(const Value* value, Extension extension, uint64_t factor, unsigned depth = 0) {
    if (auto* number = dyn_cast<ConstantInt>(value); number && number->getBitWidth() <= 64) {
      result.constant += factor * extended(*number, extension);
      return;
    }
    auto* i = dyn_cast<Operator>(value);
    if (!i || depth == kMostDepth || !look_through(*i, extension, factor, depth + 1))
      add_term(value, extension, factor);
  }

  AddressTerms result;

 private:
  static constexpr unsigned kMostDepth = 12;

  static uint64_t extended(const ConstantInt& number, Extension extension) {
    return extension == Extension::Zero ? number.getZExtValue() : static_cast<uint64_t>(number.getSExtValue());
  }

  // Each use of a base address has a call of its own.
  static const Value* representative(const Value* value) {
    auto* call = dyn_cast<CallInst>(value);
    return call && call->arg_empty() && call->doesNotAccessMemory() ? call->getCalledOperand() : value;
  }

  void add_term(const Value* value, Extension extension, uint64_t factor) {
    value = representative(value);
    for (AddressTerms::Term& term : result.terms)
      if (term.value == value && term.extension == extension) {
        term.factor += factor;
        return;
      }
    result.terms.push_back({value, extension, factor});
  }

  bool look_through(const Operator& i, Extension extension, uint64_t factor, unsigned depth) {
    if (auto* address = dyn_cast<GEPOperator>(&i)) return add_address(*address, factor, depth);
    if (extension != Extension::None) return add_parts(i, extension, factor, depth);
    const bool wide = i.getType()->isIntegerTy(64);
    if (i.getOpcode() == Instruction::SExt && wide) return add(i.getOperand(0), Extension::Sign, factor, depth), true;
    if (auto* zero = dyn_cast<ZExtInst>(&i); zero && wide)
      return add(zero->getOperand(0), extension_of(*zero), factor, depth), true;
    return wide && add_parts(i, extension, factor, depth);
  }

  Extension extension_of(const ZExtInst& zero) const {
    return zero.hasNonNeg() && !keeps_high_bits_(zero.getOperand(0)) ? Extension::Sign : Extension::Zero;
  }

  bool add_address(const GEPOperator& address, uint64_t factor, unsigned depth) {
    if (address.getType()->isVectorTy()) return false;
    for (const Use& index : address.indices())
      if (!isa<ConstantInt>(index) && !index->getType()->isIntegerTy(64)) return false;
    add(address.getPointerOperand(), Extension::None, factor, depth);
    for (auto type = gep_type_begin(address); type != gep_type_end(address); ++type) {
      if (StructType* structure = type.getStructTypeOrNull()) {
        const unsigned member = cast<ConstantInt>(type.getOperand())->getZExtValue();
        result.constant += factor * layout_.getStructLayout(structure)->getElementOffset(member).getFixedValue();
      } else {
        const uint64_t size = type.getSequentialElementStride(layout_).getFixedValue();
        add(type.getOperand(), Extension::None, factor * size, depth);
      }
    }
    return true;
  }

  // Only where the extended result is that of the extended parts.
  bool wraps(const Operator& i, Extension extension) const {
    auto* arithmetic = dyn_cast<OverflowingBinaryOperator>(&i);
    if (extension == Extension::None || !arithmetic) return false;
    if (i.getOpcode() == Instruction::Add && keeps_high_bits_(&i)) return false;
    return extension == Extension::Sign ? !arithmetic->hasNoSignedWrap() : !arithmetic->hasNoUnsignedWrap();
  }

  bool add_parts(const Operator& i, Extension extension, uint64_t factor, unsigned depth) {
    if (!isa<BinaryOperator>(i) || wraps(i, extension)) return false;
    const Value *a = i.getOperand(0), *b = i.getOperand(1);
    auto* by = dyn_cast<ConstantInt>(b);
    switch (i.getOpcode()) {
      case Instruction::Or:
        if (!cast<PossiblyDisjointInst>(i).isDisjoint()) return false;
        [[fallthrough]];
      case Instruction::Add:
        add(a, extension, factor, depth);
        add(b, extension, factor, depth);
        return true;
      case Instruction::Sub:
        add(a, extension, factor, depth);
        add(b, extension, -factor, depth);
        return true;
      case Instruction::Mul:
        if (by) add(a, extension, factor * extended(*by, extension), depth);
        return by;
      case Instruction::Shl:
        if (!by || by->getValue().uge(by->getBitWidth() - 1)) return false;
        add(a, extension, factor * (uint64_t{1} << by->getZExtValue()), depth);
        return true;
      default:
        return false;
    }
  }

  const DataLayout& layout_;
  function_ref<bool(const Value*)> keeps_high_bits_;
};

}  // namespace

bool AddressTerms::has_same_terms(const AddressTerms& other) const {
  auto nonzero = [](const Term& term) { return term.factor != 0; };
  return count_if(terms, nonzero) == count_if(other.terms, nonzero) &&
         all_of(terms, [&](const Term& term) { return !term.factor || is_contained(other.terms, term); });
}

AddressTerms terms_of(const Value* address, const DataLayout& layout,
                      function_ref<bool(const Value*)> keeps_high_bits) {
  Collector collector(layout, keeps_high_bits);
  collector.add(address, Extension::None, 1);
  return std::move(collector.result);
}

}  // namespace lanza::compiler
