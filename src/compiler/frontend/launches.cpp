#include "compiler/frontend/launches.hpp"

#include <optional>
#include <vector>

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

using namespace clang;

namespace lanza::compiler {
namespace {

constexpr llvm::StringRef launch_function = "__lanza_launch<";

struct Lexeme {
  tok::TokenKind kind;
  std::size_t offset;
};

LangOptions cuda_options() {
  LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus14 = options.CPlusPlus17 = options.CPlusPlus20 = true;
  options.CUDA = true;  // "<<<" and ">>>" are tokens
  options.LineComment = options.Digraphs = options.Bool = true;
  return options;
}

// Without comments; directives too, whose macros may hold launches.
std::vector<Lexeme> lex(const std::string& text) {
  const LangOptions options = cuda_options();
  const char* begin = text.c_str();
  Lexer lexer(SourceLocation(), options, begin, begin, begin + text.size());
  std::vector<Lexeme> lexemes;
  Token token;
  for (bool end = false; !end;) {
    end = lexer.LexFromRawLexer(token);
    const std::size_t length = token.getLength();
    if (token.isNot(tok::eof)) lexemes.push_back({token.getKind(), lexer.getBufferLocation() - begin - length});
  }
  return lexemes;
}

/// Finds what belongs to the launch at a "<<<".
class Launch {
 public:
  Launch(const std::vector<Lexeme>& lexemes, std::size_t open) : lexemes_(lexemes), open_(open) {}

  /// The first token of the kernel's name, as in ns::name<T, 2>.
  std::optional<std::size_t> name() const {
    std::size_t i = open_;
    for (;;) {
      if (i == 0) return std::nullopt;
      if (closes_template(kind(i - 1))) {
        const auto angle = opening_angle(i - 1);
        if (!angle || *angle == 0) return std::nullopt;
        i = *angle;
      }
      if (i == open_ && kind(i - 1) == tok::r_paren) return parenthesised(i - 1);
      if (kind(i - 1) != tok::raw_identifier) return std::nullopt;
      --i;
      if (i >= 2 && kind(i - 1) == tok::raw_identifier && kind(i - 2) == tok::coloncolon) --i;  // ::template name
      if (i == 0 || kind(i - 1) != tok::coloncolon) return i;
      --i;
      const bool qualified = i > 0 && (kind(i - 1) == tok::raw_identifier || closes_template(kind(i - 1)));
      if (!qualified) return i;
    }
  }

  /// The ">>>" before the arguments.
  std::optional<std::size_t> close() const {
    int depth = 0;
    for (std::size_t i = open_ + 1; i + 1 < lexemes_.size(); ++i) {
      const tok::TokenKind k = kind(i);
      if (k == tok::l_paren || k == tok::l_brace || k == tok::l_square) ++depth;
      if (k == tok::r_paren || k == tok::r_brace || k == tok::r_square) --depth;
      if (depth < 0 || (depth == 0 && k == tok::semi)) return std::nullopt;
      if (depth == 0 && k == tok::greatergreatergreater && kind(i + 1) == tok::l_paren) return i;
    }
    return std::nullopt;
  }

 private:
  tok::TokenKind kind(std::size_t i) const { return lexemes_[i].kind; }

  static bool closes_template(tok::TokenKind k) {
    return k == tok::greater || k == tok::greatergreater || k == tok::greatergreatergreater;
  }

  std::optional<std::size_t> opening_parenthesis(std::size_t closing) const {
    int depth = 0;
    for (std::size_t i = closing + 1; i-- > 0;) {
      if (kind(i) == tok::r_paren) ++depth;
      if (kind(i) == tok::l_paren && --depth == 0) return i;
    }
    return std::nullopt;
  }

  // An expression in parentheses, which are not those of a call.
  std::optional<std::size_t> parenthesised(std::size_t closing) const {
    const auto opening = opening_parenthesis(closing);
    const bool call = !opening || (*opening > 0 && kind(*opening - 1) == tok::raw_identifier);
    return call ? std::nullopt : opening;
  }

  std::optional<std::size_t> opening_angle(std::size_t closing) const {
    int depth = 0;
    for (std::size_t i = closing + 1; i-- > 0;) {
      const tok::TokenKind k = kind(i);
      if (k == tok::r_paren) {
        const auto opening = opening_parenthesis(i);
        if (!opening) return std::nullopt;
        i = *opening;
      } else if (closes_template(k)) {
        depth += k == tok::greater ? 1 : k == tok::greatergreater ? 2 : 3;
      } else if (k == tok::less && --depth == 0) {
        return i;
      } else if (k == tok::semi || k == tok::l_brace || k == tok::r_brace) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  const std::vector<Lexeme>& lexemes_;
  std::size_t open_;
};

}  // namespace

std::string rewrite_launches(llvm::StringRef source) {
  std::string text = source.str();
  if (!source.contains("<<<")) return text;
  const std::vector<Lexeme> lexemes = lex(text);
  std::vector<std::size_t> names;
  for (std::size_t i = 0; i < lexemes.size(); ++i) {
    if (lexemes[i].kind != tok::lesslessless) continue;
    const Launch launch(lexemes, i);
    const auto name = launch.name(), close = launch.close();
    if (!name || !close) continue;
    text.replace(lexemes[i].offset, 3, ">( ");  // as long as before: the other offsets stay
    text.replace(lexemes[*close].offset, 3, ")  ");
    names.push_back(lexemes[*name].offset);
  }
  // From the end, so that the offsets before stay. Launches do not nest, and their names come in the text's order.
  for (auto at = names.rbegin(); at != names.rend(); ++at) text.insert(*at, launch_function);
  return text;
}

}  // namespace lanza::compiler
