// The text of an asm statement, parsed: PTX as a list of statements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <llvm/ADT/StringRef.h>

namespace lanza::compiler::ptx {

/// Why a text is no PTX, or none that can be translated. `statement` is the text it is about, `line` its line in the
/// asm statement, from 0.
struct Problem {
  std::string why, statement;
  unsigned line = 0;
};

/// Names an operand of the asm statement in its text: kOperand and the number.
inline constexpr char kOperand = '\x01';

struct Operand {
  enum Kind { Name, Integer, Float, Vector, Address };
  Kind kind = Name;
  std::string name;               ///< register, special register, label
  bool negated = false;           ///< !p
  std::uint64_t bits = 0;         ///< Integer: its value; Float: its bits
  unsigned float_bits = 64;       ///< Float: 32 for 0f..., 64 for 0d... and decimal ones
  bool exact = false;             ///< Float: given by its bits
  std::vector<Operand> elements;  ///< Vector: its elements; Address: its base
  std::int64_t offset = 0;        ///< Address: bytes added to the base
  std::vector<Operand> second;    ///< "d|p": p
};

struct Statement {
  enum Kind { Instruction, Label, Registers, Open, Close };
  Kind kind = Instruction;
  std::string text;  ///< as written
  unsigned line = 0;
  std::string guard;  ///< "@p": p; empty: none
  bool guard_negated = false;
  std::string name;                    ///< the operation, "add"; the label; the type of registers, "b32"
  std::vector<std::string> modifiers;  ///< of the operation: "cc", "u32"
  std::vector<Operand> operands;
  struct Declared {
    std::string name;
    unsigned count = 0;  ///< "r<3>": 3 registers r0, r1, r2; 0: one, of that very name
  };
  std::vector<Declared> declared;
};

/// Throws Problem.
std::vector<Statement> parse(llvm::StringRef text);

/// With %0 for an operand, as it stands in the source.
std::string as_written(llvm::StringRef text);

}  // namespace lanza::compiler::ptx
