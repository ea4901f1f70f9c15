// The sentence that tells at what the threads of a block wait when none of them can go on.
#include "backend/cpu/deadlock_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lanza::executor {
namespace {

constexpr std::size_t shown_groups = 6, shown_ranges = 6;

std::string place_of(const LanzaRecord& r) {
  const auto masked = [&](const char* name) { return fmt::format("{}(mask {:#010x})", name, r.mask); };
  switch (r.kind) {
    case LANZA_SYNC_BARRIER:
    case LANZA_SYNC_BARRIER_COUNT:
      if (r.id || r.aux)
        return fmt::format("barrier {} of {}", r.id, r.aux ? fmt::format("{} threads", r.aux) : "all threads");
      return r.kind == LANZA_SYNC_BARRIER ? "__syncthreads" : "__syncthreads_count/and/or";
    case LANZA_SYNC_WARP:
      return masked("__syncwarp");
    case LANZA_SYNC_BALLOT:
      return masked("__ballot/any/all_sync");
    case LANZA_SYNC_SHUFFLE:
      return masked("__shfl_sync");
    case LANZA_SYNC_MATCH_ANY:
      return masked("__match_any_sync");
    case LANZA_SYNC_MATCH_ALL:
      return masked("__match_all_sync");
    case LANZA_SYNC_REDUCE:
      return masked("__reduce_sync");
    case LANZA_SYNC_GRID:
      return "a barrier of the grid";
    default:
      return fmt::format("a synchronisation point of unknown kind {}", r.kind);
  }
}

}  // namespace

void DeadlockReport::add(unsigned thread, const LanzaRecord& record, std::string_view file) {
  auto place = place_of(record);
  if (record.line && !file.empty()) place += fmt::format(" ({}:{})", file, record.line);
  auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.place == place; });
  if (group == groups_.end()) group = groups_.insert(group, {std::move(place), {}});
  if (!group->ranges.empty() && group->ranges.back().second + 1 == thread) {
    group->ranges.back().second = thread;
  } else {
    group->ranges.emplace_back(thread, thread);
  }
}

std::string DeadlockReport::text(const LanzaBlock& block) const {
  auto text = fmt::format("deadlock in block ({},{},{}):", block.index[0], block.index[1], block.index[2]);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (g == shown_groups) return text + fmt::format(", and others at {} more places", groups_.size() - g);
    const auto& ranges = groups_[g].ranges;
    std::string list;
    for (std::size_t i = 0; i < std::min(ranges.size(), shown_ranges); ++i) {
      const auto [first, last] = ranges[i];
      list += fmt::format("{}{}", i ? ", " : "",
                          first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
    }
    if (ranges.size() > shown_ranges) list += ", ...";
    const bool one = ranges.size() == 1 && ranges[0].first == ranges[0].second;
    const char* verb = g ? "" : one ? " waits" : " wait";
    text += fmt::format("{} {} {}{} at {}", g ? "," : "", one ? "thread" : "threads", list, verb, groups_[g].place);
  }
  return text;
}

}  // namespace lanza::executor
