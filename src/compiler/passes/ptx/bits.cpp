// and, or, xor, not, cnot, lop3, shl, shr, shf, prmt, bfe, bfi, bmsk, szext.
#include <array>

#include "compiler/passes/ptx/instructions.hpp"

using namespace llvm;

namespace lanza::compiler::ptx {

namespace {

template <Instruction::BinaryOps operation>
void logic(Emitter& e) {
  const Type type = e.take_type();
  e.expect_operands(3);
  const bool predicate = type.kind == Type::Predicate;
  Value* x = predicate ? e.read_predicate(e.operand(1)) : e.read(1, type);
  Value* y = predicate ? e.read_predicate(e.operand(2)) : e.read(2, type);
  e.write(e.b.CreateBinOp(operation, x, y), type);
}

void bit_not(Emitter& e) {
  const Type type = e.take_type();
  e.expect_operands(2);
  Value* x = type.kind == Type::Predicate ? e.read_predicate(e.operand(1)) : e.read(1, type);
  e.write(e.b.CreateNot(x), type);
}

void cnot(Emitter& e) {
  const Type type = e.take_type();
  e.expect_operands(2);
  e.write(e.b.CreateZExt(e.b.CreateIsNull(e.read(1, type)), e.ir(type)), type);
}

// Any function of three bits is an exclusive or of products of them; the Moebius transform of its table says which.
Value* function_of_bits(Emitter& e, unsigned table, ArrayRef<Value*> x) {
  for (unsigned step = 1; step < 8; step <<= 1)
    for (unsigned i = 0; i < 8; ++i)
      if (i & step) table ^= (table >> (i ^ step) & 1) << i;
  Value* result = Constant::getNullValue(x[0]->getType());
  for (unsigned term = 0; term < 8; ++term) {
    if (!(table >> term & 1)) continue;
    Value* product = Constant::getAllOnesValue(x[0]->getType());
    for (unsigned v = 0; v < 3; ++v)
      if (term >> v & 1) product = e.b.CreateAnd(product, x[v]);
    result = e.b.CreateXor(result, product);
  }
  return result;
}

void lop3(Emitter& e) {
  const Type type = e.take_type();
  const StringRef combine = e.take_one({"or", "and"});
  e.expect_operands(combine.empty() ? 5 : 6);
  // Bit i of the table is the result for a = i >> 2, b = i >> 1, c = i.
  Value* result = function_of_bits(e, static_cast<unsigned>(e.constant(4)) & 0xff,
                                   {e.read(3, type), e.read(2, type), e.read(1, type)});
  if (!e.is_sink(e.operand(0))) e.write(result, type);
  if (combine.empty()) return;
  if (e.operand(0).second.empty()) e.fail("lop3 with ." + combine + " writes a predicate too: d|p");
  Value *any = e.b.CreateIsNotNull(result), *q = e.read_predicate(e.operand(5));
  e.write_predicate(e.operand(0).second[0], combine == "or" ? e.b.CreateOr(any, q) : e.b.CreateAnd(any, q));
}

// The smaller of an amount and `most`.
Value* clamp(Emitter& e, Value* amount, unsigned most) {
  if (auto* known = dyn_cast<ConstantInt>(amount))
    return ConstantInt::get(amount->getType(), std::min<std::uint64_t>(known->getZExtValue(), most));
  return e.b.CreateBinaryIntrinsic(Intrinsic::umin, amount, ConstantInt::get(amount->getType(), most));
}

// All amounts have 32 bits; those beyond the size shift everything out.
template <bool left>
void shift(Emitter& e) {
  const Type type = e.take_type();
  e.expect_operands(3);
  Value *x = e.read(1, type), *amount = e.read(2, kWord);
  const bool arithmetic = !left && type.is_signed();
  Value* known = e.b.CreateZExtOrTrunc(clamp(e, amount, type.bits - 1), e.ir(type));
  Value* result = left ? e.b.CreateShl(x, known) : arithmetic ? e.b.CreateAShr(x, known) : e.b.CreateLShr(x, known);
  if (!arithmetic)
    result = e.b.CreateSelect(e.b.CreateICmpULT(amount, e.b.getInt32(type.bits)), result,
                              Constant::getNullValue(result->getType()));
  e.write(result, type);
}

void shf(Emitter& e) {
  e.take_type();
  const bool left = e.need_one({"l", "r"}) == "l", wrap = e.need_one({"wrap", "clamp"}) == "wrap";
  e.expect_operands(4);
  llvm::Type* wide = e.b.getInt64Ty();
  Value* both =
      e.b.CreateOr(e.b.CreateShl(e.b.CreateZExt(e.read(2, kWord), wide), 32), e.b.CreateZExt(e.read(1, kWord), wide));
  Value* amount = e.read(3, kWord);
  amount = e.b.CreateZExt(wrap ? e.b.CreateAnd(amount, 31) : clamp(e, amount, 32), wide);
  Value* result = left ? e.b.CreateLShr(e.b.CreateShl(both, amount), 32) : e.b.CreateLShr(both, amount);
  e.write(e.b.CreateTrunc(result, e.b.getInt32Ty()), kWord);
}

void prmt(Emitter& e) {
  const StringRef mode = e.take_one({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  e.take_type();
  e.expect_operands(4);
  e.write(e.helper(mode.empty() ? Twine("prmt") : "prmt_" + Twine(mode), kWord,
                   {e.read(1, kWord), e.read(2, kWord), e.read(3, kWord)}),
          kWord);
}

// Position and length are bytes.
Value* byte_operand(Emitter& e, unsigned i, Type type) {
  return e.b.CreateZExtOrTrunc(e.b.CreateAnd(e.read(i, kWord), 0xff), e.ir(type));
}

// x << n and x >> n where n may be as large as the size: 0 then.
Value* shift_out(Emitter& e, bool left, Value* x, Value* n) {
  llvm::Type* type = x->getType();
  const unsigned bits = type->getIntegerBitWidth();
  Value* known = e.b.CreateAnd(n, ConstantInt::get(type, bits - 1));
  Value* shifted = left ? e.b.CreateShl(x, known) : e.b.CreateLShr(x, known);
  return e.b.CreateSelect(e.b.CreateICmpULT(n, ConstantInt::get(type, bits)), shifted, Constant::getNullValue(type));
}

// The lowest `n` bits.
Value* low_mask(Emitter& e, Value* n) {
  return e.b.CreateNot(shift_out(e, true, Constant::getAllOnesValue(n->getType()), n));
}

void bfe(Emitter& e) {
  const Type type = e.take_type();
  e.expect_operands(4);
  Value *x = e.read(1, type), *position = byte_operand(e, 2, type), *length = byte_operand(e, 3, type);
  Value *mask = low_mask(e, length), *field = e.b.CreateAnd(shift_out(e, false, x, position), mask);
  if (!type.is_signed()) return e.write(field, type);
  // Beyond the field stands its highest bit, or that of x when the field reaches beyond x; none for no field.
  Value* one = ConstantInt::get(e.ir(type), 1);
  Value* last = clamp(e, e.b.CreateSub(e.b.CreateAdd(position, length), one), type.bits - 1);
  Value* sign = e.b.CreateAnd(e.b.CreateICmpNE(e.b.CreateAnd(e.b.CreateLShr(x, last), one), e.integer(type, 0)),
                              e.b.CreateIsNotNull(length));
  Value* taken = clamp(e, length, type.bits);
  Value* room = e.b.CreateSub(e.integer(type, type.bits), clamp(e, position, type.bits));
  Value* beyond = e.b.CreateNot(low_mask(e, e.b.CreateBinaryIntrinsic(Intrinsic::umin, taken, room)));
  e.write(e.b.CreateSelect(sign, e.b.CreateOr(field, beyond), field), type);
}

void bfi(Emitter& e) {
  const Type type = e.take_type();
  e.expect_operands(5);
  Value *field = e.read(1, type), *into = e.read(2, type);
  Value *position = byte_operand(e, 3, type), *length = byte_operand(e, 4, type);
  Value* mask = shift_out(e, true, low_mask(e, length), position);
  Value* placed = e.b.CreateAnd(shift_out(e, true, field, position), mask);
  e.write(e.b.CreateOr(e.b.CreateAnd(into, e.b.CreateNot(mask)), placed), type);
}

void bmsk(Emitter& e) {
  e.take_type();
  const bool wrap = e.need_one({"wrap", "clamp"}) == "wrap";
  e.expect_operands(3);
  auto amount = [&](unsigned i) {
    Value* x = e.read(i, kWord);
    return wrap ? e.b.CreateAnd(x, 31) : x;
  };
  e.write(shift_out(e, true, low_mask(e, amount(2)), amount(1)), kWord);
}

void szext(Emitter& e) {
  const Type type = e.take_type();
  const bool wrap = e.need_one({"wrap", "clamp"}) == "wrap";
  e.expect_operands(3);
  Value *x = e.read(1, type), *bits = e.read(2, kWord);
  bits = wrap ? e.b.CreateAnd(bits, 31) : clamp(e, bits, 32);
  // All others are shifted out to the left and back; no bits at all give 0.
  Value* away = e.b.CreateAnd(e.b.CreateSub(e.b.getInt32(32), bits), 31);
  Value* left = e.b.CreateShl(x, away);
  Value* back = type.is_signed() ? e.b.CreateAShr(left, away) : e.b.CreateLShr(left, away);
  e.write(e.b.CreateSelect(e.b.CreateIsNull(bits), e.b.getInt32(0), back), type);
}

}  // namespace

void add_bits(Instructions& table) {
  table["and"] = logic<Instruction::And>;
  table["or"] = logic<Instruction::Or>;
  table["xor"] = logic<Instruction::Xor>;
  table["not"] = bit_not;
  table["cnot"] = cnot;
  table["lop3"] = lop3;
  table["shl"] = shift<true>;
  table["shr"] = shift<false>;
  table["shf"] = shf;
  table["prmt"] = prmt;
  table["bfe"] = bfe;
  table["bfi"] = bfi;
  table["bmsk"] = bmsk;
  table["szext"] = szext;
}

}  // namespace lanza::compiler::ptx
