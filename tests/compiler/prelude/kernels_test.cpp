// The prelude's warp operations, atomics and integer functions, run by the CPU device and compared with what CUDA
// defines.
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "cpu_kernels.hpp"

namespace lanza::test {
namespace {

// PTX's shfl.sync, from its definition in the PTX ISA.
unsigned shuffled_from(char kind, unsigned lane, unsigned b, unsigned width) {
  const unsigned segment = 32 - width, low = lane & segment, high = low | (~segment & 31u);
  b &= 31;
  const int source = kind == 'i'   ? int(low | (b & ~segment))
                     : kind == 'u' ? int(lane) - int(b)
                     : kind == 'd' ? int(lane + b)
                                   : int(lane ^ b);
  const bool inside = kind == 'u' ? source >= int(low) : source <= int(high);
  return inside ? unsigned(source) : lane;
}

TEST_F(CpuKernels, ShufflesReachPtxsSource) {
  Module module = compile_here(R"(
__global__ void shuffle(int* out, unsigned long long* wide, float* real, int b, int width) {
  int i = threadIdx.x;
  out[i] = __shfl_sync(~0u, i, b, width);
  out[64 + i] = __shfl_up_sync(~0u, i, b, width);
  out[128 + i] = __shfl_down_sync(~0u, i, b, width);
  out[192 + i] = __shfl_xor_sync(~0u, i, b, width);
  wide[i] = __shfl_down_sync(~0u, 0x100000000ull + i, b, width);
  real[i] = __shfl_xor_sync(~0u, i + 0.5f, b, width);
})");
  Kernel shuffle = module.kernel("shuffle");
  std::vector<int> result(256);
  std::vector<unsigned long long> wide(64);
  std::vector<float> real(64);
  for (int width : {1, 2, 8, 32})
    for (int b : {0, 1, 3, 7, 16, 31, 33, -1}) {
      shuffle({.grid = 1, .block = 64}, out(result), out(wide), out(real), b, width);
      for (unsigned i = 0; i < 64; ++i) {
        const unsigned warp = i & ~31u, lane = i & 31;
        const char* kinds = "iudx";
        for (int k = 0; k < 4; ++k)
          ASSERT_EQ(unsigned(result[64 * k + i]), warp + shuffled_from(kinds[k], lane, b, width))
              << kinds[k] << " lane " << i << " b " << b << " width " << width;
        ASSERT_EQ(wide[i], 0x100000000ull + warp + shuffled_from('d', lane, b, width));
        ASSERT_EQ(real[i], float(warp + shuffled_from('x', lane, b, width)) + 0.5f);
      }
    }
}

TEST_F(CpuKernels, VotesMatchesAndReductions) {
  Module module = compile_here(R"(
__global__ void warp(unsigned* out) {
  int i = threadIdx.x;
  out[i] = __ballot_sync(~0u, i % 3 == 0);
  out[32 + i] = __any_sync(~0u, i == 5) + 2 * __all_sync(~0u, i >= 0) + 4 * __any_sync(~0u, i > 40) + 8 * __uni_sync(~0u, i == 2);
  out[64 + i] = __match_any_sync(~0u, i / 4);
  int all = 7;
  out[96 + i] = __match_all_sync(~0u, 3.5, &all) + all;
  out[128 + i] = __reduce_add_sync(~0u, i) + __reduce_max_sync(~0u, -i);
  out[160 + i] = __reduce_xor_sync(~0u, 1u << i) ^ __reduce_min_sync(~0u, i + 9u);
  out[192 + i] = __syncthreads_count(i % 2) + 100 * __syncthreads_or(i == 3) + 1000 * __syncthreads_and(i != 3);
  if (i < 8) out[224 + i] = __ballot_sync(0xff, i & 1);
  else out[224 + i] = __activemask();
})");
  std::vector<unsigned> result(256);
  module.kernel("warp")({.grid = 1, .block = 32}, out(result));
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(result[i], 0x49249249u);
    EXPECT_EQ(result[32 + i], 1u + 2u);
    EXPECT_EQ(result[64 + i], 0xfu << (i / 4 * 4));
    EXPECT_EQ(result[96 + i], 0xffffffffu + 1);
    EXPECT_EQ(result[128 + i], 496u);
    EXPECT_EQ(result[160 + i], 0xffffffffu ^ 9u);
    EXPECT_EQ(result[192 + i], 16u + 100u);
    EXPECT_EQ(result[224 + i], i < 8 ? 0xaau : 0xffffff00u);
  }
}

TEST_F(CpuKernels, AtomicsCountEveryThread) {
  Module module = compile_here(R"(
__global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int inside;
  if (threadIdx.x == 0) inside = 0;
  __syncthreads();
  atomicAdd_block(&inside, 1);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&i[0], inside);
  atomicSub(&i[1], 2);
  atomicMax(&i[2], t);
  atomicMin(&i[3], -t);
  atomicInc(&u[0], 99);
  atomicDec(&u[1], 99);
  atomicOr(&u[2], 1u << (t & 31));
  atomicAnd(&u[3], ~(1u << (t & 15)));
  atomicXor(&u[4], 1u << (t % 7));
  atomicAdd(&l[0], 1ull << 33);
  atomicMax_system(&l[1], 5000000000ull + t);
  atomicExch(&f[1], 2.5f);
  atomicAdd(&f[0], 0.5f);
  atomicAdd(&d[0], 0.25);
  unsigned old = u[5], seen;
  do { seen = old; old = atomicCAS(&u[5], seen, seen + 3); } while (old != seen);
})");
  std::vector<int> i(4);
  std::vector<unsigned> u(6);
  std::vector<unsigned long long> l(2);
  std::vector<float> f(2);
  std::vector<double> d(1);
  u[3] = ~0u;
  module.kernel("atomics")({.grid = 10, .block = 128}, inout(i), inout(u), inout(l), inout(f), inout(d));
  EXPECT_EQ(i, (std::vector<int>{1280, -2560, 1279, -1279}));
  // 1280 = 12 * 100 + 80; down from 0: 99 first. XOR: 1280 = 182 * 7 + 6, and 182 is even.
  EXPECT_EQ(u, (std::vector<unsigned>{80, 20, ~0u, 0xffff0000u, 0x7fu & 0x3fu, 3840}));
  EXPECT_EQ(l[0], 1280ull << 33);
  EXPECT_EQ(l[1], 5000001279ull);
  EXPECT_EQ(f, (std::vector<float>{640, 2.5f}));
  EXPECT_EQ(d[0], 320);
}

TEST_F(CpuKernels, IntegerFunctions) {
  Module module = compile_here(R"(
__global__ void integers(long long* o) {
  int n = 0;
  o[n++] = __clz(1); o[n++] = __clz(0); o[n++] = __clzll(1); o[n++] = __clzll(0);
  o[n++] = __ffs(8); o[n++] = __ffs(0); o[n++] = __ffsll(1ll << 40); o[n++] = __popc(0xff00ffu); o[n++] = __popcll(~0ull);
  o[n++] = __brev(1u); o[n++] = (long long)__brevll(2ull);
  o[n++] = __byte_perm(0x33221100, 0x77665544, 0x7250); o[n++] = __byte_perm(0x80, 0, 0x9810);
  o[n++] = __funnelshift_l(0x80000000u, 1u, 1); o[n++] = __funnelshift_r(1u, 1u, 33); o[n++] = __funnelshift_lc(7u, 1u, 40);
  o[n++] = __funnelshift_rc(1u, 9u, 40);
  o[n++] = __mul24(-3, 5); o[n++] = __umul24(0xff000003u, 5); o[n++] = __mulhi(-1, 1); o[n++] = __umulhi(~0u, ~0u);
  o[n++] = __mul64hi(-1, 1); o[n++] = (long long)__umul64hi(~0ull, 2ull);
  o[n++] = __sad(-5, 7, 1u); o[n++] = __usad(7u, 5u, 1u);
  o[n++] = __hadd(-3, -4); o[n++] = __rhadd(-3, -4); o[n++] = __uhadd(~0u, ~0u - 1); o[n++] = __urhadd(3u, 4u);
  o[n++] = __fns(0x2cu, 0, 2); o[n++] = __fns(0x2cu, 31, -1); o[n++] = __fns(0x2cu, 0, 9);
  o[n++] = __dp4a(0x01fe03fc, 0x02020202, 10); o[n++] = __dp4a(0x01fe03fcu, 0x02020202u, 10u);
  o[n++] = __dp2a_lo(0x0002fffe, 0x05060703, 1); o[n++] = __dp2a_hi(0x0002fffeu, 0x05060703u, 1u);
  o[n++] = min(-1, 1u); o[n++] = max(-1ll, 4ll); o[n++] = abs(-7); o[n++] = llabs(-8ll);
  o[n++] = __float2int_rn(2.5f); o[n++] = __float2int_ru(-0.5f); o[n++] = __float2int_rd(1e20f); o[n++] = __float2int_rz(nanf(""));
  o[n++] = __float2uint_rn(-3.f); o[n++] = __double2int_rz(nan("")); o[n++] = __double2ll_rn(3.5); o[n++] = __float2ll_rz(nanf(""));
})");
  std::vector<long long> result(48);
  module.kernel("integers")({.grid = 1, .block = 1}, out(result));
  const std::vector<long long> expected = {31,
                                           32,
                                           63,
                                           64,
                                           4,
                                           0,
                                           41,
                                           16,
                                           64,
                                           0x80000000ll,
                                           0x4000000000000000ll,
                                           0x77225500,
                                           0x00800080ll,
                                           3,
                                           0x80000000ll,
                                           7,
                                           9,
                                           -15,
                                           15,
                                           -1,
                                           0xfffffffell,
                                           -1,
                                           1,
                                           13,
                                           3,
                                           -4,
                                           -3,
                                           0xfffffffell,
                                           4,
                                           3,
                                           5,
                                           0xffffffffll,
                                           10 + 2 * (1 - 2 + 3 - 4),
                                           10 + 2 * (1 + 254 + 3 + 252),
                                           1 + -2 * 3 + 2 * 7,
                                           1 + 65534 * 6 + 2 * 5,
                                           1,
                                           4,
                                           7,
                                           8,
                                           2,
                                           0,
                                           2147483647,
                                           0,
                                           0,
                                           -2147483648ll,
                                           4,
                                           INT64_MIN};
  ASSERT_EQ(result.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(result[i], expected[i]) << "value " << i;
}

TEST_F(CpuKernels, AssertAndTrapEndTheLaunch) {
  Module module = compile_here(R"(
__global__ void check(int n) { assert(n == 3); }
__global__ void stop() { __trap(); })");
  EXPECT_NO_THROW(module.kernel("check")({.grid = 1, .block = 32}, 3));
  try {
    module.kernel("check")({.grid = 1, .block = 32}, 4);
    device_.synchronize();
    FAIL() << "the assertion did not fail";
  } catch (const LaunchError& error) {
    EXPECT_NE(std::string(error.what()).find("n == 3"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lanza::test
