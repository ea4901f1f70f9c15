// The structs of kernel_abi.h as IR types, field by field. The field numbers are those of LLVM's struct types.
#pragma once

#include <llvm/IR/DerivedTypes.h>

namespace lanza::compiler {

namespace launch_field {
enum : unsigned { grid, block, dynamic_shared, flags, globals, services, executor, launched_blocks };
}
namespace services_field {
enum : unsigned {
  abi,
  reserved,
  print,
  allocate,
  release,
  fail,
  run_threads,
  clock,
  global_timer,
  address_space,
  launch_child,
  launch_error,
  wait,
  wait_for_grid
};
}
namespace block_field {
enum : unsigned {
  index,
  alone,
  next,
  end,
  launch,
  arguments,
  shared,
  context,
  executor,
  stacks,
  stack_bytes,
  first_lane,
  lane,
  lane_row,
  lane_count,
  lane_rows,
  counters
};
}
namespace record_field {
enum : unsigned { kind, id, aux, mask, operand, tid, line, block, current, top };
}

struct AbiTypes {
  explicit AbiTypes(llvm::LLVMContext& context);

  llvm::Type *i8, *i16, *i32, *i64, *pointer, *nothing;
  llvm::StructType *launch, *services, *block, *threads, *record, *nested_record, *kernel_object;
};

}  // namespace lanza::compiler
