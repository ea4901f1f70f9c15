#include "compiler/passes/vector/access_costs.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/cost_notes.hpp"

using namespace llvm;

namespace lanza::compiler {

using Lines = std::map<unsigned, unsigned>;

static unsigned at(const Lines& lines, unsigned line) {
  const auto found = lines.find(line);
  return found == lines.end() ? 0 : found->second;
}

AccessCosts::Accesses AccessCosts::count() const {
  Accesses accesses;
  for (const Instruction& i : instructions(*form_.run)) {
    auto* call = dyn_cast<IntrinsicInst>(&i);
    if (!call) continue;
    if (call->getIntrinsicID() == Intrinsic::masked_gather) ++accesses.gathers[line_of_kernel(i)];
    if (call->getIntrinsicID() == Intrinsic::masked_scatter) ++accesses.scatters[line_of_kernel(i)];
  }
  return accesses;
}

void AccessCosts::become_rows() {
  const Accesses now = count();
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

void AccessCosts::settle_extrema() {
  std::vector<Cost> noted;
  for (const Instruction& i : instructions(*form_.run)) add_noted_cost(i, noted);
  drop_cost_notes(*form_.run);
  auto is_noted = [&](unsigned line) {
    return any_of(noted, [&](const Cost& c) { return !c.line || c.line == line; });
  };
  for (RegionReport& region : form_.regions)
    erase_if(region.costs, [&](const Cost& c) { return c.what == kExtremumCost && !is_noted(c.line); });
}

// What moved out of a loop may have lost its line.
void AccessCosts::end() {
  const Accesses now = count();
  auto drop = [&](StringRef what, const Lines& lines) {
    if (at(lines, 0)) return;
    for (RegionReport& region : form_.regions)
      erase_if(region.costs, [&](const Cost& c) { return c.what == what && !at(lines, c.line); });
  };
  drop(kGatherCost, now.gathers);
  drop(kScatterCost, now.scatters);
}

}  // namespace lanza::compiler
