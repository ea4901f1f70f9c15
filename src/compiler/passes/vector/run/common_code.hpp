// Code that lies behind several barriers begins with a barrier of its own, and is compiled once.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in group form, or of single threads, its barriers proved to be met by all. Regions are all that can be
/// reached from a barrier, so that the body of a loop around barriers is part of two, the one before the loop and the
/// one behind its last barrier, and so is what follows behind the loop:
///
///     if (n > 0) do { body; barrier; work; barrier; } while (...);  rest;
///
/// Out: where that is much code the body and the rest begin with barriers, which is always allowed where all threads
/// come together, and barriers behind which nothing is done until the next are gone: the last one of the loop. Loops in
/// which a turn's end and the next one's beginning are work of one region stay as they are: groups would walk through
/// their memory once more. True when something changed.
bool part_common_code(llvm::Function& kernel);

}  // namespace lanza::compiler
