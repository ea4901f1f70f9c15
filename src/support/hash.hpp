// 128-bit content hashes (xxHash's XXH3) for cache keys.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace lanza {

struct Hash128 {
  std::uint64_t high = 0, low = 0;
  std::string hex() const;  ///< 32 lower-case digits
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};

Hash128 hash128(std::string_view bytes) noexcept;

/// Hash of a sequence of fields. Each is hashed with its length, so that ("ab", "c") and ("a", "bc") differ.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  Hasher& add(std::string_view field);
  Hasher& add(std::uint64_t number);
  Hash128 finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lanza
