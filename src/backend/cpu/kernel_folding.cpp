// Kernels whose code holds arguments of their launches: when it is made, and whether it stays.
#include <algorithm>
#include <optional>

#include <lanza/error.hpp>

#include "backend/cpu/kernel.hpp"
#include "backend/cpu/launch_plan.hpp"
#include "support/log.hpp"

namespace lanza::executor {

bool KernelRecord::is_folded(const Dim3& block, const void* arguments) const noexcept {
  for (const Variant* v = variants_.load(std::memory_order_acquire); v; v = v->next)
    if (v->trial && is_good(*v) && v->block == block && holds(v->folded, arguments)) return true;
  return false;
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

bool KernelRecord::is_hot(const KernelObject& object, const backend::Launch& launch) {
  constexpr double worth_compiling_ns = 50e6;
  constexpr unsigned most_folds = 8;
  const FoldArguments when = module->settings.fold_arguments;
  if (when == FoldArguments::Never || !(object.table().flags & LANZA_KERNEL_NARROW)) return false;
  if (folds_.load(std::memory_order_relaxed) >= most_folds) return false;
  const bool at_once = when == FoldArguments::Always;
  const unsigned stands_for = at_once ? 1 : launches_stood_for();
  const std::uint64_t key = stands_for ? foldable_.key_of(launch.block, launch.arguments) : 0;
  if (key == 0) return false;
  const std::optional<double> cost = at_once ? 0 : cost_of(*this, object, launch);
  if (!cost || !heat_.grows(key, *cost * stands_for, at_once ? 0 : worth_compiling_ns)) return false;
  folds_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

const KernelObject* KernelRecord::consider_folding(const std::shared_ptr<KernelRecord>& self,
                                                   const KernelObject* object, const backend::Launch& launch) {
  if (const Variant* tried = tried_.load(std::memory_order_acquire)) {
    tried->trial->compare(cost_of(*this, *tried->object, launch), cost_of(*this, *tried->trial->other(), launch));
    if (tried->trial->is_over()) tried_.store(nullptr, std::memory_order_release);
    return object;
  }
  if (!is_hot(*object, launch)) return object;
  if (module->settings.fold_arguments == FoldArguments::Auto) {
    fold_behind(self, launch);
    return object;
  }
  try {
    fold(launch.grid, launch.block, launch.arguments, false);
  } catch (const Error& e) {
    log::debug("{}: {}", info.name, e.what());
  }
  const KernelObject* folded = find(launch.grid, launch.block, launch.arguments);
  return folded ? folded : object;
}

void KernelRecord::fold_behind(const std::shared_ptr<KernelRecord>& self, const backend::Launch& launch) {
  if (begin_behind(self, launch, &KernelRecord::fold_and_try)) return;
  heat_.cools(foldable_.key_of(launch.block, launch.arguments));  // other code is under way
  folds_.fetch_sub(1, std::memory_order_relaxed);
}

void KernelRecord::fold_and_try(const Dim3& grid, const Dim3& block, const void* arguments) {
  fold(grid, block, arguments, true);
}

void KernelRecord::fold(const Dim3& grid, const Dim3& block, const void* arguments, bool is_tried) {
  std::lock_guard lock(mutex_);
  if (is_folded(block, arguments)) return;
  const KernelObject* other = find(grid, block, arguments);
  if (!other) return;
  const std::uint32_t size[3] = {block.x, block.y, block.z};
  KernelSource source = source_of(module->settings, false);
  source.folded = foldable_.of(block, arguments);
  FoundObject found = find_object(source, size, module->use_cache);
  if (!(found.object->table().flags & LANZA_KERNEL_NARROW)) return;
  if (!is_for(*found.object, grid, block, arguments)) return;
  if (is_tried) {  // each is judged by the same minutes
    for (const KernelObject* object : {other, found.object.get()})
      for (CostHistory* history : {&object->cost(), &object->cost_alone()}) history->forget();
  }
  auto variant =
      std::make_unique<Variant>(block, std::move(found.object), std::move(found.phases), source.as_initialised, nullptr,
                                std::move(source.folded), std::make_unique<FoldTrial>(is_tried ? other : nullptr));
  const Variant* installed = variant.get();
  install(std::move(variant));
  if (is_tried) tried_.store(installed, std::memory_order_release);
}

}  // namespace lanza::executor
