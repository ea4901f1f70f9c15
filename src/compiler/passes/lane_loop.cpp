#include "compiler/passes/lane_loop.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "compiler/kernel_abi.h"
#include "compiler/passes/hidden_context.hpp"
#include "compiler/passes/linear_index.hpp"
#include "compiler/passes/note_lanes.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/thread_context.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kShortLoop = 160;  // instructions of `run`, some 110 of which are not the kernel's
constexpr char kVectorize[] = "llvm.loop.vectorize.enable";

/// Uniform values are arguments of `run` or loaded in its entry; indices are the loops' own.
class LaneContext : public ThreadContext {
 public:
  LaneContext(const AbiTypes& types, Function& run) : ThreadContext(types), run_(run) {}
  Value* launch(Builder&) override { return run_.getArg(0); }
  Value* arguments(Builder&) override { return run_.getArg(1); }
  Value* block(Builder&) override { return run_.getArg(2); }
  Value* tid(Builder&, unsigned axis) override { return thread[axis]; }
  Value* ctaid(Builder&, unsigned axis) override { return index[axis]; }
  Value* ntid(Builder&, unsigned axis) override { return block_size[axis]; }
  Value* nctaid(Builder&, unsigned axis) override { return grid_size[axis]; }
  // Where nothing else has an effect LLVM knows by arithmetic which thread fails, and drops the loop.
  void note_thread(Builder& b) override {
    auto keep = [&](Value* value, unsigned field, unsigned axis = 0) {
      Value* address = b.CreateStructGEP(types.block, run_.getArg(2), field);
      b.CreateStore(value, b.CreateConstInBoundsGEP1_32(types.i32, address, axis));
    };
    keep(b.getInt64(0), block_field::first_lane);
    keep(b.CreateZExt(thread[0], types.i64), block_field::lane);
    keep(thread[1], block_field::lane_row, 0);
    keep(thread[2], block_field::lane_row, 1);
    keep(b.getInt32(1), block_field::lane_count);
  }

  Value *thread[3], *index[3], *block_size[3], *grid_size[3];

 private:
  Function& run_;
};

/// Builds `run` around the kernel's body:
///   entry: uniform loads; first: the first block's index; block: one block, or the blocks of a row that one long loop
///   serves; z, y: heads of the thread loops; x: head of the innermost loop; body; next_x, next_y, next_z: latches;
///   next_block: the following index; done.
/// With a linear index (see linear_index.hpp) stands between y and x the loop over pieces of the row in which the
/// 32-bit index does not wrap, so that `x` is one loop of consecutive indices, cut to the kernel's own bounds.
class LaneLoop {
 public:
  explicit LaneLoop(Function& kernel)
      : kernel_(kernel), module_(*kernel.getParent()), types_(module_.getContext()), c_(module_.getContext()), b_(c_) {}

  Function* build() {
    auto* type = FunctionType::get(types_.i32, {types_.pointer, types_.pointer, types_.pointer}, false);
    run_ = Function::Create(type, GlobalValue::InternalLinkage, "run", module_);
    entry_ = add("entry");
    linear_ = take_linear_index(kernel_);
    body_ = take_body(kernel_, *run_);
    for (BasicBlock** block : {&first_, &block_, &z_, &y_, &x_}) *block = BasicBlock::Create(c_, "", run_, body_);
    for (BasicBlock** block : {&next_x_, &next_y_, &next_z_, &next_block_, &done_}) *block = add("");
    if (DISubprogram* subprogram = run_->getSubprogram())
      b_.SetCurrentDebugLocation(DILocation::get(c_, subprogram->getLine(), 0, subprogram));
    LaneContext context(types_, *run_);
    load_uniform(context);
    loop_over_blocks(context);
    loop_over_threads(context);
    context.once = first_->getTerminator();
    fill_record(context);
    lower_context(*run_, context);
    lower_arguments(kernel_, context, &*body_->getFirstInsertionPt());
    return run_;
  }

 private:
  BasicBlock* add(const char* name) { return BasicBlock::Create(c_, name, run_); }

  Value* field(StructType* type, Value* base, unsigned i, int axis = -1) {
    if (axis < 0) return b_.CreateStructGEP(type, base, i);
    return b_.CreateInBoundsGEP(type, base, {b_.getInt32(0), b_.getInt32(i), b_.getInt32(axis)});
  }

  // For who reports a fault. Volatile: LLVM sees no reader, and would keep it in a register.
  void keep(Value* value, unsigned which, int axis = -1) {
    b_.CreateStore(value, field(types_.block, run_->getArg(2), which, axis), /*isVolatile=*/true);
  }

  Value* load_size(unsigned which, unsigned axis, uint64_t limit) {
    LoadInst* size = b_.CreateLoad(types_.i32, field(types_.launch, run_->getArg(0), which, axis));
    size->setMetadata(LLVMContext::MD_range, MDBuilder(c_).createRange(APInt(32, 1), APInt(32, limit)));
    return size;
  }

  void load_uniform(LaneContext& context) {
    b_.SetInsertPoint(entry_);
    for (unsigned axis = 0; axis < 3; ++axis) {
      context.block_size[axis] = load_size(launch_field::block, axis, 1025);
      context.grid_size[axis] = load_size(launch_field::grid, axis, 0x80000000u);
    }
    first_block_ = b_.CreateLoad(types_.i64, field(types_.block, run_->getArg(2), block_field::next));
    end_ = b_.CreateLoad(types_.i64, field(types_.block, run_->getArg(2), block_field::end));
    b_.CreateCondBr(b_.CreateICmpULT(first_block_, end_), first_, done_);
    b_.SetInsertPoint(done_);
    b_.CreateRet(b_.getInt32(LANZA_DONE));
  }

  // The first index by division, the following ones by counting up.
  void loop_over_blocks(LaneContext& context) {
    b_.SetInsertPoint(first_);
    Value* gx = b_.CreateZExt(context.grid_size[0], types_.i64);
    Value* gy = b_.CreateZExt(context.grid_size[1], types_.i64);
    keep(b_.getInt64(0), block_field::first_lane);
    Value* row = b_.CreateUDiv(first_block_, gx);
    Value* start[3] = {b_.CreateURem(first_block_, gx), b_.CreateURem(row, gy), b_.CreateUDiv(row, gy)};
    for (Value*& index : start) index = b_.CreateTrunc(index, types_.i32);
    b_.CreateBr(block_);

    b_.SetInsertPoint(block_);
    PHINode* linear = b_.CreatePHI(types_.i64, 2, "block");
    linear->addIncoming(first_block_, first_);
    PHINode* index[3];
    for (unsigned axis = 0; axis < 3; ++axis) {
      index[axis] = b_.CreatePHI(types_.i32, 2, "ctaid");
      index[axis]->addIncoming(start[axis], first_);
      context.index[axis] = index[axis];
    }
    for (unsigned axis = 0; axis < 3; ++axis) keep(index[axis], block_field::index, axis);
    count_ = b_.getInt64(1);
    if (!linear_.sums.empty()) {  // the rest of the row, as far as this call goes
      Value* rest = b_.CreateZExt(b_.CreateSub(context.grid_size[0], index[0]), types_.i64);
      count_ = b_.CreateBinaryIntrinsic(Intrinsic::umin, b_.CreateSub(end_, linear), rest);
    }
    b_.CreateBr(z_);

    b_.SetInsertPoint(next_block_);
    Value* following = b_.CreateNUWAdd(linear, count_);
    Value* carry = b_.getTrue();
    for (unsigned axis = 0; axis < 3; ++axis) {
      Value* step = axis == 0 ? b_.CreateTrunc(count_, types_.i32) : b_.CreateZExt(carry, types_.i32);
      Value* up = b_.CreateAdd(index[axis], step);
      Value* wraps = b_.CreateICmpEQ(up, context.grid_size[axis]);
      index[axis]->addIncoming(axis < 2 ? b_.CreateSelect(wraps, b_.getInt32(0), up) : up, next_block_);
      carry = wraps;
    }
    linear->addIncoming(following, next_block_);
    b_.CreateCondBr(b_.CreateICmpULT(following, end_), block_, done_);
  }

  void loop_over_threads(LaneContext& context) {
    BasicBlock* heads[3] = {x_, y_, z_};
    BasicBlock* before[3] = {y_, z_, block_};
    BasicBlock* latches[3] = {next_x_, next_y_, next_z_};
    BasicBlock* after[3] = {next_y_, next_z_, next_block_};
    for (BasicBlock& block : *run_) {
      auto* end = dyn_cast_or_null<ReturnInst>(block.getTerminator());
      if (!end || &block == done_) continue;
      b_.SetInsertPoint(end);
      b_.CreateBr(next_x_);
      end->eraseFromParent();
    }
    for (int axis = 2; axis >= 0; --axis) {
      if (axis == 0 && !linear_.sums.empty()) return loop_over_pieces(context);
      b_.SetInsertPoint(heads[axis]);
      PHINode* thread = b_.CreatePHI(types_.i32, 2, "tid");
      thread->addIncoming(b_.getInt32(0), before[axis]);
      if (axis) keep(thread, block_field::lane_row, axis - 1);
      if (axis == 1) keep(b_.getInt32(0), block_field::lane_count);
      b_.CreateBr(axis ? heads[axis - 1] : body_);
      context.thread[axis] = thread;
      close_loop(thread, context.block_size[axis], heads[axis], latches[axis], after[axis], axis == 0);
    }
  }

  void close_loop(PHINode* counter, Value* size, BasicBlock* head, BasicBlock* latch, BasicBlock* after, bool lanes) {
    b_.SetInsertPoint(latch);
    Value* following = b_.CreateNUWAdd(counter, ConstantInt::get(counter->getType(), 1));
    counter->addIncoming(following, latch);
    auto* branch = b_.CreateCondBr(b_.CreateICmpULT(following, size), head, after);
    if (lanes) branch->setMetadata(LLVMContext::MD_loop, loop_id());
  }

  // All indices of the row, [block * size, (block + count) * size), in pieces that end where 32 bits wrap, signed or
  // unsigned.
  void loop_over_pieces(LaneContext& context) {
    auto *more = BasicBlock::Create(c_, "", run_, x_), *some = BasicBlock::Create(c_, "", run_, x_),
         *lanes = BasicBlock::Create(c_, "", run_, x_), *next = add("");
    b_.SetInsertPoint(x_);  // so far only a name: the piece's head
    BasicBlock* piece = x_;
    Value* size = b_.CreateZExt(context.block_size[0], types_.i64);
    Value* start = b_.CreateMul(b_.CreateZExt(context.index[0], types_.i64), size);
    Value* stop = b_.CreateAdd(start, b_.CreateMul(count_, size));
    b_.CreateBr(more);

    b_.SetInsertPoint(more);
    PHINode* at = b_.CreatePHI(types_.i64, 2, "piece");
    at->addIncoming(start, piece);
    Value* wrap = b_.CreateNUWAdd(b_.CreateOr(at, 0x7fffffff), b_.getInt64(1));
    Value* end = b_.CreateBinaryIntrinsic(Intrinsic::umin, stop, wrap);
    Value* base = b_.CreateTrunc(at, types_.i32);
    Value* length = b_.CreateSub(end, at);
    for (const IndexBound& bound : linear_.bounds) length = clamp_to_bound(b_, bound, base, length);
    b_.CreateCondBr(b_.CreateIsNull(length), next, some);

    b_.SetInsertPoint(some);
    keep(b_.CreateSub(at, start), block_field::first_lane);
    b_.CreateBr(lanes);

    b_.SetInsertPoint(lanes);
    PHINode* counter = b_.CreatePHI(types_.i64, 2, "lane");
    PHINode* index = b_.CreatePHI(types_.i32, 2, "index");
    counter->addIncoming(b_.getInt64(0), some);
    index->addIncoming(base, some);
    b_.CreateBr(body_);
    for (Instruction* sum : linear_.sums) sum->replaceAllUsesWith(index);

    b_.SetInsertPoint(next_x_);
    // Behind the last index it may wrap, where nobody looks at it.
    index->addIncoming(b_.CreateAdd(index, b_.getInt32(1), "", /*HasNUW=*/true, /*HasNSW=*/true), next_x_);
    close_loop(counter, length, lanes, next_x_, next, true);

    b_.SetInsertPoint(next);
    at->addIncoming(end, next);
    b_.CreateCondBr(b_.CreateICmpULT(end, stop), more, next_y_);
    context.thread[0] = b_.getInt32(0);  // nobody asks
  }

  MDNode* loop_id() {
    Metadata* enable = MDNode::get(c_, {MDString::get(c_, kVectorize), ConstantAsMetadata::get(b_.getTrue())});
    MDNode* id = MDNode::getDistinct(c_, {nullptr, enable, MDNode::get(c_, MDString::get(c_, kLaneLoop))});
    id->replaceOperandWith(0, id);
    return id;
  }

  // Functions that were not inlined find their thread in a record, as under the thread engine.
  void fill_record(LaneContext& context) {
    SmallVector<Function*, 8> functions = out_of_line_functions(module_, kernel_);
    llvm::erase(functions, run_);
    if (functions.empty()) return;
    auto* record = new AllocaInst(types_.record, 0, nullptr, Align(8), "record", entry_->begin());
    FunctionMap map = add_hidden_context(functions, types_);
    rewrite_calls(*run_, record, map);
    erase_originals(map);
    b_.SetInsertPoint(&*body_->getFirstInsertionPt());
    b_.CreateStore(run_->getArg(2), field(types_.record, record, record_field::block));
    for (unsigned axis = 0; axis < 3; ++axis)
      b_.CreateStore(b_.CreateTrunc(context.thread[axis], types_.i16),
                     field(types_.record, record, record_field::tid, axis));
  }

  Function& kernel_;
  Module& module_;
  AbiTypes types_;
  LLVMContext& c_;
  Builder b_;
  Function* run_ = nullptr;
  BasicBlock *entry_, *first_, *block_, *z_, *y_, *x_, *body_, *next_x_, *next_y_, *next_z_, *next_block_, *done_;
  Value *first_block_, *end_, *count_;
  LinearIndex linear_;
};

bool asks_for_vectors(MDNode* id) { return id && findOptionMDForLoopID(id, kVectorize); }

// The lane loop among the loops of `run`: the one that was told to vectorise.
Instruction* lane_latch(Function& run) {
  for (BasicBlock& block : run)
    if (asks_for_vectors(block.getTerminator()->getMetadata(LLVMContext::MD_loop))) return block.getTerminator();
  return nullptr;
}

}  // namespace

Function* make_lane_loop(Function& kernel) { return LaneLoop(kernel).build(); }

static bool has_atomics_of_one_thread(const BasicBlock& block) {
  return any_of(block, [](const Instruction& i) {
    auto* operation = dyn_cast<AtomicRMWInst>(&i);
    return operation && operation->getSyncScopeID() == SyncScope::SingleThread;
  });
}

// There is a loop over threads for each answer to a question that all of them have in common.
static bool is_in_lane_loop(const Loop& loop) {
  for (const Loop* around = loop.getParentLoop(); around; around = around->getParentLoop())
    if (asks_for_vectors(around->getLoopID())) return true;
  return false;
}

void lower_inner_atomics(Function& run) {
  const DominatorTree dominators(run);
  const LoopInfo loops(dominators);
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!is_in_lane_loop(*loop)) continue;
    // Rows are short: of four vectors a turn, as LLVM would have it, 64 elements would be the fewest.
    if (any_of(loop->blocks(), [](const BasicBlock* block) { return has_atomics_of_one_thread(*block); }))
      addStringMetadataToLoop(loop, "llvm.loop.interleave.count", 1);
    for (BasicBlock* block : loop->blocks()) lower_block_atomics(*block);
  }
}

void mark_lanes_parallel(Function& run, unsigned lanes) {
  Instruction* latch = lane_latch(run);
  const bool private_arrays = any_of(instructions(run), [](Instruction& i) { return isa<AllocaInst>(i); });
  if (!latch || private_arrays) return;
  LLVMContext& c = run.getContext();
  MDNode* group = MDNode::getDistinct(c, {});
  for (Instruction& i : instructions(run))
    if (i.mayReadOrWriteMemory() && !isa<CallBase>(i)) i.setMetadata(LLVMContext::MD_access_group, group);
  auto property = [&](StringRef name, Metadata* value) { return MDNode::get(c, {MDString::get(c, name), value}); };
  auto number = [&](unsigned v) { return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(c), v)); };
  MDNode* id = latch->getMetadata(LLVMContext::MD_loop);
  SmallVector<Metadata*, 8> operands(id->op_begin(), id->op_end());
  operands.push_back(property("llvm.loop.parallel_accesses", group));
  operands.push_back(property("llvm.loop.vectorize.width", number(lanes)));
  // One vector is enough work in all but the shortest loops; more of them is mostly more code to compile.
  operands.push_back(property("llvm.loop.interleave.count", number(run.getInstructionCount() < kShortLoop ? 2 : 1)));
  MDNode* marked = MDNode::getDistinct(c, operands);
  marked->replaceOperandWith(0, marked);
  latch->setMetadata(LLVMContext::MD_loop, marked);
}

bool lanes_are_vectors(const Function& run) {
  return any_of(instructions(run), [](const Instruction& i) { return i.getType()->isVectorTy(); });
}

}  // namespace lanza::compiler
