// The file format of the disk cache: the payload, then a trailer that tells whose it is and whether it is whole. The
// trailer stands at the end so that a shared object in the cache can be loaded as it lies.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "support/hash.hpp"

namespace lanza {

/// Magic, format version, payload size, checksum of payload, key and kind (two words): little-endian numbers of 8
/// bytes.
constexpr std::size_t cache_trailer_size = 40;
using CacheTrailer = std::array<char, cache_trailer_size>;

CacheTrailer make_cache_trailer(const Hash128& key, std::string_view kind, std::string_view payload);

/// Size of the payload of a whole file of the cache, when the file is intact and of this key and kind.
std::optional<std::size_t> verify_cache_file(const Hash128& key, std::string_view kind, std::string_view file);

}  // namespace lanza
