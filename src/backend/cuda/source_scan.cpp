// Tokens, then the few constructs that matter.
#include "backend/cuda/source_scan.hpp"

#include <algorithm>
#include <set>

namespace lanza::cuda_backend {
namespace {

bool is_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class Tokeniser {
 public:
  Tokeniser(std::string_view text, std::vector<std::string>* directives) : text_(text), directives_(directives) {}

  std::vector<std::string> run() {
    bool line_start = true;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        line_start = true;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (starts("\\\n")) {
        at_ += 2;
      } else if (starts("//")) {
        skip_to_line_end();
      } else if (starts("/*")) {
        skip_comment();
      } else if (c == '#' && line_start) {
        directive();
      } else {
        line_start = false;
        token();
      }
    }
    return std::move(tokens_);
  }

 private:
  bool starts(std::string_view with) const { return text_.substr(at_, with.size()) == with; }
  void skip_to_line_end() {
    while (at_ < text_.size() && text_[at_] != '\n') at_ += starts("\\\n") ? 2 : 1;
  }
  void skip_comment() {
    const std::size_t end = text_.find("*/", at_ + 2);
    at_ = end == text_.npos ? text_.size() : end + 2;
  }
  void directive() {
    std::string line;
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (starts("\\\n")) {
        at_ += 2;
      } else if (starts("//")) {
        skip_to_line_end();
      } else if (starts("/*")) {
        skip_comment();
        line += ' ';
      } else {
        line += text_[at_++];
      }
    }
    if (directives_) directives_->push_back(std::move(line));
  }
  void token() {
    const std::size_t begin = at_;
    if (is_identifier(text_[at_])) {
      while (at_ < text_.size() && is_identifier(text_[at_])) ++at_;
      const std::string_view word = text_.substr(begin, at_ - begin);
      const bool raw = at_ < text_.size() && text_[at_] == '"' && word.back() == 'R';
      if (raw) raw_string();
    } else if (text_[at_] == '"' || text_[at_] == '\'') {
      quoted();
    } else {
      ++at_;
    }
    tokens_.emplace_back(text_.substr(begin, at_ - begin));
  }
  void quoted() {
    const char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
  }
  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == text_.npos) {
      at_ = text_.size();
      return;
    }
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = text_.find(close, open);
    at_ = end == text_.npos ? text_.size() : end + close.size();
  }

  std::string_view text_;
  std::vector<std::string>* directives_;
  std::size_t at_ = 0;
  std::vector<std::string> tokens_;
};

bool is_name(const std::string& token) {
  return !token.empty() && is_identifier(token[0]) && !(token[0] >= '0' && token[0] <= '9');
}

/// Index behind the bracket that closes the one at `open`.
std::size_t behind(const std::vector<std::string>& t, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < t.size(); ++i) {
    if (t[i] == "(" || t[i] == "[" || t[i] == "{") ++depth;
    if (t[i] == ")" || t[i] == "]" || t[i] == "}") --depth;
    if (depth == 0) return i + 1;
  }
  return t.size();
}

const std::set<std::string>& type_words() {
  static const std::set<std::string> words = {"const", "volatile", "unsigned",     "signed",     "char",
                                              "short", "int",      "long",         "float",      "double",
                                              "bool",  "void",     "__restrict__", "__restrict", "struct",
                                              "class", "enum",     "union",        "typename",   "__grid_constant__"};
  return words;
}

/// One parameter from its tokens: the last identifier is the name, unless the type would be empty without it.
bool read_parameter(std::vector<std::string> tokens, SourceParameter& parameter) {
  const auto equals = std::find(tokens.begin(), tokens.end(), "=");
  tokens.erase(equals, tokens.end());
  // `float a[]` and `float a[16]` are pointers.
  bool array = false;
  while (!tokens.empty() && tokens.back() == "]") {
    const auto open = std::find(tokens.rbegin(), tokens.rend(), "[");
    if (open == tokens.rend() || array) return false;
    tokens.erase(open.base() - 1, tokens.end());
    array = true;
  }
  for (const std::string& t : tokens)
    if (t == "(" || t == ")" || t == "&" || t == "[" || t == ".") return false;
  if (tokens.size() > 1 && is_name(tokens.back()) && !type_words().count(tokens.back()) &&
      tokens[tokens.size() - 2] != ":") {
    const std::string& before = tokens[tokens.size() - 2];
    const bool only_qualifiers = before == "const" && tokens.size() == 2;
    if (!only_qualifiers && before != "struct" && before != "enum") {
      parameter.name = tokens.back();
      tokens.pop_back();
    }
  }
  if (array) tokens.push_back("*");
  parameter.type = std::move(tokens);
  return !parameter.type.empty();
}

void read_parameters(const std::vector<std::string>& t, std::size_t open, std::size_t end, SourceKernel& kernel) {
  std::vector<std::string> current;
  int depth = 0;
  const auto flush = [&] {
    SourceParameter p;
    if (!read_parameter(std::move(current), p)) kernel.readable = false;
    kernel.parameters.push_back(std::move(p));
    current.clear();
  };
  for (std::size_t i = open + 1; i + 1 < end; ++i) {
    depth += t[i] == "(" || t[i] == "<" || t[i] == "[" || t[i] == "{" ? 1 : 0;
    depth -= t[i] == ")" || t[i] == ">" || t[i] == "]" || t[i] == "}" ? 1 : 0;
    if (t[i] == "," && depth == 0)
      flush();
    else
      current.push_back(t[i]);
  }
  const bool is_void = current.size() == 1 && current[0] == "void";
  if (!current.empty() && !is_void) flush();
}

/// From `__global__` to the parameter list: attributes in between (launch bounds) are skipped.
void read_kernel(const std::vector<std::string>& t, std::size_t at, SourceSummary& summary) {
  for (std::size_t i = at + 1; i < t.size() && t[i] != ";" && t[i] != "{" && t[i] != "}"; ++i) {
    if (t[i] != "(") continue;
    const std::string& before = t[i - 1];
    const std::size_t end = behind(t, i);
    if (before == "__launch_bounds__" || before == "__attribute__" || before == "__maxnreg__" ||
        before == "__cluster_dims__" || before == "alignas" || before == "__block_size__") {
      i = end - 1;
      continue;
    }
    if (!is_name(before)) return;
    SourceKernel kernel;
    kernel.name = before;
    read_parameters(t, i, end, kernel);
    summary.kernels.push_back(std::move(kernel));
    return;
  }
}

bool looks_like_type(const std::vector<std::string>& tokens) {
  return !tokens.empty() && tokens.size() <= 8 && std::all_of(tokens.begin(), tokens.end(), [](const std::string& t) {
    return is_name(t) || t == "*" || t == ":";
  });
}

class Aliases {
 public:
  explicit Aliases(SourceSummary& summary) : summary_(summary) {}
  void add(const std::string& name, std::vector<std::string> type) {
    if (!looks_like_type(type)) return;
    const auto [at, is_new] = summary_.aliases.emplace(name, type);
    if (!is_new && at->second != type) at->second = {};  // two meanings
  }

 private:
  SourceSummary& summary_;
};

void read_typedef(const std::vector<std::string>& t, std::size_t at, Aliases& aliases) {
  const auto end = static_cast<std::size_t>(std::find(t.begin() + at, t.end(), ";") - t.begin());
  if (end >= t.size() || end < at + 3 || !is_name(t[end - 1])) return;
  aliases.add(t[end - 1], {t.begin() + at + 1, t.begin() + end - 1});
}

void read_using(const std::vector<std::string>& t, std::size_t at, Aliases& aliases) {
  if (at + 3 >= t.size() || t[at + 2] != "=") return;
  const auto end = static_cast<std::size_t>(std::find(t.begin() + at, t.end(), ";") - t.begin());
  if (end < t.size()) aliases.add(t[at + 1], {t.begin() + at + 3, t.begin() + end});
}

void read_define(const std::string& line, Aliases& aliases) {
  const std::vector<std::string> t = tokenise(std::string_view(line).substr(1));
  if (t.size() < 3 || t[0] != "define") return;
  // A macro with parameters has its bracket directly behind the name.
  const std::size_t name_end = line.find(t[1], line.find("define") + 6) + t[1].size();
  if (name_end < line.size() && line[name_end] == '(') return;
  aliases.add(t[1], {t.begin() + 2, t.end()});
}

}  // namespace

std::vector<std::string> tokenise(std::string_view source, std::vector<std::string>* directives) {
  return Tokeniser(source, directives).run();
}

SourceSummary scan_source(std::string_view source) {
  SourceSummary summary;
  Aliases aliases(summary);
  std::vector<std::string> directives;
  const std::vector<std::string> tokens = tokenise(source, &directives);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == "__global__") read_kernel(tokens, i, summary);
    if (tokens[i] == "typedef") read_typedef(tokens, i, aliases);
    if (tokens[i] == "using") read_using(tokens, i, aliases);
  }
  for (const std::string& line : directives) read_define(line, aliases);
  return summary;
}

void add_macro(SourceSummary& summary, std::string_view definition) {
  const std::size_t equals = definition.find('=');
  if (equals == definition.npos) return;
  Aliases(summary).add(std::string(definition.substr(0, equals)), tokenise(definition.substr(equals + 1)));
}

const SourceKernel* SourceSummary::find(std::string_view name, std::size_t count) const {
  const SourceKernel* found = nullptr;
  const auto same = [](const SourceKernel& a, const SourceKernel& b) {
    return std::equal(
        a.parameters.begin(), a.parameters.end(), b.parameters.begin(), b.parameters.end(),
        [](const SourceParameter& p, const SourceParameter& q) { return p.type == q.type && p.name == q.name; });
  };
  for (const SourceKernel& k : kernels) {
    if (k.name != name || k.parameters.size() != count) continue;
    if (found && !same(*found, k)) return nullptr;
    found = &k;
  }
  return found;
}

}  // namespace lanza::cuda_backend
