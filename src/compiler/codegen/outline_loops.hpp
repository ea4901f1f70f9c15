// Some of a long function's loops and stretches become functions of a module of their own.
#pragma once

#include <memory>

#include <llvm/IR/Module.h>

namespace lanza::compiler {

/// In: final code, `run`, which nobody else's code calls. Out: loops that make up some half of it, whole and outermost
/// ones first, are functions of the module that is returned, hidden, and `run` calls them: each half may be compiled by
/// itself. A call takes some nanoseconds, so no loop is short. Where there are too few, stretches of what an outermost
/// loop comes to once a turn are such functions, too: trees and scans are straight code when their loops are unrolled.
/// Of a stretch that is nearly all a loop it is the loop alone, which is not called where it has no turn.
/// Variables whose addresses would be too many values are one. Null: `run` is short, or not all of its module's code,
/// or nothing is fit for it, or more goes in and out than is worth it; then no more has changed than where addresses of
/// constant places stand. `name`: what the functions' names begin with.
std::unique_ptr<llvm::Module> outline_loops(llvm::Function& run, llvm::StringRef name);

}  // namespace lanza::compiler
