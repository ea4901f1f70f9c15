#include "compiler/passes/vector/scalars/read_inside.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/block_uniformity.hpp"
#include "compiler/passes/vector/scalars/block_extents.hpp"
#include "compiler/passes/vector/scalars/tile_accesses.hpp"
#include "compiler/passes/vector/scalars/tile_sources.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr size_t kMostRows = 8;  // that a thread reads: as many as a first cache has ways

class InsideTiles {
 public:
  InsideTiles(Function& kernel, const std::array<unsigned, 3>& block, bool lines_are_slow, PassRunner& runner)
      : kernel_(kernel),
        lines_are_slow_(lines_are_slow),
        part_{nullptr,
              block,
              runner.functions().getResult<DominatorTreeAnalysis>(kernel),
              runner.functions().getResult<PostDominatorTreeAnalysis>(kernel),
              runner.functions().getResult<LoopAnalysis>(kernel),
              runner.functions().getResult<ScalarEvolutionAnalysis>(kernel)} {}

  bool run() {
    if (!find_part() || !collect()) return false;
    const BlockUniformity uniformity(kernel_);
    Recomputer question(choice_, part_.dominators);
    SharedValues shared([&](const Value& v) { return uniformity.is_uniform(v) && question.can(&v); });
    TileSources tile(part_, shared);
    if (!all_of(stores_, [&](StoreInst* store) { return tile.run(*store); })) return false;
    for (LoadInst* load : loads_) {
      auto source = tile.source_of(*load);
      if (!source || (lines_are_slow_ ? !tile.reads_columns() : tile.rows() > kMostRows)) return false;
      sources_.push_back({load, std::move(*source)});
    }
    BlockExtents extents(part_, shared);
    if (!extents.find(reads_, writes_) || !extents.have_halos()) return false;
    SharedProducts products(shared, question);
    choice_->setCondition(extents.ask_apart(products, choice_->getCondition()));
    for (auto& [load, source] : sources_) read(*load, source, tile.align(), products);
    drop_tile();
    return true;
  }

 private:
  // What version_blocks() asked.
  bool find_part() {
    for (BasicBlock& block : kernel_) {
      CallInst* edges = as_block_sync(block.front());
      if (!edges || !edges->hasMetadata(kSeldom)) continue;
      BasicBlock* before = block.getSinglePredecessor();
      choice_ = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
      if (!choice_ || !choice_->isConditional() || choice_->getSuccessor(1) != &block) return false;
      part_.begin = choice_->getSuccessor(0);
      return part_.begin->getSinglePredecessor() && as_block_sync(part_.begin->front());
    }
    return false;
  }

  // False: there is something that is not followed here.
  bool collect() {
    SmallVector<BasicBlock*, 16> blocks;
    for (BasicBlock& block : kernel_)
      if (part_.dominators.dominates(part_.begin, &block)) blocks.push_back(&block);
    SmallVector<Instruction*, 32> accesses;
    for (BasicBlock* block : blocks)
      for (Instruction& i : *block) {
        if (&i == &part_.begin->front()) continue;
        if (CallInst* point = as_sync(i)) {
          if (sync_kind(*point) != LANZA_SYNC_BARRIER || !point->use_empty()) return false;
          barriers_.push_back(point);
        } else if (isa<LoadInst, StoreInst>(i)) {
          if (i.isVolatile() || i.isAtomic()) return false;
          accesses.push_back(&i);
        } else if (i.mayReadOrWriteMemory() && !i.isLifetimeStartOrEnd() && !isa<AssumeInst>(i)) {
          return false;
        }
      }
    find_blocks_before();
    return !barriers_.empty() &&
           none_of(barriers_, [&](CallInst* barrier) { return before_.contains(barrier->getParent()); }) &&
           all_of(accesses, [&](Instruction* i) { return take(*i); }) && !loads_.empty();
  }

  void find_blocks_before() {
    SmallVector<BasicBlock*, 16> found;
    for (CallInst* barrier : barriers_) found.push_back(barrier->getParent());
    while (!found.empty()) {
      BasicBlock* block = found.pop_back_val();
      if (block == part_.begin) continue;
      for (BasicBlock* before : predecessors(block))
        if (before_.insert(before).second) found.push_back(before);
    }
  }

  bool is_before_barrier(const Instruction& i) const {
    return before_.contains(i.getParent()) || any_of(barriers_, [&](const CallInst* barrier) {
             return barrier->getParent() == i.getParent() && i.comesBefore(barrier);
           });
  }

  bool is_behind_barrier(const Instruction& i) const {
    return !is_before_barrier(i) &&
           any_of(barriers_, [&](const CallInst* barrier) { return part_.dominators.dominates(barrier, &i); });
  }

  bool take(Instruction& i) {
    Value* address = getLoadStorePointerOperand(&i);
    if (isa<AllocaInst>(object_of(address)) || i.hasMetadata(kContextMark)) return true;
    const bool is_early = is_before_barrier(i);
    if (is_shared_memory(address)) {
      if (auto* store = dyn_cast<StoreInst>(&i)) return is_early && (stores_.push_back(store), true);
      return is_behind_barrier(i) && (loads_.push_back(cast<LoadInst>(&i)), true);
    }
    if (isa<StoreInst>(i)) return !is_early && (writes_.push_back(&i), true);
    if (is_early) reads_.push_back(&i);
    return true;
  }

  // ---- the change

  void read(LoadInst& load, const TileSources::Source& source, Align align, SharedProducts& products) {
    IRBuilder<> b(&load);
    Value* address = const_cast<Value*>(source.base);
    const auto step = [&](Value* bytes) { address = b.CreateGEP(b.getInt8Ty(), address, bytes); };
    for (const auto& [product, fit] : source.fits)
      if (!product.empty()) step(b.CreateMul(products.of(product), sum_of(source, fit, b)));
    if (const auto own = source.fits.find({}); own != source.fits.end()) step(sum_of(source, own->second, b));
    LoadInst* read = b.CreateAlignedLoad(load.getType(), address, align);
    read->setDebugLoc(load.getDebugLoc());
    load.replaceAllUsesWith(read);
    RecursivelyDeleteTriviallyDeadInstructions(&load);
  }

  Value* sum_of(const TileSources::Source& source, const TileSources::Fit& fit, IRBuilder<>& b) {
    Value* sum = nullptr;
    const auto add = [&](Value* part) { sum = sum ? b.CreateNSWAdd(sum, part) : part; };
    for (size_t t = 0; t < source.terms.size(); ++t) {
      if (fit.factors[t] == 0) continue;
      Value* value = source.terms[t].value ? source.terms[t].value : own_index(source.terms[t].axis, b);
      Value* part = b.CreateSExt(value, b.getInt64Ty());
      add(b.CreateNSWMul(part, b.getInt64(static_cast<uint64_t>(fit.factors[t]))));
    }
    if (!sum || fit.constant != 0) add(b.getInt64(static_cast<uint64_t>(fit.constant)));
    return sum;
  }

  Value* own_index(unsigned axis, IRBuilder<>& b) const {
    constexpr Intrinsic::ID kIndices[] = {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                          Intrinsic::nvvm_read_ptx_sreg_tid_z};
    CallInst* index = b.CreateIntrinsic(kIndices[axis], {}, {});
    index->addRangeRetAttr(ConstantRange(APInt(32, 0), APInt(32, part_.block[axis])));
    return index;
  }

  void drop_tile() {
    SmallVector<WeakTrackingVH, 8> idle;
    for (StoreInst* store : stores_) {
      idle.append({store->getValueOperand(), store->getPointerOperand()});
      store->eraseFromParent();
    }
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(idle);
    for (CallInst* barrier : barriers_) barrier->eraseFromParent();
  }

  Function& kernel_;
  const bool lines_are_slow_;
  KernelPart part_;
  BranchInst* choice_ = nullptr;
  SmallVector<CallInst*, 2> barriers_;
  SmallPtrSet<const BasicBlock*, 16> before_;     ///< from which a barrier is reached
  SmallVector<StoreInst*, 8> stores_;             ///< to the tile
  SmallVector<LoadInst*, 16> loads_;              ///< from it
  SmallVector<Instruction*, 16> reads_, writes_;  ///< of global memory, in front of a barrier and behind it
  std::vector<std::pair<LoadInst*, TileSources::Source>> sources_;
};

}  // namespace

// Of what was loaded, by some threads perhaps.
static bool is_copied(const Value& value) {
  if (auto* load = dyn_cast<LoadInst>(&value)) return !is_shared_memory(load->getPointerOperand());
  return isa<PHINode, SelectInst>(value) &&
         any_of(cast<Instruction>(value).operand_values(), [](const Value* v) { return isa<LoadInst>(v); });
}

bool may_read_inside(Function& kernel, const LoopInfo& loops) {
  bool copies = false;
  for (Instruction& i : instructions(kernel)) {
    if (as_sync(i) && loops.getLoopFor(i.getParent())) return false;
    auto* store = dyn_cast<StoreInst>(&i);
    if (!store || !is_shared_memory(store->getPointerOperand())) continue;
    if (!is_copied(*store->getValueOperand())) return false;
    copies = true;
  }
  return copies && has_sync(kernel);
}

bool read_inside(Function& kernel, const GroupShape& group, bool lines_are_slow, PassRunner& runner) {
  runner.clear();
  return InsideTiles(kernel, group.block, lines_are_slow, runner).run();
}

}  // namespace lanza::compiler
