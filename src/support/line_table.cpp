// Reads .debug_line as the DWARF 5 standard describes it in section 6.2: a program whose output is a table of rows,
// from address to line.
#include "support/line_table.hpp"

#include <elf.h>

#include <cstring>
#include <vector>

namespace lanza {
namespace {

// Of the DWARF 5 standard, sections 7.5.6 and 7.22.
enum Form : std::uint64_t {
  kFormBlock = 0x09,
  kFormData1 = 0x0b,
  kFormData2 = 0x05,
  kFormData4 = 0x06,
  kFormData8 = 0x07,
  kFormData16 = 0x1e,
  kFormUdata = 0x0f,
  kFormString = 0x08,
  kFormLineStrp = 0x1f,
  kFormStrp = 0x0e
};
enum Content : std::uint64_t { kPath = 1, kDirectoryIndex = 2 };
enum Operation : std::uint8_t {
  kExtended = 0,
  kCopy,
  kAdvancePc,
  kAdvanceLine,
  kSetFile,
  kSetColumn,
  kNegateStatement,
  kBasicBlock,
  kConstAddPc,
  kFixedAdvancePc
};
enum ExtendedOperation : std::uint8_t { kEndSequence = 1, kSetAddress = 2 };

/// A cursor that answers zeros once it has left its bytes.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool good() const { return good_; }
  bool at_end() const { return !good_ || bytes_.empty(); }

  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size()) good_ = false;
    if (!good_) return {};
    const auto part = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return part;
  }
  std::uint64_t number(std::size_t size) {
    const auto bytes = take(size);
    std::uint64_t value = 0;
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint64_t byte = number(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if (!(byte & 0x80)) return value;
    }
  }
  std::int64_t sleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const std::uint64_t byte = number(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      shift += 7;
      if (byte & 0x80) continue;
      if ((byte & 0x40) && shift < 64) value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
  }
  std::string_view text() {
    const auto end = bytes_.find('\0');
    if (end == std::string_view::npos) good_ = false;
    const auto found = take(good_ ? end : 0);
    take(1);
    return found;
  }

 private:
  std::string_view bytes_;
  bool good_ = true;
};

struct Sections {
  std::string_view lines, line_strings, strings;
};

template <class T>
T read_struct(std::string_view bytes, std::uint64_t offset) {
  T value{};
  if (offset <= bytes.size() && sizeof value <= bytes.size() - offset)
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string_view part_of(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset ? bytes.substr(offset, size) : std::string_view();
}

std::string_view string_at(std::string_view strings, std::uint64_t offset) {
  return offset < strings.size() ? Reader(strings.substr(offset)).text() : std::string_view();
}

Sections sections_of(std::string_view elf) {
  const auto header = read_struct<Elf64_Ehdr>(elf, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return {};
  const auto section = [&](std::uint64_t i) {
    return read_struct<Elf64_Shdr>(elf, header.e_shoff + i * sizeof(Elf64_Shdr));
  };
  const auto name_table = section(header.e_shstrndx);
  const auto names = part_of(elf, name_table.sh_offset, name_table.sh_size);
  Sections found;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto s = section(i);
    if (s.sh_type == SHT_NOBITS || (s.sh_flags & SHF_COMPRESSED)) continue;
    const auto name = string_at(names, s.sh_name);
    const auto bytes = part_of(elf, s.sh_offset, s.sh_size);
    if (name == ".debug_line") found.lines = bytes;
    if (name == ".debug_line_str") found.line_strings = bytes;
    if (name == ".debug_str") found.strings = bytes;
  }
  return found;
}

/// The line program of one compilation unit.
class LineProgram {
 public:
  LineProgram(const Sections& sections, Reader& reader) : sections_(sections) {
    std::size_t offset_size = 4;
    std::uint64_t size = reader.number(4);
    if (size == 0xffffffff) size = reader.number(8), offset_size = 8;
    Reader unit(reader.take(size));
    if (unit.number(2) != 5) return;  // another version: its files are numbered otherwise
    address_size_ = unit.number(1);
    unit.number(1);
    offset_size_ = offset_size;
    Reader header(unit.take(unit.number(offset_size)));
    least_length_ = header.number(1);
    header.number(1);  // operations of one instruction: 1 but for VLIW machines
    header.number(1);
    line_base_ = static_cast<std::int8_t>(header.number(1));
    line_range_ = header.number(1);
    opcode_base_ = header.number(1);
    for (std::uint64_t i = 1; i < opcode_base_ && header.good(); ++i) operands_.push_back(header.number(1));
    for (const auto& folder : entries(header)) folders_.push_back(folder.path);
    files_ = entries(header);
    if (header.good() && line_range_ != 0) program_ = unit;
  }

  std::optional<SourceLine> find(std::uint64_t wanted) {
    Row row, last;
    bool in_sequence = false;  // `last` is a row of this sequence
    while (!program_.at_end()) {
      const Step step = advance(row);
      if (step == Step::Nothing) continue;
      // A row holds up to the next one. Line 0 is code of no line: what stands before it is nearer than nothing.
      if (in_sequence && last.address <= wanted && wanted < row.address) {
        if (last.line == 0) return std::nullopt;
        return SourceLine{file_name(last.file), static_cast<unsigned>(last.line)};
      }
      if (step == Step::EndOfSequence) {
        row = Row();
        in_sequence = false;
        continue;
      }
      const Row nearest = last;
      last = row;
      if (row.line == 0 && in_sequence) last.line = nearest.line, last.file = nearest.file;
      in_sequence = true;
    }
    return std::nullopt;
  }

 private:
  struct Row {
    std::uint64_t address = 0, file = 1, line = 1;
  };
  struct Entry {
    std::string_view path;
    std::uint64_t folder = 0;
  };
  enum class Step { Nothing, Row, EndOfSequence };

  std::vector<Entry> entries(Reader& header) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> formats(header.number(1));
    for (auto& [content, form] : formats) content = header.uleb(), form = header.uleb();
    std::vector<Entry> list;
    for (std::uint64_t count = formats.empty() ? 0 : header.uleb(); count && header.good(); --count) {
      Entry entry;
      for (const auto& [content, form] : formats) {
        const Value value = take(header, form);
        if (content == kPath) entry.path = value.text;
        if (content == kDirectoryIndex) entry.folder = value.number;
      }
      list.push_back(entry);
    }
    return list;
  }

  struct Value {
    std::string_view text;
    std::uint64_t number = 0;
  };
  Value take(Reader& r, std::uint64_t form) const {
    switch (form) {
      case kFormString:
        return {r.text()};
      case kFormLineStrp:
        return {string_at(sections_.line_strings, r.number(offset_size_))};
      case kFormStrp:
        return {string_at(sections_.strings, r.number(offset_size_))};
      case kFormUdata:
        return {{}, r.uleb()};
      case kFormData1:
        return {{}, r.number(1)};
      case kFormData2:
        return {{}, r.number(2)};
      case kFormData4:
        return {{}, r.number(4)};
      case kFormData8:
        return {{}, r.number(8)};
      case kFormData16:
        return r.take(16), Value{};
      case kFormBlock:
        return r.take(r.uleb()), Value{};
      default:
        return r.take(~std::uint64_t{0}), Value{};  // unknown, so is where the next one begins
    }
  }

  // One operation of the program.
  Step advance(Row& row) {
    const std::uint64_t code = program_.number(1);
    if (code >= opcode_base_) {
      const std::uint64_t both = code - opcode_base_;
      row.address += both / line_range_ * least_length_;
      row.line += static_cast<std::uint64_t>(line_base_ + static_cast<std::int64_t>(both % line_range_));
      return Step::Row;
    }
    switch (code) {
      case kExtended:
        return extended(row);
      case kCopy:
        return Step::Row;
      case kAdvancePc:
        row.address += program_.uleb() * least_length_;
        break;
      case kAdvanceLine:
        row.line += static_cast<std::uint64_t>(program_.sleb());
        break;
      case kSetFile:
        row.file = program_.uleb();
        break;
      case kConstAddPc:
        row.address += (255 - opcode_base_) / line_range_ * least_length_;
        break;
      case kFixedAdvancePc:
        row.address += program_.number(2);
        break;
      default:
        for (std::uint64_t n = operands_[code - 1]; n && program_.good(); --n) program_.uleb();
    }
    return Step::Nothing;
  }

  Step extended(Row& row) {
    Reader operation(program_.take(program_.uleb()));
    const std::uint64_t code = operation.number(1);
    if (code == kSetAddress) row.address = operation.number(address_size_);
    return code == kEndSequence ? Step::EndOfSequence : Step::Nothing;
  }

  std::string file_name(std::uint64_t index) const {
    if (index >= files_.size()) return {};
    const Entry& file = files_[index];
    // Folder 0 is where the compiler ran.
    if (file.folder == 0 || file.folder >= folders_.size() || file.path.starts_with('/')) return std::string(file.path);
    const auto folder = folders_[file.folder];
    if (folder.empty() || folder == ".") return std::string(file.path);
    return std::string(folder) + '/' + std::string(file.path);
  }

  const Sections& sections_;
  std::size_t offset_size_ = 4;
  std::uint64_t address_size_ = 8, least_length_ = 1, line_range_ = 1, opcode_base_ = 13;
  std::int64_t line_base_ = 0;
  std::vector<std::uint64_t> operands_;
  std::vector<std::string_view> folders_;
  std::vector<Entry> files_;
  Reader program_{{}};
};

}  // namespace

std::optional<SourceLine> find_line(std::string_view elf, std::uint64_t address) {
  const Sections sections = sections_of(elf);
  for (Reader lines(sections.lines); !lines.at_end();) {
    if (auto line = LineProgram(sections, lines).find(address)) return line;
  }
  return std::nullopt;
}

}  // namespace lanza
