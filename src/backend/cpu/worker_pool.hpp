// The threads that run kernels: oneTBB's, shared by all streams of the process.
#pragma once

namespace lanza::executor {

/// Threads that work on one grid at most, the one that leads it included. Decided once: programs size grids by it.
unsigned worker_count();

/// Lets one more thread of the pool call `help(context)`, some time. False: there is none to ask, `help` will not be
/// called.
bool request_helper(void (*help)(void*), void* context);

}  // namespace lanza::executor
