// What inline PTX needs beyond LLVM's instructions, as functions that its translation calls: passes/ptx. Compiled to
// bitcode when the compiler is built; a kernel gets those that it calls.

#pragma clang fp contract(off)
#define __LANZA_PTX extern "C" __attribute__((device))

typedef unsigned short __lanza_half_bits;

// ---- integers

__LANZA_PTX unsigned int __lanza_ptx_fns(unsigned int mask, unsigned int base, unsigned int offset) {
  return __fns(mask, base, static_cast<int>(offset));
}
__LANZA_PTX unsigned int __lanza_ptx_prmt(unsigned int a, unsigned int b, unsigned int selector) {
  // Unlike __byte_perm, a selector's fourth bit spreads the sign of the byte.
  unsigned int bytes = __byte_perm(a, b, selector), signs = 0;
  for (int i = 0; i < 4; ++i)
    if ((selector >> (4 * i + 3) & 1u) != 0) signs |= 0xffu << (8 * i);
  const unsigned int spread = ((bytes & 0x80808080u) >> 7) * 0xffu;
  return (bytes & ~signs) | (spread & signs);
}

// The modes of prmt: four bytes of b:a, each by its own rule from the low bits of c.
#define __LANZA_PRMT(MODE, BYTE)                                                                     \
  __LANZA_PTX unsigned int __lanza_ptx_prmt_##MODE(unsigned int a, unsigned int b, unsigned int c) { \
    unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;                         \
    unsigned int result = 0;                                                                         \
    for (unsigned int i = 0; i < 4; ++i)                                                             \
      result |= (static_cast<unsigned int>(bytes >> (8 * (BYTE))) & 0xffu) << (8 * i);               \
    return result;                                                                                   \
  }
__LANZA_PRMT(f4e, ((c & 3u) + i) & 7u)
__LANZA_PRMT(b4e, ((c & 3u) + 8u - i) & 7u)
__LANZA_PRMT(rc8, c & 3u)
__LANZA_PRMT(ecl, (c & 3u) > i ? (c & 3u) : i)
__LANZA_PRMT(ecr, (c & 3u) < i ? (c & 3u) : i)
__LANZA_PRMT(rc16, ((c & 1u) << 1) + (i & 1u))

// ---- floating point, rounded in a given direction: 1 to zero, 2 up, 3 down

#define __LANZA_MODE static_cast<__lanza_rounding>(mode)
#define __LANZA_DIRECTED_PTX(T, LETTER, SUFFIX)                 \
  __LANZA_PTX T __lanza_ptx_add_##SUFFIX(T a, T b, int mode) {  \
    return __lanza_##LETTER##add_directed(a, b, __LANZA_MODE);  \
  }                                                             \
  __LANZA_PTX T __lanza_ptx_sub_##SUFFIX(T a, T b, int mode) {  \
    return __lanza_##LETTER##add_directed(a, -b, __LANZA_MODE); \
  }                                                             \
  __LANZA_PTX T __lanza_ptx_mul_##SUFFIX(T a, T b, int mode) {  \
    return __lanza_##LETTER##mul_directed(a, b, __LANZA_MODE);  \
  }                                                             \
  __LANZA_PTX T __lanza_ptx_div_##SUFFIX(T a, T b, int mode) {  \
    return __lanza_##LETTER##div_directed(a, b, __LANZA_MODE);  \
  }                                                             \
  __LANZA_PTX T __lanza_ptx_sqrt_##SUFFIX(T a, int mode) { return __lanza_##LETTER##sqrt_directed(a, __LANZA_MODE); }
__LANZA_DIRECTED_PTX(float, f, f32)
__LANZA_DIRECTED_PTX(double, d, f64)
__LANZA_PTX float __lanza_ptx_fma_f32(float a, float b, float c, int mode) {
  return __lanza_fmaf_directed(a, b, c, __LANZA_MODE);
}
__LANZA_PTX double __lanza_ptx_fma_f64(double a, double b, double c, int mode) {
  return __lanza_dfma_directed(a, b, c, __LANZA_MODE);
}
__LANZA_PTX float __lanza_ptx_from_s64_f32(long long x, int mode) {
  return __lanza_pair_to_float(__lanza_split(x), __LANZA_MODE);
}
__LANZA_PTX float __lanza_ptx_from_u64_f32(unsigned long long x, int mode) {
  return __lanza_pair_to_float(__lanza_split(x), __LANZA_MODE);
}
__LANZA_PTX double __lanza_ptx_from_s64_f64(long long x, int mode) {
  return __lanza_pair_to_double(__lanza_split(x), __LANZA_MODE);
}
__LANZA_PTX double __lanza_ptx_from_u64_f64(unsigned long long x, int mode) {
  return __lanza_pair_to_double(__lanza_split(x), __LANZA_MODE);
}
__LANZA_PTX float __lanza_ptx_from_f64_f32(double x, int mode) { return __lanza_to_float(x, 0.0, __LANZA_MODE); }

// ---- approximations: closer than PTX asks for

__LANZA_PTX float __lanza_ptx_ex2_f32(float x) { return exp2f(x); }
__LANZA_PTX float __lanza_ptx_lg2_f32(float x) { return log2f(x); }
__LANZA_PTX float __lanza_ptx_sin_f32(float x) { return sinf(x); }
__LANZA_PTX float __lanza_ptx_cos_f32(float x) { return cosf(x); }
__LANZA_PTX float __lanza_ptx_tanh_f32(float x) { return tanhf(x); }
__LANZA_PTX float __lanza_ptx_rsqrt_f32(float x) { return rsqrtf(x); }
__LANZA_PTX double __lanza_ptx_rsqrt_f64(double x) { return rsqrt(x); }
// Only the upper half of the result is given.
__LANZA_PTX double __lanza_ptx_rcp_approx_f64(double x) { return __hiloint2double(__double2hiint(1.0 / x), 0); }

// ---- half precision and bfloat16, as bits. Every operation is done in double and rounded once to odd, then to the
// result: 53 bits are more than twice the 11 of a half and 2 (Boldo, Melquiond: "Emulation of FMA and correctly rounded
// sums", 2008).

__LANZA_PTX float __lanza_ptx_f16_to_f32(__lanza_half_bits h) {
  unsigned int magnitude = h & 0x7fffu, sign = (h & 0x8000u) << 16;
  unsigned int normal = (magnitude << 13) + (112u << 23) + (magnitude >= 0x7c00u ? 112u << 23 : 0u);
  unsigned int subnormal = __float_as_uint(static_cast<float>(magnitude) * 0x1p-24f);
  return __uint_as_float(sign | (magnitude < 0x400u ? subnormal : normal));
}
__LANZA_PTX float __lanza_ptx_bf16_to_f32(__lanza_half_bits h) {
  return __uint_as_float(static_cast<unsigned int>(h) << 16);
}

// |x| as a multiple of the last place of a format with `digits` bits and smallest normal exponent `lowest`.
__LANZA_FN double __lanza_round_to(double x, int digits, int lowest, int mode) {
  int exponent = static_cast<int>(__builtin_bit_cast(unsigned long long, x) >> 52 & 0x7ff) - 1023;
  if (exponent < lowest) exponent = lowest;
  int place = exponent - digits + 1;
  double scale = __builtin_bit_cast(double, static_cast<unsigned long long>(1023 - place) << 52);
  double back = __builtin_bit_cast(double, static_cast<unsigned long long>(1023 + place) << 52);
  double q = x * scale;
  double r = mode == 0   ? __builtin_rint(q)
             : mode == 1 ? __builtin_trunc(q)
             : mode == 2 ? __builtin_ceil(q)
                         : __builtin_floor(q);
  return __builtin_copysign(r * back, x);
}
// What a value beyond the largest becomes: infinity, or the largest where the rounding goes towards zero.
__LANZA_FN bool __lanza_overflows_to_infinity(double x, int mode) {
  return __lanza_is_infinite(x) || mode == 0 || (mode == 2 && x > 0) || (mode == 3 && x < 0);
}

__LANZA_PTX __lanza_half_bits __lanza_ptx_f64_to_f16(double x, int mode) {
  if (x != x) return 0x7fff;
  unsigned int sign = __builtin_signbit(x) ? 0x8000u : 0u;
  if (__lanza_is_infinite(x)) return static_cast<__lanza_half_bits>(sign | 0x7c00u);
  double y = __builtin_fabs(__lanza_round_to(x, 11, -14, mode));
  if (y > 65504.0)
    return static_cast<__lanza_half_bits>(sign | (__lanza_overflows_to_infinity(x, mode) ? 0x7c00u : 0x7bffu));
  unsigned int normal = (__float_as_uint(static_cast<float>(y)) - (112u << 23)) >> 13;
  unsigned int subnormal = static_cast<unsigned int>(y * 0x1p24);
  return static_cast<__lanza_half_bits>(sign | (y < 0x1p-14 ? subnormal : normal));
}
__LANZA_PTX __lanza_half_bits __lanza_ptx_f64_to_bf16(double x, int mode) {
  if (x != x) return 0x7fff;
  unsigned int sign = __builtin_signbit(x) ? 0x8000u : 0u;
  if (__lanza_is_infinite(x)) return static_cast<__lanza_half_bits>(sign | 0x7f80u);
  double y = __builtin_fabs(__lanza_round_to(x, 8, -126, mode));
  if (y > 0x1.fep127)
    return static_cast<__lanza_half_bits>(sign | (__lanza_overflows_to_infinity(x, mode) ? 0x7f80u : 0x7f7fu));
  return static_cast<__lanza_half_bits>(sign | __float_as_uint(static_cast<float>(y)) >> 16);
}
__LANZA_PTX __lanza_half_bits __lanza_ptx_f32_to_f16(float x, int mode) { return __lanza_ptx_f64_to_f16(x, mode); }
__LANZA_PTX __lanza_half_bits __lanza_ptx_f32_to_bf16(float x, int mode) { return __lanza_ptx_f64_to_bf16(x, mode); }

// a + b rounded to odd: the last place tells that something was lost.
__LANZA_FN double __lanza_sum_to_odd(double a, double b) {
  __lanza_pair s = __lanza_sum(a, b);
  bool lost = s.lo == s.lo && s.lo != 0 && (__builtin_bit_cast(unsigned long long, s.hi) & 1u) == 0;
  unsigned long long step = (s.lo > 0) == (s.hi > 0) ? 1ull : ~0ull;
  return lost ? __builtin_bit_cast(double, __builtin_bit_cast(unsigned long long, s.hi) + step) : s.hi;
}

__LANZA_FN bool __lanza_is_half_nan(__lanza_half_bits x, unsigned int infinity) { return (x & 0x7fffu) > infinity; }

#define __LANZA_HALF(FORMAT, INFINITY, ONE)                                                                       \
  __LANZA_FN double __lanza_##FORMAT(__lanza_half_bits x) { return __lanza_ptx_##FORMAT##_to_f32(x); }            \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_add_##FORMAT(__lanza_half_bits a, __lanza_half_bits b) {              \
    return __lanza_ptx_f64_to_##FORMAT(__lanza_sum_to_odd(__lanza_##FORMAT(a), __lanza_##FORMAT(b)), 0);          \
  }                                                                                                               \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_sub_##FORMAT(__lanza_half_bits a, __lanza_half_bits b) {              \
    return __lanza_ptx_f64_to_##FORMAT(__lanza_sum_to_odd(__lanza_##FORMAT(a), -__lanza_##FORMAT(b)), 0);         \
  }                                                                                                               \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_mul_##FORMAT(__lanza_half_bits a, __lanza_half_bits b) {              \
    return __lanza_ptx_f64_to_##FORMAT(__lanza_##FORMAT(a) * __lanza_##FORMAT(b), 0);                             \
  }                                                                                                               \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_fma_##FORMAT(__lanza_half_bits a, __lanza_half_bits b,                \
                                                         __lanza_half_bits c) {                                   \
    double product = __lanza_##FORMAT(a) * __lanza_##FORMAT(b);                                                   \
    return __lanza_ptx_f64_to_##FORMAT(__lanza_sum_to_odd(product, __lanza_##FORMAT(c)), 0);                      \
  }                                                                                                               \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_neg_##FORMAT(__lanza_half_bits a) { return a ^ 0x8000u; }             \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_abs_##FORMAT(__lanza_half_bits a) { return a & 0x7fffu; }             \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_max_nan_##FORMAT(__lanza_half_bits a, __lanza_half_bits b) {          \
    if (__lanza_is_half_nan(a, INFINITY) || __lanza_is_half_nan(b, INFINITY)) return 0x7fff;                      \
    double x = __lanza_##FORMAT(a), y = __lanza_##FORMAT(b);                                                      \
    return x > y || (x == y && (a & 0x8000u) == 0) ? a : b;                                                       \
  }                                                                                                               \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_min_nan_##FORMAT(__lanza_half_bits a, __lanza_half_bits b) {          \
    if (__lanza_is_half_nan(a, INFINITY) || __lanza_is_half_nan(b, INFINITY)) return 0x7fff;                      \
    double x = __lanza_##FORMAT(a), y = __lanza_##FORMAT(b);                                                      \
    return x < y || (x == y && (a & 0x8000u) != 0) ? a : b;                                                       \
  }                                                                                                               \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_max_##FORMAT(__lanza_half_bits a, __lanza_half_bits b) {              \
    if (__lanza_is_half_nan(a, INFINITY)) return __lanza_is_half_nan(b, INFINITY) ? 0x7fff : b;                   \
    return __lanza_is_half_nan(b, INFINITY) ? a : __lanza_ptx_max_nan_##FORMAT(a, b);                             \
  }                                                                                                               \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_min_##FORMAT(__lanza_half_bits a, __lanza_half_bits b) {              \
    if (__lanza_is_half_nan(a, INFINITY)) return __lanza_is_half_nan(b, INFINITY) ? 0x7fff : b;                   \
    return __lanza_is_half_nan(b, INFINITY) ? a : __lanza_ptx_min_nan_##FORMAT(a, b);                             \
  }                                                                                                               \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_sat_##FORMAT(__lanza_half_bits a) {                                   \
    if (__lanza_is_half_nan(a, INFINITY) || (a & 0x8000u) != 0) return 0;                                         \
    return a > ONE ? ONE : a;                                                                                     \
  }                                                                                                               \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_relu_##FORMAT(__lanza_half_bits a) {                                  \
    if (__lanza_is_half_nan(a, INFINITY)) return 0x7fff;                                                          \
    return (a & 0x8000u) != 0 ? 0 : a;                                                                            \
  }                                                                                                               \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_ftz_##FORMAT(__lanza_half_bits a) {                                   \
    return (a & INFINITY) == 0 ? a & 0x8000u : a;                                                                 \
  }                                                                                                               \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_ex2_##FORMAT(__lanza_half_bits a) {                                   \
    return __lanza_ptx_f32_to_##FORMAT(exp2f(__lanza_ptx_##FORMAT##_to_f32(a)), 0);                               \
  }                                                                                                               \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_tanh_##FORMAT(__lanza_half_bits a) {                                  \
    return __lanza_ptx_f32_to_##FORMAT(tanhf(__lanza_ptx_##FORMAT##_to_f32(a)), 0);                               \
  }                                                                                                               \
  /* Volatile: of the system's scope, which any statement may ask for. */                                         \
  __LANZA_PTX __lanza_half_bits __lanza_ptx_atomic_add_##FORMAT(volatile __lanza_half_bits* p,                    \
                                                                __lanza_half_bits value) {                        \
    __lanza_half_bits old = __atomic_load_n(p, __ATOMIC_RELAXED);                                                 \
    while (!__atomic_compare_exchange_n(p, &old, __lanza_ptx_add_##FORMAT(old, value), false, __ATOMIC_RELAXED,   \
                                        __ATOMIC_RELAXED)) {                                                      \
    }                                                                                                             \
    return old;                                                                                                   \
  }                                                                                                               \
  /* Each half on its own, as PTX has it. */                                                                      \
  __LANZA_PTX unsigned int __lanza_ptx_atomic_add_##FORMAT##x2(unsigned int* p, unsigned int value) {             \
    auto* halves = reinterpret_cast<volatile __lanza_half_bits*>(p);                                              \
    unsigned int low = __lanza_ptx_atomic_add_##FORMAT(halves, static_cast<__lanza_half_bits>(value));            \
    unsigned int high = __lanza_ptx_atomic_add_##FORMAT(halves + 1, static_cast<__lanza_half_bits>(value >> 16)); \
    return high << 16 | low;                                                                                      \
  }
__LANZA_HALF(f16, 0x7c00u, 0x3c00u)
__LANZA_HALF(bf16, 0x7f80u, 0x3f80u)

// ---- memory

#define __LANZA_IS_SPACE(NAME, FUNCTION)                                       \
  __LANZA_PTX unsigned int __lanza_ptx_is_##NAME(unsigned long long address) { \
    return FUNCTION(reinterpret_cast<const void*>(address));                   \
  }
__LANZA_IS_SPACE(shared, __isShared)
__LANZA_IS_SPACE(global, __isGlobal)
__LANZA_IS_SPACE(local, __isLocal)
// Constants and parameters lie among the process's other memory, and count as global.
__LANZA_PTX unsigned int __lanza_ptx_is_const(unsigned long long) { return 0; }
__LANZA_PTX unsigned int __lanza_ptx_is_param(unsigned long long) { return 0; }

// ---- warps

// The source of a shuffle in bits 0 to 4, and in bit 5 whether it lies in the segment; else the lane is its own source.
// `c` holds the end of the segment and in its upper byte the bits that all lanes of a segment share.
__LANZA_FN unsigned int __lanza_ptx_source(int source, bool within) {
  return within ? static_cast<unsigned int>(source) | 32u : __lanza_lane();
}
__LANZA_FN int __lanza_ptx_segment_end(unsigned int c) {
  unsigned int segment = c >> 8 & 31u;
  return static_cast<int>((__lanza_lane() & segment) | (c & 31u & ~segment));
}
__LANZA_PTX unsigned int __lanza_ptx_shfl_up(unsigned int b, unsigned int c) {
  int source = static_cast<int>(__lanza_lane()) - static_cast<int>(b & 31u);
  return __lanza_ptx_source(source, source >= __lanza_ptx_segment_end(c));
}
__LANZA_PTX unsigned int __lanza_ptx_shfl_down(unsigned int b, unsigned int c) {
  int source = static_cast<int>(__lanza_lane() + (b & 31u));
  return __lanza_ptx_source(source, source <= __lanza_ptx_segment_end(c));
}
__LANZA_PTX unsigned int __lanza_ptx_shfl_bfly(unsigned int b, unsigned int c) {
  int source = static_cast<int>(__lanza_lane() ^ (b & 31u));
  return __lanza_ptx_source(source, source <= __lanza_ptx_segment_end(c));
}
__LANZA_PTX unsigned int __lanza_ptx_shfl_idx(unsigned int b, unsigned int c) {
  unsigned int segment = c >> 8 & 31u;
  int source = static_cast<int>((__lanza_lane() & segment) | (b & 31u & ~segment));
  return __lanza_ptx_source(source, source <= __lanza_ptx_segment_end(c));
}
__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_shfl(unsigned int mask, unsigned int value,
                                                                      unsigned int source) {
  return static_cast<unsigned int>(__lanza_sync(LANZA_SYNC_SHUFFLE, 0, mask, value, source));
}
__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_vote_ballot(unsigned int mask, unsigned int p) {
  return __ballot_sync(mask, static_cast<int>(p));
}
__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_vote_all(unsigned int mask, unsigned int p) {
  return static_cast<unsigned int>(__all_sync(mask, static_cast<int>(p)));
}
__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_vote_any(unsigned int mask, unsigned int p) {
  return static_cast<unsigned int>(__any_sync(mask, static_cast<int>(p)));
}
__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_vote_uni(unsigned int mask, unsigned int p) {
  return static_cast<unsigned int>(__uni_sync(mask, static_cast<int>(p)));
}
__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_match_any(unsigned int mask,
                                                                           unsigned long long value) {
  return static_cast<unsigned int>(__lanza_sync(LANZA_SYNC_MATCH_ANY, 0, mask, value, 0));
}
__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_match_all(unsigned int mask,
                                                                           unsigned long long value) {
  return static_cast<unsigned int>(__lanza_sync(LANZA_SYNC_MATCH_ALL, 0, mask, value, 0));
}
__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_activemask() { return __activemask(); }
// By LanzaReduce.
#define __LANZA_REDUX(OPERATION)                                                                                  \
  __LANZA_PTX                                                                                                     \
  __attribute__((convergent)) unsigned int __lanza_ptx_redux_##OPERATION(unsigned int mask, unsigned int value) { \
    return __lanza_reduce<OPERATION>(mask, value);                                                                \
  }
__LANZA_REDUX(0)
__LANZA_REDUX(1)
__LANZA_REDUX(2)
__LANZA_REDUX(3)
__LANZA_REDUX(4)
__LANZA_REDUX(5)
__LANZA_REDUX(6)
__LANZA_REDUX(7)
__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_elect(unsigned int mask) {
  __syncwarp(mask);
  return static_cast<unsigned int>(__ffs(static_cast<int>(mask))) - 1u;
}

// ---- barriers in memory

// How many have still to arrive in bits 0 to 19, how many are expected in bits 20 to 39, above them the number of the
// phase. A state is what the word was before an arrival.
__LANZA_PTX unsigned long long __lanza_ptx_mbarrier_step(unsigned long long word, unsigned int arriving,
                                                         unsigned int leaving) {
  const unsigned long long mask = 0xfffffull;
  unsigned long long pending = (word - arriving) & mask, expected = ((word >> 20) - leaving) & mask, phase = word >> 40;
  return pending == 0 ? (phase + 1) << 40 | expected << 20 | expected : phase << 40 | expected << 20 | pending;
}
__LANZA_PTX unsigned int __lanza_ptx_mbarrier_init(unsigned long long* barrier, unsigned int count) {
  const unsigned long long expected = count & 0xfffffu;
  atomicExch(barrier, expected << 20 | expected);
  return 0;
}
#define __LANZA_ARRIVE(NAME, LEAVING)                                                                       \
  __LANZA_PTX unsigned long long __lanza_ptx_mbarrier_##NAME(unsigned long long* barrier, unsigned int n) { \
    __threadfence();                                                                                        \
    unsigned long long word = atomicAdd(barrier, 0ull), before;                                             \
    do {                                                                                                    \
      before = word;                                                                                        \
      word = atomicCAS(barrier, before, __lanza_ptx_mbarrier_step(before, n, LEAVING));                     \
    } while (word != before);                                                                               \
    return before;                                                                                          \
  }
__LANZA_ARRIVE(arrive, 0)
__LANZA_ARRIVE(arrive_drop, n)
__LANZA_PTX unsigned int __lanza_ptx_mbarrier_test(unsigned long long* barrier, unsigned long long state) {
  const unsigned long long word = atomicAdd(barrier, 0ull);
  __threadfence();
  return word >> 40 != state >> 40;
}
__LANZA_PTX unsigned int __lanza_ptx_mbarrier_test_parity(unsigned long long* barrier, unsigned int parity) {
  const unsigned long long word = atomicAdd(barrier, 0ull);
  __threadfence();
  return (word >> 40 & 1u) != parity;
}
__LANZA_PTX unsigned int __lanza_ptx_mbarrier_pending(unsigned long long state) {
  return static_cast<unsigned int>(state & 0xfffffu);
}

// ---- barriers and the rest

__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_bar_sync(unsigned int id, unsigned int threads) {
  __lanza_sync(LANZA_SYNC_BARRIER, id, 0, 0, threads);
  return 0;
}
__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_bar_arrive(unsigned int id, unsigned int threads) {
  __lanza_sync(LANZA_SYNC_ARRIVE, id, 0, 0, threads);
  return 0;
}
__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_bar_red_popc(unsigned int id, unsigned int threads,
                                                                              unsigned int p) {
  return static_cast<unsigned int>(__lanza_sync(LANZA_SYNC_BARRIER_COUNT, id, 0, p != 0, threads));
}
__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_bar_red_or(unsigned int id, unsigned int threads,
                                                                            unsigned int p) {
  return __lanza_ptx_bar_red_popc(id, threads, p) != 0;
}
__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_bar_red_and(unsigned int id, unsigned int threads,
                                                                             unsigned int p) {
  return __lanza_ptx_bar_red_popc(id, threads, p == 0) == 0;
}
__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_bar_warp(unsigned int mask) {
  __syncwarp(mask);
  return 0;
}
__LANZA_PTX __attribute__((convergent)) unsigned int __lanza_ptx_nanosleep(unsigned int nanoseconds) {
  __nanosleep(nanoseconds);
  return 0;
}
__LANZA_PTX void __lanza_ptx_trap() { __trap(); }

// ---- special registers

#define __LANZA_REGISTER(NAME, VALUE) \
  __LANZA_PTX unsigned int __lanza_ptx_sreg_##NAME() { return static_cast<unsigned int>(VALUE); }
__LANZA_FN unsigned int __lanza_ptx_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__LANZA_REGISTER(laneid, __lanza_lane())
__LANZA_REGISTER(warpid, __lanza_ptx_thread() >> 5)
__LANZA_REGISTER(nwarpid, (blockDim.x * blockDim.y * blockDim.z + 31u) >> 5)
// Blocks move freely: to a kernel the machine is one multiprocessor.
__LANZA_REGISTER(smid, 0)
__LANZA_REGISTER(nsmid, 1)
__LANZA_REGISTER(lanemask_eq, 1u << __lanza_lane())
__LANZA_REGISTER(lanemask_lt, (1u << __lanza_lane()) - 1u)
__LANZA_REGISTER(lanemask_le, (2u << __lanza_lane()) - 1u)
__LANZA_REGISTER(lanemask_gt, ~((2u << __lanza_lane()) - 1u))
__LANZA_REGISTER(lanemask_ge, ~((1u << __lanza_lane()) - 1u))
__LANZA_REGISTER(clock, __lanza_clock())
__LANZA_REGISTER(clock_hi, __lanza_clock() >> 32)
__LANZA_REGISTER(globaltimer_lo, __lanza_global_timer())
__LANZA_REGISTER(globaltimer_hi, __lanza_global_timer() >> 32)
__LANZA_REGISTER(dynamic_smem_size, __lanza_dynamic_shared_bytes())
__LANZA_REGISTER(total_smem_size, __lanza_static_shared_bytes() + __lanza_dynamic_shared_bytes())
__LANZA_PTX unsigned long long __lanza_ptx_sreg_clock64() { return __lanza_clock(); }
__LANZA_PTX unsigned long long __lanza_ptx_sreg_globaltimer() { return __lanza_global_timer(); }
__LANZA_PTX unsigned long long __lanza_ptx_sreg_gridid() { return 0; }
