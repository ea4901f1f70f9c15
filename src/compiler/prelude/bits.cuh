// Reinterpretation of bits: __float_as_int and its kind.
#pragma once

__LANZA_FN int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__LANZA_FN unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
__LANZA_FN float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__LANZA_FN float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
__LANZA_FN long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__LANZA_FN double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__LANZA_FN int __double2hiint(double x) { return static_cast<int>(__builtin_bit_cast(unsigned long long, x) >> 32); }
__LANZA_FN int __double2loint(double x) { return static_cast<int>(__builtin_bit_cast(unsigned long long, x)); }
__LANZA_FN double __hiloint2double(int hi, int lo) {
  return __builtin_bit_cast(
      double, static_cast<unsigned long long>(static_cast<unsigned int>(hi)) << 32 | static_cast<unsigned int>(lo));
}
