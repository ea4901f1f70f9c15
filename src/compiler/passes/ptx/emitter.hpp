// What the translators of instructions use: registers, operands, modifiers, IR.
#pragma once

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/passes/ptx/statement.hpp"
#include "compiler/passes/ptx/type.hpp"

namespace lanza::compiler::ptx {

/// Rounding of a result; None: the instruction names none.
enum class Rounding { None, Nearest, Zero, Up, Down };

/// Functions that state outside of one asm statement: lower_asm_state.hpp.
inline constexpr char kCarry[] = "__lanza_carry", kSetCarry[] = "__lanza_set_carry", kExit[] = "__lanza_exit";
/// The prefix of the functions of prelude/ptx_functions.cu.
inline constexpr char kFunctionPrefix[] = "__lanza_ptx_";

class Emitter {
 public:
  Emitter(llvm::IRBuilder<>& builder, bool volatile_statement)
      : b(builder), statement_is_volatile(volatile_statement), scopes_(1) {}

  llvm::IRBuilder<>& b;
  /// asm volatile, or with a clobbered memory: its accesses happen once each, in this order.
  const bool statement_is_volatile;

  /// Throws Problem, with the instruction that is translated.
  [[noreturn]] void fail(const llvm::Twine& why) const;

  // --- the instruction
  void begin(const Statement& instruction);
  void finish() const;  ///< fails when a modifier was not taken
  const Statement& instruction() const { return *instruction_; }
  const Operand& operand(unsigned i) const { return instruction_->operands[i]; }
  unsigned operands() const { return static_cast<unsigned>(instruction_->operands.size()); }
  void expect_operands(unsigned least, unsigned most) const;
  void expect_operands(unsigned count) const { expect_operands(count, count); }

  // --- its modifiers, each taken once
  bool take(llvm::StringRef modifier);
  /// The modifier of `choices` that is there, taken; empty: none.
  llvm::StringRef take_one(std::initializer_list<llvm::StringRef> choices);
  /// The same, but one must be there.
  llvm::StringRef need_one(std::initializer_list<llvm::StringRef> choices);
  /// All that begin with `prefix`; true when there was one.
  bool take_prefixed(llvm::StringRef prefix);
  /// The last one that is left: types come last.
  Type take_type();
  Rounding take_rounding();

  // --- registers
  void open_scope() { scopes_.emplace_back(); }
  void close_scope();
  void declare(llvm::StringRef name, Type type, llvm::Value* initial = nullptr);
  llvm::Value* load_register(llvm::StringRef name);  ///< as the integer of its size
  void set_register(llvm::StringRef name, llvm::Value* value) { b.CreateStore(to_bits(value), find(name).memory); }

  // --- operands as values of type.ir(), of exactly its size
  llvm::Value* read(const Operand& operand, Type type);
  llvm::Value* read(unsigned i, Type type) { return read(operand(i), type); }
  /// A register that is wider gives its low part.
  llvm::Value* read_narrow(const Operand& operand, Type type);
  void write(const Operand& operand, llvm::Value* value, Type type);
  void write(llvm::Value* value, Type type) { write(operand(0), value, type); }
  /// A register that is wider is filled with zeros, or for signed types with the sign.
  void write_wide(const Operand& operand, llvm::Value* value, Type type);
  llvm::Value* read_predicate(const Operand& operand);
  void write_predicate(const Operand& operand, llvm::Value* value);
  std::uint64_t constant(unsigned i) const;  ///< fails when the operand is none
  bool is_sink(const Operand& operand) const { return operand.kind == Operand::Name && operand.name == "_"; }

  // --- IR
  llvm::Type* ir(Type type) const { return type.ir(b.getContext()); }
  llvm::Value* call(const llvm::Twine& name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);
  /// A function of prelude/ptx_functions.cu.
  llvm::Value* helper(const llvm::Twine& name, Type result, llvm::ArrayRef<llvm::Value*> arguments);
  llvm::Value* integer(Type type, std::uint64_t value) const { return llvm::ConstantInt::get(ir(type), value); }
  llvm::Value* carry() { return call(kCarry, b.getInt1Ty(), {}); }
  void set_carry(llvm::Value* flag) { call(kSetCarry, b.getVoidTy(), {flag}); }

 private:
  struct Register {
    llvm::AllocaInst* memory = nullptr;
    Type type;
  };

  Register& find(llvm::StringRef name);
  Register* look_up(llvm::StringRef name);
  llvm::Value* read_sized(const Operand& operand, Type type, bool narrow);
  void store(const Operand& operand, llvm::Value* value, Type type, bool wide);
  llvm::Value* literal(const Operand& operand, Type type) const;
  llvm::Value* to_bits(llvm::Value* value) const;

  std::vector<llvm::StringMap<Register>> scopes_;
  const Statement* instruction_ = nullptr;
  std::vector<std::string> modifiers_;
};

/// A special register ("%laneid"); fails when there is none of that name.
llvm::Value* special_register(Emitter& e, llvm::StringRef name);

}  // namespace lanza::compiler::ptx
