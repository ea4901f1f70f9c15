// Where the code of the loaded kernels lies: asked by signal handlers, so without locks.
#pragma once

#include <atomic>
#include <cstdint>

namespace lanza::executor {

class KernelObject;

/// The entry of one loaded kernel, from its loading to its unloading.
class CodeRange {
 public:
  CodeRange() = default;
  ~CodeRange() { clear(); }
  CodeRange(const CodeRange&) = delete;
  CodeRange& operator=(const CodeRange&) = delete;

  /// The code [first, last) belongs to `owner`. Without memory for an entry its faults are not recognised.
  void set(std::uintptr_t first, std::uintptr_t last, const KernelObject* owner) noexcept;
  void clear() noexcept;

 private:
  friend const KernelObject* code_at(std::uintptr_t) noexcept;
  struct Entry;
  static std::atomic<Entry*> newest_;
  Entry* entry_ = nullptr;
};

/// The kernel whose code is at that address, or null. Async-signal-safe.
const KernelObject* code_at(std::uintptr_t address) noexcept;

}  // namespace lanza::executor
