// Records that a thread writes as a whole, though it changes some members only.
#pragma once

#include <optional>

#include <llvm/IR/Instruction.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// Where a store lies in what the source writes there at once.
struct RecordWrite {
  int64_t offset;  ///< of the store, in bytes from the first that is written
  int64_t bytes;   ///< that are written
};

/// What NoteRecordWritesPass knows of the store. Whoever makes a store one of other threads too drops it, as LLVM does
/// (forget_record_write()).
std::optional<RecordWrite> record_write(const llvm::Instruction& store);
void forget_record_write(llvm::Instruction& store);

/// In: variables are registers, nothing else is simplified yet. Out: in `Particle p = all[i]; p.x += p.vx; all[i] = p;`
/// LLVM drops the stores of members that keep their value. The others are noted to be parts of a whole that the thread
/// writes there: its other bytes may be written again, with what they hold, as no other thread may use them meanwhile.
/// So records need not be stored around members.
struct NoteRecordWritesPass : llvm::PassInfoMixin<NoteRecordWritesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
