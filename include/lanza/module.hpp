// Modules: compiled sources, loaded on a device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <lanza/buffer.hpp>
#include <lanza/kernel.hpp>

namespace lanza {

/// A handle that shares ownership of a loaded module; never empty, thread-safe as Context is.
class LANZA_API Module {
 public:
  Module(const Module&) = default;
  Module& operator=(const Module&) = default;

  /// The kernel of that name: "multiplicar", "ns::scale", "axpy<float>"; of overloaded kernels "scale(float*, int)".
  /// Namespaces and template arguments may be left out where one kernel fits. An instance of a template that was not in
  /// CompileOptions::names is compiled now, into a module of its own with variables of its own: name it when compiling
  /// if it must share __device__ or
  /// __constant__ variables with the others. Throws NotFound (the message lists the kernels) and InvalidArgument when
  /// several fit.
  Kernel kernel(std::string_view name) const;
  /// The names of all kernels, as kernel() takes them.
  std::vector<std::string> kernels() const;
  /// A __device__ or __constant__ variable as memory, which keeps the module alive. Throws NotFound and lists the
  /// variables.
  Buffer<> variable(std::string_view name) const;

  /// The code in a form of the device's: "cubin", "ptx", "bitcode", "llvm", ... Throws NotFound and lists what there
  /// is.
  std::string image(std::string_view kind) const;
  const std::string& log() const noexcept;       ///< the compiler's warnings
  const std::string& compiler() const noexcept;  ///< "NVRTC 13.0", "clang 19.1.7"
  const std::string& filename() const noexcept;
  /// True when nothing had to be compiled: all came from the disk cache, also the code that kernels needed at their
  /// first launches.
  bool cached() const;
  /// Seconds spent in the compiler, or in finding its results in the cache.
  double compile_seconds() const;

  Device device() const noexcept;
  Context context() const noexcept;
  std::uintptr_t handle() const;  ///< CUmodule

  explicit Module(std::shared_ptr<detail::ModuleRecord> record) noexcept : record_(std::move(record)) {}
  const std::shared_ptr<detail::ModuleRecord>& shared() const noexcept { return record_; }

 private:
  std::shared_ptr<detail::ModuleRecord> record_;
};

}  // namespace lanza
