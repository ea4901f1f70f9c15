// Notes on instructions that the compiler took for want of faster ones, until the report tells of them.
#pragma once

#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include "compiler/codegen/report.hpp"

namespace lanza::compiler {

inline constexpr char kGatherCost[] = "gather", kScatterCost[] = "scatter", kRowsCost[] = "rows",
                      kLeftApartCost[] = "loop left one by one", kSumCost[] = "sum in order",
                      kExtremumCost[] = "extremum", kMemoryCost[] = "values in memory",
                      kLaneByLaneCost[] = "lane by lane", kZeroProductCost[] = "product with 0",
                      kFusedCost[] = "fused product", kHalfCost[] = "halves in floats",
                      kSortCost[] = "sort for one element", kPartCost[] = "part of a record", kEdgeCost[] = "edge",
                      kRingCost[] = "ring", kQuotientCost[] = "quotient", kStrideCost[] = "grid stride";

/// Why a gather is one, where nobody knows better.
inline constexpr char kNoPattern[] = "lanes' addresses follow no pattern that is known";

/// Made where the choice is made; copies of the instruction have it too. `why`: see Cost.
void note_cost(llvm::Instruction& i, llvm::StringRef what, const llvm::Twine& why);

/// Of an extremum of floats that hardware's instruction for it does not give.
void note_costly_extremum(llvm::Instruction& i);

/// The note of `from`, if it has one.
void copy_cost_note(llvm::Instruction& to, const llvm::Instruction& from);

/// What the notes say, to a region's costs.
void add_noted_cost(const llvm::Instruction& i, std::vector<Cost>& costs);

/// In: a function. Out: the same without notes, for passes to which all metadata that they do not know is a hindrance.
void drop_cost_notes(llvm::Function& function);

}  // namespace lanza::compiler
