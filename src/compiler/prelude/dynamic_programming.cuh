// The DPX functions, for dynamic programming: minima and maxima of sums, of three, with predicates, with zero (_relu).
#pragma once

__LANZA_FN int __lanza_wrapping_sum(int a, int b) {
  return static_cast<int>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b));
}

#define __LANZA_DPX32(NAME)                                                                                     \
  __LANZA_FN int __viadd##NAME##_s32(int a, int b, int c) { return NAME(__lanza_wrapping_sum(a, b), c); }       \
  __LANZA_FN int __viadd##NAME##_s32_relu(int a, int b, int c) { return max(__viadd##NAME##_s32(a, b, c), 0); } \
  __LANZA_FN unsigned int __viadd##NAME##_u32(unsigned int a, unsigned int b, unsigned int c) {                 \
    return NAME(a + b, c);                                                                                      \
  }                                                                                                             \
  __LANZA_FN int __vi##NAME##3_s32(int a, int b, int c) { return NAME(NAME(a, b), c); }                         \
  __LANZA_FN int __vi##NAME##3_s32_relu(int a, int b, int c) { return max(__vi##NAME##3_s32(a, b, c), 0); }     \
  __LANZA_FN unsigned int __vi##NAME##3_u32(unsigned int a, unsigned int b, unsigned int c) {                   \
    return NAME(NAME(a, b), c);                                                                                 \
  }                                                                                                             \
  __LANZA_FN int __vi##NAME##_s32_relu(int a, int b) { return max(NAME(a, b), 0); }
__LANZA_DPX32(max)
__LANZA_DPX32(min)
#undef __LANZA_DPX32

#define __LANZA_DPX16X2(NAME)                                                                          \
  __LANZA_FN unsigned int __viadd##NAME##_s16x2(unsigned int a, unsigned int b, unsigned int c) {      \
    return __v##NAME##s2(__vadd2(a, b), c);                                                            \
  }                                                                                                    \
  __LANZA_FN unsigned int __viadd##NAME##_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) { \
    return __vmaxs2(__viadd##NAME##_s16x2(a, b, c), 0);                                                \
  }                                                                                                    \
  __LANZA_FN unsigned int __viadd##NAME##_u16x2(unsigned int a, unsigned int b, unsigned int c) {      \
    return __v##NAME##u2(__vadd2(a, b), c);                                                            \
  }                                                                                                    \
  __LANZA_FN unsigned int __vi##NAME##3_s16x2(unsigned int a, unsigned int b, unsigned int c) {        \
    return __v##NAME##s2(__v##NAME##s2(a, b), c);                                                      \
  }                                                                                                    \
  __LANZA_FN unsigned int __vi##NAME##3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) {   \
    return __vmaxs2(__vi##NAME##3_s16x2(a, b, c), 0);                                                  \
  }                                                                                                    \
  __LANZA_FN unsigned int __vi##NAME##3_u16x2(unsigned int a, unsigned int b, unsigned int c) {        \
    return __v##NAME##u2(__v##NAME##u2(a, b), c);                                                      \
  }                                                                                                    \
  __LANZA_FN unsigned int __vi##NAME##_s16x2_relu(unsigned int a, unsigned int b) {                    \
    return __vmaxs2(__v##NAME##s2(a, b), 0);                                                           \
  }
__LANZA_DPX16X2(max)
__LANZA_DPX16X2(min)
#undef __LANZA_DPX16X2

// The predicates: whether the result is the first operand, in each half.
__LANZA_FN unsigned int __lanza_pick(unsigned int a, unsigned int result, bool* high, bool* low) {
  *high = a >> 16 == result >> 16;
  *low = (a & 0xffffu) == (result & 0xffffu);
  return result;
}
#define __LANZA_PICK(NAME)                                                                             \
  __LANZA_FN int __vib##NAME##_s32(int a, int b, bool* first) {                                        \
    int result = NAME(a, b);                                                                           \
    *first = a == result;                                                                              \
    return result;                                                                                     \
  }                                                                                                    \
  __LANZA_FN unsigned int __vib##NAME##_u32(unsigned int a, unsigned int b, bool* first) {             \
    unsigned int result = NAME(a, b);                                                                  \
    *first = a == result;                                                                              \
    return result;                                                                                     \
  }                                                                                                    \
  __LANZA_FN unsigned int __vib##NAME##_s16x2(unsigned int a, unsigned int b, bool* high, bool* low) { \
    return __lanza_pick(a, __v##NAME##s2(a, b), high, low);                                            \
  }                                                                                                    \
  __LANZA_FN unsigned int __vib##NAME##_u16x2(unsigned int a, unsigned int b, bool* high, bool* low) { \
    return __lanza_pick(a, __v##NAME##u2(a, b), high, low);                                            \
  }
__LANZA_PICK(max)
__LANZA_PICK(min)
#undef __LANZA_PICK
