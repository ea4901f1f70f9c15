// CUDA C++ text to a loaded kernel object, and a small executor for it: what the tests of code generation share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/codegen/specialise.hpp"
#include "compiler/kernel_abi.h"

namespace lanza::compiler::testing {

struct Dim {
  unsigned x = 1, y = 1, z = 1;
};

/// Bitcode as the plug-in's front end makes it, by the clang of the build, with a small prelude of the tests
/// (threadIdx.x is tid_x, ...).
std::string bitcode_of(const std::string& cuda, const std::string& flags = "");
/// The request, with strings that must outlive it.
LanzaSpecialiseRequest request_for(const std::string& bitcode, const std::string& kernel,
                                   const std::string& target = "native");
/// The report of kernel k of the source, compiled for blocks of x by y threads with the engine chosen automatically.
/// Throws std::runtime_error where it does not compile.
std::string report_of(const std::string& cuda, unsigned x = 64, unsigned y = 1, const std::string& target = "native");

/// A kernel object, loaded. Runs on the calling thread.
class LoadedKernel {
 public:
  explicit LoadedKernel(const std::string& object);
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel&) = delete;
  LoadedKernel& operator=(const LoadedKernel&) = delete;

  const LanzaKernelObject& table() const { return *table_; }

  struct Launch {
    Dim grid, block;
    unsigned dynamic_shared = 0;
    char* globals = nullptr;
    uint64_t first = 0, last = ~0ull;  ///< the range of blocks, in linear order; by default all
  };
  /// Runs all blocks and returns the status of the last call; FAILED when the kernel failed or its threads were stuck.
  int run(const Launch& launch, const void* arguments);

  /// What the kernel did with the services.
  std::vector<std::string> printed;
  struct Failure {
    unsigned kind = ~0u;
    std::string message, file, function;
    unsigned line = 0;
  } failure;

 private:
  std::string path_;
  void* library_ = nullptr;
  const LanzaKernelObject* table_ = nullptr;
};

/// Packs arguments at their natural alignment, as the runtime does.
class Arguments {
 public:
  template <class T>
  Arguments& add(const T& value) {
    bytes_.resize((bytes_.size() + alignof(T) - 1) / alignof(T) * alignof(T));
    const auto* p = reinterpret_cast<const char*>(&value);
    bytes_.insert(bytes_.end(), p, p + sizeof(T));
    return *this;
  }
  const void* data() {
    aligned_.assign((bytes_.size() + 15) / 16 + 1, Chunk{});
    __builtin_memcpy(aligned_.data(), bytes_.data(), bytes_.size());
    return aligned_.data();
  }

 private:
  struct alignas(16) Chunk {
    char bytes[16];
  };
  std::vector<char> bytes_;
  std::vector<Chunk> aligned_;
};

template <class... T>
Arguments pack(const T&... values) {
  Arguments arguments;
  (arguments.add(values), ...);
  return arguments;
}

/// Names of the undefined symbols of an object, by nm.
std::string undefined_symbols(const std::string& object);

}  // namespace lanza::compiler::testing
