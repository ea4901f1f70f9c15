// What became of the gathers and scatters that the report tells of.
#pragma once

#include <map>

#include "compiler/passes/vector/run/run_form.hpp"

namespace lanza::compiler {

/// Follows the accesses of a run form by their lines while finish_run() makes less of some of them, and tells the
/// report. Changes no code.
class AccessCosts {
 public:
  explicit AccessCosts(RunForm& form) : form_(form) {}

  void begin() { before_ = count(); }
  /// Fewer of a line than at the beginning: rows are loaded or stored in their stead.
  void become_rows();
  /// Those of which none is left cost nothing any more.
  void end();
  /// Extrema stay that are noted by now; notes go.
  void settle_extrema();

 private:
  struct Accesses {
    std::map<unsigned, unsigned> gathers, scatters;  ///< how many of each line
  };
  Accesses count() const;

  RunForm& form_;
  Accesses before_;
};

}  // namespace lanza::compiler
