// threadIdx, blockIdx, blockDim, gridDim and warpSize: objects without storage, whose members read the special
// registers.
#pragma once

#define __LANZA_INDEX(NAME, REGISTER, TYPE)                                                \
  struct __lanza_##NAME##_t {                                                              \
    __declspec(property(get = __x)) unsigned int x;                                        \
    __declspec(property(get = __y)) unsigned int y;                                        \
    __declspec(property(get = __z)) unsigned int z;                                        \
    static __LANZA_FN unsigned int __x() { return __nvvm_read_ptx_sreg_##REGISTER##_x(); } \
    static __LANZA_FN unsigned int __y() { return __nvvm_read_ptx_sreg_##REGISTER##_y(); } \
    static __LANZA_FN unsigned int __z() { return __nvvm_read_ptx_sreg_##REGISTER##_z(); } \
    __LANZA_FN operator uint3() const { return uint3{__x(), __y(), __z()}; }               \
    __LANZA_FN operator dim3() const { return dim3(__x(), __y(), __z()); }                 \
    __lanza_##NAME##_t() = delete;                                                         \
    __lanza_##NAME##_t(const __lanza_##NAME##_t&) = default; /* auto i = threadIdx */      \
    __lanza_##NAME##_t& operator=(const __lanza_##NAME##_t&) = delete;                     \
  };                                                                                       \
  extern const __attribute__((device)) __attribute__((weak)) __lanza_##NAME##_t NAME;

__LANZA_INDEX(threadIdx, tid, uint3)
__LANZA_INDEX(blockIdx, ctaid, uint3)
__LANZA_INDEX(blockDim, ntid, dim3)
__LANZA_INDEX(gridDim, nctaid, dim3)
#undef __LANZA_INDEX

__attribute__((device)) constexpr int warpSize = 32;
