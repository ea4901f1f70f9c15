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

/// While it lives, signals are looked at now and then also while a kernel runs on the calling thread itself: where a
/// handler raises (Ctrl-C) the kernel is ended, and the exception stays pending: see raise_interrupt(). Made with
/// the GIL held.
class AnswerSignals {
 public:
  AnswerSignals();
  ~AnswerSignals();
  AnswerSignals(const AnswerSignals&) = delete;
  AnswerSignals& operator=(const AnswerSignals&) = delete;

 private:
  bool before_;
};
/// Throws what a handler has raised, once the stream's work has ended. Call with the GIL held.
[[noreturn]] void raise_interrupt(detail::StreamRecord& stream);

/// To be called once, by the module.
void answer_signals_in_kernels();

/// Calls `work` with the GIL released, looking at signals: on the main thread of Python, where signals arrive, in a
/// thread of its own. When a handler raises, the exception goes on at once and the work is left to end by itself: it
/// must own what it uses.
void run_interruptibly(std::function<void()> work);

/// Shares a Python object with C++ code that may let go of it on any thread, with or without the GIL.
std::shared_ptr<void> shared_reference(nanobind::object object);

}  // namespace lanza::python
