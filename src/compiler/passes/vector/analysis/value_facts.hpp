// What is known of values, by the value.
#pragma once

#include <memory>

#include <llvm/IR/Value.h>
#include <llvm/IR/ValueMap.h>

namespace lanza::compiler {

/// Facts are never those of another value: a value that is erased takes its own with it, so that what is made at its
/// address later has none; where a value is replaced, the other one does not inherit them. A fact stays where it is
/// until its value is erased.
struct ForgetErased : llvm::ValueMapConfig<const llvm::Value*> {
  enum { FollowRAUW = false };
};
template <class Fact>
using ValueFacts = llvm::ValueMap<const llvm::Value*, std::unique_ptr<const Fact>, ForgetErased>;

}  // namespace lanza::compiler
