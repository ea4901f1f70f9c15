// A recursive descent over the grammar of chapter 5.1 of the Itanium C++ ABI, as far as kernels and their parameters
// use it.
#include "backend/cuda/demangle.hpp"

#include <cstdint>
#include <utility>

namespace lanza::cuda_backend {
namespace {

using TypePtr = std::shared_ptr<const CppType>;

struct Unreadable {};  // thrown and caught in this file

constexpr int deepest = 64;
constexpr std::size_t longest_text = 16 << 10;  // substitutions can double a text at every step

const char* builtin_name(char code) {
  switch (code) {
    case 'v':
      return "void";
    case 'w':
      return "wchar_t";
    case 'b':
      return "bool";
    case 'c':
      return "char";
    case 'a':
      return "signed char";
    case 'h':
      return "unsigned char";
    case 's':
      return "short";
    case 't':
      return "unsigned short";
    case 'i':
      return "int";
    case 'j':
      return "unsigned int";
    case 'l':
      return "long";
    case 'm':
      return "unsigned long";
    case 'x':
      return "long long";
    case 'y':
      return "unsigned long long";
    case 'n':
      return "__int128";
    case 'o':
      return "unsigned __int128";
    case 'f':
      return "float";
    case 'd':
      return "double";
    case 'e':
      return "long double";
    case 'z':
      return "...";
    default:
      return nullptr;
  }
}

/// A template argument: a type, a value's text, or a pack of arguments.
struct Argument {
  TypePtr type;
  std::string text;
  std::vector<Argument> pack;
  bool is_pack = false;
};

std::string join(const std::vector<Argument>& arguments) {
  std::string text;
  for (const Argument& a : arguments) {
    const std::string one = a.is_pack ? join(a.pack) : a.text;
    if (one.empty()) continue;
    if (!text.empty()) text += ", ";
    text += one;
    if (text.size() > longest_text) throw Unreadable{};
  }
  return text;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Demangled encoding() {
    Demangled result;
    bool is_template = false;
    result.name = name(&is_template);
    template_arguments_ = last_arguments_;
    if (is_template && !at_end()) type();  // a function's result; variables have none
    while (!at_end() && peek() != '.') parameters(result.parameters);
    if (result.parameters.size() == 1 && result.parameters[0].kind == CppType::Kind::Builtin &&
        result.parameters[0].name == "void")
      result.parameters.clear();
    return result;
  }

 private:
  struct Deeper {
    explicit Deeper(int& depth) : depth(depth) {
      if (++depth > deepest) throw Unreadable{};
    }
    ~Deeper() { --depth; }
    int& depth;
  };

  bool at_end() const { return at_ == text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) throw Unreadable{};
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  std::size_t number() {
    if (!is_digit(peek())) throw Unreadable{};
    std::size_t n = 0;
    while (is_digit(peek())) {
      n = n * 10 + static_cast<std::size_t>(text_[at_++] - '0');
      if (n > text_.size() + 1000000) throw Unreadable{};
    }
    return n;
  }

  std::string source_name() {
    const std::size_t length = number();
    if (length == 0 || length > text_.size() - at_) throw Unreadable{};
    std::string name(text_.substr(at_, length));
    at_ += length;
    return name;
  }

  std::string unqualified_name() {
    take('L');  // internal linkage
    std::string name = source_name();
    while (take('B')) name += "[abi:" + source_name() + "]";
    return name;
  }

  static std::string qualify(const std::string& scope, const std::string& name) {
    if (name.rfind("_GLOBAL__N", 0) == 0) return scope;  // an anonymous namespace
    if (scope.size() + name.size() > longest_text) throw Unreadable{};
    return scope.empty() ? name : scope + "::" + name;
  }

  static TypePtr named(std::string name) {
    return std::make_shared<CppType>(CppType{CppType::Kind::Named, std::move(name), false, nullptr});
  }

  TypePtr remember(TypePtr type) {
    substitutions_.push_back(type);
    return type;
  }

  std::size_t sequence_number() {
    if (take('_')) return 0;
    std::size_t n = 0;
    while (peek() != '_') {
      const char c = peek();
      if (!is_digit(c) && !(c >= 'A' && c <= 'Z')) throw Unreadable{};
      n = n * 36 + static_cast<std::size_t>(is_digit(c) ? c - '0' : c - 'A' + 10);
      if (n > 100000) throw Unreadable{};
      ++at_;
    }
    ++at_;
    return n + 1;
  }

  /// After an 'S' that is not "St".
  TypePtr substitution() {
    switch (peek()) {
      case 'a':
        ++at_;
        return named("std::allocator");
      case 'b':
        ++at_;
        return named("std::basic_string");
      case 's':
        ++at_;
        return named("std::string");
      case 'i':
        ++at_;
        return named("std::istream");
      case 'o':
        ++at_;
        return named("std::ostream");
      case 'd':
        ++at_;
        return named("std::iostream");
      default:
        break;
    }
    const std::size_t n = sequence_number();
    if (n >= substitutions_.size()) throw Unreadable{};
    return substitutions_[n];
  }

  std::string apply_arguments(const std::string& name) {
    last_arguments_ = arguments();
    std::string text = name + "<" + join(last_arguments_);
    if (text.size() > longest_text) throw Unreadable{};
    if (text.back() == '>') text += ' ';
    return text + ">";
  }

  std::string nested_name(bool* is_template) {
    while (take('r') || take('V') || take('K')) {
    }
    take('R') || take('O');
    std::string scope;
    bool pending = false;  // the scope so far is a substitution candidate once something follows it
    bool last_is_template = false;
    while (!take('E')) {
      if (pending) remember(named(scope));
      pending = true;
      last_is_template = false;
      if (peek() == 'S' && peek(1) == 't') {
        at_ += 2;
        scope = "std";
        pending = false;
      } else if (take('S')) {
        scope = substitution()->name;
        pending = false;
      } else if (peek() == 'I') {
        scope = apply_arguments(scope);
        last_is_template = true;
      } else {
        scope = qualify(scope, unqualified_name());
      }
    }
    if (is_template) *is_template = last_is_template;
    return scope;
  }

  /// Name of a function or a type. A type's last part is remembered by the caller.
  std::string name(bool* is_template) {
    const Deeper deeper(depth_);
    if (take('N')) return nested_name(is_template);
    std::string result;
    bool remembered = false;
    if (peek() == 'S' && peek(1) == 't') {
      at_ += 2;
      result = "std::" + unqualified_name();
    } else if (take('S')) {
      result = substitution()->name;
      remembered = true;
    } else {
      result = unqualified_name();
    }
    if (peek() != 'I') return result;
    if (!remembered) remember(named(result));
    if (is_template) *is_template = true;
    return apply_arguments(result);
  }

  std::vector<Argument> arguments() {
    const Deeper deeper(depth_);
    expect('I');
    std::vector<Argument> list;
    while (!take('E')) list.push_back(argument());
    return list;
  }

  Argument argument() {
    Argument a;
    if (take('J')) {
      a.is_pack = true;
      while (!take('E')) a.pack.push_back(argument());
      return a;
    }
    if (take('L')) {
      a.text = literal();
      return a;
    }
    a.type = type();
    a.text = to_string(*a.type);
    return a;
  }

  std::string literal() {
    const TypePtr t = type();
    const bool negative = take('n');
    std::string digits;
    while (peek() != 'E') {
      if (at_end()) throw Unreadable{};
      digits += text_[at_++];
    }
    ++at_;
    if (t->kind == CppType::Kind::Builtin && t->name == "bool") return digits == "1" ? "true" : "false";
    std::string value = (negative ? "-" : "") + digits;
    if (t->kind != CppType::Kind::Builtin) return "(" + to_string(*t) + ")" + value;
    if (t->name == "int") return value;
    if (t->name == "unsigned int") return value + "u";
    if (t->name == "long") return value + "l";
    if (t->name == "unsigned long") return value + "ul";
    return "(" + t->name + ")" + value;
  }

  TypePtr make(CppType::Kind kind, TypePtr inner, std::string name = {}) {
    return std::make_shared<CppType>(CppType{kind, std::move(name), false, std::move(inner)});
  }

  TypePtr qualified_type() {
    bool is_const = false;
    for (;; ++at_) {
      if (peek() == 'K')
        is_const = true;
      else if (peek() != 'r' && peek() != 'V')
        break;
    }
    CppType copy = *type();
    copy.is_const = copy.is_const || is_const;
    return remember(std::make_shared<CppType>(std::move(copy)));
  }

  TypePtr template_parameter() {
    const std::size_t n = sequence_number();
    if (n >= template_arguments_.size()) throw Unreadable{};
    const Argument* a = &template_arguments_[n];
    if (a->is_pack) {
      if (pack_index_ >= a->pack.size()) {
        pack_size_ = a->pack.size();
        return remember(std::make_shared<CppType>());
      }
      pack_size_ = a->pack.size();
      a = &a->pack[pack_index_];
    }
    if (!a->type) throw Unreadable{};
    return remember(a->type);
  }

  TypePtr array_type() {
    std::string extent;
    while (is_digit(peek())) extent += text_[at_++];
    expect('_');
    TypePtr element = type();
    return remember(make(CppType::Kind::Array, std::move(element), extent));
  }

  TypePtr function_type() {
    take('Y');
    TypePtr result = type();
    std::string list;
    while (!take('E')) {
      const std::string one = to_string(*type());
      list += (list.empty() ? "" : ", ") + one;
      if (list.size() > longest_text) throw Unreadable{};
    }
    return remember(make(CppType::Kind::Function, std::move(result), list == "void" ? "" : list));
  }

  TypePtr d_type() {
    switch (peek()) {
      case 'n':
        ++at_;
        return make(CppType::Kind::Builtin, nullptr, "std::nullptr_t");
      case 'h':
        ++at_;
        return make(CppType::Kind::Builtin, nullptr, "__fp16");
      case 'i':
        ++at_;
        return make(CppType::Kind::Builtin, nullptr, "char32_t");
      case 's':
        ++at_;
        return make(CppType::Kind::Builtin, nullptr, "char16_t");
      case 'u':
        ++at_;
        return make(CppType::Kind::Builtin, nullptr, "char8_t");
      case 'F': {
        ++at_;
        const std::string bits = std::to_string(number());
        if (take('b')) return make(CppType::Kind::Builtin, nullptr, "__bf16");
        expect('_');
        return make(CppType::Kind::Builtin, nullptr, "_Float" + bits);
      }
      default:
        throw Unreadable{};
    }
  }

  TypePtr type() {
    const Deeper deeper(depth_);
    const char c = peek();
    if (c == 'K' || c == 'V' || c == 'r') return qualified_type();
    if (is_digit(c) || c == 'N') return remember(named(name(nullptr)));
    ++at_;
    switch (c) {
      case 'P':
        return remember(make(CppType::Kind::Pointer, type()));
      case 'R':
      case 'O':
        return remember(make(CppType::Kind::Reference, type()));
      case 'A':
        return array_type();
      case 'F':
        return function_type();
      case 'D':
        return d_type();
      case 'T':
        return template_parameter();
      case 'u':
        return remember(make(CppType::Kind::Builtin, nullptr, source_name()));
      case 'U':
        source_name();  // an address space or the like, which says nothing about the value
        return remember(type());
      case 'S':
        return s_type();
      default:
        break;
    }
    const char* builtin = builtin_name(c);
    if (!builtin) throw Unreadable{};
    return make(CppType::Kind::Builtin, nullptr, builtin);
  }

  TypePtr s_type() {
    if (peek() == 't') {
      --at_;
      return remember(named(name(nullptr)));
    }
    TypePtr base = substitution();
    if (peek() != 'I') return base;
    return remember(named(apply_arguments(base->name)));
  }

  /// One parameter, or as many as a pack expansion gives.
  void parameters(std::vector<CppType>& list) {
    if (peek() != 'D' || peek(1) != 'p') {
      list.push_back(*type());
      return;
    }
    at_ += 2;
    const std::size_t begin = at_, known = substitutions_.size();
    pack_size_ = 1;
    for (pack_index_ = 0; pack_index_ == 0 || pack_index_ < pack_size_; ++pack_index_) {
      at_ = begin;
      substitutions_.resize(known);
      TypePtr t = type();
      if (pack_index_ < pack_size_) list.push_back(*t);
    }
    pack_index_ = 0;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<TypePtr> substitutions_;
  std::vector<Argument> template_arguments_, last_arguments_;
  std::size_t pack_index_ = 0, pack_size_ = 1;
};

/// The text around a declarator: "int (" "*" ")[4]".
std::string spell(const CppType& t, const std::string& declarator) {
  const std::string qualifier = t.is_const ? "const " : "";
  switch (t.kind) {
    case CppType::Kind::Pointer:
    case CppType::Kind::Reference: {
      const std::string sign =
          (t.kind == CppType::Kind::Pointer ? "*" : "&") + std::string(t.is_const ? "const" : "") + declarator;
      const bool group = t.inner->kind == CppType::Kind::Array || t.inner->kind == CppType::Kind::Function;
      return spell(*t.inner, group ? " (" + sign + ")" : sign);
    }
    case CppType::Kind::Array:
      return spell(*t.inner, declarator + "[" + t.name + "]");
    case CppType::Kind::Function:
      return spell(*t.inner, declarator + "(" + t.name + ")");
    case CppType::Kind::Unknown:
      return "?" + declarator;
    default:
      return qualifier + t.name + declarator;
  }
}

}  // namespace

std::string to_string(const CppType& t) { return spell(t, ""); }

std::optional<Demangled> demangle(std::string_view symbol) {
  if (symbol.substr(0, 2) != "_Z") return std::nullopt;
  try {
    return Reader(symbol.substr(2)).encoding();
  } catch (const Unreadable&) {
    return std::nullopt;
  }
}

}  // namespace lanza::cuda_backend
