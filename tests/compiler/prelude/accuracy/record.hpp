// What a check measured: printed, and appended to the file that LANZA_MATH_RECORD names, for scripts/check-math.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "measure.hpp"

namespace lanza::test {

inline std::string text_of(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}
inline std::string text_of(const Worst& worst) {
  std::string text;
  for (double x : worst.at) text += (text.empty() ? "" : ", ") + text_of(x);
  return text.empty() ? "-" : text;
}
/// One line: function, number of inputs, largest error in ulps and where, the same of the absolute error.
inline void record(const std::string& name, unsigned long long inputs, const Worst& ulps, const Worst& absolute) {
  char error[80];
  std::snprintf(error, sizeof error, "%.3f\t%s\t%.3g\t", ulps.error, text_of(ulps).c_str(), absolute.error);
  const std::string line = name + "\t" + std::to_string(inputs) + "\t" + error + text_of(absolute);
  std::puts(line.c_str());
  std::fflush(stdout);
  const char* path = std::getenv("LANZA_MATH_RECORD");
  if (path == nullptr) return;
  if (std::FILE* file = std::fopen(path, "a")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

}  // namespace lanza::test
