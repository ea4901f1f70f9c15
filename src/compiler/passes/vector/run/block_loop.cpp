#include "compiler/passes/vector/run/block_loop.hpp"

#include <llvm/IR/MDBuilder.h>

#include "compiler/kernel_abi.h"

using namespace llvm;

namespace lanza::compiler {

namespace {

class BlockLoopBuilder {
 public:
  BlockLoopBuilder(BlockLoop& loop, Module& module, const AbiTypes& types, const BlockOrder& order)
      : loop_(loop),
        types_(types),
        whole_rows_(order.whole_rows),
        most_(order.most),
        strip_(order.strip),
        c_(module.getContext()),
        b_(c_) {
    std::swap(axes_[0], axes_[order.fastest]);
    auto* type = FunctionType::get(types.i32, {types.pointer, types.pointer, types.pointer}, false);
    loop.run = Function::Create(type, GlobalValue::InternalLinkage, "run", module);
    entry_ = add("entry");
    first_ = add("first");
    loop.body = add("block");
    loop.next = add("next");
    done_ = add("done");
  }

  void build() {
    load();
    start();
    PHINode* block = take_index();
    loop_.number = block;
    loop_.count = b_.getInt32(1);
    if (whole_rows_)
      count_blocks(block);
    else if (most_ > 1)
      count_neighbours(block);
    go_on(block);
    b_.SetInsertPoint(done_);
    b_.CreateRet(b_.getInt32(LANZA_DONE));
    b_.SetInsertPoint(loop_.body);
  }

 private:
  BasicBlock* add(const char* name) { return BasicBlock::Create(c_, name, loop_.run); }
  // A row of blocks goes along the fastest axis.
  Value* column() const { return loop_.index[axes_[0]]; }
  Value* columns() const { return loop_.grid[axes_[0]]; }
  Value* field(StructType* type, unsigned argument, unsigned i, unsigned axis = 0) {
    Value* address = b_.CreateStructGEP(type, loop_.run->getArg(argument), i);
    return axis ? b_.CreateConstInBoundsGEP1_32(types_.i32, address, axis) : address;
  }

  void load() {
    b_.SetInsertPoint(entry_);
    MDNode* range = MDBuilder(c_).createRange(APInt(32, 1), APInt(32, 0x80000000u));
    for (unsigned axis = 0; axis < 3; ++axis) {
      LoadInst* size = b_.CreateLoad(types_.i32, field(types_.launch, 0, launch_field::grid, axis));
      size->setMetadata(LLVMContext::MD_range, range);
      loop_.grid[axis] = size;
    }
    begun_ = b_.CreateLoad(types_.i64, field(types_.block, 2, block_field::next));
    end_ = b_.CreateLoad(types_.i64, field(types_.block, 2, block_field::end));
    b_.CreateCondBr(b_.CreateICmpULT(begun_, end_), first_, done_);
  }

  // The first index by division.
  void start() {
    b_.SetInsertPoint(first_);
    b_.CreateStore(b_.getInt64(0), field(types_.block, 2, block_field::first_lane));
    Value* x = b_.CreateZExt(columns(), types_.i64);
    Value* y = b_.CreateZExt(loop_.grid[axes_[1]], types_.i64);
    if (strip_ == 0) {
      Value* row = b_.CreateUDiv(begun_, x);
      start_[axes_[0]] = b_.CreateURem(begun_, x);
      start_[axes_[1]] = b_.CreateURem(row, y);
      start_[axes_[2]] = b_.CreateUDiv(row, y);
    } else {
      start_in_strip(x, y);
    }
    for (Value*& index : start_) index = b_.CreateTrunc(index, types_.i32);
    loop_.once = b_.CreateBr(loop_.body);
  }

  // Strip after strip of a layer; within one row by row.
  void start_in_strip(Value* x, Value* y) {
    Value *layer = b_.CreateMul(x, y), *whole = b_.CreateMul(y, b_.getInt64(strip_));
    Value *in_layer = b_.CreateURem(begun_, layer), *in_strip = b_.CreateURem(in_layer, whole);
    Value* first = b_.CreateMul(b_.CreateUDiv(in_layer, whole), b_.getInt64(strip_));
    Value* width = b_.CreateBinaryIntrinsic(Intrinsic::umin, b_.getInt64(strip_), b_.CreateSub(x, first));
    start_ = {b_.CreateAdd(first, b_.CreateURem(in_strip, width)), b_.CreateUDiv(in_strip, width),
              b_.CreateUDiv(begun_, layer)};
  }

  PHINode* take_index() {
    b_.SetInsertPoint(loop_.body);
    PHINode* block = b_.CreatePHI(types_.i64, 2, "block");
    block->addIncoming(begun_, first_);
    for (unsigned axis = 0; axis < 3; ++axis) {
      PHINode* index = b_.CreatePHI(types_.i32, 2, "ctaid");
      index->addIncoming(start_[axis], first_);
      loop_.index[axis] = index;
    }
    // For who reports a fault. Volatile: LLVM sees no reader.
    for (unsigned axis = 0; axis < 3; ++axis)
      b_.CreateStore(loop_.index[axis], field(types_.block, 2, block_field::index, axis), /*isVolatile=*/true);
    return block;
  }

  // The rest of the row, or of the strip, as far as this call goes, and not beyond a block that crosses a multiple of
  // 2^31: there an index of 32 bits wraps, and its first block's number says no more what the others' is.
  void count_blocks(Value* block) {
    auto least = [&](Value* x, Value* y) { return b_.CreateBinaryIntrinsic(Intrinsic::umin, x, y); };
    auto wide = [&](Value* x) { return b_.CreateZExt(x, types_.i64); };
    Value* row = b_.CreateSub(wide(row_end()), wide(column()));
    Value* begun = b_.CreateAnd(b_.CreateMul(wide(column()), b_.getInt64(whole_rows_)), (uint64_t{1} << 31) - 1);
    Value* room = b_.CreateUDiv(b_.CreateSub(b_.getInt64(uint64_t{1} << 31), begun), b_.getInt64(whole_rows_));
    room = b_.CreateBinaryIntrinsic(Intrinsic::umax, room, b_.getInt64(1));
    if (most_) room = least(room, b_.getInt64(most_));
    loop_.count = b_.CreateTrunc(least(least(b_.CreateSub(end_, block), row), room), types_.i32);
  }

  // As many as run side by side, where this call goes that far and so does the row. One at least, as can be seen.
  void count_neighbours(Value* block) {
    auto least = [&](Value* x, Value* y) { return b_.CreateBinaryIntrinsic(Intrinsic::umin, x, y); };
    Value* row = b_.CreateNUWSub(row_end(), column());
    Value* rest = b_.CreateTrunc(least(b_.CreateNUWSub(end_, block), b_.getInt64(most_)), types_.i32);
    loop_.count = b_.CreateBinaryIntrinsic(Intrinsic::umax, least(rest, row), b_.getInt32(1));
  }

  // The first block of the row that is another strip's.
  Value* row_end() {
    if (strip_ == 0) return columns();
    Value* end = b_.CreateAdd(b_.CreateAnd(column(), b_.getInt32(~(strip_ - 1))), b_.getInt32(strip_));
    return b_.CreateBinaryIntrinsic(Intrinsic::umin, end, columns());
  }

  // Back to the strip's first column, down a row; behind the last one to the next strip; behind that to the next layer.
  void go_on_in_strip() {
    Value *x = column(), *end = row_end();
    Value* up = b_.CreateAdd(x, loop_.count);
    Value* wraps = b_.CreateICmpEQ(up, end);
    Value* row = b_.CreateAdd(loop_.index[1], b_.CreateZExt(wraps, types_.i32));
    Value* is_done = b_.CreateICmpEQ(row, loop_.grid[1]);
    Value* ends = b_.CreateAnd(is_done, b_.CreateICmpEQ(end, columns()));
    Value* first = b_.CreateAnd(x, b_.getInt32(~(strip_ - 1)));
    Value* column =
        b_.CreateSelect(ends, b_.getInt32(0), b_.CreateSelect(is_done, end, b_.CreateSelect(wraps, first, up)));
    Value* next[] = {column, b_.CreateSelect(is_done, b_.getInt32(0), row),
                     b_.CreateAdd(loop_.index[2], b_.CreateZExt(ends, types_.i32))};
    for (unsigned axis = 0; axis < 3; ++axis) cast<PHINode>(loop_.index[axis])->addIncoming(next[axis], loop_.next);
  }

  // The following indices by counting up.
  void go_on(PHINode* block) {
    b_.SetInsertPoint(loop_.next);
    Value* following = b_.CreateNUWAdd(block, b_.CreateZExt(loop_.count, types_.i64));
    Value* carry = nullptr;
    if (strip_ != 0) go_on_in_strip();
    for (const unsigned axis : axes_) {
      if (strip_ != 0) break;
      Value* step = carry ? b_.CreateZExt(carry, types_.i32) : loop_.count;
      Value* up = b_.CreateAdd(loop_.index[axis], step);
      Value* wraps = b_.CreateICmpEQ(up, loop_.grid[axis]);
      cast<PHINode>(loop_.index[axis])
          ->addIncoming(axis != axes_[2] ? b_.CreateSelect(wraps, b_.getInt32(0), up) : up, loop_.next);
      carry = wraps;
    }
    block->addIncoming(following, loop_.next);
    b_.CreateCondBr(b_.CreateICmpULT(following, end_), loop_.body, done_);
  }

  BlockLoop& loop_;
  const AbiTypes& types_;
  const unsigned whole_rows_, most_, strip_;
  std::array<unsigned, 3> axes_{0, 1, 2};  ///< the fastest first
  LLVMContext& c_;
  Builder b_;
  BasicBlock *entry_, *first_, *done_;
  Value *begun_ = nullptr, *end_ = nullptr;
  std::array<Value*, 3> start_{};
};

}  // namespace

BlockLoop make_block_loop(Module& module, const AbiTypes& types, const BlockOrder& order) {
  BlockLoop loop;
  BlockLoopBuilder(loop, module, types, order).build();
  return loop;
}

}  // namespace lanza::compiler
