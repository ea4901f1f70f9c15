// A kernel as a shared object of its own that does what its first argument says, in block 3 of the grid.
#include "compiler/kernel_abi.h"

namespace {

struct Arguments {
  uint64_t what;
  volatile char* memory;
};

int deep(volatile char* memory, int depth) {
  volatile char frame[512];
  frame[depth & 511] = 1;
  return depth < 0 ? *memory : deep(memory, depth + 1) + frame[depth & 511];
}

void misbehave(const Arguments& a, LanzaBlock* block) {
  switch (a.what) {
    case 1:
      *a.memory = 1;
      return;
    case 2:
      block->alone = static_cast<uint32_t>(*a.memory);
      return;
    case 3:
      reinterpret_cast<void (*)()>(const_cast<char*>(a.memory))();
      return;
    case 4:
      block->alone = static_cast<uint32_t>(deep(a.memory, 1));
      return;
    case 5:
      __builtin_trap();
    case 6:
      block->launch->services->fail(block, LANZA_FAIL_ASSERT, "i < n", "k.cu", 7, "void k(int)");
      return;
    case 7:
#if defined(__x86_64__)
      __asm__ volatile("int3");
#endif
      return;
    case 8:
      block->launch->services->print(block, "%s", &a.memory);
      return;
    case 9:
      block->launch->services->release(block, const_cast<char*>(a.memory));
      return;
    case 10: {
      const LanzaServices& services = *block->launch->services;
      void* memory = services.allocate(block, 100);
      services.release(block, memory);
      services.release(block, memory);
      return;
    }
    default:
      return;
  }
}

int32_t run(const LanzaLaunch*, const void* arguments, LanzaBlock* block) {
  for (; block->next < block->end; ++block->next) {
    block->index[0] = static_cast<uint32_t>(block->next);
    if (block->next == 3) misbehave(*static_cast<const Arguments*>(arguments), block);
  }
  return LANZA_DONE;
}

}  // namespace

extern "C" __attribute__((visibility("default")))
const LanzaKernelObject lanza_kernel = {LANZA_KERNEL_ABI, LANZA_KERNEL_RANGES, run, 0, {0, 0, 0}, 1, 0, "{}"};
