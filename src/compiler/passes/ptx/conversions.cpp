// cvt, cvt.pack.
#include "compiler/passes/ptx/instructions.hpp"

using namespace llvm;

namespace lanza::compiler::ptx {

namespace {

constexpr Type kFloat{Type::Float, 32};

// To an integer in floating point: .rni and its kind.
Value* to_integral(Emitter& e, StringRef rounding, Value* x) {
  const Intrinsic::ID id = rounding == "rni"   ? Intrinsic::roundeven
                           : rounding == "rzi" ? Intrinsic::trunc
                           : rounding == "rmi" ? Intrinsic::floor
                                               : Intrinsic::ceil;
  return e.b.CreateUnaryIntrinsic(id, x);
}

// Clamped to the range of a type of `bits` bits.
Value* clamp(Emitter& e, Value* x, bool of_signed, bool to_signed, unsigned bits) {
  auto* type = cast<IntegerType>(x->getType());
  const unsigned size = type->getBitWidth();
  const APInt high = to_signed ? APInt::getSignedMaxValue(bits).zext(size) : APInt::getMaxValue(bits).zext(size);
  const APInt low = to_signed ? APInt::getSignedMinValue(bits).sext(size) : APInt::getZero(size);
  if (!of_signed) return e.b.CreateBinaryIntrinsic(Intrinsic::umin, x, ConstantInt::get(type, high));
  Value* raised = e.b.CreateBinaryIntrinsic(Intrinsic::smax, x, ConstantInt::get(type, low));
  return e.b.CreateBinaryIntrinsic(Intrinsic::smin, raised, ConstantInt::get(type, high));
}

Value* integer_to_integer(Emitter& e, Value* x, Type from, Type to, bool sat) {
  // One bit more than either: every value of both types is there.
  auto* wide = e.b.getIntNTy(std::max(from.bits, to.bits) + 1);
  x = from.is_signed() ? e.b.CreateSExt(x, wide) : e.b.CreateZExt(x, wide);
  if (sat) x = clamp(e, x, true, to.is_signed(), to.bits);
  return e.b.CreateTrunc(x, e.ir(to));
}

// Saturates; NaN is 0, or the lowest number where 64 bits are involved, as the hardware has it:
// saturate_conversions.hpp.
Value* float_to_integer(Emitter& e, Value* x, Type to) {
  if (to.bits >= 32)
    return e.b.CreateIntrinsic(to.is_signed() ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat, {e.ir(to), x->getType()},
                               {x});
  Value* word = e.b.CreateIntrinsic(Intrinsic::fptosi_sat, {e.b.getInt32Ty(), x->getType()}, {x});
  // NaN is 0 for the narrow types.
  word = e.b.CreateSelect(e.b.CreateFCmpUNO(x, x), e.b.getInt32(0), word);
  return e.b.CreateTrunc(clamp(e, word, true, to.is_signed(), to.bits), e.ir(to));
}

Value* integer_to_float(Emitter& e, Value* x, Type from, Type to, Rounding rounding) {
  if (rounding == Rounding::None || rounding == Rounding::Nearest)
    return from.is_signed() ? e.b.CreateSIToFP(x, e.ir(to)) : e.b.CreateUIToFP(x, e.ir(to));
  x = from.is_signed() ? e.b.CreateSExt(x, e.b.getInt64Ty()) : e.b.CreateZExt(x, e.b.getInt64Ty());
  return directed(e, from.is_signed() ? "from_s64" : "from_u64", to, rounding, {x});
}

Value* narrow_to_float(Emitter& e, Value* x, Rounding rounding) {
  if (rounding == Rounding::None || rounding == Rounding::Nearest) return e.b.CreateFPTrunc(x, e.ir(kFloat));
  return directed(e, "from_f64", kFloat, rounding, {x});
}

// A half as a float, exactly.
Value* widen_half(Emitter& e, Value* x, Type from) {
  return e.helper(from.kind == Type::Brain ? "bf16_to_f32" : "f16_to_f32", kFloat, {x});
}

Value* to_half(Emitter& e, Value* x, Type to, Rounding rounding, bool relu) {
  if (relu)
    x = e.b.CreateSelect(e.b.CreateFCmpULE(x, ConstantFP::get(x->getType(), 0.0)),
                         e.b.CreateSelect(e.b.CreateFCmpUNO(x, x), x, ConstantFP::get(x->getType(), 0.0)), x);
  const unsigned mode = rounding == Rounding::Zero   ? 1
                        : rounding == Rounding::Up   ? 2
                        : rounding == Rounding::Down ? 3
                                                     : 0;
  const bool brain = to.kind == Type::Brain;
  return e.helper(Twine(x->getType()->isDoubleTy() ? "f64" : "f32") + (brain ? "_to_bf16" : "_to_f16"),
                  Type{Type::Bits, 16}, {x, e.b.getInt32(mode)});
}

// Two floats to a pair of halves: the first is the upper one.
void convert_pair(Emitter& e, Type to) {
  const Rounding rounding = e.take_rounding();
  const bool relu = e.take("relu");
  e.expect_operands(3);
  auto half = [&](unsigned i) {
    return e.b.CreateZExt(to_half(e, e.read(i, kFloat), to, rounding, relu), e.b.getInt32Ty());
  };
  Value* upper = e.b.CreateShl(half(1), 16);
  e.write(e.b.CreateOr(upper, half(2)), to);
}

struct Conversion {
  Type from, to;
  StringRef integral;
  Rounding rounding;
  bool ftz, sat, relu;
};

Value* float_to_float(Emitter& e, Value* x, const Conversion& c) {
  if (!c.integral.empty()) x = to_integral(e, c.integral, x);
  if (c.to.is_float() && c.to.bits > x->getType()->getPrimitiveSizeInBits()) x = e.b.CreateFPExt(x, e.ir(c.to));
  if (c.to.is_float() && c.to.bits < x->getType()->getPrimitiveSizeInBits()) x = narrow_to_float(e, x, c.rounding);
  return x;
}

Value* convert(Emitter& e, Value* x, const Conversion& c) {
  if (c.from.is_integer() && c.to.is_integer()) return integer_to_integer(e, x, c.from, c.to, c.sat);
  if (c.from.is_half()) x = widen_half(e, x, c.from);
  if (c.ftz && x->getType()->isFloatTy()) x = flush(e, x);
  if (c.to.is_integer()) {
    if (c.integral.empty())
      e.fail("a conversion from a floating-point number to an integer needs .rni, .rzi, .rmi or .rpi");
    return float_to_integer(e, to_integral(e, c.integral, x), c.to);
  }
  Type wide = c.to;
  if (c.to.is_half()) wide = c.from.is_integer() && c.from.bits > 16 ? Type{Type::Float, 64} : kFloat;
  x = c.from.is_integer() ? integer_to_float(e, x, c.from, wide, c.to.is_half() ? Rounding::Nearest : c.rounding)
      : c.to.is_half()    ? (c.integral.empty() ? x : to_integral(e, c.integral, x))
                          : float_to_float(e, x, c);
  if (c.ftz && x->getType()->isFloatTy()) x = flush(e, x);
  if (c.sat) x = saturate(e, x);
  return c.to.is_half() ? to_half(e, x, c.to, c.rounding, c.relu) : x;
}

// cvt.pack.sat.u8.s32.b32 d, a, b, c: a and b clamped above what stays of c.
void convert_pack(Emitter& e) {
  const bool with_rest = e.operands() == 4;
  if (with_rest && e.take_type().bits != 32) e.fail("cvt.pack takes the rest as .b32");
  e.take_type();
  const Type to = e.take_type();
  if (!e.take("sat")) e.fail("cvt.pack is there as .sat");
  e.expect_operands(3, 4);
  auto part = [&](unsigned i) {
    Value* x = e.b.CreateSExt(e.read(i, kWord), e.b.getIntNTy(33));
    return e.b.CreateZExt(e.b.CreateTrunc(clamp(e, x, true, to.is_signed(), to.bits), e.ir(to)), e.b.getInt32Ty());
  };
  Value* result = e.b.CreateOr(e.b.CreateShl(part(1), to.bits), part(2));
  if (with_rest) result = e.b.CreateOr(result, e.b.CreateShl(e.read(3, kWord), 2 * to.bits));
  e.write(result, kWord);
}

void cvt(Emitter& e) {
  if (e.take("pack")) return convert_pack(e);
  Conversion c{};
  c.from = e.take_type();
  c.to = e.take_type();
  if (c.to.elements == 2 && c.to.is_half()) return convert_pair(e, c.to);
  if (c.from.elements != 1 || c.to.elements != 1) e.fail("this conversion of pairs is not supported");
  c.integral = e.take_one({"rni", "rzi", "rmi", "rpi"});
  c.rounding = e.take_rounding();
  c.ftz = e.take("ftz");
  c.sat = e.take("sat");
  c.relu = e.take("relu");
  e.expect_operands(2);
  // Both registers may be wider than the types.
  e.write_wide(e.operand(0), convert(e, e.read_narrow(e.operand(1), c.from), c), c.to);
}

}  // namespace

void add_conversions(Instructions& table) { table["cvt"] = cvt; }

}  // namespace lanza::compiler::ptx
