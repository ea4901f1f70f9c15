#include "compiler/passes/vector/scalars/read_inside.hpp"

#include <algorithm>
#include <map>

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
#include "compiler/passes/vector/scalars/tile_accesses.hpp"
#include "compiler/passes/vector/scalars/tile_sources.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr size_t kMostRows = 8;  // that a thread reads: as many as a first cache has ways
constexpr size_t kMostQuestions = 8;

using Product = ThreadSums::Product;
using Factors = std::map<Product, int64_t>;

/// What all threads of the block access by one instruction, or more.
struct Extent {
  const Value* base;
  uint64_t size;
  Factors least, greatest;
};

/// Products of shared values, computed in 64 bits in front of the choice.
class SharedProducts {
 public:
  SharedProducts(const SharedValues& shared, Recomputer& question) : shared_(shared), question_(question) {}

  IRBuilder<>& builder() { return question_.builder; }

  Value* of(const Product& product) {
    Value*& value = known_[product];
    if (value) return value;
    value = builder().getInt64(1);
    for (const unsigned n : product) {
      const SharedValues::Shared& shared = shared_[n];
      value = builder().CreateMul(value, shared.value->getType()->isIntegerTy(64)
                                             ? question_.copy(shared.value)
                                             : question_.wide(shared.value, shared.extension));
    }
    return value;
  }

 private:
  const SharedValues& shared_;
  Recomputer& question_;
  std::map<Product, Value*> known_;
};

class InsideTiles {
 public:
  InsideTiles(Function& kernel, const std::array<unsigned, 3>& block, PassRunner& runner)
      : kernel_(kernel),
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
      if (!source || tile.rows() > kMostRows) return false;
      sources_.push_back({load, std::move(*source)});
    }
    if (!find_extents(shared) || !have_halos(shared)) return false;
    SharedProducts products(shared, question);
    ask_apart(products);
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

  // ---- whether reads and writes lie apart

  bool find_extents(SharedValues& shared) {
    const auto add = [&](Instruction* access, std::vector<Extent>& extents) {
      return is_apart(*access) || add_extent(*access, shared, extents);
    };
    return all_of(reads_, [&](Instruction* read) { return add(read, read_extents_); }) &&
           all_of(writes_, [&](Instruction* write) { return add(write, write_extents_); }) &&
           read_extents_.size() * write_extents_.size() <= kMostQuestions;
  }

  // No write goes to where a `__restrict__` parameter is read, and to no constant.
  bool is_apart(const Instruction& access) const {
    const Value* object = object_of(getLoadStorePointerOperand(&access));
    if (auto* variable = dyn_cast<GlobalVariable>(object)) return variable->isConstant();
    auto* from = dyn_cast<Argument>(object);
    const auto& others = isa<LoadInst>(access) ? writes_ : reads_;
    return from && from->hasNoAliasAttr() &&
           none_of(others, [&](Instruction* i) { return object_of(getLoadStorePointerOperand(i)) == from; });
  }

  bool add_extent(Instruction& access, SharedValues& shared, std::vector<Extent>& extents) {
    Value* address = getLoadStorePointerOperand(&access);
    const Value* base = object_of(address);
    if (!isa<Argument>(base) || !part_.is_alone(*access.getParent())) return false;
    ThreadNumbers numbers(*access.getParent());
    ThreadSums sums(shared, numbers);
    const auto offset = sums.offset(*address, *base);
    if (!offset || !numbers.can_run()) return false;
    Extent extent{base, kernel_.getDataLayout().getTypeStoreSize(getLoadStoreType(&access)).getFixedValue(), {}, {}};
    const bool ran = numbers.run(part_.block, kMostTurnsOfCopy, [&] {
      for (const auto& [product, number] : *offset) {
        const auto factor = static_cast<int64_t>(numbers[number]);
        const auto [least, is_new] = extent.least.try_emplace(product, factor);
        least->second = std::min(least->second, factor);
        auto& greatest = extent.greatest.try_emplace(product, factor).first->second;
        greatest = std::max(greatest, factor);
      }
      return true;
    });
    if (!ran) return false;
    for (Extent& known : extents)
      if (join(known, extent)) return true;
    extents.push_back(std::move(extent));
    return true;
  }

  static bool join(Extent& known, const Extent& other) {
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    if (known.base != other.base || known.size != other.size || known.least.size() != other.least.size() ||
        !std::ranges::equal(known.least, other.least, same))
      return false;
    for (auto& [product, least] : known.least) least = std::min(least, other.least.at(product));
    for (auto& [product, greatest] : known.greatest) greatest = std::max(greatest, other.greatest.at(product));
    return true;
  }

  // Whether what may be written is also read by a block beside.
  bool have_halos(const SharedValues& shared) const {
    return write_extents_.empty() || all_of(read_extents_, [&](const Extent& extent) {
             return any_of(extent.least,
                           [&](const auto& part) { return has_halo(extent, part.first, part.second, shared); });
           });
  }

  // Along the axis of a blockIdx that is one of the product's: that times `step` is less than what the block reads.
  static bool has_halo(const Extent& extent, const Product& product, int64_t step, const SharedValues& shared) {
    for (size_t n = 0; n < product.size(); ++n) {
      auto* call = dyn_cast<IntrinsicInst>(shared[product[n]].value);
      if (!call || !block_axis(call->getIntrinsicID())) continue;
      Product rest(product);
      rest.erase(rest.begin() + static_cast<ptrdiff_t>(n));
      const auto least = extent.least.find(rest);
      if (least == extent.least.end()) continue;
      if (extent.greatest.at(rest) - least->second + static_cast<int64_t>(extent.size) > std::abs(step)) return true;
    }
    return false;
  }

  void ask_apart(SharedProducts& products) {
    IRBuilder<>& b = products.builder();
    Value* all = choice_->getCondition();
    for (const Extent& read : read_extents_)
      for (const Extent& write : write_extents_) {
        const auto [read_first, read_end] = ends(read, products);
        const auto [write_first, write_end] = ends(write, products);
        all = b.CreateAnd(all,
                          b.CreateOr(b.CreateICmpSLE(read_end, write_first), b.CreateICmpSLE(write_end, read_first)));
      }
    choice_->setCondition(all);
  }

  static std::pair<Value*, Value*> ends(const Extent& extent, SharedProducts& products) {
    IRBuilder<>& b = products.builder();
    Value *first = b.CreatePtrToInt(const_cast<Value*>(extent.base), b.getInt64Ty()), *end = first;
    end = b.CreateAdd(end, b.getInt64(extent.size));
    for (const auto& [product, least] : extent.least) {
      Value* shared = products.of(product);
      Value* of_least = b.CreateMul(shared, b.getInt64(static_cast<uint64_t>(least)));
      Value* of_greatest = b.CreateMul(shared, b.getInt64(static_cast<uint64_t>(extent.greatest.at(product))));
      first = b.CreateAdd(first, b.CreateBinaryIntrinsic(Intrinsic::smin, of_least, of_greatest));
      end = b.CreateAdd(end, b.CreateBinaryIntrinsic(Intrinsic::smax, of_least, of_greatest));
    }
    return {first, end};
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
      Value* part = b.CreateZExt(value, b.getInt64Ty(), "", /*IsNonNeg=*/true);
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
  KernelPart part_;
  BranchInst* choice_ = nullptr;
  SmallVector<CallInst*, 2> barriers_;
  SmallPtrSet<const BasicBlock*, 16> before_;     ///< from which a barrier is reached
  SmallVector<StoreInst*, 8> stores_;             ///< to the tile
  SmallVector<LoadInst*, 16> loads_;              ///< from it
  SmallVector<Instruction*, 16> reads_, writes_;  ///< of global memory, in front of a barrier and behind it
  std::vector<std::pair<LoadInst*, TileSources::Source>> sources_;
  std::vector<Extent> read_extents_, write_extents_;
};

}  // namespace

bool may_read_inside(Function& kernel, const LoopInfo& loops) {
  bool copies = false;
  for (Instruction& i : instructions(kernel)) {
    if (as_sync(i) && loops.getLoopFor(i.getParent())) return false;
    auto* store = dyn_cast<StoreInst>(&i);
    copies |= store && is_shared_memory(store->getPointerOperand());
  }
  return copies && has_sync(kernel);
}

bool read_inside(Function& kernel, const GroupShape& group, PassRunner& runner) {
  runner.clear();
  return InsideTiles(kernel, group.block, runner).run();
}

}  // namespace lanza::compiler
