#include "compiler/passes/vector/scalars/long_ends.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr uint64_t kLong = 1000;  // instructions, unrolled
constexpr unsigned kLeastTurns = 4;

/// The accesses of an array whose address does not escape.
struct Accesses {
  SmallVector<Use*, 8> addresses;  ///< of the array itself, as addresses are computed from it
  SmallVector<Instruction*, 16> loads, others;
  bool escapes = false;

  explicit Accesses(AllocaInst& array) {
    SmallSetVector<Instruction*, 16> pointers;
    pointers.insert(&array);
    for (size_t n = 0; n < pointers.size(); ++n)
      for (Use& use : pointers[n]->uses()) {
        auto* user = cast<Instruction>(use.getUser());
        if (pointers[n] == &array) addresses.push_back(&use);
        if (isa<GetElementPtrInst>(user))
          pointers.insert(user);
        else if (auto* load = dyn_cast<LoadInst>(user); load && load->isSimple())
          loads.push_back(load);
        else if (auto* store = dyn_cast<StoreInst>(user); store && store->isSimple() && use.getOperandNo() == 1)
          others.push_back(store);
        else if (user->isLifetimeStartOrEnd() || isa<MemSetInst>(user))
          others.push_back(user);
        else
          escapes = true;
      }
  }
};

class LongEnds {
 public:
  LongEnds(Function& function, LoopInfo& loops, DominatorTree& dominators, ScalarEvolution& evolution)
      : function_(function), loops_(loops), dominators_(dominators), evolution_(evolution) {}

  bool run() {
    SmallVector<Loop*, 4> ends;
    for (Loop* loop : loops_)
      if (is_long(*loop)) ends.push_back(loop);
    if (ends.empty()) return false;
    SmallVector<AllocaInst*, 8> arrays;
    for (Instruction& i : function_.getEntryBlock())
      if (auto* array = dyn_cast<AllocaInst>(&i); array && array->isStaticAlloca()) arrays.push_back(array);
    bool changed = false;
    for (AllocaInst* array : arrays)
      for (Loop* loop : ends) changed |= take(*array, *loop);
    return changed;
  }

 private:
  bool is_long(const Loop& loop) {
    return evolution_.getSmallConstantTripCount(&loop) >= kLeastTurns && !has_sync(loop) && unrolled_size(loop) > kLong;
  }

  bool take(AllocaInst& array, Loop& loop) {
    const Accesses accesses(array);
    auto is_inside = [&](const Instruction* i) { return loop.contains(i); };
    if (accesses.escapes || none_of(accesses.loads, is_inside) || any_of(accesses.others, is_inside)) return false;
    const bool is_summed = any_of(accesses.others, [&](const Instruction* i) {
      const Loop* around = loops_.getLoopFor(i->getParent());
      return around && has_sync(*around->getOutermostLoop());
    });
    if (!is_summed || !all_of(accesses.addresses, [&](const Use* use) { return stays_on_its_side(*use, loop); }))
      return false;
    if (!loop.getLoopPreheader() && !InsertPreheaderForLoop(&loop, &dominators_, &loops_, nullptr, false)) return false;
    copy(array, loop, accesses);
    addStringMetadataToLoop(&loop, "llvm.loop.unroll.disable", 1);
    return true;
  }

  // Of loops whose turns nobody knows one turn.
  uint64_t unrolled_size(const Loop& loop) {
    uint64_t size = 0;
    for (BasicBlock* block : loop.blocks())
      if (loops_.getLoopFor(block) == &loop) size += block->sizeWithoutDebug();
    for (const Loop* inner : loop) size += unrolled_size(*inner);
    return size * std::max(1U, evolution_.getSmallConstantTripCount(&loop));
  }

  static bool has_sync(const Loop& loop) {
    return any_of(loop.blocks(), [](BasicBlock* block) {
      return any_of(*block, [](Instruction& i) { return as_sync(i) != nullptr; });
    });
  }

  // An address that is computed outside is used there.
  static bool stays_on_its_side(const Use& use, const Loop& loop) {
    auto* user = cast<Instruction>(use.getUser());
    if (loop.contains(user)) return true;
    SmallSetVector<Instruction*, 8> pointers;
    pointers.insert(user);
    for (size_t n = 0; n < pointers.size(); ++n) {
      if (loop.contains(pointers[n])) return false;
      if (!isa<GetElementPtrInst>(pointers[n])) continue;
      for (User* next : pointers[n]->users()) pointers.insert(cast<Instruction>(next));
    }
    return true;
  }

  void copy(AllocaInst& array, Loop& loop, const Accesses& accesses) const {
    auto* kept = cast<AllocaInst>(array.clone());
    kept->insertAfter(&array);
    kept->setMetadata(kStaysInMemory, MDNode::get(function_.getContext(), {}));
    IRBuilder<> b(loop.getLoopPreheader()->getTerminator());
    const uint64_t size = function_.getDataLayout().getTypeAllocSize(array.getAllocatedType());
    for (Use* use : accesses.addresses)
      if (loop.contains(cast<Instruction>(use->getUser()))) use->set(kept);
    b.CreateMemCpy(kept, kept->getAlign(), &array, array.getAlign(), size);
  }

  Function& function_;
  LoopInfo& loops_;
  DominatorTree& dominators_;
  ScalarEvolution& evolution_;
};

}  // namespace

PreservedAnalyses LongEndsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<LoopAnalysis>(function);
  if (loops.empty()) return PreservedAnalyses::all();
  LongEnds ends(function, loops, analyses.getResult<DominatorTreeAnalysis>(function),
                analyses.getResult<ScalarEvolutionAnalysis>(function));
  return ends.run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
