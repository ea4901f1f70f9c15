// The CUDA driver, loaded at first use: a table of its routines and the checks around calling them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/driver_api.hpp"

namespace lanza::cuda_backend {

[[noreturn]] void throw_missing(const char* routine);

/// A routine of the driver, or the fact that this driver has none of that name: calling it then throws Unavailable.
template <class Signature>
struct Routine;

template <class... P>
struct Routine<CUresult(P...)> {
  const char* name;
  CUresult (*entry)(P...) = nullptr;

  explicit operator bool() const noexcept { return entry != nullptr; }
  CUresult operator()(P... arguments) const {
    if (!entry) [[unlikely]]
      throw_missing(name);
    return entry(arguments...);
  }
};

struct Driver {
#define LANZA_ROUTINE(name, ...) Routine<CUresult(__VA_ARGS__)> name{#name};
  LANZA_DRIVER_ROUTINES(LANZA_ROUTINE)
#undef LANZA_ROUTINE
  int version = 0;  ///< 13000 for CUDA 13.0
  int device_count = 0;
};

/// What the search for a driver gave. Made once, at the first call of driver_state().
struct DriverState {
  Driver driver;
  std::string path;                   ///< of the loaded library; empty: none
  std::string why_none;               ///< why there is no device, as a sentence; empty when there are some
  std::vector<std::string> attempts;  ///< a line for each place that was tried
};

/// Loads and initialises the driver at the first call. Never throws for what the machine lacks: it says so in
/// `why_none`. A process that forks afterwards cannot use the driver in the child (CUDA does not support it); the child
/// gets why_none too.
const DriverState& driver_state();
/// The driver. Throws Unavailable (why_none) when there is no device.
const Driver& driver();

}  // namespace lanza::cuda_backend
