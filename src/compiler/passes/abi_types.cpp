#include "compiler/passes/abi_types.hpp"

namespace lanza::compiler {

using namespace llvm;

AbiTypes::AbiTypes(LLVMContext& c)
    : i8(Type::getInt8Ty(c)),
      i16(Type::getInt16Ty(c)),
      i32(Type::getInt32Ty(c)),
      i64(Type::getInt64Ty(c)),
      pointer(PointerType::get(c, 0)),
      nothing(Type::getVoidTy(c)) {
  Type *p = pointer, *dim = ArrayType::get(i32, 3), *tid = ArrayType::get(i16, 3);
  launch = StructType::get(c, {dim, dim, i32, i32, p, p, p, i32, i32});
  services = StructType::get(c, {i32, i32, p, p, p, p, p, p, p, p, p, p, p, p});
  block =
      StructType::get(c, {dim, i32, i64, i64, p, p, p, p, p, p, i64, i64, i64, ArrayType::get(i32, 2), i32, i32, p});
  threads = StructType::get(c, {p, i64, i64, i32, i32});
  record = StructType::get(c, {i8, i8, i16, i32, i64, tid, i16, p});
  nested_record = StructType::get(c, {i8, i8, i16, i32, i64, tid, i16, p, p, p});
  kernel_object = StructType::get(c, {i32, i32, p, i64, dim, i32, i64, p, i64, i32, i32, i64, p, p});
}

}  // namespace lanza::compiler
