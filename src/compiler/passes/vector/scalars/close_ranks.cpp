#include "compiler/passes/vector/scalars/close_ranks.hpp"

#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/scalars/array_accesses.hpp"
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

/// Work of the threads `modulus * u + first`, between two barriers, which any thread may do.
struct Sparse {
  BranchInst* guard;
  uint64_t modulus, first;
  ThreadPlace thread() const { return {modulus, first}; }
};

class Ranks {
 public:
  Ranks(Function& kernel, uint64_t threads, FunctionAnalysisManager& analyses)
      : kernel_(kernel),
        layout_(kernel.getDataLayout()),
        threads_(threads),
        loops_(analyses.getResult<LoopAnalysis>(kernel)),
        ends_(analyses.getResult<PostDominatorTreeAnalysis>(kernel)) {}

  bool run() {
    thread_ = find_thread();
    if (!thread_) return false;
    find_sparse();
    bool changed = false;
    for (GlobalVariable* array : own_arrays(kernel_))
      while ((array = close(*array))) changed = true;
    return changed;
  }

 private:
  Instruction* find_thread() {
    const auto found = find_if(kernel_.getEntryBlock(), [](Instruction& i) { return is_thread_x(&i); });
    return found == kernel_.getEntryBlock().end() ? nullptr : &*found;
  }

  // The rest of threadIdx.x, or of it and a number, by a power of two.
  std::optional<Sparse> as_sparse(BasicBlock& guard) const {
    auto* branch = dyn_cast<BranchInst>(guard.getTerminator());
    const APInt *mask = nullptr, *rest = nullptr, *added = nullptr;
    Value* number = nullptr;
    if (!branch || !branch->isConditional() ||
        !match(branch->getCondition(),
               m_SpecificICmp(ICmpInst::ICMP_EQ, m_And(m_Value(number), m_APInt(mask)), m_APInt(rest))))
      return std::nullopt;
    if (!mask->isMask() || mask->uge(kMostThreads) || (*rest & ~*mask) != 0) return std::nullopt;
    if (number == thread_) return Sparse{branch, mask->getZExtValue() + 1, rest->getZExtValue()};
    if (!match(number, m_Add(m_Specific(thread_), m_APInt(added)))) return std::nullopt;
    return Sparse{branch, mask->getZExtValue() + 1, ((*rest - *added) & *mask).getZExtValue()};
  }

  void find_sparse() {
    for (BasicBlock& guard : kernel_)
      if (const auto sparse = as_sparse(guard); sparse && sparse->first < threads_)
        if (BasicBlock* work = sparse->guard->getSuccessor(0); is_step_of(*work, sparse->thread()))
          sparse_.insert({work, *sparse});
  }

  uint64_t threads_of(const Sparse& sparse) const { return divideCeil(threads_ - sparse.first, sparse.modulus); }

  /// Whether all threads come from a barrier to the block's guard, and those that do its work to the next barrier; and
  /// whether any thread may do it.
  bool is_step_of(BasicBlock& work, ThreadPlace thread = {1, 0}) const {
    BasicBlock *guard = work.getSinglePredecessor(), *join = work.getSingleSuccessor();
    if (!guard || !join || succ_size(guard) != 2 || !is_contained(successors(guard), join)) return false;
    return !isa<PHINode>(join->front()) && ends_behind_barrier(*guard) && begins_at_barrier(*join) && all_run(*guard) &&
           is_anybodys(work, thread);
  }

  bool all_run(const BasicBlock& block) const { return ends_.dominates(&block, &kernel_.getEntryBlock()); }

  /// Nothing but places depends on who does it, and nobody else hears of it.
  bool is_anybodys(BasicBlock& work, ThreadPlace thread) const {
    return all_of(work, [&](Instruction& i) {
      if (any_of(i.users(), [&](User* user) { return cast<Instruction>(user)->getParent() != &work; })) return false;
      if (i.isTerminator() || isa<GetElementPtrInst>(i) || place_of(&i, thread)) return true;
      if (const Value* address = getLoadStorePointerOperand(&i)) {
        auto* store = dyn_cast<StoreInst>(&i);
        return is_plain_access(i) && address->getType()->getPointerAddressSpace() == kShared &&
               place_in_elements(i, layout_, thread) && (!store || is_of(work, store->getValueOperand(), thread));
      }
      if (auto* call = dyn_cast<CallBase>(&i)) {  // of no argument: a lane's number, a clock
        if (!isa<IntrinsicInst>(call) || call->arg_empty() || call->isConvergent()) return false;
        return !touches_memory(i) && all_of(call->args(), [&](const Use& use) { return is_of(work, use, thread); });
      }
      return !touches_memory(i) && !isa<PHINode>(i) &&
             all_of(i.operands(), [&](const Use& use) { return is_of(work, use, thread); });
    });
  }

  // A number that tells threads apart is none of the work's values.
  static bool is_of(const BasicBlock& work, const Value* v, ThreadPlace thread) {
    auto* instruction = dyn_cast<Instruction>(v);
    return !instruction || (instruction->getParent() == &work && !place_of(instruction, thread) &&
                            !isa<GetElementPtrInst>(instruction));
  }

  Access as_access(Instruction& i, uint64_t size) const {
    const BasicBlock *block = i.getParent(), *guard = block->getSinglePredecessor();
    const auto sparse = sparse_.find(block);
    const auto only = guard ? only_thread_to(*guard, *block) : std::nullopt;
    Access access{&i, std::nullopt, most_threads_at(*block, threads_)};
    if (layout_.getTypeStoreSize(getLoadStoreType(&i)) != size) return access;
    if (sparse != sparse_.end()) {
      access.place = place_in_elements(i, layout_, sparse->second.thread());
      access.threads = threads_of(sparse->second);
    } else if (only) {
      access.place = place_in_elements(i, layout_, {0, *only});
      access.threads = 1;
    } else {
      access.place = place_in_elements(i, layout_);
    }
    if (access.place && access.threads == 1) access.place->step = 0;
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

  /// A store of every `apart`-th element from element `first` on. What touches these moves with them, until they are
  /// stored again or joined with the others; what touches others stays.
  struct Step {
    Access store;
    uint64_t apart, first;
    SmallVector<Access, 16> later = {};  ///< that move
    BasicBlock* joint = nullptr;         ///< behind which all elements lie where they were
  };

  /// Whether a way leads from one to the other. LLVM's isPotentiallyReachable() says so, too, where ways are long.
  bool comes_behind(const Instruction& before, const Instruction& behind) {
    const BasicBlock *from = before.getParent(), *to = behind.getParent();
    if (from == to && before.comesBefore(&behind)) return true;
    auto [found, is_new] = reached_.try_emplace(from);
    if (is_new) {
      SmallVector<const BasicBlock*, 16> blocks(successors(from));
      while (!blocks.empty()) {
        const BasicBlock* block = blocks.pop_back_val();
        if (found->second.insert(block).second) append_range(blocks, successors(block));
      }
    }
    return found->second.contains(to);
  }

  std::optional<Step> as_step(const Access& store, ArrayRef<Access> accesses) {
    if (!isa<StoreInst>(store.at) || !store.place || store.place->step < 2) return std::nullopt;
    Step step{store, store.place->step, store.place->first};
    step.store.threads = threads_certain(store);
    if (step.store.threads == 0) return std::nullopt;
    SmallVector<Access, 16> behind;
    for (const Access& access : accesses) {
      if (access.at == store.at) continue;
      if (comes_behind(*store.at, *access.at))
        behind.push_back(access);
      else if (!comes_behind(*access.at, *store.at))
        return std::nullopt;  // on another way, of which nobody knows when
    }
    return find_later(step, behind) && leads_on(step) ? std::optional(std::move(step)) : std::nullopt;
  }

  bool find_later(Step& step, ArrayRef<Access> behind) {
    if (takes_all_to(step, behind, first_of(behind, [&](const Access& a) { return stores_again(a, step); })))
      return true;
    const Access* join = first_of(behind, [&](const Access& a) { return is_joint(a, step); });
    if (!join || !takes_all_to(step, behind, join)) return false;
    step.joint = join->at->getParent();
    erase_if(step.later, [&](const Access& a) { return a.at->getParent() == step.joint; });
    return true;
  }

  const Access* first_of(ArrayRef<Access> behind, function_ref<bool(const Access&)> is_wanted) {
    const Access* first = nullptr;
    for (const Access& access : behind)
      if (is_wanted(access) && (!first || comes_behind(*access.at, *first->at))) first = &access;
    return first;
  }

  /// Finds what moves up to `end`, if there is one; false: it is not known of an access whether it does.
  bool takes_all_to(Step& step, ArrayRef<Access> behind, const Access* end) {
    step.later.clear();
    for (const Access& access : behind) {
      if (end && (access.at == end->at || comes_behind(*end->at, *access.at))) continue;
      if (is_among(access, step))
        step.later.push_back(access);
      else if (!is_beside(access, step))
        return false;
    }
    return true;
  }

  bool stores_again(const Access& access, const Step& step) const {
    return isa<StoreInst>(access.at) && access.place && is_own_of(*access.place, step) &&
           threads_certain(access) == step.store.threads;
  }

  /// Whether all threads but the step's last store elements beside its own, from what lies one place below:
  /// `s[2 * t + 2] += s[2 * t + 1]`. Thread `t + 1` may do that as well, with both elements of `2 * t` in its hands.
  bool is_joint(const Access& access, const Step& step) {
    BasicBlock* work = access.at->getParent();
    if (!isa<StoreInst>(access.at) || !is_beside(access, step) || access.place->step != step.apart ||
        threads_certain(access) + 1 != step.store.threads || access.threads < 2 || !is_step_of(*work) ||
        sparse_.contains(work))
      return false;
    const Value* array = getUnderlyingObject(getLoadStorePointerOperand(access.at), 0);
    bool reads_own = false;
    for (Instruction& i : *work) {
      if (!getLoadStorePointerOperand(&i)) {
        if (!i.isTerminator() && !isSafeToSpeculativelyExecute(&i)) return false;
        continue;
      }
      const Access other = as_access(i, layout_.getTypeStoreSize(getLoadStoreType(&i)));
      const bool is_array = getUnderlyingObject(getLoadStorePointerOperand(&i), 0) == array;
      const bool is_own = is_array && is_own_of(*other.place, step);
      if (is_array && !is_own && !is_beside(other, step)) return false;
      if (!is_own && other.place->first < other.place->step) return false;  // nothing is below the first
      if (isa<StoreInst>(i) && &i != access.at) return false;
      reads_own |= is_own;
    }
    return reads_own;
  }

  /// Whether a thread touches the element that it, or the thread of its number, stored in the step.
  static bool is_own_of(const ThreadPlace& place, const Step& step) {
    return place.step == step.apart && place.first == step.first;
  }

  /// Whether another step follows: one element by itself is as well where it is.
  static bool leads_on(const Step& step) {
    return any_of(step.later, [&](const Access& a) { return a.place->step > 0 || a.place->first != step.first; });
  }

  /// The array that takes the place of this one behind its first step; null: there is no such step.
  GlobalVariable* close(GlobalVariable& array) {
    const auto found = plain_accesses(array, kernel_);
    if (!found) return nullptr;
    const auto store = find_if(*found, IsaPred<StoreInst>);
    Type* type = store == found->end() ? nullptr : getLoadStoreType(*store);
    if (!type || !type->isSingleValueType()) return nullptr;
    const uint64_t size = layout_.getTypeStoreSize(type);
    SmallVector<Access, 16> accesses;
    for (Instruction* access : *found) accesses.push_back(as_access(*access, size));
    std::optional<Step> first;
    for (const Access& store : accesses) {
      auto step = as_step(store, accesses);
      if (step && step->store.threads * size <= kMostBytes && (!first || step->later.size() > first->later.size()))
        first = std::move(step);
    }
    return first ? move_together(array, *first, type) : nullptr;
  }

  /// Whether an access touches only what the step stored.
  static bool is_among(const Access& access, const Step& step) {
    if (!access.place || access.place->first < step.first) return false;
    const ThreadPlace place{access.place->step, access.place->first - step.first};
    return place.step % step.apart == 0 && place.first % step.apart == 0 &&
           place.step * (access.threads - 1) + place.first < step.apart * step.store.threads;
  }

  /// Whether it touches none of them.
  static bool is_beside(const Access& access, const Step& step) {
    return access.place && access.place->step % step.apart == 0 &&
           access.place->first % step.apart != step.first % step.apart;
  }

  GlobalVariable* move_together(GlobalVariable& array, const Step& step, Type* type) {
    // Before the first thread's element there is none; its neighbours keep the alignment of vectors.
    const uint64_t ahead = step.joint ? 64 / layout_.getTypeStoreSize(type) : 0;
    Type* rank = ArrayType::get(type, ahead + step.store.threads);
    auto* closed =
        new GlobalVariable(*kernel_.getParent(), rank, false, GlobalValue::InternalLinkage, UndefValue::get(rank),
                           array.getName() + ".closed", nullptr, GlobalValue::NotThreadLocal, kShared);
    closed->setAlignment(Align(64));
    const auto move = [&](const Access& access) {
      leave_to_first(*access.at->getParent());
      redirect(*access.at, *closed,
               {access.place->step / step.apart, (access.place->first - step.first) / step.apart + ahead});
    };
    move(step.store);
    for_each(step.later, move);
    if (step.joint) join(array, step, *closed, ahead);
    return closed;
  }

  /// Thread `t + 1` does the work of thread `t`, and puts its own element back beside what it stores.
  void join(GlobalVariable& array, const Step& step, GlobalVariable& closed, uint64_t ahead) const {
    StoreInst* store = nullptr;
    SmallVector<Instruction*, 8> accesses;
    for (Instruction& i : *step.joint)
      if (getLoadStorePointerOperand(&i)) accesses.push_back(&i);
    for (Instruction* access : accesses) {
      const ThreadPlace place = *place_in_elements(*access, layout_);
      auto* of = cast<GlobalVariable>(getUnderlyingObject(getLoadStorePointerOperand(access), 0));
      const bool is_own = of == &array && is_own_of(place, step);
      is_own ? redirect(*access, closed, {1, ahead - 1})
             : redirect(*access, *of, {place.step, place.first - place.step});
      if (auto* s = dyn_cast<StoreInst>(access)) store = s;
    }
    Type* type = getLoadStoreType(store);
    IRBuilder<> b(store);
    Value* before = b.CreateAlignedLoad(type, store->getPointerOperand(), store->getAlign());
    store->setOperand(0, b.CreateSelect(b.CreateIsNull(thread_), before, store->getValueOperand()));
    b.SetInsertPoint(store->getNextNode());
    LoadInst* own = b.CreateAlignedLoad(type, &closed, store->getAlign());
    StoreInst* back = b.CreateAlignedStore(own, &array, store->getAlign());
    redirect(*own, closed, {1, ahead});
    redirect(*back, array, {step.apart, step.first});
    auto* branch = cast<BranchInst>(step.joint->getSinglePredecessor()->getTerminator());
    b.SetInsertPoint(branch);
    Value* threads = b.getInt32(static_cast<uint32_t>(step.store.threads));
    branch->setCondition(branch->getSuccessor(0) == step.joint ? b.CreateICmpULT(thread_, threads)
                                                               : b.CreateICmpUGE(thread_, threads));
  }

  /// Thread `modulus * u + first` leaves its work to thread `u`.
  void leave_to_first(BasicBlock& work) {
    const auto found = sparse_.find(&work);
    if (found == sparse_.end()) return;
    const Sparse sparse = found->second;
    sparse_.erase(found);
    IRBuilder<> b(sparse.guard);
    sparse.guard->setCondition(b.CreateICmpULT(thread_, b.getInt32(static_cast<uint32_t>(threads_of(sparse)))));
    SmallVector<Instruction*, 16> accesses;
    for (Instruction& i : work)
      if (getLoadStorePointerOperand(&i)) accesses.push_back(&i);
    for (Instruction* access : accesses) {
      auto* array = cast<GlobalVariable>(getUnderlyingObject(getLoadStorePointerOperand(access), 0));
      redirect(*access, *array, *place_in_elements(*access, layout_, sparse.thread()));
    }
  }

  void redirect(Instruction& access, GlobalVariable& array, ThreadPlace place) const {
    move_access(access, array, place, *thread_);
  }

  Function& kernel_;
  const DataLayout& layout_;
  const uint64_t threads_;
  LoopInfo& loops_;
  PostDominatorTree& ends_;
  Instruction* thread_ = nullptr;
  SmallDenseMap<const BasicBlock*, Sparse, 8> sparse_;
  DenseMap<const BasicBlock*, SmallPtrSet<const BasicBlock*, 16>> reached_;  ///< behind a block's end
};

}  // namespace

bool close_ranks(Function& kernel, std::array<unsigned, 3> block, FunctionAnalysisManager& analyses) {
  if (block[1] != 1 || block[2] != 1 || block[0] < 2 || block[0] > kMostThreads ||
      !has_sync(kernel, LANZA_SYNC_BARRIER))
    return false;
  return Ranks(kernel, block[0], analyses).run();
}

}  // namespace lanza::compiler
