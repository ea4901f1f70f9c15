#include "runtime/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

namespace lanza::detail {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)); }

// "ns::axpy<float>" as "ns::axpy".
std::string_view without_template_arguments(std::string_view name) { return name.substr(0, name.find('<')); }

bool is_suffix_of_path(std::string_view path, std::string_view name) {
  if (path == name) return true;
  return path.ends_with(name) && path.substr(0, path.size() - name.size()).ends_with("::");
}

std::string with_types(const backend::KernelInfo& kernel) {
  std::string text = kernel.name + '(';
  for (const char* separator = ""; const Parameter& p : kernel.signature.parameters) {
    text += separator + p.type;
    separator = ", ";
  }
  return text + ')';
}
std::string with_types(const backend::VariableInfo& variable) { return variable.name; }

// The entries for which `fits` holds: nothing, one, or an error that lists them.
template <class Entry, class Fits>
std::optional<std::size_t> only_one(const std::vector<Entry>& entries, std::string_view name, std::string_view where,
                                    Fits fits) {
  std::optional<std::size_t> found;
  std::vector<std::string> candidates;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!fits(entries[i])) continue;
    found = i;
    candidates.push_back(with_types(entries[i]));
  }
  if (candidates.size() < 2) return found;
  throw InvalidArgument(
      fmt::format("'{}' is ambiguous in {}; it may be: {}", name, where, fmt::join(candidates, ", ")));
}

template <class Entry>
std::optional<std::size_t> find(const std::vector<Entry>& entries, std::string_view name, std::string_view where) {
  const std::string canonical = canonical_name(name);
  if (canonical.empty()) return std::nullopt;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& e = entries[i];
    if (e.symbol == canonical || (!e.expression.empty() && canonical_name(e.expression) == canonical)) return i;
  }
  auto found = only_one(entries, name, where, [&](const Entry& e) { return canonical_name(e.name) == canonical; });
  if (found) return found;
  found = only_one(entries, name, where, [&](const Entry& e) { return canonical_name(with_types(e)) == canonical; });
  if (found || canonical.find_first_of("<(") != std::string::npos) return found;
  return only_one(entries, name, where,
                  [&](const Entry& e) { return is_suffix_of_path(without_template_arguments(e.name), canonical); });
}

template <class Entry>
std::string list_of(const std::vector<Entry>& entries) {
  std::vector<std::string_view> names;
  for (const Entry& e : entries) names.push_back(e.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string canonical_name(std::string_view name) {
  while (name.starts_with('&') || name.starts_with("::") || (!name.empty() && is_space(name.front()))) {
    name.remove_prefix(name.starts_with("::") ? 2 : 1);
  }
  std::string text;
  bool space = false;
  for (const char c : name) {
    if (is_space(c)) {
      space = true;
      continue;
    }
    if (space && !text.empty() && is_word(text.back()) && is_word(c)) text += ' ';
    space = false;
    text += c;
  }
  return text;
}

std::optional<std::size_t> find_kernel(const std::vector<backend::KernelInfo>& kernels, std::string_view name,
                                       std::string_view where) {
  return find(kernels, name, where);
}

std::optional<std::size_t> find_variable(const std::vector<backend::VariableInfo>& variables, std::string_view name,
                                         std::string_view where) {
  return find(variables, name, where);
}

void throw_no_kernel(const std::vector<backend::KernelInfo>& kernels, std::string_view name, std::string_view where,
                     std::string_view reason) {
  const std::string why = reason.empty() ? "" : fmt::format(" ({})", reason);
  if (kernels.empty())
    throw NotFound(
        fmt::format("no kernel '{}' in {}{}; it has no kernels; templates need names = \"{}<...>\" when it "
                    "is compiled",
                    name, where, why, name));
  throw NotFound(fmt::format("no kernel '{}' in {}{}; it has: {}", name, where, why, list_of(kernels)));
}

void throw_no_variable(const std::vector<backend::VariableInfo>& variables, std::string_view name,
                       std::string_view where) {
  if (variables.empty()) throw NotFound(fmt::format("no variable '{}' in {}; it has no variables", name, where));
  throw NotFound(fmt::format("no variable '{}' in {}; it has: {}", name, where, list_of(variables)));
}

}  // namespace lanza::detail
