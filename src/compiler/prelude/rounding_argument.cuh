// Old names of conversions and arithmetic whose rounding is an argument: double2int(x, cudaRoundZero).
#pragma once

enum cudaRoundMode { cudaRoundNearest = 0, cudaRoundZero = 1, cudaRoundPosInf = 2, cudaRoundMinInf = 3 };

#define __LANZA_ROUND(NAME, ARGUMENTS)             \
  (mode == cudaRoundNearest  ? NAME##_rn ARGUMENTS \
   : mode == cudaRoundPosInf ? NAME##_ru ARGUMENTS \
   : mode == cudaRoundMinInf ? NAME##_rd ARGUMENTS \
                             : NAME##_rz ARGUMENTS)
#define __LANZA_ROUNDED(R, NAME, T, DEFAULT) \
  __LANZA_FN R NAME(T x, enum cudaRoundMode mode = DEFAULT) { return __LANZA_ROUND(__##NAME, (x)); }
__LANZA_ROUNDED(int, double2int, double, cudaRoundZero)
__LANZA_ROUNDED(unsigned int, double2uint, double, cudaRoundZero)
__LANZA_ROUNDED(long long, double2ll, double, cudaRoundZero)
__LANZA_ROUNDED(unsigned long long, double2ull, double, cudaRoundZero)
__LANZA_ROUNDED(double, ll2double, long long, cudaRoundNearest)
__LANZA_ROUNDED(double, ull2double, unsigned long long, cudaRoundNearest)
#undef __LANZA_ROUNDED
__LANZA_FN double int2double(int x, enum cudaRoundMode = cudaRoundNearest) { return x; }
__LANZA_FN double uint2double(unsigned int x, enum cudaRoundMode = cudaRoundNearest) { return x; }
__LANZA_FN double float2double(float x, enum cudaRoundMode = cudaRoundNearest) { return static_cast<double>(x); }
__LANZA_FN double dadd(double x, double y, enum cudaRoundMode mode = cudaRoundNearest) {
  return __LANZA_ROUND(__dadd, (x, y));
}
__LANZA_FN double dsub(double x, double y, enum cudaRoundMode mode = cudaRoundNearest) {
  return __LANZA_ROUND(__dsub, (x, y));
}
__LANZA_FN double dmul(double x, double y, enum cudaRoundMode mode = cudaRoundNearest) {
  return __LANZA_ROUND(__dmul, (x, y));
}
__LANZA_FN double fma(double x, double y, double z, enum cudaRoundMode mode) { return __LANZA_ROUND(__fma, (x, y, z)); }
#undef __LANZA_ROUND
