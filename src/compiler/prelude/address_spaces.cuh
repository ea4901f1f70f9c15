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
#define __LANZA_CVTA(SPACE)                                                                                      \
  __LANZA_FN size_t __cvta_generic_to_##SPACE(const void* pointer) { return reinterpret_cast<size_t>(pointer); } \
  __LANZA_FN void* __cvta_##SPACE##_to_generic(size_t address) { return reinterpret_cast<void*>(address); }
__LANZA_CVTA(global)
__LANZA_CVTA(local)
#undef __LANZA_CVTA
