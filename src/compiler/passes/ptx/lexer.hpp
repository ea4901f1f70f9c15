// The tokens of PTX.
#pragma once

#include <cstdint>
#include <string>

#include <llvm/ADT/StringRef.h>

#include "compiler/passes/ptx/statement.hpp"

namespace lanza::compiler::ptx {

struct Token {
  enum Kind { End, Word, Integer, Float, Punctuation };
  Kind kind = End;
  std::string text;        ///< Word: "add.cc.u32", "%tid.x", "p"; Punctuation: "{", "<<"; a number as written
  std::uint64_t bits = 0;  ///< Integer, Float
  unsigned float_bits = 64;
  bool exact = false;  ///< Float: given by its bits
  std::size_t begin = 0, end = 0;
  unsigned line = 0;
};

/// One token after the other; comments and white space lie between them.
class Lexer {
 public:
  explicit Lexer(llvm::StringRef text) : text_(text) { advance(); }

  const Token& peek() const { return token_; }
  Token take();
  bool is(llvm::StringRef punctuation) const { return token_.kind == Token::Punctuation && token_.text == punctuation; }
  bool accept(llvm::StringRef punctuation);
  llvm::StringRef slice(std::size_t begin, std::size_t end) const { return text_.slice(begin, end); }

 private:
  void advance();
  void skip_blanks();
  void word();
  void number();
  void exact_float(unsigned digits);
  void punctuation();
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  [[noreturn]] void fail(const std::string& why) const;

  llvm::StringRef text_;
  std::size_t position_ = 0;
  unsigned line_ = 0;
  Token token_;
};

}  // namespace lanza::compiler::ptx
