// char1 .. double4, dim3 and their make_ functions, with CUDA's sizes and alignments.
#pragma once

#define __LANZA_VECTOR(NAME, T, ALIGN2, ALIGN4)                                            \
  struct NAME##1 { T x; };                                                                 \
  struct __attribute__((aligned(ALIGN2))) NAME##2 { T x, y; };                             \
  struct NAME##3 { T x, y, z; };                                                           \
  struct __attribute__((aligned(ALIGN4))) NAME##4 { T x, y, z, w; };                       \
  constexpr __LANZA_HD NAME##1 make_##NAME##1(T x) { return NAME##1 {x}; }                 \
  constexpr __LANZA_HD NAME##2 make_##NAME##2(T x, T y) { return NAME##2 {x, y}; }         \
  constexpr __LANZA_HD NAME##3 make_##NAME##3(T x, T y, T z) { return NAME##3 {x, y, z}; } \
  constexpr __LANZA_HD NAME##4 make_##NAME##4(T x, T y, T z, T w) { return NAME##4 {x, y, z, w}; }

__LANZA_VECTOR(char, signed char, 2, 4)
__LANZA_VECTOR(uchar, unsigned char, 2, 4)
__LANZA_VECTOR(short, short, 4, 8)
__LANZA_VECTOR(ushort, unsigned short, 4, 8)
__LANZA_VECTOR(int, int, 8, 16)
__LANZA_VECTOR(uint, unsigned int, 8, 16)
__LANZA_VECTOR(long, long, 16, 16)
__LANZA_VECTOR(ulong, unsigned long, 16, 16)
__LANZA_VECTOR(longlong, long long, 16, 16)
__LANZA_VECTOR(ulonglong, unsigned long long, 16, 16)
__LANZA_VECTOR(float, float, 8, 16)
__LANZA_VECTOR(double, double, 16, 16)
#undef __LANZA_VECTOR

// CUDA 13's names for four elements of 8 bytes, by their alignment; the plain ones have 16.
#define __LANZA_VECTOR4(NAME, ALIGNMENT, T)                                                       \
  struct __attribute__((aligned(ALIGNMENT))) NAME##4_##ALIGNMENT##a { T x, y, z, w; };            \
  constexpr __LANZA_HD NAME##4_##ALIGNMENT##a make_##NAME##4_##ALIGNMENT##a(T x, T y, T z, T w) { \
    return NAME##4_##ALIGNMENT##a{x, y, z, w};                                                    \
  }
#define __LANZA_VECTOR4_BOTH(NAME, T) __LANZA_VECTOR4(NAME, 16, T) __LANZA_VECTOR4(NAME, 32, T)
__LANZA_VECTOR4_BOTH(long, long)
__LANZA_VECTOR4_BOTH(ulong, unsigned long)
__LANZA_VECTOR4_BOTH(longlong, long long)
__LANZA_VECTOR4_BOTH(ulonglong, unsigned long long)
__LANZA_VECTOR4_BOTH(double, double)
#undef __LANZA_VECTOR4
#undef __LANZA_VECTOR4_BOTH

struct dim3 {
  unsigned int x, y, z;
  constexpr __LANZA_HD dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr __LANZA_HD dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr __LANZA_HD operator uint3() const { return uint3{x, y, z}; }
};
