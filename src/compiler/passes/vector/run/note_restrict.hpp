// What `__restrict__` says of a kernel's arguments, said of its loads and stores.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel whose pointers still are its arguments. Out: its loads and stores by those that are `__restrict__`, and
/// all others of which the arguments are known, have scopes that say so: the arguments will be loads themselves, of
/// which LLVM knows nothing, and `bias[channel]` be loaded for each group of lanes behind the store of the one before.
/// It holds for all threads of a launch: if one writes by such a pointer what another one reads by another, either
/// nothing is in between and nobody knows who comes first, or it changes behind the back of who reads. Returns all
/// scopes; null: there are none.
llvm::MDNode* note_restrict(llvm::Function& kernel);

/// On run form: all scopes. Who adds an access of its records says that it is in none of them.
inline constexpr char kArgumentScopes[] = "lanza.argument-scopes";

/// In: run form of such a kernel. Out: its records, which say where a group is, are in none of these scopes.
void note_records(llvm::Function& run, llvm::MDNode* scopes);

}  // namespace lanza::compiler
