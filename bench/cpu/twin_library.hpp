// The libraries of twins that the build made: one a compiler.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "twin.hpp"

namespace bench {

struct TwinLibrary {
  std::string compiler;
  std::map<std::string, RunTwin> twins;
};

/// Those in the folder that are made for the target: files twins-COMPILER-TARGET.so, in the order of their names.
std::vector<TwinLibrary> load_twins(const std::filesystem::path& folder, const std::string& target);

}  // namespace bench
