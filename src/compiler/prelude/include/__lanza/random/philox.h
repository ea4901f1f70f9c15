// Philox 4x32 with 10 rounds: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011; seeds
// and sequences as cuRAND has them.
#pragma once
#include <__lanza/random/spare_normals.h>

struct curandStatePhilox4_32_10 {
  uint4 ctr;
  uint4 output;  // of the counter; the first STATE of its numbers are taken
  uint2 key;
  unsigned int STATE;
  __LANZA_SPARE_NORMALS
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

__LANZA_FN uint4 curand_Philox4x32_10(uint4 c, uint2 key) {
#pragma unroll
  for (unsigned int round = 0; round < 10; ++round) {
    unsigned long long a = 0xD2511F53ull * c.x, b = 0xCD9E8D57ull * c.z;
    unsigned int k0 = key.x + round * 0x9E3779B9u, k1 = key.y + round * 0xBB67AE85u;
    c = make_uint4(static_cast<unsigned int>(b >> 32) ^ c.y ^ k0, static_cast<unsigned int>(b),
                   static_cast<unsigned int>(a >> 32) ^ c.w ^ k1, static_cast<unsigned int>(a));
  }
  return c;
}

// Adds to the counter of 128 bits: `low` to its lower half, `high` to the upper one.
__LANZA_FN void __lanza_philox_advance(unsigned long long low, unsigned long long high,
                                       curandStatePhilox4_32_10* state) {
  unsigned long long lower = state->ctr.x | static_cast<unsigned long long>(state->ctr.y) << 32;
  unsigned long long upper = state->ctr.z | static_cast<unsigned long long>(state->ctr.w) << 32;
  lower += low;
  upper += high + (lower < low);
  state->ctr = make_uint4(static_cast<unsigned int>(lower), static_cast<unsigned int>(lower >> 32),
                          static_cast<unsigned int>(upper), static_cast<unsigned int>(upper >> 32));
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}

__LANZA_FN unsigned int __lanza_philox_pick(const uint4& first, const uint4& second, unsigned int i) {
  const uint4& from = i < 4 ? first : second;
  unsigned int low = (i & 1) != 0 ? from.y : from.x, high = (i & 1) != 0 ? from.w : from.z;
  return (i & 2) != 0 ? high : low;
}

__LANZA_FN unsigned int curand(curandStatePhilox4_32_10* state) {
  unsigned int result = __lanza_philox_pick(state->output, state->output, state->STATE);
  if (++state->STATE == 4) {
    state->STATE = 0;
    __lanza_philox_advance(1, 0, state);
  }
  return result;
}

__LANZA_FN uint4 curand4(curandStatePhilox4_32_10* state) {
  uint4 first = state->output;
  __lanza_philox_advance(1, 0, state);
  unsigned int i = state->STATE;
  const uint4& second = state->output;
  return make_uint4(__lanza_philox_pick(first, second, i), __lanza_philox_pick(first, second, i + 1),
                    __lanza_philox_pick(first, second, i + 2), __lanza_philox_pick(first, second, i + 3));
}

__LANZA_FN void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
  unsigned int taken = state->STATE + static_cast<unsigned int>(n & 3);
  state->STATE = taken & 3;
  __lanza_philox_advance(n / 4 + taken / 4, 0, state);
}
// 2^66 numbers each.
__LANZA_FN void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* state) {
  __lanza_philox_advance(0, n, state);
}

__LANZA_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                            curandStatePhilox4_32_10* state) {
  state->ctr = make_uint4(0, 0, 0, 0);
  state->key = make_uint2(static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32));
  state->STATE = 0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
  __lanza_forget_spares(state);
}
