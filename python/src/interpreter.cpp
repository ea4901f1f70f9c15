// Working beside the interpreter: waiting without the GIL, looking at signals, keeping Python objects alive from C++.
#include "interpreter.hpp"

#include <chrono>
#include <exception>
#include <future>
#include <thread>
#include <utility>

#include "runtime/records.hpp"

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

}  // namespace

void wait_interruptibly(detail::StreamRecord& stream) {
  auto kept = stream.take_kept();  // before the wait: what comes later is not done after it
  for (;;) {
    {
      const nb::gil_scoped_release unlocked;
      if (stream.stream.synchronize_for(slice)) return;
    }
    if (PyErr_CheckSignals() == 0) continue;
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
