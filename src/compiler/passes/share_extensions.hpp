// An integer and its extension need one register beyond their block.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a function's final code. Out: what the block that has an integer extends is extended nowhere else, and nothing
/// twice in one block. Where an integer and its sign or zero extension both live beyond the block that has them, as
/// does an extension of which an address is made that is used elsewhere, uses of the integer in other blocks truncate
/// the extension, once in each block, if that costs nothing. LLVM's CodeGenPrepare does the same, but one use for each
/// of its rounds over the whole function: an index that every row of a tile asks for was 70 rounds, 480 atomics some
/// 7000.
void share_extensions(llvm::Function& function, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
