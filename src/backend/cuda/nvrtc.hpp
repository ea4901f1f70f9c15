// NVRTC, NVIDIA's run-time compiler: found, loaded at first use, and wrapped.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "support/library.hpp"

namespace lanza::cuda_backend {

/// A loaded NVRTC. Thread-safe.
class Nvrtc {
 public:
  struct Input {
    std::string source, filename;
    std::vector<backend::Header> headers;
    std::vector<std::string> options, names;
  };
  struct Output {
    bool ok = false;
    std::string log, ptx, cubin;
    std::vector<std::string> symbols;  ///< for each name expression
  };

  /// Loads it at the first call. Throws Unavailable, with the places that were searched.
  static const Nvrtc& load();
  /// The file that load() would load; empty: none. Loads nothing.
  static std::filesystem::path locate();
  /// What was or would be searched, a line each.
  static std::vector<std::string> diagnosis();

  int version() const { return major_ * 10 + minor_; }  ///< 130 for 13.0
  std::string name() const;                             ///< "NVRTC 13.0"
  /// Compute capabilities that it compiles for, ascending: 75, 80, 90.
  const std::vector<int>& architectures() const { return architectures_; }
  Output compile(const Input&) const;

 private:
  struct Routines;
  explicit Nvrtc(const Library&);
  std::shared_ptr<const Routines> routines_;
  int major_ = 0, minor_ = 0;
  std::vector<int> architectures_;
};

/// Directories with CUDA's own headers (cuda_fp16.h, cooperative_groups.h) that belong to the NVRTC found, or to a
/// toolkit.
std::vector<std::string> cuda_include_dirs();

}  // namespace lanza::cuda_backend
