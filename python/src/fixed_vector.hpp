// A vector whose capacity is known when it is made: on the stack up to N elements, and never moving them.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace lanza::python {

template <class T, std::size_t N>
class FixedVector {
 public:
  explicit FixedVector(std::size_t capacity)
      : data_(capacity <= N ? reinterpret_cast<T*>(inline_) : std::allocator<T>().allocate(capacity)),
        capacity_(capacity) {}
  FixedVector(const FixedVector&) = delete;
  FixedVector& operator=(const FixedVector&) = delete;
  ~FixedVector() {
    std::destroy_n(data_, size_);
    if (capacity_ > N) std::allocator<T>().deallocate(data_, capacity_);
  }

  template <class... A>
  T& emplace_back(A&&... arguments) {
    T* element = new (data_ + size_) T(std::forward<A>(arguments)...);
    ++size_;
    return *element;
  }
  void pop_back() { data_[--size_].~T(); }
  T* data() { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }

 private:
  alignas(T) std::byte inline_[N * sizeof(T)];  // not initialised: 16 arguments would cost more than a launch
  T* data_;
  std::size_t size_ = 0;
  std::size_t capacity_;
};

}  // namespace lanza::python
