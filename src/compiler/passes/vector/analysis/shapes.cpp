#include "compiler/passes/vector/analysis/shapes.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/thread_context.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/widen/transpose_private.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kAllZeros = 64;
const Shape kVarying{Shape::Varying};
const Shape kUniform{Shape::Strided};

Shape strided(int64_t stride, unsigned zeros) { return {Shape::Strided, zeros, stride}; }

/// In the width of the value: what a multiplication or a shift makes of a stride.
int64_t wrapped(const Type* type, uint64_t stride) { return SignExtend64(stride, type->getScalarSizeInBits()); }

bool is_pure(const Instruction& i) {
  return isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst, FreezeInst,
             ExtractValueInst, InsertValueInst, ExtractElementInst, InsertElementInst, ShuffleVectorInst>(i);
}

}  // namespace

Shapes::Shapes(Function& function, const GroupShape& group, Leaving leaving)
    : function_(function),
      group_(group),
      leaving_(leaving),
      dominators_(function),
      post_dominators_(function),
      loops_(dominators_) {
  for (const BasicBlock* block : ReversePostOrderTraversal<Function*>(&function)) {
    position_[block] = order_.size();
    order_.push_back(block);
  }
  if (leaving_ == Leaving::IsIgnored) find_leaving_blocks();
  do {
    while (update_shapes()) {
    }
  } while (settle_unknown() || update_control());
  erased_ = ErasedValues(function, "Shapes");
}

Shape Shapes::operator[](const Value* value) const {
  erased_.ask();
  if (isa<Instruction>(value)) return shapes_.lookup(value);
  auto* argument = dyn_cast<Argument>(value);
  return argument && argument->hasByValAttr() && group_.lanes > 1 && !is_only_read(*argument) ? kVarying : kUniform;
}

Shape Shapes::seen_in(const BasicBlock* block, const Value* value) const {
  auto* i = dyn_cast<Instruction>(value);
  if (!i || left_apart_.empty()) return (*this)[value];
  for (const Loop* loop = loops_.getLoopFor(i->getParent()); loop && !loop->contains(block);
       loop = loop->getParentLoop())
    if (left_apart_.contains(loop)) return kVarying;
  return (*this)[value];
}

unsigned Shapes::low_zeros(const Value* value) const {
  const Shape shape = (*this)[value];
  if (!shape.is_uniform()) return shape.zeros;
  if (!value->getType()->isIntegerTy()) return 0;
  auto [known, added] = zeros_.try_emplace(value, 0);
  if (added) {
    const Value* origin = value;  // in LCSSA form; LLVM looks less far through phis
    while (auto* phi = dyn_cast<PHINode>(origin)) {
      if (phi->getNumIncomingValues() != 1) break;
      origin = phi->getIncomingValue(0);
    }
    const unsigned zeros = computeKnownBits(origin, function_.getParent()->getDataLayout()).countMinTrailingZeros();
    zeros_[value] = zeros;
    return zeros;
  }
  return known->second;
}

void Shapes::erase(Instruction& instruction) {
  shapes_.erase(&instruction);
  zeros_.erase(&instruction);
  divergent_.erase(&instruction);
  erased_.forget(instruction);
  instruction.eraseFromParent();
}

bool Shapes::update_shapes() {
  bool changed = false;
  for (const BasicBlock* block : order_)
    for (const Instruction& i : *block) {
      if (i.getType()->isVoidTy()) continue;
      Shape& shape = shapes_[&i];
      if (shape.is_varying()) continue;
      const Shape now = group_.lanes == 1 ? kUniform : shape_of(i);
      if (now == shape) continue;
      shapes_[&i] = now;
      changed = true;
    }
  return changed;
}

// What follows from nothing but itself and poison may be anything.
bool Shapes::settle_unknown() {
  for (const BasicBlock* block : order_)
    for (const PHINode& phi : block->phis())
      if (shapes_.lookup(&phi).kind == Shape::Unknown) {
        shapes_[&phi] = kUniform;
        return true;
      }
  return false;
}

Shape Shapes::shape_of(const Instruction& i) const {
  if (auto* phi = dyn_cast<PHINode>(&i)) return of_phi(*phi);
  if (auto* call = dyn_cast<CallInst>(&i)) return of_call(*call);
  if (auto* alloca = dyn_cast<AllocaInst>(&i)) {  // one after the other, each lane's own
    if (alloca->hasMetadata(kOfGroup)) return kUniform;
    const auto size = alloca->getAllocationSize(function_.getParent()->getDataLayout());
    return size ? strided(size->getFixedValue(), 0) : kVarying;
  }
  bool uniform = true, varying = false, unknown = false;
  for (const Use& operand : i.operands()) {
    const Shape shape = seen_in(i.getParent(), operand);
    unknown |= shape.kind == Shape::Unknown;
    uniform &= shape.is_uniform();
    varying |= shape.is_varying();
  }
  if (unknown && !varying) return {};
  if (auto* load = dyn_cast<LoadInst>(&i)) return uniform && load->isSimple() ? kUniform : kVarying;
  if (!is_pure(i)) return kVarying;
  if (uniform) return kUniform;
  if (varying || (i.getType()->isVectorTy() && !isa<CmpInst>(i))) return kVarying;
  if (auto* binary = dyn_cast<BinaryOperator>(&i)) return of_binary(*binary);
  if (auto* cast = dyn_cast<CastInst>(&i)) return of_cast(*cast);
  if (auto* compare = dyn_cast<ICmpInst>(&i)) return of_compare(*compare);
  if (auto* select = dyn_cast<SelectInst>(&i)) return of_select(*select);
  if (auto* address = dyn_cast<GetElementPtrInst>(&i)) return of_address(*address);
  return isa<FreezeInst>(i) ? (*this)[i.getOperand(0)] : kVarying;
}

Shape Shapes::of_phi(const PHINode& phi) const {
  Shape result;
  const Value* only = nullptr;
  bool same = true;
  for (const Use& incoming : phi.incoming_values()) {
    if (isa<UndefValue>(incoming)) continue;
    same &= !only || only == incoming.get();
    only = incoming.get();
    const Shape shape = seen_in(phi.getParent(), incoming);
    if (shape.kind == Shape::Unknown) continue;
    if (shape.is_varying()) return kVarying;
    const unsigned zeros = shape.stride ? shape.zeros : 0;
    if (result.kind == Shape::Unknown)
      result = strided(shape.stride, zeros);
    else if (result.stride != shape.stride)
      return kVarying;
    result.zeros = std::min(result.zeros, zeros);
  }
  if (!only) return kUniform;
  if (result.kind == Shape::Unknown) return shapes_.lookup(&phi);
  return joins_.contains(phi.getParent()) && !same ? kVarying : result;
}

Shape Shapes::of_binary(const BinaryOperator& i) const {
  const Shape a = (*this)[i.getOperand(0)], b = (*this)[i.getOperand(1)];
  const unsigned zeros = std::min(low_zeros(i.getOperand(0)), low_zeros(i.getOperand(1)));
  auto* factor = dyn_cast<ConstantInt>(i.getOperand(1));
  switch (i.getOpcode()) {
    case Instruction::Or:
      if (!cast<PossiblyDisjointInst>(i).isDisjoint()) return of_pattern(i);
      [[fallthrough]];
    case Instruction::Add:
      return strided(wrapped(i.getType(), a.stride + b.stride), zeros);
    case Instruction::Sub:
      return strided(wrapped(i.getType(), a.stride - b.stride), zeros);
    case Instruction::Mul:
      if (!factor || factor->getBitWidth() > 64) return kVarying;
      return strided(wrapped(i.getType(), a.stride * factor->getSExtValue()),
                     std::min(a.zeros + factor->getValue().countr_zero(), kAllZeros));
    case Instruction::Shl:
      if (!factor || factor->getValue().uge(64)) return kVarying;
      return strided(wrapped(i.getType(), static_cast<uint64_t>(a.stride) << factor->getZExtValue()),
                     std::min<unsigned>(a.zeros + factor->getZExtValue(), kAllZeros));
    case Instruction::And:
    case Instruction::Xor:
      return of_pattern(i);
    default:
      return factor && span_fits(a) && factor->getBitWidth() <= 64 ? of_bits(i) : kVarying;
  }
}

// Of strided values and a pattern that is the same for all lanes: known where they differ, or made of higher bits.
// Below the stride all lanes' bits are the same (2 * t + s ^ 1).
// Bits that are all turned run backwards: x ^ 63 is 63 - x of the low bits, x ^ -1 is -1 - x of any.
Shape Shapes::of_pattern(const BinaryOperator& i) const {
  const bool swaps = is_uniform(i.getOperand(0));
  const Shape a = (*this)[i.getOperand(swaps)];
  const Value* pattern = i.getOperand(!swaps);
  if (match(&i, m_Not(m_Value()))) return strided(wrapped(i.getType(), -a.stride), 0);
  if (!is_uniform(pattern)) return kVarying;
  KnownBits bits = computeKnownBits(pattern, function_.getParent()->getDataLayout());
  const auto alike = static_cast<unsigned>(countr_zero(static_cast<uint64_t>(a.stride)));
  if (i.getOpcode() != Instruction::And && bits.countMaxActiveBits() <= alike)
    return strided(a.stride, std::min(a.zeros, bits.countMinTrailingZeros()));
  if (!span_fits(a)) return kVarying;
  const unsigned differ = std::min({a.zeros, span_bits(a), bits.getBitWidth()});
  const bool is_zero = bits.countMinTrailingZeros() >= differ;
  if (i.getOpcode() == Instruction::And) {  // bits that no lane has are kept: 4 * t & 60
    bits.One.setLowBits(std::min(alike, differ));
    return is_zero ? kUniform : bits.One.countr_one() >= differ ? a : kVarying;
  }
  const bool is_one = bits.countMinTrailingOnes() >= differ;
  if (is_one) return i.getOpcode() == Instruction::Or ? kUniform : strided(-a.stride, 0);
  return is_zero ? strided(a.stride, std::min(a.zeros, bits.countMinTrailingZeros())) : kVarying;
}

// The lanes differ in the lowest bits only, as many as their offsets have, which lane 0 has at 0.
Shape Shapes::of_bits(const BinaryOperator& i) const {
  const Shape a = (*this)[i.getOperand(0)];
  const APInt& c = cast<ConstantInt>(i.getOperand(1))->getValue();
  const unsigned differ = std::min({a.zeros, span_bits(a), c.getBitWidth()});
  switch (i.getOpcode()) {
    case Instruction::LShr:
    case Instruction::AShr: {
      if (c.uge(c.getBitWidth())) return kVarying;
      const unsigned by = c.getZExtValue();
      if (by >= differ && (differ < c.getBitWidth() || i.getOpcode() == Instruction::LShr)) return kUniform;
      return by < differ && a.stride % (int64_t{1} << by) == 0 ? strided(a.stride >> by, a.zeros - by) : kVarying;
    }
    case Instruction::UDiv:
      return !c.isZero() && c.countr_zero() >= differ ? kUniform : kVarying;
    case Instruction::URem:
      if (c.isZero() || c.countr_zero() < differ) return kVarying;
      return strided(a.stride, a.zeros >= kAllZeros ? a.zeros : std::min(a.zeros, c.countr_zero()));
    default:
      return kVarying;
  }
}

Shape Shapes::of_cast(const CastInst& i) const {
  const Value* operand = i.getOperand(0);
  const Shape a = (*this)[operand];
  const bool widens = isa<SExtInst, ZExtInst>(i);
  if (isa<TruncInst>(i)) return strided(wrapped(i.getType(), a.stride), a.zeros);
  if (!widens) return kVarying;
  auto* zero = dyn_cast<ZExtInst>(&i);
  const bool as_signed = !zero || zero->hasNonNeg();
  if ((as_signed && extends(operand, true)) || (zero && extends(operand, false))) return a;
  return kVarying;
}

Shape Shapes::of_compare(const ICmpInst& i) const {
  const Shape a = (*this)[i.getOperand(0)], b = (*this)[i.getOperand(1)];
  if (i.isEquality()) return a.stride == b.stride ? kUniform : kVarying;
  const bool left = b.is_uniform(), right = a.is_uniform();
  if (left == right || !i.getOperand(0)->getType()->isIntegerTy()) return kVarying;
  const Value *x = i.getOperand(left ? 0 : 1), *limit = i.getOperand(left ? 1 : 0);
  const CmpInst::Predicate predicate = left ? i.getPredicate() : i.getSwappedPredicate();
  const Shape shape = left ? a : b;
  if (!crosses_no_wrap(x)) return kVarying;
  // All lanes lie between two neighbouring multiples of 2^zeros.
  if (ICmpInst::isLT(predicate) || ICmpInst::isGE(predicate))
    return low_zeros(limit) >= shape.zeros ? kUniform : kVarying;
  auto* constant = dyn_cast<ConstantInt>(limit);
  return constant && (constant->getValue() + 1).countr_zero() >= shape.zeros ? kUniform : kVarying;
}

Shape Shapes::of_select(const SelectInst& i) const {
  const Shape condition = (*this)[i.getCondition()], a = (*this)[i.getTrueValue()], b = (*this)[i.getFalseValue()];
  if (i.getTrueValue() == i.getFalseValue()) return a;
  if (!condition.is_uniform() || a.stride != b.stride) return kVarying;
  return strided(a.stride, std::min(low_zeros(i.getTrueValue()), low_zeros(i.getFalseValue())));
}

Shape Shapes::of_address(const GetElementPtrInst& i) const {
  const DataLayout& layout = function_.getParent()->getDataLayout();
  int64_t stride = (*this)[i.getPointerOperand()].stride;
  for (auto type = gep_type_begin(i); type != gep_type_end(i); ++type) {
    const Shape index = (*this)[type.getOperand()];
    if (!index.stride) continue;
    if (!type.isSequential() || !type.getOperand()->getType()->isIntegerTy(64)) return kVarying;
    stride += index.stride * static_cast<int64_t>(type.getSequentialElementStride(layout).getFixedValue());
  }
  return strided(stride, 0);
}

Shape Shapes::of_thread_index(unsigned axis) const {
  const int64_t stride = group_.lanes > 1 ? group_.offset(axis, 1) : 0;
  for (unsigned lane = 0; lane < group_.lanes; ++lane)
    if (group_.offset(axis, lane) != lane * stride) return kVarying;
  return strided(stride,
                 group_.starts_at_zero(axis) ? kAllZeros : static_cast<unsigned>(countr_zero(group_.extent[axis])));
}

Shape Shapes::of_call(const CallInst& call) const {
  const Function* callee = call.getCalledFunction();
  if (!callee) return kVarying;
  switch (callee->getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_tid_x:
      return of_thread_index(0);
    case Intrinsic::nvvm_read_ptx_sreg_tid_y:
      return of_thread_index(1);
    case Intrinsic::nvvm_read_ptx_sreg_tid_z:
      return of_thread_index(2);
    case Intrinsic::nvvm_read_ptx_sreg_laneid:
      return group_.is_part_of_warp() ? strided(1, countr_zero(group_.lanes)) : kVarying;
    case Intrinsic::nvvm_read_ptx_sreg_warpid:
      return group_.is_part_of_warp() ? kUniform : kVarying;
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
      return kUniform;
    default:
      break;
  }
  const StringRef name = callee->getName();
  if (name == kLane) return strided(1, static_cast<unsigned>(countr_zero(group_.lanes)));
  if (name == kAll || name == kAny || name == kGroup || name == kSharedBase || name == kStaticShared ||
      name == kDynamicShared || name == kGlobalsBase)
    return kUniform;
  if (name == kSyncName) return of_sync(call);
  if (!call.doesNotAccessMemory() || !callee->isDeclaration()) return kVarying;  // which may ask for its thread
  for (const Use& argument : call.args()) {
    const Shape shape = seen_in(call.getParent(), argument);
    if (shape.kind == Shape::Unknown) return {};
    if (!shape.is_uniform()) return kVarying;
  }
  return kUniform;
}

// Of points of a warp, where they are vector code: the group is the warp.
Shape Shapes::of_sync(const CallInst& point) const {
  const LanzaSyncKind kind = sync_kind(point);
  if (kind == LANZA_SYNC_BARRIER_COUNT) return kUniform;
  if (!group_.is_warp()) return kVarying;
  if (kind == LANZA_SYNC_ACTIVEMASK) return kUniform;
  const Shape mask = seen_in(point.getParent(), point.getArgOperand(kSyncMask));
  if (mask.kind == Shape::Unknown) return {};
  if (!mask.is_uniform()) return kVarying;
  if (kind == LANZA_SYNC_BALLOT || kind == LANZA_SYNC_REDUCE || kind == LANZA_SYNC_MATCH_ALL) return kUniform;
  if (kind != LANZA_SYNC_SHUFFLE) return kVarying;
  const Shape value = seen_in(point.getParent(), point.getArgOperand(kSyncValue));
  const Shape source = seen_in(point.getParent(), point.getArgOperand(kSyncAux));
  if (value.kind == Shape::Unknown || source.kind == Shape::Unknown) return {};
  return value.is_uniform() || (source.is_uniform() && all_take_part(point)) ? kUniform : kVarying;
}

// A lane that does not is no source: then each has its own value.
bool Shapes::all_take_part(const CallInst& point) const {
  auto* mask = dyn_cast<ConstantInt>(point.getArgOperand(kSyncMask));
  if (!mask || !mask->isMinusOne() || leaving_ == Leaving::IsIgnored) return false;
  return !partial_.contains(point.getParent()) && !group_.overhangs(0) && !group_.overhangs(1);
}

unsigned Shapes::span_bits(const Shape& shape) const {
  return static_cast<unsigned>(bit_width(shape.stride * uint64_t{group_.lanes - 1}));
}

bool Shapes::span_fits(const Shape& shape) const {
  if (shape.stride < 0 || shape.stride > INT32_MAX) return false;
  const uint64_t span = shape.stride * uint64_t{group_.lanes - 1};
  return shape.zeros >= kAllZeros || span < uint64_t{1} << shape.zeros;
}

bool Shapes::crosses_no_wrap(const Value* value) const {
  Shape shape = (*this)[value];
  if (shape.is_varying()) return false;
  if (shape.is_uniform()) return true;
  shape.zeros = std::min(shape.zeros, value->getType()->getScalarSizeInBits() - 1);
  return span_fits(shape);
}

bool Shapes::extends(const Value* value, bool is_signed) const {
  SmallPtrSet<const Value*, 8> open;
  return extends(value, is_signed, open);
}

bool Shapes::extends(const Value* value, bool is_signed, SmallPtrSetImpl<const Value*>& open) const {
  if (crosses_no_wrap(value)) return true;
  auto* i = dyn_cast<Instruction>(value);
  if (!i || (*this)[value].is_varying()) return false;
  auto operand = [&](unsigned k) { return extends(i->getOperand(k), is_signed, open); };
  if (auto* sum = dyn_cast<OverflowingBinaryOperator>(i)) {
    if (!(is_signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap())) return false;
    return operand(0) && operand(1);
  }
  if (auto* parts = dyn_cast<PossiblyDisjointInst>(i)) return parts->isDisjoint() && operand(0) && operand(1);
  if (i->getOpcode() == Instruction::Xor) return operand(0) && operand(1);
  if (isa<SExtInst>(i)) return is_signed && operand(0);
  if (auto* zero = dyn_cast<ZExtInst>(i)) return extends(zero->getOperand(0), is_signed && zero->hasNonNeg(), open);
  if (isa<SelectInst>(i)) return operand(1) && operand(2);
  auto* phi = dyn_cast<PHINode>(i);
  if (!phi) return false;
  if (!open.insert(phi).second) return true;  // what follows from itself
  return all_of(phi->incoming_values(), [&](const Use& v) { return extends(v, is_signed, open); });
}

void Shapes::print(raw_ostream& stream) const {
  for (const BasicBlock& block : function_) {
    block.printAsOperand(stream, false);
    stream << (partial_.contains(&block) ? ": some lanes" : ": all lanes");
    stream << (divergent_.contains(block.getTerminator()) ? ", divergent\n" : "\n");
    for (const Instruction& i : block) {
      if (i.getType()->isVoidTy()) continue;
      const Shape shape = (*this)[&i];
      i.printAsOperand(stream << "  ", false);
      if (shape.is_uniform())
        stream << ": uniform\n";
      else if (shape.is_strided())
        stream << ": strided " << shape.stride << '\n';
      else
        stream << (shape.is_varying() ? ": varying\n" : ": unknown\n");
    }
  }
}

}  // namespace lanza::compiler
