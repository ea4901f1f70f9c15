// From the driver's result codes to exceptions that say what failed, with what and what it means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/cuda/driver.hpp"

namespace lanza::cuda_backend {

struct ResultInfo {
  int code;
  const char* name;     ///< "CUDA_ERROR_INVALID_VALUE"
  const char* meaning;  ///< a clause, without a full stop
};
/// Name and meaning of a code; an unknown one is "unrecognised error code".
ResultInfo describe(int code) noexcept;
/// Every code in the table, for tests.
const std::vector<ResultInfo>& all_results();

/// The classes of failure, each an exception of its own.
enum class Failure {
  OutOfMemory,  ///< lanza::OutOfMemory
  KernelFault,  ///< LaunchError: a kernel that ran before failed; its context is lost
  Launch,       ///< LaunchError: this launch was refused; the context lives on
  Unavailable,  ///< lanza::Unavailable: the machine or the driver cannot do it
  Driver        ///< DriverError: everything else
};
Failure classify(int code) noexcept;

/// Throws for `result`. `details` stands in the parentheses: "64 bytes"; `kernels`: those launched last where it
/// failed, for a fault's message.
[[noreturn]] void throw_result(CUresult result, const char* routine, const std::string& details = {},
                               const std::vector<std::string>& kernels = {});

/// Calls a routine and throws when it fails.
template <class... P, class... A>
void call(const Routine<CUresult(P...)>& routine, A... arguments) {
  const CUresult result = routine(arguments...);
  if (result != CUDA_SUCCESS) [[unlikely]]
    throw_result(result, routine.name);
}

/// For destructors: a failure is logged, unless the driver or the context is already gone.
void report_cleanup(CUresult result, const char* routine) noexcept;
template <class... P, class... A>
void cleanup(const Routine<CUresult(P...)>& routine, A... arguments) noexcept {
  if (routine) report_cleanup(routine.entry(arguments...), routine.name);
}

}  // namespace lanza::cuda_backend
