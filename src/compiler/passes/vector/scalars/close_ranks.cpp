#include "compiler/passes/vector/scalars/close_ranks.hpp"

#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/scalars/barrier_ends.hpp"
#include "compiler/passes/vector/scalars/thread_places.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kShared = 3;        // the address space
constexpr uint64_t kMostBytes = 8192;  // of an array that is added

struct Access {
  Instruction* at;
  std::optional<ThreadPlace> place;  ///< in elements, by the number of the thread that will make it
  uint64_t threads = 0;              ///< that make it, from the first on
};

/// Work of the threads whose number is a multiple, between two barriers, which any thread may do.
struct Sparse {
  BranchInst* guard;
  uint64_t modulus;
};

class Ranks {
 public:
  Ranks(Function& kernel, uint64_t threads, FunctionAnalysisManager& analyses)
      : kernel_(kernel),
        layout_(kernel.getDataLayout()),
        threads_(threads),
        loops_(analyses.getResult<LoopAnalysis>(kernel)),
        tree_(analyses.getResult<DominatorTreeAnalysis>(kernel)),
        ends_(analyses.getResult<PostDominatorTreeAnalysis>(kernel)) {}

  bool run() {
    thread_ = find_thread();
    if (!thread_) return false;
    find_sparse();
    bool changed = false;
    SmallVector<GlobalVariable*, 4> arrays;
    for (GlobalVariable& variable : kernel_.getParent()->globals()) {
      variable.removeDeadConstantUsers();  // generic addresses that were simplified away
      if (is_whole(variable)) arrays.push_back(&variable);
    }
    for (GlobalVariable* array : arrays)
      while ((array = close(*array))) changed = true;
    return changed;
  }

 private:
  // All of a shared variable's memory is its own: of dynamic memory there may be one array.
  static bool is_whole(const GlobalVariable& variable) {
    if (variable.getAddressSpace() != kShared || variable.use_empty()) return false;
    return variable.hasInternalLinkage() || none_of(variable.getParent()->globals(), [&](const GlobalVariable& other) {
             return &other != &variable && other.getAddressSpace() == kShared && !other.hasInternalLinkage();
           });
  }

  Instruction* find_thread() {
    const auto found = find_if(kernel_.getEntryBlock(), [](Instruction& i) { return is_thread_x(&i); });
    return found == kernel_.getEntryBlock().end() ? nullptr : &*found;
  }

  void find_sparse() {
    for (BasicBlock& guard : kernel_) {
      auto* branch = dyn_cast<BranchInst>(guard.getTerminator());
      const APInt* mask = nullptr;
      if (!branch || !branch->isConditional() ||
          !match(branch->getCondition(),
                 m_SpecificICmp(ICmpInst::ICMP_EQ, m_And(m_Specific(thread_), m_APInt(mask)), m_Zero())))
        continue;
      BasicBlock *work = branch->getSuccessor(0), *join = branch->getSuccessor(1);
      const bool is_step = mask->isMask() && mask->ult(kMostThreads) && work->getSinglePredecessor() == &guard &&
                           work->getSingleSuccessor() == join && !isa<PHINode>(join->front());
      if (is_step && ends_behind_barrier(guard) && begins_at_barrier(*join) && all_run(guard) && is_anybodys(*work))
        sparse_.insert({work, {branch, mask->getZExtValue() + 1}});
    }
  }

  bool all_run(const BasicBlock& block) const { return ends_.dominates(&block, &kernel_.getEntryBlock()); }

  /// Nothing but places depends on who does it, and nobody else hears of it.
  bool is_anybodys(BasicBlock& work) const {
    return all_of(work, [&](Instruction& i) {
      if (any_of(i.users(), [&](User* user) { return cast<Instruction>(user)->getParent() != &work; })) return false;
      if (i.isTerminator() || isa<GetElementPtrInst>(i) || place_of(&i)) return true;
      if (const Value* address = getLoadStorePointerOperand(&i)) {
        auto* store = dyn_cast<StoreInst>(&i);
        return is_plain(i) && address->getType()->getPointerAddressSpace() == kShared &&
               place_in_elements(i, layout_) && (!store || is_of(work, store->getValueOperand()));
      }
      if (auto* call = dyn_cast<CallBase>(&i)) {  // of no argument: a lane's number, a clock
        if (!isa<IntrinsicInst>(call) || call->arg_empty() || call->isConvergent()) return false;
        return !touches_memory(i) && all_of(call->args(), [&](const Use& use) { return is_of(work, use); });
      }
      return !touches_memory(i) && !isa<PHINode>(i) &&
             all_of(i.operands(), [&](const Use& use) { return is_of(work, use); });
    });
  }

  // A number that tells threads apart is none of the work's values.
  static bool is_of(const BasicBlock& work, const Value* v) {
    auto* instruction = dyn_cast<Instruction>(v);
    return !instruction ||
           (instruction->getParent() == &work && !place_of(instruction) && !isa<GetElementPtrInst>(instruction));
  }

  static bool is_plain(const Instruction& i) {
    auto* load = dyn_cast<LoadInst>(&i);
    return load ? load->isSimple() : cast<StoreInst>(i).isSimple();
  }

  /// Every access of the array; none where something else is done with its address.
  std::optional<SmallVector<Access, 16>> accesses_of(const GlobalVariable& array, uint64_t size) const {
    SmallVector<Access, 16> accesses;
    SmallVector<const Value*, 16> addresses{&array};
    while (!addresses.empty()) {
      const Value* address = addresses.pop_back_val();
      for (const Use& use : address->uses()) {
        if (isa<GEPOperator>(use.getUser())) {
          addresses.push_back(use.getUser());
          continue;
        }
        auto* access = dyn_cast<Instruction>(use.getUser());
        if (!access || access->getFunction() != &kernel_ || getLoadStorePointerOperand(access) != address ||
            !is_plain(*access))
          return std::nullopt;
        accesses.push_back(as_access(*access, size));
      }
    }
    return accesses;
  }

  Access as_access(Instruction& i, uint64_t size) const {
    Access access{&i, place_in_elements(i, layout_), most_threads_at(*i.getParent(), threads_)};
    if (layout_.getTypeStoreSize(getLoadStoreType(&i)) != size) access.place = std::nullopt;
    if (!access.place) return access;
    const auto sparse = sparse_.find(i.getParent());
    if (sparse != sparse_.end()) {
      access.place->step *= sparse->second.modulus;
      access.threads = divideCeil(threads_, sparse->second.modulus);
    }
    if (access.threads == 1) access.place->step = 0;
    return access;
  }

  /// How many threads, from the first on, certainly make a store; 0: that is not known.
  uint64_t threads_certain(const Access& store) const {
    const BasicBlock* block = store.at->getParent();
    const BasicBlock* guard = block->getSinglePredecessor();
    if (loops_.getLoopFor(block)) return 0;
    if (all_run(*block)) return threads_;
    if (!guard || !all_run(*guard)) return 0;
    return sparse_.contains(block) ? store.threads : threads_to(*guard, *block, threads_).value_or(0);
  }

  /// A store of every `apart`-th element, which is all that accesses behind it touch.
  struct Step {
    Access store;
    uint64_t apart;
    SmallVector<Access, 16> later;
  };

  std::optional<Step> as_step(const Access& store, ArrayRef<Access> accesses, uint64_t size) const {
    if (!isa<StoreInst>(store.at) || !store.place || store.place->step < 2 || store.place->first) return std::nullopt;
    const uint64_t count = threads_certain(store);
    if (count == 0 || count * size > kMostBytes) return std::nullopt;
    Step step{store, store.place->step, {}};
    step.store.threads = count;
    for (const Access& access : accesses) {
      if (access.at == store.at) continue;
      if (isPotentiallyReachable(store.at, access.at, nullptr, &tree_, &loops_))
        step.later.push_back(access);
      else if (!isPotentiallyReachable(access.at, store.at, nullptr, &tree_, &loops_))
        return std::nullopt;  // on another way, of which nobody knows when
    }
    const bool is_last =
        none_of(step.later, [](const Access& a) { return a.place && a.place->step + a.place->first > 0; });
    const bool stores_all = all_of(step.later, [&](const Access& a) { return is_among(a, step.apart, count); });
    return stores_all && !is_last ? std::optional(std::move(step)) : std::nullopt;
  }

  /// The array that takes the place of this one behind its first step; null: there is no such step.
  GlobalVariable* close(GlobalVariable& array) {
    Type* type = nullptr;
    for (const Access& access : accesses_of(array, 0).value_or(SmallVector<Access, 16>{}))
      if (isa<StoreInst>(access.at)) type = getLoadStoreType(access.at);
    if (!type || !type->isSingleValueType()) return nullptr;
    const uint64_t size = layout_.getTypeStoreSize(type);
    const auto accesses = accesses_of(array, size);
    std::optional<Step> first;
    for (const Access& store : *accesses) {
      auto step = as_step(store, *accesses, size);
      if (step && (!first || step->later.size() > first->later.size())) first = std::move(step);
    }
    return first ? move_together(array, *first, type) : nullptr;
  }

  /// Whether an access touches only what `count` threads stored, so many elements apart.
  static bool is_among(const Access& access, uint64_t apart, uint64_t count) {
    if (!access.place || access.place->step % apart || access.place->first % apart) return false;
    return access.place->step * (access.threads - 1) + access.place->first < apart * count;
  }

  GlobalVariable* move_together(const GlobalVariable& array, const Step& step, Type* type) {
    Type* rank = ArrayType::get(type, step.store.threads);
    auto* closed =
        new GlobalVariable(*kernel_.getParent(), rank, false, GlobalValue::InternalLinkage, UndefValue::get(rank),
                           array.getName() + ".closed", nullptr, GlobalValue::NotThreadLocal, kShared);
    closed->setAlignment(Align(64));
    const auto move = [&](const Access& access) {
      leave_to_first(*access.at->getParent());
      redirect(*access.at, *closed, {access.place->step / step.apart, access.place->first / step.apart});
    };
    move(step.store);
    for_each(step.later, move);
    return closed;
  }

  /// Thread `modulus * u` leaves its work to thread `u`.
  void leave_to_first(BasicBlock& work) {
    const auto found = sparse_.find(&work);
    if (found == sparse_.end()) return;
    const auto [guard, modulus] = found->second;
    sparse_.erase(found);
    IRBuilder<> b(guard);
    guard->setCondition(b.CreateICmpULT(thread_, b.getInt32(static_cast<uint32_t>(divideCeil(threads_, modulus)))));
    SmallVector<Instruction*, 16> accesses;
    for (Instruction& i : work)
      if (getLoadStorePointerOperand(&i)) accesses.push_back(&i);
    for (Instruction* access : accesses) {
      Value* address = getLoadStorePointerOperand(access);
      auto* array = cast<GlobalVariable>(getUnderlyingObject(address, 0));
      const ThreadPlace place = *place_in_elements(*access, layout_);
      redirect(*access, *array, {place.step * modulus, place.first});
    }
  }

  /// As instcombine writes it, which other passes know.
  Value* index_of(IRBuilder<>& b, ThreadPlace place) const {
    Value* first = b.getInt32(static_cast<uint32_t>(place.first));
    if (place.step == 0) return first;
    Value* index = place.step == 1 ? thread_
                   : isPowerOf2_64(place.step)
                       ? b.CreateShl(thread_, Log2_64(place.step), "", true, true)
                       : b.CreateMul(thread_, b.getInt32(static_cast<uint32_t>(place.step)), "", true, true);
    if (place.first == 0) return index;
    const bool is_apart = isPowerOf2_64(place.step) && place.first < place.step;
    if (!is_apart) return b.CreateAdd(index, first, "", true, true);
    auto* either = cast<PossiblyDisjointInst>(b.CreateOr(index, first));
    either->setIsDisjoint(true);
    return either;
  }

  void redirect(Instruction& access, GlobalVariable& array, ThreadPlace place) const {
    IRBuilder<> b(&access);
    Value* index = b.CreateZExt(index_of(b, place), b.getInt64Ty(), "", /*IsNonNeg=*/true);
    Value* address = b.CreateInBoundsGEP(getLoadStoreType(&access), &array, index);
    const uint64_t size = layout_.getTypeStoreSize(getLoadStoreType(&access));
    Value* before = getLoadStorePointerOperand(&access);
    const Align align =
        std::min(getLoadStoreAlignment(&access), commonAlignment(Align(64), size));  // neighbours are closer now
    if (auto* load = dyn_cast<LoadInst>(&access)) {
      load->setOperand(LoadInst::getPointerOperandIndex(), address);
      load->setAlignment(align);
    } else {
      access.setOperand(StoreInst::getPointerOperandIndex(), address);
      cast<StoreInst>(access).setAlignment(align);
    }
    RecursivelyDeleteTriviallyDeadInstructions(before);
  }

  Function& kernel_;
  const DataLayout& layout_;
  const uint64_t threads_;
  LoopInfo& loops_;
  DominatorTree& tree_;
  PostDominatorTree& ends_;
  Instruction* thread_ = nullptr;
  SmallDenseMap<const BasicBlock*, Sparse, 8> sparse_;
};

}  // namespace

bool close_ranks(Function& kernel, std::array<unsigned, 3> block, FunctionAnalysisManager& analyses) {
  if (block[1] != 1 || block[2] != 1 || block[0] < 2 || block[0] > kMostThreads ||
      !has_sync(kernel, LANZA_SYNC_BARRIER))
    return false;
  return Ranks(kernel, block[0], analyses).run();
}

}  // namespace lanza::compiler
