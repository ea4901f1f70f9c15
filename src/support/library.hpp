// Shared libraries found and loaded at run time, with a record of every place that was tried.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <lanza/export.hpp>

namespace lanza {

/// A loaded library. Never unloaded: drivers and compilers do not survive it.
class Library {
 public:
  /// Symbol or null.
  void* symbol(const char* name) const noexcept;
  template <class F>
  F* function(const char* name) const noexcept {
    return reinterpret_cast<F*>(symbol(name));
  }
  const std::string& path() const { return path_; }  ///< as the loader resolved it

 private:
  friend struct LibrarySearch;
  void* handle_ = nullptr;
  std::string path_;
};

/// Where to look for a library, in this order: the environment variable (a file; nothing else is tried when it is set),
/// already loaded in the process, pip wheels beside the running Python's packages, conda ($CONDA_PREFIX/lib), the
/// system's loader, CUDA_HOME and CUDA_PATH.
struct LibrarySearch {
  std::string environment;                 ///< variable naming a file: "LANZA_NVRTC"
  std::vector<std::string> names;          ///< file names, best first: "libnvrtc.so.13"
  std::vector<std::string> wheel_folders;  ///< below site-packages: "nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"
  bool toolkit = true;                     ///< also CUDA_HOME/lib64, CUDA_PATH/lib64, /usr/local/cuda/lib64

  struct Result {
    std::shared_ptr<const Library> library;  ///< null: not found
    std::vector<std::string> attempts;       ///< a line each: "/usr/lib/libcuda.so.1: cannot open shared object file"
  };
  Result run() const;
  /// The path that run() would load where it can be told without loading (for version keys); empty when there is none.
  std::filesystem::path locate() const;
};

/// The directories searched for wheels: site-packages of the running interpreter, given once by the Python binding, and
/// PYTHONPATH.
LANZA_API void add_wheel_directory(std::filesystem::path site_packages);

/// The GNU build id of an ELF file as hex digits, read without loading it; a hash of the file where it has none; empty
/// when unreadable.
std::string build_id(const std::filesystem::path&);

/// Path of the shared object or executable that holds this code (liblanza.so itself, or the program it is linked into).
std::filesystem::path own_library_path();

}  // namespace lanza
