// A compiled kernel, loaded: the shared object's table, and what was learnt about it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "backend/cpu/cost_history.hpp"
#include "compiler/kernel_abi.h"

namespace lanza::executor {

/// Stateless code: all that a launch changes stands in its LanzaLaunch and LanzaBlock. Unloaded with the last owner.
class KernelObject {
 public:
  /// Opens a shared object. Throws Error when it cannot be loaded, or holds no kernel of this version.
  static std::shared_ptr<const KernelObject> open(const std::filesystem::path& path);
  /// The same from memory, where there is no file that others cannot write. `name` is what debuggers show.
  static std::shared_ptr<const KernelObject> open(std::string_view bytes, const std::string& name);
  /// Code that is linked into the process.
  explicit KernelObject(const LanzaKernelObject& table) : table_(&table) {}
  ~KernelObject();
  KernelObject(const KernelObject&) = delete;
  KernelObject& operator=(const KernelObject&) = delete;

  const LanzaKernelObject& table() const noexcept { return *table_; }
  CostHistory& cost() const noexcept { return cost_; }
  /// The file's bytes; empty when it is gone or there is none.
  std::string image() const;

 private:
  KernelObject(const std::filesystem::path& path, int descriptor);
  std::filesystem::path path_;
  int descriptor_ = -1;
  void* handle_ = nullptr;
  const LanzaKernelObject* table_ = nullptr;
  mutable CostHistory cost_;
};

}  // namespace lanza::executor
