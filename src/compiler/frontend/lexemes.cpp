#include "compiler/frontend/lexemes.hpp"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

using namespace clang;

namespace lanza::compiler {

static LangOptions cuda_options() {
  LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus14 = options.CPlusPlus17 = options.CPlusPlus20 = true;
  options.CUDA = true;  // "<<<" and ">>>" are tokens
  options.LineComment = options.Digraphs = options.Bool = true;
  return options;
}

std::vector<Lexeme> lex(const std::string& text) {
  const LangOptions options = cuda_options();
  const char* begin = text.c_str();
  Lexer lexer(SourceLocation(), options, begin, begin, begin + text.size());
  std::vector<Lexeme> lexemes;
  Token token;
  for (bool end = false; !end;) {
    end = lexer.LexFromRawLexer(token);
    const std::size_t length = token.getLength();
    const std::size_t offset = lexer.getBufferLocation() - begin - length;
    if (token.isNot(tok::eof))
      lexemes.push_back({token.getKind(), offset, std::string_view(text).substr(offset, length)});
  }
  return lexemes;
}

}  // namespace lanza::compiler
