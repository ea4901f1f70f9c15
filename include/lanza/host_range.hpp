// What counts as host memory where copies and kernel arguments take it.
#pragma once

#include <ranges>
#include <type_traits>

namespace lanza {

/// Contiguous host memory of trivially copyable elements: std::span, std::vector, std::array, C arrays. Not a Buffer.
template <class R>
concept HostRange = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                    std::is_trivially_copyable_v<std::ranges::range_value_t<R>>;

/// A host range whose elements may be written and outlive the call.
template <class R>
concept WritableHostRange = HostRange<std::remove_reference_t<R>> &&
                            !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>> &&
                            (std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>);

}  // namespace lanza
