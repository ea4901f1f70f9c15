// {fmt}'s functions that are no templates, and the instances of templates that its headers declare to exist elsewhere.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API dragonbox::decimal_fp<float> dragonbox::to_decimal(float);
template FMT_API dragonbox::decimal_fp<double> dragonbox::to_decimal(double);
template FMT_API char decimal_point_impl(locale_ref);
template FMT_API thousands_sep_result<char> thousands_sep_impl(locale_ref);
template FMT_API void buffer<char>::append(const char*, const char*);

} // namespace detail
FMT_END_NAMESPACE
