#include "compiler/frontend/edited_text.hpp"

#include <numeric>

namespace lanza::compiler {

void EditedText::begin_editing() {
  if (is_edited()) return;
  places_.resize(now_.size() + 1);
  std::iota(places_.begin(), places_.end(), 0u);
}

void EditedText::insert(std::size_t offset, std::string_view what) {
  begin_editing();
  const std::uint32_t place = places_[offset];
  now_.insert(offset, what);
  places_.insert(places_.begin() + static_cast<std::ptrdiff_t>(offset), what.size(), place);
}

void EditedText::erase(std::size_t offset, std::size_t size) {
  begin_editing();
  now_.erase(offset, size);
  const auto first = places_.begin() + static_cast<std::ptrdiff_t>(offset);
  places_.erase(first, first + static_cast<std::ptrdiff_t>(size));
}

std::size_t EditedText::original_offset(std::size_t offset) const {
  if (!is_edited()) return offset;
  if (offset < places_.size()) return places_[offset];
  return original_.size() + (offset - now_.size());
}

}  // namespace lanza::compiler
