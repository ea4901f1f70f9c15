// Which loops must be unrolled in full: over private arrays, which then live in registers, and over barriers.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: rotated loops. Out: marked llvm.loop.unroll.full, for loop-unroll-full to obey:
/// - loops that index a private array, where unrolling makes every index of that array a constant. The array's address
///   does not escape, and what indexes it, on whatever way (`g = i < 16 ? i : 5 * i % 16`), depends on nothing but
///   constants, tables of them and counters of loops that are unrolled, and so do the turns of those loops (a
///   triangle's: `for (b = 0; b < 8 - a; b++)`). With `block_is_known`, and more elements than registers, not of arrays
///   that live through a loop which adds something up by them in order, and changes some of them: these loops are
///   marked llvm.loop.unroll.disable;
/// - with `block_is_known`, loops of few turns that hold a synchronisation point: their conditions become constants,
///   and no value is carried across the cut by the loop. Those that only shift neighbours in shared memory of more
///   than registers hold gain little, and may cost less, unless they take two buffers by turns, of which nobody knows
///   in a loop that they are two, or half as many threads work in each turn as in the one before;
/// - with it, loops in which the threads of a block stride over little more than there are of them (the halo of a
///   tile): what most turns have in common are masks that are constant, or none. Only where the user says nothing;
/// - with it, innermost loops that take offsets from a table of constants (`in[i + offsets[k]]`): what all lanes
///   load is known to lie side by side then; or factors of integers (`sum += weights[k] * in[i + k]`);
/// - with it, innermost loops over a filter's taps (`sum += taps[k] * row[threadIdx.x + k]`, in shared memory): what a
///   turn reads is what the one before did, moved by a lane, so that registers are shifted instead;
/// - with it, loops over a place's neighbours on a ring that the launch makes sure of (`(y + dy + h) % h`): each is a
///   choice then (launch_rings.hpp), where a counter leaves a division in each turn.
/// A budget of instructions a function bounds what this may cost; what does not fit stays as it is. Changes metadata
/// only.
struct MarkUnrollPass : llvm::PassInfoMixin<MarkUnrollPass> {
  bool block_is_known = false;

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
