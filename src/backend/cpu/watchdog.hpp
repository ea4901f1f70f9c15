// Ends launches whose time is over.
#pragma once

#include <chrono>
#include <memory>

#include "backend/cpu/grid_run.hpp"

namespace lanza::executor {

/// Fails the run with "timed out after 500 ms" that long from now, unless it is gone by then.
void watch(const std::shared_ptr<GridRun>& run, std::chrono::milliseconds limit);

}  // namespace lanza::executor
