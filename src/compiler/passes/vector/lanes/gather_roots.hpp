// How the lanes of a gather lie, as far as their indices tell.
#pragma once

#include <llvm/IR/Value.h>

namespace lanza::compiler {

/// Whether they are made of lanes' numbers and what all share, without a load: coordinates, and not contents of a
/// table.
bool is_computed(llvm::Value* indices);

/// Whether neighbours share a place here and there, or lie side by side but for steps: they are made of quotients. Not
/// of coordinates that were cut off to integers, which lie anywhere in an image that is turned (bytes of one, asked
/// about under a mask: 1.4 of the time).
bool has_quotients(llvm::Value* indices);

/// Whether they go back and forth in every group: sums with remainders by less than there are lanes.
bool go_back(llvm::Value* indices, unsigned lanes);

/// `lanes + all`, or `lanes - all`, of which all lanes share the latter; null: they are no such sum.
struct SharedTerm {
  llvm::Value *lanes = nullptr, *all = nullptr;
  bool is_taken_off = false;
};
SharedTerm shared_term(llvm::Value* indices);

/// What lanes move on from: what is added for all of them, and cut off at edges, changes little about who is near whom.
llvm::Value* root_of(llvm::Value* indices);

}  // namespace lanza::compiler
