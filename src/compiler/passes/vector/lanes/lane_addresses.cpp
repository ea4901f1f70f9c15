#include "compiler/passes/vector/lanes/lane_addresses.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/lanes/hidden_values.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr unsigned kMostOperations = 2;  // one after the other, of a lane's address

bool may_be_written_between(const Instruction& first, const Instruction& last) {
  for (const Instruction* i = &first; i != &last; i = i->getNextNode())
    if (i->mayWriteToMemory()) return true;
  return false;
}

Value* LaneWords::whole(Value* index) {
  auto* operation = dyn_cast<BinaryOperator>(index);
  const bool takes_part = operation &&
                          (operation->getOpcode() == Instruction::And || operation->getOpcode() == Instruction::LShr) &&
                          isa<ConstantDataVector>(operation->getOperand(1));
  return takes_part ? whole(operation->getOperand(0)) : index;
}

Value* LaneWords::part(IRBuilder<>& b, Value* index, unsigned lane) {
  if (wholes_.contains(index)) return word(b, index, lane);
  auto* operation = cast<BinaryOperator>(index);
  Value* constant = cast<Constant>(operation->getOperand(1))->getAggregateElement(lane);
  return b.CreateBinOp(operation->getOpcode(), part(b, operation->getOperand(0), lane), constant);
}

Value* LaneWords::word(IRBuilder<>& b, Value* whole, unsigned lane) {
  Value*& known = words_[{whole, lane}];
  if (known) return known;
  auto* load = dyn_cast<LoadInst>(whole);
  if (load && load->isSimple() && load->getParent() == at_.getParent() && !may_be_written_between(*load, at_)) {
    Type* type = load->getType()->getScalarType();
    const uint64_t bytes = load->getDataLayout().getTypeStoreSize(type).getFixedValue() * lane;
    Value* place = load->getPointerOperand();
    if (bytes != 0) place = b.CreateConstGEP1_64(b.getInt8Ty(), place, bytes);
    LoadInst* alone = b.CreateAlignedLoad(type, place, commonAlignment(load->getAlign(), bytes));
    alone->copyMetadata(*load, {LLVMContext::MD_invariant_load, LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
    return known = alone;
  }
  Value*& hidden = hidden_[whole];
  if (!hidden) hidden = hides_ ? hide(b, whole, *hides_) : whole;
  return known = b.CreateExtractElement(hidden, lane);
}

LaneAddresses::LaneAddresses(IRBuilder<>& b, Value* all, const TargetTransformInfo* hides, LaneWords* words)
    : b_(b), hides_(hides), words_(words), all_(all) {
  const auto steps = lane_steps(all);
  is_stepped_ = steps.has_value();
  if (!is_stepped_) return;
  steps_ = *steps;
  first_ = address(all, 0);
}

Value* LaneAddresses::operator[](unsigned lane) {
  if (!is_stepped_) return address(all_, lane);
  const int64_t bytes = steps_.empty() ? 0 : steps_[lane] - steps_[0];
  return bytes ? b_.CreateConstGEP1_64(b_.getInt8Ty(), first_, static_cast<uint64_t>(bytes)) : first_;
}

// Operations that move the bits of all lanes alike, or drop some.
static bool moves_bits(const Instruction& i) {
  const APInt* by = nullptr;
  if (match(&i, m_BitReverse(m_Value())) || match(&i, m_And(m_Value(), m_APInt(by)))) return true;
  if (match(&i, m_Shl(m_Value(), m_APInt(by))) || match(&i, m_LShr(m_Value(), m_APInt(by))))
    return by->ult(by->getBitWidth());
  return isa<ZExtInst, SExtInst>(i);
}

static APInt moved(const APInt& bits, const Instruction& i) {
  const unsigned width = i.getType()->getScalarSizeInBits();
  const APInt* by = nullptr;
  if (isa<ZExtInst>(i)) return bits.zext(width);
  if (isa<SExtInst>(i)) return bits.sext(width);
  if (!match(i.getOperand(1), m_APInt(by))) return bits.reverseBits();
  if (i.getOpcode() == Instruction::And) return bits & *by;
  return i.getOpcode() == Instruction::Shl ? bits.shl(*by) : bits.lshr(*by);
}

// What is constant in each lane of `v`, where the rest is the same for all and has none of the same bits: `first |
// lane` of a group that begins at a multiple of its lanes. What moves bits moves those of both: `__brev(first | lane)
// >> 24`.
static std::optional<SmallVector<APInt, 16>> lane_bits(Value* v) {
  SmallVector<const Instruction*, 4> moves;
  auto* i = dyn_cast<Instruction>(v);
  for (; i && moves_bits(*i); i = dyn_cast<Instruction>(i->getOperand(0))) moves.push_back(i);
  Value *shared = nullptr, *constant = nullptr;
  if (!i || !match(i, m_DisjointOr(m_Value(shared), m_Value(constant)))) return {};
  auto* lanes = dyn_cast<ConstantDataVector>(constant);
  if (!lanes || !getSplatValue(shared)) return {};
  SmallVector<APInt, 16> all;
  for (unsigned lane = 0; lane < lanes->getNumElements(); ++lane) {
    APInt bits = lanes->getElementAsAPInt(lane);
    for (const Instruction* move : reverse(moves)) bits = moved(bits, *move);
    all.push_back(bits);
  }
  return all;
}

std::optional<LaneSteps> lane_steps(Value* addresses) {
  auto* step = dyn_cast<GetElementPtrInst>(addresses);
  if (!addresses->getType()->isVectorTy() || getSplatValue(addresses)) return LaneSteps();
  if (!step) return {};
  auto steps = lane_steps(step->getPointerOperand());
  if (!steps) return {};
  for (auto type = gep_type_begin(step); type != gep_type_end(step); ++type) {
    Value* index = type.getOperand();
    if (!index->getType()->isVectorTy() || getSplatValue(index)) continue;
    auto* constant = dyn_cast<ConstantDataVector>(index);
    const auto bits = lane_bits(index);
    if ((!constant && !bits) || type.isStruct()) return {};
    const auto size = static_cast<int64_t>(type.getSequentialElementStride(step->getDataLayout()).getFixedValue());
    steps->resize(cast<FixedVectorType>(index->getType())->getNumElements());
    for (unsigned lane = 0; lane < steps->size(); ++lane)
      (*steps)[lane] += size * (bits ? (*bits)[lane] : constant->getElementAsAPInt(lane)).getSExtValue();
  }
  return steps;
}

Value* LaneAddresses::address(Value* all, unsigned lane) {
  auto* step = dyn_cast<GetElementPtrInst>(all);
  if (!step || !all->getType()->isVectorTy()) return value(all, lane);
  SmallVector<Value*, 4> indices;
  for (Value* index : step->indices()) indices.push_back(value(index, lane));
  return b_.CreateGEP(step->getSourceElementType(), address(step->getPointerOperand(), lane), indices, "",
                      step->getNoWrapFlags());
}

// Of what is the same for all lanes and of constants, as `thread + lane`, in no more operations than leaving the vector
// takes.
static bool is_computed(Value* all, unsigned operations = kMostOperations) {
  if (isa<Constant>(all) || getSplatValue(all)) return true;
  auto* operation = dyn_cast<BinaryOperator>(all);
  return operation && operations != 0 && is_computed(operation->getOperand(0), operations - 1) &&
         is_computed(operation->getOperand(1), operations - 1);
}

Value* LaneAddresses::value(Value* all, unsigned lane) {
  if (!all->getType()->isVectorTy()) return all;
  if (is_computed(all)) return compute(all, lane);
  auto* cast = dyn_cast<CastInst>(all);
  if (cast && isa<SExtInst, ZExtInst>(cast))  // what leaves the vector is short
    return b_.CreateCast(cast->getOpcode(), value(cast->getOperand(0), lane), all->getType()->getScalarType());
  if (words_ && words_->has(all)) return words_->part(b_, all, lane);
  if (!hides_) return b_.CreateExtractElement(all, lane);
  Value*& hidden = hidden_[all];
  if (!hidden) hidden = hide(b_, all, *hides_);
  return b_.CreateExtractElement(hidden, lane);
}

Value* LaneAddresses::compute(Value* all, unsigned lane) {
  if (Value* same = getSplatValue(all)) return same;
  // An address may be a constant expression, which has no elements.
  if (auto* constant = dyn_cast<Constant>(all)) {
    Value* element = constant->getAggregateElement(lane);
    return element ? element : b_.CreateExtractElement(all, lane);
  }
  auto* operation = cast<BinaryOperator>(all);
  Value *left = compute(operation->getOperand(0), lane), *right = compute(operation->getOperand(1), lane);
  Value* result = b_.CreateBinOp(operation->getOpcode(), left, right);
  if (auto* made = dyn_cast<BinaryOperator>(result)) made->copyIRFlags(operation);
  return result;
}

}  // namespace lanza::compiler
