// Working beside the interpreter: waiting without the GIL, looking at signals, keeping Python objects alive from C++.
#pragma once

#include "python_api.hpp"

#include <functional>
#include <memory>

#include <lanza/fwd.hpp>
#include <lanza/stream.hpp>

namespace lanza::python {

/// Waits for the stream's work with the GIL released, looking at signals every few hundredths of a second. When a
/// handler raises (Ctrl-C), the work is asked to end, given a moment to do so, and the exception goes on. Call with the
/// GIL held.
void wait_interruptibly(detail::StreamRecord& stream);

/// While it lives, Ctrl-C is answered also while a kernel runs on the calling thread itself, if that is Python's main
/// thread: the kernel is ended, and KeyboardInterrupt stays pending, see raise_interrupt(). Handlers of the program run
/// after the kernel, as with any long call. Made with the GIL held.
class AnswerInterrupts {
 public:
  AnswerInterrupts();
  ~AnswerInterrupts();
  AnswerInterrupts(const AnswerInterrupts&) = delete;
  AnswerInterrupts& operator=(const AnswerInterrupts&) = delete;

 private:
  bool before_;
};
/// Throws the pending exception, once the stream's work has ended. Call with the GIL held.
[[noreturn]] void raise_interrupt(detail::StreamRecord& stream);

/// To be called once, by the module.
void answer_interrupts_in_kernels();

/// Calls `work` with the GIL released, looking at signals: on the main thread of Python, where signals arrive, in a
/// thread of its own. When a handler raises, the exception goes on at once and the work is left to end by itself: it
/// must own what it uses.
void run_interruptibly(std::function<void()> work);

/// Shares a Python object with C++ code that may let go of it on any thread, with or without the GIL.
std::shared_ptr<void> shared_reference(nanobind::object object);

}  // namespace lanza::python
