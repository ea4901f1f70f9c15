// Members of records, one a lane, from and to the vectors that records are in memory.
#pragma once

#include <llvm/ADT/BitVector.h>
#include <llvm/IR/IRBuilder.h>

namespace lanza::compiler {

/// Of a group's W records of R units each, memory holds R vectors of W elements one behind the other; lanes want vector
/// u to hold unit u of each record. Between widening and lowering either direction is one call without effects, so that
/// other passes see what it means: a struct of R vectors of R vectors.
llvm::CallInst* emit_take_apart(llvm::IRBuilderBase& b, llvm::ArrayRef<llvm::Value*> memory);
/// Units that are poison are nobody's.
llvm::CallInst* emit_put_together(llvm::IRBuilderBase& b, llvm::ArrayRef<llvm::Value*> units);

bool is_take_apart(const llvm::Value& value);
bool is_put_together(const llvm::Value& value);

/// How many shuffles of two vectors it takes, if only these results are wanted.
unsigned count_shuffles(const llvm::CallInst& call, const llvm::BitVector& wanted);

/// Out: no such call any more.
void lower_record_shuffles(llvm::Function& kernel);

}  // namespace lanza::compiler
