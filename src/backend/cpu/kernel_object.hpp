// A compiled kernel, loaded: the shared object's table, and what was learnt about it.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backend/cpu/code_ranges.hpp"
#include "backend/cpu/cost_history.hpp"
#include "backend/cpu/sharing_history.hpp"
#include "compiler/kernel_abi.h"
#include "support/line_table.hpp"

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
  /// Of launches that one worker ran, alone on memory (LanzaBlock::alone).
  CostHistory& cost_alone() const noexcept { return cost_alone_; }
  /// How a team had better share its blocks.
  SharingHistory& sharing() const noexcept { return sharing_; }
  std::atomic<unsigned>& launches() const noexcept { return launches_; }
  /// The file's bytes; empty when it is gone or there is none.
  std::string image() const;
  /// The line of the source that the instruction at that address comes from, while the file is there.
  std::optional<SourceLine> line_of(std::uintptr_t instruction) const;

 private:
  KernelObject(const std::filesystem::path& path, int descriptor);
  void register_code() noexcept;
  std::filesystem::path path_;
  int descriptor_ = -1;
  void* handle_ = nullptr;
  const LanzaKernelObject* table_ = nullptr;
  std::uintptr_t base_ = 0;  // where address 0 of the file lies
  CodeRange code_;
  mutable CostHistory cost_, cost_alone_;
  mutable SharingHistory sharing_;
  mutable std::atomic<unsigned> launches_{0};
};

}  // namespace lanza::executor
