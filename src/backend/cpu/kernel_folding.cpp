// Kernels whose code holds arguments of their launches: when it is made, and whether it stays.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <lanza/error.hpp>

#include "backend/cpu/kernel.hpp"
#include "backend/cpu/launch_plan.hpp"
#include "support/log.hpp"

namespace lanza::executor {

bool KernelRecord::is_folded(const Dim3& block, const FoldedArguments& folded) const noexcept {
  for (const Variant* v = variants_.load(std::memory_order_acquire); v; v = v->next)
    if (v->trial && is_good(*v) && v->block == block && v->folded == folded) return true;
  return false;
}

std::optional<FoldReach> KernelRecord::reach_of(const KernelObject& object) const noexcept {
  for (const Variant* v = variants_.load(std::memory_order_acquire); v; v = v->next)
    if (v->trial && v->object.get() == &object) return v->reach;
  return std::nullopt;
}

// Of the code that a launch takes; a kernel that may work alone on memory takes the shorter way.
static std::optional<double> cost_of(const KernelRecord& kernel, const KernelObject& object,
                                     const backend::Launch& launch) {
  const std::optional<Work> work = work_of(kernel, object, launch);
  if (!work) return std::nullopt;
  const std::optional<double> alone = object.cost_alone().estimate(*work), usual = object.cost().estimate(*work);
  return alone && usual ? std::min(*alone, *usual) : usual ? usual : alone;
}

// Looking costs some 40 ns: of kernels that are launched often one launch stands for several.
unsigned KernelRecord::launches_stood_for() noexcept {
  constexpr unsigned first = 64, apart = 16;
  const unsigned launch = considered_.fetch_add(1, std::memory_order_relaxed);
  if (launch < first) return 1;
  return launch % apart == 0 ? apart : 0;
}

// Launches that have code of their own already only ask for code that holds more.
std::optional<FoldReach> KernelRecord::hot_reach(const KernelObject& object, const backend::Launch& launch) {
  // By FoldReach.
  constexpr std::array<double, fold_reaches> worth_compiling_ns{50e6, 100e6, 200e6};
  constexpr unsigned most_folds = 8;
  const FoldArguments when = module->settings.fold_arguments;
  if (when == FoldArguments::Never || !(object.table().flags & LANZA_KERNEL_NARROW)) return std::nullopt;
  const bool at_once = when == FoldArguments::Always;
  const unsigned stands_for = at_once ? 1 : launches_stood_for();
  if (!stands_for) return std::nullopt;
  const std::optional<FoldReach> has = reach_of(object);
  if (has == FoldReach::All) return std::nullopt;
  const std::optional<double> cost = at_once ? 0 : cost_of(*this, object, launch);
  if (!cost) return std::nullopt;
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < fold_reaches; ++i) {
    const auto reach = static_cast<FoldReach>(i);
    if ((has || at_once) && reach != FoldReach::All) continue;
    const std::uint64_t key = foldable_.key_of(reach, launch.block, launch.arguments);
    if (key == 0 || std::exchange(last, key) == key) continue;
    auto& [heat, folds] = folding_[i];
    if (folds.load(std::memory_order_relaxed) >= most_folds) continue;
    if (!heat.grows(key, *cost * stands_for, at_once ? 0 : worth_compiling_ns[i])) continue;
    folds.fetch_add(1, std::memory_order_relaxed);
    return reach;
  }
  return std::nullopt;
}

const KernelObject* KernelRecord::consider_folding(const std::shared_ptr<KernelRecord>& self,
                                                   const KernelObject* object, const backend::Launch& launch) {
  if (const Variant* tried = tried_.load(std::memory_order_acquire)) {
    tried->trial->compare(cost_of(*this, *tried->object, launch), cost_of(*this, *tried->trial->other(), launch));
    if (tried->trial->is_over()) tried_.store(nullptr, std::memory_order_release);
    return object;
  }
  const std::optional<FoldReach> reach = hot_reach(*object, launch);
  if (!reach) return object;
  if (module->settings.fold_arguments == FoldArguments::Auto) {
    fold_behind(self, *reach, launch);
    return object;
  }
  try {
    fold(*reach, false, launch.grid, launch.block, launch.arguments);
  } catch (const Error& e) {
    log::debug("{}: {}", info.name, e.what());
  }
  const KernelObject* folded = find(launch.grid, launch.block, launch.arguments);
  return folded ? folded : object;
}

void KernelRecord::fold_behind(const std::shared_ptr<KernelRecord>& self, FoldReach reach,
                               const backend::Launch& launch) {
  const WorkForLaunch work = [reach](KernelRecord& kernel, const Dim3& grid, const Dim3& block, const void* arguments) {
    kernel.fold(reach, true, grid, block, arguments);
  };
  if (begin_behind(self, launch, work)) return;
  auto& [heat, folds] = folding_[static_cast<std::size_t>(reach)];
  heat.cools(foldable_.key_of(reach, launch.block, launch.arguments));  // other code is under way
  folds.fetch_sub(1, std::memory_order_relaxed);
}

void KernelRecord::fold(FoldReach reach, bool is_tried, const Dim3& grid, const Dim3& block, const void* arguments) {
  FoldedArguments folded = foldable_.of(reach, block, arguments);
  std::lock_guard lock(mutex_);
  if (is_folded(block, folded)) return;
  const KernelObject* other = find(grid, block, arguments);
  if (!other) return;
  const std::uint32_t size[3] = {block.x, block.y, block.z};
  KernelSource source = source_of(module->settings, false);
  source.folded = std::move(folded);
  FoundObject found = find_object(source, size, module->use_cache);
  if (!(found.object->table().flags & LANZA_KERNEL_NARROW)) return;
  if (!is_for(*found.object, grid, block, arguments)) return;
  if (is_tried) {  // each is judged by the same minutes
    for (const KernelObject* object : {other, found.object.get()})
      for (CostHistory* history : {&object->cost(), &object->cost_alone()}) history->forget();
  }
  auto variant = std::make_unique<Variant>(block, std::move(found.object), std::move(found.phases),
                                           source.as_initialised, nullptr, std::move(source.folded),
                                           std::make_unique<FoldTrial>(is_tried ? other : nullptr), reach);
  const Variant* installed = variant.get();
  install(std::move(variant));
  if (is_tried) tried_.store(installed, std::memory_order_release);
}

}  // namespace lanza::executor
