// The vector engine: from a kernel's host IR to its `run` function.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/codegen/report.hpp"
#include "compiler/passes/vector/group_shape.hpp"
#include "compiler/passes/vector/run/block_parts.hpp"
#include "compiler/passes/vector/run/run_form.hpp"

namespace lanza::compiler {

/// Whether threads of `kernel` (as the front end left it) wait at nothing but barriers and warp operations, or not at
/// all, as far as its calls are known: then it is worth the vector engine's trying.
bool waits_in_groups_only(llvm::Function& kernel);

/// Why the vector engine cannot run `kernel` (host IR, after RetargetPass) with such groups; no words: it can. Changes
/// nothing that matters to others.
Reason why_no_groups(llvm::Function& kernel, const GroupShape& group);

/// The words of why_no_groups() where nothing else is in the way.
inline constexpr char kTooLong[] = "the code between barriers would be too long";

/// Why code of several lanes at once cannot be made of an instruction of `kernel`; no words: it can.
Reason why_no_vectors(llvm::Function& kernel, const GroupShape& group);

/// A kernel in group form.
struct GroupCode {
  llvm::Function* function = nullptr;
  Reason why_not;  ///< where there is none
  unsigned gathers = 0, scatters = 0, lane_by_lane = 0;
};

/// Which blocks go through memory together, and which of their threads: rows of blocks as one, planes of a volume, a
/// grid's strides, narrow blocks in pairs. `group` becomes theirs; `wide` as for pair_blocks(). True where rows of
/// blocks stride over an array together, as far as the grid is wide.
bool arrange_blocks(llvm::Function& kernel, GroupShape& group, bool wide, const llvm::TargetMachine& host);

/// The kernel in group form, several lanes at once. Where that failed `kernel` is of no use any more.
GroupCode widen_kernel(llvm::Function& kernel, const GroupShape& group, const llvm::TargetMachine& host);

/// Its `run`, or that of a part, optimised. `kernel` is gone afterwards.
RunForm build_groups(llvm::Function& kernel, GroupShape group, llvm::TargetMachine& host,
                     BlockPart part = BlockPart::All);

}  // namespace lanza::compiler
