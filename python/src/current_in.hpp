// A context made current for a while, where it is not.
#pragma once

#include <optional>

#include <lanza/context.hpp>
#include <lanza/current.hpp>

namespace lanza::python {

/// Unlike Current it leaves the stream alone that is current in the context: work goes on in it.
class CurrentIn {
 public:
  explicit CurrentIn(const Context& context) {
    if (current_context() != context) current_.emplace(context);
  }

 private:
  std::optional<Current> current_;
};

}  // namespace lanza::python
