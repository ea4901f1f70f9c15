// Working beside the interpreter: waiting without the GIL, looking at signals, keeping Python objects alive from C++.
#include "interpreter.hpp"

#include <signal.h>

#include <chrono>
#include <exception>
#include <future>
#include <thread>
#include <utility>

#include <lanza/error.hpp>

#include "runtime/records.hpp"
#include "support/interrupt_check.hpp"

namespace nb = nanobind;
using namespace std::chrono_literals;

namespace lanza::python {
namespace {

constexpr auto slice = 30ms;   // between two looks at signals: a person notices nothing
constexpr auto patience = 2s;  // for work that was asked to end

/// Asks the stream's work to end and gives it a moment, so that arrays that it writes are left alone afterwards. True:
/// it has ended.
bool cancel_and_settle(detail::StreamRecord& stream) noexcept {
  const nb::gil_scoped_release unlocked;
  try {
    stream.stream.cancel();
    return stream.stream.synchronize_for(patience);
  } catch (const std::exception&) {
    return true;  // the LaunchError of a kernel that was cancelled: that is what was asked for
  }
}

/// Whether signal handlers run on this thread: only there is it of use to look at them.
bool is_main_thread() {
  const nb::object threading = nb::module_::import_("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

bool is_known_main_thread() {
  static thread_local const bool is_main = is_main_thread();
  return is_main;
}

constinit thread_local bool answers = false;

/// Asked by liblanza while a kernel keeps this thread, which has let go of the GIL. Runs nobody's handler: one that
/// waits for work behind that kernel would wait for ever.
bool is_interrupted() noexcept {
  if (!answers) return false;
  const nb::gil_scoped_acquire locked;
  try {
    const nb::object signals = nb::module_::import_("_signal");
    const nb::object handler = signals.attr("getsignal")(SIGINT);
    if (!handler.is(signals.attr("default_int_handler")) || !PyOS_InterruptOccurred()) return false;
  } catch (const std::exception&) {
    return false;
  }
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  return true;
}

/// True when the stream's work is done; otherwise it is time to look at signals. What an interrupted kernel leaves in
/// the stream is no news.
bool wait_a_moment(detail::StreamRecord& stream) {
  try {
    const AnswerInterrupts answering;
    const nb::gil_scoped_release unlocked;
    return stream.stream.synchronize_for(slice);
  } catch (const LaunchError&) {
    if (!PyErr_Occurred()) throw;
    return false;
  }
}

}  // namespace

AnswerInterrupts::AnswerInterrupts() : before_(std::exchange(answers, is_known_main_thread())) {}

AnswerInterrupts::~AnswerInterrupts() { answers = before_; }

void answer_interrupts_in_kernels() { set_interrupt_check(&is_interrupted); }

void raise_interrupt(detail::StreamRecord& stream) {
  nb::python_error interrupt;
  cancel_and_settle(stream);
  throw interrupt;
}

void wait_interruptibly(detail::StreamRecord& stream) {
  auto kept = stream.take_kept();  // before the wait: what comes later is not done after it
  for (;;) {
    const bool done = !PyErr_Occurred() && wait_a_moment(stream);
    if (!PyErr_Occurred()) {
      if (done) return;
      if (PyErr_CheckSignals() == 0) continue;
    }
    nb::python_error interrupt;
    if (!cancel_and_settle(stream))
      for (auto& thing : kept) stream.keep(std::move(thing));
    throw interrupt;
  }
}

void run_interruptibly(std::function<void()> work) {
  if (!is_main_thread()) {
    const nb::gil_scoped_release unlocked;
    work();
    return;
  }
  std::packaged_task<void()> task(std::move(work));
  std::future<void> result = task.get_future();
  std::thread(std::move(task)).detach();
  for (;;) {
    {
      const nb::gil_scoped_release unlocked;
      if (result.wait_for(slice) == std::future_status::ready) break;
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  result.get();
}

std::shared_ptr<void> shared_reference(nb::object object) {
  PyObject* reference = object.release().ptr();
  return {reference, [](PyObject* o) {
            if (const nb::detail::cleanup_guard guard{}) Py_DECREF(o);
          }};
}

}  // namespace lanza::python
