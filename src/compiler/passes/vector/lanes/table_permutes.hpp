// Gathers out of tables that a few registers hold.
#pragma once

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: code with vectors. Out, on a host that permutes registers by numbers at run time (AVX-512; of bytes VBMI):
/// gathers from places that all lie within 256 bytes behind one address (AVX2: 64 bytes or 16 words), as is known of
/// their indices (a byte, `x & 15`, `6 * k + i % 6`), are loads of that table and permutations of it. Where nobody
/// knows how much memory lies there,
///
///     if (all of the table is on one page) permuted loads; else the gather
///
/// as one lane at least reads from that page. True when something changed.
bool permute_tables(llvm::Function& run, const llvm::TargetMachine& host);

/// Whether lanes that load through `address`, whose base they share, will be permuted out of such a table.
bool is_in_short_table(const llvm::GetElementPtrInst& address, llvm::Type* element, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
