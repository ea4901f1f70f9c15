// Gathers and scatters whose neighbours along another axis lie beside them in memory.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// A gather or a scatter by all lanes.
bool is_full_gather(const llvm::Instruction& i);
bool is_full_scatter(const llvm::Instruction& i);

/// Whether it is one, from a scalar and any indices (`in[x * height + y]`, lanes along x), and that of the next group
/// along `axis`, in a kernel in group form, lies beside it, element by element, behind it or in front (`[x * height +
/// height - 1 - y]`).
bool is_column_along(const llvm::Instruction& access, unsigned axis);

/// Whether the kernel has such accesses along one of the axes, where the host has registers for tiles of them.
bool has_columns(llvm::Function& kernel, llvm::ArrayRef<unsigned> axes);

}  // namespace lanza::compiler
