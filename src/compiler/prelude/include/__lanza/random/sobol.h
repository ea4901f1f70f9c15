// Sobol's sequences of 32 and 64 bits, plain and scrambled, from the caller's direction vectors: Bratley and Fox,
// "Algorithm 659", 1988, in the order of the Gray code (Antonov and Saleev, 1979).
#pragma once

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

#define __LANZA_SOBOL(NAME, WORD, BITS)                                            \
  struct NAME {                                                                    \
    WORD i, x, c;                                                                  \
    WORD direction_vectors[BITS];                                                  \
  };                                                                               \
  typedef struct NAME NAME##_t;                                                    \
  __LANZA_FN WORD curand(NAME* state) { return __lanza_sobol_next(*state, BITS); } \
  __LANZA_FN void skipahead(WORD n, NAME* state) { __lanza_sobol_skip(*state, n, BITS); }

// To the next one: the Gray code of the index changes in one bit, that of the index's lowest zero.
template <class State>
__LANZA_FN auto __lanza_sobol_next(State& state, int bits) {
  auto result = state.x;
  int bit = __ffsll(static_cast<long long>(~static_cast<unsigned long long>(state.i))) - 1;
  state.x ^= state.direction_vectors[bit < 0 || bit >= bits ? bits - 1 : bit];
  ++state.i;
  return result;
}
template <class State, class Word>
__LANZA_FN void __lanza_sobol_skip(State& state, Word n, int bits) {
  state.x = state.c;
  state.i += n;
  Word gray = state.i ^ (state.i >> 1);
  for (int k = 0; k < bits; ++k)
    if ((gray >> k & 1) != 0) state.x ^= state.direction_vectors[k];
}
template <class State, class Word>
__LANZA_FN void __lanza_sobol_init(State& state, const Word* vectors, int bits, Word scramble, Word offset) {
  state.i = 0;
  state.c = scramble;
  for (int k = 0; k < bits; ++k) state.direction_vectors[k] = vectors[k];
  __lanza_sobol_skip(state, offset, bits);
}

__LANZA_SOBOL(curandStateSobol32, unsigned int, 32)
__LANZA_SOBOL(curandStateScrambledSobol32, unsigned int, 32)
__LANZA_SOBOL(curandStateSobol64, unsigned long long, 64)
__LANZA_SOBOL(curandStateScrambledSobol64, unsigned long long, 64)
#undef __LANZA_SOBOL

__LANZA_FN void curand_init(curandDirectionVectors32_t vectors, unsigned int offset, curandStateSobol32* state) {
  __lanza_sobol_init(*state, vectors, 32, 0u, offset);
}
__LANZA_FN void curand_init(curandDirectionVectors64_t vectors, unsigned long long offset, curandStateSobol64* state) {
  __lanza_sobol_init(*state, vectors, 64, 0ull, offset);
}
__LANZA_FN void curand_init(curandDirectionVectors32_t vectors, unsigned int scramble, unsigned int offset,
                            curandStateScrambledSobol32* state) {
  __lanza_sobol_init(*state, vectors, 32, scramble, offset);
}
__LANZA_FN void curand_init(curandDirectionVectors64_t vectors, unsigned long long scramble, unsigned long long offset,
                            curandStateScrambledSobol64* state) {
  __lanza_sobol_init(*state, vectors, 64, scramble, offset);
}
