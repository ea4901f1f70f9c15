// Addresses that go up by the same from turn to turn, as whole numbers do: least and greatest at a loop's ends.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>

namespace lanza::compiler {

/// The addition of a constant that makes the next value of a loop's counter; null: it is none.
llvm::BinaryOperator* step_of_counter(const llvm::PHINode& phi);

/// Whether nothing wraps in a value, a sum of what is the same in all of `outer` and of counters of `headers`, times
/// that.
bool is_sum_of_steps(const llvm::Value& value, const llvm::Loop& outer,
                     llvm::ArrayRef<const llvm::BasicBlock*> headers);

/// The same where these counters have the values `known`, computed where the builder stands, in front of `outer`.
/// Without flags: a guard may be what keeps them.
using KnownValues = llvm::DenseMap<const llvm::Value*, llvm::Value*>;
llvm::Value* computed_at(llvm::Value* value, const llvm::Loop& outer, KnownValues& known, llvm::IRBuilder<>& b);

}  // namespace lanza::compiler
