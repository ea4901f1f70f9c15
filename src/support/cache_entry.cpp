// Trailers made and checked.
#include "support/cache_entry.hpp"

#include <algorithm>
#include <string>

#include "support/serialise.hpp"

namespace lanza {
namespace {

constexpr std::uint64_t magic = 0x3168'6361'7a6e'616c;  // "lanzach1" in the file
constexpr std::uint64_t version = 1;

}  // namespace

CacheTrailer make_cache_trailer(const Hash128& key, std::string_view kind, std::string_view payload) {
  const Hash128 content = hash128(payload);
  const Hash128 sum = Hasher().add(key.high).add(key.low).add(kind).add(content.high).add(content.low).finish();
  const std::string bytes =
      Writer().number(magic).number(version).number(payload.size()).number(sum.high).number(sum.low).take();
  CacheTrailer trailer;
  std::copy(bytes.begin(), bytes.end(), trailer.begin());
  return trailer;
}

std::optional<std::size_t> verify_cache_file(const Hash128& key, std::string_view kind, std::string_view file) {
  if (file.size() < cache_trailer_size) return std::nullopt;
  const std::string_view payload = file.substr(0, file.size() - cache_trailer_size);
  const std::string_view trailer = file.substr(payload.size());
  Reader reader(trailer);
  if (reader.number() != magic || reader.number() != version || reader.number() != payload.size()) return std::nullopt;
  const CacheTrailer expected = make_cache_trailer(key, kind, payload);
  if (!std::equal(trailer.begin(), trailer.end(), expected.begin())) return std::nullopt;
  return payload.size();
}

}  // namespace lanza
