// Which files a compilation reads. NVRTC reports none, so the includes are followed here as NVRTC would, with every
// conditional block taken for true: at worst the key of the cache holds a file too many.
#pragma once

#include <string>
#include <vector>

#include "backend/backend.hpp"

namespace lanza::cuda_backend {

struct IncludeScan {
  struct Input {
    const std::string& source;
    const std::string& filename;
    const std::vector<backend::Header>& headers;  ///< of the request: found before any file
    const std::vector<std::string>& user_dirs;    ///< searched in order
    const std::vector<std::string>& cuda_dirs;    ///< searched after the host headers' stand-ins
    const std::vector<std::string>& pre_includes;
  };
  /// Files read, and paths that were probed before a file was found; relative where the compiler resolves them against
  /// the working directory.
  std::vector<backend::Dependency> dependencies;
  std::vector<std::string> host_headers;  ///< that nothing of the user's provides
  bool uses_cuda_headers = false;
  bool complete = true;  ///< false: an include whose name a macro makes cannot be followed
};

IncludeScan scan_includes(const IncludeScan::Input&);

}  // namespace lanza::cuda_backend
