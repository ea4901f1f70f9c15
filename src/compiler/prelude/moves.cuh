// std::move and std::forward, which sources find without an #include, as NVRTC has them.
#pragma once

namespace std {
template <class T>
constexpr __host__ __device__ __remove_reference_t(T)&& move(T&& value) noexcept {
  return static_cast<__remove_reference_t(T)&&>(value);
}
template <class T>
constexpr __host__ __device__ T&& forward(__remove_reference_t(T)& value) noexcept {
  return static_cast<T&&>(value);
}
template <class T>
constexpr __host__ __device__ T&& forward(__remove_reference_t(T)&& value) noexcept {
  return static_cast<T&&>(value);
}
}  // namespace std
