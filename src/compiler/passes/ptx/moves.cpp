// mov, cvta, isspacep, special registers.
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "compiler/passes/ptx/instructions.hpp"

using namespace llvm;

namespace lanza::compiler::ptx {

namespace {

// {a, b} -> one register, the first lowest; and back.
void pack(Emitter& e, Type type) {
  const auto& elements = e.operand(1).elements;
  const unsigned bits = type.bits / static_cast<unsigned>(elements.size());
  Value* result = e.integer(type, 0);
  for (unsigned i = 0; i < elements.size(); ++i) {
    Value* part = e.b.CreateZExt(e.read(elements[i], Type{Type::Bits, bits}), e.ir(type));
    result = e.b.CreateOr(result, e.b.CreateShl(part, bits * i));
  }
  e.write(result, type);
}

void unpack(Emitter& e, Type type) {
  const auto& elements = e.operand(0).elements;
  const unsigned bits = type.bits / static_cast<unsigned>(elements.size());
  Value* whole = e.read(1, type);
  for (unsigned i = 0; i < elements.size(); ++i)
    e.write(elements[i], e.b.CreateTrunc(e.b.CreateLShr(whole, bits * i), e.b.getIntNTy(bits)), Type{Type::Bits, bits});
}

void mov(Emitter& e) {
  const Type type = e.take_type();
  e.expect_operands(2);
  if (type.kind == Type::Predicate) return e.write_predicate(e.operand(0), e.read_predicate(e.operand(1)));
  const bool packs = e.operand(1).kind == Operand::Vector, unpacks = e.operand(0).kind == Operand::Vector;
  if ((packs || unpacks) && type.kind != Type::Bits) e.fail("vectors are moved with a .b type");
  if (packs && unpacks) e.fail("a vector is moved to one register, or one register to a vector");
  if (packs) return pack(e, type);
  if (unpacks) return unpack(e, type);
  e.write(e.read(1, type), type);
}

// A shared address is an offset from the block's shared memory, all others are the generic ones.
void cvta(Emitter& e) {
  const Type type = e.take_type();
  const bool to = e.take("to");
  const StringRef space = take_space(e);
  e.expect_operands(2);
  Value* x = e.read(1, type);
  if (space == "shared") {
    if (type.bits != 64) e.fail("addresses have 64 bits");
    Value* base = e.b.CreatePtrToInt(shared_base(e), e.b.getInt64Ty());
    x = to ? e.b.CreateSub(x, base) : e.b.CreateAdd(x, base);
  }
  e.write(x, type);
}

void isspacep(Emitter& e) {
  const StringRef space = e.take("param") || e.take("param::entry") ? "param" : take_space(e);
  e.expect_operands(2);
  Value* address = e.read(1, kLong);
  e.write_predicate(e.operand(0), e.b.CreateIsNotNull(e.helper("is_" + space, kWord, {address})));
}

Intrinsic::ID index_register(StringRef name) {
  return StringSwitch<Intrinsic::ID>(name)
      .Case("%tid.x", Intrinsic::nvvm_read_ptx_sreg_tid_x)
      .Case("%tid.y", Intrinsic::nvvm_read_ptx_sreg_tid_y)
      .Case("%tid.z", Intrinsic::nvvm_read_ptx_sreg_tid_z)
      .Case("%ntid.x", Intrinsic::nvvm_read_ptx_sreg_ntid_x)
      .Case("%ntid.y", Intrinsic::nvvm_read_ptx_sreg_ntid_y)
      .Case("%ntid.z", Intrinsic::nvvm_read_ptx_sreg_ntid_z)
      .Case("%ctaid.x", Intrinsic::nvvm_read_ptx_sreg_ctaid_x)
      .Case("%ctaid.y", Intrinsic::nvvm_read_ptx_sreg_ctaid_y)
      .Case("%ctaid.z", Intrinsic::nvvm_read_ptx_sreg_ctaid_z)
      .Case("%nctaid.x", Intrinsic::nvvm_read_ptx_sreg_nctaid_x)
      .Case("%nctaid.y", Intrinsic::nvvm_read_ptx_sreg_nctaid_y)
      .Case("%nctaid.z", Intrinsic::nvvm_read_ptx_sreg_nctaid_z)
      .Default(Intrinsic::not_intrinsic);
}

// Answered by prelude/ptx_functions.cu, as "sreg_laneid"; those of clock and timer have 64 bits.
bool is_answered(StringRef name) {
  return is_contained({"laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid", "lanemask_eq", "lanemask_lt",
                       "lanemask_le", "lanemask_gt", "lanemask_ge", "clock", "clock_hi", "clock64", "globaltimer",
                       "globaltimer_lo", "globaltimer_hi", "dynamic_smem_size", "total_smem_size"},
                      name);
}

}  // namespace

Value* special_register(Emitter& e, StringRef name) {
  if (const Intrinsic::ID id = index_register(name)) return e.b.CreateIntrinsic(id, {}, {});
  if (name == "%WARP_SZ") return e.b.getInt32(32);
  const StringRef plain = name.drop_front();
  if (!is_answered(plain))
    e.fail("the register " + name + " is neither declared nor a special register that is supported");
  const bool wide = plain == "clock64" || plain == "globaltimer" || plain == "gridid";
  return e.helper("sreg_" + plain, wide ? kLong : kWord, {});
}

void add_moves(Instructions& table) {
  table["mov"] = mov;
  table["cvta"] = cvta;
  table["isspacep"] = isspacep;
}

}  // namespace lanza::compiler::ptx
