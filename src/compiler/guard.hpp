// Runs the compiler so that its crash is an answer, never the end of the process (decision D4).
#pragma once

#include <functional>
#include <string>

namespace lanza::compiler {

/// Runs `work` on a thread of its own with a stack of 8 MB and waits for it. Returns an empty string when it ran to its
/// end, else a sentence that says how it failed: a signal, a stack overflow, a fatal error inside LLVM, no memory, no
/// thread. What `work` held then is lost, not freed. Handlers of signals that the process has are back in their place
/// afterwards; meanwhile the faults of other threads reach them. May run on several threads at once.
std::string run_guarded(const std::function<void()>& work);

/// Ends the work that runs guarded on this thread, with that sentence as run_guarded's answer.
[[noreturn]] void abandon(const std::string& why);

}  // namespace lanza::compiler
