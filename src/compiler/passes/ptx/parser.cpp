// Statements from tokens.
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>

#include "compiler/passes/ptx/lexer.hpp"

using namespace llvm;

namespace lanza::compiler::ptx {

namespace {

class Parser {
 public:
  explicit Parser(StringRef text) : lexer_(text) {}

  std::vector<Statement> run() {
    std::vector<Statement> list;
    while (lexer_.peek().kind != Token::End) {
      if (lexer_.accept(";")) continue;
      begin_ = end_ = lexer_.peek().begin;
      line_ = lexer_.peek().line;
      Statement statement = this->statement();
      statement.text = as_written(text());
      statement.line = line_;
      list.push_back(std::move(statement));
    }
    return list;
  }

 private:
  StringRef text() { return lexer_.slice(begin_, end_).trim(); }

  [[noreturn]] void fail(const std::string& why) { throw Problem{why, as_written(text()), line_}; }

  Token take() {
    end_ = lexer_.peek().end;
    return lexer_.take();
  }
  bool accept(StringRef punctuation) {
    if (!lexer_.is(punctuation)) return false;
    take();
    return true;
  }
  void expect(StringRef punctuation) {
    if (accept(punctuation)) return;
    end_ = lexer_.peek().end;
    fail("'" + punctuation.str() + "' is missing" +
         (lexer_.peek().kind == Token::End ? " at the end" : " before '" + as_written(lexer_.peek().text) + "'"));
  }
  std::string word(const char* what) {
    if (lexer_.peek().kind == Token::Word) return take().text;
    end_ = lexer_.peek().end;
    fail(std::string(what) + " is missing");
  }

  Statement statement() {
    Statement s;
    if (accept("{")) return s.kind = Statement::Open, s;
    if (accept("}")) return s.kind = Statement::Close, s;
    if (accept("@")) {
      s.guard_negated = accept("!");
      s.guard = word("the predicate after '@'");
    }
    const std::string first = word("an instruction");
    if (s.guard.empty() && accept(":")) {
      s.kind = Statement::Label;
      s.name = first;
      return s;
    }
    SmallVector<StringRef, 8> parts;
    StringRef(first).split(parts, '.');
    if (parts[0].empty()) return directive(first);
    s.name = parts[0].str();
    for (StringRef modifier : ArrayRef(parts).drop_front()) s.modifiers.push_back(modifier.str());
    if (!lexer_.is(";") && !lexer_.is("}") && lexer_.peek().kind != Token::End) {
      do s.operands.push_back(operand());
      while (accept(","));
    }
    // The last instruction of a text needs none.
    if (lexer_.peek().kind != Token::End) expect(";");
    return s;
  }

  Statement directive(const std::string& name) {
    Statement s;
    s.kind = Statement::Registers;
    if (name != ".reg") {
      if (name == ".pragma" || name == ".loc") {
        while (!lexer_.is(";") && lexer_.peek().kind != Token::End) take();
        return s;
      }
      fail("the directive " + name + " is not supported");
    }
    s.name = StringRef(word("the type of the registers")).drop_front().str();
    do {
      Statement::Declared declared{word("the name of a register")};
      if (accept("<")) {
        declared.count = static_cast<unsigned>(constant());
        expect(">");
        if (declared.count == 0 || declared.count > 4096) fail("there can be 1 to 4096 registers of a name");
      }
      s.declared.push_back(declared);
    } while (accept(","));
    expect(";");
    return s;
  }

  Operand operand() {
    Operand o;
    if (accept("{")) {
      o.kind = Operand::Vector;
      do o.elements.push_back(operand());
      while (accept(","));
      expect("}");
    } else if (accept("[")) {
      o = address();
    } else if (lexer_.peek().kind == Token::Word) {
      o.name = take().text;
    } else if (lexer_.is("!")) {
      take();
      o.negated = true;
      o.name = word("the predicate after '!'");
    } else {
      o = number();
    }
    if (accept("|")) o.second.push_back(operand());
    return o;
  }

  Operand address() {
    Operand o;
    o.kind = Operand::Address;
    if (lexer_.peek().kind == Token::Word) {
      Operand base;
      base.name = take().text;
      o.elements.push_back(base);
    }
    if (!lexer_.is("]")) o.offset = static_cast<std::int64_t>(constant());
    expect("]");
    return o;
  }

  Operand number() {
    Operand o;
    const bool minus = lexer_.is("-");
    Lexer ahead = lexer_;
    if (minus) ahead.take();
    if (ahead.peek().kind == Token::Float) {
      if (minus) take();
      const Token token = take();
      o.kind = Operand::Float;
      o.float_bits = token.float_bits;
      o.exact = token.exact;
      o.bits = token.bits ^ (minus ? 1ull << (token.float_bits - 1) : 0);
      return o;
    }
    o.kind = Operand::Integer;
    o.bits = constant();
    return o;
  }

  // Constant expressions, by precedence climbing.
  std::uint64_t constant(unsigned lowest = 0) {
    std::uint64_t left = unary();
    for (;;) {
      static constexpr StringRef kLevels[][3] = {{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
      unsigned level = lowest;
      StringRef operation;
      for (unsigned i = lowest; i < std::size(kLevels) && operation.empty(); ++i)
        for (StringRef o : kLevels[i])
          if (!o.empty() && lexer_.is(o)) operation = o, level = i;
      if (operation.empty()) return left;
      take();
      left = apply(operation, left, constant(level + 1));
    }
  }

  std::uint64_t apply(StringRef operation, std::uint64_t a, std::uint64_t b) {
    if ((operation == "/" || operation == "%") && b == 0) fail("a constant is divided by zero");
    switch (operation[0]) {
      case '|':
        return a | b;
      case '^':
        return a ^ b;
      case '&':
        return a & b;
      case '<':
        return b < 64 ? a << b : 0;
      case '>':
        return b < 64 ? a >> b : 0;
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return a * b;
      case '/':
        return a / b;
      default:
        return a % b;
    }
  }

  std::uint64_t unary() {
    if (accept("-")) return 0 - unary();
    if (accept("+")) return unary();
    if (accept("~")) return ~unary();
    if (accept("(")) {
      const std::uint64_t value = constant();
      expect(")");
      return value;
    }
    if (lexer_.peek().kind == Token::Integer) return take().bits;
    end_ = lexer_.peek().end;
    fail("an operand is missing or is none of PTX's");
  }

  Lexer lexer_;
  std::size_t begin_ = 0, end_ = 0;
  unsigned line_ = 0;
};

}  // namespace

std::vector<Statement> parse(StringRef text) { return Parser(text).run(); }

}  // namespace lanza::compiler::ptx
