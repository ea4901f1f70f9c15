// Kernels: functions of a module that run on its device.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <lanza/arguments.hpp>
#include <lanza/launch.hpp>
#include <lanza/signature.hpp>
#include <lanza/stream.hpp>

namespace lanza {

namespace detail {

/// What a language adds to a launch: how errors name its values, and how it waits. Null members: as C++ does it.
struct Caller {
  /// "float64 array (400,)" for the argument at `index` (from 0).
  std::string (*describe)(const Caller&, std::size_t index, const Argument&) = nullptr;
  /// What to do about a wrong type: "convert with .astype(numpy.float32)"; empty: nothing to say.
  std::string (*hint)(const Caller&, const Parameter&, const Argument&) = nullptr;
  /// Waits for the stream's work, looking at signals.
  void (*wait)(const Caller&, StreamRecord&) = nullptr;
  const char* in = "in";  ///< what lanza::in is called there
  /// True: pointers are checked by item size alone (programs that reinterpret memory on purpose).
  bool sizes_only = false;
};

/// Checks the arguments against the kernel's parameters and launches it: the one binder of all languages. Allocates
/// nothing and takes no lock unless host memory has to be copied. Errors as Kernel::operator().
LANZA_API void launch(KernelRecord&, const LaunchConfig&, const Argument* arguments, std::size_t count,
                      const Caller* = nullptr);

}  // namespace detail

/// A handle that shares ownership of its module; never empty, thread-safe as Context is. Launching from several threads
/// at once is fine.
class LANZA_API Kernel {
 public:
  Kernel(const Kernel&) = default;
  Kernel& operator=(const Kernel&) = default;

  /// Enqueues the kernel. Arguments, checked against the parameters before anything runs:
  /// - for `T*` and `const T*`: a Buffer<T> of the kernel's context; a host range in in(), out(), inout() or as it is
  /// (read for
  ///   `const T*`, read and written for `T*`); nullptr;
  /// - for numbers: integers with a range check, floating point of the same type or a wider one;
  /// - for structs: a trivially copyable object of the same size.
  /// Throws ArgumentTypeError (wrong type or count), InvalidArgument (value out of range, no block, a limit
  /// exceeded, memory of another device), OutOfMemory, LaunchError (when it waits, also for what earlier launches on
  /// the stream did).
  template <class... A>
  void operator()(const LaunchConfig& config, A&&... arguments) const {
    const std::array<detail::Argument, sizeof...(A)> list{detail::argument(arguments)...};
    detail::launch(*record_, config, list.data(), list.size());
  }

  const std::string& name() const noexcept;  ///< as the user calls it: "axpy<float>"
  const Signature& signature() const noexcept;
  /// The module that holds the kernel's variables.
  Module module() const;
  /// Lower-case names of CUfunction_attribute: "num_regs", "shared_size_bytes", "max_threads_per_block", ...
  std::vector<std::pair<std::string, std::int64_t>> attributes() const;
  /// How it was compiled, where there is something to say (CPU): a line of JSON for each blockDim that it was compiled
  /// for, with the engine and why, its lanes, what each region became, and, where this process compiled it, the
  /// milliseconds of each phase. docs/cpu-backend.md names the fields. A sentence before the first launch.
  std::string report() const;
  std::uintptr_t handle() const;  ///< CUfunction

  explicit Kernel(std::shared_ptr<detail::KernelRecord> record) noexcept : record_(std::move(record)) {}
  const std::shared_ptr<detail::KernelRecord>& shared() const noexcept { return record_; }

 private:
  std::shared_ptr<detail::KernelRecord> record_;
};

}  // namespace lanza
