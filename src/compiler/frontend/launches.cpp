#include "compiler/frontend/launches.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/frontend/lexemes.hpp"

using namespace clang;

namespace lanza::compiler {
namespace {

constexpr const char *lambda_begin = "[&]{", *lambda_end = ";}()";

bool precedes_a_parenthesis(std::string_view word) {
  static constexpr std::string_view keywords[] = {"if", "while", "for", "switch", "return", "case", "else", "do"};
  return std::ranges::find(keywords, word) != std::end(keywords);
}

/// Finds what belongs to the launch at a "<<<".
class Launch {
 public:
  Launch(const std::vector<Lexeme>& lexemes, std::size_t open) : lexemes_(lexemes), open_(open) {}

  /// The first token of what is launched, as in ns::name<T, 2>, (name), table[i] or MACRO(name).
  std::optional<std::size_t> callee() const {
    std::size_t i = open_;
    for (;;) {
      const auto operand = begin_of_operand(i);
      if (!operand) return std::nullopt;
      i = *operand;
      if (i == 0) return i;
      if (kind(i - 1) == tok::period || kind(i - 1) == tok::arrow) {
        --i;
        continue;
      }
      if (kind(i - 1) == tok::raw_identifier && i >= 2 && kind(i - 2) == tok::coloncolon) --i;  // ::template name
      if (i == 0 || kind(i - 1) != tok::coloncolon) return i;
      --i;
      const bool qualified = i > 0 && (is_name(i - 1) || closes_template(kind(i - 1)));
      if (!qualified) return i;
    }
  }

  /// The ")" behind the arguments.
  std::optional<std::size_t> end() const {
    int depth = 0;
    for (std::size_t i = open_ + 1; i + 1 < lexemes_.size(); ++i) {
      const tok::TokenKind k = kind(i);
      if (opens(k)) ++depth;
      if (closes(k)) --depth;
      if (depth < 0 || (depth == 0 && k == tok::semi)) return std::nullopt;
      if (depth == 0 && k == tok::greatergreatergreater && kind(i + 1) == tok::l_paren) return closing(i + 1);
    }
    return std::nullopt;
  }

 private:
  tok::TokenKind kind(std::size_t i) const { return lexemes_[i].kind; }
  bool is_name(std::size_t i) const {
    return kind(i) == tok::raw_identifier && !precedes_a_parenthesis(lexemes_[i].text);
  }

  static bool opens(tok::TokenKind k) { return k == tok::l_paren || k == tok::l_brace || k == tok::l_square; }
  static bool closes(tok::TokenKind k) { return k == tok::r_paren || k == tok::r_brace || k == tok::r_square; }
  static bool closes_template(tok::TokenKind k) {
    return k == tok::greater || k == tok::greatergreater || k == tok::greatergreatergreater;
  }

  // Whether what stands before token `i` can be called: not the condition of an if.
  bool ends_operand(std::size_t i) const {
    if (i == 0 || is_name(i - 1)) return i > 0;
    if (kind(i - 1) == tok::r_square) return true;
    const auto bracket = kind(i - 1) == tok::r_paren ? opening(i - 1) : std::nullopt;
    return bracket && !(*bracket > 0 && precedes_a_parenthesis(lexemes_[*bracket - 1].text));
  }

  // A name with its template arguments, calls and indices, or something in parentheses, before token `end`.
  std::optional<std::size_t> begin_of_operand(std::size_t end) const {
    std::size_t i = end;
    while (i > 0 && (kind(i - 1) == tok::r_paren || kind(i - 1) == tok::r_square)) {
      const auto bracket = opening(i - 1);
      if (!bracket) return std::nullopt;
      i = *bracket;
      if (kind(i) == tok::l_paren && !ends_operand(i)) return i;
    }
    if (i > 0 && closes_template(kind(i - 1))) {
      const auto angle = opening_angle(i - 1);
      if (!angle) return std::nullopt;
      i = *angle;
    }
    return i > 0 && is_name(i - 1) ? std::optional(i - 1) : std::nullopt;
  }

  std::optional<std::size_t> opening(std::size_t closing) const {
    int depth = 0;
    for (std::size_t i = closing + 1; i-- > 0;) {
      if (closes(kind(i))) ++depth;
      if (opens(kind(i)) && --depth == 0) return i;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> closing(std::size_t opening) const {
    int depth = 0;
    for (std::size_t i = opening; i < lexemes_.size(); ++i) {
      if (opens(kind(i))) ++depth;
      if (closes(kind(i)) && --depth == 0) return i;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> opening_angle(std::size_t closing) const {
    int depth = 0;
    for (std::size_t i = closing + 1; i-- > 0;) {
      const tok::TokenKind k = kind(i);
      if (k == tok::r_paren) {
        const auto bracket = opening(i);
        if (!bracket) return std::nullopt;
        i = *bracket;
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

void rewrite_launches(EditedText& text) {
  if (text.now().find("<<<") == std::string::npos) return;
  const std::vector<Lexeme> lexemes = lex(text.now());
  std::vector<std::pair<std::size_t, const char*>> insertions;
  for (std::size_t i = 0; i < lexemes.size(); ++i) {
    if (lexemes[i].kind != tok::lesslessless) continue;
    const Launch launch(lexemes, i);
    const auto callee = launch.callee(), end = launch.end();
    if (!callee || !end) continue;
    insertions.emplace_back(lexemes[*callee].offset, lambda_begin);
    insertions.emplace_back(lexemes[*end].offset + 1, lambda_end);
  }
  // From the end, so that the offsets before stay.
  std::ranges::stable_sort(insertions, std::greater<>(), &std::pair<std::size_t, const char*>::first);
  for (const auto& [offset, what] : insertions) text.insert(offset, what);
}

}  // namespace lanza::compiler
