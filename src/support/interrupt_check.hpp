// Whether the program wants the work that one of its threads is busy with to end: asked of who knows its signals, as
// Python does.
#pragma once

#include <atomic>

#include <lanza/export.hpp>

namespace lanza {

/// Called on the thread in question, again and again while its work lasts: true ends the work. It is called between two
/// instructions of a kernel, where nobody holds a lock, on the thread's own stack: it may do what any function may but
/// wait for work behind that kernel.
using InterruptCheck = bool (*)() noexcept;

/// Asked from now on; null: nobody. For the process.
LANZA_API void set_interrupt_check(InterruptCheck check) noexcept;
InterruptCheck interrupt_check() noexcept;

}  // namespace lanza
