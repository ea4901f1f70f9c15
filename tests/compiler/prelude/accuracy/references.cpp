#include "references.hpp"

#include <cmath>

namespace lanza::test {
namespace {

constexpr mpfr_rnd_t kNearest = MPFR_RNDN;

/// A number with digits to spare.
class Wide {
 public:
  explicit Wide(mpfr_prec_t precision = 320) { mpfr_init2(value_, precision); }
  ~Wide() { mpfr_clear(value_); }
  Wide(const Wide&) = delete;
  Wide& operator=(const Wide&) = delete;
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

// erf or erfc, in both precisions, and the sign of its slope: d/dy erf = 2 / sqrt(pi) exp(-y^2).
struct ErrorFunction {
  long double (*approximate)(long double);
  int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  int slope;
};
constexpr ErrorFunction kErf{std::erf, mpfr_erf, 1}, kErfc{std::erfc, mpfr_erfc, -1};

// Newton's method as far as the machine's numbers go. Each of MPFR's steps costs a thousand of these.
long double approximate_inverse(long double x, const ErrorFunction& function, long double start) {
  const long double half_root_pi = std::sqrt(std::acos(-1.0L)) / 2;
  long double y = start;
  for (int i = 0; i < 60; ++i) {
    const long double step = (x - function.approximate(y)) * std::exp(y * y) * half_root_pi * function.slope;
    y += step;
    if (std::fabs(step) < std::fabs(y) * 1e-17L) break;
  }
  return y;
}
// y with function(y) = x: Newton's method again, in a precision that holds the steps, until the square of the last
// one is nothing.
void invert(mpfr_ptr y, mpfr_srcptr x, const ErrorFunction& function, long double start) {
  Wide f(224), d(224), e(224);
  mpfr_set_ld(e, approximate_inverse(mpfr_get_ld(x, kNearest), function, start), kNearest);
  for (int i = 0; i < 60; ++i) {
    function.exact(f, e, kNearest);
    mpfr_sub(f, f, x, kNearest);
    mpfr_sqr(d, e, kNearest);
    mpfr_exp(d, d, kNearest);
    mpfr_mul(f, f, d, kNearest);
    mpfr_const_pi(d, kNearest);
    mpfr_sqrt(d, d, kNearest);
    mpfr_mul(f, f, d, kNearest);
    mpfr_div_si(f, f, -2 * function.slope, kNearest);
    mpfr_add(e, e, f, kNearest);
    if (mpfr_zero_p(static_cast<mpfr_ptr>(f)) || mpfr_get_exp(f) < mpfr_get_exp(e) - 70) break;
  }
  mpfr_set(y, e, kNearest);
}
// A start for erfc(y) = q <= 1: below the solution, where erfc is convex and Newton's steps cannot overshoot.
long double erfc_start(mpfr_srcptr q) {
  if (mpfr_cmp_d(q, 0.5) > 0) return 0;
  const long double t = std::sqrt(-std::log(mpfr_get_ld(q, kNearest)));
  return t * t > 2 ? std::sqrt(std::fmax(0.0L, t * t - std::log(t * 2.5L))) * 0.98L : 0.3L;
}
void bessel_i(mpfr_ptr y, mpfr_srcptr x, unsigned long order) {
  if (!mpfr_number_p(x)) {
    mpfr_set(y, x, kNearest);
    if (order == 0) mpfr_abs(y, y, kNearest);
    return;
  }
  Wide z, term;
  mpfr_sqr(z, x, kNearest);
  mpfr_div_ui(z, z, 4, kNearest);
  mpfr_set_ui(term, 1, kNearest);
  if (order == 1) mpfr_div_ui(term, x, 2, kNearest);
  mpfr_set(y, term, kNearest);
  for (unsigned long k = 1; !mpfr_zero_p(static_cast<mpfr_ptr>(term)); ++k) {
    mpfr_mul(term, term, z, kNearest);
    mpfr_div_ui(term, term, k, kNearest);
    mpfr_div_ui(term, term, k + order, kNearest);
    mpfr_add(y, y, term, kNearest);
    if (!mpfr_zero_p(static_cast<mpfr_ptr>(term)) && mpfr_get_exp(term) < mpfr_get_exp(y) - 180) break;
  }
}

}  // namespace

void rsqrt(mpfr_ptr y, mpfr_srcptr x) {
  mpfr_sqrt(y, x, kNearest);
  mpfr_ui_div(y, 1, y, kNearest);
}
void rcbrt(mpfr_ptr y, mpfr_srcptr x) {
  mpfr_cbrt(y, x, kNearest);
  mpfr_ui_div(y, 1, y, kNearest);
}
void erfcx(mpfr_ptr y, mpfr_srcptr x) {
  Wide s(400), c(400);
  mpfr_sqr(s, x, kNearest);
  if (mpfr_cmp_d(x, 1e4) > 0) {  // 1 / (x sqrt(pi)) (1 - 1 / (2 x^2) + 3 / (4 x^4)), relative error below 2^-75
    mpfr_d_div(s, 0.5, s, kNearest);
    mpfr_sqr(c, s, kNearest);
    mpfr_mul_ui(c, c, 3, kNearest);
    mpfr_sub(c, c, s, kNearest);
    mpfr_add_ui(c, c, 1, kNearest);
    mpfr_const_pi(s, kNearest);
    mpfr_sqrt(s, s, kNearest);
    mpfr_mul(s, s, x, kNearest);
    mpfr_div(y, c, s, kNearest);
    return;
  }
  mpfr_exp(s, s, kNearest);
  mpfr_erfc(c, x, kNearest);
  mpfr_mul(y, s, c, kNearest);
}
void normcdf(mpfr_ptr y, mpfr_srcptr x) {
  Wide t;
  mpfr_sqrt_ui(t, 2, kNearest);
  mpfr_div(t, x, t, kNearest);
  mpfr_neg(t, t, kNearest);
  mpfr_erfc(t, t, kNearest);
  mpfr_div_ui(y, t, 2, kNearest);
}
void lgamma(mpfr_ptr y, mpfr_srcptr x) {
  int sign;
  mpfr_lgamma(y, &sign, x, kNearest);
}
void tgamma(mpfr_ptr y, mpfr_srcptr x) { mpfr_gamma(y, x, kNearest); }
void erfcinv(mpfr_ptr y, mpfr_srcptr x) {
  if (mpfr_nan_p(x) || mpfr_cmp_ui(x, 2) > 0 || mpfr_sgn(x) < 0) return mpfr_set_nan(y);
  if (mpfr_zero_p(x)) return mpfr_set_inf(y, 1);
  if (mpfr_cmp_ui(x, 2) == 0) return mpfr_set_inf(y, -1);
  if (mpfr_cmp_ui(x, 1) == 0) return mpfr_set_zero(y, 1);
  Wide q;
  const bool left = mpfr_cmp_ui(x, 1) > 0;
  if (left)
    mpfr_ui_sub(q, 2, x, kNearest);
  else
    mpfr_set(q, x, kNearest);
  invert(y, q, kErfc, erfc_start(q));
  if (left) mpfr_neg(y, y, kNearest);
}
void erfinv(mpfr_ptr y, mpfr_srcptr x) {
  if (mpfr_nan_p(x) || mpfr_cmpabs_ui(x, 1) > 0) return mpfr_set_nan(y);
  if (mpfr_zero_p(x)) {
    mpfr_set(y, x, kNearest);
    return;
  }
  if (mpfr_cmpabs_ui(x, 1) == 0) return mpfr_set_inf(y, mpfr_sgn(x));
  Wide q;
  mpfr_abs(q, x, kNearest);
  if (mpfr_cmp_d(q, 0.5) < 0) return invert(y, x, kErf, mpfr_get_ld(x, kNearest));
  mpfr_ui_sub(q, 1, q, kNearest);
  invert(y, q, kErfc, erfc_start(q));
  if (mpfr_sgn(x) < 0) mpfr_neg(y, y, kNearest);
}
void normcdfinv(mpfr_ptr y, mpfr_srcptr x) {
  Wide t, inverse;
  mpfr_mul_ui(t, x, 2, kNearest);
  erfcinv(inverse, t);
  mpfr_sqrt_ui(t, 2, kNearest);
  mpfr_neg(t, t, kNearest);
  mpfr_mul(y, inverse, t, kNearest);
}
void cyl_bessel_i0(mpfr_ptr y, mpfr_srcptr x) { bessel_i(y, x, 0); }
void cyl_bessel_i1(mpfr_ptr y, mpfr_srcptr x) { bessel_i(y, x, 1); }
void rhypot(mpfr_ptr y, mpfr_srcptr a, mpfr_srcptr b) {
  mpfr_hypot(y, a, b, kNearest);
  mpfr_ui_div(y, 1, y, kNearest);
}
void divide(mpfr_ptr y, mpfr_srcptr a, mpfr_srcptr b) { mpfr_div(y, a, b, kNearest); }
void jn(mpfr_ptr y, int n, mpfr_srcptr x) { mpfr_jn(y, n, x, kNearest); }
void yn(mpfr_ptr y, int n, mpfr_srcptr x) { mpfr_yn(y, n, x, kNearest); }

}  // namespace lanza::test
