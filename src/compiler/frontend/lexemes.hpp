// The tokens of a source before it is preprocessed, for what is rewritten in its text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <clang/Basic/TokenKinds.h>

namespace lanza::compiler {

struct Lexeme {
  clang::tok::TokenKind kind;  // names and keywords are raw_identifier
  std::size_t offset;
  std::string_view text;
};

/// Without comments; directives too, whose macros may hold what is looked for. Views of `text`.
std::vector<Lexeme> lex(const std::string& text);

}  // namespace lanza::compiler
