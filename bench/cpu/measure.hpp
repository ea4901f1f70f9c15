// Times of a kernel and of its twins, all interleaved.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "case.hpp"
#include "opencl.hpp"
#include "twin_library.hpp"

namespace bench {

struct Result {
  std::string name;
  double goal = 0;
  std::string engine;                   ///< "vector 16", "threads", as the kernel's report says
  std::string report;                   ///< Kernel::report()
  double compile_ms = 0;                ///< of the kernel's code for its blockDim; the source's share is not in it
  std::map<std::string, double> least;  ///< microseconds: "lanza", each compiler's twin, "pocl"
  double ratio = 0;                     ///< lanza to the faster twin
  double noise = 0;                     ///< how the faster twin's two measurements differ, relative
  double error = 0;                     ///< of the results
  bool wrong = false;                   ///< beyond the tolerance
};

struct Settings {
  int threads = 1;
  double seconds = 0.5;  ///< a case; 0: results are compared, times are not measured
};

/// `opencl` may be null. At least 5 rounds. On several threads a twin is shared out evenly and in small parts on
/// demand: the better counts.
Result measure(const Case& c, const lanza::Kernel& kernel, const std::vector<TwinLibrary>& twins, OpenCl* opencl,
               const Settings&);

}  // namespace bench
