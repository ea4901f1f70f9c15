// Two halfwords or four bytes in a word: __vadd2, __vadd4 and their kind, on all fields at once with 32-bit integers
// (so that vector code still sees one word a lane; Warren, "Hacker's Delight", 2nd ed., 2-18). `top` is the top bit of
// each field.
#pragma once

#define __LANZA_TOP2 0x80008000u
#define __LANZA_TOP4 0x80808080u

__LANZA_FN unsigned int __lanza_field_low(unsigned int top) { return top == __LANZA_TOP2 ? 0x00010001u : 0x01010101u; }
// All bits of the fields whose top bit is set in x.
__LANZA_FN unsigned int __lanza_field_mask(unsigned int x, unsigned int top) {
  unsigned int set = x & top;
  return (set - (set >> (top == __LANZA_TOP2 ? 15 : 7))) | set;
}
__LANZA_FN unsigned int __lanza_field_select(unsigned int mask, unsigned int a, unsigned int b) {
  return (a & mask) | (b & ~mask);
}
__LANZA_FN unsigned int __lanza_field_add(unsigned int a, unsigned int b, unsigned int top) {
  return ((a & ~top) + (b & ~top)) ^ ((a ^ b) & top);
}
__LANZA_FN unsigned int __lanza_field_sub(unsigned int a, unsigned int b, unsigned int top) {
  return ((a | top) - (b & ~top)) ^ ((a ^ ~b) & top);
}

// Comparisons, as the top bit of each field: of unsigned fields; flipping the top bits orders signed ones.
__LANZA_FN unsigned int __lanza_field_geu(unsigned int a, unsigned int b, unsigned int top) {
  return ((a & ~b) | (~(a ^ b) & ((a | top) - (b & ~top)))) & top;
}
__LANZA_FN unsigned int __lanza_field_ges(unsigned int a, unsigned int b, unsigned int top) {
  return __lanza_field_geu(a ^ top, b ^ top, top);
}
__LANZA_FN unsigned int __lanza_field_eq(unsigned int a, unsigned int b, unsigned int top) {
  unsigned int x = a ^ b;
  return ~(x | ((x & ~top) + ~top)) & top;
}
#define __LANZA_COMPARE(CONDITION, FORM)                                                                  \
  __LANZA_FN unsigned int __lanza_compare_##CONDITION(unsigned int a, unsigned int b, unsigned int top) { \
    return FORM;                                                                                          \
  }                                                                                                       \
  __LANZA_FN unsigned int __vcmp##CONDITION##2(unsigned int a, unsigned int b) {                          \
    return __lanza_field_mask(__lanza_compare_##CONDITION(a, b, __LANZA_TOP2), __LANZA_TOP2);             \
  }                                                                                                       \
  __LANZA_FN unsigned int __vcmp##CONDITION##4(unsigned int a, unsigned int b) {                          \
    return __lanza_field_mask(__lanza_compare_##CONDITION(a, b, __LANZA_TOP4), __LANZA_TOP4);             \
  }                                                                                                       \
  __LANZA_FN unsigned int __vset##CONDITION##2(unsigned int a, unsigned int b) {                          \
    return __lanza_compare_##CONDITION(a, b, __LANZA_TOP2) >> 15;                                         \
  }                                                                                                       \
  __LANZA_FN unsigned int __vset##CONDITION##4(unsigned int a, unsigned int b) {                          \
    return __lanza_compare_##CONDITION(a, b, __LANZA_TOP4) >> 7;                                          \
  }
__LANZA_COMPARE(eq, __lanza_field_eq(a, b, top))
__LANZA_COMPARE(ne, __lanza_field_eq(a, b, top) ^ top)
__LANZA_COMPARE(ges, __lanza_field_ges(a, b, top))
__LANZA_COMPARE(geu, __lanza_field_geu(a, b, top))
__LANZA_COMPARE(gts, __lanza_field_ges(b, a, top) ^ top)
__LANZA_COMPARE(gtu, __lanza_field_geu(b, a, top) ^ top)
__LANZA_COMPARE(les, __lanza_field_ges(b, a, top))
__LANZA_COMPARE(leu, __lanza_field_geu(b, a, top))
__LANZA_COMPARE(lts, __lanza_field_ges(a, b, top) ^ top)
__LANZA_COMPARE(ltu, __lanza_field_geu(a, b, top) ^ top)
#undef __LANZA_COMPARE

__LANZA_FN unsigned int __lanza_field_maxs(unsigned int a, unsigned int b, unsigned int top) {
  return __lanza_field_select(__lanza_field_mask(__lanza_field_ges(a, b, top), top), a, b);
}
__LANZA_FN unsigned int __lanza_field_maxu(unsigned int a, unsigned int b, unsigned int top) {
  return __lanza_field_select(__lanza_field_mask(__lanza_field_geu(a, b, top), top), a, b);
}
__LANZA_FN unsigned int __lanza_field_mins(unsigned int a, unsigned int b, unsigned int top) {
  return __lanza_field_select(__lanza_field_mask(__lanza_field_ges(a, b, top), top), b, a);
}
__LANZA_FN unsigned int __lanza_field_minu(unsigned int a, unsigned int b, unsigned int top) {
  return __lanza_field_select(__lanza_field_mask(__lanza_field_geu(a, b, top), top), b, a);
}
// The larger less the smaller: no field borrows.
__LANZA_FN unsigned int __lanza_field_absdiffu(unsigned int a, unsigned int b, unsigned int top) {
  return __lanza_field_maxu(a, b, top) - __lanza_field_minu(a, b, top);
}
__LANZA_FN unsigned int __lanza_field_absdiffs(unsigned int a, unsigned int b, unsigned int top) {
  return __lanza_field_absdiffu(a ^ top, b ^ top, top);
}

// Saturation. A signed sum overflows when both operands differ from it in sign, a difference when the first differs
// from the second and from it; what it should have been has the sign of the first.
__LANZA_FN unsigned int __lanza_field_saturate(unsigned int wrapped, unsigned int overflow, unsigned int a,
                                               unsigned int top) {
  unsigned int limit = ~top + ((a & top) >> (top == __LANZA_TOP2 ? 15 : 7));
  return __lanza_field_select(__lanza_field_mask(overflow, top), limit, wrapped);
}
__LANZA_FN unsigned int __lanza_field_addss(unsigned int a, unsigned int b, unsigned int top) {
  unsigned int sum = __lanza_field_add(a, b, top);
  return __lanza_field_saturate(sum, ~(a ^ b) & (a ^ sum), a, top);
}
__LANZA_FN unsigned int __lanza_field_subss(unsigned int a, unsigned int b, unsigned int top) {
  unsigned int difference = __lanza_field_sub(a, b, top);
  return __lanza_field_saturate(difference, (a ^ b) & (a ^ difference), a, top);
}
__LANZA_FN unsigned int __lanza_field_addus(unsigned int a, unsigned int b, unsigned int top) {
  unsigned int sum = __lanza_field_add(a, b, top);
  return sum | __lanza_field_mask((a & b) | ((a | b) & ~sum), top);
}
__LANZA_FN unsigned int __lanza_field_subus(unsigned int a, unsigned int b, unsigned int top) {
  return __lanza_field_sub(a, b, top) & __lanza_field_mask(__lanza_field_geu(a, b, top), top);
}

// Averages: (a & b) + half of the differing bits rounds down, (a | b) less that half up. __vavgs rounds halves up from
// zero on and down below it (what vavrg2 of PTX does).
__LANZA_FN unsigned int __lanza_field_haddu(unsigned int a, unsigned int b, unsigned int top) {
  return (a & b) + (((a ^ b) & ~__lanza_field_low(top)) >> 1);
}
__LANZA_FN unsigned int __lanza_field_avgu(unsigned int a, unsigned int b, unsigned int top) {
  return (a | b) - (((a ^ b) & ~__lanza_field_low(top)) >> 1);
}
__LANZA_FN unsigned int __lanza_field_avgs(unsigned int a, unsigned int b, unsigned int top) {
  unsigned int down = __lanza_field_haddu(a ^ top, b ^ top, top) ^ top;
  unsigned int not_negative = ~down >> (top == __LANZA_TOP2 ? 15 : 7);
  return down + ((a ^ b) & not_negative & __lanza_field_low(top));
}
#define __LANZA_FIELDS2(NAME)                                            \
  __LANZA_FN unsigned int __v##NAME##2(unsigned int a, unsigned int b) { \
    return __lanza_field_##NAME(a, b, __LANZA_TOP2);                     \
  }                                                                      \
  __LANZA_FN unsigned int __v##NAME##4(unsigned int a, unsigned int b) { \
    return __lanza_field_##NAME(a, b, __LANZA_TOP4);                     \
  }
__LANZA_FIELDS2(add)
__LANZA_FIELDS2(addss)
__LANZA_FIELDS2(addus)
__LANZA_FIELDS2(sub)
__LANZA_FIELDS2(subss)
__LANZA_FIELDS2(subus)
__LANZA_FIELDS2(maxs)
__LANZA_FIELDS2(maxu)
__LANZA_FIELDS2(mins)
__LANZA_FIELDS2(minu)
__LANZA_FIELDS2(absdiffs)
__LANZA_FIELDS2(absdiffu)
__LANZA_FIELDS2(avgs)
__LANZA_FIELDS2(avgu)
__LANZA_FIELDS2(haddu)
#undef __LANZA_FIELDS2

__LANZA_FN unsigned int __vneg2(unsigned int a) { return __vsub2(0, a); }
__LANZA_FN unsigned int __vneg4(unsigned int a) { return __vsub4(0, a); }
__LANZA_FN unsigned int __vnegss2(unsigned int a) { return __vsubss2(0, a); }
__LANZA_FN unsigned int __vnegss4(unsigned int a) { return __vsubss4(0, a); }
__LANZA_FN unsigned int __vabs2(unsigned int a) { return __lanza_field_select(__vcmplts2(a, 0), __vneg2(a), a); }
__LANZA_FN unsigned int __vabs4(unsigned int a) { return __lanza_field_select(__vcmplts4(a, 0), __vneg4(a), a); }
__LANZA_FN unsigned int __vabsss2(unsigned int a) { return __lanza_field_select(__vcmplts2(a, 0), __vnegss2(a), a); }
__LANZA_FN unsigned int __vabsss4(unsigned int a) { return __lanza_field_select(__vcmplts4(a, 0), __vnegss4(a), a); }

__LANZA_FN unsigned int __lanza_field_total2(unsigned int a) { return (a & 0xffffu) + (a >> 16); }
__LANZA_FN unsigned int __lanza_field_total4(unsigned int a) {
  return __lanza_field_total2((a & 0x00ff00ffu) + (a >> 8 & 0x00ff00ffu));
}
__LANZA_FN unsigned int __vsads2(unsigned int a, unsigned int b) { return __lanza_field_total2(__vabsdiffs2(a, b)); }
__LANZA_FN unsigned int __vsads4(unsigned int a, unsigned int b) { return __lanza_field_total4(__vabsdiffs4(a, b)); }
__LANZA_FN unsigned int __vsadu2(unsigned int a, unsigned int b) { return __lanza_field_total2(__vabsdiffu2(a, b)); }
__LANZA_FN unsigned int __vsadu4(unsigned int a, unsigned int b) { return __lanza_field_total4(__vabsdiffu4(a, b)); }

#undef __LANZA_TOP2
#undef __LANZA_TOP4
