// A source that was rewritten before clang reads it, and where its characters stood before.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lanza::compiler {

class EditedText {
 public:
  explicit EditedText(std::string text) : original_(std::move(text)), now_(original_) {}

  /// What was there at first, and what is there now.
  const std::string& original() const { return original_; }
  const std::string& now() const { return now_; }
  bool is_edited() const { return !places_.empty(); }

  void insert(std::size_t offset, std::string_view what);
  void erase(std::size_t offset, std::size_t size);

  /// Where the character at `offset` of now() stood in original(); of an inserted one: what stands behind it. What was
  /// appended to now() elsewhere is beyond the end of original() too.
  std::size_t original_offset(std::size_t offset) const;

 private:
  void begin_editing();

  std::string original_, now_;
  std::vector<std::uint32_t> places_;  // of each character of now_, and of its end; empty: as it was
};

/// By the name under which clang reads them.
using EditedTexts = std::map<std::string, EditedText, std::less<>>;

}  // namespace lanza::compiler
