#include "compiler/passes/vector/scalars/launch_test.hpp"

#include <algorithm>
#include <functional>

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

// Small blocks of a large grid, large ones of a small grid, and others.
static constexpr std::array<double, 3> kUsualArgument = {100, 1e6, 1000}, kUsualGrid = {1000, 8, 64};

// Of equal formulas: numbers of the same threads are asked about again and again.
Value* LaunchTest::first_of(Value* formula) {
  auto* i = dyn_cast<Instruction>(formula);
  if (!i) return formula;
  auto* question = dyn_cast<FCmpInst>(i);
  const Parts parts{i->getOpcode(), question ? unsigned{question->getPredicate()} : 0, i->getOperand(0),
                    i->getOperand(1)};
  const auto [known, is_new] = made_.try_emplace(parts, i);
  if (!is_new) i->eraseFromParent();
  return known->second;
}

LaunchTest::Usual LaunchTest::usual(const Value* formula) const {
  if (const auto number = constant_of(formula)) return {*number, *number, *number};
  return usual_.lookup(formula);
}

Value* LaunchTest::keep(Value* formula, const Usual& usual) {
  if (!isa<Constant>(formula)) usual_[formula] = usual;
  return formula;
}

template <typename Operation>
Value* LaunchTest::keep(Value* formula, Value* a, Value* b, Operation operation) {
  Usual numbers = usual(a);
  const Usual others = usual(b);
  for (size_t k = 0; k < numbers.size(); ++k) numbers[k] = operation(numbers[k], others[k]);
  return keep(formula, numbers);
}

Value* LaunchTest::keep_sign(Value* formula, const Value* a, const Value* b) {
  if (is_never_negative(a) && is_never_negative(b)) natural_.insert(formula);
  return formula;
}

bool LaunchTest::is_never_negative(const Value* formula) const {
  const auto number = constant_of(formula);
  return number ? *number >= 0 : natural_.contains(formula);
}

bool LaunchTest::is_usually_at_least(const Value* formula, double limit) const {
  return all_of(usual(formula), [&](double number) { return number >= limit; });
}

Value* LaunchTest::grid_size(unsigned axis) {
  if (!grid_[axis]) {
    Value* size = b_.CreateConstInBoundsGEP1_64(b_.getInt32Ty(), function_->getArg(0), axis);
    grid_[axis] = keep(b_.CreateUIToFP(b_.CreateLoad(b_.getInt32Ty(), size), b_.getDoubleTy()), kUsualGrid);
    natural_.insert(grid_[axis]);
  }
  return grid_[axis];
}

Value* LaunchTest::argument(const Argument& parameter, Type* type, uint64_t offset) {
  const uint64_t at = offsets_[parameter.getArgNo()] + offset;
  Value*& value = arguments_[{at, type}];
  if (!value) {
    Value* place = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function_->getArg(1), at);
    value = keep(b_.CreateSIToFP(b_.CreateAlignedLoad(type, place, Align(1)), b_.getDoubleTy()), kUsualArgument);
  }
  return value;
}

Value* LaunchTest::sum(Value* a, Value* b) {
  if (is(b, 0)) return a;
  return is(a, 0) ? b : keep_sign(keep(first_of(b_.CreateFAdd(a, b)), a, b, std::plus()), a, b);
}

Value* LaunchTest::difference(Value* a, Value* b) {
  if (a == b) return number(0);
  return is(b, 0) ? a : keep(first_of(b_.CreateFSub(a, b)), a, b, std::minus());
}

Value* LaunchTest::product(Value* a, Value* b) {
  if (is(a, 0) || is(b, 1)) return a;
  return is(b, 0) || is(a, 1) ? b : keep_sign(keep(first_of(b_.CreateFMul(a, b)), a, b, std::multiplies()), a, b);
}

Value* LaunchTest::quotient(Value* a, Value* b) {
  return is(a, 0) || is(b, 1) ? a : keep(first_of(b_.CreateFDiv(a, b)), a, b, std::divides());
}

Value* LaunchTest::least(Value* a, Value* b) {
  auto of = [](double x, double y) { return std::min(x, y); };
  return a == b ? a : keep(b_.CreateSelect(first_of(b_.CreateFCmpOLT(a, b)), a, b), a, b, of);
}

Value* LaunchTest::greatest(Value* a, Value* b) {
  auto of = [](double x, double y) { return std::max(x, y); };
  if (a == b) return a;
  Value* greater = keep(b_.CreateSelect(b_.CreateFCmpOGT(a, b), a, b), a, b, of);
  if (is_never_negative(a) || is_never_negative(b)) natural_.insert(greater);
  return greater;
}

Value* LaunchTest::is_below(Value* a, double limit) { return first_of(b_.CreateFCmpOLT(a, number(limit))); }

Value* LaunchTest::is_at_least(Value* a, double limit) { return first_of(b_.CreateFCmpOGE(a, number(limit))); }

Value* LaunchTest::is_less(Value* a, Value* b) { return first_of(b_.CreateFCmpOLT(a, b)); }

std::unique_ptr<Module> LaunchTest::take() {
  if (required_.empty()) return nullptr;
  Value* all = b_.getTrue();
  for (Value* condition : required_) all = b_.CreateAnd(all, condition);
  b_.CreateRet(b_.CreateZExt(all, b_.getInt32Ty()));
  return std::move(module_);
}

}  // namespace lanza::compiler
