// Loads and stores with cache hints. Most are plain ones here; those that pass by the first-level cache, where
// other blocks' stores are seen, are volatile: loops spin on them.
#pragma once

#define __LANZA_LOAD_HINTS(T)                                       \
  __LANZA_FN T __ldg(const T* address) { return *address; }         \
  __LANZA_FN T __ldca(const T* address) { return *address; }        \
  __LANZA_FN T __ldcs(const T* address) { return *address; }        \
  __LANZA_FN T __ldlu(const T* address) { return *address; }        \
  __LANZA_FN void __stwb(T* address, T value) { *address = value; } \
  __LANZA_FN void __stcg(T* address, T value) { *address = value; } \
  __LANZA_FN void __stcs(T* address, T value) { *address = value; } \
  __LANZA_FN void __stwt(T* address, T value) { *address = value; }
#define __LANZA_FRESH(T, NAME) \
  __LANZA_FN T NAME(const T* address) { return *reinterpret_cast<const volatile T*>(address); }
#define __LANZA_FRESH_VECTOR(T, N, VECTOR, NAME)                                     \
  __LANZA_FN VECTOR NAME(const VECTOR* address) {                                    \
    typedef T __lanza_words __attribute__((ext_vector_type(N)));                     \
    __lanza_words fresh = *reinterpret_cast<const volatile __lanza_words*>(address); \
    return __builtin_bit_cast(VECTOR, fresh);                                        \
  }
#define __LANZA_SCALAR_HINTS(T) __LANZA_LOAD_HINTS(T) __LANZA_FRESH(T, __ldcg) __LANZA_FRESH(T, __ldcv)
#define __LANZA_VECTOR_HINTS(T, N, VECTOR)   \
  __LANZA_LOAD_HINTS(VECTOR)                 \
  __LANZA_FRESH_VECTOR(T, N, VECTOR, __ldcg) \
  __LANZA_FRESH_VECTOR(T, N, VECTOR, __ldcv)
#define __LANZA_LOAD_HINTS_INTEGER(T, VECTOR) \
  __LANZA_SCALAR_HINTS(T)                     \
  __LANZA_VECTOR_HINTS(T, 2, VECTOR##2)       \
  __LANZA_VECTOR_HINTS(T, 4, VECTOR##4)

__LANZA_SCALAR_HINTS(char)
__LANZA_SCALAR_HINTS(long)
__LANZA_SCALAR_HINTS(unsigned long)
__LANZA_LOAD_HINTS_INTEGER(signed char, char)
__LANZA_LOAD_HINTS_INTEGER(unsigned char, uchar)
__LANZA_LOAD_HINTS_INTEGER(short, short)
__LANZA_LOAD_HINTS_INTEGER(unsigned short, ushort)
__LANZA_LOAD_HINTS_INTEGER(int, int)
__LANZA_LOAD_HINTS_INTEGER(unsigned int, uint)
__LANZA_SCALAR_HINTS(long long)
__LANZA_VECTOR_HINTS(long long, 2, longlong2)
__LANZA_SCALAR_HINTS(unsigned long long)
__LANZA_VECTOR_HINTS(unsigned long long, 2, ulonglong2)
__LANZA_LOAD_HINTS_INTEGER(float, float)
__LANZA_SCALAR_HINTS(double)
__LANZA_VECTOR_HINTS(double, 2, double2)
#undef __LANZA_LOAD_HINTS
#undef __LANZA_FRESH
#undef __LANZA_FRESH_VECTOR
#undef __LANZA_SCALAR_HINTS
#undef __LANZA_VECTOR_HINTS
#undef __LANZA_LOAD_HINTS_INTEGER
