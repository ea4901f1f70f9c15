// The threads that run kernels: oneTBB's. The only file that knows oneTBB; it is built without ThreadSanitizer, which
// cannot see the synchronisation inside the library (what crosses to a helper is synchronised in helpers.cpp).
#include "backend/cpu/worker_pool.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <cstdlib>
#include <memory>

#include "support/cpu.hpp"

namespace lanza::executor {
namespace {

// Never destroyed: threads may still run kernels while the process ends.
struct Pool {
  unsigned workers = cpu_threads();
  unsigned cores = static_cast<unsigned>(tbb::info::default_concurrency());
  // oneTBB makes no more threads than there are cores, unless told so.
  std::unique_ptr<tbb::global_control> more;
  tbb::task_arena arena{static_cast<int>(workers > 1 ? workers - 1 : 1), 0};
  std::atomic<bool> ending{false};

  Pool() {
    if (workers > cores) {
      more = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, workers);
    }
  }
};

Pool& pool() {
  static Pool& made = *[] {
    auto* p = new Pool;
    std::atexit([] { pool().ending = true; });
    return p;
  }();
  return made;
}

}  // namespace

unsigned worker_count() { return pool().workers; }

bool wake_worker(PoolWork work, void* context) {
  Pool& p = pool();
  if (p.workers < 2 || process_ends()) return false;
  p.arena.enqueue(
      [work, context] { work(context, static_cast<unsigned>(tbb::this_task_arena::current_thread_index())); });
  return true;
}

bool workers_have_cores() { return pool().workers <= pool().cores; }

bool process_ends() { return pool().ending.load(std::memory_order_relaxed); }

}  // namespace lanza::executor
