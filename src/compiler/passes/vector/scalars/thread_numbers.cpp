#include "compiler/passes/vector/scalars/thread_numbers.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Support/MathExtras.h>

using namespace llvm;

namespace lanza::compiler {

static uint64_t cut(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & maskTrailingOnes<uint64_t>(bits);
}

static int axis_of(const Value& v) {
  auto* call = dyn_cast<IntrinsicInst>(&v);
  if (!call) return -1;
  switch (call->getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_tid_x:
      return 0;
    case Intrinsic::nvvm_read_ptx_sreg_tid_y:
      return 1;
    case Intrinsic::nvvm_read_ptx_sreg_tid_z:
      return 2;
    default:
      return -1;
  }
}

ThreadNumbers::Number ThreadNumbers::constant(uint64_t value) {
  return add({.opcode = 0, .bits = 64, .constant = value});
}

ThreadNumbers::Number ThreadNumbers::sum(Number a, Number b) {
  return add({.opcode = Instruction::Add, .bits = steps_[a].bits, .a = a, .b = b});
}

ThreadNumbers::Number ThreadNumbers::product(Number a, uint64_t factor) { return product(a, constant(factor)); }

ThreadNumbers::Number ThreadNumbers::product(Number a, Number b) {
  return add({.opcode = Instruction::Mul, .bits = steps_[a].bits, .a = a, .b = b});
}

ThreadNumbers::Number ThreadNumbers::wide(Number a, bool is_signed) {
  const unsigned bits = steps_[a].bits;
  return add({.opcode = is_signed ? Instruction::SExt : Instruction::ZExt, .bits = 64, .from_bits = bits, .a = a});
}

std::optional<ThreadNumbers::Number> ThreadNumbers::of(Value& v) {
  auto* type = dyn_cast<IntegerType>(v.getType());
  if (!type || type->getBitWidth() > 64) return std::nullopt;
  if (auto* number = dyn_cast<ConstantInt>(&v))
    return add({.opcode = 0, .bits = type->getBitWidth(), .constant = number->getZExtValue()});
  auto* i = dyn_cast<Instruction>(&v);
  if (!i) return std::nullopt;
  if (auto found = known_.find(i); found != known_.end()) return found->second;
  if (auto* phi = dyn_cast<PHINode>(i)) return counter(*phi);
  const int axis = axis_of(v);
  const auto number = axis >= 0 ? add({.opcode = 0, .bits = type->getBitWidth(), .axis = axis}) : operation(*i);
  known_[i] = number;
  return number;
}

std::optional<ThreadNumbers::Number> ThreadNumbers::counter(PHINode& phi) {
  if (phi.getParent() != &code_ || phi.getNumIncomingValues() != 2 || phi.getBasicBlockIndex(&code_) < 0)
    return std::nullopt;
  const auto which = static_cast<int>(counters_.size());
  const Number number = add({.opcode = 0, .bits = phi.getType()->getIntegerBitWidth(), .counter = which});
  known_[&phi] = number;
  counters_.push_back({&phi});
  const unsigned again = static_cast<unsigned>(phi.getBasicBlockIndex(&code_));
  const auto start = of(*phi.getIncomingValue(1 - again)), next = of(*phi.getIncomingValue(again));
  is_broken_ |= !start || !next;
  if (is_broken_) return known_[&phi] = std::nullopt;
  counters_[static_cast<size_t>(which)].start = *start;
  counters_[static_cast<size_t>(which)].next = *next;
  return number;
}

std::optional<ThreadNumbers::Number> ThreadNumbers::operation(Instruction& i) {
  Step step{.opcode = i.getOpcode(), .bits = i.getType()->getIntegerBitWidth()};
  if (isa<ZExtInst, SExtInst, TruncInst>(i)) {
    const auto from = of(*i.getOperand(0));
    if (!from) return std::nullopt;
    step.a = *from, step.from_bits = i.getOperand(0)->getType()->getIntegerBitWidth();
    return add(step);
  }
  if (auto* choice = dyn_cast<SelectInst>(&i)) {
    const auto asked = of(*choice->getCondition());
    const auto yes = asked ? of(*choice->getTrueValue()) : std::nullopt;
    const auto no = yes ? of(*choice->getFalseValue()) : std::nullopt;
    if (!no) return std::nullopt;
    step.a = *asked, step.b = *yes, step.c = *no;
    return add(step);
  }
  auto* compare = dyn_cast<ICmpInst>(&i);
  if (!isa<BinaryOperator>(i) && !compare) return std::nullopt;
  if (!i.getOperand(0)->getType()->isIntegerTy()) return std::nullopt;
  const auto a = of(*i.getOperand(0));
  const auto b = a ? of(*i.getOperand(1)) : std::nullopt;
  if (!b) return std::nullopt;
  step.a = *a, step.b = *b;
  step.from_bits = i.getOperand(0)->getType()->getIntegerBitWidth();
  if (compare) step.constant = compare->getPredicate();
  return add(step);
}

uint64_t ThreadNumbers::value_of(const Step& step, const std::array<unsigned, 3>& thread) const {
  if (step.counter >= 0) return counters_[static_cast<size_t>(step.counter)].value;
  if (step.axis >= 0) return thread[static_cast<size_t>(step.axis)];
  const uint64_t a = values_[step.a], b = values_[step.b];
  const auto signed_of = [&](uint64_t v) { return SignExtend64(v, step.from_bits); };
  switch (step.opcode) {
    case 0:
      return step.constant;
    case Instruction::Add:
      return a + b;
    case Instruction::Sub:
      return a - b;
    case Instruction::Mul:
      return a * b;
    case Instruction::Shl:
      return b < step.bits ? a << b : 0;
    case Instruction::LShr:
      return b < step.bits ? a >> b : 0;
    case Instruction::AShr:
      return static_cast<uint64_t>(signed_of(a) >> std::min<uint64_t>(b, step.bits - 1));
    case Instruction::And:
      return a & b;
    case Instruction::Or:
      return a | b;
    case Instruction::Xor:
      return a ^ b;
    case Instruction::UDiv:
      return b ? a / b : 0;
    case Instruction::URem:
      return b ? a % b : 0;
    case Instruction::ZExt:
    case Instruction::Trunc:
      return a;
    case Instruction::SExt:
      return static_cast<uint64_t>(signed_of(a));
    case Instruction::Select:
      return a ? b : values_[step.c];
    case Instruction::ICmp:
      return ICmpInst::compare(APInt(step.from_bits, a), APInt(step.from_bits, b),
                               static_cast<ICmpInst::Predicate>(step.constant));
    default:
      return 0;
  }
}

bool ThreadNumbers::can_run() {
  if (is_broken_) return false;
  for (const Step& step : steps_)
    if (step.opcode == Instruction::SDiv || step.opcode == Instruction::SRem) return false;
  if (!is_contained(successors(&code_), &code_)) return true;
  auto* branch = dyn_cast<BranchInst>(code_.getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return false;
  goes_on_ = of(*branch->getCondition());
  while_true_ = branch->getSuccessor(0) == &code_;
  return goes_on_ && !is_broken_;
}

void ThreadNumbers::compute(const std::array<unsigned, 3>& thread) {
  for (size_t n = 0; n < steps_.size(); ++n) values_[n] = cut(value_of(steps_[n], thread), steps_[n].bits);
}

bool ThreadNumbers::run(std::array<unsigned, 3> block, unsigned most, function_ref<bool()> in_turn) {
  values_.assign(steps_.size(), 0);
  std::array<unsigned, 3> thread{};
  for (thread[2] = 0; thread[2] < block[2]; ++thread[2])
    for (thread[1] = 0; thread[1] < block[1]; ++thread[1])
      for (thread[0] = 0; thread[0] < block[0]; ++thread[0]) {
        compute(thread);  // where counters start does not go by them
        for (Counter& counter : counters_) counter.value = values_[counter.start];
        for (unsigned turn = 0;; ++turn) {
          if (turn == most) return false;
          if (goes_on_) compute(thread);
          if (!in_turn()) return false;
          if (!goes_on_ || (values_[*goes_on_] != 0) != while_true_) break;
          for (Counter& counter : counters_) counter.value = values_[counter.next];
        }
      }
  return true;
}

}  // namespace lanza::compiler
