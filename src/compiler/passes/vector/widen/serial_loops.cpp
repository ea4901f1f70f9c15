#include "compiler/passes/vector/widen/serial_loops.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/alone_atomics.hpp"
#include "compiler/passes/vector/scalars/read_through.hpp"
#include "compiler/passes/vector/scalars/version_sums.hpp"
#include "compiler/passes/vector/widen/settle_swaps.hpp"

using namespace llvm;

namespace lanza::compiler {

// Exits that were joined (see unify_exits.hpp) part again.
static constexpr char kTidyLoop[] =
    "simplifycfg,early-cse,jump-threading,instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify";

static constexpr unsigned kWorthAScatter = 6;  // operations, the loop's own included
static constexpr char kInOrder[] = "threads update memory in their order, as each may find what the one before left";
static constexpr unsigned kManyScatters = 16;  // of one block: less code is no matter
static constexpr char kWrapping[] = "the sums of many addresses may wrap here";
static constexpr char kApart[] = "lanes store at places of their own, and leave in different turns";

static Function* serial_callee(Instruction& i) {
  auto* call = dyn_cast<CallInst>(&i);
  Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->hasFnAttribute(kSerial) ? callee : nullptr;
}

static const Instruction* what_leads_to(const BasicBlock* block) {
  while (block->getUniqueSuccessor() && block->getSinglePredecessor()) block = block->getSinglePredecessor();
  return block->getTerminator();
}

bool goes_by_swaps(const Loop& loop) {
  SmallSetVector<const Value*, 32> values;
  SmallVector<BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  for (BasicBlock* block : exiting) values.insert(block->getTerminator());
  for (size_t k = 0; k < values.size(); ++k) {
    auto* i = dyn_cast<Instruction>(values[k]);
    if (!i || !loop.contains(i)) continue;
    if (isa<AtomicCmpXchgInst>(i)) return true;
    for (const Use& operand : i->operands())
      if (!isa<BasicBlock>(operand)) values.insert(operand);
    if (auto* phi = dyn_cast<PHINode>(i); phi && phi->getParent() != loop.getHeader())
      for (const BasicBlock* from : phi->blocks()) values.insert(what_leads_to(from));
  }
  return false;
}

static bool asks_whether_alone(const Value* v) {
  auto* call = dyn_cast<CallInst>(v);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == kAlone;
}

static bool is_plain(Type* type) { return type->isIntegerTy() || type->isFloatingPointTy() || type->isPointerTy(); }

// In a function of one thread's.
static bool may_be_outlined(Instruction& i) {
  if (isa<AllocaInst, InvokeInst>(i) || i.getType()->isVectorTy()) return false;
  auto* call = dyn_cast<CallInst>(&i);
  if (!call || isa<DbgInfoIntrinsic>(call)) return true;
  const Function* callee = call->getCalledFunction();
  if (!callee || !callee->isDeclaration() || !call->doesNotAccessMemory() || call->isConvergent()) return false;
  const Intrinsic::ID id = callee->getIntrinsicID();
  if (id >= Intrinsic::nvvm_read_ptx_sreg_tid_w && id <= Intrinsic::nvvm_read_ptx_sreg_tid_z) return false;
  return id != Intrinsic::not_intrinsic || !callee->getName().starts_with("lanza.") || asks_whether_alone(call);
}

namespace {

/// Code of one entry and one exit, whose values the PHIs of the exit hand on.
struct Region {
  BasicBlock *before, *exit;
  SmallSetVector<BasicBlock*, 8> blocks;  ///< that of the entry first

  bool contains(const Instruction* i) const { return blocks.contains(const_cast<BasicBlock*>(i->getParent())); }
};

/// One region becomes a function.
class Outlining {
 public:
  Outlining(Function& kernel, Region region, StringRef why)
      : kernel_(kernel), region_(std::move(region)), why_(why), exit_(region_.exit) {}

  bool can() {
    for (BasicBlock* block : region_.blocks)
      for (Instruction& i : *block) {
        if (!may_be_outlined(i)) return false;
        for (Value* v : i.operands()) need(v);
      }
    narrow_results();
    for (PHINode& phi : exit_->phis()) outputs_.push_back(&phi);
    return all_of(inputs_, [](Value* v) { return is_plain(v->getType()); }) &&
           all_of(outputs_, [](PHINode* phi) { return is_plain(phi->getType()); });
  }

  void run(PassRunner& runner) {
    Function* serial = make_function();
    SmallVector<Function*, 2> versions{serial};
    if (any_of(instructions(*serial), [](Instruction& i) { return asks_whether_alone(&i); })) {
      ValueToValueMapTy map;
      versions.push_back(CloneFunction(serial, map));
      for (unsigned k = 0; k < 2; ++k) answer(*versions[k], k == 0);
    }
    for (Function* version : versions) {
      runner.run(*version, kTidyLoop);
      settle_swaps(*version, runner);
    }
    runner.clear();
    call(versions);
  }

 private:
  // Addresses are computed again: an index leaves its vector more cheaply than a pointer.
  void need(Value* v) {
    auto* i = dyn_cast<Instruction>(v);
    if (i ? region_.contains(i) : !isa<Argument>(v)) return;
    if (!isa_and_nonnull<GetElementPtrInst, SExtInst, ZExtInst>(i)) return void(inputs_.insert(v));
    for (Value* operand : i->operands()) need(operand);
    recomputed_.insert(i);
  }

  // What is extended is so for all lanes at once.
  void narrow_results() {
    for (PHINode& phi : make_early_inc_range(exit_->phis())) {
      auto* first = dyn_cast<CastInst>(phi.getIncomingValue(0));
      if (!first || !isa<SExtInst, ZExtInst>(first)) continue;
      auto is_like_it = [&](Value* v) {
        auto* other = dyn_cast<CastInst>(v);
        return other && other->getOpcode() == first->getOpcode() && other->getSrcTy() == first->getSrcTy();
      };
      if (!all_of(phi.incoming_values(), is_like_it)) continue;
      PHINode* narrow = PHINode::Create(first->getSrcTy(), phi.getNumIncomingValues(), "", phi.getIterator());
      for (unsigned k = 0; k < phi.getNumIncomingValues(); ++k)
        narrow->addIncoming(cast<CastInst>(phi.getIncomingValue(k))->getOperand(0), phi.getIncomingBlock(k));
      IRBuilder<> b(exit_, exit_->getFirstInsertionPt());
      phi.replaceAllUsesWith(b.CreateCast(first->getOpcode(), narrow, phi.getType()));
      phi.eraseFromParent();
    }
  }

  Function* make_function() {
    LLVMContext& c = kernel_.getContext();
    SmallVector<Type*, 8> in, out;
    for (Value* v : inputs_) in.push_back(v->getType());
    for (PHINode* phi : outputs_) out.push_back(phi->getType());
    Type* result = out.empty() ? Type::getVoidTy(c) : out.size() == 1 ? out[0] : StructType::get(c, out);
    auto* f =
        Function::Create(FunctionType::get(result, in, false), GlobalValue::InternalLinkage, "", kernel_.getParent());
    f->copyAttributesFrom(&kernel_);
    f->setDSOLocal(true);
    f->setAttributes(
        AttributeList::get(c, AttributeList::FunctionIndex, AttrBuilder(c, kernel_.getAttributes().getFnAttrs())));
    f->addFnAttr(kSerial, why_);
    ValueToValueMapTy map;
    for (auto [v, argument] : zip(inputs_, f->args())) map[v] = &argument;
    BasicBlock *entry = BasicBlock::Create(c, "", f), *end = BasicBlock::Create(c, "", f);
    map[region_.before] = entry;
    for (Instruction* i : recomputed_) {
      Instruction* copy = i->clone();
      copy->insertInto(entry, entry->end());
      map[i] = copy;
    }
    map[exit_] = end;
    SmallVector<BasicBlock*, 8> blocks;
    for (BasicBlock* block : region_.blocks) {
      BasicBlock* copy = CloneBasicBlock(block, map, "", f);
      map[block] = copy;
      blocks.push_back(copy);
    }
    IRBuilder<> b(end);
    SmallVector<Value*, 4> results;
    for (PHINode* phi : outputs_) {
      Instruction* copy = phi->clone();
      b.Insert(copy);
      results.push_back(copy);
      blocks.push_back(end);
    }
    if (results.empty())
      b.CreateRetVoid();
    else if (results.size() == 1)
      b.CreateRet(results[0]);
    else
      b.CreateAggregateRet(results.data(), results.size());
    BranchInst::Create(cast<BasicBlock>(map[region_.blocks.front()]), entry);
    for (BasicBlock& block : *f)
      for (Instruction& i : block) {
        RemapInstruction(&i, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
        i.dropDbgRecords();
      }
    return f;
  }

  static void answer(Function& f, bool is_alone) {
    for (Instruction& i : make_early_inc_range(instructions(f)))
      if (asks_whether_alone(&i)) {
        i.replaceAllUsesWith(ConstantInt::getBool(i.getType(), is_alone));
        i.eraseFromParent();
      }
  }

  void call(ArrayRef<Function*> versions) {
    BasicBlock* before = region_.before;
    SmallVector<BasicBlock*, 2> ways{before};
    before->getTerminator()->eraseFromParent();
    IRBuilder<> b(before);
    if (versions.size() == 2) {
      ways = {BasicBlock::Create(b.getContext(), "", &kernel_, exit_),
              BasicBlock::Create(b.getContext(), "", &kernel_, exit_)};
      b.CreateCondBr(b.CreateCall(kernel_.getParent()->getFunction(kAlone)), ways[0], ways[1]);
    }
    SmallVector<Value*, 2> results;
    for (auto [version, way] : zip(versions, ways)) {
      b.SetInsertPoint(way);
      results.push_back(b.CreateCall(version, inputs_.getArrayRef()));
      SmallVector<Value*, 4> parts(outputs_.size(), results.back());
      for (unsigned k = 0; outputs_.size() > 1 && k < outputs_.size(); ++k)
        parts[k] = b.CreateExtractValue(results.back(), k);
      b.CreateBr(exit_);
      for (auto [phi, part] : zip(outputs_, parts)) phi->addIncoming(part, way);
    }
    const ArrayRef<BasicBlock*> dead = region_.blocks.getArrayRef();
    for (BasicBlock* block : dead)
      while (is_contained(successors(block), exit_)) {
        exit_->removePredecessor(block, /*KeepOneInputPHIs=*/true);
        block->getTerminator()->replaceSuccessorWith(exit_, dead[0]);
      }
    DeleteDeadBlocks(dead);
  }

  Function& kernel_;
  const Region region_;
  const StringRef why_;
  BasicBlock* exit_;
  SmallSetVector<Value*, 8> inputs_;
  SmallSetVector<Instruction*, 8> recomputed_;
  SmallVector<PHINode*, 4> outputs_;
};

}  // namespace

// With the loops around it that go by what the swap found, too.
static Loop* loop_around(LoopInfo& loops, AtomicCmpXchgInst& swap) {
  Loop *found = nullptr, *loop = loops.getLoopFor(swap.getParent());
  for (; loop && goes_by_swaps(*loop); loop = loop->getParentLoop()) found = loop;
  return found;
}

// By what is known before: most lanes may stay out of `while (old < v) ...`, which all lanes ask at once.
static bool may_leave_at_once(const Loop& loop) {
  auto* branch = dyn_cast<BranchInst>(loop.getHeader()->getTerminator());
  return branch && branch->isConditional() && !asks_whether_alone(branch->getCondition()) &&
         none_of(*loop.getHeader(), [](const Instruction& i) { return i.mayReadOrWriteMemory(); });
}

// A private array lies by lanes in the end.
static bool is_at_a_place_of_its_own(const StoreInst& store, const Shapes& shapes) {
  const Value* place = store.getPointerOperand();
  return store.isSimple() && shapes[place].is_varying() &&
         !isa<AllocaInst, PHINode, SelectInst>(getUnderlyingObject(place));
}

static bool only_scatters(const Loop& loop, const Shapes& shapes) {
  if (loop.getNumBlocks() != 1 || !shapes.is_left_apart(loop.getHeader())) return false;
  unsigned stores = 0, work = 0;
  for (const Instruction& i : *loop.getHeader()) {
    if (auto* store = dyn_cast<StoreInst>(&i)) {
      if (!is_at_a_place_of_its_own(*store, shapes)) return false;
      ++stores;
    } else if (i.mayReadOrWriteMemory()) {
      return false;
    } else {
      work += isa<BinaryOperator, CmpInst, SelectInst, CallInst>(i);
    }
  }
  return stores != 0 && work <= stores * kWorthAScatter;
}

static std::optional<Region> region_of(const Loop& loop) {
  BasicBlock *before = loop.getLoopPreheader(), *exit = loop.getUniqueExitBlock();
  if (!before || !exit || !loop.hasDedicatedExits()) return std::nullopt;
  return Region{before, exit, {loop.block_begin(), loop.block_end()}};
}

// Scatters that are taken apart, one by one: each is a lot of code.
static bool is_a_list_of_scatters(BasicBlock& block, const Shapes& shapes) {
  if (!block.getSinglePredecessor() || !block.getSingleSuccessor()) return false;
  unsigned stores = 0;
  for (Instruction& i : block) {
    if (!may_be_outlined(i)) return false;
    const Value* place = getLoadStorePointerOperand(&i);
    if (place && isa<AllocaInst, PHINode, SelectInst>(getUnderlyingObject(place))) return false;
    auto* store = dyn_cast<StoreInst>(&i);
    stores += store && store->hasMetadata(kWraps) && is_at_a_place_of_its_own(*store, shapes);
  }
  return stores >= kManyScatters;
}

// The block's values leave by PHIs of their own.
static Region cut_out(BasicBlock& block) {
  BasicBlock* inner = SplitBlock(&block, block.getFirstNonPHIOrDbg());
  Region region{&block, SplitBlock(inner, inner->getTerminator()), {}};
  region.blocks.insert(inner);
  for (Instruction& i : *inner) {
    if (!i.isUsedOutsideOfBlock(inner)) continue;
    PHINode* phi = PHINode::Create(i.getType(), 1, "", region.exit->begin());
    i.replaceUsesOutsideBlock(phi, inner);
    phi->addIncoming(&i, inner);
  }
  return region;
}

static bool outline_scatters(Function& kernel, const Shapes& shapes, PassRunner& runner) {
  if (!module_flag(*kernel.getParent(), kFewRegisters, 0)) return false;  // else there are scatters
  for (BasicBlock& block : kernel) {
    if (!is_a_list_of_scatters(block, shapes)) continue;
    Outlining outlining(kernel, cut_out(block), kWrapping);
    if (!outlining.can()) return false;
    outlining.run(runner);
    return true;
  }
  return false;
}

static bool outline_one(Function& kernel, const GroupShape& group, PassRunner& runner) {
  DominatorTree dominators(kernel);
  LoopInfo loops(dominators);
  const Shapes shapes(kernel, group);
  if (loops.empty()) return outline_scatters(kernel, shapes, runner);
  const auto outline = [&](Loop& loop, StringRef why) {
    const std::optional<Region> region = region_of(loop);
    if (!region) return false;
    Outlining outlining(kernel, *region, why);
    if (!outlining.can()) return false;
    outlining.run(runner);
    return true;
  };
  for (Instruction& i : instructions(kernel)) {
    auto* swap = dyn_cast<AtomicCmpXchgInst>(&i);
    if (!swap || shapes[swap->getPointerOperand()].is_strided()) continue;
    Loop* loop = loop_around(loops, *swap);
    if (loop && !may_leave_at_once(*loop) && outline(*loop, kInOrder)) return true;
  }
  return any_of(loops.getLoopsInPreorder(),
                [&](Loop* loop) { return only_scatters(*loop, shapes) && outline(*loop, kApart); }) ||
         outline_scatters(kernel, shapes, runner);
}

bool outline_serial_loops(Function& kernel, const GroupShape& group) {
  PassRunner runner(nullptr);
  bool changed = false;
  while (outline_one(kernel, group, runner)) changed = true;
  return changed;
}

bool is_serial_update(const CallInst& call) {
  constexpr unsigned kMostInstructions = 16;
  const Function* callee = call.getCalledFunction();
  return callee && callee->hasFnAttribute(kSerial) && call.getType()->isVoidTy() && callee->size() == 1 &&
         callee->getInstructionCount() <= kMostInstructions;
}

void inline_serial_loops(Function& function) {
  SmallVector<CallInst*, 4> calls;
  SmallSetVector<Function*, 4> callees;
  for (Instruction& i : instructions(function))
    if (Function* callee = serial_callee(i)) {
      calls.push_back(cast<CallInst>(&i));
      callees.insert(callee);
    }
  for (CallInst* call : calls) {
    InlineFunctionInfo info;
    InlineFunction(*call, info);
  }
  for (Function* f : callees) f->eraseFromParent();
}

}  // namespace lanza::compiler
