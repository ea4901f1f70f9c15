#include "compiler/passes/vector/groups/take_index_planes.hpp"

#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "compiler/passes/guard_division.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/groups/more_arguments.hpp"
#include "compiler/passes/vector/scalars/prepare_scalars.hpp"
#include "compiler/passes/vector/scalars/quotient_rows.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

// The same kernel with three more arguments.
Function* with_sizes(Function& kernel, IndexPlanes& planes) {
  Function* larger = with_more_arguments(kernel, 3);
  for (auto& part : planes.parts)
    for (IndexPlanes::Factors* factors : {&part.second.below, &part.second.among})
      for (Value*& factor : *factors)
        if (auto* argument = dyn_cast<Argument>(factor)) factor = larger->getArg(argument->getArgNo());
  kernel.eraseFromParent();
  return larger;
}

/// Puts the thread's place in front of the kernel.
class Placer {
 public:
  explicit Placer(Function& kernel) : kernel_(kernel), c_(kernel.getContext()), b_(c_) {}

  void place(const IndexPlanes& planes) {
    BasicBlock* body = &kernel_.getEntryBlock();
    auto* entry = BasicBlock::Create(c_, "place", &kernel_, body);
    auto* inside = BasicBlock::Create(c_, "index", &kernel_, body);
    auto* leave = BasicBlock::Create(c_, "leave", &kernel_);
    IRBuilder<>(leave).CreateRetVoid();
    b_.SetInsertPoint(entry);
    Value *threads = argument(3), *width = width_ = argument(2), *height = height_ = argument(1);
    x_ = on_axis(Intrinsic::nvvm_read_ptx_sreg_ctaid_x, Intrinsic::nvvm_read_ptx_sreg_tid_x, kPlaneBlock[0]);
    y_ = on_axis(Intrinsic::nvvm_read_ptx_sreg_ctaid_y, Intrinsic::nvvm_read_ptx_sreg_tid_y, kPlaneBlock[1]);
    b_.CreateCondBr(b_.CreateAnd(b_.CreateICmpSLT(x_, width), b_.CreateICmpSLT(y_, height)), inside, leave);
    b_.SetInsertPoint(inside);
    const bool is_one = planes.height.empty();
    z_ = is_one ? b_.getInt32(0) : read(Intrinsic::nvvm_read_ptx_sreg_ctaid_z, kEnd);
    row_ = is_one ? y_ : position(z_, height, y_);
    in_plane_ = position(y_, width, x_);
    index_ = position(row_, width, x_);
    b_.CreateCondBr(b_.CreateICmpSLT(index_, threads), body, leave);
    for (auto& [value, place] : planes.parts) {
      b_.SetInsertPoint(place.is_divided() ? value : inside->getTerminator());  // where its factors are known
      Value* found = place.is_layered()   ? value_of_layers(place)
                     : place.is_divided() ? value_of_column(place)
                                          : value_of(place.part);
      Value* known = b_.CreateZExtOrTrunc(found, value->getType());
      if (auto* extension = dyn_cast<ZExtInst>(known)) extension->setNonNeg();
      value->replaceAllUsesWith(known);
    }
    for (BinaryOperator* division : planes.of_columns) divide_column(*division);
    for (auto& part : reverse(planes.parts)) part.first->eraseFromParent();
  }

 private:
  static constexpr unsigned kEnd = 1u << 31;

  Value* argument(unsigned back) const { return kernel_.getArg(static_cast<unsigned>(kernel_.arg_size()) - back); }

  Value* read(Intrinsic::ID id, unsigned end) {
    CallInst* call = b_.CreateIntrinsic(id, {}, {});
    call->addRetAttr(Attribute::get(c_, Attribute::Range, ConstantRange(APInt(32, 0), APInt(32, end))));
    return call;
  }

  Value* position(Value* major, Value* size, Value* minor) {
    return b_.CreateAdd(b_.CreateMul(major, size, "", true, true), minor, "", true, true);
  }

  Value* on_axis(Intrinsic::ID block, Intrinsic::ID thread, unsigned size) {
    return position(read(block, kEnd / size), b_.getInt32(size), read(thread, size));
  }

  void replace(BinaryOperator& division, Value* known) {
    division.replaceAllUsesWith(b_.CreateZExtOrTrunc(known, division.getType()));
    division.eraseFromParent();
  }

  // (x + 1/2) / divisor: what is added keeps it apart from integers by a part of 1 / (2 x + 1), which rounding twice
  // does not reach.
  Value* quotient_of(Value* x, Value* divisor) {
    auto real = [&](double number) { return ConstantFP::get(b_.getFloatTy(), number); };
    Value* inverse = b_.CreateFDiv(real(1), b_.CreateSIToFP(divisor, b_.getFloatTy()));
    Value* ratio = b_.CreateFMul(b_.CreateFAdd(b_.CreateSIToFP(x, b_.getFloatTy()), real(0.5)), inverse);
    return b_.CreateFPToSI(ratio, b_.getInt32Ty());
  }

  Value* rest_of(Value* x, Value* quotient, Value* divisor) {
    return b_.CreateNSWSub(x, b_.CreateNSWMul(quotient, divisor));
  }

  void divide_column(BinaryOperator& division) {
    b_.SetInsertPoint(&division);
    Value* divisor = b_.CreateZExtOrTrunc(unguarded_divisor(division.getOperand(1)), b_.getInt32Ty());
    Value* quotient = quotient_of(x_, divisor);
    const bool is_quotient = division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::UDiv;
    replace(division, is_quotient ? quotient : rest_of(x_, quotient, divisor));
  }

  Value* value_of_column(const IndexPlanes::Place& place) {
    const auto is_known = [](Value* factor) { return isa<ConstantInt>(factor); };
    Value* x = x_;
    if (!place.below.empty()) {
      Value* below = product(place.below);
      x = all_of(place.below, is_known) ? b_.CreateUDiv(x, below) : quotient_of(x, below);
    }
    if (place.among.empty()) return x;
    Value* among = product(place.among);
    return all_of(place.among, is_known) ? b_.CreateURem(x, among) : rest_of(x, quotient_of(x, among), among);
  }

  Value* product(ArrayRef<Value*> factors) {
    Value* all = b_.getInt32(1);
    for (Value* factor : factors) all = b_.CreateNSWMul(all, b_.CreateZExtOrTrunc(factor, b_.getInt32Ty()));
    return b_.CreateBinaryIntrinsic(Intrinsic::smax, all, b_.getInt32(1));
  }

  Value* value_of_layers(const IndexPlanes::Place& place) {
    Value* z = place.below.empty() ? z_ : b_.CreateUDiv(z_, product(place.below));
    if (!place.among.empty()) z = b_.CreateURem(z, product(place.among));
    if (place.part == IndexPlanes::Part::Z) return z;
    Value* row = position(z, height_, y_);
    return place.part == IndexPlanes::Part::Row ? row : position(row, width_, x_);
  }

  Value* value_of(IndexPlanes::Part part) const {
    switch (part) {
      case IndexPlanes::Part::Index:
        return index_;
      case IndexPlanes::Part::InPlane:
        return in_plane_;
      case IndexPlanes::Part::Row:
        return row_;
      case IndexPlanes::Part::X:
        return x_;
      case IndexPlanes::Part::Y:
        return y_;
      case IndexPlanes::Part::Z:
        return z_;
    }
    return nullptr;
  }

  Function& kernel_;
  LLVMContext& c_;
  IRBuilder<> b_;
  Value *width_ = nullptr, *height_ = nullptr;
  Value *x_ = nullptr, *y_ = nullptr, *z_ = nullptr, *row_ = nullptr, *in_plane_ = nullptr, *index_ = nullptr;
};

}  // namespace

Function* take_index_planes(Function& kernel, IndexPlanes planes) {
  Function* planar = with_sizes(kernel, planes);
  Placer(*planar).place(planes);
  PassRunner(nullptr).run(*planar, kTidyScalars);
  return planar;
}

}  // namespace lanza::compiler
