// From CUDA C++ source to a loaded module.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lanza/module.hpp>

namespace lanza {

struct CompileOptions {
  std::string filename = "kernel.cu";  ///< as messages name the source
  std::optional<Device> device{};      ///< default: current_device()
  std::vector<std::string> names{};    ///< name expressions to instantiate: "axpy<float>"
  std::vector<std::string> options{};  ///< NVRTC's spelling: "-DN=4", "-std=c++20", "--use_fast_math"
  std::vector<std::filesystem::path> include_dirs{};
  std::map<std::string, std::string> headers{};  ///< text by the name that #include uses
  bool cache = true;                             ///< keep the result in, and take it from, the disk cache
};

/// Compiles CUDA C++ for the device and loads it in the device's context (Device::context()).
/// Throws CompileError (file, line, column, the compiler's log), Unavailable when there is no compiler. Thread-safe.
LANZA_API Module compile(std::string_view source, const CompileOptions& = {});

/// The same from a file; its path names the source unless the options do, and its directory is searched for `#include
/// "..."`. Throws also NotFound.
LANZA_API Module load(const std::filesystem::path&, const CompileOptions& = {});

}  // namespace lanza
