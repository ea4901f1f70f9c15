// References that neither the C library nor MPFR has, from MPFR's functions.
#pragma once

#include <mpfr.h>

namespace lanza::test {

using Reference = void (*)(mpfr_ptr y, mpfr_srcptr x);
using Reference2 = void (*)(mpfr_ptr y, mpfr_srcptr a, mpfr_srcptr b);
using ReferenceN = void (*)(mpfr_ptr y, int n, mpfr_srcptr x);

void rsqrt(mpfr_ptr y, mpfr_srcptr x);
void rcbrt(mpfr_ptr y, mpfr_srcptr x);
void erfcx(mpfr_ptr y, mpfr_srcptr x);
void normcdf(mpfr_ptr y, mpfr_srcptr x);
void lgamma(mpfr_ptr y, mpfr_srcptr x);
/// CUDA's: NaN at negative integers, infinite with the sign of a zero.
void tgamma(mpfr_ptr y, mpfr_srcptr x);
void erfinv(mpfr_ptr y, mpfr_srcptr x);
void erfcinv(mpfr_ptr y, mpfr_srcptr x);
void normcdfinv(mpfr_ptr y, mpfr_srcptr x);
void cyl_bessel_i0(mpfr_ptr y, mpfr_srcptr x);
void cyl_bessel_i1(mpfr_ptr y, mpfr_srcptr x);
void rhypot(mpfr_ptr y, mpfr_srcptr a, mpfr_srcptr b);
void divide(mpfr_ptr y, mpfr_srcptr a, mpfr_srcptr b);
void jn(mpfr_ptr y, int n, mpfr_srcptr x);
void yn(mpfr_ptr y, int n, mpfr_srcptr x);

}  // namespace lanza::test
