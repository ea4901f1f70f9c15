// Arithmetic on halves that is done on floats.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in group form, of a host without arithmetic on halves. Out: what each operation on halves is rounded by
/// is noted as a cost (cost_notes.hpp): results that are rounded to a half and widened again for the next operation,
/// and sums of products that are asked whether two roundings would show (__lanza_half_fma). Conversions of what is
/// loaded and stored are not: the source's own are no more.
void note_half_roundings(llvm::Function& kernel);

}  // namespace lanza::compiler
