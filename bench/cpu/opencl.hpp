// The kernels of the list in OpenCL C, run by PoCL, where the build found OpenCL and the machine has a CPU device of
// it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "case.hpp"

namespace bench {

class OpenCl {
 public:
  /// Null where there is none; on so many threads.
  static std::unique_ptr<OpenCl> make(const std::string& source_file, int threads);
  virtual ~OpenCl() = default;
  /// The case's launches on the arrays of Lanza's kernel, which hold the results when it returns; empty where the file
  /// has no such kernel.
  virtual std::function<void()> runner(const Case&) = 0;
};

}  // namespace bench
