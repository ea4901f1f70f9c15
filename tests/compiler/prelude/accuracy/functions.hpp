// The functions whose accuracy is checked: their references and the bounds that CUDA documents.
#pragma once

#include <ostream>
#include <span>
#include <vector>

#include "references.hpp"

namespace lanza::test {

/// A bound in ulps, and one of the absolute error for other arguments.
struct Bound {
  double ulps;
  bool (*relative)(double x) = nullptr;  // where `ulps` holds; null: everywhere
  double absolute = 0;
  bool (*elsewhere)(double x) = nullptr;  // where `absolute` holds; null: nowhere
};

struct FloatFunction {
  const char* name;
  double (*exact)(double);  // its error is small against a float's ulp
  Bound bound;
};

struct Range {
  double low, high;
};
struct DoubleFunction {
  const char* name;
  Reference exact;
  Bound bound;
  std::vector<Range> ranges;          // sampled evenly, besides all exponents
  double low = -1e308, high = 1e308;  // finite arguments outside take the reference too long
};

struct BinaryFunction {
  const char* name;
  Reference2 exact;
  double bound;
  bool single;
};

struct OrderFunction {  // of an order and a number: jn, yn
  const char* name;
  ReferenceN exact;
  double absolute;  // for |x| above `from` times the order
  double from;
  bool single;
};

std::span<const FloatFunction> float_functions();
std::span<const DoubleFunction> double_functions();
std::span<const BinaryFunction> binary_functions();
std::span<const OrderFunction> order_functions();

inline void PrintTo(const FloatFunction& f, std::ostream* out) { *out << f.name; }
inline void PrintTo(const DoubleFunction& f, std::ostream* out) { *out << f.name; }
inline void PrintTo(const BinaryFunction& f, std::ostream* out) { *out << f.name; }
inline void PrintTo(const OrderFunction& f, std::ostream* out) { *out << f.name; }

}  // namespace lanza::test
