// Launches: on the calling thread, with help or without, or in the stream's own thread, as launch_plan.hpp decides.
#pragma once

#include <memory>

#include "backend/backend.hpp"
#include "backend/cpu/kernel.hpp"
#include "backend/cpu/stream.hpp"

namespace lanza::executor {

/// Launches checked work. Nothing is thrown for what happens while the kernel runs: that is the stream's next
/// synchronisation's.
void launch_kernel(Stream& stream, const std::shared_ptr<KernelRecord>& kernel, const KernelObject& object,
                   const backend::Launch& launch);

}  // namespace lanza::executor
