// Buffers: memory of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>

#include <lanza/context.hpp>
#include <lanza/dtype.hpp>
#include <lanza/launch.hpp>

namespace lanza {

template <class T = std::byte>
class Buffer;

namespace detail {

/// The part of a buffer that does not depend on its element type: a range of bytes in an allocation whose ownership it
/// shares.
class LANZA_API Storage {
 public:
  /// Allocates `bytes` (0: a null pointer) on the stream given, in its context, else on the current stream of the
  /// device.
  Storage(std::size_t bytes, const Device&, StreamView = {});
  /// The whole of a record.
  explicit Storage(std::shared_ptr<BufferRecord>) noexcept;
  Storage(const Storage&) = default;
  Storage& operator=(const Storage&) = default;

  std::uintptr_t address() const noexcept { return address_; }
  std::size_t bytes() const noexcept { return bytes_; }
  BufferRecord* record() const noexcept { return record_.get(); }
  Device device() const noexcept;
  Context context() const noexcept;
  /// [offset, offset + bytes). Throws InvalidArgument when it reaches beyond the end; messages count in elements of
  /// `element_size`.
  Storage part(std::size_t offset, std::size_t count, std::size_t element_size) const;

 private:
  std::shared_ptr<BufferRecord> record_;
  std::uintptr_t address_;
  std::size_t bytes_;
};

/// count * size. Throws OutOfMemory when a size_t does not hold it.
LANZA_API std::size_t bytes_of(std::size_t count, std::size_t size);
/// How many elements of `to` bytes `bytes` holds. Throws InvalidArgument when it is no whole number.
LANZA_API std::size_t elements_in_view(std::size_t bytes, std::size_t to, std::string_view type);

}  // namespace detail

/// `size()` elements of T in the memory of a device. A handle that shares ownership of the allocation: copies, parts
/// and views are the same memory, which is given back, in stream order, when the last of them goes. Never empty,
/// thread-safe as Context is; constness is the handle's, not the memory's. Contents are not initialised. No host
/// pointer converts to a buffer or the other way round: copy().
/// @tparam T trivially copyable; std::byte for memory without a type, which fits every pointer parameter.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "elements of a buffer are trivially copyable, not const");

 public:
  using value_type = T;

  /// `size` elements; 0 is legal, and a null pointer. Allocated on the thread's current stream. Throws OutOfMemory.
  explicit Buffer(std::size_t size, const Device& device = current_device())
      : storage_(detail::bytes_of(size, sizeof(T)), device), size_(size) {}
  /// The same on a stream of the device, in the stream's context.
  Buffer(std::size_t size, const Device& device, StreamView stream)
      : storage_(detail::bytes_of(size, sizeof(T)), device, stream), size_(size) {}
  Buffer(const Buffer&) = default;
  Buffer& operator=(const Buffer&) = default;

  std::size_t size() const noexcept { return size_; }  ///< elements
  std::size_t size_bytes() const noexcept { return storage_.bytes(); }
  std::uintptr_t ptr() const noexcept {
    return storage_.address();
  }  ///< address on the device; 0 when there are no elements
  Device device() const noexcept { return storage_.device(); }
  Context context() const noexcept { return storage_.context(); }

  /// Elements [offset, offset + count), the same memory. Throws InvalidArgument beyond the end.
  Buffer subspan(std::size_t offset, std::size_t count) const {
    return Buffer(storage_.part(offset, count, sizeof(T)), count);
  }
  /// The same memory as elements of U. Throws InvalidArgument when the size is no multiple of U's.
  template <class U>
  Buffer<U> view() const {
    return Buffer<U>(storage_, detail::elements_in_view(size_bytes(), sizeof(U), name_of(dtype_of<U>())));
  }

  const detail::Storage& storage() const noexcept { return storage_; }
  Buffer(detail::Storage storage, std::size_t size) noexcept : storage_(std::move(storage)), size_(size) {}

 private:
  detail::Storage storage_;
  std::size_t size_;
};

}  // namespace lanza
