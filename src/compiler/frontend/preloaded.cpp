#include "compiler/frontend/preloaded.hpp"

#include <clang/Lex/DependencyDirectivesScanner.h>
#include <llvm/ADT/StringExtras.h>

#include "compiler/frontend/embedded.hpp"

using namespace llvm;
namespace scan = clang::dependency_directives_scan;

namespace lanza::compiler {
namespace {

/// "<name>" of an #include, without the brackets; empty: in quotes, or from a macro.
StringRef angled_name(StringRef source, const scan::Directive& directive) {
  const StringRef line = source.substr(directive.Tokens.front().Offset).take_until([](char c) { return c == '\n'; });
  const std::size_t open = line.find('<'), close = line.find('>');
  return open < close && close != StringRef::npos ? line.slice(open + 1, close).trim() : StringRef();
}

bool is_own_header(StringRef name) {
  for (const EmbeddedFile* file = lanza_embedded_texts; file->name; ++file)
    if (StringRef(file->name).split('/').second == name) return true;
  return false;
}

/// Macros by which users switch off parts of the headers.
bool changes_headers(StringRef line) { return line.contains("CUDA_NO_") || line.contains("__lanza"); }

}  // namespace

std::string preloaded_headers(StringRef source) {
  if (!source.contains("cuda_fp16.h") && !source.contains("cuda_bf16.h")) return {};
  SmallVector<scan::Token, 64> tokens;
  SmallVector<scan::Directive, 32> directives;
  if (clang::scanSourceForDependencyDirectives(source, tokens, directives)) return {};
  std::string found;
  int depth = 0;
  for (const scan::Directive& directive : directives) {
    if (directive.Tokens.empty()) continue;
    const StringRef line = source.slice(directive.Tokens.front().Offset, directive.Tokens.back().getEnd());
    switch (directive.Kind) {
      case scan::pp_if:
      case scan::pp_ifdef:
      case scan::pp_ifndef:
        ++depth;
        break;
      case scan::pp_endif:
        --depth;
        break;
      case scan::pp_include: {
        const StringRef name = angled_name(source, directive);
        // Whatever it defines, it may change what follows.
        if (!is_own_header(name)) return found;
        if (depth > 0) break;
        if (name == "cuda_bf16.h") return "bfloat16";
        if (name == "cuda_fp16.h") found = "half";
        break;
      }
      default:
        if (changes_headers(line)) return found;
    }
  }
  return found;
}

}  // namespace lanza::compiler
