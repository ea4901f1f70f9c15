// Barriers in shared memory, by PTX's mbarrier: CUDA's primitives for C.
#pragma once

typedef unsigned long long __mbarrier_t, __mbarrier_token_t;

__LANZA_FN unsigned int __mbarrier_maximum_count() { return (1u << 20) - 1; }
__LANZA_FN void __mbarrier_init(__mbarrier_t* barrier, unsigned int expected) {
  asm volatile("mbarrier.init.b64 [%0], %1;" ::"l"(barrier), "r"(expected) : "memory");
}
__LANZA_FN void __mbarrier_inval(__mbarrier_t* barrier) {
  asm volatile("mbarrier.inval.b64 [%0];" ::"l"(barrier) : "memory");
}
__LANZA_FN __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier) {
  __mbarrier_token_t token;
  asm volatile("mbarrier.arrive.b64 %0, [%1];" : "=l"(token) : "l"(barrier) : "memory");
  return token;
}
__LANZA_FN __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier) {
  __mbarrier_token_t token;
  asm volatile("mbarrier.arrive_drop.b64 %0, [%1];" : "=l"(token) : "l"(barrier) : "memory");
  return token;
}
__LANZA_FN unsigned int __mbarrier_token_pending_count(__mbarrier_token_t token) {
  unsigned int count;
  asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
  return count;
}

// `try` may wait for a while; where no barrier of hardware tells, it looks once.
#define __LANZA_MBARRIER_WAIT(INSTRUCTION, CONSTRAINT, WHAT)                                       \
  unsigned int done;                                                                               \
  asm volatile("{ .reg .pred p; mbarrier." INSTRUCTION ".b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" \
               : "=r"(done)                                                                        \
               : "l"(barrier), CONSTRAINT(WHAT)                                                    \
               : "memory");                                                                        \
  return done != 0

__LANZA_FN bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
  __LANZA_MBARRIER_WAIT("test_wait", "l", token);
}
__LANZA_FN bool __mbarrier_test_wait_parity(__mbarrier_t* barrier, bool parity) {
  __LANZA_MBARRIER_WAIT("test_wait.parity", "r", static_cast<unsigned int>(parity));
}
__LANZA_FN bool __mbarrier_try_wait(__mbarrier_t* barrier, __mbarrier_token_t token, unsigned int) {
  __LANZA_MBARRIER_WAIT("test_wait", "l", token);
}
__LANZA_FN bool __mbarrier_try_wait_parity(__mbarrier_t* barrier, bool parity, unsigned int) {
  __LANZA_MBARRIER_WAIT("test_wait.parity", "r", static_cast<unsigned int>(parity));
}
#undef __LANZA_MBARRIER_WAIT
