// The sentence about a kernel that ended by a fault, an assertion or a trap.
#pragma once

#include <cstdint>
#include <string>

#include "backend/cpu/block_state.hpp"

namespace lanza::executor {

/// The file of the source that an instruction of a kernel comes from; empty: unknown.
std::string source_file_of(std::uintptr_t instruction);
/// "invalid read of address 0x10 (a null pointer?) in block (3,0,0), thread (5,0,0): kernel.cu:7"
std::string describe_fault(const BlockState& block, const Fault& fault);
/// "assertion `i < n` failed in block (3,0,0), thread (5,0,0): kernel.cu:7, void k(int*, int)". `instruction` is one of
/// the kernel's, for when `file` is null; so may the other strings be.
std::string describe_failure(const BlockState& block, std::uint32_t failure, const char* message, const char* file,
                             std::uint32_t line, const char* function, std::uintptr_t instruction);

}  // namespace lanza::executor
