// Lanza's exceptions as Python classes.
#pragma once

#include "python_api.hpp"

namespace lanza::python {

/// Makes the classes and lets nanobind translate; called once, first of all.
void bind_errors(nanobind::module_& module);

/// Sets Python's error from the C++ exception being handled: for slots that nanobind does not wrap.
void set_error_from_exception() noexcept;

/// Calls `body`; a C++ exception becomes Python's and `failure` is returned. For slots that nanobind does not wrap.
template <class R, class F>
R guarded(R failure, F&& body) noexcept {
  try {
    return body();
  } catch (...) {
    set_error_from_exception();
    return failure;
  }
}

}  // namespace lanza::python
