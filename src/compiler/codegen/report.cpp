// The report as JSON. Fields that say nothing are left out.
#include "compiler/codegen/report.hpp"

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

static void write(json::OStream& json, const RegionReport& region) {
  json.object([&] {
    write_count(json, "line", region.line);
    json.attribute("vectorised", region.vectorised);
    write(json, "why", "why_line", region.why);
    write_count(json, "gathers", region.gathers);
    write_count(json, "scatters", region.scatters);
    write_count(json, "lane_by_lane", region.lane_by_lane);
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

unsigned source_line(const Instruction& instruction) {
  const DebugLoc& location = instruction.getDebugLoc();
  return location ? location.getLine() : 0;
}

}  // namespace lanza::compiler
