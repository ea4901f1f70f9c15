// Loading and initialising the CUDA driver.
#include "backend/cuda/driver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <lanza/error.hpp>

#include "backend/cuda/driver_error.hpp"
#include "support/library.hpp"

namespace lanza::cuda_backend {
namespace {

LibrarySearch search() {
  LibrarySearch s;
  s.environment = "LANZA_CUDA_DRIVER";
  s.names = {"libcuda.so.1", "libcuda.so"};
  s.toolkit = false;
  return s;
}

/// libcuda.so.1 of toolkits' stub folders loads but answers nothing; cuInit tells.
std::string explain_failed_init(CUresult result, const std::string& path) {
  const ResultInfo info = describe(result);
  switch (result) {
    case CUDA_ERROR_NO_DEVICE:
      return fmt::format("no CUDA device: {} sees none (CUDA_VISIBLE_DEVICES may hide them)", path);
    case CUDA_ERROR_STUB_LIBRARY:
      return fmt::format("no CUDA device: {} is a stub for linking, not a driver", path);
    default:
      return fmt::format("no CUDA device: cuInit of {} failed: {} ({}): {}", path, info.name, int{result},
                         info.meaning);
  }
}

void initialise(DriverState& state, const Library& library) {
  Driver& d = state.driver;
#define LANZA_ROUTINE(name, ...) d.name.entry = library.function<CUresult(__VA_ARGS__)>(#name);
  LANZA_DRIVER_ROUTINES(LANZA_ROUTINE)
#undef LANZA_ROUTINE
  if (!d.cuInit || !d.cuDeviceGetCount) {
    state.why_none = fmt::format("no CUDA device: {} is not a CUDA driver (it has no cuInit)", state.path);
    return;
  }
  if (const CUresult result = d.cuInit(0); result != CUDA_SUCCESS) {
    state.why_none = explain_failed_init(result, state.path);
    return;
  }
  if (d.cuDriverGetVersion) d.cuDriverGetVersion(&d.version);
  if (const CUresult result = d.cuDeviceGetCount(&d.device_count); result != CUDA_SUCCESS) {
    d.device_count = 0;
    state.why_none = explain_failed_init(result, state.path);
  } else if (d.device_count == 0) {
    state.why_none = explain_failed_init(CUDA_ERROR_NO_DEVICE, state.path);
  }
}

DriverState load() {
  DriverState state;
  LibrarySearch::Result found = search().run();
  state.attempts = std::move(found.attempts);
  if (!found.library) {
    state.why_none =
        fmt::format("no CUDA device: libcuda.so.1 not found; looked in {}", fmt::join(state.attempts, "; "));
    return state;
  }
  state.path = found.library->path();
  initialise(state, *found.library);
  return state;
}

}  // namespace

void throw_missing(const char* routine) {
  throw Unavailable(
      fmt::format("this CUDA driver has no {}: it is too old for what was asked; install a newer driver", routine));
}

const DriverState& driver_state() {
  // Never destroyed: objects with static lifetime may release what they hold after main().
  static const DriverState* const state = new DriverState(load());
  static const pid_t owner = getpid();
  if (getpid() == owner) [[likely]]
    return *state;
  static const DriverState* const forked = [] {
    auto* s = new DriverState;
    s->why_none =
        "no CUDA device: the driver was initialised before fork(), and CUDA cannot be used in the child; start the "
        "child with "
        "exec (Python: multiprocessing's \"spawn\")";
    return s;
  }();
  return state->why_none.empty() ? *forked : *state;
}

const Driver& driver() {
  const DriverState& state = driver_state();
  if (!state.why_none.empty()) [[unlikely]]
    throw Unavailable(state.why_none);
  return state.driver;
}

}  // namespace lanza::cuda_backend
