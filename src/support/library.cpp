// The search for libraries: every place in turn, and what each answered.
#include "support/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <mutex>

#include "support/environment.hpp"
#include "support/linker_cache.hpp"
#include "support/text.hpp"

namespace lanza {
namespace {

namespace fs = std::filesystem;

struct WheelDirectories {
  std::mutex mutex;
  std::vector<fs::path> given;
};
WheelDirectories& wheel_directories() {
  static WheelDirectories& directories = *new WheelDirectories;  // used until the process ends
  return directories;
}

// <prefix>/lib/python3.x/site-packages of a virtual or conda environment.
void add_site_packages(const std::string& prefix, std::vector<fs::path>& into) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(prefix) / "lib", error))
    if (entry.path().filename().string().starts_with("python3")) into.push_back(entry.path() / "site-packages");
}

std::vector<fs::path> all_wheel_directories() {
  std::vector<fs::path> all;
  {
    auto& directories = wheel_directories();
    const std::lock_guard lock(directories.mutex);
    all = directories.given;
  }
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const auto prefix = environment(variable)) add_site_packages(*prefix, all);
  const std::string path = environment("PYTHONPATH").value_or("");
  for (const std::string_view entry : split(path, ':'))
    if (!entry.empty()) all.emplace_back(entry);
  return all;
}

// Files that come before the system's loader.
std::vector<fs::path> package_files(const LibrarySearch& search) {
  std::vector<fs::path> files;
  for (const fs::path& site_packages : search.wheel_folders.empty() ? std::vector<fs::path>() : all_wheel_directories())
    for (const auto& folder : search.wheel_folders)
      for (const auto& name : search.names) files.push_back(site_packages / folder / name);
  if (const auto conda = environment("CONDA_PREFIX"))
    for (const auto& name : search.names) files.push_back(fs::path(*conda) / "lib" / name);
  return files;
}

// Files that come after it.
std::vector<fs::path> toolkit_files(const LibrarySearch& search) {
  std::vector<fs::path> files;
  if (!search.toolkit) return files;
  std::vector<fs::path> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto root = environment(variable)) roots.emplace_back(*root);
  roots.emplace_back("/usr/local/cuda");
  for (const fs::path& root : roots)
    for (const auto& name : search.names) files.push_back(root / "lib64" / name);
  return files;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::string path_of(void* handle) {
  const link_map* map = nullptr;
  return ::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map ? map->l_name : "";
}

// What dlopen said; it names the file, mostly.
std::string failure(const std::string& name) {
  const char* text = ::dlerror();
  const std::string reason = text ? text : "cannot be loaded";
  return reason.starts_with(name) ? reason : fmt::format("{}: {}", name, reason);
}

// One search in progress: remembers each attempt, stops at the first handle.
struct Attempt {
  std::vector<std::string>& lines;
  void* handle = nullptr;

  bool already_loaded(const std::string& name) {
    handle = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle) lines.push_back(fmt::format("{}: already loaded in this process", path_of(handle)));
    return handle;
  }
  bool open(const std::string& name, std::string_view origin) {
    handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    lines.push_back(handle ? fmt::format("{}: loaded ({})", path_of(handle), origin)
                           : fmt::format("{} ({})", failure(name), origin));
    return handle;
  }
  bool open_file(const fs::path& file, std::string_view origin) {
    if (is_there(file)) return open(file.string(), origin);
    lines.push_back(fmt::format("{}: no such file ({})", file.string(), origin));
    return false;
  }
};

bool search_all(const LibrarySearch& search, Attempt& attempt) {
  if (const auto file = search.environment.empty() ? std::nullopt : environment(search.environment.c_str()))
    return attempt.open(*file, search.environment);
  for (const auto& name : search.names)
    if (attempt.already_loaded(name)) return true;
  for (const auto& file : package_files(search))
    if (attempt.open_file(file, "Python package or conda")) return true;
  for (const auto& name : search.names)
    if (attempt.open(name, "system")) return true;
  for (const auto& file : toolkit_files(search))
    if (attempt.open_file(file, "CUDA toolkit")) return true;
  return false;
}

}  // namespace

void* Library::symbol(const char* name) const noexcept { return handle_ ? ::dlsym(handle_, name) : nullptr; }

LibrarySearch::Result LibrarySearch::run() const {
  Result result;
  Attempt attempt{result.attempts};
  if (!search_all(*this, attempt)) return result;
  auto library = std::make_shared<Library>();
  library->handle_ = attempt.handle;
  library->path_ = path_of(attempt.handle);
  result.library = std::move(library);
  return result;
}

fs::path LibrarySearch::locate() const {
  if (const auto file = environment.empty() ? std::nullopt : lanza::environment(environment.c_str())) {
    if (file->find('/') == file->npos) return system_library(*file);
    return is_there(*file) ? fs::path(*file) : fs::path();
  }
  for (const auto& name : names)
    if (void* handle = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
      const std::string path = path_of(handle);
      ::dlclose(handle);  // only the count that RTLD_NOLOAD took
      return path;
    }
  for (const auto& file : package_files(*this))
    if (is_there(file)) return file;
  for (const auto& name : names)
    if (auto file = system_library(name); !file.empty()) return file;
  for (const auto& file : toolkit_files(*this))
    if (is_there(file)) return file;
  return {};
}

void add_wheel_directory(fs::path site_packages) {
  auto& directories = wheel_directories();
  const std::lock_guard lock(directories.mutex);
  for (const auto& known : directories.given)
    if (known == site_packages) return;
  directories.given.push_back(std::move(site_packages));
}

fs::path own_library_path() {
  Dl_info info;
  const link_map* map = nullptr;
  const bool found = ::dladdr1(reinterpret_cast<void*>(&own_library_path), &info,
                               reinterpret_cast<void**>(const_cast<link_map**>(&map)), RTLD_DL_LINKMAP) != 0;
  std::error_code error;
  if (!found || !map || !*map->l_name) return fs::read_symlink("/proc/self/exe", error);  // linked into the program
  const fs::path path = fs::canonical(map->l_name, error);
  return error ? fs::path(map->l_name) : path;
}

}  // namespace lanza
