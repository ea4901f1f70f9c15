#include "compiler/passes/vector/scalars/launch_test.hpp"

#include "compiler/passes/thread_context.hpp"

using namespace llvm;

namespace lanza::compiler {

std::optional<double> constant_of(const Value* formula) {
  auto* constant = dyn_cast<ConstantFP>(formula);
  return constant ? std::optional(constant->getValueAPF().convertToDouble()) : std::nullopt;
}

static bool is(const Value* formula, double value) { return constant_of(formula) == value; }

LaunchTest::LaunchTest(const Function& kernel)
    : module_(std::make_unique<Module>("launch", kernel.getContext())), b_(kernel.getContext()) {
  Type* pointer = b_.getPtrTy();
  auto* type = FunctionType::get(b_.getInt32Ty(), {pointer, pointer}, false);
  function_ = Function::Create(type, GlobalValue::ExternalLinkage, kFits, *module_);
  function_->setDoesNotThrow();
  b_.SetInsertPoint(BasicBlock::Create(b_.getContext(), "", function_));
  for (const ArgumentPlace& place : places_of_arguments(kernel)) offsets_.push_back(place.offset);
}

Value* LaunchTest::number(double value) const { return ConstantFP::get(Type::getDoubleTy(b_.getContext()), value); }

Value* LaunchTest::grid_size(unsigned axis) {
  if (!grid_[axis]) {
    Value* size = b_.CreateConstInBoundsGEP1_64(b_.getInt32Ty(), function_->getArg(0), axis);
    grid_[axis] = b_.CreateUIToFP(b_.CreateLoad(b_.getInt32Ty(), size), b_.getDoubleTy());
  }
  return grid_[axis];
}

Value* LaunchTest::argument(const Argument& parameter, Type* type, uint64_t offset) {
  const uint64_t at = offsets_[parameter.getArgNo()] + offset;
  Value*& value = arguments_[{at, type}];
  if (!value) {
    Value* place = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function_->getArg(1), at);
    value = b_.CreateSIToFP(b_.CreateAlignedLoad(type, place, Align(1)), b_.getDoubleTy());
  }
  return value;
}

Value* LaunchTest::sum(Value* a, Value* b) { return is(b, 0) ? a : is(a, 0) ? b : b_.CreateFAdd(a, b); }

Value* LaunchTest::difference(Value* a, Value* b) { return is(b, 0) ? a : b_.CreateFSub(a, b); }

Value* LaunchTest::product(Value* a, Value* b) {
  if (is(a, 0) || is(b, 1)) return a;
  if (is(b, 0) || is(a, 1)) return b;
  return b_.CreateFMul(a, b);
}

Value* LaunchTest::quotient(Value* a, Value* b) { return is(a, 0) || is(b, 1) ? a : b_.CreateFDiv(a, b); }

Value* LaunchTest::least(Value* a, Value* b) { return a == b ? a : b_.CreateSelect(b_.CreateFCmpOLT(a, b), a, b); }

Value* LaunchTest::greatest(Value* a, Value* b) { return a == b ? a : b_.CreateSelect(b_.CreateFCmpOGT(a, b), a, b); }

Value* LaunchTest::is_below(Value* a, double limit) { return b_.CreateFCmpOLT(a, number(limit)); }

Value* LaunchTest::is_at_least(Value* a, double limit) { return b_.CreateFCmpOGE(a, number(limit)); }

std::unique_ptr<Module> LaunchTest::take() {
  if (required_.empty()) return nullptr;
  Value* all = b_.getTrue();
  for (Value* condition : required_) all = b_.CreateAnd(all, condition);
  b_.CreateRet(b_.CreateZExt(all, b_.getInt32Ty()));
  return std::move(module_);
}

}  // namespace lanza::compiler
