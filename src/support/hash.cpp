// XXH3 behind the project's own types.
#include "support/hash.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

namespace lanza {
namespace {

// Numbers and texts never hash alike: each field starts with its tag.
enum : std::uint64_t { text_tag = 0x74, number_tag = 0x6e };

Hash128 from(XXH128_hash_t h) { return {h.high64, h.low64}; }

}  // namespace

std::string Hash128::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

Hash128 hash128(std::string_view bytes) noexcept { return from(XXH3_128bits(bytes.data(), bytes.size())); }

struct Hasher::State {
  XXH3_state_t xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }
Hasher::~Hasher() = default;

Hasher& Hasher::add(std::string_view field) {
  const std::uint64_t head[2] = {text_tag, field.size()};
  XXH3_128bits_update(&state_->xxh, head, sizeof head);
  XXH3_128bits_update(&state_->xxh, field.data(), field.size());
  return *this;
}

Hasher& Hasher::add(std::uint64_t number) {
  const std::uint64_t field[2] = {number_tag, number};
  XXH3_128bits_update(&state_->xxh, field, sizeof field);
  return *this;
}

Hash128 Hasher::finish() const { return from(XXH3_128bits_digest(&state_->xxh)); }

}  // namespace lanza
