#include "compiler/passes/vector/access_costs.hpp"

#include <optional>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/analysis/seldom_code.hpp"
#include "compiler/passes/vector/cost_notes.hpp"

using namespace llvm;

namespace lanza::compiler {

using Lines = std::map<unsigned, unsigned>;

static unsigned at(const Lines& lines, unsigned line) {
  const auto found = lines.find(line);
  return found == lines.end() ? 0 : found->second;
}

// Most kernels have none.
bool AccessCosts::any() const {
  return any_of(form_.regions, [](const RegionReport& region) {
    return any_of(region.costs, [](const Cost& c) { return c.what == kGatherCost || c.what == kScatterCost; });
  });
}

AccessCosts::Accesses AccessCosts::count(bool in_seldom_code) const {
  Accesses accesses;
  if (!any()) return accesses;
  std::optional<SeldomCode> seldom;
  if (!in_seldom_code) seldom.emplace(*form_.run);
  for (const Instruction& i : instructions(*form_.run)) {
    auto* call = dyn_cast<IntrinsicInst>(&i);
    if (!call || (seldom && seldom->contains(call->getParent()))) continue;
    if (call->getIntrinsicID() == Intrinsic::masked_gather) ++accesses.gathers[line_of_kernel(i)];
    if (call->getIntrinsicID() == Intrinsic::masked_scatter) ++accesses.scatters[line_of_kernel(i)];
  }
  return accesses;
}

void AccessCosts::become_rows() {
  const Accesses now = count(true);
  auto replace = [&](StringRef what, const Lines& before, const Lines& after, const char* why) {
    for (RegionReport& region : form_.regions)
      for (Cost cost : std::vector(region.costs)) {
        if (cost.what != what || at(after, cost.line) >= at(before, cost.line)) continue;
        erase_if(region.costs, [&](const Cost& c) { return c.what == what && c.line == cost.line; });
        add_cost(region.costs, {kRowsCost, why, cost.line});
      }
  };
  replace(kGatherCost, before_.gathers, now.gathers,
          "each lane reads a row of its own: rows are turned into columns by shuffles; neighbouring threads on "
          "neighbouring elements would need none");
  replace(kScatterCost, before_.scatters, now.scatters,
          "each lane writes a row of its own: columns are turned into rows by shuffles; neighbouring threads on "
          "neighbouring elements would need none");
}

// What moved out of a loop may have lost its line.
void AccessCosts::settle() {
  const Accesses now = count(false);
  std::vector<Cost> noted;
  for (const Instruction& i : instructions(*form_.run)) add_noted_cost(i, noted);
  drop_cost_notes(*form_.run);
  auto is_gone = [&](const Cost& c) {
    if (c.what == kGatherCost) return !at(now.gathers, c.line) && !at(now.gathers, 0);
    if (c.what == kScatterCost) return !at(now.scatters, c.line) && !at(now.scatters, 0);
    return c.what == kExtremumCost &&
           none_of(noted, [&](const Cost& n) { return n.what == c.what && (n.line == c.line || !n.line); });
  };
  for (RegionReport& region : form_.regions) {
    erase_if(region.costs, is_gone);
    for (Cost& cost : region.costs)
      for (const Cost& last : noted)
        if (cost.why == kNoPattern && last.what == cost.what && last.line == cost.line) cost.why = last.why;
  }
}

}  // namespace lanza::compiler
