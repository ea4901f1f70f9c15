// The compiled kernels of the process: memory, disk cache, compiler plug-in.
#include "backend/cpu/object_store.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include <lanza/error.hpp>

#include "compiler/loader.hpp"
#include "support/disk_cache.hpp"
#include "support/log.hpp"

namespace lanza::executor {
namespace {

constexpr std::size_t kept_unused = 256;  // objects of the last kernels stay loaded when nobody uses them
constexpr std::uint32_t any_block[3] = {0, 0, 0};

// Loaded objects by key. Never destroyed: kernels may run while the process ends.
class LoadedObjects {
 public:
  static LoadedObjects& get() {
    static LoadedObjects& made = *new LoadedObjects;
    return made;
  }

  /// The object, or nothing and the right to make it: then call end().
  std::shared_ptr<const KernelObject> find_or_begin(const Hash128& key, const Hash128& generic) {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (auto object = look_up(key, generic)) return object;
      if (in_work_.insert(key).second) return nullptr;
      changed_.wait(lock);
    }
  }
  std::shared_ptr<const KernelObject> find(const Hash128& key, const Hash128& generic) {
    std::lock_guard lock(mutex_);
    return look_up(key, generic);
  }
  void end(const Hash128& key) {
    {
      std::lock_guard lock(mutex_);
      in_work_.erase(key);
    }
    changed_.notify_all();
  }
  void add(const Hash128& key, const std::shared_ptr<const KernelObject>& object) {
    std::lock_guard lock(mutex_);
    objects_[key] = object;
    recent_.push_back(object);
    if (recent_.size() <= kept_unused) return;
    recent_.pop_front();
    std::erase_if(objects_, [](const auto& entry) { return entry.second.expired(); });
  }

 private:
  std::shared_ptr<const KernelObject> look_up(const Hash128& key, const Hash128& generic) const {
    for (const auto& k : {generic, key}) {
      if (auto found = objects_.find(k); found != objects_.end()) {
        if (auto object = found->second.lock()) return object;
      }
    }
    return nullptr;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Hash128, std::weak_ptr<const KernelObject>> objects_;
  std::set<Hash128> in_work_;
  std::deque<std::shared_ptr<const KernelObject>> recent_;
};

std::shared_ptr<const KernelObject> open_from_disk(const Hash128& key) {
  const auto path = DiskCache::process_wide().find(key, "so");
  if (!path) return nullptr;
  try {
    return KernelObject::open(*path);
  } catch (const Error& e) {
    log::warning("{}; it is compiled anew", e.what());
    return nullptr;
  }
}

LanzaBytes bytes_of(std::string_view text) { return {text.data(), text.size()}; }

struct Compiled {
  std::string bytes;
  bool any_block;
  double seconds;
  std::string phases;
};

Compiled compile(const KernelSource& source, const std::uint32_t block[3]) {
  const LanzaCompiler& plugin = compiler::plugin();
  LanzaSpecialiseRequest request{};
  request.bitcode = bytes_of(source.bitcode);
  request.kernel = bytes_of(source.symbol);
  request.target = bytes_of(source.settings.target);
  for (int axis = 0; axis < 3; ++axis) request.block[axis] = block[axis];
  request.mode = source.settings.mode;
  request.lanes = source.settings.lanes;
  request.wide = source.wide;
  request.as_initialised = source.as_initialised;
  request.quick = source.quick;
  std::vector<LanzaArgumentValue> folded;
  for (const FoldedArgument& a : source.folded) folded.push_back({a.parameter, a.value});
  request.folded = folded.data();
  request.folded_count = folded.size();
  const std::unique_ptr<LanzaSpecialiseResult, void (*)(LanzaSpecialiseResult*)> result(plugin.specialise(&request),
                                                                                        plugin.free_specialise);
  if (!result) throw CompileError(fmt::format("{}: the compiler gave no result (no memory)", source.name), {});
  std::string log(result->log.data ? result->log.data : "", result->log.size);
  if (!result->ok) {
    throw CompileError(fmt::format("{}: the kernel cannot be compiled for the CPU: {}", source.name, log),
                       {.log = log});
  }
  return {std::string(result->object.data, result->object.size), result->generic != 0, result->seconds,
          std::string(result->phases.data, result->phases.size)};
}

FoundObject compile_and_load(const KernelSource& source, const std::uint32_t block[3], bool use_cache) {
  const Compiled code = compile(source, block);
  FoundObject found{nullptr, code.any_block, false, code.seconds, code.phases};
  if (use_cache) {
    const Hash128 key = object_key(source, code.any_block ? any_block : block);
    if (DiskCache::process_wide().put(key, "so", code.bytes)) found.object = open_from_disk(key);
  }
  if (!found.object) found.object = KernelObject::open(code.bytes, fmt::format("lanza-{}", source.name));
  return found;
}

FoundObject from_cache(std::shared_ptr<const KernelObject> object) {
  const auto& block = object->table().block;
  const bool any = block[0] == 0 && block[1] == 0 && block[2] == 0;
  return {.object = std::move(object), .any_block = any, .cached = true};
}

}  // namespace

Hash128 object_key(const KernelSource& source, const std::uint32_t block[3]) {
  Hasher hasher;
  hasher.add("lanza kernel object").add(compiler::expected_version()).add(LANZA_KERNEL_ABI);
  hasher.add(source.bitcode_hash.high).add(source.bitcode_hash.low).add(source.symbol).add(source.settings.text());
  for (int axis = 0; axis < 3; ++axis) hasher.add(std::uint64_t{block[axis]});
  hasher.add(std::uint64_t{source.wide}).add(std::uint64_t{source.as_initialised});
  for (const FoldedArgument& a : source.folded)
    hasher.add(std::uint64_t{a.parameter}).add(static_cast<std::uint64_t>(a.value));
  return hasher.finish();
}

FoundObject find_made_object(const KernelSource& source, const std::uint32_t block[3]) {
  const Hash128 key = object_key(source, block), generic = object_key(source, any_block);
  LoadedObjects& loaded = LoadedObjects::get();
  if (auto object = loaded.find(key, generic)) return from_cache(std::move(object));
  for (const Hash128& k : {generic, key}) {
    if (auto object = open_from_disk(k)) {
      loaded.add(k, object);
      return from_cache(std::move(object));
    }
  }
  return {};
}

FoundObject find_object(const KernelSource& source, const std::uint32_t block[3], bool use_cache) {
  if (!use_cache) return compile_and_load(source, block, false);
  const Hash128 key = object_key(source, block), generic = object_key(source, any_block);
  LoadedObjects& loaded = LoadedObjects::get();
  if (auto object = loaded.find_or_begin(key, generic)) return from_cache(std::move(object));
  struct End {
    LoadedObjects& loaded;
    const Hash128& key;
    ~End() { loaded.end(key); }
  } end{loaded, key};
  if (FoundObject found = find_made_object(source, block); found.object) return found;
  FoundObject found = compile_and_load(source, block, true);
  loaded.add(found.any_block ? generic : key, found.object);
  return found;
}

}  // namespace lanza::executor
