#include "compiler/passes/vector/run/note_restrict.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostObjects = 4;    // that an address may be in
constexpr unsigned kMostArguments = 8;  // with scopes: each access of another one names them all

/// Of a load or store, also of lanes; null: it is another instruction.
const Value* address_of(const Instruction& i) {
  if (const Value* address = getLoadStorePointerOperand(&i)) return address;
  auto* call = dyn_cast<IntrinsicInst>(&i);
  if (!call) return nullptr;
  switch (call->getIntrinsicID()) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_gather:
    case Intrinsic::prefetch:
      return call->getArgOperand(0);
    case Intrinsic::masked_store:
    case Intrinsic::masked_scatter:
      return call->getArgOperand(1);
    default:
      return nullptr;
  }
}

/// Of whole objects; none: it may be in others.
SmallVector<const Value*, kMostObjects> known_objects(const Value* address) {
  SmallVector<const Value*, kMostObjects> objects;
  while (address->getType()->isVectorTy() && isa<GEPOperator>(address))
    address = cast<GEPOperator>(address)->getPointerOperand();
  if (address->getType()->isPointerTy()) getUnderlyingObjects(address, objects);
  auto is_known = [](const Value* v) { return isa<Argument, GlobalVariable, AllocaInst>(v); };
  if (objects.size() > kMostObjects || !all_of(objects, is_known)) objects.clear();
  return objects;
}

}  // namespace

MDNode* note_restrict(Function& kernel) {
  SmallMapVector<const Value*, MDNode*, kMostArguments> scopes;
  MDBuilder b(kernel.getContext());
  MDNode* domain = nullptr;
  for (const Argument& argument : kernel.args()) {
    if (!argument.hasNoAliasAttr() || argument.use_empty() || scopes.size() == kMostArguments) continue;
    if (!domain) domain = b.createAnonymousAliasScopeDomain("arguments");
    scopes[&argument] = b.createAnonymousAliasScope(domain);
  }
  if (scopes.empty()) return nullptr;
  for (Instruction& i : instructions(kernel)) {
    const Value* address = address_of(i);
    if (!address) continue;
    const auto objects = known_objects(address);
    if (objects.empty() || all_of(objects, [](const Value* v) { return isa<AllocaInst>(v); }))
      continue;  // nobody else leads there
    SmallVector<Metadata*, kMostArguments> own, others;
    for (auto& [argument, scope] : scopes) (is_contained(objects, argument) ? own : others).push_back(scope);
    auto add = [&](unsigned kind, ArrayRef<Metadata*> more) {
      if (!more.empty())
        i.setMetadata(kind, MDNode::concatenate(i.getMetadata(kind), MDNode::get(kernel.getContext(), more)));
    };
    if (own.size() == objects.size()) add(LLVMContext::MD_alias_scope, own);
    add(LLVMContext::MD_noalias, others);
  }
  return MDNode::get(kernel.getContext(),
                     map_to_vector<kMostArguments>(scopes, [](auto& each) -> Metadata* { return each.second; }));
}

void note_records(Function& run, MDNode* scopes) {
  run.setMetadata(kArgumentScopes, scopes);
  auto is_record = [&](const Value* object) {
    auto* argument = dyn_cast<Argument>(object);
    return argument && argument->getParent() == &run;
  };
  for (Instruction& i : instructions(run)) {
    const Value* address = address_of(i);
    if (address && address->getType()->isPointerTy() && is_record(getUnderlyingObject(address)))
      i.setMetadata(LLVMContext::MD_noalias, MDNode::concatenate(i.getMetadata(LLVMContext::MD_noalias), scopes));
  }
}

}  // namespace lanza::compiler
