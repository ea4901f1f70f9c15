// Ends launches whose time is over.
#pragma once

#include <chrono>
#include <memory>

#include "backend/cpu/grid_run.hpp"

namespace lanza::executor {

/// Ends a run that was told to stop also where it never looks: its threads are called out of the kernel.
void interrupt(const std::shared_ptr<GridRun>& run) noexcept;

/// Fails the run with "timed out after 500 ms" that long from now, unless it is gone by then, and interrupts it.
void watch(const std::shared_ptr<GridRun>& run, std::chrono::milliseconds limit);

/// Calls ask_callers() again and again until that says that there is no need. False: no memory, no thread.
bool watch_callers() noexcept;

}  // namespace lanza::executor
