// Runs the compiler so that its crash is an answer, never the end of the process (decision D4).
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace lanza::compiler {

/// Work on a thread of its own with a stack of 8 MB. What it held when it failed is lost, not freed. Handlers of
/// signals that the process has are back in their place afterwards; meanwhile the faults of other threads reach them.
/// Any number may be under way at once.
class GuardedWork {
 public:
  /// Begins. What `work` refers to must outlive it; where this object is itself part of guarded work, whose fault would
  /// leave it behind, `work` must own all of that.
  explicit GuardedWork(std::function<void()> work);
  /// Waits.
  ~GuardedWork();
  GuardedWork(const GuardedWork&) = delete;
  GuardedWork& operator=(const GuardedWork&) = delete;

  /// Waits. An empty string when it ran to its end, else a sentence that says how it failed: a signal, a stack
  /// overflow, a fatal error inside LLVM, no memory, no thread.
  const std::string& wait();

 private:
  struct Call;
  static void* run(void* call);

  std::shared_ptr<Call> call_;
};

/// Such work from its beginning to its end.
std::string run_guarded(const std::function<void()>& work);

/// Ends the work that runs guarded on this thread, with that sentence as run_guarded's answer.
[[noreturn]] void abandon(const std::string& why);

}  // namespace lanza::compiler
