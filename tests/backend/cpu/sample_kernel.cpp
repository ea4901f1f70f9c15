// A kernel as a shared object of its own, as the compiler makes them: out[block] = block + 1.
#include "compiler/kernel_abi.h"

namespace {

int32_t run(const LanzaLaunch*, const void* arguments, LanzaBlock* block) {
  auto* out = *static_cast<uint64_t* const*>(arguments);
  for (; block->next < block->end; ++block->next) out[block->next] = block->next + 1;
  return LANZA_DONE;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const LanzaKernelObject lanza_kernel = {
    LANZA_KERNEL_ABI, LANZA_KERNEL_RANGES, run, 0, {0, 0, 0}, 1, 0, "{\"engine\": \"sample\"}"};
