// Distances in units of the last place, and MPFR numbers that clean up after themselves.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <limits>

namespace lanza::test {

inline constexpr mpfr_prec_t kPrecision = 160;

class Real {
 public:
  Real() { mpfr_init2(value_, kPrecision); }
  explicit Real(double x) : Real() { mpfr_set_d(value_, x, MPFR_RNDN); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  double rounded() const { return mpfr_get_d(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

/// |result - exact| in ulps of T at exact; infinity where one is NaN or infinite and the other is not.
template <class T>
double ulps(double result, const Real& exact) {
  constexpr int digits = std::numeric_limits<T>::digits, lowest = std::numeric_limits<T>::min_exponent;
  const double wrong = std::numeric_limits<double>::infinity();
  if (mpfr_nan_p(exact.get())) return std::isnan(result) ? 0 : wrong;
  if (std::isnan(result)) return wrong;
  if (mpfr_inf_p(exact.get())) return result == exact.rounded() ? 0 : wrong;
  const double limit = std::numeric_limits<T>::max();
  if (std::isinf(result)) {
    // Rounding may overflow: right when the exact value is beyond the largest finite number less a few ulps.
    if ((result > 0) != (mpfr_sgn(exact.get()) > 0)) return wrong;
    Real step(std::ldexp(1.0, std::numeric_limits<T>::max_exponent - digits));
    Real distance(limit);
    Real magnitude;
    mpfr_abs(magnitude.get(), exact.get(), MPFR_RNDN);
    mpfr_add(distance.get(), distance.get(), step.get(), MPFR_RNDN);
    mpfr_sub(distance.get(), distance.get(), magnitude.get(), MPFR_RNDN);
    mpfr_div(distance.get(), distance.get(), step.get(), MPFR_RNDN);
    return std::max(0.0, distance.rounded());
  }
  const long exponent = mpfr_zero_p(exact.get()) ? lowest : mpfr_get_exp(exact.get());
  const long unit = std::max<long>(exponent, lowest) - digits;
  Real difference(result);
  mpfr_sub(difference.get(), difference.get(), exact.get(), MPFR_RNDN);
  mpfr_mul_2si(difference.get(), difference.get(), -unit, MPFR_RNDN);
  return std::fabs(difference.rounded());
}

}  // namespace lanza::test
