// Kernels of the CPU device: checks, the code for each blockDim, and where a launch runs.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cpu/code_settings.hpp"
#include "backend/cpu/fold_trial.hpp"
#include "backend/cpu/folded_arguments.hpp"
#include "backend/cpu/kernel_object.hpp"
#include "backend/cpu/object_store.hpp"
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

/// Whether code may run such launches, of its blockDim.
bool is_for(const KernelObject& object, const Dim3& grid, const Dim3& block, const void* arguments);

/// What a kernel is; launches under way keep it alive. Thread-safe.
class KernelRecord {
 public:
  KernelRecord(std::shared_ptr<const ModuleRecord> module, backend::KernelInfo info);
  ~KernelRecord();

  /// The code for that blockDim, such a grid and such arguments (packed); null: there is none yet. Neither locks nor
  /// allocates.
  const KernelObject* find(const Dim3& grid, const Dim3& block, const void* arguments) const noexcept;
  /// The same, looked for on disk, too. Waits for who compiles code of this kernel already.
  const KernelObject* find_made(const Dim3& grid, const Dim3& block, const void* arguments);
  /// The same, compiled where there is none.
  const KernelObject& object(const Dim3& grid, const Dim3& block, const void* arguments);
  /// Makes object() on a thread of its own; what it throws, the next call of object() throws. `self` is this record.
  /// False: nothing was begun, as one is under way already, or for what begin_in_background() says.
  bool compile_behind(const std::shared_ptr<KernelRecord>& self, const backend::Launch& launch);
  /// True: nothing is under way behind. Waits for that, so long at most.
  bool await_compiler(std::chrono::nanoseconds limit = std::chrono::hours(24)) const;
  /// Code of the thread engine for that blockDim: it runs slowly, and is compiled fast. Its `fits` asks whether the
  /// blocks of a launch are short. It is not kept.
  std::shared_ptr<const KernelObject> quick_object(const Dim3& block) const;
  /// Says that this code is about to run such a launch: where launches with the same numbers have taken long enough,
  /// code with these in place of the arguments is made behind them, or at once (LANZA_CPU_FOLD_ARGUMENTS). The code
  /// that this launch had better take.
  const KernelObject* consider_folding(const std::shared_ptr<KernelRecord>& self, const KernelObject* object,
                                       const backend::Launch& launch);
  /// The code of another kernel of the module, which this one launches. Throws as find_object().
  std::shared_ptr<const KernelObject> child(const std::string& symbol, const std::string& name, const Dim3& grid,
                                            const Dim3& block, const void* arguments);
  /// Code that is there already, e.g. linked into the process; block {0, 0, 0}: for any.
  void install(const Dim3& block, std::shared_ptr<const KernelObject> object, std::string phases = {},
               bool as_initialised = false);
  /// All that was made so far, or is under way, the first first.
  std::vector<std::shared_ptr<const KernelObject>> objects() const;
  /// What the compiler says of each of them: a line of JSON each, the first first.
  std::string report() const;

  const backend::KernelInfo info;
  const std::shared_ptr<const ModuleRecord> module;
  std::atomic<double> compile_seconds{0};
  /// Of the launch that began with quick_object(): blocks, and how many of them that code ran. 0: there was none.
  std::atomic<std::uint64_t> quick_grid{0}, quick_blocks{0};
  std::atomic<bool> cached{true};

 private:
  struct Variant {
    Dim3 block;
    std::shared_ptr<const KernelObject> object;
    std::string phases;   // JSON: milliseconds of the compiler; empty: it came from a cache
    bool as_initialised;  // good for no launch once the module no longer is
    const Variant* next;
    /// Of code for some arguments only: these, and whether it is worth it.
    FoldedArguments folded = {};
    std::unique_ptr<FoldTrial> trial = nullptr;
    FoldReach reach = FoldReach::All;
  };
  std::string written(const Variant&) const;         ///< a line of report()
  std::string written_folded(const Variant&) const;  ///< of it; empty: there is none
  void install(std::unique_ptr<Variant>);
  std::optional<FoldReach> hot_reach(const KernelObject& object, const backend::Launch& launch);
  void fold_behind(const std::shared_ptr<KernelRecord>& self, FoldReach, const backend::Launch& launch);
  unsigned launches_stood_for() noexcept;  ///< by this one, which is to be looked at; 0: it is not
  void fold(FoldReach, bool is_tried, const Dim3& grid, const Dim3& block, const void* arguments);
  bool is_good(const Variant&) const noexcept;
  using FindCode = std::function<FoundObject(const KernelSource&, const std::uint32_t block[3])>;
  const KernelObject* obtain(const Dim3& grid, const Dim3& block, const void* arguments, const FindCode&);
  using WorkForLaunch = std::function<void(KernelRecord&, const Dim3& grid, const Dim3& block, const void* arguments)>;
  /// False: nothing was begun.
  bool begin_behind(const std::shared_ptr<KernelRecord>& self, const backend::Launch&, const WorkForLaunch&);
  void obtain_behind(const Dim3& grid, const Dim3& block, const void* arguments);
  KernelSource source_of(const CodeSettings&, bool wide) const;
  bool is_folded(const Dim3& block, const FoldedArguments&) const noexcept;  ///< such code was made, kept or not
  std::optional<FoldReach> reach_of(const KernelObject&) const noexcept;     ///< nothing: code for any arguments
  bool is_known(const Dim3& block) const noexcept;  ///< there is code for it, for whatever grids
  std::atomic<const Variant*> variants_{nullptr};   // only grows
  std::mutex mutex_;                                // of whoever compiles
  const FoldableParameters foldable_;
  struct Folding {
    FoldHeat heat;
    std::atomic<unsigned> folds{0};
  };
  std::array<Folding, fold_reaches> folding_;   // by FoldReach
  std::atomic<const Variant*> tried_{nullptr};  ///< folded code that runs by turns with the other
  std::atomic<unsigned> considered_{0};
  mutable std::mutex behind_mutex_;
  mutable std::condition_variable behind_ended_;
  bool compiles_behind_ = false;
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
  double compile_seconds() const override;
  bool cached() const override;
  const std::shared_ptr<KernelRecord>& share() const noexcept { return record_; }

 private:
  void check(const backend::Launch&) const;
  std::shared_ptr<KernelRecord> record_;
};

}  // namespace lanza::executor
