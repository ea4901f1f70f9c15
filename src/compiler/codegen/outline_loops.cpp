#include "compiler/codegen/outline_loops.hpp"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

// Instructions: of a function that is worth it (some 15 ms of code generation), of a loop, of all loops.
constexpr unsigned kLeast = 600, kLeastOfLoop = 200;
constexpr unsigned kLeastPercent = 20, kMostPercent = 55;
constexpr unsigned kMostValues = 24;   // into a loop and out of it
constexpr unsigned kMostUses = 10000;  // of a variable

using Allocas = SmallPtrSet<const AllocaInst*, 8>;

unsigned size_of(const Loop& loop) {
  unsigned size = 0;
  for (const BasicBlock* block : loop.blocks()) size += block->sizeWithoutDebug();
  return size;
}

// Addresses of constant places, as of slots, stand where they are used, as code generation puts them anyway: each would
// be one more value that goes into a loop.
void sink_constant_places(Function& run) {
  for (BasicBlock& block : run)
    for (Instruction& i : make_early_inc_range(block)) {
      auto* place = dyn_cast<GetElementPtrInst>(&i);
      if (!place || !place->hasAllConstantIndices() || place->getType()->isVectorTy()) continue;
      SmallDenseMap<BasicBlock*, Instruction*, 4> copies;
      for (Use& use : make_early_inc_range(place->uses())) {
        auto* user = cast<Instruction>(use.getUser());
        if (isa<PHINode>(user) || user->getParent() == &block) continue;
        Instruction*& copy = copies[user->getParent()];
        if (!copy) {
          copy = place->clone();
          copy->insertInto(user->getParent(), user->getParent()->getFirstInsertionPt());
        }
        use.set(copy);
      }
      if (place->use_empty()) place->eraseFromParent();
    }
}

bool can_outline(const Loop& loop, const CodeExtractorAnalysisCache& cache, DominatorTree& dominators) {
  CodeExtractor extractor(loop.getBlocks(), &dominators);
  if (!extractor.isEligible()) return false;
  SetVector<Value*> inputs, outputs, sinks, hoists;
  BasicBlock* exit = nullptr;
  extractor.findAllocas(cache, sinks, hoists, exit);
  extractor.findInputsOutputs(inputs, outputs, sinks);
  return inputs.size() + outputs.size() <= kMostValues;
}

/// None lies in another one. Empty: too few are fit for it.
SmallVector<Loop*, 8> choose(Function& run, const LoopInfo& loops, DominatorTree& dominators, unsigned size) {
  const CodeExtractorAnalysisCache cache(run);
  using Sized = std::pair<unsigned, Loop*>;
  std::vector<Sized> open;  // the longest last
  auto add = [&](Loop* loop) {
    if (const unsigned s = size_of(*loop); s >= kLeastOfLoop)
      open.insert(upper_bound(open, Sized{s, loop}, [](auto& a, auto& b) { return a.first < b.first; }), {s, loop});
  };
  for (Loop* loop : loops) add(loop);
  SmallVector<Loop*, 8> chosen;
  unsigned taken = 0;
  while (!open.empty()) {
    const auto [s, loop] = open.back();
    open.pop_back();
    if (100 * (taken + s) <= kMostPercent * size && can_outline(*loop, cache, dominators)) {
      chosen.push_back(loop);
      taken += s;
    } else {
      for (Loop* inner : *loop) add(inner);
    }
  }
  if (100 * taken < kLeastPercent * size) chosen.clear();
  return chosen;
}

// Variables of which nobody else has the address.
Allocas own_variables(Function& run) {
  Allocas own;
  for (Instruction& i : run.getEntryBlock())
    if (auto* variable = dyn_cast<AllocaInst>(&i); variable && !PointerMayBeCaptured(variable, true, true, kMostUses))
      own.insert(variable);
  return own;
}

// What code generation knew of the variables: nothing else is where they are.
void keep_apart(const Function& loop, const Allocas& own) {
  const auto* call = cast<CallBase>(*loop.user_begin());
  DenseMap<const Value*, unsigned> pointers;
  for (const Value* argument : call->args())
    if (argument->getType()->isPointerTy()) ++pointers[getUnderlyingObject(argument)];
  for (auto [parameter, argument] : zip(const_cast<Function&>(loop).args(), call->args())) {
    const Value* object = argument->getType()->isPointerTy() ? getUnderlyingObject(argument) : nullptr;
    auto* variable = dyn_cast_or_null<AllocaInst>(object);
    if (variable && own.contains(variable) && pointers[object] == 1) parameter.addAttr(Attribute::NoAlias);
  }
}

// Constants are in both modules.
std::unique_ptr<Module> take_out(Module& module, ArrayRef<Function*> functions) {
  ValueToValueMapTy map;
  std::unique_ptr<Module> taken = CloneModule(module, map, [&](const GlobalValue* value) {
    auto* variable = dyn_cast<GlobalVariable>(value);
    return variable ? variable->isConstant() : is_contained(functions, value);
  });
  for (Function* function : functions) {
    function->deleteBody();
    function->setVisibility(GlobalValue::HiddenVisibility);
  }
  return taken;
}

// What loops refer to is constant, or nowhere else.
bool is_all_there_is(const Function& run) {
  const Module& module = *run.getParent();
  return all_of(module.globals(), [](const GlobalVariable& g) { return g.isDeclaration() || g.isConstant(); }) &&
         all_of(module, [&](const Function& f) { return f.isDeclaration() || &f == &run; });
}

}  // namespace

std::unique_ptr<Module> outline_loops(Function& run, StringRef name) {
  Module& module = *run.getParent();
  const unsigned size = run.getInstructionCount();
  if (size < kLeast || !is_all_there_is(run)) return nullptr;
  sink_constant_places(run);
  DominatorTree dominators(run);
  const LoopInfo loops(dominators);
  SmallVector<SmallVector<BasicBlock*, 16>, 8> bodies;
  for (const Loop* loop : choose(run, loops, dominators, size))
    bodies.emplace_back(loop->block_begin(), loop->block_end());
  const Allocas own = own_variables(run);
  SmallVector<Function*, 8> functions;
  for (const auto& body : bodies) {
    const CodeExtractorAnalysisCache cache(run);
    Function* loop = CodeExtractor(body).extractCodeRegion(cache);
    if (!loop) continue;
    loop->setName(name + "." + Twine(functions.size()));
    loop->setLinkage(GlobalValue::ExternalLinkage);
    loop->setVisibility(GlobalValue::HiddenVisibility);
    keep_apart(*loop, own);
    functions.push_back(loop);
  }
  return functions.empty() ? nullptr : take_out(module, functions);
}

}  // namespace lanza::compiler
