// Tiles of records in shared memory: each member becomes a tile of its own.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel, nvptx64 form, address spaces known. Lanes that read `s[i].x` of neighbours, or any other pattern of
/// places, read every second word; shuffles part them at each access, and put them together at each store. Out, for
/// arrays in shared memory of records of two to four numbers of one size (float2, int4), of which each access is of a
/// member, or of a whole record, and somewhere a thread computes with members of a record of its own: an array a
/// member. Records of which whole ones are only copied, or all threads read the same, stay. True when something
/// changed.
bool part_record_tiles(llvm::Function& kernel);

}  // namespace lanza::compiler
