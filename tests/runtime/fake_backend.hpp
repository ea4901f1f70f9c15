// A backend of plain memory that records what it is asked for, counts what lives, watches the order of destruction, and
// fails on demand. Kernels are functions of the test. Device memory is never the caller's, unless `host_memory` says
// that it may be.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "runtime/backends.hpp"

namespace lanza::fake {

/// What tests look at and steer. One for all fake backends of a test.
struct World {
  std::mutex mutex;
  std::vector<std::string> trace;       ///< calls that do something, in order
  std::vector<std::string> violations;  ///< of the ownership contract
  std::map<std::string, int> live;      ///< objects by kind
  std::atomic<int> calls{0};
  int fail_at = 0;     ///< the call that throws, counted from 1; 0: none
  std::string failed;  ///< what that call was
  bool recording = true;
  std::map<std::string, std::function<void(const backend::Launch&)>> kernels;  ///< what runs, by symbol
  std::function<backend::CompileResult(const backend::CompileRequest&)> compile;
  std::string identity = "fake compiler 1";
  std::vector<backend::Launch> launches;

  void call(const std::string& what) {
    const int number = ++calls;
    if (recording) {
      std::lock_guard lock(mutex);
      trace.push_back(what);
    }
    if (fail_at == 0 || number != fail_at) return;
    failed = what;
    throw DriverError("fake: " + what + " failed", what, 999, "FAKE_ERROR");
  }
  void note(const std::string& what) noexcept {
    if (!recording) return;
    std::lock_guard lock(mutex);
    trace.push_back(what);
  }
  void count(const std::string& kind, int by) noexcept {
    std::lock_guard lock(mutex);
    live[kind] += by;
  }
  void violation(const std::string& text) noexcept {
    std::lock_guard lock(mutex);
    violations.push_back(text);
  }
  int alive() {
    std::lock_guard lock(mutex);
    int sum = 0;
    for (const auto& [kind, n] : live) sum += n;
    return sum;
  }
  int count_of(const std::string& what) {
    std::lock_guard lock(mutex);
    int n = 0;
    for (const auto& entry : trace) n += entry == what;
    return n;
  }
  void clear_trace() {
    std::lock_guard lock(mutex);
    trace.clear();
  }
};

/// Something that lives below a parent: counts itself, and complains when the parent goes first.
struct Counted {
  Counted(World& world, const char* kind, std::shared_ptr<std::atomic<int>> siblings)
      : world(world), kind(kind), siblings(std::move(siblings)), children(std::make_shared<std::atomic<int>>(0)) {
    world.count(kind, 1);
    if (this->siblings) ++*this->siblings;
  }
  ~Counted() {
    world.count(kind, -1);
    if (*children != 0) world.violation(std::string(kind) + " destroyed before its children");
    if (siblings) --*siblings;
  }
  World& world;
  const char* kind;
  std::shared_ptr<std::atomic<int>> siblings, children;
};

class Stream final : public backend::Stream, Counted {
 public:
  Stream(World& world, std::shared_ptr<std::atomic<int>> siblings, bool is_default)
      : Counted(world, is_default ? "default stream" : "stream", is_default ? nullptr : std::move(siblings)) {}
  void synchronize() override { world.call("synchronize"); }
  bool synchronize_for(std::chrono::nanoseconds) override { return synchronize(), true; }
  bool query() override { return world.call("query"), true; }
  void wait(backend::Event&) override { world.call("wait"); }
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(this); }
};

class Event final : public backend::Event, Counted {
 public:
  Event(World& world, std::shared_ptr<std::atomic<int>> siblings) : Counted(world, "event", std::move(siblings)) {}
  void record(backend::Stream&) override { world.call("record"); }
  bool query() override { return true; }
  void synchronize() override { world.call("synchronize event"); }
  float milliseconds_since(backend::Event&) override { return 1.5F; }
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(this); }
};

class Kernel final : public backend::Kernel, Counted {
 public:
  Kernel(World& world, std::shared_ptr<std::atomic<int>> siblings, std::string symbol)
      : Counted(world, "kernel", std::move(siblings)), symbol_(std::move(symbol)) {}
  void launch(backend::Stream&, const backend::Launch& launch) override {
    if (!world.recording) {
      launches_ = launches_ + 1;
      return;
    }
    world.call("launch");
    {
      std::lock_guard lock(world.mutex);
      world.launches.push_back(launch);
    }
    if (const auto found = world.kernels.find(symbol_); found != world.kernels.end()) found->second(launch);
  }
  std::vector<std::pair<std::string, std::int64_t>> attributes() override { return {{"num_regs", 8}}; }
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(this); }
  std::string report() override { return "fake"; }

 private:
  std::string symbol_;
  volatile long launches_ = 0;
};

class Module final : public backend::Module, Counted {
 public:
  Module(World& world, std::shared_ptr<std::atomic<int>> siblings, const backend::Code& code)
      : Counted(world, "module", std::move(siblings)), data_(code.data) {}
  ~Module() override { world.note("~module"); }
  std::unique_ptr<backend::Kernel> kernel(const backend::KernelInfo& info) override {
    world.call("kernel");
    return std::make_unique<Kernel>(world, children, info.symbol);
  }
  backend::Memory variable(const backend::VariableInfo& info) override {
    return {reinterpret_cast<backend::Pointer>(data_.data()) + info.offset, info.size};
  }
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(this); }
  std::string image(std::string_view kind) override { throw NotFound("no image '" + std::string(kind) + "'"); }

 private:
  std::string data_;
};

class Context final : public backend::Context, Counted {
 public:
  Context(World& world, bool host_memory)
      : Counted(world, "context", nullptr), host_memory_(host_memory), default_(world, children, true) {
    world.call("make context");
  }
  ~Context() override {
    world.note("~context");
    if (!allocations_.empty()) world.violation("context destroyed before its memory");
  }
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(this); }
  void synchronize() override { world.call("synchronize context"); }
  backend::Stream& default_stream() override { return default_; }
  std::unique_ptr<backend::Stream> make_stream(int, bool) override {
    world.call("make stream");
    return std::make_unique<Stream>(world, children, false);
  }
  std::unique_ptr<backend::Stream> adopt_stream(std::uintptr_t) override {
    world.call("adopt stream");
    return std::make_unique<Stream>(world, children, false);
  }
  std::unique_ptr<backend::Event> make_event(bool) override {
    world.call("make event");
    return std::make_unique<Event>(world, children);
  }
  backend::Pointer allocate(std::size_t bytes, backend::Stream&) override {
    world.call("allocate");
    if (bytes > std::size_t{1} << 40) throw OutOfMemory("fake: no room for " + std::to_string(bytes) + " bytes");
    void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    std::memset(memory, 0xCD, bytes);
    world.count("memory", 1);
    std::lock_guard lock(world.mutex);
    allocations_.insert(memory);
    return reinterpret_cast<backend::Pointer>(memory);
  }
  void release(backend::Pointer address, std::size_t, backend::Stream&) noexcept override {
    world.note("release");
    world.count("memory", -1);
    void* memory = reinterpret_cast<void*>(address);
    std::lock_guard lock(world.mutex);
    if (allocations_.erase(memory) == 0) return world.violations.push_back("memory released that is not there");
    std::free(memory);
  }
  void copy(backend::Pointer to, backend::Pointer from, std::size_t bytes, backend::Direction direction,
            backend::Stream&) override {
    world.call(direction == backend::Direction::HostToDevice   ? "to device"
               : direction == backend::Direction::DeviceToHost ? "to host"
                                                               : "on device");
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  }
  void copy_from(backend::Context&, backend::Pointer to, backend::Pointer from, std::size_t bytes,
                 backend::Stream&) override {
    world.call("between contexts");
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  }
  void fill(backend::Pointer to, const void* value, std::size_t size, std::size_t count, backend::Stream&) override {
    world.call("fill");
    for (std::size_t i = 0; i < count; ++i) std::memcpy(reinterpret_cast<char*>(to) + i * size, value, size);
  }
  bool uses_host_memory() const override { return host_memory_; }
  std::unique_ptr<backend::Module> load(const backend::Code& code, bool) override {
    world.call("load");
    return std::make_unique<Module>(world, children, code);
  }

 private:
  bool host_memory_;
  std::set<void*> allocations_;
  Stream default_;
};

class Device final : public backend::Device {
 public:
  Device(World& world, int index, bool host_memory) : world_(world), index_(index), host_memory_(host_memory) {}
  int index() const override { return index_; }
  std::string name() override { return "Fake"; }
  std::pair<int, int> compute_capability() override { return {9, 0}; }
  std::pair<std::size_t, std::size_t> memory_info() override { return {1 << 20, 1 << 30}; }
  std::vector<std::pair<std::string, std::int64_t>> attributes() override { return {{"warp_size", 32}}; }
  std::int64_t attribute(std::string_view name) override {
    if (name == "warp_size") return 32;
    if (name == "compute_mode") return compute_mode;
    throw NotFound("no attribute '" + std::string(name) + "'");
  }
  std::shared_ptr<backend::Context> primary_context() override {
    return std::make_shared<Context>(world_, host_memory_);
  }
  std::shared_ptr<backend::Context> create_context() override { return primary_context(); }
  std::string compiler_identity() override { return world_.identity; }
  backend::CompileResult compile(const backend::CompileRequest& request) override {
    world_.call("compile");
    return world_.compile(request);
  }
  int compute_mode = 0;

 private:
  World& world_;
  int index_;
  bool host_memory_;
};

class Backend final : public backend::Backend {
 public:
  Backend(World& world, int devices, bool host_memory) {
    for (int i = 0; i < devices; ++i) devices_.push_back(std::make_unique<Device>(world, i, host_memory));
  }
  int device_count() noexcept override { return static_cast<int>(devices_.size()); }
  std::string why_none() override { return devices_.empty() ? "no CUDA device: this is a test" : ""; }
  backend::Device& device(int index) override { return *devices_.at(static_cast<std::size_t>(index)); }
  Device& fake_device(int index) { return *devices_.at(static_cast<std::size_t>(index)); }
  std::vector<std::string> diagnosis() override { return {}; }

 private:
  std::vector<std::unique_ptr<Device>> devices_;
};

/// Puts fakes in place of the real backends until it is destroyed. They are never freed: devices refer to them.
class Scope {
 public:
  explicit Scope(int cuda_devices = 2, bool cpu_in_place = true) {
    static auto& all = *new std::vector<Scope::Fakes*>;
    all.push_back(new Fakes(cuda_devices, cpu_in_place));
    world = &all.back()->world;
    cuda = &all.back()->cuda;
    cpu = &all.back()->cpu;
    detail::replace_backends({[]() -> backend::Backend& { return *cuda; }, []() -> backend::Backend& { return *cpu; }});
  }
  ~Scope() { detail::replace_backends({}); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  inline static World* world = nullptr;
  inline static Backend* cuda = nullptr;
  inline static Backend* cpu = nullptr;

 private:
  struct Fakes {
    Fakes(int cuda_devices, bool cpu_in_place) : cuda(world, cuda_devices, false), cpu(world, 1, cpu_in_place) {}
    World world;
    Backend cuda, cpu;
  };
};

// ---- codes to compile to
// ---------------------------------------------------------------------------------------------

inline Parameter pointer(std::string name, std::string pointee, DType dtype, bool read_only, std::size_t element_size) {
  Parameter p;
  p.name = std::move(name);
  p.type = (read_only ? "const " : "") + std::move(pointee) + "*";
  p.kind = Parameter::Kind::Pointer;
  p.dtype = dtype;
  p.read_only = read_only;
  p.element_size = element_size;
  p.size = 8;
  return p;
}
inline Parameter pointer(std::string name, DType dtype, bool read_only = false) {
  return pointer(std::move(name), std::string(cuda_name_of(dtype)), dtype, read_only, size_of(dtype));
}
inline Parameter scalar(std::string name, DType dtype) {
  Parameter p;
  p.name = std::move(name);
  p.type = cuda_name_of(dtype);
  p.kind = Parameter::Kind::Scalar;
  p.dtype = dtype;
  p.element_size = p.size = size_of(dtype);
  return p;
}
inline Parameter record(std::string name, std::string type, std::size_t size) {
  Parameter p;
  p.name = std::move(name);
  p.type = std::move(type);
  p.kind = Parameter::Kind::Record;
  p.dtype = DType::Record;
  p.element_size = p.size = size;
  return p;
}
/// Offsets by natural alignment.
inline Signature signature(std::vector<Parameter> parameters) {
  Signature s;
  for (Parameter& p : parameters) {
    const std::size_t alignment = p.kind == Parameter::Kind::Record ? 4 : p.size;
    p.offset = (s.bytes + alignment - 1) / alignment * alignment;
    s.bytes = p.offset + p.size;
  }
  s.parameters = std::move(parameters);
  return s;
}
inline backend::KernelInfo kernel(std::string name, std::vector<Parameter> parameters) {
  backend::KernelInfo info;
  info.symbol = "_" + name;
  info.name = std::move(name);
  info.signature = signature(std::move(parameters));
  return info;
}
inline backend::CompileResult result(std::vector<backend::KernelInfo> kernels) {
  backend::CompileResult r;
  r.code.kind = "fake";
  r.code.image = "image";
  r.code.compiler = "fake 1.0";
  r.code.kernels = std::move(kernels);
  return r;
}

template <class T>
T argument(const backend::Launch& launch, std::size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(launch.arguments) + offset, sizeof value);
  return value;
}

/// multiplicar(float* dest, float* a, float* b), which works.
inline void teach_multiplicar(World& world) {
  world.compile = [](const backend::CompileRequest&) {
    return result({kernel(
        "multiplicar", {pointer("dest", DType::Float32), pointer("a", DType::Float32), pointer("b", DType::Float32)})});
  };
  world.kernels["_multiplicar"] = [](const backend::Launch& launch) {
    auto* dest = argument<float*>(launch, 0);
    const auto* a = argument<const float*>(launch, 8);
    const auto* b = argument<const float*>(launch, 16);
    for (unsigned i = 0; i < launch.block.x; ++i) dest[i] = a[i] * b[i];
  };
}

}  // namespace lanza::fake
