// Sums of the products of two words' bytes are what a processor has instructions for.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: code with vectors. Out: additions of vectors of 32 bits of which four are the products of the bytes of two
/// words, the first by the first and so on (`__dp4a`, or written by hand), each byte with or without a sign, are
/// VPDPBUSD where the host has VNNI, else VPMADDWD of every other byte. The same bits: nothing wraps but the sum. True
/// when something changed.
bool add_byte_products(llvm::Function& run, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
