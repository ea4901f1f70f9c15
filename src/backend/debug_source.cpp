// The source text of a module compiled for debugging, as a file that debuggers find.
#include "backend/debug_source.hpp"

#include <algorithm>

#include "support/disk_cache.hpp"
#include "support/file.hpp"
#include "support/hash.hpp"
#include "support/log.hpp"

namespace lanza::backend {

std::optional<std::filesystem::path> write_debug_source(const CompileRequest& request) noexcept {
  const auto asks = [](const std::string& option) {
    return option == "-G" || option == "-g" || option == "--device-debug";
  };
  if (std::none_of(request.options.begin(), request.options.end(), asks)) return std::nullopt;
  if (request.filename.find('/') != std::string::npos) return std::nullopt;
  DiskCache& cache = DiskCache::process_wide();
  if (!cache.options().enabled || !cache.why_unusable().empty()) return std::nullopt;
  try {
    Hasher hasher;
    hasher.add("lanza debug source").add(request.filename).add(request.source);
    auto folder = cache.source_folder() / hasher.finish().hex();
    const auto file = folder / (request.filename.empty() ? "kernel.cu" : request.filename);
    std::filesystem::create_directories(folder);
    if (!std::filesystem::exists(file)) write_file_atomically(file, request.source);
    return folder;
  } catch (const std::exception& e) {
    log::warning("the source of {} cannot be written for debuggers: {}", request.filename, e.what());
    return std::nullopt;
  }
}

}  // namespace lanza::backend
