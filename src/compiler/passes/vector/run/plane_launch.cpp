#include "compiler/passes/vector/run/plane_launch.hpp"

#include <llvm/IR/IRBuilder.h>

#include "compiler/kernel_abi.h"
#include "compiler/passes/thread_context.hpp"
#include "compiler/passes/vector/groups/argument_values.hpp"
#include "compiler/passes/vector/groups/end_grid_loop.hpp"
#include "compiler/passes/vector/groups/index_spans.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

class PlaneLaunch {
 public:
  PlaneLaunch(Function& launch, const Function& kernel, const IndexPlanes& planes, unsigned block_size)
      : launch_(launch),
        kernel_(kernel),
        planes_(planes),
        block_size_(block_size),
        c_(launch.getContext()),
        types_(c_),
        b_(BasicBlock::Create(c_, "entry", &launch)),
        values_(b_, launch.getArg(1), kernel, [this](Value* holds) { ask(holds); }) {
    const auto places = places_of_arguments(kernel);
    const size_t own = places.size() - planes.quotients.size();
    if (own) arguments_end_ = places[own - 1].offset + kernel.getDataLayout().getTypeAllocSize(places[own - 1].type);
    for (const Argument& argument : drop_begin(kernel.args(), own))
      values_.set(const_cast<Argument*>(&argument), quotient(planes.quotients[argument.getArgNo() - own]));
  }

  void build(Function& run) {
    auto *runs = BasicBlock::Create(c_, "planes", &launch_), *none = BasicBlock::Create(c_, "none", &launch_);
    size_up();
    b_.CreateCondBr(fits_, runs, none);
    b_.SetInsertPoint(none);
    b_.CreateRet(b_.getInt32(~0u));
    b_.SetInsertPoint(runs);
    Value* arguments = copy_arguments();
    Value *launch = copy(types_.launch, 0), *block = copy(types_.block, 2);
    for (unsigned axis = 0; axis < 3; ++axis) {
      b_.CreateStore(b_.CreateTrunc(grid_[axis], types_.i32), field(types_.launch, launch, launch_field::grid, axis));
      b_.CreateStore(b_.getInt32(kPlaneBlock[axis]), field(types_.launch, launch, launch_field::block, axis));
    }
    for (unsigned end : {block_field::next, block_field::end})
      b_.CreateStore(scaled(b_.CreateLoad(types_.i64, field(types_.block, launch_.getArg(2), end))),
                     field(types_.block, block, end));
    b_.CreateStore(launch, field(types_.block, block, block_field::launch));
    b_.CreateStore(arguments, field(types_.block, block, block_field::arguments));
    note_threads();
    b_.CreateRet(b_.CreateCall(&run, {launch, arguments, block}));
  }

 private:
  static constexpr uint64_t kMost = (uint64_t{1} << 31) - 1;

  Value* number(uint64_t value) { return b_.getInt64(value); }
  Value* field(StructType* type, Value* base, unsigned i, unsigned axis = 0) {
    Value* address = b_.CreateStructGEP(type, base, i);
    return axis ? b_.CreateConstInBoundsGEP1_32(types_.i32, address, axis) : address;
  }
  Value* grid_size(unsigned axis) {
    return b_.CreateZExt(b_.CreateLoad(types_.i32, field(types_.launch, launch_.getArg(0), launch_field::grid, axis)),
                         types_.i64);
  }
  Value* blocks_of(Value* threads, unsigned size) {
    return b_.CreateUDiv(b_.CreateAdd(threads, number(size - 1)), number(size));
  }
  void ask(Value* holds) { fits_ = fits_ ? b_.CreateAnd(fits_, holds) : holds; }

  Value* quotient(const StrideQuotient& of) {
    auto number = [&](const StrideQuotient::Number& n) {
      return values_.member(types_.i32, *kernel_.getArg(n.argument), n.offset);
    };
    Value *whole = number(of.whole), *part = values_.divisor(number(of.part));
    ask(b_.CreateIsNull(b_.CreateURem(whole, part)));
    return b_.CreateUDiv(whole, part);
  }
  Value* size_of(Value* v) { return values_.number(v); }
  Value* at(Value* base, uint64_t offset) { return b_.CreateConstInBoundsGEP1_64(types_.i8, base, offset); }

  // All factors are above 0, and the product is below 2^31.
  Value* product(Value* size, ArrayRef<Value*> factors) {
    for (Value* factor : factors) {
      ask(b_.CreateICmpULE(b_.CreateSub(size_of(factor), number(1)), number(kMost - 1)));
      size = b_.CreateMul(size, size_of(factor));
      ask(b_.CreateICmpULE(size, number(kMost)));
    }
    return size;
  }

  void size_up() {
    ask(b_.CreateICmpEQ(b_.CreateMul(grid_size(1), grid_size(2)), number(1)));
    for (Value* divisor : planes_.divisors)
      ask(b_.CreateICmpULE(b_.CreateSub(size_of(divisor), number(1)), number(kMost - 1)));
    blocks_ = grid_size(0);
    threads_ = b_.CreateMul(blocks_, number(block_size_));
    if (planes_.threads) {
      Value* turns = size_of(planes_.threads);
      in_order_ = b_.CreateICmpULE(turns, threads_);
      if (!planes_.in_any_order) ask(in_order_);
      threads_ = turns;
    }
    ask(b_.CreateICmpULE(b_.CreateSub(threads_, number(1)), number(kMost - 1)));
    width_ = product(number(1), planes_.width);
    const unsigned least_width = planes_.in_rows ? kLeastRow : kLeastPlaneWidth;
    const bool divides = !planes_.of_columns.empty() || planes_.has_parts_of_columns();
    const uint64_t most_width = divides ? kMostDividedWidth : kMost;
    ask(b_.CreateICmpULE(b_.CreateSub(width_, number(least_width)), number(most_width - least_width)));
    Value* safe = b_.CreateSelect(fits_, width_, number(1));
    Value* rows = blocks_of(threads_, safe);
    height_ = planes_.height.empty() ? rows : product(number(1), planes_.height);
    const unsigned least_height = planes_.in_rows ? 1 : kLeastPlaneHeight;
    ask(b_.CreateICmpULE(b_.CreateSub(height_, number(least_height)), number(kMost - least_height)));
    Value* plane = b_.CreateMul(width_, height_);
    ask(b_.CreateICmpULE(b_.CreateAdd(threads_, plane), number(kMost)));
    for (auto& part : planes_.parts)
      if (part.second.is_layered()) product(product(plane, part.second.below), part.second.among);
    Value* layers = planes_.height.empty() ? number(1) : blocks_of(rows, b_.CreateSelect(fits_, height_, number(1)));
    if (!planes_.apart.empty()) ask(b_.CreateOr(in_order_, lie_apart()));
    grid_ = {blocks_of(width_, kPlaneBlock[0]), blocks_of(height_, kPlaneBlock[1]), layers};
  }
  Value* blocks_of(Value* threads, Value* size) {
    return b_.CreateUDiv(b_.CreateSub(b_.CreateAdd(threads, size), number(1)), size);
  }

  // The greatest that a value is, see grows_with_parts(); `fits` where neither it nor what it is made of is negative,
  // or more than an int.
  Value* greatest(Value* v, Value*& fits) {
    auto* i = dyn_cast<Instruction>(v);
    Value* most = nullptr;
    if (is_made_of_arguments(v)) {
      most = size_of(v);
    } else if (auto part = planes_.parts.find(i); part != planes_.parts.end()) {
      most = greatest_of(part->second);
    } else if (const auto division = as_index_division(*i)) {
      most = division->is_remainder ? b_.CreateSub(size_of(division->divisor), number(1))
                                    : greatest(i->getOperand(0), fits);
    } else if (isa<CastInst>(i)) {
      return greatest(i->getOperand(0), fits);
    } else {
      Value *a = greatest(i->getOperand(0), fits), *b = greatest(i->getOperand(1), fits);
      most = i->getOpcode() == Instruction::Mul   ? b_.CreateMul(a, b)
             : i->getOpcode() == Instruction::Shl ? b_.CreateShl(a, b)
                                                  : b_.CreateAdd(a, b);
    }
    fits = b_.CreateAnd(fits, b_.CreateICmpULE(most, number(kMost)));
    return most;
  }

  Value* greatest_of(const IndexPlanes::Place& place) {
    using Part = IndexPlanes::Part;
    Value* last = b_.CreateSub(threads_, number(1));
    const bool ends = !place.among.empty() && (place.part == Part::X || place.part == Part::Z);
    if (ends) return b_.CreateSub(product(number(1), place.among), number(1));
    if (place.part == Part::X) last = b_.CreateSub(width_, number(1));
    if (place.part == Part::Y) last = b_.CreateSub(height_, number(1));
    if (place.part == Part::Row || place.part == Part::Z) last = b_.CreateUDiv(last, at_least_one(width_));
    if (place.part == Part::Z) last = b_.CreateUDiv(last, at_least_one(height_));
    const bool is_divided = place.part == Part::X || place.part == Part::Z;  // of others the last part is not
    return is_divided ? b_.CreateUDiv(last, at_least_one(product(number(1), place.below))) : last;
  }

  // What is written from what others read or write, as the launch's arrays are.
  Value* lie_apart() {
    Value* all = b_.getTrue();
    for (const ApartArrays& arrays : planes_.apart) {
      const auto place = array_place(*arrays.other);
      const uint64_t size = kernel_.getDataLayout().getTypeStoreSize(getLoadStoreType(arrays.other));
      Value *begin = values_.address(*arrays.array), *other = values_.address(*place->array);
      Value* end = b_.CreateAdd(begin, b_.CreateMul(threads_, number(arrays.size)));
      Value* other_end = b_.CreateAdd(other, number(place->first.getZExtValue() + size));
      for (auto& [step, bytes] : place->steps)
        other_end = b_.CreateAdd(other_end, b_.CreateMul(greatest(step, all), number(bytes.getZExtValue())));
      all = b_.CreateAnd(all, b_.CreateOr(b_.CreateICmpULE(end, other), b_.CreateICmpULE(other_end, begin)));
    }
    return all;
  }
  Value* at_least_one(Value* size) { return b_.CreateBinaryIntrinsic(Intrinsic::umax, size, number(1)); }

  // Of all blocks of planes as many as these are of all blocks.
  Value* scaled(Value* blocks) {
    Value* all = b_.CreateMul(b_.CreateMul(grid_[0], grid_[1]), grid_[2]);
    return b_.CreateUDiv(b_.CreateMul(blocks, all), blocks_);
  }

  Value* copy(StructType* type, unsigned argument) {
    const DataLayout& layout = launch_.getDataLayout();
    Value* copied = local(type, Align(64));
    b_.CreateMemCpy(copied, Align(8), launch_.getArg(argument), Align(8), layout.getTypeAllocSize(type));
    return copied;
  }
  Value* local(Type* type, Align align) {
    return new AllocaInst(type, 0, nullptr, align, "", launch_.getEntryBlock().begin());
  }

  Value* copy_arguments() {
    const uint64_t more = alignTo(arguments_end_, 4);
    Value* copied = local(ArrayType::get(types_.i8, more + 4 * (planes_.quotients.size() + 3)), Align(16));
    b_.CreateMemCpy(copied, Align(16), launch_.getArg(1), Align(16), arguments_end_);
    SmallVector<Value*, 8> numbers;
    for (const Argument& argument : drop_begin(kernel_.args(), kernel_.arg_size() - planes_.quotients.size()))
      numbers.push_back(values_.value(const_cast<Argument*>(&argument)));
    numbers.append({threads_, width_, height_});
    uint64_t offset = more;
    for (Value* each : numbers) {
      b_.CreateAlignedStore(b_.CreateZExtOrTrunc(each, types_.i32), at(copied, offset), Align(4));
      offset += 4;
    }
    return copied;
  }

  // For who reports a fault: all threads of the launch.
  void note_threads() {
    Value* block = launch_.getArg(2);
    for (unsigned axis = 0; axis < 3; ++axis)
      b_.CreateStore(b_.getInt32(0), field(types_.block, block, block_field::index, axis));
    b_.CreateStore(number(0), field(types_.block, block, block_field::first_lane));
    b_.CreateStore(number(0), field(types_.block, block, block_field::lane));
    b_.CreateStore(b_.CreateTrunc(threads_, types_.i32), field(types_.block, block, block_field::lane_count));
  }

  Function& launch_;
  const Function& kernel_;
  const IndexPlanes& planes_;
  const unsigned block_size_;
  LLVMContext& c_;
  const AbiTypes types_;
  Builder b_;
  ArgumentValues values_;
  uint64_t arguments_end_ = 0;
  Value *in_order_ = nullptr, *fits_ = nullptr, *blocks_ = nullptr, *threads_ = nullptr, *width_ = nullptr,
        *height_ = nullptr;
  std::array<Value*, 3> grid_{};
};

}  // namespace

Function* make_plane_launch(Module& module, Function& run, const Function& kernel, const IndexPlanes& planes,
                            unsigned block_size) {
  auto* launch = Function::Create(run.getFunctionType(), GlobalValue::ExternalLinkage, "", module);
  PlaneLaunch(*launch, kernel, planes, block_size).build(run);
  return launch;
}

}  // namespace lanza::compiler
