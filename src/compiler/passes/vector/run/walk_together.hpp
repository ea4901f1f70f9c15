// Copies of the kernel for groups that walk together through guards at which each might go its own way.
#pragma once

#include <optional>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// i1 (i1): true where it is for all groups that walk together.
inline constexpr char kTogether[] = "lanza.together";

/// The same where it is for one of them.
inline constexpr char kAnyGroup[] = "lanza.any-group";

/// In: a kernel in group form without barriers, which may be run group after group in any order. Out, where it begins
/// with guards that neighbours along the axes may pass or not, and loops come behind them (`row < n && column < n`), or
/// what neighbours do alike (shares_work()):
///
///     if (lanza.together(the guards are passed)) copy; else original, one group after the other
///
/// The copy takes the guards as passed, so that what it loads may be shared. True when it was made. Of two ways that
/// both lead there the first one counts, as that is where version_guards() has groups whose lanes all go, and
/// promote_sums() has sums in registers: such a question counts behind stores, too, if it reads no memory.
bool ask_together(llvm::Function& kernel, const GroupShape& group, llvm::ArrayRef<unsigned> axes);

/// Behind ask_together(), where it is known along which axes groups walk together:
///
///     if (lanza.together(each group has lanes that pass)) copy that masks the others; else original, one by one
///
/// and, where nothing would be seen of a group without such lanes, lanza.any-group. Of an image whose rows end within a
/// group one group of each row has such lanes, and the last blocks' last rows are beyond it. Not along rows that run as
/// one: they have one end.
void ask_some_together(llvm::Function& kernel, const GroupShape& group, llvm::ArrayRef<unsigned> axes);

/// Where the threads of a row end that runs as one (GroupShape::whole_rows), counted as groups are, where the builder
/// stands.
llvm::Value* row_end(llvm::IRBuilderBase& b, const GroupShape& group);

/// The original: everything that is reached from behind `entry` before `exit`, without values that go in or come out.
struct OneByOne {
  llvm::BasicBlock *entry, *exit;
};
std::optional<OneByOne> find_one_by_one(llvm::Function& kernel);

llvm::CallInst* as_together(const llvm::Value& value);

/// Where groups walk alone, or all that walk together have been asked: the question is its operand.
void answer_together(llvm::Function& kernel);

/// Where none walk together: the original, alone.
void drop_together(llvm::Function& kernel);

}  // namespace lanza::compiler
