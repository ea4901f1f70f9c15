#include "compiler/passes/vector/run/run_form.hpp"

#include <optional>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include "compiler/kernel_abi.h"
#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/hidden_context.hpp"
#include "compiler/passes/note_lanes.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/thread_context.hpp"
#include "compiler/passes/vector/analysis/shared_reach.hpp"
#include "compiler/passes/vector/analysis/uniform_barriers.hpp"
#include "compiler/passes/vector/cost_notes.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/run/block_loop.hpp"
#include "compiler/passes/vector/run/block_order.hpp"
#include "compiler/passes/vector/run/block_parts.hpp"
#include "compiler/passes/vector/run/full_groups.hpp"
#include "compiler/passes/vector/run/note_restrict.hpp"
#include "compiler/passes/vector/run/region_report.hpp"
#include "compiler/passes/vector/run/shared_gaps.hpp"
#include "compiler/passes/vector/run/split_regions.hpp"
#include "compiler/passes/vector/scalars/alone_atomics.hpp"
#include "compiler/passes/vector/scalars/own_counters.hpp"
#include "compiler/passes/vector/widen/whole_loads.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

// Bytes on the stack: kernels also run on threads of the user's, whose stacks may be small.
constexpr uint64_t kMostOnStack = 64 << 10, kMostShared = 48 << 10;

/// What code of a group knows: uniform values come from the loop over blocks, thread indices from lanza.group.
class GroupContext : public ThreadContext {
 public:
  GroupContext(const AbiTypes& types, const BlockLoop& blocks, const GroupShape& group)
      : ThreadContext(types), blocks_(blocks), group_(group) {}
  Value* launch(Builder&) override { return blocks_.run->getArg(0); }
  Value* arguments(Builder&) override { return blocks_.run->getArg(1); }
  Value* block(Builder&) override { return blocks_.run->getArg(2); }
  Value* tid(Builder& b, unsigned axis) override {
    if (group_.block[axis] == 1 && (axis != 0 || !group_.whole_rows)) return b.getInt32(0);
    return emit_group_index(b, axis);
  }
  Value* ctaid(Builder&, unsigned axis) override { return blocks_.index[group_.launched(axis)]; }
  Value* ntid(Builder& b, unsigned axis) override { return b.getInt32(group_.block[axis]); }
  Value* nctaid(Builder&, unsigned axis) override { return blocks_.grid[group_.launched(axis)]; }
  Value* shared(Builder& b) override { return local_shared ? local_shared : ThreadContext::shared(b); }
  // Where nothing else has an effect LLVM knows by arithmetic which thread fails, and drops the loop. Code of several
  // lanes says itself who it is.
  void note_thread(Builder& b) override {
    if (group_.lanes == 1) note_thread(b, tid(b, 0), tid(b, 1), tid(b, 2));
  }
  void note_thread(Builder& b, Value* x, Value* y, Value* z) {
    auto keep = [&](Value* value, unsigned field, unsigned axis = 0) {
      Value* address = b.CreateStructGEP(types.block, block(b), field);
      b.CreateStore(value, b.CreateConstInBoundsGEP1_32(types.i32, address, axis));
    };
    keep(b.CreateZExt(x, types.i64), block_field::lane);
    keep(y, block_field::lane_row, 0);
    keep(z, block_field::lane_row, 1);
    keep(b.getInt32(1), block_field::lane_count);
    keep(b.getInt32(1), block_field::lane_rows);
  }

  Value* local_shared = nullptr;

 private:
  const BlockLoop& blocks_;
  const GroupShape group_;
};

/// Which groups a copy of a region is for: all of the block; those without a lane beyond it; the one that has some.
enum class Groups { All, Full, Last };

/// The loops over the groups of a block around one region.
struct GroupLoops {
  BasicBlock *start, *latch;  // of the innermost: where a group begins, and where it has to come
  BasicBlock* after;
  GroupPlace place;
};

class RunFormBuilder {
 public:
  RunFormBuilder(Function& kernel, const GroupShape& group, const BlockOrder& order)
      : kernel_(kernel),
        module_(*kernel.getParent()),
        c_(module_.getContext()),
        types_(c_),
        group_(group),
        b_(c_),
        most_blocks_(order.most),
        blocks_(make_block_loop(module_, types_, order)),
        run_(blocks_.run),
        context_(types_, blocks_, group_) {}

  RunForm build() {
    settle_begun_groups(kernel_, group_);
    MDNode* scopes = note_restrict(kernel_);
    const uint64_t shared_bytes = bytes_of_shared();
    BasicBlock* body = take_body(kernel_, *run_);
    if (DISubprogram* subprogram = run_->getSubprogram())
      b_.SetCurrentDebugLocation(DILocation::get(c_, subprogram->getLine(), 0, subprogram));
    context_.once = blocks_.once;
    context_.local_shared = form_.shared = shared_as_local(shared_bytes);
    lower_threads();
    lower_context(*run_, context_);
    b_.SetInsertPoint(blocks_.body);
    if (module_flag(module_, kReadsGaps, 0) != 0) clear_gaps(b_, *context_.shared(b_), group_.blocks);
    if (group_.whole_rows) begin_rows();
    lower_arguments(kernel_, context_, &*body->getFirstInsertionPt());
    take_out_of_line_functions();
    if (group_.lanes == 1) count_threads();
    isolate_points(*run_);
    b_.SetInsertPoint(blocks_.body);
    keep_only_rows();
    b_.CreateBr(body);
    build_regions(body);
    place_slots();
    form_.counter_bytes = lower_own_counters(blocks_, types_);
    form_.asks_whether_alone = lower_alone(*run_, types_);
    lower_scratch(*run_);
    drop_cost_notes(*run_);
    if (scopes) note_records(*run_, scopes);
    form_.run = run_;
    return form_;
  }

 private:
  BasicBlock* add(const char* name) { return BasicBlock::Create(c_, name, run_); }
  Value* local(Type* type, const char* name) { return new AllocaInst(type, 0, name, run_->getEntryBlock().begin()); }
  Value* field(StructType* type, Value* base, unsigned i, int axis = -1) {
    if (axis < 0) return b_.CreateStructGEP(type, base, i);
    return b_.CreateInBoundsGEP(type, base, {b_.getInt32(0), b_.getInt32(i), b_.getInt32(axis)});
  }
  static unsigned threads(const GroupShape& group) { return group.block[0] * group.block[1] * group.block[2]; }
  // Along an axis; of a row that may begin within a group, at the most.
  unsigned groups(unsigned axis) const {
    if (axis || !group_.whole_rows || !most_blocks_) return group_.groups(axis);
    return (most_blocks_ * group_.block[0] + 2 * (group_.lanes - 1)) / group_.lanes;
  }
  unsigned groups() const { return groups(0) * groups(1) * groups(2); }

  // Shared memory that nobody reaches but by its address is a local of the block, dead between blocks: where it is not
  // indexed any more it becomes registers.
  AllocaInst* shared_as_local(uint64_t bytes) {
    if (bytes == 0 || bytes > kMostShared) return nullptr;
    auto* shared = new AllocaInst(ArrayType::get(types_.i8, bytes), 0, nullptr, Align(64), "shared",
                                  run_->getEntryBlock().begin());
    b_.SetInsertPoint(blocks_.body);
    b_.CreateLifetimeStart(shared);
    Builder(blocks_.next, blocks_.next->begin()).CreateLifetimeEnd(shared);
    return shared;
  }

  // Kernels are called by nobody.
  bool is_own_or_kernel(const Function& function) const { return &function == run_ || function.use_empty(); }

  // 0: it has to be the executor's, which functions ask for that were not inlined, and which can tell an address of
  // shared memory only where it lies in its own. Dynamic shared memory lies behind the static one; how much of it there
  // is, is known where all of its indices are bounded.
  uint64_t bytes_of_shared() const {
    for (const char* name : {"__lanza_address_space", kDynamicShared})
      if (Function* asks = module_.getFunction(name); asks && !asks->use_empty()) return 0;
    if (Function* base = module_.getFunction(kSharedBase);
        base && any_of(base->users(), [&](User* u) { return !is_own_or_kernel(*cast<Instruction>(u)->getFunction()); }))
      return 0;
    if (module_flag(module_, kUsesDynamicShared, 0)) return shared_reach(kernel_, group_).value_or(0);
    return uint64_t{group_.blocks} * module_flag(module_, kSharedBytes, 0);
  }

  // Where the row's threads end, counted from the first group's lane 0, which may lie before the row.
  void begin_rows() {
    Value* size = b_.getInt32(group_.block[0]);
    b_.SetInsertPoint(blocks_.body);
    row_end_ = b_.CreateNUWMul(blocks_.count, size);
    if (group_.overhangs(0)) {
      Value* before = b_.CreateAnd(b_.CreateMul(blocks_.index[group_.launched(0)], size), group_.lanes - 1);
      row_end_ = b_.CreateNUWAdd(row_end_, before);
      Value* skipped = b_.CreateNeg(b_.CreateZExt(before, types_.i64));
      b_.CreateStore(skipped, field(types_.block, run_->getArg(2), block_field::first_lane), /*isVolatile=*/true);
    }
    for (Instruction& i : make_early_inc_range(instructions(run_))) {
      auto* call = dyn_cast<CallInst>(&i);
      if (!call || !call->getCalledFunction() || call->getCalledFunction()->getName() != kBlocks) continue;
      call->replaceAllUsesWith(blocks_.count);
      call->eraseFromParent();
    }
  }

  // Whether the thread of a lanza.thread goes into a function that was not inlined.
  static bool calls_function(const CallInst* thread) {
    auto* call = dyn_cast<CallInst>(thread->getNextNonDebugInstruction());
    return call && call->getCalledFunction() && !call->getCalledFunction()->isDeclaration();
  }

  void lower_threads() {
    Function* note = module_.getFunction(kThread);
    if (!note) return;
    for (User* user : make_early_inc_range(note->users())) {
      auto* call = cast<CallInst>(user);
      if (calls_function(call)) continue;
      Builder b(call);
      context_.note_thread(b, call->getArgOperand(0), call->getArgOperand(1), call->getArgOperand(2));
      call->eraseFromParent();
    }
  }

  // The operand of a barrier that counts is a predicate of the thread.
  void count_threads() {
    for (Instruction& i : instructions(run_)) {
      CallInst* point = as_sync(i);
      if (!point || sync_kind(*point) != LANZA_SYNC_BARRIER_COUNT) continue;
      Builder b(point);
      point->setArgOperand(kSyncValue, b.CreateZExt(b.CreateIsNotNull(point->getArgOperand(kSyncValue)), types_.i64));
    }
  }

  // Functions that were not inlined find their thread in a record.
  void take_out_of_line_functions() {
    SmallVector<Function*, 8> functions = out_of_line_functions(module_, kernel_);
    llvm::erase(functions, run_);
    if (functions.empty()) return;
    record_ = local(types_.record, "record");
    if (Function* note = module_.getFunction(kThread))
      for (User* user : make_early_inc_range(note->users())) {
        auto* call = cast<CallInst>(user);
        b_.SetInsertPoint(call);
        fill_record({call->getArgOperand(0), call->getArgOperand(1), call->getArgOperand(2)});
        call->eraseFromParent();
      }
    FunctionMap map = add_hidden_context(functions, types_);
    rewrite_calls(*run_, record_, map);
    erase_originals(map);
    b_.SetInsertPoint(blocks_.once);
    b_.CreateStore(run_->getArg(2), field(types_.record, record_, record_field::block));
  }

  void fill_record(ArrayRef<Value*> thread) {
    for (unsigned axis = 0; axis < 3; ++axis)
      b_.CreateStore(b_.CreateTrunc(thread[axis], types_.i16),
                     field(types_.record, record_, record_field::tid, static_cast<int>(axis)));
  }

  void build_regions(BasicBlock* body) {
    auto memory = [&](uint64_t bytes, Align align) {
      slots_.push_back(
          new AllocaInst(ArrayType::get(types_.i8, bytes), 0, nullptr, align, "slots", run_->getEntryBlock().begin()));
      return slots_.back();
    };
    const BlockUniformity uniformity(*run_, context_.local_shared);
    const auto parting = blocks_with_early_exits(*run_, uniformity);
    RegionSplitter splitter(*run_, body, groups(), uniformity, memory);
    for (unsigned r = 0; r < splitter.count(); ++r) heads_.push_back(add("region"));
    some_left_.resize(splitter.count());
    for (BasicBlock* block : parting) some_left_ |= splitter.reached_from(block);
    if (some_left_.any()) gone_ = memory(groups(), Align(1));
    next_ = local(types_.i32, "next");
    cast<BranchInst>(blocks_.body->getTerminator())->setSuccessor(0, heads_[0]);
    if (parts_last_group(*run_, group_, splitter.count())) copies_ = {Groups::Full, Groups::Last};
    for (unsigned r = 0; r < splitter.count(); ++r) build_region(splitter, r);
    splitter.finish();
    form_.spilled_values = splitter.spilled();
  }

  void leave_to_others() {
    b_.CreateStore(blocks_.number, field(types_.block, run_->getArg(2), block_field::next));
    b_.CreateRet(b_.getInt32(static_cast<uint32_t>(kIsOthers)));
  }

  void build_region(RegionSplitter& splitter, unsigned r) {
    b_.SetInsertPoint(heads_[r]);
    if (is_left_to_others(splitter.begin_of(r))) return leave_to_others();
    if (splitter.follows_grid(r))
      call_service(b_, context_, types_.nothing, services_field::wait_for_grid, {run_->getArg(2)});
    b_.CreateStore(b_.getInt32(RegionExit::kEnd), next_);
    std::optional<Builder> outside;
    SmallSetVector<unsigned, 4> following;
    const bool downwards = splitter.is_downwards(r);
    SmallVector<Groups, 2> copies = copies_;
    if (downwards) std::reverse(copies.begin(), copies.end());  // the last group goes first
    for (Groups which : copies) {
      const GroupLoops loops = build_loops(which, downwards);
      if (!outside) splitter.begin(r, outside.emplace(heads_[r]->getTerminator()));
      build_copy(splitter, r, which, loops, *outside, following);
      b_.SetInsertPoint(loops.after);
    }
    if (some_left_[r]) following.insert(RegionExit::kEnd);  // when all have left
    go_on(splitter, r, following.takeVector());
  }

  void build_copy(RegionSplitter& splitter, unsigned r, Groups which, const GroupLoops& loops, Builder& outside,
                  SmallSetVector<unsigned, 4>& following) {
    b_.SetInsertPoint(loops.start);
    if (group_.blocks > 1) skip_missing(loops);
    if (some_left_[r]) skip_gone(loops);
    if (record_ && group_.lanes == 1) fill_record(loops.place.lane0);
    const auto before_region = std::prev(run_->end());
    BasicBlock* start = b_.GetInsertBlock();
    const SmallVector<RegionExit, 4> exits = splitter.emit(r, outside, start, loops.place);
    const auto region = make_range(std::next(before_region), run_->end());
    if (which != Groups::Last) form_.regions.push_back(report_region(region, group_.lanes > 1, splitter.kept_over(r)));
    if (which == Groups::Full) {
      const unsigned last = (groups(0) - 2) * group_.lanes;
      settle_full_groups(*start, *loops.place.lane0[0], last, group_.lanes);
      for (BasicBlock& block : region) settle_full_groups(block, *loops.place.lane0[0], last, group_.lanes);
    }
    for (const RegionExit& exit : exits) {
      b_.SetInsertPoint(exit.block);
      if (exit.next != RegionExit::kEnd) b_.CreateStore(b_.getInt32(exit.next), next_);
      note_whether_gone(splitter, r, exit, loops);
      b_.CreateBr(loops.latch);
      following.insert(exit.next);
    }
  }

  // What is too much for the stack goes to LanzaBlock::context.
  void place_slots() {
    SmallVector<uint64_t, 16> offsets;
    uint64_t total = 0;
    for (AllocaInst* slots : slots_) {
      total = alignTo(total, slots->getAlign());
      offsets.push_back(total);
      total += slots->getAllocatedType()->getArrayNumElements();
    }
    form_.spilled_bytes = total;
    if (total <= kMostOnStack) return;
    form_.context_bytes = total;
    b_.SetInsertPoint(blocks_.once);
    Value* context = b_.CreateLoad(types_.pointer, field(types_.block, run_->getArg(2), block_field::context));
    for (auto [slots, offset] : zip(slots_, offsets)) {
      slots->replaceAllUsesWith(b_.CreateConstInBoundsGEP1_64(types_.i8, context, offset));
      slots->eraseFromParent();
    }
  }

  // Groups of a second block where there is one only. Bits of the groups' blocks are asked, not their index: loops over
  // groups shall not end there, but be unrolled; nor shall there be a loop for each answer.
  void skip_missing(const GroupLoops& loops) {
    auto* stay = add("");
    Value* block = b_.CreateUDiv(loops.place.lane0[0], b_.getInt32(group_.launched_block()[0]));
    Value* missing = b_.CreateShl(b_.getInt32(~0U), blocks_.count);  // a bit for each: in front of loops over groups
    Value* is_missing = b_.CreateTrunc(b_.CreateLShr(missing, block), b_.getInt1Ty());
    b_.CreateCondBr(is_missing, loops.latch, stay, MDBuilder(c_).createUnlikelyBranchWeights());
    b_.SetInsertPoint(stay);
  }

  void skip_gone(const GroupLoops& loops) {
    auto* stay = add("");
    Value* gone = b_.CreateLoad(types_.i8, b_.CreateInBoundsGEP(types_.i8, gone_, loops.place.index));
    b_.CreateCondBr(b_.CreateIsNull(gone), stay, loops.latch);
    b_.SetInsertPoint(stay);
  }

  // Region 0 says it of every group, the others of those that go; where some region will ask.
  void note_whether_gone(const RegionSplitter& splitter, unsigned r, const RegionExit& exit, const GroupLoops& loops) {
    const bool gone = exit.next == RegionExit::kEnd;
    if (r && !gone) return;
    BitVector asks = splitter.reached_from(splitter.begin_of(gone ? r : exit.next));
    if (!gone) asks.set(exit.next);
    if (!asks.anyCommon(some_left_)) return;
    b_.CreateStore(ConstantInt::get(types_.i8, gone), b_.CreateInBoundsGEP(types_.i8, gone_, loops.place.index));
  }

  BasicBlock* way_to(const RegionSplitter& splitter, unsigned r, unsigned next) {
    if (next == RegionExit::kEnd) return blocks_.next;
    if (!splitter.turns_rings(r, next)) return heads_[next];
    BasicBlock* turn = add("turn");
    Builder b(turn);
    splitter.turn_rings(r, next, b);
    b.CreateBr(heads_[next]);
    return turn;
  }

  void go_on(const RegionSplitter& splitter, unsigned r, ArrayRef<unsigned> following) {
    auto target = [&](unsigned next) { return way_to(splitter, r, next); };
    if (following.empty()) {  // no group comes out
      b_.CreateBr(blocks_.next);
    } else if (following.size() == 1) {
      b_.CreateBr(target(following[0]));
    } else {
      SwitchInst* choice = b_.CreateSwitch(b_.CreateLoad(types_.i32, next_), target(following[0]));
      choice->setMetadata(kChoosesRegion, MDNode::get(c_, {}));
      for (unsigned next : following.drop_front()) choice->addCase(b_.getInt32(next), target(next));
      note_frequencies(splitter, *choice, following);
    }
  }

  void note_frequencies(const RegionSplitter& splitter, SwitchInst& choice, ArrayRef<unsigned> following) {
    constexpr uint32_t kOften = 1 << 20;
    SmallVector<uint32_t, 4> weights;
    for (unsigned next : following) weights.push_back(splitter.is_seldom(next) ? 1 : kOften);
    if (is_contained(weights, 1U)) choice.setMetadata(LLVMContext::MD_prof, MDBuilder(c_).createBranchWeights(weights));
  }

  // From where the builder stands, which becomes the way into the outermost loop.
  GroupLoops build_loops(Groups which, bool downwards) {
    GroupLoops loops{nullptr, nullptr, add("regioned"), {}};
    Value* zero = b_.getInt32(0);
    BasicBlock* after = loops.after;
    Value* index = nullptr;
    for (int axis = 2; axis >= 0; --axis) {
      const unsigned count = groups(axis), extent = group_.extent[axis];
      Value* lane0 = zero;
      if (axis == 0 && which == Groups::Last) {
        loops.start = add("group");
        loops.latch = after;
        b_.CreateBr(loops.start);
        lane0 = b_.getInt32((count - 1) * extent);
      } else if (count > 1 || axis == 0) {
        BasicBlock *before = b_.GetInsertBlock(), *head = add("group"), *latch = add("");
        b_.CreateBr(head);
        PHINode* counter = PHINode::Create(types_.i32, 2, "", head);
        b_.SetInsertPoint(latch);
        Value* following = b_.CreateNUWAdd(counter, b_.getInt32(extent));
        counter->addIncoming(zero, before);
        counter->addIncoming(following, latch);
        const unsigned turns = which == Groups::Full && axis == 0 ? count - 1 : count;
        Value* end = b_.getInt32(turns * extent);
        if (axis == 0 && group_.whole_rows) end = row_end_;
        auto* branch = b_.CreateCondBr(b_.CreateICmpULT(following, end), head, after);
        const bool is_full = which == Groups::Full || !group_.overhangs(0);
        branch->setMetadata(LLVMContext::MD_loop, loop_id(axis ? kRowLoop : is_full ? kLaneLoop : kOverhangingLoop));
        b_.SetInsertPoint(head);
        lane0 = downwards ? b_.CreateSub(b_.getInt32((turns - 1) * extent), counter, "", true, true) : counter;
        loops.start = head;
        loops.latch = after = latch;
      }
      loops.place.lane0[axis] = lane0;
      if (axis && count > 1) keep(lane0, block_field::lane_row, axis - 1);
      if (axis == 1) keep_row();
      Value* number = extent == 1 ? lane0 : b_.CreateUDiv(lane0, b_.getInt32(extent), "", /*isExact=*/true);
      index = index ? b_.CreateNUWAdd(b_.CreateNUWMul(index, b_.getInt32(count)), number) : number;
    }
    loops.place.index = index;
    return loops;
  }

  // Until the loop over the row says more (note_lanes.hpp): some thread of it, or of the rows that run as one.
  void keep_row() {
    keep(b_.getInt64(0), block_field::lane);
    static_assert(offsetof(LanzaBlock, lane_rows) == offsetof(LanzaBlock, lane_count) + 4);  // both by one store
    const uint64_t rows = uint64_t{group_.extent[2] - 1} * group_.block[1] + group_.rows();
    Value* threads = row_end_ ? row_end_ : b_.getInt32(group_.block[0]);
    keep(b_.CreateOr(b_.CreateZExt(threads, types_.i64), b_.getInt64(rows << 32)), block_field::lane_count);
  }

  // Where there is one row of groups, or one layer, it is the same in all regions.
  void keep_only_rows() {
    for (int axis = 1; axis < 3; ++axis)
      if (groups(static_cast<unsigned>(axis)) == 1) keep(b_.getInt32(0), block_field::lane_row, axis - 1);
  }

  // For who reports a fault. Volatile: LLVM sees no reader, and would keep it in a register.
  void keep(Value* value, unsigned which, int axis = -1) {
    b_.CreateStore(value, field(types_.block, run_->getArg(2), which, axis), /*isVolatile=*/true);
  }

  MDNode* loop_id(const char* kind) {
    MDNode* id = MDNode::getDistinct(c_, {nullptr, MDNode::get(c_, MDString::get(c_, kind))});
    id->replaceOperandWith(0, id);
    return id;
  }

  Function& kernel_;
  Module& module_;
  LLVMContext& c_;
  AbiTypes types_;
  const GroupShape group_;
  Builder b_;
  const unsigned most_blocks_;  ///< of a whole row with regions, whose slots are of a fixed size; 0: as many as it has
  const BlockLoop blocks_;
  Function* const run_;
  GroupContext context_;
  Value *record_ = nullptr, *gone_ = nullptr, *next_ = nullptr, *row_end_ = nullptr;
  SmallVector<Groups, 2> copies_{Groups::All};
  BitVector some_left_;  ///< regions that groups may have left the kernel before
  SmallVector<BasicBlock*, 8> heads_;
  SmallVector<AllocaInst*, 16> slots_;
  RunForm form_;
};

}  // namespace

RunForm make_run_form(Function& kernel, const GroupShape& group, const BlockOrder& order) {
  return RunFormBuilder(kernel, group, order).build();
}

}  // namespace lanza::compiler
