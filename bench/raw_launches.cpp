// A burst of launches by the raw driver, for bench/launch.py: a loop in Python would measure ctypes.
#include <chrono>

using Launch = int(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned shared,
                   void* stream, void** arguments, void** extra);

/// The nanoseconds of a launch in a burst of `calls`, of blocks of 32 threads; negative where one fails.
extern "C" [[gnu::visibility("default")]] double lanza_bench_raw_launches(Launch* launch, void* function, void* stream,
                                                                          void** arguments, int calls) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i)
    if (launch(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr) != 0) return -1;
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / calls;
}
