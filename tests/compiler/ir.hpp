// LLVM IR for tests, without LLVM's headers.
#pragma once

#include <string>
#include <string_view>

namespace lanza::test {

/// The textual IR of a bitcode module. Throws std::runtime_error when it is not valid.
std::string disassemble(std::string_view bitcode);

}  // namespace lanza::test
