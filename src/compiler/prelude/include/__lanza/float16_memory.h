// Cached loads and stores, atomic addition and shuffles of the types of 16 bits and their pairs. Templates, because
// clang reads the body of one only where it is called.
#pragma once

#define __LANZA_LOAD(NAME)                                \
  template <class T, class = typename T::__lanza_float16> \
  __LANZA_FN T NAME(const T* address) {                   \
    return *address;                                      \
  }
__LANZA_LOAD(__ldg)
__LANZA_LOAD(__ldca)
__LANZA_LOAD(__ldcg)
__LANZA_LOAD(__ldcs)
__LANZA_LOAD(__ldlu)
__LANZA_LOAD(__ldcv)
#undef __LANZA_LOAD
#define __LANZA_STORE(NAME)                                             \
  template <class T>                                                    \
  __LANZA_FN void NAME(T* address, typename T::__lanza_float16 value) { \
    *address = value;                                                   \
  }
__LANZA_STORE(__stwb)
__LANZA_STORE(__stcg)
__LANZA_STORE(__stcs)
__LANZA_STORE(__stwt)
#undef __LANZA_STORE

// A pair is added as one word: more than CUDA promises.
template <class T>
__LANZA_FN T atomicAdd(T* address, typename T::__lanza_float16 value) {
  typedef typename T::__lanza_word word;
  word* at = reinterpret_cast<word*>(address);
  word old = __atomic_load_n(at, __ATOMIC_RELAXED), sum;
  do {
    sum = __builtin_bit_cast(word, __lanza_plus(__builtin_bit_cast(T, old), value));
  } while (!__atomic_compare_exchange_n(at, &old, sum, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return __builtin_bit_cast(T, old);
}

#define __LANZA_SHUFFLE(NAME, SOURCE)                                                                          \
  template <class T, class = typename T::__lanza_float16>                                                      \
  __attribute__((convergent)) __LANZA_FN T NAME(unsigned int mask, T value, SOURCE source, int width = 32) {   \
    typedef typename T::__lanza_word word;                                                                     \
    unsigned int bits = NAME(mask, static_cast<unsigned int>(__builtin_bit_cast(word, value)), source, width); \
    return __builtin_bit_cast(T, static_cast<word>(bits));                                                     \
  }
__LANZA_SHUFFLE(__shfl_sync, int)
__LANZA_SHUFFLE(__shfl_up_sync, unsigned int)
__LANZA_SHUFFLE(__shfl_down_sync, unsigned int)
__LANZA_SHUFFLE(__shfl_xor_sync, int)
#undef __LANZA_SHUFFLE
