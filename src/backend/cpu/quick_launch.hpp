// The first launch of a kernel whose code takes long to compile.
//
// It begins with code of the thread engine, which runs slowly and is compiled fast, while the code that the kernel
// keeps is made on another thread, and goes on with that between two blocks, once it is there. Every later launch waits
// for that code. Both give the same results, bit by bit, so that nothing but the time tells. Blocks must be short, as
// one that was begun keeps its code. LANZA_CPU_QUICK_START says when: `auto` (default): where the quick code is there
// first; `always`: even where it is not; `never`.
#pragma once

#include <memory>

#include "backend/backend.hpp"
#include "backend/cpu/kernel.hpp"
#include "backend/cpu/stream.hpp"

namespace lanza::executor {

/// Launches checked work for which the kernel has no code yet. False: nothing was launched; the kernel's own code is
/// there, is to be waited for, or says what is wrong. Throws Error where the stream cannot have a thread.
bool launch_quickly(Stream& stream, const std::shared_ptr<KernelRecord>& kernel, const backend::Launch& launch);

}  // namespace lanza::executor
