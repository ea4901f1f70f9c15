// Kernels of the CPU device.
#include "backend/cpu/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cpu/background.hpp"
#include "backend/cpu/launch.hpp"
#include "backend/cpu/limits.hpp"
#include "backend/cpu/object_store.hpp"
#include "backend/cpu/quick_launch.hpp"
#include "backend/cpu/stream.hpp"
#include "support/log.hpp"

namespace lanza::executor {

// ---- code
// ------------------------------------------------------------------------------------------------------------

KernelRecord::KernelRecord(std::shared_ptr<const ModuleRecord> m, backend::KernelInfo i)
    : info(std::move(i)), module(std::move(m)), foldable_(info.signature) {}

KernelRecord::~KernelRecord() {
  for (const Variant* v = variants_.load(); v;) delete std::exchange(v, v->next);
}

static bool is_wide(const Dim3& grid, const Dim3& block) { return std::uint64_t{grid.x} * block.x > LANZA_NARROW_GRID; }

bool is_for(const KernelObject& object, const Dim3& grid, const Dim3& block, const void* arguments) {
  const std::uint32_t flags = object.table().flags;
  if (flags & LANZA_KERNEL_NARROW && is_wide(grid, block)) return false;
  if ((flags & LANZA_KERNEL_SEVERAL_X && grid.x < 2) || (flags & LANZA_KERNEL_SEVERAL_Y && grid.y < 2)) return false;
  const std::uint32_t size[3] = {grid.x, grid.y, grid.z};
  return !object.table().fits || object.table().fits(size, arguments) != 0;
}

bool KernelRecord::is_good(const Variant& v) const noexcept {
  return !v.as_initialised || module->as_initialised->load(std::memory_order_acquire);
}

// What is made for some launches comes before what is for any.
const KernelObject* KernelRecord::find(const Dim3& grid, const Dim3& block, const void* arguments) const noexcept {
  const KernelObject *wide = nullptr, *narrow = nullptr;
  for (const Variant* v = variants_.load(std::memory_order_acquire); v; v = v->next) {
    if ((v->block != block && v->block != Dim3(0, 0, 0)) || !is_good(*v)) continue;
    if (v->trial && !holds(v->folded, arguments)) continue;
    if (!is_for(*v->object, grid, block, arguments)) continue;
    if (v->trial && v->trial->takes_turn()) return v->object.get();
    if (v->trial) continue;
    auto& found = v->object->table().flags & LANZA_KERNEL_NARROW ? narrow : wide;
    if (!found) found = v->object.get();
  }
  return narrow ? narrow : wide;
}

bool KernelRecord::is_known(const Dim3& block) const noexcept {
  for (const Variant* v = variants_.load(std::memory_order_acquire); v; v = v->next) {
    if (v->block == block && is_good(*v)) return true;
  }
  return false;
}

const KernelObject* KernelRecord::obtain(const Dim3& grid, const Dim3& block, const void* arguments,
                                         const FindCode& find_code) {
  std::lock_guard lock(mutex_);
  if (const KernelObject* object = find(grid, block, arguments)) return object;
  const std::uint32_t size[3] = {block.x, block.y, block.z};
  // What most grids take, unless this one cannot; then what is for any.
  for (bool wide = is_wide(grid, block) || is_known(block);; wide = true) {
    const KernelSource source = source_of(module->settings, wide);
    const FoundObject found = find_code(source, size);
    if (!found.object) return nullptr;
    compile_seconds = compile_seconds + found.seconds;
    cached = cached && found.cached;
    install(found.any_block ? Dim3(0, 0, 0) : block, found.object, found.phases, source.as_initialised);
    if (wide || is_for(*found.object, grid, block, arguments)) return found.object.get();
  }
}

const KernelObject& KernelRecord::object(const Dim3& grid, const Dim3& block, const void* arguments) {
  if (const KernelObject* object = find(grid, block, arguments)) return *object;
  return *obtain(grid, block, arguments, [this](const KernelSource& source, const std::uint32_t size[3]) {
    return find_object(source, size, module->use_cache);
  });
}

const KernelObject* KernelRecord::find_made(const Dim3& grid, const Dim3& block, const void* arguments) {
  await_compiler();
  return obtain(grid, block, arguments, [this](const KernelSource& source, const std::uint32_t size[3]) {
    return module->use_cache ? find_made_object(source, size) : FoundObject();
  });
}

bool KernelRecord::begin_behind(const std::shared_ptr<KernelRecord>& self, const backend::Launch& launch,
                                const WorkForLaunch& work) {
  const auto ended = [this] {
    std::lock_guard lock(behind_mutex_);
    compiles_behind_ = false;
    behind_ended_.notify_all();
  };
  {
    std::lock_guard lock(behind_mutex_);
    if (std::exchange(compiles_behind_, true)) return false;
  }
  const auto* bytes = static_cast<const char*>(launch.arguments);
  const std::vector<char> arguments(bytes, bytes + launch.argument_bytes);
  const bool begun = begin_in_background([self, grid = launch.grid, block = launch.block, arguments, work, ended] {
    try {
      work(*self, grid, block, arguments.data());
    } catch (const std::exception& e) {
      log::debug("{}: {}; the next launch tries again", self->info.name, e.what());
    }
    ended();
  });
  if (!begun) ended();
  return begun;
}

bool KernelRecord::compile_behind(const std::shared_ptr<KernelRecord>& self, const backend::Launch& launch) {
  return begin_behind(self, launch, &KernelRecord::obtain_behind);
}

void KernelRecord::obtain_behind(const Dim3& grid, const Dim3& block, const void* arguments) {
  object(grid, block, arguments);
}

bool KernelRecord::await_compiler(std::chrono::nanoseconds limit) const {
  std::unique_lock lock(behind_mutex_);
  return behind_ended_.wait_for(lock, limit, [this] { return !compiles_behind_; });
}

std::shared_ptr<const KernelObject> KernelRecord::quick_object(const Dim3& block) const {
  CodeSettings settings = module->settings;
  settings.mode = LANZA_MODE_THREADS;
  const std::uint32_t size[3] = {block.x, block.y, block.z};
  KernelSource source = source_of(settings, true);
  source.quick = true;
  return find_object(source, size, false).object;
}

KernelSource KernelRecord::source_of(const CodeSettings& settings, bool wide) const {
  return {.bitcode = module->bitcode,
          .bitcode_hash = module->bitcode_hash,
          .symbol = info.symbol,
          .name = info.name,
          .settings = settings,
          .wide = wide,
          .as_initialised = module->as_initialised->load(std::memory_order_acquire)};
}

std::shared_ptr<const KernelObject> KernelRecord::child(const std::string& symbol, const std::string& name,
                                                        const Dim3& grid, const Dim3& block, const void* arguments) {
  std::lock_guard lock(children_mutex_);
  const std::uint32_t size[3] = {block.x, block.y, block.z};
  const bool as_initialised = module->as_initialised->load(std::memory_order_acquire);
  const unsigned kind = as_initialised ? 2 : 0;
  for (bool wide = is_wide(grid, block);; wide = true) {
    const std::array any{0u, 0u, 0u, kind}, this_one{block.x, block.y, block.z, kind + wide};
    for (const auto& b : {any, this_one}) {
      const auto found = children_.find({symbol, b});
      if (found != children_.end() && is_for(*found->second, grid, block, arguments)) return found->second;
    }
    if (!wide && children_.contains({symbol, this_one})) continue;
    const KernelSource source{module->bitcode, module->bitcode_hash, symbol, name, module->settings, wide,
                              as_initialised};
    const FoundObject found = find_object(source, size, module->use_cache);
    const auto& object = children_[{symbol, found.any_block ? any : this_one}] = found.object;
    if (wide || is_for(*object, grid, block, arguments)) return object;
  }
}

void KernelRecord::install(const Dim3& block, std::shared_ptr<const KernelObject> object, std::string phases,
                           bool as_initialised) {
  install(std::make_unique<Variant>(block, std::move(object), std::move(phases), as_initialised, nullptr));
}

void KernelRecord::install(std::unique_ptr<Variant> variant) {
  variant->next = variants_.load(std::memory_order_relaxed);
  variants_.store(variant.release(), std::memory_order_release);
}

std::vector<std::shared_ptr<const KernelObject>> KernelRecord::objects() const {
  await_compiler();
  std::vector<std::shared_ptr<const KernelObject>> all;
  for (const Variant* v = variants_.load(std::memory_order_acquire); v; v = v->next) all.insert(all.begin(), v->object);
  return all;
}

namespace {

// What its launches took by one worker, which leaves the atomic operations out, and by several; nothing before that is
// known. JSON.
std::string written_alone(const KernelObject& object) {
  const auto alone = object.cost_alone().nanoseconds_per_thread();
  if (!alone) return {};
  const auto beside = object.cost().nanoseconds_per_thread();
  return fmt::format(R"({{"ns_per_thread":{:.3g}{}}})", *alone,
                     beside ? fmt::format(R"(,"beside_others":{:.3g})", *beside) : std::string());
}

// The numbers that code holds in place of arguments, by name. JSON.
std::string written_arguments(const Signature& signature, const FoldedArguments& folded) {
  std::string text;
  for (const FoldedArgument& a : folded) {
    const std::string& name = signature.parameters[a.parameter].name;
    text += fmt::format(R"({}"{}":{})", text.empty() ? "" : ",", name.empty() ? fmt::format("#{}", a.parameter) : name,
                        a.value);
  }
  return "{" + text + "}";
}

const char* written_use(const FoldTrial& trial) {
  if (!trial.is_over()) return "tried";
  return trial.is_kept() ? "kept" : "no gain";
}

void add_field(std::string& line, const char* name, std::string_view value) {
  if (!value.empty()) line.insert(line.size() - 1, fmt::format("{}\"{}\":{}", line == "{}" ? "" : ",", name, value));
}

}  // namespace

std::string KernelRecord::written(const Variant& v) const {
  const char* report = v.object->table().report;
  std::string line = report && *report ? report : "{}";
  add_field(line, "front_ms", module->phases);
  add_field(line, "compile_ms", v.phases);
  add_field(line, "alone", written_alone(*v.object));
  return line;
}

// What holds arguments is told with the code for any of the same blockDim.
std::string KernelRecord::written_folded(const Variant& any) const {
  std::string text;
  for (const Variant* v = variants_.load(std::memory_order_acquire); v; v = v->next) {
    if (!v->trial || v->block != any.block || !(any.object->table().flags & LANZA_KERNEL_NARROW)) continue;
    if (!text.empty()) text.insert(0, ",");
    text.insert(0, fmt::format(R"({{"arguments":{},"use":"{}","report":{}}})",
                               written_arguments(info.signature, v->folded), written_use(*v->trial), written(*v)));
  }
  return text.empty() ? text : "[" + text + "]";
}

std::string KernelRecord::report() const {
  await_compiler();
  std::string text;
  for (const Variant* v = variants_.load(std::memory_order_acquire); v; v = v->next) {
    if (v->trial) continue;
    std::string line = written(*v);
    if (const auto of = quick_grid.load(); of != 0)
      add_field(line, "quick_start", fmt::format(R"({{"blocks":{},"of":{}}})", quick_blocks.load(), of));
    add_field(line, "folded", written_folded(*v));
    if (!text.empty()) line.push_back('\n');
    text.insert(0, line);
  }
  return text;
}

// ---- launch
// ----------------------------------------------------------------------------------------------------------

// A thread for each turn of a loop that strides with the grid, where that shows nowhere: so all workers have a part.
static backend::Launch with_thread_for_each_turn(const KernelObject& object, const backend::Launch& launch) {
  if (!object.table().blocks || launch.cooperative) return launch;
  const std::uint32_t grid[3] = {launch.grid.x, launch.grid.y, launch.grid.z};
  backend::Launch longer = launch;
  longer.grid.x = object.table().blocks(grid, launch.arguments);
  if (longer.grid.x == launch.grid.x || !is_for(object, longer.grid, launch.block, launch.arguments)) return launch;
  longer.asked_x = launch.grid.x;
  return longer;
}

void Kernel::launch(backend::Stream& stream, const backend::Launch& asked) {
  check(asked);
  Stream& ours = Stream::of(stream);
  const KernelObject* object = record_->find(asked.grid, asked.block, asked.arguments);
  if (!object && launch_quickly(ours, record_, asked)) return;
  if (!object) object = &record_->object(asked.grid, asked.block, asked.arguments);
  const backend::Launch launch = with_thread_for_each_turn(*object, asked);
  launch_kernel(ours, record_, *record_->consider_folding(record_, object, launch), launch);
}

void Kernel::check(const backend::Launch& launch) const {
  const auto& name = record_->info.name;
  const auto& [block, grid] = std::pair(launch.block, launch.grid);
  const std::uint64_t threads = block.count();
  if (threads == 0)
    throw InvalidArgument(fmt::format("{}: block {}x{}x{} has no threads; every extent must be at least 1", name,
                                      block.x, block.y, block.z));
  if (threads > limits::threads_per_block || block.x > limits::block_x || block.y > limits::block_y) {
    throw InvalidArgument(fmt::format("{}: block {}x{}x{} has {} threads; the limit of cpu is {}", name, block.x,
                                      block.y, block.z, threads, limits::threads_per_block));
  }
  if (block.z > limits::block_z) {
    throw InvalidArgument(fmt::format("{}: block {}x{}x{} is too deep; the limit of cpu for z is {}", name, block.x,
                                      block.y, block.z, limits::block_z));
  }
  if (record_->info.max_threads && threads > record_->info.max_threads) {
    throw InvalidArgument(fmt::format("{}: block {}x{}x{} has {} threads; the __launch_bounds__ of the kernel allow {}",
                                      name, block.x, block.y, block.z, threads, record_->info.max_threads));
  }
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) {
    throw InvalidArgument(
        fmt::format("{}: grid {}x{}x{} has no blocks; every extent must be at least 1", name, grid.x, grid.y, grid.z));
  }
  if (grid.x > limits::grid_x || grid.y > limits::grid_y || grid.z > limits::grid_z) {
    throw InvalidArgument(fmt::format("{}: grid {}x{}x{} is too large; the limit of cpu is {}x{}x{}", name, grid.x,
                                      grid.y, grid.z, limits::grid_x, limits::grid_y, limits::grid_z));
  }
  const std::size_t fixed = record_->info.static_shared;
  if (launch.shared > limits::shared_per_block_optin || fixed + launch.shared > limits::shared_per_block_optin) {
    throw InvalidArgument(fmt::format("{}: {} bytes of shared memory ({} static, {} dynamic); the limit of cpu is {}",
                                      name, fixed + launch.shared, fixed, launch.shared,
                                      limits::shared_per_block_optin));
  }
  if (launch.argument_bytes < record_->info.signature.bytes) {
    throw InvalidArgument(fmt::format("{}: takes {} bytes of arguments, got {}", name, record_->info.signature.bytes,
                                      launch.argument_bytes));
  }
}

// ---- questions
// -------------------------------------------------------------------------------------------------------

std::vector<std::pair<std::string, std::int64_t>> Kernel::attributes() {
  const auto& info = record_->info;
  std::int64_t frame = 0;
  for (const auto& object : record_->objects())
    frame = std::max(frame, static_cast<std::int64_t>(object->table().frame_bytes));
  return {
      {"max_threads_per_block", info.max_threads ? info.max_threads : limits::threads_per_block},
      {"shared_size_bytes", static_cast<std::int64_t>(info.static_shared)},
      {"const_size_bytes", 0},
      {"local_size_bytes", frame},  // a thread's coroutine frame, once it is compiled
      {"num_regs", 0},
      {"ptx_version", limits::compute_capability.first * 10 + limits::compute_capability.second},
      {"binary_version", limits::compute_capability.first * 10 + limits::compute_capability.second},
      {"cache_mode_ca", 0},
      {"max_dynamic_shared_size_bytes", static_cast<std::int64_t>(limits::shared_per_block_optin - info.static_shared)},
      {"preferred_shared_memory_carveout", -1},
  };
}

double Kernel::compile_seconds() const {
  record_->await_compiler();
  return record_->compile_seconds.load();
}

bool Kernel::cached() const {
  record_->await_compiler();
  return record_->cached.load();
}

std::string Kernel::report() {
  const std::string text = record_->report();
  return text.empty() ? fmt::format("{}: not compiled yet; its first launch compiles it for the blockDim it has",
                                    record_->info.name)
                      : text;
}

}  // namespace lanza::executor
