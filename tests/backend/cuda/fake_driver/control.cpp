// The test's side of the fake driver: loading it and finding its control functions.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "backend/cuda/fake_driver/fake_driver.hpp"

namespace lanza::fake {
namespace {

template <class F>
void resolve(void* library, F*& function, const char* name) {
  function = reinterpret_cast<F*>(dlsym(library, name));
  if (function) return;
  std::fprintf(stderr, "the fake driver has no %s\n", name);
  std::abort();
}

Driver load() {
  setenv("LANZA_CUDA_DRIVER", LANZA_FAKE_DRIVER_PATH, 1);
  void* library = dlopen(LANZA_FAKE_DRIVER_PATH, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "cannot load the fake driver: %s\n", dlerror());
    std::abort();
  }
  Driver d{};
  resolve(library, d.log_text, "lanza_fake_log");
  resolve(library, d.clear_log, "lanza_fake_clear_log");
  resolve(library, d.fail_calls, "lanza_fake_fail");
  resolve(library, d.clear_failures, "lanza_fake_clear_failures");
  resolve(library, d.calls, "lanza_fake_calls");
  resolve(library, d.live, "lanza_fake_live");
  resolve(library, d.violations_text, "lanza_fake_violations");
  resolve(library, d.break_contexts, "lanza_fake_break_contexts");
  resolve(library, d.set_memory, "lanza_fake_set_memory");
  resolve(library, d.set_attribute, "lanza_fake_set_attribute");
  resolve(library, d.set_parameters, "lanza_fake_set_parameters");
  resolve(library, d.on_launch, "lanza_fake_on_launch");
  resolve(library, d.quiet, "lanza_fake_quiet");
  resolve(library, d.reset, "lanza_fake_reset");
  return d;
}

}  // namespace

const Driver& driver() {
  static const Driver instance = load();
  return instance;
}

}  // namespace lanza::fake
