// The threads that run kernels: oneTBB's, shared by all streams of the process.
#pragma once

namespace lanza::executor {

/// Threads that work on one grid at most, the one that leads it included. Decided once: programs size grids by it.
unsigned worker_count();

/// What a thread of the pool does. `slot`, below max(2, worker_count()), is its own as long as it does.
using PoolWork = void (*)(void* context, unsigned slot);

/// Lets one more thread of the pool do `work`, some time. False: there is none to ask, or the process ends; it will not
/// be done.
bool wake_worker(PoolWork work, void* context);

/// Whether each worker can have a core of its own, as far as this process knows.
bool workers_have_cores();
bool process_ends();

}  // namespace lanza::executor
