// mul24, mad24, sad, popc, clz, bfind, brev, fns, dot products.
#include "compiler/passes/ptx/instructions.hpp"

using namespace llvm;

namespace lanza::compiler::ptx {

namespace {

// The product of the low 24 bits: its low 32 bits, or its bits 16 to 47.
Value* product24(Emitter& e, Type type, StringRef which) {
  auto low = [&](unsigned i) {
    Value* x = e.b.CreateShl(e.read(i, type), 8);
    x = type.is_signed() ? e.b.CreateAShr(x, 8) : e.b.CreateLShr(x, 8);
    return type.is_signed() ? e.b.CreateSExt(x, e.b.getInt64Ty()) : e.b.CreateZExt(x, e.b.getInt64Ty());
  };
  Value* product = e.b.CreateMul(low(1), low(2));
  return e.b.CreateTrunc(which == "hi" ? e.b.CreateLShr(product, 16) : product, e.ir(type));
}

void mul24(Emitter& e) {
  const Type type = e.take_type();
  const StringRef which = e.need_one({"lo", "hi"});
  e.expect_operands(3);
  e.write(product24(e, type, which), type);
}

void mad24(Emitter& e) {
  const Type type = e.take_type();
  const StringRef which = e.need_one({"lo", "hi"});
  const bool sat = e.take("sat");
  e.expect_operands(4);
  Value *x = product24(e, type, which), *y = e.read(3, type);
  e.write(sat ? e.b.CreateBinaryIntrinsic(Intrinsic::sadd_sat, x, y) : e.b.CreateAdd(x, y), type);
}

void sad(Emitter& e) {
  const Type type = e.take_type();
  e.expect_operands(4);
  Value *x = e.read(1, type), *y = e.read(2, type);
  Value* less = type.is_signed() ? e.b.CreateICmpSLT(x, y) : e.b.CreateICmpULT(x, y);
  Value* difference = e.b.CreateSelect(less, e.b.CreateSub(y, x), e.b.CreateSub(x, y));
  e.write(e.b.CreateAdd(e.read(3, type), difference), type);
}

// Counts are 32-bit numbers, whatever they count in.
void count(Emitter& e, Intrinsic::ID id) {
  const Type type = e.take_type();
  e.expect_operands(2);
  Value* x = e.read(1, type);
  Value* result =
      id == Intrinsic::ctpop ? e.b.CreateUnaryIntrinsic(id, x) : e.b.CreateBinaryIntrinsic(id, x, e.b.getFalse());
  e.write(e.b.CreateZExtOrTrunc(result, e.b.getInt32Ty()), kWord);
}

void popc(Emitter& e) { count(e, Intrinsic::ctpop); }
void clz(Emitter& e) { count(e, Intrinsic::ctlz); }

void bfind(Emitter& e) {
  const Type type = e.take_type();
  const bool amount = e.take("shiftamt");
  e.expect_operands(2);
  Value* x = e.read(1, type);
  // The highest bit that differs from the sign.
  if (type.is_signed()) x = e.b.CreateXor(x, e.b.CreateAShr(x, type.bits - 1));
  Value* zeros = e.b.CreateZExtOrTrunc(e.b.CreateBinaryIntrinsic(Intrinsic::ctlz, x, e.b.getFalse()), e.b.getInt32Ty());
  Value* result = amount ? zeros : e.b.CreateSub(e.b.getInt32(type.bits - 1), zeros);
  e.write(e.b.CreateSelect(e.b.CreateIsNull(x), e.b.getInt32(~0u), result), kWord);
}

void brev(Emitter& e) {
  const Type type = e.take_type();
  e.expect_operands(2);
  e.write(e.b.CreateUnaryIntrinsic(Intrinsic::bitreverse, e.read(1, type)), type);
}

void fns(Emitter& e) {
  e.take_type();
  e.expect_operands(4);
  e.write(e.helper("fns", kWord, {e.read(1, kWord), e.read(2, kWord), e.read(3, kWord)}), kWord);
}

// Element `i` of `bits` bits of a word.
Value* element(Emitter& e, Value* word, Type type, unsigned bits, unsigned i) {
  Value* narrow = e.b.CreateTrunc(e.b.CreateLShr(word, bits * i), e.b.getIntNTy(bits));
  return type.is_signed() ? e.b.CreateSExt(narrow, e.b.getInt32Ty()) : e.b.CreateZExt(narrow, e.b.getInt32Ty());
}

void dot_product(Emitter& e, unsigned count, unsigned bits, unsigned first) {
  const Type second = e.take_type(), type = e.take_type();
  e.expect_operands(4);
  Value *x = e.read(1, kWord), *y = e.read(2, kWord), *sum = e.read(3, kWord);
  for (unsigned i = 0; i < count; ++i)
    sum = e.b.CreateAdd(sum, e.b.CreateMul(element(e, x, type, bits, i), element(e, y, second, 8, first + i)));
  e.write(sum, kWord);
}

void dp4a(Emitter& e) { dot_product(e, 4, 8, 0); }
void dp2a(Emitter& e) {
  const bool high = e.need_one({"lo", "hi"}) == "hi";
  dot_product(e, 2, 16, high ? 2 : 0);
}

}  // namespace

void add_integer_functions(Instructions& table) {
  table["mul24"] = mul24;
  table["mad24"] = mad24;
  table["sad"] = sad;
  table["popc"] = popc;
  table["clz"] = clz;
  table["bfind"] = bfind;
  table["brev"] = brev;
  table["fns"] = fns;
  table["dp4a"] = dp4a;
  table["dp2a"] = dp2a;
}

}  // namespace lanza::compiler::ptx
