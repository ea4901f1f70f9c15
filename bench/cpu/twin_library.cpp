// Twins, loaded.
#include "twin_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <stdexcept>

namespace bench {

static TwinLibrary load(const std::filesystem::path& file, std::string compiler) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // for the rest of the process
  if (!library) throw std::runtime_error(dlerror());
  const auto list = reinterpret_cast<const Twin* (*)()>(dlsym(library, twins_symbol));
  if (!list) throw std::runtime_error(file.string() + " holds no twins");
  TwinLibrary result{std::move(compiler), {}};
  for (const Twin* twin = list(); twin; twin = twin->next) result.twins[twin->name] = twin->run;
  return result;
}

std::vector<TwinLibrary> load_twins(const std::filesystem::path& folder, const std::string& target) {
  const std::string start = "twins-", end = "-" + target + ".so";
  std::vector<TwinLibrary> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(start) && name.ends_with(end))
      found.push_back(load(entry.path(), name.substr(start.size(), name.size() - start.size() - end.size())));
  }
  std::ranges::sort(found, {}, &TwinLibrary::compiler);
  return found;
}

}  // namespace bench
