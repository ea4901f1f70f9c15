// Finds and loads the compiler plug-in. Part of liblanza; knows the plug-in only through interface.h.
#pragma once

#include <string>
#include <vector>

#include "compiler/interface.h"

namespace lanza::compiler {

/// The plug-in, loaded at the first call: LANZA_COMPILER, else beside liblanza (lanza/liblanza-compiler.so,
/// liblanza-compiler.so), with RTLD_LOCAL. Throws Unavailable: not found (and where it was looked for), of another
/// version, or not loadable.
const LanzaCompiler& plugin();
/// True once plugin() has loaded it.
bool loaded() noexcept;
/// Version of the plug-in that this build expects: a digest of the compiler's sources, LLVM's version and the
/// interface. For cache keys.
const char* expected_version() noexcept;
/// What was looked for, a line each.
std::vector<std::string> diagnosis();

}  // namespace lanza::compiler
