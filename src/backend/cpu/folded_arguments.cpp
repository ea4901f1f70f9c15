#include "backend/cpu/folded_arguments.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace lanza::executor {
namespace {

// Sizes, but nothing that overflows by a thread's number: that is undefined, and what is made of it would change.
constexpr std::int64_t greatest = 1 << 24;

std::int64_t value_at(const void* arguments, std::size_t offset, std::size_t size, bool is_signed) noexcept {
  const auto* at = static_cast<const std::byte*>(arguments) + offset;
  if (size == sizeof(std::int64_t)) {
    std::int64_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return is_signed || value >= 0 ? value : std::numeric_limits<std::int64_t>::max();
  }
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return is_signed ? static_cast<std::int32_t>(bits) : static_cast<std::int64_t>(bits);
}

bool is_within(FoldReach reach, std::int64_t value, const Dim3& block) noexcept {
  if (reach == FoldReach::All) return -greatest <= value && value <= greatest;
  if (reach == FoldReach::Tiny) return -8 <= value && value <= 8;
  const auto threads = static_cast<std::int64_t>(block.count());
  return (-64 <= value && value <= 64) || value == threads || value == 2 * threads;
}

// Of splitmix64.
std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

FoldableParameters::FoldableParameters(const Signature& signature) {
  unsigned parameter = 0;
  for (const Parameter& p : signature.parameters) {
    const bool is_signed = p.dtype == DType::Int32 || p.dtype == DType::Int64;
    const bool is_integer = is_signed || p.dtype == DType::UInt32 || p.dtype == DType::UInt64;
    if (p.kind == Parameter::Kind::Scalar && is_integer) places_.push_back({parameter, p.offset, p.size, is_signed});
    ++parameter;
  }
}

FoldedArguments FoldableParameters::of(FoldReach reach, const Dim3& block, const void* arguments) const {
  FoldedArguments folded;
  for (const Place& p : places_) {
    const std::int64_t value = value_at(arguments, p.offset, p.size, p.is_signed);
    if (is_within(reach, value, block)) folded.push_back({p.parameter, p.offset, p.size, value});
  }
  return folded;
}

std::uint64_t FoldableParameters::key_of(FoldReach reach, const Dim3& block, const void* arguments) const noexcept {
  std::uint64_t key = 0;
  for (const Place& p : places_) {
    const std::int64_t value = value_at(arguments, p.offset, p.size, p.is_signed);
    if (is_within(reach, value, block)) key = mixed(key + p.parameter + 1) + static_cast<std::uint64_t>(value);
  }
  if (key == 0) return 0;
  for (const unsigned extent : {block.x, block.y, block.z}) key = mixed(key + extent);
  return key | 1;
}

bool holds(const FoldedArguments& folded, const void* arguments) noexcept {
  return std::all_of(folded.begin(), folded.end(), [&](const FoldedArgument& a) {
    return std::memcmp(static_cast<const std::byte*>(arguments) + a.offset, &a.value, a.size) == 0;
  });
}

bool FoldHeat::grows(std::uint64_t key, double nanoseconds, double limit) noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;
  auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.key == key; });
  if (entry == entries_.end()) {
    entry = std::min_element(entries_.begin(), entries_.end(),
                             [](const Entry& a, const Entry& b) { return a.last < b.last; });
    *entry = {.key = key};
  }
  entry->last = ++launches_;
  entry->nanoseconds += nanoseconds;
  if (entry->is_hot || entry->nanoseconds < limit) return false;
  return entry->is_hot = true;
}

void FoldHeat::cools(std::uint64_t key) noexcept {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_)
    if (entry.key == key) entry = {};
}

}  // namespace lanza::executor
