// Loads and stores with cache hints, which are plain ones here, and questions about address spaces.
#pragma once

#define __LANZA_LOAD_HINTS(T)                                       \
  __LANZA_FN T __ldg(const T* address) { return *address; }         \
  __LANZA_FN T __ldca(const T* address) { return *address; }        \
  __LANZA_FN T __ldcg(const T* address) { return *address; }        \
  __LANZA_FN T __ldcs(const T* address) { return *address; }        \
  __LANZA_FN T __ldlu(const T* address) { return *address; }        \
  __LANZA_FN T __ldcv(const T* address) { return *address; }        \
  __LANZA_FN void __stwb(T* address, T value) { *address = value; } \
  __LANZA_FN void __stcg(T* address, T value) { *address = value; } \
  __LANZA_FN void __stcs(T* address, T value) { *address = value; } \
  __LANZA_FN void __stwt(T* address, T value) { *address = value; }
#define __LANZA_LOAD_HINTS_INTEGER(T, VECTOR) \
  __LANZA_LOAD_HINTS(T)                       \
  __LANZA_LOAD_HINTS(VECTOR##2)               \
  __LANZA_LOAD_HINTS(VECTOR##4)

__LANZA_LOAD_HINTS(char)
__LANZA_LOAD_HINTS(long)
__LANZA_LOAD_HINTS(unsigned long)
__LANZA_LOAD_HINTS_INTEGER(signed char, char)
__LANZA_LOAD_HINTS_INTEGER(unsigned char, uchar)
__LANZA_LOAD_HINTS_INTEGER(short, short)
__LANZA_LOAD_HINTS_INTEGER(unsigned short, ushort)
__LANZA_LOAD_HINTS_INTEGER(int, int)
__LANZA_LOAD_HINTS_INTEGER(unsigned int, uint)
__LANZA_LOAD_HINTS(long long)
__LANZA_LOAD_HINTS(longlong2)
__LANZA_LOAD_HINTS(unsigned long long)
__LANZA_LOAD_HINTS(ulonglong2)
__LANZA_LOAD_HINTS_INTEGER(float, float)
__LANZA_LOAD_HINTS(double)
__LANZA_LOAD_HINTS(double2)
#undef __LANZA_LOAD_HINTS
#undef __LANZA_LOAD_HINTS_INTEGER
