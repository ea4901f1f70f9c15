// add, sub, mul, mad, fma, div, rem, min, max, abs, neg: of integers, floating-point numbers and halves.
#include "compiler/passes/ptx/instructions.hpp"

using namespace llvm;

namespace lanza::compiler::ptx {

Value* saturate(Emitter& e, Value* value) {
  Value *zero = ConstantFP::get(value->getType(), 0.0), *one = ConstantFP::get(value->getType(), 1.0);
  Value* below = e.b.CreateSelect(e.b.CreateFCmpOLT(value, one), value, one);
  return e.b.CreateSelect(e.b.CreateFCmpOGT(value, zero), below, zero);
}

Value* flush(Emitter& e, Value* value) {
  Value* smallest = ConstantFP::get(value->getType(), APFloat::getSmallestNormalized(APFloat::IEEEsingle()));
  Value* subnormal = e.b.CreateFCmpOLT(e.b.CreateUnaryIntrinsic(Intrinsic::fabs, value), smallest);
  Value* zero = e.b.CreateBinaryIntrinsic(Intrinsic::copysign, ConstantFP::get(value->getType(), 0.0), value);
  return e.b.CreateSelect(subnormal, zero, value);
}

Value* read_flushed(Emitter& e, unsigned i, Type type, bool ftz) {
  Value* value = e.read(i, type);
  return ftz ? flush(e, value) : value;
}

Value* directed(Emitter& e, StringRef operation, Type type, Rounding rounding, ArrayRef<Value*> operands) {
  SmallVector<Value*, 4> arguments(operands);
  // In the order of the prelude's __lanza_rounding.
  const unsigned mode = rounding == Rounding::Zero ? 1 : rounding == Rounding::Up ? 2 : 3;
  arguments.push_back(e.b.getInt32(mode));
  return e.helper(operation + (type.bits == 32 ? "_f32" : "_f64"), type, arguments);
}

Value* float_extremum(Emitter& e, bool maximum, bool propagate_nan, Value* a, Value* b) {
  // llvm.maximum orders the zeros, and gives NaN when there is one.
  Value* ordered = e.b.CreateBinaryIntrinsic(maximum ? Intrinsic::maximum : Intrinsic::minimum, a, b);
  if (propagate_nan) return ordered;
  Value* without_a = e.b.CreateSelect(e.b.CreateFCmpUNO(a, a), b, ordered);
  return e.b.CreateSelect(e.b.CreateFCmpUNO(b, b), a, without_a);
}

namespace {

enum class Operation { Add, Sub, Mul, Fma, Div };

StringRef name_of(Operation operation) {
  static constexpr StringRef kNames[] = {"add", "sub", "mul", "fma", "div"};
  return kNames[static_cast<unsigned>(operation)];
}

Value* nearest(Emitter& e, Operation operation, ArrayRef<Value*> x) {
  switch (operation) {
    case Operation::Add:
      return e.b.CreateFAdd(x[0], x[1]);
    case Operation::Sub:
      return e.b.CreateFSub(x[0], x[1]);
    case Operation::Mul:
      return e.b.CreateFMul(x[0], x[1]);
    case Operation::Div:
      return e.b.CreateFDiv(x[0], x[1]);
    default:
      return e.b.CreateIntrinsic(Intrinsic::fma, {x[0]->getType()}, x);
  }
}

void float_arithmetic(Emitter& e, Operation operation, Type type) {
  const Rounding rounding = e.take_rounding();
  const bool ftz = e.take("ftz"), sat = e.take("sat");
  const unsigned count = operation == Operation::Fma ? 3 : 2;
  e.expect_operands(count + 1);
  SmallVector<Value*, 3> x;
  for (unsigned i = 1; i <= count; ++i) x.push_back(read_flushed(e, i, type, ftz));
  Value* result;
  if (rounding == Rounding::None || rounding == Rounding::Nearest)
    result = nearest(e, operation, x);
  else
    result = directed(e, name_of(operation), type, rounding, x);
  // Only what names no rounding may be contracted.
  if (auto* i = dyn_cast<Instruction>(result);
      i && rounding == Rounding::None && operation != Operation::Div && isa<BinaryOperator>(i))
    i->setHasAllowContract(true);
  if (ftz) result = flush(e, result);
  e.write(sat ? saturate(e, result) : result, type);
}

// Half precision by the functions of the prelude: "add_f16" for each element; ".ftz" before and after it, ".relu" or
// ".sat" last.
void half_arithmetic(Emitter& e, const std::string& operation, Type type, unsigned count) {
  constexpr Type kBits{Type::Bits, 16};
  const std::string suffix = type.kind == Type::Brain ? "_bf16" : "_f16";
  e.take("rn");  // the only rounding
  const bool ftz = e.take("ftz");
  const StringRef clamp = e.take_one({"sat", "relu"});
  e.expect_operands(count + 1);
  SmallVector<Value*, 3> operands;
  for (unsigned i = 1; i <= count; ++i) operands.push_back(e.read(i, type));
  Value* result = e.integer(type, 0);
  for (unsigned i = 0; i < type.elements; ++i) {
    SmallVector<Value*, 3> x;
    for (Value* v : operands) {
      x.push_back(e.b.CreateTrunc(e.b.CreateLShr(v, 16 * i), e.b.getInt16Ty()));
      if (ftz) x.back() = e.helper("ftz" + suffix, kBits, {x.back()});
    }
    Value* one = e.helper(operation + suffix, kBits, x);
    if (ftz) one = e.helper("ftz" + suffix, kBits, {one});
    if (!clamp.empty()) one = e.helper(clamp + suffix, kBits, {one});
    result = e.b.CreateOr(result, e.b.CreateShl(e.b.CreateZExt(one, e.ir(type)), 16 * i));
  }
  e.write(result, type);
}

using Integers = function_ref<Value*(Value*, Value*)>;

// An operation on both elements of u16x2, or on the whole of other types.
Value* by_elements(Emitter& e, Type type, Value* x, Value* y, Integers operation) {
  if (type.elements == 1) return operation(x, y);
  auto* vector = FixedVectorType::get(e.b.getInt16Ty(), 2);
  return e.b.CreateBitCast(operation(e.b.CreateBitCast(x, vector), e.b.CreateBitCast(y, vector)), e.ir(type));
}

void integer_arithmetic(Emitter& e, Type type, Integers operation) {
  e.expect_operands(3);
  e.write(by_elements(e, type, e.read(1, type), e.read(2, type), operation), type);
}

template <Operation operation>
void sum(Emitter& e) {
  static_assert(operation == Operation::Add || operation == Operation::Sub);
  if (e.take("cc")) return translate_carry(e);
  const Type type = e.take_type();
  if (type.is_float()) return float_arithmetic(e, operation, type);
  if (type.is_half()) return half_arithmetic(e, name_of(operation).str(), type, 2);
  const bool add = operation == Operation::Add, sat = e.take("sat");
  integer_arithmetic(e, type, [&](Value* x, Value* y) {
    if (!sat) return add ? e.b.CreateAdd(x, y) : e.b.CreateSub(x, y);
    return e.b.CreateBinaryIntrinsic(add ? Intrinsic::sadd_sat : Intrinsic::ssub_sat, x, y);
  });
}

Value* extend(Emitter& e, Value* value, Type type, unsigned bits) {
  return type.is_signed() ? e.b.CreateSExt(value, e.b.getIntNTy(bits)) : e.b.CreateZExt(value, e.b.getIntNTy(bits));
}

// The full product: twice the size.
Value* product(Emitter& e, Type type) {
  return e.b.CreateMul(extend(e, e.read(1, type), type, 2 * type.bits),
                       extend(e, e.read(2, type), type, 2 * type.bits));
}

Value* part(Emitter& e, Value* full, StringRef which, Type type) {
  if (which == "wide") return full;
  return e.b.CreateTrunc(which == "hi" ? e.b.CreateLShr(full, type.bits) : full, e.ir(type));
}

void mul(Emitter& e) {
  const Type type = e.take_type();
  if (type.is_float()) return float_arithmetic(e, Operation::Mul, type);
  if (type.is_half()) return half_arithmetic(e, "mul", type, 2);
  const StringRef which = e.need_one({"lo", "hi", "wide"});
  e.expect_operands(3);
  const Type result{type.kind, which == "wide" ? 2 * type.bits : type.bits};
  e.write(part(e, product(e, type), which, type), result);
}

void fma(Emitter& e) {
  const Type type = e.take_type();
  if (type.is_half()) return half_arithmetic(e, "fma", type, 3);
  if (!type.is_float()) e.fail(e.instruction().name + " is for floating-point types");
  float_arithmetic(e, Operation::Fma, type);
}

void mad(Emitter& e) {
  if (e.take("cc")) return translate_carry(e);
  const Type type = e.take_type();
  if (type.is_float()) return float_arithmetic(e, Operation::Fma, type);
  const StringRef which = e.need_one({"lo", "hi", "wide"});
  const bool sat = e.take("sat");
  e.expect_operands(4);
  const Type result{type.kind, which == "wide" ? 2 * type.bits : type.bits};
  Value *x = part(e, product(e, type), which, type), *y = e.read(3, result);
  e.write(sat ? e.b.CreateBinaryIntrinsic(Intrinsic::sadd_sat, x, y) : e.b.CreateAdd(x, y), result);
}

void div(Emitter& e) {
  const Type type = e.take_type();
  if (type.is_float()) {
    e.take_one({"approx", "full"});  // ours is the correctly rounded quotient
    return float_arithmetic(e, Operation::Div, type);
  }
  integer_arithmetic(
      e, type, [&](Value* x, Value* y) { return type.is_signed() ? e.b.CreateSDiv(x, y) : e.b.CreateUDiv(x, y); });
}

void rem(Emitter& e) {
  const Type type = e.take_type();
  integer_arithmetic(
      e, type, [&](Value* x, Value* y) { return type.is_signed() ? e.b.CreateSRem(x, y) : e.b.CreateURem(x, y); });
}

void float_min_max(Emitter& e, bool maximum, Type type) {
  const bool ftz = e.take("ftz"), nan = e.take("NaN"), absolute = e.take("xorsign");
  if (absolute && !e.take("abs")) e.fail(".xorsign stands with .abs");
  e.expect_operands(3);
  Value *x = read_flushed(e, 1, type, ftz), *y = read_flushed(e, 2, type, ftz), *a = x, *b = y;
  if (absolute) a = e.b.CreateUnaryIntrinsic(Intrinsic::fabs, x), b = e.b.CreateUnaryIntrinsic(Intrinsic::fabs, y);
  Value* result = float_extremum(e, maximum, nan, a, b);
  if (absolute) {
    llvm::Type* bits = e.b.getIntNTy(type.bits);
    Value* sign = e.b.CreateXor(e.b.CreateBitCast(x, bits), e.b.CreateBitCast(y, bits));
    result = e.b.CreateBinaryIntrinsic(Intrinsic::copysign, result, e.b.CreateBitCast(sign, e.ir(type)));
  }
  e.write(result, type);
}

template <bool maximum>
void min_max(Emitter& e) {
  const Type type = e.take_type();
  if (type.is_float()) return float_min_max(e, maximum, type);
  if (type.is_half()) {
    const bool nan = e.take("NaN");
    return half_arithmetic(e, std::string(maximum ? "max" : "min") + (nan ? "_nan" : ""), type, 2);
  }
  const bool relu = e.take("relu");
  integer_arithmetic(e, type, [&](Value* x, Value* y) {
    const Intrinsic::ID id = type.is_signed() ? (maximum ? Intrinsic::smax : Intrinsic::smin)
                                              : (maximum ? Intrinsic::umax : Intrinsic::umin);
    Value* result = e.b.CreateBinaryIntrinsic(id, x, y);
    return relu ? e.b.CreateBinaryIntrinsic(Intrinsic::smax, result, Constant::getNullValue(result->getType()))
                : result;
  });
}

void abs(Emitter& e) {
  const Type type = e.take_type();
  const bool ftz = type.is_float() && e.take("ftz");
  if (type.is_half()) return half_arithmetic(e, "abs", type, 1);
  e.expect_operands(2);
  if (type.is_float()) return e.write(e.b.CreateUnaryIntrinsic(Intrinsic::fabs, read_flushed(e, 1, type, ftz)), type);
  e.write(e.b.CreateBinaryIntrinsic(Intrinsic::abs, e.read(1, type), e.b.getFalse()), type);
}

void neg(Emitter& e) {
  const Type type = e.take_type();
  const bool ftz = type.is_float() && e.take("ftz");
  if (type.is_half()) return half_arithmetic(e, "neg", type, 1);
  e.expect_operands(2);
  if (type.is_float()) return e.write(e.b.CreateFNeg(read_flushed(e, 1, type, ftz)), type);
  e.write(e.b.CreateNeg(e.read(1, type)), type);
}

}  // namespace

void add_arithmetic(Instructions& table) {
  table["add"] = sum<Operation::Add>;
  table["sub"] = sum<Operation::Sub>;
  table["mul"] = mul;
  table["mad"] = mad;
  table["fma"] = fma;
  table["div"] = div;
  table["rem"] = rem;
  table["min"] = min_max<false>;
  table["max"] = min_max<true>;
  table["abs"] = abs;
  table["neg"] = neg;
}

}  // namespace lanza::compiler::ptx
