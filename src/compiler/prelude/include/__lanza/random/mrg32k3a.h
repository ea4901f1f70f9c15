// MRG32k3a: L'Ecuyer, "Good Parameters and Implementations for Combined Multiple Recursive Random Number Generators",
// 1999; seeds and sequences as cuRAND has them.
#pragma once
#include <__lanza/random/jumps.h>
#include <__lanza/random/spare_normals.h>

struct curandStateMRG32k3a {
  unsigned int s1[3];
  unsigned int s2[3];
  __LANZA_SPARE_NORMALS
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

template <unsigned int Modulus>
struct __lanza_modulo {
  static __LANZA_FN unsigned int multiply(unsigned int a, unsigned int b) {
    return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b % Modulus);
  }
  static __LANZA_FN unsigned int dot(const unsigned int* row, unsigned int x, unsigned int y, unsigned int z) {
    unsigned long long sum = static_cast<unsigned long long>(multiply(row[0], x)) + multiply(row[1], y);
    return static_cast<unsigned int>((sum + multiply(row[2], z)) % Modulus);
  }
  // matrix^n times s.
  static __LANZA_FN void jump(const unsigned int (&matrix)[3][3], unsigned long long n, unsigned int* s) {
    unsigned int power[3][3];
    for (int i = 0; i < 9; ++i) power[i / 3][i % 3] = matrix[i / 3][i % 3];
#pragma unroll 1
    for (; n != 0; n >>= 1) {
      if ((n & 1) != 0) {
        unsigned int x = s[0], y = s[1], z = s[2];
        for (int i = 0; i < 3; ++i) s[i] = dot(power[i], x, y, z);
      }
      unsigned int square[3][3];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) square[i][j] = dot(power[i], power[0][j], power[1][j], power[2][j]);
      for (int i = 0; i < 9; ++i) power[i / 3][i % 3] = square[i / 3][i % 3];
    }
  }
};
typedef __lanza_modulo<4294967087u> __lanza_modulo1;
typedef __lanza_modulo<4294944443u> __lanza_modulo2;

__LANZA_FN void __lanza_mrg_jump(const unsigned int (&matrices)[2][3][3], unsigned long long n,
                                 curandStateMRG32k3a* state) {
  __lanza_modulo1::jump(matrices[0], n, state->s1);
  __lanza_modulo2::jump(matrices[1], n, state->s2);
}

// From 1 to the first modulus.
__LANZA_FN double curand_MRG32k3a(curandStateMRG32k3a* state) {
  constexpr unsigned int m1 = 4294967087u, m2 = 4294944443u;
  unsigned int *s1 = state->s1, *s2 = state->s2;
  unsigned long long p1 = 1403580ull * s1[1] + 810728ull * (m1 - s1[0]);
  unsigned long long p2 = 527612ull * s2[2] + 1370589ull * (m2 - s2[0]);
  s1[0] = s1[1];
  s1[1] = s1[2];
  s1[2] = static_cast<unsigned int>(p1 % m1);
  s2[0] = s2[1];
  s2[1] = s2[2];
  s2[2] = static_cast<unsigned int>(p2 % m2);
  unsigned int difference = s1[2] - s2[2];
  return s1[2] <= s2[2] ? difference + m1 : difference;
}
// Stretched to all of 32 bits.
__LANZA_FN unsigned int curand(curandStateMRG32k3a* state) {
  return static_cast<unsigned int>(curand_MRG32k3a(state) * 1.000000048662);
}

__LANZA_FN void skipahead(unsigned long long n, curandStateMRG32k3a* state) {
  __lanza_mrg_jump(__lanza_mrg_step, n, state);
}
__LANZA_FN void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a* state) {
  __lanza_mrg_jump(__lanza_mrg_subsequence, n, state);
}
__LANZA_FN void skipahead_sequence(unsigned long long n, curandStateMRG32k3a* state) {
  __lanza_mrg_jump(__lanza_mrg_sequence, n, state);
}

__LANZA_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                            curandStateMRG32k3a* state) {
  unsigned int low = static_cast<unsigned int>(seed) ^ 0x55555555u;
  unsigned int high = static_cast<unsigned int>(seed >> 32) ^ 0xAAAAAAAAu;
  for (int i = 0; i < 3; ++i) {
    state->s1[i] = seed == 0 ? 12345u : __lanza_modulo1::multiply(i == 1 ? high : low, 12345u);
    state->s2[i] = seed == 0 ? 12345u : __lanza_modulo2::multiply(i == 1 ? low : high, 12345u);
  }
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
  __lanza_forget_spares(state);
}
