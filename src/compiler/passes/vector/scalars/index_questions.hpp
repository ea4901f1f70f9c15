// Which lanes of a group answer a question on thread indices how.
#pragma once

#include <optional>

#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/analysis/shapes.hpp"

namespace lanza::compiler {

/// Whether a number is made of the thread's or the block's indices, among others.
bool is_of_place(const llvm::Value* value, unsigned depth = 8);

/// Whether it compares numbers that are made of thread indices, and of what all lanes share.
bool asks_for_index(const llvm::ICmpInst& compare, const Shapes& shapes);

/// Whether a condition keeps threads from places beyond a bound: `x < w && y < h`.
bool bounds_index(const llvm::Value* condition, const Shapes& shapes);

/// `lane == 0`, asked for that truth: never all lanes of a group.
bool holds_for_one(const llvm::ICmpInst& compare, bool truth, const Shapes& shapes);

/// Whether one lane of a group at most comes to the block: it lies behind such questions.
bool runs_for_one(const llvm::BasicBlock& block, const Shapes& shapes);

/// `x % 2 == 0`, `(x & 3) < 2`: never the same for all.
bool alternates(const llvm::ICmpInst& compare, const Shapes& shapes);

/// `t > i` for i from 0 on, asked for that truth, where every group begins with the block's first thread: never all
/// lanes.
bool leaves_out_first(const llvm::ICmpInst& compare, bool truth, const Shapes& shapes);

/// The answer of all but the first threads, or of all but the last ones: true for `x < n`, false for `x < 2`.
bool holds_for_many(const llvm::ICmpInst& compare, const Shapes& shapes);

/// The answer of all threads but those at a border that is asked about from several sides: false for
/// `x == 0 || x == w - 1 || y == 0`, true for `x > 0 && x < w - 1`. None: it is another kind of question.
std::optional<bool> answer_inside(const llvm::Value* condition, const Shapes& shapes);

}  // namespace lanza::compiler
