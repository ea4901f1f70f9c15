// `lanza cache`: what the cache of compiled code holds.
#include <lanza/cache.hpp>
#include <map>

#include "tools/commands.hpp"
#include "tools/text.hpp"

namespace lanza::cli {

int cache_path() {
  print("{}\n", cache::directory().string());
  return 0;
}

int cache_show() {
  struct Sum {
    std::uint64_t count = 0, bytes = 0;
  };
  Sum total;
  std::map<std::string, Sum> kinds;
  for (const auto& entry : cache::entries())
    for (Sum* sum : {&total, &kinds[entry.kind]}) {
      ++sum->count;
      sum->bytes += entry.bytes;
    }
  print("directory  {}\n", cache::directory().string());
  print("size       {}{}\n", size_text(total.bytes),
        cache::capacity() ? fmt::format(" of {}", size_text(cache::capacity())) : ", no limit");
  print("entries    {}\n", total.count);
  for (const auto& [kind, sum] : kinds) print("  {:<9}{} ({})\n", kind, sum.count, size_text(sum.bytes));
  const std::string problem = cache::why_unusable();
  if (!problem.empty()) print("not used   {}\n", problem);
  return 0;
}

int cache_clear() {
  const auto count = cache::entries().size();
  const auto bytes = cache::clear();
  print("removed {}, {}, from {}\n", count_text(count, "entry", "entries"), size_text(bytes),
        cache::directory().string());
  return 0;
}

}  // namespace lanza::cli
