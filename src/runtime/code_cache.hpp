// Compiled code on disk, in two levels. The first key is of all that the caller gave (source, options, ...) and of the
// compiler; it finds a manifest: the files that the compiler read, and those that it looked for in vain. Their contents
// now make the second key, that of the code. So a file that changed, appeared or vanished changes the key.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "backend/backend.hpp"
#include "support/disk_cache.hpp"

namespace lanza::detail {

class CodeCache {
 public:
  /// `target`: the kind of device; `compiler`: backend::Device::compiler_identity().
  CodeCache(DiskCache&, const backend::CompileRequest&, std::string_view target, std::string_view compiler);

  /// The code, or nothing: never compiled, something changed, or what is on disk is not right.
  std::optional<backend::Code> find();
  /// Keeps a result, unless it is not cacheable or one of its files was written since `began` (what was compiled may
  /// not be what is there now). Never throws for anything on disk.
  void store(const backend::CompileResult&, std::filesystem::file_time_type began);

 private:
  DiskCache& disk_;
  Hash128 key_;
};

std::string serialise(const backend::Code&);
/// Nothing when the bytes are no code of this version.
std::optional<backend::Code> deserialise(std::string_view bytes);

}  // namespace lanza::detail
