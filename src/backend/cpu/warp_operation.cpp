// What a warp operation computes: votes, shuffles, matches, reductions over the members of a warp.
#include "backend/cpu/warp_operation.hpp"

#include <algorithm>
#include <bit>

namespace lanza::executor {
namespace {

template <class F>
void for_each_lane(std::uint32_t lanes, F f) {
  for (; lanes; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

std::uint32_t combine(unsigned operation, std::uint32_t a, std::uint32_t b) noexcept {
  const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
  switch (operation) {
    case LANZA_REDUCE_ADD:
      return a + b;
    case LANZA_REDUCE_MIN_SIGNED:
      return sa < sb ? a : b;
    case LANZA_REDUCE_MAX_SIGNED:
      return sa > sb ? a : b;
    case LANZA_REDUCE_MIN_UNSIGNED:
      return std::min(a, b);
    case LANZA_REDUCE_MAX_UNSIGNED:
      return std::max(a, b);
    case LANZA_REDUCE_AND:
      return a & b;
    case LANZA_REDUCE_OR:
      return a | b;
    default:
      return a ^ b;
  }
}

void ballot(WarpOperation& w) noexcept {
  std::uint32_t votes = 0;
  for_each_lane(w.members, [&](unsigned i) { votes |= std::uint32_t{w.value[i] != 0} << i; });
  for_each_lane(w.members, [&](unsigned i) { w.value[i] = votes; });
}

void shuffle(WarpOperation& w) noexcept {
  std::uint64_t from[32];
  for_each_lane(w.members, [&](unsigned i) { from[i] = w.value[i]; });
  for_each_lane(w.members, [&](unsigned i) {
    const unsigned source = w.aux[i] & 31;
    if (w.members >> source & 1) w.value[i] = from[source];
  });
}

void match_any(WarpOperation& w) noexcept {
  std::uint64_t equal[32];
  for_each_lane(w.members, [&](unsigned i) {
    equal[i] = 0;
    for_each_lane(w.members, [&](unsigned j) { equal[i] |= std::uint64_t{w.value[i] == w.value[j]} << j; });
  });
  for_each_lane(w.members, [&](unsigned i) { w.value[i] = equal[i]; });
}

void match_all(WarpOperation& w) noexcept {
  const std::uint64_t first = w.value[std::countr_zero(w.members)];
  bool all = true;
  for_each_lane(w.members, [&](unsigned i) { all &= w.value[i] == first; });
  for_each_lane(w.members, [&](unsigned i) { w.value[i] = all ? w.members : 0; });
}

void reduce(WarpOperation& w) noexcept {
  const unsigned first = static_cast<unsigned>(std::countr_zero(w.members));
  auto total = static_cast<std::uint32_t>(w.value[first]);
  for_each_lane(w.members & (w.members - 1),
                [&](unsigned i) { total = combine(w.aux[first], total, static_cast<std::uint32_t>(w.value[i])); });
  for_each_lane(w.members, [&](unsigned i) { w.value[i] = total; });
}

}  // namespace

void WarpOperation::compute() noexcept {
  switch (kind) {
    case LANZA_SYNC_BALLOT:
      return ballot(*this);
    case LANZA_SYNC_SHUFFLE:
      return shuffle(*this);
    case LANZA_SYNC_MATCH_ANY:
      return match_any(*this);
    case LANZA_SYNC_MATCH_ALL:
      return match_all(*this);
    case LANZA_SYNC_REDUCE:
      return reduce(*this);
    default:
      return;  // LANZA_SYNC_WARP: only a meeting
  }
}

}  // namespace lanza::executor
