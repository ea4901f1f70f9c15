/* What LLVM's code generator calls where the target has no instruction. Linked into kernels that need it, function by
   function: a kernel object has no undefined symbols. Plain C for the lowest target; nothing here may call anything.
   Exact: the same bits as the instructions that better targets have, in the default rounding mode. */
#include <stddef.h>
#include <stdint.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

static uint64_t bits64(double x) {
  return __extension__(union {
           double d;
           uint64_t u;
         }){x}
      .u;
}
static double from64(uint64_t u) {
  return __extension__(union {
           uint64_t u;
           double d;
         }){u}
      .d;
}

/* ---- memory ---- */

void* memcpy(void* restrict to, const void* restrict from, size_t n) {
  void* d = to;
  __asm__ volatile("rep movsb" : "+D"(d), "+S"(from), "+c"(n) : : "memory");
  return to;
}

void* memmove(void* to, const void* from, size_t n) {
  unsigned char* d = to;
  const unsigned char* s = from;
  if ((size_t)(d - s) >= n) return memcpy(to, from, n);
  while (n--) d[n] = s[n];
  return to;
}

void* memset(void* to, int value, size_t n) {
  void* d = to;
  __asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(value) : "memory");
  return to;
}

int memcmp(const void* a, const void* b, size_t n) {
  const unsigned char *x = a, *y = b;
  for (size_t i = 0; i < n; ++i)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}
int bcmp(const void* a, const void* b, size_t n) { return memcmp(a, b, n); }

/* ---- rounding to integers ---- */

double trunc(double x) {
  const uint64_t u = bits64(x);
  const int exponent = (int)(u >> 52 & 0x7ff) - 1023;
  if (exponent >= 52) return exponent == 1024 ? x + x : x;
  if (exponent < 0) return from64(u & 1ull << 63);
  return from64(u & ~(~0ull >> 12 >> exponent));
}
double floor(double x) {
  const double t = trunc(x);
  return t > x ? t - 1.0 : t;
}
double ceil(double x) {
  const double t = trunc(x);
  return t < x ? t + 1.0 == 0.0 ? -0.0 : t + 1.0 : t;
}
double rint(double x) {
  const uint64_t sign = bits64(x) & 1ull << 63;
  if ((bits64(x) >> 52 & 0x7ff) >= 1023 + 52) return x;
  volatile double shifted = from64(bits64(x) & ~(1ull << 63)) + 0x1p52;
  return from64(bits64(shifted - 0x1p52) | sign);
}
double nearbyint(double x) { return rint(x); }
double roundeven(double x) { return rint(x); }
double round(double x) {
  const double t = trunc(x);
  const double rest = from64(bits64(x - t) & ~(1ull << 63));
  return rest >= 0.5 ? t + (x < 0 ? -1.0 : 1.0) : t;
}
/* Every float is a double, and so is every integer that a float rounds to. */
float truncf(float x) { return (float)trunc(x); }
float floorf(float x) { return (float)floor(x); }
float ceilf(float x) { return (float)ceil(x); }
float rintf(float x) { return (float)rint(x); }
float nearbyintf(float x) { return (float)rint(x); }
float roundevenf(float x) { return (float)rint(x); }
float roundf(float x) { return (float)round(x); }

/* ---- fused multiply-add ---- */

/* The product is exact in double. The sum is rounded to odd, so that the second rounding, to float, sees on which side
 * of a tie it was. */
float fmaf(float a, float b, float c) {
  const double product = (double)a * b;
  const double sum = product + c;
  if ((bits64(sum) >> 52 & 0x7ff) == 0x7ff) return (float)sum;
  const double c_part = sum - product;
  const double error = (product - (sum - c_part)) + ((double)c - c_part);
  uint64_t u = bits64(sum);
  if (error != 0 && (u & 1) == 0) u += (error > 0) == (sum > 0) ? 1 : -1;
  return (float)from64(u);
}

static u128 shift_sticky(u128 x, int n) {
  if (n <= 0) return x;
  if (n >= 128) return x != 0;
  return x >> n | ((x << (128 - n)) != 0);
}

/* x = mantissa * 2^exponent with the mantissa's top bit at 52. */
static uint64_t split(double x, int* exponent) {
  uint64_t mantissa = bits64(x) & ~0ull >> 12;
  int e = (int)(bits64(x) >> 52 & 0x7ff);
  if (e == 0) {
    const int up = __builtin_clzll(mantissa) - 11;
    mantissa <<= up;
    e = 1 - up;
  } else {
    mantissa |= 1ull << 52;
  }
  *exponent = e - 1075;
  return mantissa;
}

/* value * 2^exponent, rounded once; the lowest bit is sticky. */
static double assemble(u128 value, int exponent, uint64_t sign) {
  const uint64_t high = (uint64_t)(value >> 64);
  const int top = high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)value);
  if (top + exponent > 1023) return from64(sign | 0x7ffull << 52);
  /* The unit of the result: 52 bits below the top, or that of subnormals. */
  int unit = top + exponent - 52;
  if (unit < -1074) unit = -1074;
  const int drop = unit - exponent;
  uint64_t kept;
  if (drop <= 0) {
    kept = (uint64_t)(value << -drop);
  } else if (drop > 127) {
    kept = 0;
  } else {
    kept = (uint64_t)(value >> drop);
    const u128 rest = value << (128 - drop), half = (u128)1 << 127;
    if (rest > half || (rest == half && (kept & 1))) ++kept;
  }
  /* Mantissa and exponent add up as integers: the hidden bit is one unit of the exponent field, and so is a carry. */
  const uint64_t field = kept < 1ull << 52 ? 0 : (uint64_t)(unit + 1074);
  return from64(sign | (kept + (field << 52)));
}

double fma(double a, double b, double c) {
  const uint64_t top = 1ull << 63;
  const uint64_t ea = bits64(a) >> 52 & 0x7ff, eb = bits64(b) >> 52 & 0x7ff, ec = bits64(c) >> 52 & 0x7ff;
  if (ea == 0x7ff || eb == 0x7ff || a == 0 || b == 0) return a * b + c;
  if (ec == 0x7ff) return c + c; /* the product may overflow on the way, but is finite */
  if (c == 0) return a * b;
  int xa, xb, xc;
  u128 product = (u128)split(a, &xa) * split(b, &xb) << 20; /* top bit at 124 or 125 */
  u128 addend = (u128)split(c, &xc) << 72;                  /* at 124 */
  int exponent = xa + xb - 20;
  xc -= 72;
  if (exponent > xc) {
    addend = shift_sticky(addend, exponent - xc);
  } else {
    product = shift_sticky(product, xc - exponent);
    exponent = xc;
  }
  uint64_t sign = (bits64(a) ^ bits64(b)) & top;
  if (sign == (bits64(c) & top)) return assemble(product + addend, exponent, sign);
  if (product == addend) return 0.0;
  if (product > addend) return assemble(product - addend, exponent, sign);
  return assemble(addend - product, exponent, sign ^ top);
}

/* ---- half precision, as F16C has it ---- */

typedef union {
  _Float16 h;
  uint16_t u;
} half_bits;
typedef union {
  float f;
  uint32_t u;
} float_bits;

float __extendhfsf2(_Float16 x) {
  const uint32_t u = (half_bits){.h = x}.u, size = u & 0x7fff, sign = (u & 0x8000) << 16;
  float_bits value;
  if (size >= 0x7c00)
    value.u = 0x7f800000 | size << 13 | (size > 0x7c00 ? 0x400000 : 0);
  else if (size < 0x400)
    value.f = (float)size * 0x1p-24f;
  else
    value.u = (size << 13) + (112u << 23);
  value.u |= sign;
  return value.f;
}

_Float16 __truncsfhf2(float x) {
  const uint32_t u = (float_bits){.f = x}.u, size = u & 0x7fffffff;
  uint32_t value;
  if (size > 0x7f800000)
    value = 0x7e00 | (size >> 13 & 0x3ff);
  else if (size >= 0x477ff000) /* 65520 and more */
    value = 0x7c00;
  else if (size < 113u << 23) /* denormal: one half has its last place where they do */
    value = (float_bits){.f = (float_bits){.u = size}.f + 0.5f}.u - (126u << 23);
  else
    value = (size - (112u << 23) + 0xfff + (size >> 13 & 1)) >> 13;
  return (half_bits){.u = (uint16_t)(value | (u >> 16 & 0x8000))}.h;
}

/* ---- remainder ---- */

double fmod(double x, double y) {
  const uint64_t sign = bits64(x) & 1ull << 63;
  const uint64_t ax = bits64(x) & ~(1ull << 63), ay = bits64(y) & ~(1ull << 63), infinity = 0x7ffull << 52;
  if (ay == 0 || ax >= infinity || ay > infinity) return (x * y) / (x * y);
  if (ax < ay) return x;
  int ex, ey;
  uint64_t mx = split(from64(ax), &ex), my = split(from64(ay), &ey);
  for (; ex > ey; --ex) {
    if (mx >= my) mx -= my;
    mx <<= 1;
  }
  if (mx >= my) mx -= my;
  return mx == 0 ? from64(sign) : assemble(mx, ey, sign);
}
/* Exact in double: the remainder of two floats is a float. */
float fmodf(float x, float y) { return (float)fmod(x, y); }

/* ---- 128-bit division ---- */

static u128 divide(u128 n, u128 d, u128* remainder) {
  if (d == 0) { /* never trap; as the guarded 64-bit division */
    *remainder = ~(u128)0;
    return ~(u128)0;
  }
  u128 quotient = 0, rest = 0;
  for (int i = 127; i >= 0; --i) {
    const int carry = (int)(rest >> 127);
    rest = rest << 1 | (n >> i & 1);
    if (carry || rest >= d) {
      rest -= d;
      quotient |= (u128)1 << i;
    }
  }
  *remainder = rest;
  return quotient;
}
static u128 magnitude(i128 x) { return x < 0 ? -(u128)x : (u128)x; }

u128 __udivti3(u128 n, u128 d) {
  u128 rest;
  return divide(n, d, &rest);
}
u128 __umodti3(u128 n, u128 d) {
  u128 rest;
  divide(n, d, &rest);
  return rest;
}
i128 __divti3(i128 n, i128 d) {
  u128 rest;
  const u128 q = divide(magnitude(n), magnitude(d), &rest);
  return (i128)((n < 0) != (d < 0) ? -q : q);
}
i128 __modti3(i128 n, i128 d) {
  u128 rest;
  divide(magnitude(n), magnitude(d), &rest);
  return (i128)(n < 0 ? -rest : rest);
}
