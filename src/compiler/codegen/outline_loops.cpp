#include "compiler/codegen/outline_loops.hpp"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>

#include "compiler/codegen/join_variables.hpp"
#include "compiler/codegen/stretches.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

// Instructions: of a function that is worth it (some 15 ms of code generation), of a loop, of all loops.
constexpr unsigned kLeast = 600, kLeastOfLoop = 200;
constexpr unsigned kLeastPercent = 20, kMostPercent = 55;
constexpr unsigned kEnoughPercent = 35, kMostPercentOfStretch = 80, kMostTries = 16;
constexpr unsigned kMostValues = 28;  // into a loop and out of it
// Of a stretch, and instructions of it for each: with 8 transpositions take 1.06 of the time.
constexpr unsigned kMostValuesOnce = 40, kLeastOfValue = 20;
constexpr unsigned kMostlyPercent = 85;  // of a stretch
constexpr unsigned kMostUses = 10000;    // of a variable

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

// The loop that a stretch is but for little, null: there is none. Without the rest, what is asked in front of it (is
// anything left of a row?) is asked before the call.
const Loop* most_of(const Stretch& stretch, const Loop& around) {
  for (const Loop* loop : around.getLoopsInPreorder())
    if (is_contained(stretch.blocks, loop->getHeader()) && 100 * size_of(*loop) >= kMostlyPercent * stretch.size)
      return loop;
  return nullptr;
}

/// What becomes functions of their own.
class Choice {
 public:
  Choice(Function& run, const LoopInfo& loops, DominatorTree& dominators)
      : run_(run), cache_(run), dominators_(dominators), size_(run.getInstructionCount()) {
    most_ = kMostPercent * size_ / 100;
    take_loops(loops, /*stretches=*/false);
    if (100 * taken_ >= kEnoughPercent * size_) return;
    bodies.clear();
    variables.clear();
    inside_.clear();
    taken_ = 0;
    take_loops(loops, /*stretches=*/true);
    if (100 * taken_ < kLeastPercent * size_) bodies.clear();
  }

  SmallVector<SmallVector<BasicBlock*, 16>, 8> bodies;  ///< empty: too little is fit for it
  SmallSetVector<AllocaInst*, 8> variables;             ///< to be joined

 private:
  void take_loops(const LoopInfo& loops, bool stretches) {
    for (Loop* loop : loops) add(loop);
    while (!open_.empty()) {
      const auto [size, loop] = open_.back();
      open_.pop_back();
      if (taken_ + size <= most_ && take(loop->getBlocks(), size, kMostValues)) continue;
      if (stretches && loop->isOutermost()) take_stretches(loop);  // inside, a bitonic sort takes twice the time
      for (Loop* inner : *loop) add(inner);
    }
  }

  void add(Loop* loop) {
    using Sized = std::pair<unsigned, Loop*>;
    if (const unsigned s = size_of(*loop); s >= kLeastOfLoop && !is_taken(loop->getHeader()))
      open_.insert(upper_bound(open_, Sized{s, loop}, [](auto& a, auto& b) { return a.first < b.first; }), {s, loop});
  }

  bool is_taken(const BasicBlock* block) const { return inside_.contains(block); }

  // Those first that leave two halves.
  void take_stretches(const Loop* loop) {
    auto found = stretches_of(*loop, dominators_, kLeastOfLoop, kMostPercentOfStretch * size_ / 100);
    auto lesser = [&](const Stretch& s) { return std::min(s.size, size_ - s.size); };
    stable_sort(found, [&](const Stretch& a, const Stretch& b) { return lesser(a) > lesser(b); });
    unsigned tries = 0;
    for (const Stretch& stretch : found) {
      if (taken_ && taken_ + stretch.size > most_) continue;
      if (any_of(stretch.blocks, [&](BasicBlock* b) { return is_taken(b); })) continue;
      if (tries++ == kMostTries) return;
      const unsigned most = std::min(stretch.size / kLeastOfValue, kMostValuesOnce);
      const Loop* inner = most_of(stretch, *loop);
      if (!inner || !take(inner->getBlocks(), size_of(*inner), most)) take(stretch.blocks, stretch.size, most);
    }
  }

  bool take(ArrayRef<BasicBlock*> blocks, unsigned size, unsigned most_values) {
    if (!can_outline(blocks, most_values)) return false;
    bodies.emplace_back(blocks);
    inside_.insert(blocks.begin(), blocks.end());
    taken_ += size;
    return true;
  }

  // Not too much goes in and out, if need be when the variables are one.
  bool can_outline(ArrayRef<BasicBlock*> blocks, unsigned most) {
    CodeExtractor extractor(blocks, &dominators_);
    if (!extractor.isEligible()) return false;
    SetVector<Value*> inputs, outputs, sinks, hoists;
    BasicBlock* exit = nullptr;
    extractor.findAllocas(cache_, sinks, hoists, exit);
    extractor.findInputsOutputs(inputs, outputs, sinks);
    const size_t values = inputs.size() + outputs.size();
    if (values <= most) return true;
    SmallVector<AllocaInst*, 8> joinable;
    for (Value* input : inputs)
      if (auto* variable = dyn_cast<AllocaInst>(input); variable && can_join(*variable)) joinable.push_back(variable);
    if (joinable.empty() || values - joinable.size() + 1 > most) return false;
    variables.insert(joinable.begin(), joinable.end());
    return true;
  }

  Function& run_;
  const CodeExtractorAnalysisCache cache_;
  DominatorTree& dominators_;
  const unsigned size_;
  unsigned most_, taken_ = 0;
  std::vector<std::pair<unsigned, Loop*>> open_;  ///< the longest last
  SmallPtrSet<const BasicBlock*, 32> inside_;
};

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

// What goes out of a loop is stored where it is defined, turn by turn: behind its only way out it is defined once.
static void leave_in_one_place(SmallVectorImpl<BasicBlock*>& body) {
  const SmallPtrSet<const BasicBlock*, 16> inside(body.begin(), body.end());
  BasicBlock *last = nullptr, *exit = nullptr;
  for (BasicBlock* block : body)
    for (BasicBlock* next : successors(block)) {
      if (inside.contains(next)) continue;
      if (exit) return;
      last = block;
      exit = next;
    }
  if (!exit || exit->isEHPad()) return;
  BasicBlock* behind = SplitBlockPredecessors(exit, {last}, ".behind");
  if (!behind) return;
  const auto is_outside = [&](const Use& use) {
    const BasicBlock* block = cast<Instruction>(use.getUser())->getParent();
    return block != behind && !inside.contains(block);
  };
  for (BasicBlock* block : body)
    for (Instruction& i : *block) {
      if (none_of(i.uses(), is_outside)) continue;
      auto* out = PHINode::Create(i.getType(), 1, "", behind->begin());
      i.replaceUsesWithIf(out, [&](Use& use) { return use.getUser() != out && is_outside(use); });
      out->addIncoming(&i, last);
    }
  body.push_back(behind);
}

static SmallVector<Function*, 8> extract(Function& run, StringRef name) {
  const CutBlocks cut(run);
  DominatorTree dominators(run);
  const LoopInfo loops(dominators);
  Choice choice(run, loops, dominators);
  if (choice.bodies.empty()) return {};
  join_variables(choice.variables.getArrayRef());
  sink_constant_places(run);
  const Allocas own = own_variables(run);
  SmallVector<Function*, 8> functions;
  for (auto& body : choice.bodies) {
    leave_in_one_place(body);
    const CodeExtractorAnalysisCache cache(run);
    Function* part = CodeExtractor(body).extractCodeRegion(cache);
    if (!part) continue;
    part->setName(name + "." + Twine(functions.size()));
    part->setLinkage(GlobalValue::ExternalLinkage);
    part->setVisibility(GlobalValue::HiddenVisibility);
    keep_apart(*part, own);
    functions.push_back(part);
  }
  return functions;
}

std::unique_ptr<Module> outline_loops(Function& run, StringRef name) {
  if (run.getInstructionCount() < kLeast || !is_all_there_is(run)) return nullptr;
  sink_constant_places(run);
  const SmallVector<Function*, 8> functions = extract(run, name);
  return functions.empty() ? nullptr : take_out(*run.getParent(), functions);
}

}  // namespace lanza::compiler
