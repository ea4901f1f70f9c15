// The records that handles share. Each holds its parents, and its members stand in such an order that backend objects
// die before their parents: members are destroyed from the last to the first. LANZA_API marks what the Python binding
// uses.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <lanza/export.hpp>
#include <lanza/fwd.hpp>
#include <lanza/launch.hpp>

#include "backend/backend.hpp"
#include "runtime/plan.hpp"

namespace lanza::detail {

/// A stream: one that we made or adopted (`owned`), or the default stream, which is a part of its context.
struct StreamRecord : std::enable_shared_from_this<StreamRecord> {
  explicit StreamRecord(ContextRecord& default_stream_of);
  StreamRecord(std::shared_ptr<ContextRecord> context, std::unique_ptr<backend::Stream> stream);
  ~StreamRecord();

  std::shared_ptr<ContextRecord> parent;  ///< null for the default stream, which its context contains
  ContextRecord& context;
  std::unique_ptr<backend::Stream> owned;
  backend::Stream& stream;

  /// Keeps `thing` alive until the work that the stream holds now is known to be done (a launch that does not wait).
  LANZA_API void keep(std::shared_ptr<void> thing);
  /// Waits for the stream, then lets go of what was kept. Errors as backend::Stream::synchronize().
  void synchronize();
  bool query();
  /// Takes what was kept, to be let go of by the caller once the stream's work is done.
  LANZA_API std::vector<std::shared_ptr<void>> take_kept();

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<void>> kept_;
  std::atomic<bool> keeps_{false};
};

struct ContextRecord : std::enable_shared_from_this<ContextRecord> {
  ContextRecord(DeviceRecord& device, std::shared_ptr<backend::Context> context);

  DeviceRecord& device;
  const std::shared_ptr<backend::Context> context;
  const bool uses_host_memory;
  StreamRecord default_stream;
};

struct EventRecord {
  EventRecord(std::shared_ptr<ContextRecord> context, bool timing, std::unique_ptr<backend::Event> event);

  std::shared_ptr<ContextRecord> context;
  bool timing;
  std::unique_ptr<backend::Event> event;
  std::atomic<bool> recorded{false};
};

/// Memory: allocated from the pool of its context (`stream` is where that was ordered), or part of a module (`owner`).
struct BufferRecord {
  BufferRecord(std::shared_ptr<StreamRecord> stream, std::size_t bytes);
  LANZA_API BufferRecord(std::shared_ptr<ContextRecord> context, std::shared_ptr<const void> owner, backend::Memory);
  LANZA_API ~BufferRecord();
  BufferRecord(const BufferRecord&) = delete;
  BufferRecord& operator=(const BufferRecord&) = delete;

  const std::shared_ptr<ContextRecord> context;
  const std::shared_ptr<const void> owner;
  const std::shared_ptr<StreamRecord> stream;  ///< null: not from the pool
  backend::Pointer address = 0;
  std::size_t bytes = 0;

  /// To be called before work that uses the memory is enqueued on `user`: the memory is not handed out again before
  /// that work is done.
  void use_on(StreamRecord& user) {
    if (&user != stream.get() && stream) use_elsewhere(user);
  }

 private:
  void use_elsewhere(StreamRecord& user);

  // Streams other than its own that used the memory: the first few without a lock, any further ones behind it.
  std::array<std::atomic<StreamRecord*>, 4> seen_{};
  std::mutex mutex_;
  std::vector<std::shared_ptr<StreamRecord>> users_;
};

/// A kernel lives in its module's record, and handles share the module: whoever holds a kernel holds its module.
struct KernelRecord {
  KernelRecord(ModuleRecord& module, const backend::KernelInfo& info, std::unique_ptr<backend::Kernel> kernel);

  ModuleRecord& module;
  const backend::KernelInfo& info;
  const Plan plan;
  const std::unique_ptr<backend::Kernel> kernel;
};

struct ModuleRecord : std::enable_shared_from_this<ModuleRecord> {
  ModuleRecord(std::shared_ptr<ContextRecord> context, backend::CompileRequest request, bool use_cache);

  const std::shared_ptr<ContextRecord> context;
  const backend::CompileRequest request;  ///< to compile names that are asked for later
  const bool use_cache;
  backend::Code code;  ///< its image is dropped once it is loaded
  bool cached = false;
  double seconds = 0;  ///< compiling, or finding in the cache
  std::unique_ptr<backend::Module> module;

  /// The kernel of that entry of code.kernels, made at its first use.
  KernelRecord& kernel(std::size_t index);

  std::mutex mutex;
  std::vector<std::unique_ptr<KernelRecord>> kernels;                 ///< by index in code.kernels; null: not used yet
  std::map<std::string, std::shared_ptr<ModuleRecord>> instantiated;  ///< names compiled later
};

/// Ownership of a stream by its record, also of a default stream.
std::shared_ptr<StreamRecord> share(StreamRecord&);
/// Ownership of a kernel by its record.
std::shared_ptr<KernelRecord> share(KernelRecord&);
/// `waiter` goes on only after the work that `done` holds now. Both are of one kind of device.
void order_after(StreamRecord& waiter, StreamRecord& done);
/// A device's identity in messages: "cuda:0".
const std::string& id_of(const ContextRecord&) noexcept;

}  // namespace lanza::detail
