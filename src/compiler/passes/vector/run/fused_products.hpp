// Products that are the same for all threads, made again with each sum.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in group form, for a host whose sums have units of their own (adds_beside_products()). Out: fused
/// multiply-adds whose factors both are the same for all lanes are noted as costs (cost_notes.hpp), where they are a
/// good part of what the kernel computes with floats.
void note_fused_products(llvm::Function& kernel);

}  // namespace lanza::compiler
