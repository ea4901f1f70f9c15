// Operations of a warp: shuffles, votes, matches and reductions over the lanes of a mask.
#pragma once

#define __LANZA_WARP __attribute__((convergent)) __LANZA_FN

// Lanes are counted x fastest, over the whole block.
__LANZA_FN unsigned int __lanza_lane() {
  if (__lanza_reflect(LANZA_REFLECT_PTX)) return static_cast<unsigned int>(__nvvm_read_ptx_sreg_laneid());
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31u;
}

__LANZA_WARP unsigned int __activemask() {
  return static_cast<unsigned int>(__lanza_sync(LANZA_SYNC_ACTIVEMASK, 0, 0, 0, 0));
}
__LANZA_WARP unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return static_cast<unsigned int>(__lanza_sync(LANZA_SYNC_BALLOT, 0, mask, predicate != 0, 0));
}
__LANZA_WARP int __any_sync(unsigned int mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
__LANZA_WARP int __all_sync(unsigned int mask, int predicate) { return __ballot_sync(mask, predicate == 0) == 0; }
__LANZA_WARP int __uni_sync(unsigned int mask, int predicate) {
  return __lanza_sync(LANZA_SYNC_MATCH_ALL, 0, mask, predicate != 0, 0) != 0;
}

// Source lanes as in PTX's shfl.sync: a source outside the segment of `width` lanes is the lane itself; only xor may
// reach earlier segments.
__LANZA_FN unsigned int __lanza_shfl_source(int source, int width) {
  unsigned int lane = __lanza_lane(), segment = static_cast<unsigned int>(32 - width) & 31u;
  return (lane & segment) | (static_cast<unsigned int>(source) & ~segment & 31u);
}
__LANZA_FN unsigned int __lanza_shfl_up_source(unsigned int delta, int width) {
  unsigned int lane = __lanza_lane(), segment = static_cast<unsigned int>(32 - width) & 31u;
  int source = static_cast<int>(lane) - static_cast<int>(delta & 31u);
  return source >= static_cast<int>(lane & segment) ? static_cast<unsigned int>(source) : lane;
}
__LANZA_FN unsigned int __lanza_shfl_down_source(unsigned int delta, int width) {
  unsigned int lane = __lanza_lane(), segment = static_cast<unsigned int>(32 - width) & 31u;
  unsigned int source = lane + (delta & 31u);
  return source <= ((lane & segment) | (~segment & 31u)) ? source : lane;
}
__LANZA_FN unsigned int __lanza_shfl_xor_source(int bits, int width) {
  unsigned int lane = __lanza_lane(), segment = static_cast<unsigned int>(32 - width) & 31u;
  unsigned int source = lane ^ (static_cast<unsigned int>(bits) & 31u);
  return source <= ((lane & segment) | (~segment & 31u)) ? source : lane;
}

#define __LANZA_SHUFFLE(T, TO_BITS, FROM_BITS)                                                      \
  __LANZA_WARP T __lanza_shfl(unsigned int mask, T value, unsigned int source) {                    \
    return FROM_BITS(__lanza_sync(LANZA_SYNC_SHUFFLE, 0, mask, TO_BITS(value), source));            \
  }                                                                                                 \
  __LANZA_WARP T __shfl_sync(unsigned int mask, T value, int source, int width = 32) {              \
    return __lanza_shfl(mask, value, __lanza_shfl_source(source, width));                           \
  }                                                                                                 \
  __LANZA_WARP T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32) {   \
    return __lanza_shfl(mask, value, __lanza_shfl_up_source(delta, width));                         \
  }                                                                                                 \
  __LANZA_WARP T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32) { \
    return __lanza_shfl(mask, value, __lanza_shfl_down_source(delta, width));                       \
  }                                                                                                 \
  __LANZA_WARP T __shfl_xor_sync(unsigned int mask, T value, int bits, int width = 32) {            \
    return __lanza_shfl(mask, value, __lanza_shfl_xor_source(bits, width));                         \
  }

#define __LANZA_WORD(x) static_cast<unsigned int>(x)
#define __LANZA_LONG_WORD(x) static_cast<unsigned long long>(x)
#define __LANZA_FLOAT_FROM(x) __uint_as_float(static_cast<unsigned int>(x))
#define __LANZA_DOUBLE_TO(x) __builtin_bit_cast(unsigned long long, x)
#define __LANZA_DOUBLE_FROM(x) __builtin_bit_cast(double, x)
__LANZA_SHUFFLE(int, __LANZA_WORD, static_cast<int>)
__LANZA_SHUFFLE(unsigned int, __LANZA_WORD, static_cast<unsigned int>)
__LANZA_SHUFFLE(long, __LANZA_LONG_WORD, static_cast<long>)
__LANZA_SHUFFLE(unsigned long, __LANZA_LONG_WORD, static_cast<unsigned long>)
__LANZA_SHUFFLE(long long, __LANZA_LONG_WORD, static_cast<long long>)
__LANZA_SHUFFLE(unsigned long long, __LANZA_LONG_WORD, static_cast<unsigned long long>)
__LANZA_SHUFFLE(float, __float_as_uint, __LANZA_FLOAT_FROM)
__LANZA_SHUFFLE(double, __LANZA_DOUBLE_TO, __LANZA_DOUBLE_FROM)
#undef __LANZA_SHUFFLE

#define __LANZA_MATCH(T, TO_BITS)                                                                                   \
  __LANZA_WARP unsigned int __match_any_sync(unsigned int mask, T value) {                                          \
    return static_cast<unsigned int>(__lanza_sync(LANZA_SYNC_MATCH_ANY, 0, mask, TO_BITS(value), 0));               \
  }                                                                                                                 \
  __LANZA_WARP unsigned int __match_all_sync(unsigned int mask, T value, int* all) {                                \
    unsigned int equal = static_cast<unsigned int>(__lanza_sync(LANZA_SYNC_MATCH_ALL, 0, mask, TO_BITS(value), 0)); \
    *all = equal != 0;                                                                                              \
    return equal;                                                                                                   \
  }
__LANZA_MATCH(int, __LANZA_WORD)
__LANZA_MATCH(unsigned int, __LANZA_WORD)
__LANZA_MATCH(long, __LANZA_LONG_WORD)
__LANZA_MATCH(unsigned long, __LANZA_LONG_WORD)
__LANZA_MATCH(long long, __LANZA_LONG_WORD)
__LANZA_MATCH(unsigned long long, __LANZA_LONG_WORD)
__LANZA_MATCH(float, __float_as_uint)
__LANZA_MATCH(double, __LANZA_DOUBLE_TO)
#undef __LANZA_MATCH
#undef __LANZA_WORD
#undef __LANZA_LONG_WORD
#undef __LANZA_FLOAT_FROM
#undef __LANZA_DOUBLE_TO
#undef __LANZA_DOUBLE_FROM

// A template: PTX has an instruction an operation, which is known before anything is inlined.
template <unsigned int operation>
__LANZA_WARP unsigned int __lanza_reduce(unsigned int mask, unsigned int value) {
  return static_cast<unsigned int>(__lanza_sync(LANZA_SYNC_REDUCE, 0, mask, value, operation));
}
__LANZA_WARP int __reduce_add_sync(unsigned int mask, int value) {
  return static_cast<int>(__lanza_reduce<LANZA_REDUCE_ADD>(mask, static_cast<unsigned int>(value)));
}
__LANZA_WARP int __reduce_min_sync(unsigned int mask, int value) {
  return static_cast<int>(__lanza_reduce<LANZA_REDUCE_MIN_SIGNED>(mask, static_cast<unsigned int>(value)));
}
__LANZA_WARP int __reduce_max_sync(unsigned int mask, int value) {
  return static_cast<int>(__lanza_reduce<LANZA_REDUCE_MAX_SIGNED>(mask, static_cast<unsigned int>(value)));
}
__LANZA_WARP unsigned int __reduce_add_sync(unsigned int mask, unsigned int value) {
  return __lanza_reduce<LANZA_REDUCE_ADD>(mask, value);
}
__LANZA_WARP unsigned int __reduce_min_sync(unsigned int mask, unsigned int value) {
  return __lanza_reduce<LANZA_REDUCE_MIN_UNSIGNED>(mask, value);
}
__LANZA_WARP unsigned int __reduce_max_sync(unsigned int mask, unsigned int value) {
  return __lanza_reduce<LANZA_REDUCE_MAX_UNSIGNED>(mask, value);
}
__LANZA_WARP unsigned int __reduce_and_sync(unsigned int mask, unsigned int value) {
  return __lanza_reduce<LANZA_REDUCE_AND>(mask, value);
}
__LANZA_WARP unsigned int __reduce_or_sync(unsigned int mask, unsigned int value) {
  return __lanza_reduce<LANZA_REDUCE_OR>(mask, value);
}
__LANZA_WARP unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value) {
  return __lanza_reduce<LANZA_REDUCE_XOR>(mask, value);
}
#undef __LANZA_WARP
