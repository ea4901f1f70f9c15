// setp, set, selp, slct.
#include <llvm/ADT/StringSwitch.h>

#include "compiler/passes/ptx/instructions.hpp"

using namespace llvm;

namespace lanza::compiler::ptx {

namespace {

CmpInst::Predicate integer_predicate(StringRef name, bool is_signed) {
  return StringSwitch<CmpInst::Predicate>(name)
      .Case("eq", CmpInst::ICMP_EQ)
      .Case("ne", CmpInst::ICMP_NE)
      .Case("lt", is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
      .Case("le", is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
      .Case("gt", is_signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT)
      .Case("ge", is_signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE)
      .Case("lo", CmpInst::ICMP_ULT)
      .Case("ls", CmpInst::ICMP_ULE)
      .Case("hi", CmpInst::ICMP_UGT)
      .Case("hs", CmpInst::ICMP_UGE)
      .Default(CmpInst::BAD_ICMP_PREDICATE);
}

CmpInst::Predicate float_predicate(StringRef name) {
  return StringSwitch<CmpInst::Predicate>(name)
      .Case("eq", CmpInst::FCMP_OEQ)
      .Case("ne", CmpInst::FCMP_ONE)
      .Case("lt", CmpInst::FCMP_OLT)
      .Case("le", CmpInst::FCMP_OLE)
      .Case("gt", CmpInst::FCMP_OGT)
      .Case("ge", CmpInst::FCMP_OGE)
      .Case("equ", CmpInst::FCMP_UEQ)
      .Case("neu", CmpInst::FCMP_UNE)
      .Case("ltu", CmpInst::FCMP_ULT)
      .Case("leu", CmpInst::FCMP_ULE)
      .Case("gtu", CmpInst::FCMP_UGT)
      .Case("geu", CmpInst::FCMP_UGE)
      .Case("num", CmpInst::FCMP_ORD)
      .Case("nan", CmpInst::FCMP_UNO)
      .Default(CmpInst::BAD_FCMP_PREDICATE);
}

StringRef take_comparison(Emitter& e) {
  return e.need_one({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu",
                     "geu", "num", "nan"});
}

// A half, or the half in bits `shift` and above of a pair, as a float.
Value* widened(Emitter& e, unsigned i, Type type, unsigned shift) {
  Value* bits = e.read(i, Type{Type::Bits, type.size()});
  bits = e.b.CreateTrunc(e.b.CreateLShr(bits, shift), e.b.getInt16Ty());
  return e.helper(type.kind == Type::Brain ? "bf16_to_f32" : "f16_to_f32", Type{Type::Float, 32}, {bits});
}

// Operands 1 and 2 as `type`, compared; of pairs of halves those in bits `shift` and above.
Value* compare(Emitter& e, StringRef comparison, Type type, bool ftz, unsigned shift = 0) {
  const auto predicate =
      type.is_integer() ? integer_predicate(comparison, type.is_signed()) : float_predicate(comparison);
  if (predicate == CmpInst::BAD_ICMP_PREDICATE || predicate == CmpInst::BAD_FCMP_PREDICATE)
    e.fail("the comparison ." + comparison + " is none of its type");
  auto value = [&](unsigned i) -> Value* {
    return type.is_half() ? widened(e, i, type, shift) : read_flushed(e, i, type, ftz && type.is_float());
  };
  Value *x = value(1), *y = value(2);
  return e.b.CreateCmp(predicate, x, y);
}

Value* combine(Emitter& e, StringRef operation, Value* flag, Value* with) {
  if (operation == "and") return e.b.CreateAnd(flag, with);
  if (operation == "or") return e.b.CreateOr(flag, with);
  return e.b.CreateXor(flag, with);
}

void setp(Emitter& e) {
  const Type type = e.take_type();
  const bool pair = type.elements == 2, ftz = e.take("ftz");
  const StringRef comparison = take_comparison(e), combination = e.take_one({"and", "or", "xor"});
  e.expect_operands(combination.empty() ? 3 : 4);
  if (pair && e.operand(0).second.empty()) e.fail("a comparison of pairs has two results, p|q");
  Value* flag = compare(e, comparison, type, ftz);
  Value* opposite = pair ? compare(e, comparison, type, ftz, 16) : e.b.CreateNot(flag);  // or that of the upper halves
  if (!combination.empty()) {
    Value* with = e.read_predicate(e.operand(3));
    flag = combine(e, combination, flag, with);
    opposite = combine(e, combination, opposite, with);
  }
  e.write_predicate(e.operand(0), flag);
  if (!e.operand(0).second.empty()) e.write_predicate(e.operand(0).second[0], opposite);
}

void set(Emitter& e) {
  const Type source = e.take_type(), result = e.take_type();
  const bool ftz = e.take("ftz");
  const StringRef comparison = take_comparison(e), combination = e.take_one({"and", "or", "xor"});
  e.expect_operands(combination.empty() ? 3 : 4);
  Value* flag = compare(e, comparison, source, ftz);
  if (!combination.empty()) flag = combine(e, combination, flag, e.read_predicate(e.operand(3)));
  e.write(result.is_float() ? e.b.CreateUIToFP(flag, e.ir(result)) : e.b.CreateSExt(flag, e.ir(result)), result);
}

void selp(Emitter& e) {
  const Type type = e.take_type();
  e.expect_operands(4);
  e.write(e.b.CreateSelect(e.read_predicate(e.operand(3)), e.read(1, type), e.read(2, type)), type);
}

void slct(Emitter& e) {
  const Type by = e.take_type(), type = e.take_type();
  const bool ftz = e.take("ftz");
  e.expect_operands(4);
  Value* c = read_flushed(e, 3, by, ftz && by.is_float());
  Value* first =
      by.is_float() ? e.b.CreateFCmpOGE(c, ConstantFP::get(e.ir(by), 0.0)) : e.b.CreateICmpSGE(c, e.integer(by, 0));
  e.write(e.b.CreateSelect(first, e.read(1, type), e.read(2, type)), type);
}

}  // namespace

void add_comparisons(Instructions& table) {
  table["setp"] = setp;
  table["set"] = set;
  table["selp"] = selp;
  table["slct"] = slct;
}

}  // namespace lanza::compiler::ptx
