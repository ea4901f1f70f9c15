// A reader of PTX's directives. Instructions are skipped.
#include "backend/cuda/ptx.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace lanza::cuda_backend {
namespace {

/// Words (directives with their dots, names, numbers) and single punctuation characters; comments and strings are left
/// out.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) { advance(); }
  std::string_view peek() const { return token_; }
  bool at_end() const { return token_.empty(); }
  std::string_view take() {
    const std::string_view t = token_;
    advance();
    return t;
  }
  bool take(std::string_view expected) {
    if (token_ != expected) return false;
    advance();
    return true;
  }

 private:
  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '%' || c == '.';
  }
  void skip_blank() {
    for (;;) {
      while (at_ < text_.size() &&
             (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
        ++at_;
      if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.size(), text_.find('\n', at_));
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == text_.npos ? text_.size() : end + 2;
      } else if (at_ < text_.size() && text_[at_] == '"') {
        const std::size_t end = text_.find('"', at_ + 1);
        at_ = end == text_.npos ? text_.size() : end + 1;
      } else {
        return;
      }
    }
  }
  void advance() {
    skip_blank();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (at_ == begin && at_ < text_.size()) ++at_;
    token_ = text_.substr(begin, at_ - begin);
  }

  std::string_view text_, token_;
  std::size_t at_ = 0;
};

std::size_t number(std::string_view text) {
  std::size_t n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

/// Bytes of a fundamental type (".u64", ".f32", ".b8", ".pred"), or 0 when the word is none.
std::size_t type_bytes(std::string_view word) {
  if (word.size() < 3 || word[0] != '.' || std::string_view("usfb").find(word[1]) == std::string_view::npos) return 0;
  const std::size_t bits = number(word.substr(2));
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128 ? bits / 8 : 0;
}

struct Declaration {
  std::string name, type;
  std::size_t size = 0, alignment = 1;
  bool aggregate = false;
};

/// A variable or parameter after its state space: ".align 4 .b8 name[16]", ".u64 .ptr .global .align 4 name". Stops
/// before what ends it.
Declaration declaration(Tokens& tokens) {
  Declaration d;
  while (!tokens.at_end() && tokens.peek()[0] == '.') {
    const std::string_view word = tokens.take();
    const std::size_t bytes = type_bytes(word);
    if (bytes) {
      d.type = word.substr(1);
      d.size = bytes;
      d.alignment = std::max(d.alignment, bytes);
    } else if (word == ".align") {
      const std::size_t alignment = number(tokens.take());
      if (d.type.empty()) d.alignment = alignment;  // after the type it is that of what a pointer points to
    } else if (word == ".v2" || word == ".v4") {
      d.aggregate = true;
    }
  }
  d.name = tokens.take();
  while (tokens.take("[")) {
    d.aggregate = true;
    if (tokens.peek() != "]") d.size *= number(tokens.take());
    tokens.take("]");
  }
  d.alignment = std::clamp<std::size_t>(d.alignment, 1, 1024);
  return d;
}

void skip_body(Tokens& tokens, PtxKernel* kernel) {
  int depth = 0;
  do {
    const std::string_view t = tokens.take();
    if (t == "{")
      ++depth;
    else if (t == "}")
      --depth;
    else if (t == ".shared" && kernel)
      kernel->static_shared += declaration(tokens).size;
  } while (depth > 0 && !tokens.at_end());
}

PtxKernel entry(Tokens& tokens) {
  PtxKernel kernel;
  kernel.symbol = tokens.take();
  if (tokens.take("(")) {
    while (!tokens.at_end() && !tokens.take(")")) {
      if (!tokens.take(".param")) {
        tokens.take();
        continue;
      }
      const Declaration d = declaration(tokens);
      const std::size_t offset = (kernel.bytes + d.alignment - 1) / d.alignment * d.alignment;
      kernel.parameters.push_back({d.type, offset, d.size, d.aggregate});
      kernel.bytes = offset + d.size;
    }
  }
  while (!tokens.at_end() && tokens.peek() != "{" && tokens.peek() != ";") {
    if (!tokens.take(".maxntid")) {
      tokens.take();
      continue;
    }
    std::size_t product = number(tokens.take());
    while (tokens.take(",")) product *= number(tokens.take());
    kernel.max_threads = static_cast<unsigned>(product);
  }
  return kernel;
}

}  // namespace

PtxSummary summarise_ptx(std::string_view text) {
  PtxSummary summary;
  Tokens tokens(text);
  bool external = false;  // of the directive being read
  while (!tokens.at_end()) {
    const std::string_view t = tokens.take();
    if (t == ".extern") {
      external = true;
    } else if (t == ".entry") {
      PtxKernel kernel = entry(tokens);
      if (tokens.peek() == "{") {
        skip_body(tokens, &kernel);
        summary.kernels.push_back(std::move(kernel));
      }
    } else if (t == "{") {
      int depth = 1;  // a function's body, or a list of initial values
      while (depth > 0 && !tokens.at_end()) {
        const std::string_view inside = tokens.take();
        depth += inside == "{" ? 1 : inside == "}" ? -1 : 0;
      }
      external = false;
    } else if (t == ".global" || t == ".const") {
      const bool defined = !external;
      external = false;
      Declaration d = declaration(tokens);
      if (defined && !d.name.empty() && d.name[0] != '$')
        summary.variables.push_back({std::move(d.name), d.size, t == ".const"});
    } else if (t == ";") {
      external = false;
    }
  }
  return summary;
}

}  // namespace lanza::cuda_backend
