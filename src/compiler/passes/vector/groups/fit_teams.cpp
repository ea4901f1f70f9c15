#include "compiler/passes/vector/groups/fit_teams.hpp"

#include "compiler/passes/vector/groups/gather_bound.hpp"

namespace lanza::compiler {

GroupShape fit_teams(llvm::Function& kernel, const GroupShape& group, const llvm::TargetMachine& host) {
  constexpr unsigned kLeast = 4;
  for (unsigned lanes = group.lanes / 2; lanes >= kLeast; lanes /= 2)
    if (const GroupShape team = group.with_lanes(lanes); why_gathers_bind(kernel, team, host).words.empty())
      return team;
  return group;
}

}  // namespace lanza::compiler
