#include "compiler/passes/ptx/lexer.hpp"

#include <cstring>

#include <llvm/ADT/StringExtras.h>

using namespace llvm;

namespace lanza::compiler::ptx {

static bool begins_word(char c) { return isAlpha(c) || c == '_' || c == '$' || c == '%' || c == '.' || c == kOperand; }
static bool continues_word(char c) { return isAlnum(c) || c == '_' || c == '$'; }

std::string as_written(StringRef text) {
  std::string written;
  for (char c : text) written += c == kOperand ? '%' : c;
  return written;
}

void Lexer::fail(const std::string& why) const {
  const std::size_t end = std::min(text_.find('\n', position_), text_.size());
  throw Problem{why, as_written(text_.slice(position_, end).take_front(60)), line_};
}

Token Lexer::take() {
  Token token = token_;
  advance();
  return token;
}

bool Lexer::accept(StringRef punctuation) {
  if (!is(punctuation)) return false;
  advance();
  return true;
}

void Lexer::advance() {
  skip_blanks();
  token_ = {};
  token_.begin = position_;
  token_.line = line_;
  if (position_ < text_.size()) {
    const char c = text_[position_];
    const bool fraction = c == '.' && isDigit(at(position_ + 1));
    // '%' begins a register, or is the remainder of a constant expression.
    if (c == '%' && !continues_word(at(position_ + 1)))
      punctuation();
    else if (begins_word(c) && !fraction)
      word();
    else if (isDigit(c) || fraction)
      number();
    else
      punctuation();
  }
  token_.end = position_;
}

void Lexer::skip_blanks() {
  for (; position_ < text_.size(); ++position_) {
    const char c = text_[position_];
    if (c == '/' && at(position_ + 1) == '/') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (c == '/' && at(position_ + 1) == '*') {
      const std::size_t end = text_.find("*/", position_ + 2);
      if (end == StringRef::npos) fail("a comment does not end");
      line_ += static_cast<unsigned>(text_.slice(position_, end).count('\n'));
      position_ = end + 1;
      continue;
    } else if (!isSpace(c)) {
      return;
    }
    if (at(position_) == '\n') ++line_;
  }
}

// Dots join what belongs to one word: an operation and its modifiers, a special register and its part. "::" stands
// within a modifier.
void Lexer::word() {
  const std::size_t begin = position_;
  if (text_[position_] == kOperand) {
    for (++position_; isDigit(at(position_));) ++position_;
  } else {
    for (++position_;; ++position_) {
      const char c = at(position_), next = at(position_ + 1);
      if (continues_word(c) || (c == '.' && continues_word(next))) continue;
      if (c != ':' || next != ':' || !continues_word(at(position_ + 2))) break;
      ++position_;
    }
  }
  token_.kind = Token::Word;
  token_.text = text_.slice(begin, position_).str();
}

void Lexer::exact_float(unsigned digits) {
  StringRef hexadecimal = text_.substr(position_ + 2, digits);
  if (hexadecimal.size() < digits || hexadecimal.getAsInteger(16, token_.bits))
    fail("a floating-point number in hexadecimal has " + std::to_string(digits) + " digits");
  token_.text = text_.substr(position_, 2 + digits).str();
  position_ += 2 + digits;
  token_.kind = Token::Float;
  token_.float_bits = digits * 4;
  token_.exact = true;
}

void Lexer::number() {
  const char kind = toLower(at(position_ + 1));
  if (text_[position_] == '0' && kind == 'f') return exact_float(8);
  if (text_[position_] == '0' && kind == 'd') return exact_float(16);
  std::size_t end = position_;
  const bool hexadecimal = text_[position_] == '0' && kind == 'x';
  bool fraction = false;
  for (;; ++end) {
    const char c = at(end);
    const bool exponent = !hexadecimal && toLower(c) == 'e';
    const bool sign = (c == '-' || c == '+') && !hexadecimal && toLower(at(end - 1)) == 'e';
    fraction |= c == '.' || exponent;
    if (!isAlnum(c) && c != '.' && !sign) break;
  }
  StringRef digits = text_.slice(position_, end);
  if (fraction) {
    double value;
    if (digits.getAsDouble(value)) fail("this is no number");
    std::memcpy(&token_.bits, &value, sizeof value);
    token_.kind = Token::Float;
  } else {
    digits.consume_back("U");
    if (digits.getAsInteger(0, token_.bits)) fail("this is no number that fits in 64 bits");
    token_.kind = Token::Integer;
  }
  token_.text = text_.slice(position_, end).str();
  position_ = end;
}

void Lexer::punctuation() {
  StringRef rest = text_.substr(position_);
  const bool two = rest.starts_with("<<") || rest.starts_with(">>");
  token_.kind = Token::Punctuation;
  token_.text = rest.take_front(two ? 2 : 1).str();
  position_ += token_.text.size();
}

}  // namespace lanza::compiler::ptx
