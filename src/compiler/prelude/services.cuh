// What kernels ask of the runtime; the passes lower these calls to LanzaServices, or to PTX.
#pragma once

#include "sync_kinds.h"

extern "C" {
// A synchronisation point: sync_kinds.h says what the arguments mean.
__attribute__((device)) __attribute__((convergent)) unsigned long long __lanza_sync(unsigned int kind, unsigned int id,
                                                                                    unsigned int mask,
                                                                                    unsigned long long operand,
                                                                                    unsigned int aux);
// Folded to a constant when the target is known: LanzaReflect.
__attribute__((device)) __attribute__((const)) unsigned int __lanza_reflect(unsigned int what);
// Ends the launch: LanzaFailure (0: trap, 1: assert). The strings may be null.
__attribute__((device)) __attribute__((noreturn)) void __lanza_fail(unsigned int failure, const char* message,
                                                                    const char* file, unsigned int line,
                                                                    const char* function);
// LanzaAddressSpace (kernel_abi.h) of what a pointer points to; the start of the block's shared memory.
__attribute__((device)) __attribute__((const)) unsigned int __lanza_address_space(const void* address);
__attribute__((device)) __attribute__((const)) char* __lanza_shared();
// Its part that the kernel declares, and what the launch asked for behind it.
__attribute__((device)) __attribute__((const)) unsigned int __lanza_static_shared_bytes();
__attribute__((device)) __attribute__((const)) unsigned int __lanza_dynamic_shared_bytes();
__attribute__((device)) unsigned long long __lanza_clock();
__attribute__((device)) unsigned long long __lanza_global_timer();
// Not 0 in a cooperative launch; on a GPU the address of the driver's memory for the barrier of the grid.
__attribute__((device)) unsigned long long __lanza_grid_workspace();

// clang turns a call of printf into one of vprintf with a buffer of the arguments.
__attribute__((device)) int vprintf(const char* format, const char* arguments);
__attribute__((device)) int printf(const char* format, ...) __attribute__((format(printf, 1, 2)));

__attribute__((device)) void* malloc(size_t bytes);
__attribute__((device)) void free(void* memory);
// clang takes none of these for its own in device code, and calls of them would say nothing of what they do. Their
// symbols are others than the library's, which LLVM calls for copies of any size.
__LANZA_FN void* memcpy(void* to, const void* from, size_t bytes) __asm__("__lanza_memcpy");
__LANZA_FN void* memmove(void* to, const void* from, size_t bytes) __asm__("__lanza_memmove");
__LANZA_FN void* memset(void* to, int value, size_t bytes) __asm__("__lanza_memset");
__LANZA_FN void* memcpy(void* to, const void* from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
__LANZA_FN void* memmove(void* to, const void* from, size_t bytes) { return __builtin_memmove(to, from, bytes); }
__LANZA_FN void* memset(void* to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
}

namespace std {
using ::free;
using ::malloc;
using ::memcpy;
using ::memmove;
using ::memset;
using ::printf;
}  // namespace std

__attribute__((noreturn)) __LANZA_FN void __trap() { __lanza_fail(0, nullptr, nullptr, 0, nullptr); }
__attribute__((noreturn)) __LANZA_FN void abort() { __lanza_fail(0, nullptr, nullptr, 0, nullptr); }
__LANZA_FN void __brkpt() { __builtin_debugtrap(); }

typedef long clock_t;
__LANZA_FN long long clock64() { return static_cast<long long>(__lanza_clock()); }
__LANZA_FN clock_t clock() { return static_cast<clock_t>(__lanza_clock()); }
__LANZA_FN unsigned long long __globaltimer() { return __lanza_global_timer(); }

// The macro must see NDEBUG where it is used, not where the prelude is compiled: pasting NDEBUG, which stands for
// itself when it is not defined, picks one of the two below.
__attribute__((noreturn)) __LANZA_FN void __assert_fail(const char* message, const char* file, unsigned int line,
                                                        const char* function) {
  __lanza_fail(1, message, file, line, function);
}
#define __LANZA_ASSERT_NDEBUG(...)                       \
  (static_cast<bool>(__VA_ARGS__) ? static_cast<void>(0) \
                                  : __assert_fail(#__VA_ARGS__, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#define __LANZA_ASSERT_(...) static_cast<void>(0)
#define __LANZA_ASSERT_1(...) static_cast<void>(0)
#define __LANZA_ASSERT_PASTE(state) __LANZA_ASSERT_##state
#define __LANZA_ASSERT(state) __LANZA_ASSERT_PASTE(state)
#define assert(...) __LANZA_ASSERT(NDEBUG)(__VA_ARGS__)

#define __assume_aligned(pointer, ...) __builtin_assume_aligned(pointer, __VA_ARGS__)
#define __assume(condition) __builtin_assume(condition)
#define __builtin_assume_nonnull(pointer) __builtin_assume((pointer) != nullptr)
