// The compiled kernels of the process: found in memory, else in the disk cache, else made by the compiler plug-in.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "backend/cpu/code_settings.hpp"
#include "backend/cpu/folded_arguments.hpp"
#include "backend/cpu/kernel_object.hpp"
#include "support/hash.hpp"

namespace lanza::executor {

/// What a kernel is compiled from.
struct KernelSource {
  std::string_view bitcode;
  Hash128 bitcode_hash;
  std::string_view symbol;
  std::string_view name;  ///< for messages
  CodeSettings settings;
  bool wide = false;  ///< for any grid: one of more than LANZA_NARROW_GRID threads along x, or of a single block
  bool as_initialised = false;  ///< folded variables still hold what they were initialised with
  FoldedArguments folded = {};  ///< arguments of all its launches
  bool quick = false;           ///< code of the thread engine whose `fits` asks whether blocks are short
};

struct FoundObject {
  std::shared_ptr<const KernelObject> object;
  bool any_block = false;  ///< serves every blockDim
  bool cached = false;     ///< from memory or disk: the compiler was not asked
  double seconds = 0;      ///< that the compiler took
  std::string phases;      ///< JSON: milliseconds of each of its phases; empty when it was not asked
};

/// The code of a kernel for a blockDim. Two modules of the same source share it. A hit never loads the plug-in. Without
/// `use_cache` it is always compiled, and shared with nobody. Throws CompileError, Unavailable (no plug-in), Error (not
/// loadable). Thread-safe.
FoundObject find_object(const KernelSource& source, const std::uint32_t block[3], bool use_cache);
/// The same where it is there already, in memory or on disk; else no object. Waits for no compiler.
FoundObject find_made_object(const KernelSource& source, const std::uint32_t block[3]);

/// Key of the object in the disk cache; block {0, 0, 0}: the one that serves any.
Hash128 object_key(const KernelSource& source, const std::uint32_t block[3]);

}  // namespace lanza::executor
