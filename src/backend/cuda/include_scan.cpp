// NVRTC's order of search, as observed with 12.x and 13.x: headers in memory by their exact name, the including file's
// directory (for quotes), then the include directories.
#include "backend/cuda/include_scan.hpp"

#include <algorithm>
#include <cctype>
#include <deque>
#include <filesystem>
#include <map>
#include <set>

#include "backend/cuda/host_headers.hpp"
#include "backend/cuda/source_scan.hpp"
#include "support/file.hpp"

namespace lanza::cuda_backend {
namespace {

namespace fs = std::filesystem;

struct Include {
  std::string name;
  bool quoted = false;
  bool readable = true;  ///< false: a macro
};

constexpr std::string_view blank = " \t";

std::string_view skip_blank(std::string_view text) {
  const std::size_t at = text.find_first_not_of(blank);
  return at == text.npos ? std::string_view() : text.substr(at);
}

/// "name" or <name> at the start of the text.
bool read_name(std::string_view text, Include& include) {
  if (text.empty() || (text[0] != '"' && text[0] != '<')) return false;
  include.quoted = text[0] == '"';
  const std::size_t end = text.find(include.quoted ? '"' : '>', 1);
  if (end == text.npos) return false;
  include.name = text.substr(1, end - 1);
  return true;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// __has_include, and macros around it that are named for it, as libraries do: _CCCL_HAS_INCLUDE.
bool asks_for_header(std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower.find("has_include") != lower.npos;
}

/// The headers that a line asks for.
void read_questions(std::string_view line, std::vector<Include>& includes) {
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = at;
    while (at < line.size() && is_word(line[at])) ++at;
    if (at == begin) {
      ++at;
      continue;
    }
    const std::string_view inside = skip_blank(line.substr(at));
    if (!asks_for_header(line.substr(begin, at - begin)) || inside.empty() || inside[0] != '(') continue;
    Include include;
    include.readable = read_name(skip_blank(inside.substr(1)), include);
    includes.push_back(std::move(include));
  }
}

/// What a preprocessor line includes or asks for.
void read_directive(std::string_view line, std::vector<Include>& includes) {
  std::string_view rest = skip_blank(line.substr(1));
  for (const std::string_view word : {"include_next", "include", "import"}) {
    if (rest.substr(0, word.size()) != word) continue;
    Include include;
    include.readable = read_name(skip_blank(rest.substr(word.size())), include);
    includes.push_back(std::move(include));
    return;
  }
  if (rest.substr(0, 6) != "define") return read_questions(rest, includes);
  // A macro that asks: its uses are found by its name, if that says so.
  rest = skip_blank(rest.substr(6));
  const std::size_t name_end =
      static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_word) - rest.begin());
  if (!asks_for_header(rest.substr(0, name_end))) read_questions(rest, includes);
}

class Scan {
 public:
  Scan(const IncludeScan::Input& input, IncludeScan& result) : input_(input), result_(result) {}

  void run() {
    for (const std::string& name : input_.pre_includes) resolve({name, true, true}, directory_of(input_.filename));
    visit(input_.source, directory_of(input_.filename));
    while (!pending_.empty()) {
      const Pending next = std::move(pending_.front());
      pending_.pop_front();
      visit(next.text, next.directory);
    }
    for (auto& [path, present] : seen_) result_.dependencies.push_back({path, present});
  }

 private:
  struct Pending {
    std::string text;
    fs::path directory;
  };

  static fs::path directory_of(const std::string& file) { return fs::path(file).parent_path(); }

  void visit(const std::string& text, const fs::path& directory) {
    std::vector<std::string> directives;
    tokenise(text, &directives);
    std::vector<Include> includes;
    for (const std::string& line : directives) read_directive(line, includes);
    for (const Include& include : includes) {
      if (include.readable)
        resolve(include, directory);
      else
        result_.complete = false;
    }
  }

  void resolve(const Include& include, const fs::path& directory) {
    for (const backend::Header& h : input_.headers) {
      if (h.name != include.name) continue;
      if (in_memory_.insert(h.name).second) pending_.push_back({h.text, directory_of(h.name)});
      return;
    }
    if (fs::path(include.name).is_absolute()) {
      probe(include.name);
      return;
    }
    if (include.quoted && probe(directory / include.name)) return;
    for (const std::string& dir : input_.user_dirs)
      if (probe(fs::path(dir) / include.name)) return;
    if (is_host_header(include.name)) {
      if (in_memory_.insert(include.name).second) result_.host_headers.push_back(include.name);
      return;
    }
    for (const std::string& dir : input_.cuda_dirs) {
      if (!probe(fs::path(dir) / include.name)) continue;
      result_.uses_cuda_headers = true;
      return;
    }
  }

  /// Notes whether the file is there; the first time it is, its includes follow.
  bool probe(const fs::path& path) {
    const std::string name = path.string();
    if (const auto at = seen_.find(name); at != seen_.end()) return at->second;
    std::error_code error;
    const bool present = fs::is_regular_file(path, error);
    seen_[name] = present;
    if (!present) return false;
    if (auto text = read_file(path)) pending_.push_back({std::move(*text), path.parent_path()});
    return true;
  }

  const IncludeScan::Input& input_;
  IncludeScan& result_;
  std::deque<Pending> pending_;
  std::map<std::string, bool> seen_;
  std::set<std::string> in_memory_;
};

}  // namespace

IncludeScan scan_includes(const IncludeScan::Input& input) {
  IncludeScan result;
  Scan(input, result).run();
  return result;
}

}  // namespace lanza::cuda_backend
