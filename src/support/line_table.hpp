// Which line of the source an instruction comes from, by the line table of an ELF file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanza {

struct SourceLine {
  std::string file;  ///< as the compiler was given it
  unsigned line = 0;
};

/// The line that the instruction at `address` (as in the file: before relocation) comes from. `elf` is a whole 64-bit
/// little-endian ELF file whose .debug_line is that of DWARF 5. Nothing: it has no such table, or the table no such
/// address, or it is damaged.
std::optional<SourceLine> find_line(std::string_view elf, std::uint64_t address);

}  // namespace lanza
