// Identity of a shared object, read from its ELF notes without loading it.
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <vector>

#include "support/file.hpp"
#include "support/file_descriptor.hpp"
#include "support/hash.hpp"
#include "support/library.hpp"

namespace lanza {
namespace {

constexpr std::size_t largest_notes = 1 << 20;  // notes are some hundred bytes; more means a damaged file

bool read_at(const FileDescriptor& file, void* into, std::size_t bytes, std::uint64_t offset) {
  return ::pread(file.get(), into, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

constexpr std::size_t align4(std::size_t n) { return (n + 3) & ~std::size_t{3}; }

// The description of the NT_GNU_BUILD_ID note among these bytes.
std::optional<std::string> find_build_id(std::string_view notes) {
  Elf64_Nhdr head;
  while (notes.size() >= sizeof head) {
    std::memcpy(&head, notes.data(), sizeof head);
    const std::size_t name = sizeof head, description = name + align4(head.n_namesz);
    if (description > notes.size() || head.n_descsz > notes.size() - description) return std::nullopt;
    if (head.n_type == NT_GNU_BUILD_ID && notes.substr(name, head.n_namesz) == std::string_view("GNU\0", 4)) {
      std::string hex;
      for (const unsigned char byte : notes.substr(description, head.n_descsz)) hex += fmt::format("{:02x}", byte);
      return hex;
    }
    notes.remove_prefix(std::min(notes.size(), description + align4(head.n_descsz)));
  }
  return std::nullopt;
}

std::optional<std::string> elf_build_id(const FileDescriptor& file) {
  Elf64_Ehdr elf;
  if (!read_at(file, &elf, sizeof elf, 0) || std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
      elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_ident[EI_DATA] != ELFDATA2LSB ||
      elf.e_phentsize != sizeof(Elf64_Phdr))
    return std::nullopt;
  std::vector<Elf64_Phdr> segments(elf.e_phnum);
  if (!read_at(file, segments.data(), segments.size() * sizeof(Elf64_Phdr), elf.e_phoff)) return std::nullopt;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > largest_notes) continue;
    std::string notes(segment.p_filesz, '\0');
    if (!read_at(file, notes.data(), notes.size(), segment.p_offset)) continue;
    if (auto id = find_build_id(notes)) return id;
  }
  return std::nullopt;
}

}  // namespace

std::string build_id(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (auto id = elf_build_id(file)) return *id;
  const auto bytes = read_all(file);
  return bytes ? hash128(*bytes).hex() : std::string();
}

}  // namespace lanza
