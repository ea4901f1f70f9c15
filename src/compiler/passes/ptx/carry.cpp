// Extended precision: add.cc, addc, sub.cc, subc, mad.cc, madc. The flag is that of the thread, see
// lower_asm_state.hpp.
#include "compiler/passes/ptx/instructions.hpp"

using namespace llvm;

namespace lanza::compiler::ptx {

namespace {

struct Sum {
  Value *result, *flag;
};

Sum with_flag(Emitter& e, bool subtract, Value* x, Value* y) {
  Value* both =
      e.b.CreateBinaryIntrinsic(subtract ? Intrinsic::usub_with_overflow : Intrinsic::uadd_with_overflow, x, y);
  return {e.b.CreateExtractValue(both, 0), e.b.CreateExtractValue(both, 1)};
}

// x + y, or x - y, with the flag coming in and going out.
void sum_with_carry(Emitter& e, bool subtract, bool in, bool out, Value* x, Value* y, Type type) {
  Sum sum = with_flag(e, subtract, x, y);
  if (in) {
    const Sum rest = with_flag(e, subtract, sum.result, e.b.CreateZExt(e.carry(), e.ir(type)));
    sum = {rest.result, e.b.CreateOr(sum.flag, rest.flag)};
  }
  if (out) e.set_carry(sum.flag);
  e.write(sum.result, type);
}

Value* half_of_product(Emitter& e, StringRef which, Type type) {
  llvm::Type* wide = e.b.getIntNTy(2 * type.bits);
  auto extend = [&](unsigned i) {
    Value* x = e.read(i, type);
    return type.is_signed() ? e.b.CreateSExt(x, wide) : e.b.CreateZExt(x, wide);
  };
  Value* product = e.b.CreateMul(extend(1), extend(2));
  return e.b.CreateTrunc(which == "hi" ? e.b.CreateLShr(product, type.bits) : product, e.ir(type));
}

void carry(Emitter& e, bool in, bool out) {
  const StringRef name = e.instruction().name;
  const Type type = e.take_type();
  if (!type.is_integer() || type.bits < 32 || type.elements != 1)
    e.fail("the carry flag goes with 32-bit and 64-bit integers");
  const bool mad = name.starts_with("mad"), subtract = name.starts_with("sub");
  e.expect_operands(mad ? 4 : 3);
  if (!mad) return sum_with_carry(e, subtract, in, out, e.read(1, type), e.read(2, type), type);
  const StringRef which = e.need_one({"lo", "hi"});
  sum_with_carry(e, false, in, out, half_of_product(e, which, type), e.read(3, type), type);
}

void with_carry_in(Emitter& e) {
  const bool out = e.take("cc");
  carry(e, true, out);
}

}  // namespace

void translate_carry(Emitter& e) { carry(e, false, true); }

void add_carry(Instructions& table) { table["addc"] = table["subc"] = table["madc"] = with_carry_in; }

}  // namespace lanza::compiler::ptx
