// `with device:`, `with context:`, `with stream:`.
#include "with.hpp"

#include <lanza/current.hpp>
#include <lanza/error.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace nb = nanobind;

namespace lanza::python {
namespace {

struct Entry {
  PyObject* object;  // identity only: `with` itself keeps the object alive
  std::unique_ptr<Current> current;
};
thread_local std::vector<Entry> entries;

template <class T>
void push(nb::handle object, const T& what) {
  entries.push_back({object.ptr(), std::make_unique<Current>(what)});
}

}  // namespace

void enter(nb::handle object, const Device& device) { push(object, device); }
void enter(nb::handle object, const Context& context) { push(object, context); }
void enter(nb::handle object, const Stream& stream) { push(object, stream); }

void leave(nb::handle object) {
  const auto last =
      std::find_if(entries.rbegin(), entries.rend(), [&](const Entry& e) { return e.object == object.ptr(); });
  if (last == entries.rend())
    throw InvalidArgument(
        "this object was not made current on this thread: leave a `with` block on the thread that entered it");
  entries.erase(std::next(last).base());
}

}  // namespace lanza::python
