// Copies between host and devices, and filling of buffers.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <lanza/buffer.hpp>
#include <lanza/host_range.hpp>

namespace lanza {

namespace detail {

LANZA_API void copy(const Storage& destination, const void* source, std::size_t bytes, StreamView, bool wait);
LANZA_API void copy(void* destination, std::size_t bytes, const Storage& source, StreamView, bool wait);
LANZA_API void copy(const Storage& destination, const Storage& source, StreamView, bool wait);
/// Sets `count` elements of `size` bytes each to *value.
LANZA_API void fill(const Storage&, const void* value, std::size_t size, std::size_t count, StreamView);

/// Elements may be copied when they are of one type, or one side is bytes.
template <class T, class U>
concept Copyable = std::is_same_v<std::remove_cv_t<T>, std::remove_cv_t<U>> ||
                   std::is_same_v<std::remove_cv_t<T>, std::byte> || std::is_same_v<std::remove_cv_t<U>, std::byte>;

}  // namespace detail

/// Host to device. Sizes must agree (InvalidArgument with both). The source may be changed when the call returns, also
/// with wait = false, which only enqueues. The stream must be one of the buffer's context; by default the current or
/// default one.
template <class T, class R>
  requires HostRange<const std::remove_reference_t<R>> && detail::Copyable<T, std::ranges::range_value_t<R>>
void copy(const Buffer<T>& destination, R&& source, StreamView stream = {}, bool wait = true) {
  detail::copy(destination.storage(), std::ranges::data(std::as_const(source)),
               std::ranges::size(source) * sizeof(std::ranges::range_value_t<R>), stream, wait);
}

/// Device to host. With wait = false the destination must live, and is valid, only after the stream is synchronised.
template <class T, class R>
  requires WritableHostRange<R> && detail::Copyable<T, std::ranges::range_value_t<R>>
void copy(R&& destination, const Buffer<T>& source, StreamView stream = {}, bool wait = true) {
  detail::copy(std::ranges::data(destination), std::ranges::size(destination) * sizeof(std::ranges::range_value_t<R>),
               source.storage(), stream, wait);
}

/// Device to device, also of different devices and kinds (CUDA and CPU). The stream is one of the destination's
/// context; work on the source that the source's own stream holds is waited for.
template <class T, class U>
  requires detail::Copyable<T, U>
void copy(const Buffer<T>& destination, const Buffer<U>& source, StreamView stream = {}, bool wait = true) {
  detail::copy(destination.storage(), source.storage(), stream, wait);
}

/// Sets every element; enqueued, not waited for.
template <class T>
void fill(const Buffer<T>& buffer, std::type_identity_t<T> value, StreamView stream = {}) {
  detail::fill(buffer.storage(), &value, sizeof(T), buffer.size(), stream);
}

}  // namespace lanza
