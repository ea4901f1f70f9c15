#include "compiler/frontend/alignments.hpp"

#include <algorithm>

#include "compiler/frontend/lexemes.hpp"

using namespace clang;

namespace lanza::compiler {
namespace {

constexpr std::string_view shared = "__shared__";

// Behind one of these clang takes it.
bool continues_a_declaration(std::string_view word) {
  static constexpr std::string_view specifiers[] = {"extern", "static", "const", "volatile", "constexpr", "inline"};
  return std::ranges::find(specifiers, word) != std::end(specifiers);
}

std::size_t closing_parenthesis(const std::vector<Lexeme>& lexemes, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < lexemes.size(); ++i) {
    if (lexemes[i].kind == tok::l_paren) ++depth;
    if (lexemes[i].kind == tok::r_paren && --depth == 0) return i;
  }
  return lexemes.size();
}

}  // namespace

void rewrite_alignments(EditedText& text) {
  const std::string source = text.now();
  if (source.find(shared) == std::string::npos || source.find("alignas") == std::string::npos) return;
  const std::vector<Lexeme> lexemes = lex(source);
  for (std::size_t i = lexemes.size(); i-- > 0;) {  // from the end, so that the offsets before stay
    if (i + 2 >= lexemes.size() || lexemes[i].text != shared || lexemes[i + 1].text != "alignas") continue;
    if (i > 0 && continues_a_declaration(lexemes[i - 1].text)) continue;
    const std::size_t close = closing_parenthesis(lexemes, i + 2);
    if (close == lexemes.size()) continue;
    text.insert(lexemes[close].offset + 1, " " + std::string(shared));
    text.erase(lexemes[i].offset, shared.size());
  }
}

}  // namespace lanza::compiler
