// Flat binary records for the disk cache: little-endian numbers and length-prefixed strings. Reading never trusts the
// bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanza {

class Writer {
 public:
  Writer& number(std::uint64_t value);
  Writer& text(std::string_view value);
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// After a failed read ok() is false and every further value is 0 or empty.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t number();
  std::string text();
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace lanza
