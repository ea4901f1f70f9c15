#include "compiler/passes/share_extensions.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <tuple>
#include <utility>

using namespace llvm;

namespace lanza::compiler {

static bool is_elsewhere(const Use& use, const BasicBlock* block) {
  return cast<Instruction>(use.getUser())->getParent() != block;
}

// Addresses are computed where they are used: CodeGenPrepare takes what they are made of there.
static bool lives_beyond(const Instruction& value, const BasicBlock* block) {
  return any_of(value.uses(), [&](const Use& use) {
    auto* address = dyn_cast<GetElementPtrInst>(use.getUser());
    return is_elsewhere(use, block) || (address && lives_beyond(*address, block));
  });
}

// Where a use reads or writes memory, CodeGenPrepare fears a reload in front of it.
static bool wants_own_register(const Use& use) { return isa<PHINode, LoadInst, StoreInst>(use.getUser()); }

static bool should_share(const CastInst& extension, const TargetTransformInfo& host) {
  auto* narrow = dyn_cast<Instruction>(extension.getOperand(0));
  const BasicBlock* block = extension.getParent();
  if (!narrow || narrow->getParent() != block || extension.getType()->isVectorTy()) return false;
  if (narrow->hasOneUse() || !host.isTruncateFree(extension.getType(), narrow->getType())) return false;
  return lives_beyond(extension, block) &&
         none_of(narrow->uses(), [&](const Use& use) { return is_elsewhere(use, block) && wants_own_register(use); });
}

static void share(CastInst& extension) {
  Value* narrow = extension.getOperand(0);
  DenseMap<BasicBlock*, Value*> truncated;
  for (Use& use : make_early_inc_range(narrow->uses())) {
    if (!is_elsewhere(use, extension.getParent())) continue;
    BasicBlock* block = cast<Instruction>(use.getUser())->getParent();
    Value*& there = truncated[block];
    if (!there) there = IRBuilder<>(block, block->getFirstInsertionPt()).CreateTrunc(&extension, narrow->getType());
    use.set(there);
  }
}

using Extensions = SmallVector<CastInst*, 16>;

// Where a block extends an integer that it has itself, all others come behind it.
static Extensions join_equals(const Extensions& extensions) {
  using Key = std::tuple<Value*, Type*, unsigned, const BasicBlock*>;
  auto key = [](const CastInst& extension, const BasicBlock* block) {
    return Key{extension.getOperand(0), extension.getType(), extension.getOpcode(), block};
  };
  DenseMap<Key, CastInst*> first;
  for (CastInst* extension : extensions) first.insert({key(*extension, extension->getParent()), extension});
  Extensions kept;
  SmallVector<std::pair<CastInst*, CastInst*>, 16> equals;
  for (CastInst* extension : extensions) {
    auto* narrow = dyn_cast<Instruction>(extension->getOperand(0));
    CastInst* same = narrow ? first.lookup(key(*extension, narrow->getParent())) : nullptr;
    if (!same) same = first.lookup(key(*extension, extension->getParent()));
    if (same == extension)
      kept.push_back(extension);
    else
      equals.emplace_back(extension, same);
  }
  for (auto [extension, same] : equals) {
    same->andIRFlags(extension);
    extension->replaceAllUsesWith(same);
    extension->eraseFromParent();
  }
  return kept;
}

void share_extensions(Function& function, const TargetTransformInfo& host) {
  Extensions extensions;
  for (Instruction& i : instructions(function))
    if (isa<ZExtInst, SExtInst>(i)) extensions.push_back(cast<CastInst>(&i));
  for (CastInst* extension : join_equals(extensions))
    if (should_share(*extension, host)) share(*extension);
}

}  // namespace lanza::compiler
