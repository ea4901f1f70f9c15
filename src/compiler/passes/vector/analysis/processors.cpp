#include "compiler/passes/vector/analysis/processors.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/MCSubtargetInfo.h>

using namespace llvm;

namespace lanza::compiler {

bool has_features(const TargetMachine& host, const char* features) {
  static thread_local StringMap<bool> known;
  const auto [answer, is_new] = known.try_emplace(
      (host.getTargetCPU() + Twine(' ') + host.getTargetFeatureString() + Twine(' ') + features).str());
  if (is_new) answer->second = host.getMCSubtargetInfo()->checkFeatures(features);
  return answer->second;
}

bool is_wide_core(const TargetMachine& host) { return host.getTargetCPU() == "znver5"; }

bool has_avx2_at_most(const TargetMachine& host) {
  return has_features(host, "+avx2") && !has_features(host, "+avx512f");
}

static bool is_intels(const TargetMachine& host) {
  const StringRef cpu = host.getTargetCPU();
  return cpu.contains("lake") || cpu.contains("rapids");
}

unsigned turns_to_memory(const TargetMachine& host) { return is_intels(host) ? 1 : 2; }

bool follows_rows(const TargetMachine& host) { return is_intels(host); }

bool fetches_to_second_cache(const TargetMachine& host) {
  const StringRef cpu = host.getTargetCPU();
  return cpu.starts_with("znver") && cpu != "znver5";
}

unsigned blocks_beside(const TargetMachine& host) { return is_intels(host) ? 4 : 2; }

bool asks_for_much(const TargetMachine& host) { return is_wide_core(host) || is_intels(host); }

bool adds_beside_products(const TargetMachine& host) {
  const StringRef cpu = host.getTargetCPU();
  return cpu.starts_with("znver") && cpu != "znver5";
}

bool stores_masked_fast(const TargetMachine& host) { return is_intels(host) || has_features(host, "+avx512vl"); }

bool divides_slowly(const TargetMachine& host) { return is_intels(host) && has_features(host, "+avx512f"); }

bool gathers_fast(const TargetMachine& host) { return !host.getTargetCPU().starts_with("znver"); }

bool masks_rows(const TargetMachine& host) {
  return !gathers_fast(host) && has_features(host, "+avx512f,+avx512bw,+avx512vl");
}

bool loads_lines_slowly(const TargetMachine& host) { return shuffles_fast(host) || is_intels(host); }

bool shuffles_fast(const TargetMachine& host) {
  return host.getTargetCPU() == "znver4" || host.getTargetCPU() == "znver5";
}

}  // namespace lanza::compiler
