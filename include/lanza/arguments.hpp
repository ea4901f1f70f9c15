// Kernel arguments: how C++ values, host ranges and buffers become what a launch checks against the kernel's
// parameters.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <type_traits>
#include <utility>

#include <lanza/buffer.hpp>
#include <lanza/dtype.hpp>
#include <lanza/export.hpp>
#include <lanza/fwd.hpp>
#include <lanza/host_range.hpp>

namespace lanza {

namespace detail {

/// One argument of a launch, without its static type. Plain data of 32 bytes: made on the caller's stack, checked by
/// one binder for C++ and Python alike, never stored.
struct Argument {
  enum class Kind : std::uint8_t {
    Host,     ///< contiguous host memory: `range`
    Buffer,   ///< memory of a Buffer: `range` and `buffer`
    Address,  ///< device memory of somebody else, or a null pointer: `range` and `device`
    Scalar,   ///< arithmetic or complex value in `value`
    Record    ///< trivially copyable object, by value: `range` is where it lies on the host
  };
  enum class Mode : std::uint8_t { Plain, In, Out, InOut };
  enum Flag : std::uint8_t {
    Writable = 1,  ///< Host: may be written
    Weak = 2,      ///< Scalar: a number of Python, which takes on the type of the parameter
    TooLarge = 4,  ///< Scalar: an integer that 64 bits do not hold; never fits, `value` is not read
    Strided = 8    ///< Host: not contiguous; never fits
  };
  struct Range {
    std::uintptr_t address;
    std::size_t bytes;
  };

  Kind kind = Kind::Scalar;
  Mode mode = Mode::Plain;
  DType dtype = DType::Opaque;  ///< of an element or of the value; Opaque fits every pointer
  std::uint8_t flags = 0;
  std::uint32_t element_size = 0;  ///< bytes of an element; Record: alignment; Scalar: bytes of the value
  union {
    Range range;
    unsigned char value[16];
  };
  union {
    BufferRecord* buffer;        ///< Buffer: never null
    const DeviceRecord* device;  ///< Address: where the memory is; null: not known, not checked
  };

  constexpr Argument() noexcept : range{0, 0}, buffer(nullptr) {}

  static Argument host(const void* data, std::size_t bytes, DType dtype, std::size_t element_size, Mode mode,
                       bool writable) noexcept {
    Argument a;
    a.kind = Kind::Host;
    a.mode = mode;
    a.dtype = dtype;
    a.flags = writable ? Writable : 0;
    a.element_size = static_cast<std::uint32_t>(element_size);
    a.range = {reinterpret_cast<std::uintptr_t>(data), bytes};
    return a;
  }
  static Argument memory(const Storage& storage, DType dtype, std::size_t element_size) noexcept {
    Argument a;
    a.kind = Kind::Buffer;
    a.dtype = dtype;
    a.element_size = static_cast<std::uint32_t>(element_size);
    a.range = {storage.address(), storage.bytes()};
    a.buffer = storage.record();
    return a;
  }
  /// Device memory that no Buffer owns. `device` null: not known.
  static Argument foreign(std::uintptr_t address, std::size_t bytes, DType dtype, std::size_t element_size,
                          const DeviceRecord* device) noexcept {
    Argument a;
    a.kind = Kind::Address;
    a.dtype = dtype;
    a.element_size = static_cast<std::uint32_t>(element_size);
    a.range = {address, bytes};
    a.device = device;
    return a;
  }
  static Argument null() noexcept { return foreign(0, 0, DType::Opaque, 0, nullptr); }
  /// `size` bytes at `data`, at most 16.
  static Argument scalar(const void* data, std::size_t size, DType dtype, std::uint8_t flags = 0) noexcept {
    Argument a;
    a.kind = Kind::Scalar;
    a.dtype = dtype;
    a.flags = flags;
    a.element_size = static_cast<std::uint32_t>(size);
    std::memcpy(a.value, data, size);
    return a;
  }
  static Argument object(const void* data, std::size_t size, std::size_t alignment) noexcept {
    Argument a;
    a.kind = Kind::Record;
    a.dtype = DType::Record;
    a.element_size = static_cast<std::uint32_t>(alignment);
    a.range = {reinterpret_cast<std::uintptr_t>(data), size};
    return a;
  }
};

template <class R>
Argument host_argument(R& range, Argument::Mode mode) noexcept {
  using T = std::remove_reference_t<std::ranges::range_reference_t<R>>;
  return Argument::host(std::ranges::data(range), std::ranges::size(range) * sizeof(T), dtype_of<T>(), sizeof(T), mode,
                        !std::is_const_v<T>);
}

template <class T>
inline constexpr bool is_buffer = false;
template <class T>
inline constexpr bool is_buffer<Buffer<T>> = true;
template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// What a C++ argument of a kernel call is, told by its static type.
template <class A>
Argument argument(A& a) noexcept {
  using T = std::remove_cv_t<A>;
  if constexpr (std::is_same_v<T, Argument>) {
    return a;
  } else if constexpr (is_buffer<T>) {
    return Argument::memory(a.storage(), dtype_of<typename T::value_type>(), sizeof(typename T::value_type));
  } else if constexpr (std::is_null_pointer_v<T>) {
    return Argument::null();
  } else if constexpr (HostRange<A>) {
    return host_argument(a, Argument::Mode::Plain);
  } else if constexpr ((std::is_arithmetic_v<T> && sizeof(T) <= 8) || std::is_enum_v<T> || is_complex<T>) {
    return Argument::scalar(&a, sizeof(T), dtype_of<T>());
  } else {
    static_assert(!std::is_pointer_v<T>,
                  "a raw pointer has no size: pass std::span(pointer, count), a Buffer, or nullptr");
    static_assert(!std::is_arithmetic_v<T>, "kernels take no long double");
    static_assert(std::is_trivially_copyable_v<T>, "a kernel argument must be trivially copyable");
    return Argument::object(&a, sizeof(T), alignof(T));
  }
}

}  // namespace detail

/// A host range that the kernel reads: copied to the device before it runs, never back.
template <class R>
  requires HostRange<const std::remove_reference_t<R>>
detail::Argument in(R&& range) noexcept {
  return detail::host_argument(std::as_const(range), detail::Argument::Mode::In);
}

/// A host range that the kernel writes as a whole: copied from the device after it ran, never to it. Elements that the
/// kernel does not write have no defined value afterwards.
template <class R>
  requires WritableHostRange<R>
detail::Argument out(R&& range) noexcept {
  return detail::host_argument(range, detail::Argument::Mode::Out);
}

/// A host range that the kernel reads and writes: copied both ways.
template <class R>
  requires WritableHostRange<R>
detail::Argument inout(R&& range) noexcept {
  return detail::host_argument(range, detail::Argument::Mode::InOut);
}

}  // namespace lanza
