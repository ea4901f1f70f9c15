// A clang compiler set up for device code, the same for the PCH and for what uses it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <clang/Frontend/CompilerInstance.h>

#include "compiler/frontend/files.hpp"

namespace lanza::compiler {

/// cc1's arguments that fix the language: a PCH and its users must agree on them.
std::vector<std::string> language_arguments(const std::string& standard);

/// Takes `client` over. Null when cc1 refuses an argument; the client has been told.
std::unique_ptr<clang::CompilerInstance> make_instance(const std::vector<std::string>& arguments, const Files& files,
                                                       std::unique_ptr<clang::DiagnosticConsumer> client);

}  // namespace lanza::compiler
