// Atomic operations on global and shared memory, relaxed as CUDA's. One machine's memory serves all scopes; those of
// the system, which host code may take part in, are volatile here (passes/retarget.hpp).
#pragma once

// OPERATION(T, SCOPE, NAME) for the plain name and its _block and _system forms.
#define __LANZA_SCOPES(OPERATION, T, NAME) \
  OPERATION(T, , NAME) OPERATION(T, , NAME##_block) OPERATION(T, volatile, NAME##_system)

#define __LANZA_ADD(T, SCOPE, NAME) \
  __LANZA_FN T NAME(SCOPE T* address, T value) { return __atomic_fetch_add(address, value, __ATOMIC_RELAXED); }
#define __LANZA_SUB(T, SCOPE, NAME) \
  __LANZA_FN T NAME(SCOPE T* address, T value) { return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED); }
#define __LANZA_MIN(T, SCOPE, NAME) \
  __LANZA_FN T NAME(SCOPE T* address, T value) { return __atomic_fetch_min(address, value, __ATOMIC_RELAXED); }
#define __LANZA_MAX(T, SCOPE, NAME) \
  __LANZA_FN T NAME(SCOPE T* address, T value) { return __atomic_fetch_max(address, value, __ATOMIC_RELAXED); }
#define __LANZA_AND(T, SCOPE, NAME) \
  __LANZA_FN T NAME(SCOPE T* address, T value) { return __atomic_fetch_and(address, value, __ATOMIC_RELAXED); }
#define __LANZA_OR(T, SCOPE, NAME) \
  __LANZA_FN T NAME(SCOPE T* address, T value) { return __atomic_fetch_or(address, value, __ATOMIC_RELAXED); }
#define __LANZA_XOR(T, SCOPE, NAME) \
  __LANZA_FN T NAME(SCOPE T* address, T value) { return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED); }
#define __LANZA_EXCHANGE(T, SCOPE, NAME) \
  __LANZA_FN T NAME(SCOPE T* address, T value) { return __atomic_exchange_n(address, value, __ATOMIC_RELAXED); }
#define __LANZA_CAS(T, SCOPE, NAME)                                                                    \
  __LANZA_FN T NAME(SCOPE T* address, T expected, T value) {                                           \
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return expected;                                                                                   \
  }

#define __LANZA_INTEGER_ATOMICS(T)                \
  __LANZA_SCOPES(__LANZA_EXCHANGE, T, atomicExch) \
  __LANZA_SCOPES(__LANZA_CAS, T, atomicCAS)       \
  __LANZA_SCOPES(__LANZA_ADD, T, atomicAdd)       \
  __LANZA_SCOPES(__LANZA_MIN, T, atomicMin)       \
  __LANZA_SCOPES(__LANZA_MAX, T, atomicMax)       \
  __LANZA_SCOPES(__LANZA_AND, T, atomicAnd)       \
  __LANZA_SCOPES(__LANZA_OR, T, atomicOr)         \
  __LANZA_SCOPES(__LANZA_XOR, T, atomicXor)

__LANZA_INTEGER_ATOMICS(int)
__LANZA_INTEGER_ATOMICS(unsigned int)
__LANZA_INTEGER_ATOMICS(unsigned long long)
__LANZA_SCOPES(__LANZA_SUB, int, atomicSub)
__LANZA_SCOPES(__LANZA_SUB, unsigned int, atomicSub)
__LANZA_SCOPES(__LANZA_MIN, long long, atomicMin)
__LANZA_SCOPES(__LANZA_MAX, long long, atomicMax)
__LANZA_SCOPES(__LANZA_AND, long long, atomicAnd)
__LANZA_SCOPES(__LANZA_OR, long long, atomicOr)
__LANZA_SCOPES(__LANZA_XOR, long long, atomicXor)
__LANZA_SCOPES(__LANZA_CAS, unsigned short, atomicCAS)
__LANZA_SCOPES(__LANZA_ADD, float, atomicAdd)
__LANZA_SCOPES(__LANZA_ADD, double, atomicAdd)

// Of vectors each element by itself is atomic, as on compute capability 9.0.
#define __LANZA_ADD_VECTOR(T, SCOPE, NAME)                                                       \
  __LANZA_FN T NAME(SCOPE T* address, T value) {                                                 \
    SCOPE float* const to = reinterpret_cast<SCOPE float*>(address);                             \
    const float* const from = reinterpret_cast<const float*>(&value);                            \
    T old;                                                                                       \
    for (unsigned i = 0; i < sizeof(T) / sizeof(float); ++i)                                     \
      reinterpret_cast<float*>(&old)[i] = __atomic_fetch_add(to + i, from[i], __ATOMIC_RELAXED); \
    return old;                                                                                  \
  }
__LANZA_SCOPES(__LANZA_ADD_VECTOR, float2, atomicAdd)
__LANZA_SCOPES(__LANZA_ADD_VECTOR, float4, atomicAdd)

#define __LANZA_EXCHANGE_FLOAT(T, SCOPE, NAME)                                                                         \
  __LANZA_FN T NAME(SCOPE T* address, T value) {                                                                       \
    return __uint_as_float(__atomic_exchange_n(reinterpret_cast<SCOPE unsigned int*>(address), __float_as_uint(value), \
                                               __ATOMIC_RELAXED));                                                     \
  }
__LANZA_SCOPES(__LANZA_EXCHANGE_FLOAT, float, atomicExch)

#define __LANZA_INC(T, SCOPE, NAME)                                                                         \
  __LANZA_FN T NAME(SCOPE T* address, T limit) {                                                            \
    T old = __atomic_load_n(address, __ATOMIC_RELAXED);                                                     \
    while (!__atomic_compare_exchange_n(address, &old, old >= limit ? 0 : old + 1, false, __ATOMIC_RELAXED, \
                                        __ATOMIC_RELAXED)) {                                                \
    }                                                                                                       \
    return old;                                                                                             \
  }
#define __LANZA_DEC(T, SCOPE, NAME)                                                                      \
  __LANZA_FN T NAME(SCOPE T* address, T limit) {                                                         \
    T old = __atomic_load_n(address, __ATOMIC_RELAXED);                                                  \
    while (!__atomic_compare_exchange_n(address, &old, old == 0 || old > limit ? limit : old - 1, false, \
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {                           \
    }                                                                                                    \
    return old;                                                                                          \
  }
__LANZA_SCOPES(__LANZA_INC, unsigned int, atomicInc)
__LANZA_SCOPES(__LANZA_DEC, unsigned int, atomicDec)

#undef __LANZA_SCOPES
#undef __LANZA_INTEGER_ATOMICS
#undef __LANZA_ADD
#undef __LANZA_SUB
#undef __LANZA_MIN
#undef __LANZA_MAX
#undef __LANZA_AND
#undef __LANZA_OR
#undef __LANZA_XOR
#undef __LANZA_EXCHANGE
#undef __LANZA_CAS
#undef __LANZA_EXCHANGE_FLOAT
#undef __LANZA_INC
#undef __LANZA_DEC
