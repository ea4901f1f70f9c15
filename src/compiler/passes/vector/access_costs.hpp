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

  void begin() { before_ = count(true); }
  /// Fewer of a line than at the beginning: rows are loaded or stored in their stead.
  void become_rows();
  /// Of accesses the costs stay of which some are left, other than in code that few blocks run, and of extrema those
  /// that have notes; notes tell why where nobody knew, and go.
  void settle();

 private:
  struct Accesses {
    std::map<unsigned, unsigned> gathers, scatters;  ///< how many of each line
  };
  bool any() const;
  Accesses count(bool in_seldom_code) const;

  RunForm& form_;
  Accesses before_;
};

}  // namespace lanza::compiler
