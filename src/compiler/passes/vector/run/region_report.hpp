// What the code of a region says of itself, for Kernel.report().
#pragma once

#include <llvm/ADT/iterator_range.h>
#include <llvm/IR/Function.h>

#include "compiler/codegen/report.hpp"

namespace lanza::compiler {

/// In: a region in run form, not optimised, with its notes of costs (cost_notes.hpp). `kept`: why values wait in memory
/// over the point where it ends; without words: none do.
RegionReport report_region(llvm::iterator_range<llvm::Function::iterator> region, bool vectorised, const Reason& kept);

}  // namespace lanza::compiler
