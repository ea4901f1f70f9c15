// XORWOW: Marsaglia, "Xorshift RNGs", 2003; seeds and sequences as cuRAND has them.
#pragma once
#include <__lanza/random/jumps.h>
#include <__lanza/random/spare_normals.h>

struct curandStateXORWOW {
  unsigned int d, v[5];
  __LANZA_SPARE_NORMALS
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

__LANZA_FN void __lanza_xorwow_step(unsigned int* v) {
  unsigned int t = v[0] ^ (v[0] >> 2);
  for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
  v[4] = v[4] ^ (v[4] << 4) ^ t ^ (t << 1);
}

__LANZA_FN unsigned int curand(curandStateXORWOW* state) {
  __lanza_xorwow_step(state->v);
  state->d += 362437;
  return state->v[4] + state->d;
}

// As many steps as `n` counts in units of the first row: the polynomials of its bits, applied to the state.
__LANZA_FN void __lanza_xorwow_jump(unsigned int* state, unsigned long long n, const unsigned int (*rows)[5]) {
  unsigned int v[5];
  for (int i = 0; i < 5; ++i) v[i] = state[i];
#pragma unroll 1
  for (; n != 0; n >>= 1, ++rows) {
    if ((n & 1) == 0) continue;
    unsigned int sum[5] = {};
#pragma unroll 1
    for (unsigned int power = 0; power < 160; ++power) {
      unsigned int take = 0 - ((*rows)[power / 32] >> (power % 32) & 1u);
      for (int i = 0; i < 5; ++i) sum[i] ^= v[i] & take;
      __lanza_xorwow_step(v);
    }
    for (int i = 0; i < 5; ++i) v[i] = sum[i];
  }
  for (int i = 0; i < 5; ++i) state[i] = v[i];
}

__LANZA_FN void skipahead(unsigned long long n, curandStateXORWOW* state) {
  __lanza_xorwow_jump(state->v, n, __lanza_xorwow_offset);
  state->d += 362437u * static_cast<unsigned int>(n);
}
// 2^67 numbers each: a multiple of the counter's period.
__LANZA_FN void skipahead_sequence(unsigned long long n, curandStateXORWOW* state) {
  __lanza_xorwow_jump(state->v, n, __lanza_xorwow_sequence);
}

__LANZA_FN void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                            curandStateXORWOW* state) {
  unsigned int low = 1099087573u * (static_cast<unsigned int>(seed) ^ 0xaad26b49u);
  unsigned int high = 2591861531u * (static_cast<unsigned int>(seed >> 32) ^ 0xf7dcefddu);
  state->d = 6615241u + high + low;
  state->v[0] = 123456789u + low;
  state->v[1] = 362436069u ^ low;
  state->v[2] = 521288629u + high;
  state->v[3] = 88675123u ^ high;
  state->v[4] = 5783321u + low;
  skipahead_sequence(sequence, state);
  skipahead(offset, state);
  __lanza_forget_spares(state);
}
