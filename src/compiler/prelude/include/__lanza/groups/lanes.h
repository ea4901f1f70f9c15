// What tiles and coalesced groups share: moving values of any type between lanes of a warp.
#pragma once
#include <__lanza/groups/groups.h>

namespace cooperative_groups {

template <class T>
using __lanza_plain = typename std::remove_cv<typename std::remove_reference<T>::type>::type;

// The value that lane `source` of the warp holds, in words of 64 bits.
template <class T>
__attribute__((convergent)) __LANZA_FN T __lanza_fetch(unsigned int mask, const T& value, unsigned int source) {
  static_assert(sizeof(T) <= 32 && std::is_trivially_copyable<T>::value,
                "collectives of cooperative groups move trivially copyable values of at most 32 bytes");
  T result = value;
  if constexpr (sizeof(T) <= 4) {
    unsigned int word = 0;
    __builtin_memcpy(&word, &value, sizeof(T));
    word = static_cast<unsigned int>(__lanza_sync(LANZA_SYNC_SHUFFLE, 0, mask, word, source));
    __builtin_memcpy(&result, &word, sizeof(T));
  } else {
    unsigned long long words[(sizeof(T) + 7) / 8] = {};
    __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
    for (unsigned long long& word : words) word = __lanza_sync(LANZA_SYNC_SHUFFLE, 0, mask, word, source);
    __builtin_memcpy(&result, words, sizeof(T));
  }
  return result;
}

}  // namespace cooperative_groups
