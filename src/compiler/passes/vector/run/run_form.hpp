// A kernel in group form becomes the object's `run`: loops over blocks, regions and groups.
#pragma once

#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "compiler/codegen/report.hpp"
#include "compiler/passes/vector/group_shape.hpp"
#include "compiler/passes/vector/run/block_order.hpp"

namespace lanza::compiler {

/// Metadata of the switches that choose the region to go on with.
inline constexpr char kChoosesRegion[] = "lanza.region";

struct RunForm {
  llvm::Function* run = nullptr;
  llvm::AllocaInst* shared = nullptr;  ///< null: the block's shared memory is no local variable
  std::vector<RegionReport> regions;   ///< where they begin, and what in them is not done for all lanes at once
  unsigned spilled_values = 0;         ///< that have a slot a group
  std::uint64_t spilled_bytes = 0;     ///< of all slots
  std::uint64_t counter_bytes = 0;     ///< of LanzaBlock::counters
  bool asks_whether_alone = false;     ///< LanzaBlock::alone
  std::uint64_t context_bytes = 0;     ///< of LanzaBlock::context; 0: what crosses barriers lies on the stack
};

/// In: host IR of a kernel in group form, its barriers proved uniform (see uniform_barriers.hpp); `kernel` is emptied.
/// With groups of one lane that is the SPMD form. Out: `run`, which for the blocks [next, end) of the LanzaBlock runs
/// region after region, each for all groups (z, y, x innermost). From a region control goes straight to those that may
/// follow it: the last group that came to a barrier says which. A group that has left the kernel early takes part in
/// no further region. What follows a barrier of the grid begins with LanzaServices::wait_for_grid. A barrier that
/// counts is given, as its operand, how many lanes of the group count. Of what keep_block_part() has left of a kernel
/// it stops in front of the first block of the other part, and returns kIsOthers; `order` is that of the whole.
RunForm make_run_form(llvm::Function& kernel, const GroupShape& group, const BlockOrder& order);

}  // namespace lanza::compiler
