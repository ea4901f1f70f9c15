// The one interface that a backend implements. Nothing else crosses between the runtime and a device.
//
// Ownership: the runtime holds every object made here and destroys children before their parents (a kernel before its
// module, a module, stream, event or allocation before its context), so that implementations keep plain references to
// their parents. Thread-safety: all calls may come from any thread, several at once, except the destruction of the
// object itself. Errors: the exceptions of <lanza/error.hpp>; destructors and release() never throw, they report
// through support/log.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lanza/dim3.hpp>
#include <lanza/error.hpp>
#include <lanza/signature.hpp>

namespace lanza::backend {

using Pointer = std::uintptr_t;  ///< address in a device's memory

// ---- compiling -----------------------------------------------------------------------------------------------------

struct Header {
  std::string name;  ///< as in #include
  std::string text;
};

struct CompileRequest {
  std::string source;
  std::string filename = "kernel.cu";
  std::vector<std::string> names;    ///< name expressions
  std::vector<std::string> options;  ///< NVRTC's spelling
  std::vector<std::string> include_dirs;
  std::vector<Header> headers;
};

struct KernelInfo {
  std::string symbol;      ///< in the image: mangled
  std::string name;        ///< as the user calls it: "axpy", "ns::axpy<float>"
  std::string expression;  ///< the name expression that asked for it, as given; else empty
  Signature signature;
  unsigned max_threads = 0;  ///< __launch_bounds__; 0: none or unknown
  std::size_t static_shared = 0;
};

struct VariableInfo {
  std::string symbol, name, expression;
  std::uint64_t offset = 0, size = 0;  ///< in the data segment (CPU); CUDA asks the driver
  bool constant = false;
  bool folded = false;  ///< CPU: code may hold its initial value, until somebody asks where it is
};

/// What a compiler made of a source, before it is loaded: the part that the disk cache keeps.
struct Code {
  std::string kind;  ///< of the image: "cubin", "ptx" or "bitcode"
  std::string image;
  std::vector<KernelInfo> kernels;
  std::vector<VariableInfo> variables;
  std::string data;                        ///< CPU: initial data segment; CUDA: the PTX that a cubin was made from
  std::uint64_t data_bytes = 0;            ///< CPU: size of the whole segment, which is zero behind `data`
  std::vector<std::uint64_t> relocations;  ///< CPU: offsets in data of pointers to be rebased on the segment
  std::string log;                         ///< warnings
  std::string compiler;                    ///< "NVRTC 13.0", "clang 19.1.7"
  std::string phases;                      ///< CPU: JSON of the compiler's milliseconds by phase; empty from the cache
};

/// A file that the compiler read, or a path that it probed and did not find: both decide the result.
struct Dependency {
  std::string path;
  bool present = true;
};

struct CompileResult {
  Code code;
  std::vector<Dependency> dependencies;
  bool cacheable = true;  ///< false: an include could not be resolved by our scan, so the key would be incomplete
};

// ---- objects -------------------------------------------------------------------------------------------------------

class Stream;

class Event {
 public:
  virtual ~Event() = default;
  virtual void record(Stream&) = 0;
  virtual bool query() = 0;  ///< true: done, or never recorded
  virtual void synchronize() = 0;
  /// Milliseconds from `start` to this. Throws InvalidArgument when either was not recorded, has no timing or is of
  /// another backend.
  virtual float milliseconds_since(Event& start) = 0;
  virtual std::uintptr_t handle() const = 0;
};

class Stream {
 public:
  virtual ~Stream() = default;
  /// Waits for all work; reports an asynchronous fault (LaunchError with the kernel's name).
  virtual void synchronize() = 0;
  /// The same with a limit, so that callers can look at signals: true when all work is done. Errors as synchronize().
  virtual bool synchronize_for(std::chrono::nanoseconds) = 0;
  virtual bool query() = 0;
  virtual void wait(Event&) = 0;
  /// Asks the kernels that run or wait here to end early, with a LaunchError (CPU: at their next block or yield). CUDA
  /// cannot.
  virtual void cancel() noexcept {}
  virtual std::uintptr_t handle() const = 0;  ///< CUstream, or the CPU stream's address
};

struct Launch {
  Dim3 grid, block;
  std::size_t shared = 0;
  const void* arguments = nullptr;  ///< packed as the signature says; copied before launch() returns; 16-byte aligned
  std::size_t argument_bytes = 0;
  bool cooperative = false;
  bool caller_waits = false;  ///< the caller synchronises next: the CPU may run the kernel on the calling thread
  std::chrono::milliseconds timeout{0};  ///< 0: none
  std::uint32_t asked_x = 0;  ///< grid.x as the caller asked for it, where the device does the same by another one
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Checks grid, block and shared memory against the limits (InvalidArgument), then enqueues.
  virtual void launch(Stream&, const Launch&) = 0;
  /// Names as PyCUDA has them, lower case: num_regs, shared_size_bytes, local_size_bytes, max_threads_per_block, ...
  virtual std::vector<std::pair<std::string, std::int64_t>> attributes() = 0;
  virtual std::uintptr_t handle() const = 0;
  /// How it is compiled, as text for people: engine and why (CPU); empty where there is nothing to say.
  virtual std::string report() = 0;
  /// Seconds spent compiling this kernel after the module was loaded, and whether that code came from the cache.
  virtual double compile_seconds() const { return 0; }
  virtual bool cached() const { return true; }
};

struct Memory {
  Pointer address = 0;
  std::size_t size = 0;
};

class Module {
 public:
  virtual ~Module() = default;
  virtual std::unique_ptr<Kernel> kernel(const KernelInfo&) = 0;
  virtual Memory variable(const VariableInfo&) = 0;
  virtual std::uintptr_t handle() const = 0;
  /// Images by kind: "cubin", "ptx", "sass" ... (CUDA), "bitcode", "llvm", "object" (CPU). Throws NotFound and lists
  /// what there is.
  virtual std::string image(std::string_view kind) = 0;
};

enum class Direction : std::uint8_t { HostToDevice, DeviceToHost, DeviceToDevice };

class Context {
 public:
  virtual ~Context() = default;
  virtual std::uintptr_t handle() const = 0;  ///< CUcontext; CPU: an address
  virtual void synchronize() = 0;

  virtual Stream& default_stream() = 0;
  virtual std::unique_ptr<Stream> make_stream(int priority, bool non_blocking) = 0;
  virtual std::unique_ptr<Stream> adopt_stream(std::uintptr_t handle) = 0;  ///< not destroyed with the object
  virtual std::unique_ptr<Event> make_event(bool timing) = 0;

  /// Stream-ordered allocation from a caching pool, aligned to 256 bytes; bytes > 0. Throws OutOfMemory after the pool
  /// gave back.
  virtual Pointer allocate(std::size_t bytes, Stream&) = 0;
  virtual void release(Pointer, std::size_t bytes, Stream&) noexcept = 0;

  /// Enqueues a copy. HostToDevice: the host memory may be changed when the call returns. DeviceToHost: valid after the
  /// stream is synchronised.
  virtual void copy(Pointer destination, Pointer source, std::size_t bytes, Direction, Stream&) = 0;
  /// Copies between contexts, maybe of different devices of this backend; enqueued on `stream` of this context.
  virtual void copy_from(Context& other, Pointer destination, Pointer source, std::size_t bytes, Stream& stream) = 0;
  /// `count` elements of `size` bytes (1, 2, 4, 8 or 16) set to *value.
  virtual void fill(Pointer destination, const void* value, std::size_t size, std::size_t count, Stream&) = 0;
  /// True: kernels of this context can read and write the host's memory in place (CPU).
  virtual bool uses_host_memory() const = 0;

  virtual std::unique_ptr<Module> load(const Code&, bool use_cache) = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual int index() const = 0;
  virtual std::string name() = 0;
  virtual std::pair<int, int> compute_capability() = 0;           ///< CPU: the level of CUDA that its kernels see
  virtual std::pair<std::size_t, std::size_t> memory_info() = 0;  ///< free, total
  /// Lower-case names of CUdevice_attribute: max_threads_per_block, multiprocessor_count, warp_size, ...
  virtual std::vector<std::pair<std::string, std::int64_t>> attributes() = 0;
  /// One attribute without asking for all. Throws NotFound.
  virtual std::int64_t attribute(std::string_view name) = 0;

  virtual std::shared_ptr<Context> primary_context() = 0;  ///< made at first use, lives while somebody holds it
  virtual std::shared_ptr<Context> create_context() = 0;   ///< an own one

  /// Identity of compiler and target for cache keys: found without loading the compiler. Throws Unavailable when there
  /// is none.
  virtual std::string compiler_identity() = 0;
  /// Always compiles: the runtime asks the cache first. Throws CompileError.
  virtual CompileResult compile(const CompileRequest&) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual int device_count() noexcept = 0;
  /// Why there are no devices, as a sentence: "no CUDA device: libcuda.so.1 not found; looked in ...". Empty when there
  /// are some.
  virtual std::string why_none() = 0;
  virtual Device& device(int index) = 0;  ///< throws InvalidArgument when out of range
  /// What was looked for and where, a line each, for `lanza doctor`.
  virtual std::vector<std::string> diagnosis() = 0;
};

/// The backends: made at first call, never destroyed before the process ends. Touch no driver until a method is called.
Backend& cuda();
Backend& cpu();

/// Where the output of printf in kernels on the CPU goes: called by whoever synchronises (or by a thread of the
/// executor when very much waits), maybe by several threads, and when the process ends. Empty: stdout. Whoever sets a
/// sink takes it back before it dies.
void set_print_sink(std::function<void(std::string_view)> sink);

}  // namespace lanza::backend
