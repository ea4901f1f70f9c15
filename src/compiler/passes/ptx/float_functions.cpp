// rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh, testp, copysign.
#include "compiler/passes/ptx/instructions.hpp"

using namespace llvm;

namespace lanza::compiler::ptx {

namespace {

void rcp(Emitter& e) {
  const Type type = e.take_type();
  const bool approximate = e.take("approx"), ftz = e.take("ftz");
  const Rounding rounding = e.take_rounding();
  e.expect_operands(2);
  Value *one = ConstantFP::get(e.ir(type), 1.0), *x = read_flushed(e, 1, type, ftz && type.bits == 32), *result;
  if (approximate && type.bits == 64)
    result = e.helper("rcp_approx_f64", type, {x});
  else if (rounding == Rounding::None || rounding == Rounding::Nearest)
    result = e.b.CreateFDiv(one, x);
  else
    result = directed(e, "div", type, rounding, {one, x});
  e.write(ftz && type.bits == 32 ? flush(e, result) : result, type);
}

void sqrt(Emitter& e) {
  const Type type = e.take_type();
  e.take("approx");  // ours is the correctly rounded root
  const bool ftz = e.take("ftz");
  const Rounding rounding = e.take_rounding();
  e.expect_operands(2);
  Value *x = read_flushed(e, 1, type, ftz), *result;
  if (rounding == Rounding::None || rounding == Rounding::Nearest)
    result = e.b.CreateUnaryIntrinsic(Intrinsic::sqrt, x);
  else
    result = directed(e, "sqrt", type, rounding, {x});
  e.write(ftz ? flush(e, result) : result, type);
}

// The approximations by the prelude's functions, which are closer: "ex2_f32". Halves by those of floats.
void approximate(Emitter& e) {
  const Type type = e.take_type();
  if (!e.take("approx")) e.fail(e.instruction().name + " is there as .approx");
  const bool ftz = e.take("ftz");
  e.expect_operands(2);
  const StringRef name = e.instruction().name;
  if (type.is_half()) {
    const char* suffix = type.kind == Type::Brain ? "_bf16" : "_f16";
    Value *x = e.read(1, type), *result = e.integer(type, 0);
    for (unsigned i = 0; i < type.elements; ++i) {
      Value* half = e.b.CreateTrunc(e.b.CreateLShr(x, 16 * i), e.b.getInt16Ty());
      Value* y = e.b.CreateZExt(e.helper(name + suffix, Type{Type::Bits, 16}, {half}), e.ir(type));
      result = e.b.CreateOr(result, e.b.CreateShl(y, 16 * i));
    }
    return e.write(result, type);
  }
  const bool flushes = ftz && type.bits == 32;
  Value* result = e.helper(name + (type.bits == 32 ? "_f32" : "_f64"), type, {read_flushed(e, 1, type, flushes)});
  e.write(flushes ? flush(e, result) : result, type);
}

// PTX counts zeros of either sign as normal numbers.
void testp(Emitter& e) {
  const Type type = e.take_type();
  const StringRef what = e.need_one({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  e.expect_operands(2);
  const FPClassTest test = what == "finite"       ? fcFinite
                           : what == "infinite"   ? fcInf
                           : what == "number"     ? static_cast<FPClassTest>(fcFinite | fcInf)
                           : what == "notanumber" ? fcNan
                           : what == "normal"     ? static_cast<FPClassTest>(fcNormal | fcZero)
                                                  : fcSubnormal;
  e.write_predicate(e.operand(0), e.b.createIsFPClass(e.read(1, type), test));
}

// The sign of the first, the magnitude of the second.
void copysign(Emitter& e) {
  const Type type = e.take_type();
  e.expect_operands(3);
  e.write(e.b.CreateBinaryIntrinsic(Intrinsic::copysign, e.read(2, type), e.read(1, type)), type);
}

}  // namespace

void add_float_functions(Instructions& table) {
  table["rcp"] = rcp;
  table["sqrt"] = sqrt;
  for (StringRef name : {"rsqrt", "sin", "cos", "lg2", "ex2", "tanh"}) table[name] = approximate;
  table["testp"] = testp;
  table["copysign"] = copysign;
}

}  // namespace lanza::compiler::ptx
