// `with device:`, `with context:`, `with stream:`.
#pragma once

#include "python_api.hpp"

#include <lanza/context.hpp>
#include <lanza/device.hpp>
#include <lanza/stream.hpp>

namespace lanza::python {

/// Makes it current on this thread until leave() with the same object.
void enter(nanobind::handle object, const Device&);
void enter(nanobind::handle object, const Context&);
void enter(nanobind::handle object, const Stream&);

/// Undoes this thread's last enter() of that object; what was current before is so again. Throws InvalidArgument when
/// there is none.
void leave(nanobind::handle object);

/// Adds __enter__ and __exit__ to a class whose objects enter() takes.
template <class T, class Class>
void bind_with(Class& cls) {
  namespace nb = nanobind;
  cls.def(
      "__enter__",
      [](nb::handle self) {
        enter(self, nb::cast<const T&>(self));
        return nb::borrow(self);
      },
      nb::sig("def __enter__(self) -> typing.Self"), "Makes it current for this thread.");
  cls.def(
      "__exit__", [](nb::handle self, nb::args) { leave(self); }, nb::sig("def __exit__(self, *args: object) -> None"),
      "Restores what was current before.");
}

}  // namespace lanza::python
