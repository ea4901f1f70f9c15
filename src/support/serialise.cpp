// Flat binary records: each field is a little-endian number, a text its length and bytes.
#include "support/serialise.hpp"

namespace lanza {

Writer& Writer::number(std::uint64_t value) {
  for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i));
  return *this;
}

Writer& Writer::text(std::string_view value) {
  number(value.size());
  bytes_ += value;
  return *this;
}

std::uint64_t Reader::number() {
  if (rest_.size() < 8) {
    ok_ = false;
    rest_ = {};
    return 0;
  }
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
  rest_.remove_prefix(8);
  return value;
}

std::string Reader::text() {
  const std::uint64_t size = number();
  if (size > rest_.size()) {
    ok_ = false;
    rest_ = {};
    return {};
  }
  std::string value(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return value;
}

}  // namespace lanza
