// A kernel's parameter list as people read it.
#include <fmt/format.h>

#include <iterator>
#include <lanza/signature.hpp>

namespace lanza {

std::string to_string(std::string_view kernel, const Signature& signature) {
  std::string text{kernel};
  text += '(';
  if (!signature.known) return text + "...)";
  for (const char* separator = ""; const Parameter& p : signature.parameters) {
    text += separator;
    separator = ", ";
    if (p.type.empty())
      fmt::format_to(std::back_inserter(text), "<{} bytes>", p.size);
    else
      text += p.type;
    if (!p.name.empty()) (text += ' ') += p.name;
  }
  return text + ')';
}

}  // namespace lanza
