// The report as JSON. Fields that say nothing are left out.
#include "compiler/codegen/report.hpp"

#include <algorithm>

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instruction.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

using namespace llvm;

namespace lanza::compiler {

static void write(json::OStream& json, StringRef name, StringRef line_name, const Reason& reason) {
  if (reason.words.empty()) return;
  json.attribute(name, reason.words);
  if (reason.line) json.attribute(line_name, reason.line);
}

static void write_count(json::OStream& json, StringRef name, uint64_t count) {
  if (count) json.attribute(name, static_cast<int64_t>(count));
}

static void write(json::OStream& json, const Cost& cost) {
  json.object([&] {
    json.attribute("what", cost.what);
    json.attribute("why", cost.why);
    write_count(json, "line", cost.line);
  });
}

static void write(json::OStream& json, const RegionReport& region) {
  json.object([&] {
    write_count(json, "line", region.line);
    json.attribute("vectorised", region.vectorised);
    write(json, "why", "why_line", region.why);
    write_count(json, "gathers", region.gathers);
    write_count(json, "scatters", region.scatters);
    write_count(json, "lane_by_lane", region.lane_by_lane);
    if (!region.costs.empty())
      json.attributeArray("costs", [&] {
        for (const Cost& cost : region.costs) write(json, cost);
      });
  });
}

std::string report_json(const std::string& kernel, const Report& report) {
  std::string text;
  raw_string_ostream stream(text);
  json::OStream json(stream);
  json.object([&] {
    json.attribute("kernel", kernel);
    json.attribute("engine", report.engine);
    write(json, "why", "why_line", report.why);
    write(json, "not_vector", "not_vector_line", report.not_vector);
    json.attribute("lanes", report.lanes);
    if (report.lane_axis) json.attribute("lanes_along", report.lane_axis == 1 ? "y" : "z");
    if (report.block[0])
      json.attributeArray("block", [&] {
        for (const uint32_t extent : report.block) json.value(extent);
      });
    write_count(json, "frame_bytes", report.frame_bytes);
    write_count(json, "spilled_values", report.spilled_values);
    write_count(json, "context_bytes", report.context_bytes);
    if (report.waits) json.attribute("waits", true);
    if (report.recurses) json.attribute("recurses", true);
    if (!report.regions.empty())
      json.attributeArray("regions", [&] {
        for (const RegionReport& region : report.regions) write(json, region);
      });
  });
  return text;
}

void add_cost(std::vector<Cost>& costs, Cost cost) {
  auto key = [](const Cost& c) { return std::pair(c.line, StringRef(c.what)); };
  const auto at = std::ranges::lower_bound(costs, key(cost), {}, key);
  if (at == costs.end() || key(*at) != key(cost)) costs.insert(at, std::move(cost));
}

unsigned source_line(const Instruction& instruction) {
  const DebugLoc& location = instruction.getDebugLoc();
  return location ? location.getLine() : 0;
}

unsigned line_of_kernel(const Instruction& instruction) {
  const DILocation* innermost = instruction.getDebugLoc();
  if (!innermost) return 0;
  const DILocation* outermost = innermost;
  while (const DILocation* caller = outermost->getInlinedAt()) outermost = caller;
  const DILocation* location = innermost;
  while (location->getFile() != outermost->getFile()) location = location->getInlinedAt();
  return location->getLine();
}

bool recurses(Module& module) {
  CallGraph calls(module);
  for (auto cycle = scc_begin(&calls); !cycle.isAtEnd(); ++cycle)
    if (cycle.hasCycle()) return true;
  return false;
}

}  // namespace lanza::compiler
