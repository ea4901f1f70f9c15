// Integer intrinsics: bits, high products, averages, byte permutes, dot products; min, max and abs of integers.
#pragma once

__LANZA_FN int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x)); }
__LANZA_FN int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
__LANZA_FN int __ffs(int x) { return __builtin_ffs(x); }
__LANZA_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
__LANZA_FN int __popc(unsigned int x) { return __builtin_popcount(x); }
__LANZA_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__LANZA_FN unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
__LANZA_FN unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

// Each selector nibble picks a byte of y:x by its lower three bits. Its top bit is not used: NVRTC masks it away before
// prmt.
__LANZA_FN unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned int result = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    unsigned int nibble = selector >> (4 * i);
    result |= (static_cast<unsigned int>(bytes >> (8 * (nibble & 7u))) & 0xffu) << (8 * i);
  }
  return result;
}

// As LLVM knows them: one instruction of the host, or a rotation, in lanes of 32 bits.
__LANZA_FN unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
  return hi << (shift & 31u) | lo >> 1 >> (~shift & 31u);
}
__LANZA_FN unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return shift < 32 ? __funnelshift_l(lo, hi, shift) : lo;
}
__LANZA_FN unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
  return lo >> (shift & 31u) | hi << 1 << (~shift & 31u);
}
__LANZA_FN unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return shift < 32 ? __funnelshift_r(lo, hi, shift) : hi;
}

__LANZA_FN int __mul24(int x, int y) {
  int a = static_cast<int>(static_cast<unsigned int>(x) << 8) >> 8,
      b = static_cast<int>(static_cast<unsigned int>(y) << 8) >> 8;
  return static_cast<int>(static_cast<unsigned int>(a) * static_cast<unsigned int>(b));
}
__LANZA_FN unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xffffffu) * (y & 0xffffffu); }
__LANZA_FN int __mulhi(int x, int y) { return static_cast<int>((static_cast<long long>(x) * y) >> 32); }
__LANZA_FN unsigned int __umulhi(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) * y) >> 32);
}
__LANZA_FN long long __mul64hi(long long x, long long y) {
  return static_cast<long long>((static_cast<__int128>(x) * y) >> 64);
}
__LANZA_FN unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(x) * y) >> 64);
}

__LANZA_FN unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) { return (x < y ? y - x : x - y) + z; }
__LANZA_FN unsigned int __sad(int x, int y, unsigned int z) {
  unsigned int a = static_cast<unsigned int>(x), b = static_cast<unsigned int>(y);
  return (x < y ? b - a : a - b) + z;
}
// Averages that cannot overflow: (x & y) + half of the differing bits.
__LANZA_FN int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
__LANZA_FN int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
__LANZA_FN unsigned int __uhadd(unsigned int x, unsigned int y) { return (x & y) + ((x ^ y) >> 1); }
__LANZA_FN unsigned int __urhadd(unsigned int x, unsigned int y) { return (x | y) - ((x ^ y) >> 1); }

// Position of the offset-th set bit from `base` (upwards when offset > 0, downwards when < 0), or 0xffffffff.
__LANZA_FN unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  if (offset == 0) return base < 32 && (mask >> base & 1u) != 0 ? base : 0xffffffffu;
  int step = offset > 0 ? 1 : -1, left = offset > 0 ? offset : -offset;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step) {
    if ((mask >> bit & 1u) != 0 && --left == 0) return static_cast<unsigned int>(bit);
  }
  return 0xffffffffu;
}

__LANZA_FN int __lanza_signed_byte(int x, int i) {
  return static_cast<signed char>(static_cast<unsigned int>(x) >> (8 * i));
}
__LANZA_FN unsigned int __lanza_byte(unsigned int x, int i) { return (x >> (8 * i)) & 0xffu; }
__LANZA_FN int __lanza_signed_half(int x, int i) {
  return static_cast<short>(static_cast<unsigned int>(x) >> (16 * i));
}
__LANZA_FN unsigned int __lanza_half(unsigned int x, int i) { return (x >> (16 * i)) & 0xffffu; }

__LANZA_FN int __dp4a(int a, int b, int c) {
  unsigned int sum = static_cast<unsigned int>(c);
#pragma unroll
  for (int i = 0; i < 4; ++i) sum += static_cast<unsigned int>(__lanza_signed_byte(a, i) * __lanza_signed_byte(b, i));
  return static_cast<int>(sum);
}
__LANZA_FN unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
#pragma unroll
  for (int i = 0; i < 4; ++i) c += __lanza_byte(a, i) * __lanza_byte(b, i);
  return c;
}
__LANZA_FN int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
__LANZA_FN unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return __dp4a(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}
// Two 16-bit values of a by the two lower (or upper) bytes of b.
__LANZA_FN int __lanza_dp2a(int a, int b, int c, int first) {
  unsigned int sum = static_cast<unsigned int>(c);
#pragma unroll
  for (int i = 0; i < 2; ++i)
    sum += static_cast<unsigned int>(__lanza_signed_half(a, i) * __lanza_signed_byte(b, first + i));
  return static_cast<int>(sum);
}
__LANZA_FN unsigned int __lanza_dp2a(unsigned int a, unsigned int b, unsigned int c, int first) {
#pragma unroll
  for (int i = 0; i < 2; ++i) c += __lanza_half(a, i) * __lanza_byte(b, first + i);
  return c;
}
__LANZA_FN int __dp2a_lo(int a, int b, int c) { return __lanza_dp2a(a, b, c, 0); }
__LANZA_FN int __dp2a_hi(int a, int b, int c) { return __lanza_dp2a(a, b, c, 2); }
__LANZA_FN int __dp2a_lo(short2 a, char4 b, int c) {
  return __dp2a_lo(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
__LANZA_FN int __dp2a_hi(short2 a, char4 b, int c) {
  return __dp2a_hi(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
__LANZA_FN unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) { return __lanza_dp2a(a, b, c, 0); }
__LANZA_FN unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) { return __lanza_dp2a(a, b, c, 2); }
__LANZA_FN unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c) {
  return __dp2a_lo(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}
__LANZA_FN unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c) {
  return __dp2a_hi(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}

// One signed and one unsigned argument compare as unsigned, as in CUDA.
#define __LANZA_MIN_MAX(R, A, B)                                                          \
  constexpr __LANZA_HD R min(A a, B b) {                                                  \
    return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
  }                                                                                       \
  constexpr __LANZA_HD R max(A a, B b) {                                                  \
    return static_cast<R>(a) > static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
  }
__LANZA_MIN_MAX(int, int, int)
__LANZA_MIN_MAX(unsigned int, unsigned int, unsigned int)
__LANZA_MIN_MAX(unsigned int, int, unsigned int)
__LANZA_MIN_MAX(unsigned int, unsigned int, int)
__LANZA_MIN_MAX(long, long, long)
__LANZA_MIN_MAX(unsigned long, unsigned long, unsigned long)
__LANZA_MIN_MAX(unsigned long, long, unsigned long)
__LANZA_MIN_MAX(unsigned long, unsigned long, long)
__LANZA_MIN_MAX(long long, long long, long long)
__LANZA_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
__LANZA_MIN_MAX(unsigned long long, long long, unsigned long long)
__LANZA_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef __LANZA_MIN_MAX
__LANZA_FN unsigned int umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
__LANZA_FN unsigned int umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
__LANZA_FN long long llmin(long long a, long long b) { return a < b ? a : b; }
__LANZA_FN long long llmax(long long a, long long b) { return a > b ? a : b; }
__LANZA_FN unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
__LANZA_FN unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

// The smallest integer stays what it is.
__LANZA_FN int abs(int x) { return x < 0 ? static_cast<int>(0u - static_cast<unsigned int>(x)) : x; }
__LANZA_FN long abs(long x) { return x < 0 ? static_cast<long>(0ul - static_cast<unsigned long>(x)) : x; }
__LANZA_FN long long abs(long long x) {
  return x < 0 ? static_cast<long long>(0ull - static_cast<unsigned long long>(x)) : x;
}
__LANZA_FN long labs(long x) { return abs(x); }
__LANZA_FN long long llabs(long long x) { return abs(x); }
