// What memory a pointer points to, and addresses of one kind of memory as numbers.
#pragma once

#define __LANZA_IS_SPACE(NAME, SPACE, NUMBER)                                                           \
  __LANZA_FN unsigned int NAME(const void* address) {                                                   \
    if (__lanza_reflect(LANZA_REFLECT_PTX)) return __nvvm_isspacep_##SPACE(const_cast<void*>(address)); \
    return __lanza_address_space(address) == NUMBER;                                                    \
  }
__LANZA_IS_SPACE(__isGlobal, global, 1)
__LANZA_IS_SPACE(__isShared, shared, 3)
__LANZA_IS_SPACE(__isLocal, local, 5)
#undef __LANZA_IS_SPACE
// On the CPU constants and parameters lie in memory that counts as global.
__LANZA_FN unsigned int __isConstant(const void* address) {
  return __lanza_reflect(LANZA_REFLECT_PTX) && __nvvm_isspacep_const(const_cast<void*>(address));
}
__LANZA_FN unsigned int __isGridConstant(const void* address) {
  unsigned int result;
  asm("{ .reg .pred p; isspacep.param p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(result) : "l"(address));
  return result;
}

// An address in shared memory as a number is its distance from the block's first byte, as in PTX; in other memory it is
// the pointer.
__LANZA_FN size_t __cvta_generic_to_shared(const void* pointer) {
  if (__lanza_reflect(LANZA_REFLECT_PTX))
    return reinterpret_cast<size_t>((__attribute__((address_space(3))) const void*)pointer);
  return static_cast<size_t>(static_cast<const char*>(pointer) - __lanza_shared());
}
__LANZA_FN void* __cvta_shared_to_generic(size_t address) {
  if (__lanza_reflect(LANZA_REFLECT_PTX))
    return (void*)reinterpret_cast<__attribute__((address_space(3))) void*>(address);
  return __lanza_shared() + address;
}
#define __LANZA_CVTA(SPACE, NUMBER)                                                                 \
  __LANZA_FN size_t __cvta_generic_to_##SPACE(const void* pointer) {                                \
    if (__lanza_reflect(LANZA_REFLECT_PTX))                                                         \
      return reinterpret_cast<size_t>((__attribute__((address_space(NUMBER))) const void*)pointer); \
    return reinterpret_cast<size_t>(pointer);                                                       \
  }                                                                                                 \
  __LANZA_FN void* __cvta_##SPACE##_to_generic(size_t address) {                                    \
    if (__lanza_reflect(LANZA_REFLECT_PTX))                                                         \
      return (void*)reinterpret_cast<__attribute__((address_space(NUMBER))) void*>(address);        \
    return reinterpret_cast<void*>(address);                                                        \
  }
__LANZA_CVTA(global, 1)
__LANZA_CVTA(constant, 4)
__LANZA_CVTA(local, 5)
#undef __LANZA_CVTA
