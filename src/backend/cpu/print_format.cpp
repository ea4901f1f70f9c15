// Device printf: the text of a format and CUDA's vprintf buffer.
#include "backend/cpu/print_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "backend/cpu/fault_handler.hpp"

namespace lanza::executor {

InvalidString::InvalidString(const void* address)
    : Error(fmt::format("printf was given an invalid string at address {} for %s", address)) {}

namespace {

constexpr int longest = 4096;  // width and precision: a printf is no way to fill the memory

// Walks over the argument buffer; how many arguments it holds nobody knows.
class Arguments {
 public:
  explicit Arguments(const void* buffer) : next_(static_cast<const char*>(buffer)) {}
  template <class T>
  T take() {
    const auto address = (reinterpret_cast<std::uintptr_t>(next_) + alignof(T) - 1) & ~(alignof(T) - 1);
    T value;
    std::memcpy(&value, reinterpret_cast<const char*>(address), sizeof value);
    next_ = reinterpret_cast<const char*>(address) + sizeof value;
    ++taken_;
    return value;
  }
  int taken() const { return taken_; }

 private:
  const char* next_;
  int taken_ = 0;
};

// One conversion: "%-08.3lld".
struct Conversion {
  std::string flags;
  int width = -1, precision = -1;
  enum class Length { Char, Short, Int, Long } length = Length::Int;
  char letter = 0;
};

int read_number(const char*& p, Arguments& arguments) {
  if (*p == '*') return ++p, arguments.take<std::int32_t>();
  long value = 0;
  for (; *p >= '0' && *p <= '9'; ++p) value = std::min<long>(value * 10 + (*p - '0'), longest);
  return static_cast<int>(value);
}

// Reads what follows '%'. A cut off conversion has the letter 0.
Conversion parse(const char*& p, Arguments& arguments) {
  Conversion c;
  for (; *p && std::strchr("-+ #0", *p); ++p) {
    if (c.flags.find(*p) == std::string::npos) c.flags += *p;
  }
  if (*p == '*' || (*p >= '0' && *p <= '9')) c.width = read_number(p, arguments);
  if (c.width < -1) c.flags += '-', c.width = c.width < -longest ? longest : -c.width;
  c.width = std::min(c.width, longest);
  if (*p == '.') c.precision = std::clamp(read_number(++p, arguments), -1, longest);
  for (bool more = true; more;) {
    switch (*p) {
      case 'h':
        c.length = c.length == Conversion::Length::Short ? Conversion::Length::Char : Conversion::Length::Short;
        break;
      case 'l':
      case 'j':
      case 'z':
      case 't':
      case 'q':
        c.length = Conversion::Length::Long;
        break;
      case 'L':
        break;  // long double is double on a device
      default:
        more = false;
    }
    p += more;
  }
  c.letter = *p;
  if (*p) ++p;
  return c;
}

template <class T>
void append(std::string& text, const Conversion& c, const char* length, T value) {
  char spec[32];
  const auto n = std::snprintf(spec, sizeof spec, "%%%s%s%s%s%c", c.flags.c_str(), c.width >= 0 ? "*" : "",
                               c.precision >= 0 ? ".*" : "", length, c.letter);
  if (n < 0) return;
  const auto print = [&](char* to, std::size_t size) {
    if (c.width >= 0 && c.precision >= 0) return std::snprintf(to, size, spec, c.width, c.precision, value);
    if (c.width >= 0) return std::snprintf(to, size, spec, c.width, value);
    if (c.precision >= 0) return std::snprintf(to, size, spec, c.precision, value);
    return std::snprintf(to, size, spec, value);
  };
  char brief[128];
  const int size = print(brief, sizeof brief);
  if (size < 0) return;
  if (static_cast<std::size_t>(size) < sizeof brief) {
    text.append(brief, static_cast<std::size_t>(size));
    return;
  }
  const auto old = text.size();
  text.resize(old + static_cast<std::size_t>(size) + 1);
  print(text.data() + old, static_cast<std::size_t>(size) + 1);
  text.pop_back();
}

void append_integer(std::string& text, const Conversion& c, Arguments& arguments, bool is_signed) {
  if (c.length == Conversion::Length::Long) {
    const auto value = arguments.take<std::int64_t>();
    return is_signed ? append(text, c, "ll", static_cast<long long>(value))
                     : append(text, c, "ll", static_cast<unsigned long long>(value));
  }
  const char* length = c.length == Conversion::Length::Char ? "hh" : c.length == Conversion::Length::Short ? "h" : "";
  append(text, c, length, arguments.take<std::int32_t>());
}

// False: C has no such conversion.
bool append_conversion(std::string& text, const Conversion& c, Arguments& arguments) {
  switch (c.letter) {
    case 'd':
    case 'i':
      append_integer(text, c, arguments, true);
      return true;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      append_integer(text, c, arguments, false);
      return true;
    case 'c':
      append(text, c, "", arguments.take<std::int32_t>());
      return true;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      append(text, c, "", arguments.take<double>());
      return true;
    case 'p':
      append(text, c, "", arguments.take<void*>());
      return true;
    case 's': {
      const char* string = arguments.take<const char*>();
      const auto most = c.precision >= 0 ? static_cast<std::size_t>(c.precision) : std::string::npos;
      if (string && !is_readable_string(string, most)) throw InvalidString(string);
      append(text, c, "", string ? string : "(null)");
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

int format_print(std::string& text, const char* format, const void* buffer) {
  Arguments arguments(buffer);
  for (const char* p = format; *p;) {
    const char* percent = std::strchr(p, '%');
    if (!percent) {
      text += p;
      break;
    }
    text.append(p, percent);
    p = percent + 1;
    if (*p == '%') {
      text += *p++;
      continue;
    }
    const Conversion c = parse(p, arguments);
    if (!append_conversion(text, c, arguments)) text.append(percent, p);
  }
  return arguments.taken();
}

}  // namespace lanza::executor
