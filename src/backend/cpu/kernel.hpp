// Kernels of the CPU device: checks, the code for each blockDim, and where a launch runs.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cpu/code_settings.hpp"
#include "backend/cpu/kernel_object.hpp"
#include "backend/cpu/segment.hpp"
#include "support/hash.hpp"

namespace lanza::executor {

/// What the kernels of a module share; launches under way keep it alive.
struct ModuleRecord {
  std::string bitcode;
  Hash128 bitcode_hash;
  CodeSettings settings;
  Segment segment;
  bool use_cache;
  std::string phases;  // JSON: milliseconds of the front end; empty: it came from a cache
  /// The variables whose initial values code may hold (VariableInfo::folded) have them: the host has asked for none.
  std::unique_ptr<std::atomic<bool>> as_initialised = std::make_unique<std::atomic<bool>>(false);
};

/// What a kernel is; launches under way keep it alive. Thread-safe.
class KernelRecord {
 public:
  KernelRecord(std::shared_ptr<const ModuleRecord> module, backend::KernelInfo info);
  ~KernelRecord();

  /// The code for that blockDim, such a grid and such arguments (packed), compiled at the first call. Afterwards
  /// neither lock nor allocation.
  const KernelObject& object(const Dim3& grid, const Dim3& block, const void* arguments);
  /// The code of another kernel of the module, which this one launches. Throws as find_object().
  std::shared_ptr<const KernelObject> child(const std::string& symbol, const std::string& name, const Dim3& grid,
                                            const Dim3& block, const void* arguments);
  /// Code that is there already, e.g. linked into the process; block {0, 0, 0}: for any.
  void install(const Dim3& block, std::shared_ptr<const KernelObject> object, std::string phases = {},
               bool as_initialised = false);
  /// All that was made so far, the first first.
  std::vector<std::shared_ptr<const KernelObject>> objects() const;
  /// What the compiler says of each of them: a line of JSON each, the first first.
  std::string report() const;

  const backend::KernelInfo info;
  const std::shared_ptr<const ModuleRecord> module;
  std::atomic<double> compile_seconds{0};
  std::atomic<bool> cached{true};

 private:
  struct Variant {
    Dim3 block;
    std::shared_ptr<const KernelObject> object;
    std::string phases;   // JSON: milliseconds of the compiler; empty: it came from a cache
    bool as_initialised;  // good for no launch once the module no longer is
    const Variant* next;
  };
  bool is_good(const Variant&) const noexcept;
  const KernelObject* find(const Dim3& grid, const Dim3& block, const void* arguments) const noexcept;
  bool is_known(const Dim3& block) const noexcept;  ///< there is code for it, for whatever grids
  std::atomic<const Variant*> variants_{nullptr};   // only grows
  std::mutex mutex_;                                // of whoever compiles
  std::mutex children_mutex_;
  std::map<std::pair<std::string, std::array<unsigned, 4>>, std::shared_ptr<const KernelObject>> children_;
};

class Kernel final : public backend::Kernel {
 public:
  Kernel(std::shared_ptr<const ModuleRecord> module, backend::KernelInfo info)
      : record_(std::make_shared<KernelRecord>(std::move(module), std::move(info))) {}

  void launch(backend::Stream&, const backend::Launch&) override;
  std::vector<std::pair<std::string, std::int64_t>> attributes() override;
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(record_.get()); }
  std::string report() override;
  double compile_seconds() const override { return record_->compile_seconds.load(); }
  bool cached() const override { return record_->cached.load(); }
  const std::shared_ptr<KernelRecord>& share() const noexcept { return record_; }

 private:
  void check(const backend::Launch&) const;
  std::shared_ptr<KernelRecord> record_;
};

}  // namespace lanza::executor
