#include "compiler/passes/ptx/emitter.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace lanza::compiler::ptx {

void Emitter::fail(const Twine& why) const { throw Problem{why.str(), instruction_->text, instruction_->line}; }

void Emitter::begin(const Statement& instruction) {
  instruction_ = &instruction;
  modifiers_ = instruction.modifiers;
}

void Emitter::finish() const {
  if (!modifiers_.empty())
    fail("the modifier ." + modifiers_.front() + " of " + instruction_->name + " is not supported here");
}

void Emitter::expect_operands(unsigned least, unsigned most) const {
  if (operands() >= least && operands() <= most) return;
  fail(instruction_->name + " takes " + Twine(least) + (most > least ? " to " + std::to_string(most) : "") +
       " operands, not " + Twine(operands()));
}

bool Emitter::take(StringRef modifier) {
  auto found = find_if(modifiers_, [&](const std::string& m) { return m == modifier; });
  if (found == modifiers_.end()) return false;
  modifiers_.erase(found);
  return true;
}

StringRef Emitter::take_one(std::initializer_list<StringRef> choices) {
  for (StringRef choice : choices)
    if (take(choice)) return choice;
  return {};
}

StringRef Emitter::need_one(std::initializer_list<StringRef> choices) {
  const StringRef taken = take_one(choices);
  if (!taken.empty()) return taken;
  std::string list;
  for (StringRef choice : choices) list += (list.empty() ? "." : ", .") + choice.str();
  fail(instruction_->name + " needs one of the modifiers " + list);
}

bool Emitter::take_prefixed(StringRef prefix) {
  const auto size = modifiers_.size();
  erase_if(modifiers_, [&](const std::string& m) { return StringRef(m).starts_with(prefix); });
  return modifiers_.size() != size;
}

Type Emitter::take_type() {
  if (modifiers_.empty()) fail(instruction_->name + " needs a type");
  const std::string last = modifiers_.back();
  const auto type = type_of(last);
  if (!type) fail("." + Twine(last) + " is no type that " + instruction_->name + " is supported with");
  modifiers_.pop_back();
  return *type;
}

Rounding Emitter::take_rounding() {
  const StringRef taken = take_one({"rn", "rz", "rp", "rm"});
  if (taken.empty()) return Rounding::None;
  return taken == "rn"   ? Rounding::Nearest
         : taken == "rz" ? Rounding::Zero
         : taken == "rp" ? Rounding::Up
                         : Rounding::Down;
}

void Emitter::close_scope() {
  if (scopes_.size() == 1) throw Problem{"'}' without '{'", "}", instruction_ ? instruction_->line : 0};
  scopes_.pop_back();
}

void Emitter::declare(StringRef name, Type type, Value* initial) {
  // Register memory of a loop is one: allocas belong to the entry block.
  BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  IRBuilder<> at(&entry, entry.begin());
  AllocaInst* memory = at.CreateAlloca(at.getIntNTy(type.size()));
  scopes_.back()[name] = {memory, type};
  if (initial) b.CreateStore(to_bits(initial), memory);
}

Emitter::Register* Emitter::look_up(StringRef name) {
  for (auto& scope : reverse(scopes_))
    if (auto found = scope.find(name); found != scope.end()) return &found->second;
  return nullptr;
}

Emitter::Register& Emitter::find(StringRef name) {
  if (Register* known = look_up(name)) return *known;
  fail("'" + as_written(name) +
       "' is neither a register of this asm statement, nor an operand, nor a special register that is supported; "
       "variables of the module cannot be named in inline PTX: pass their addresses as operands");
}

Value* Emitter::to_bits(Value* value) const {
  llvm::Type* type = value->getType();
  if (type->isPointerTy()) return b.CreatePtrToInt(value, b.getInt64Ty());
  return type->isIntegerTy() ? value : b.CreateBitCast(value, b.getIntNTy(type->getPrimitiveSizeInBits()));
}

Value* Emitter::load_register(StringRef name) {
  Register& r = find(name);
  return b.CreateLoad(b.getIntNTy(r.type.size()), r.memory);
}

Value* Emitter::literal(const Operand& operand, Type type) const {
  if (operand.kind == Operand::Integer) {
    if (type.is_float())
      fail("an integer constant stands where a floating-point one is needed: write it as 0f... or 1.0");
    return ConstantInt::get(b.getIntNTy(type.size()), operand.bits, /*IsSigned=*/true);
  }
  APFloat value(operand.float_bits == 32 ? APFloat::IEEEsingle() : APFloat::IEEEdouble(),
                APInt(operand.float_bits, operand.bits));
  if (!type.is_float()) {
    if (type.size() == operand.float_bits && operand.exact) return b.getInt(value.bitcastToAPInt());
    fail("a floating-point constant stands where an integer is needed");
  }
  bool inexact;
  value.convert(type.bits == 32 ? APFloat::IEEEsingle() : APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &inexact);
  return ConstantFP::get(b.getContext(), value);
}

Value* Emitter::read_sized(const Operand& operand, Type type, bool narrow) {
  if (operand.kind == Operand::Integer || operand.kind == Operand::Float) return literal(operand, type);
  if (operand.kind != Operand::Name) fail("an operand is neither a register nor a constant");
  if (operand.negated) fail("'!' stands before an operand that is no predicate");
  Value* bits = nullptr;
  if (look_up(operand.name))
    bits = load_register(operand.name);
  else if (StringRef(operand.name).starts_with("%"))
    bits = special_register(*this, operand.name);
  else
    find(operand.name);
  const unsigned size = bits->getType()->getIntegerBitWidth();
  if (size != type.size() && !(narrow && size > type.size()))
    fail("operand " + as_written(operand.name) + " has " + Twine(size) + " bits, the instruction takes " +
         Twine(type.size()));
  bits = b.CreateTrunc(bits, b.getIntNTy(type.size()));
  return b.CreateBitCast(bits, ir(type));
}

Value* Emitter::read(const Operand& operand, Type type) { return read_sized(operand, type, false); }
Value* Emitter::read_narrow(const Operand& operand, Type type) { return read_sized(operand, type, true); }

void Emitter::store(const Operand& operand, Value* value, Type type, bool wide) {
  if (is_sink(operand)) return;
  if (operand.kind != Operand::Name) fail("the result goes to an operand that is no register");
  Register& r = find(operand.name);
  const unsigned size = r.type.size();
  if (size != type.size() && !(wide && size > type.size()))
    fail("operand " + as_written(operand.name) + " has " + Twine(size) + " bits, the result has " + Twine(type.size()));
  Value* bits = to_bits(value);
  llvm::Type* full = b.getIntNTy(size);
  b.CreateStore(type.is_signed() ? b.CreateSExt(bits, full) : b.CreateZExt(bits, full), r.memory);
}

void Emitter::write(const Operand& operand, Value* value, Type type) { store(operand, value, type, false); }
void Emitter::write_wide(const Operand& operand, Value* value, Type type) { store(operand, value, type, true); }

Value* Emitter::read_predicate(const Operand& operand) {
  if (operand.kind == Operand::Integer) return b.getInt1(operand.bits != 0);
  Operand plain = operand;
  plain.negated = false;
  Value* flag = read(plain, kPredicate);
  return operand.negated ? b.CreateNot(flag) : flag;
}

void Emitter::write_predicate(const Operand& operand, Value* value) { write(operand, value, kPredicate); }

std::uint64_t Emitter::constant(unsigned i) const {
  if (operand(i).kind != Operand::Integer) fail("operand " + Twine(i + 1) + " must be a constant");
  return operand(i).bits;
}

Value* Emitter::call(const Twine& name, llvm::Type* result, ArrayRef<Value*> arguments) {
  SmallVector<llvm::Type*, 8> parameters;
  for (Value* argument : arguments) parameters.push_back(argument->getType());
  Module& module = *b.GetInsertBlock()->getModule();
  return b.CreateCall(module.getOrInsertFunction(name.str(), FunctionType::get(result, parameters, false)), arguments);
}

Value* Emitter::helper(const Twine& name, Type result, ArrayRef<Value*> arguments) {
  return call(kFunctionPrefix + name, ir(result), arguments);
}

}  // namespace lanza::compiler::ptx
