// Which engine the automatic choice takes for a kernel, as its report says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "kernel_fixture.hpp"

namespace lanza::compiler::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

TEST(EngineChoice, TakesSeveralLanesWhereNobodyWaits) {
  const char* straight = R"(
extern "C" __global__ void k(const float* x, float* y, int n) {
  const int i = ctaid_x * ntid_x + tid_x;
  if (i < n) y[i] += 2 * x[i];
})";
  EXPECT_THAT(report_of(straight), HasSubstr("\"engine\":\"vector\",\"why\":\"no thread waits for another\""));
  const char* loop = R"(
extern "C" __global__ void k(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = tid_x; i < n; i += ntid_x) sum += x[i];
  y[tid_x] = sum;
})";
  EXPECT_THAT(report_of(loop), HasSubstr("\"engine\":\"vector\",\"why\":\"no thread waits for another\""));
}

TEST(EngineChoice, LeavesLoopsThatGatherToTheLoopOverThreads) {
  const char* source = R"(
extern "C" __global__ void k(const int* begin, const int* column, const float* x, float* y, int n) {
  const int i = ctaid_x * ntid_x + tid_x;
  if (i >= n) return;
  float sum = 0;
  for (int k = begin[i]; k < begin[i + 1]; ++k) sum += x[column[k]];
  y[i] = sum;
})";
  EXPECT_THAT(report_of(source), HasSubstr("\"engine\":\"lanes\""));
}

// Behind each barrier, to which a block need not come, lies all that follows: more than the vector engine takes.
std::string long_kernel() {
  std::string source = R"(
extern "C" __global__ void k(unsigned* out, int n) {
  __shared__ unsigned count, s[64];
  unsigned u = index_x;
  if (tid_x == 0) count = 0;
  s[tid_x] = out[index_x];
  __syncthreads();
  __atomic_fetch_add(&count, u & 3, __ATOMIC_RELAXED);
)";
  for (unsigned barrier = 0; barrier < 64; ++barrier)
    source += "if (n > " + std::to_string(barrier) + ") __syncthreads();\n" +
              "for (int i = 0; i < 4; ++i) u = (u ^ u >> 7) * s[(u + i) % 64];\n";
  return source + "  __syncthreads();\n  out[index_x] = u + count;\n}";
}

Specialised made_for_64(const std::string& source, uint32_t mode) {
  const std::string bitcode = bitcode_of(source), kernel = "k", target = "native";
  LanzaSpecialiseRequest request = request_for(bitcode, kernel, target);
  request.mode = mode;
  request.block[0] = 64;
  request.block[1] = request.block[2] = 1;
  return specialise(request);
}

TEST(EngineChoice, TakesThreadsOfOneBlockDimForLongCode) {
  const std::string source = long_kernel();
  const Specialised automatic = made_for_64(source, LANZA_MODE_AUTO), threads = made_for_64(source, LANZA_MODE_THREADS);
  ASSERT_TRUE(automatic.ok && threads.ok) << automatic.log << threads.log;
  std::vector<unsigned> results[2];
  for (const auto& [object, result] : {std::pair(&automatic.object, &results[0]), {&threads.object, &results[1]}}) {
    result->resize(128);
    for (unsigned i = 0; i < 128; ++i) (*result)[i] = i * i;
    LoadedKernel code(*object);
    EXPECT_EQ(code.run({.grid = {2}, .block = {64}}, pack(result->data(), 5).data()), LANZA_DONE);
  }
  EXPECT_EQ(results[0], results[1]);
  LoadedKernel code(automatic.object);
  EXPECT_THAT(code.table().report, HasSubstr("the code between barriers would be too long"));
  EXPECT_EQ(code.table().lanes, 0u) << "the thread engine";
  EXPECT_EQ(code.table().block[0], 64u);
  EXPECT_FALSE(automatic.generic);
}

// With AVX2 two registers of floats, and one where code is long: it takes half as long to compile.
TEST(EngineChoice, TakesFewerLanesForLongCode) {
  auto kernel = [](unsigned statements) {
    std::string source = R"(
extern "C" __global__ void k(const float* x, float* y, int n) {
  const int i = ctaid_x * ntid_x + tid_x;
  float v = 0;
)";
    for (unsigned s = 0; s < statements; ++s)
      source += "  if (i + " + std::to_string(s) + " < n) v = v * x[i + " + std::to_string(s) + "] + 1;\n";
    return source + "  if (i < n) y[i] = v;\n}";
  };
  EXPECT_THAT(report_of(kernel(200), 256, 1, "x86-64-v3"), HasSubstr("\"lanes\":16"));
  EXPECT_THAT(report_of(kernel(480), 256, 1, "x86-64-v3"), HasSubstr("\"lanes\":8"));
  EXPECT_THAT(report_of(kernel(480), 256, 1, "x86-64-v4"), HasSubstr("\"lanes\":16"));
}

// As many as fill a register: with bytes more than with floats, with shared memory as many as divide a row.
TEST(EngineChoice, TakesAsManyLanesAsFillARegister) {
  if (!__builtin_cpu_supports("avx512bw")) GTEST_SKIP() << "masked loads of bytes want AVX-512";
  const char* bytes = R"(
extern "C" __global__ void k(const unsigned char* x, unsigned char* y, int n) {
  const int i = ctaid_x * ntid_x + tid_x;
  if (i < n) y[i] ^= x[i + 1 < n ? i + 1 : n - 1];
})";
  EXPECT_THAT(report_of(bytes), HasSubstr("\"lanes\":64"));
  const char* edges = R"(
extern "C" __global__ void k(const unsigned char* x, unsigned char* y, int n) {
  const int i = ctaid_x * ntid_x + tid_x;
  if (i >= n) return;
  unsigned char v = x[i];
  for (int d = 1; d <= 5; d++) v ^= x[i + d < n ? i + d : n - 1];
  y[i] = v;
})";
  EXPECT_THAT(report_of(edges), HasSubstr("\"lanes\":32"));
  const char* shorts = R"(
extern "C" __global__ void k(const short* x, short* y, int n) {
  const int i = ctaid_x * ntid_x + tid_x;
  if (i < n) y[i] += x[i];
})";
  EXPECT_THAT(report_of(shorts), HasSubstr("\"lanes\":32"));
  const char* searched = R"(
extern "C" __global__ void k(const char* x, const char* word, int m, int* found, int n) {
  const int i = ctaid_x * ntid_x + tid_x;
  if (i + m > n) return;
  int j = 0;
  while (j < m && x[i + j] == word[j]) ++j;
  found[i] = j == m;
})";
  EXPECT_THAT(report_of(searched), HasSubstr("\"lanes\":64"));
  const char* lengths = R"(
extern "C" __global__ void k(const char* x, const char* word, int m, int* found, int n) {
  const int i = ctaid_x * ntid_x + tid_x;
  if (i + m > n) return;
  int j = 0;
  while (j < m && x[i + j] == word[j]) ++j;
  found[i] = j;
})";
  EXPECT_THAT(report_of(lengths), HasSubstr("\"lanes\":16"));
  const char* table = R"(
extern "C" __global__ void k(const unsigned char* x, unsigned char* y, int n) {
  const int i = ctaid_x * ntid_x + tid_x;
  if (i < n) y[i] = x[x[i]];
})";
  EXPECT_THAT(report_of(table), HasSubstr(__builtin_cpu_supports("avx512vbmi") ? "\"lanes\":64" : "\"lanes\":16"));
  const char* shared = R"(
extern "C" __global__ void k(const unsigned char* x, unsigned char* y, int n) {
  const int i = ctaid_x * ntid_x + tid_x;
  if (i < n) y[i] = x[i / 2];
})";
  EXPECT_THAT(report_of(shared), HasSubstr("\"lanes\":64"));
  const char* gathered = R"(
extern "C" __global__ void k(const unsigned char* x, const unsigned short* p, unsigned char* y, int n) {
  const int i = ctaid_x * ntid_x + tid_x;
  if (i < n) y[i] = x[p[i]];
})";
  EXPECT_THAT(report_of(gathered), HasSubstr("\"lanes\":16"));
}

// A group of several short rows would gather what neighbours stored ahead of the barrier.
TEST(EngineChoice, TakesGroupsOfOneRowWhereThreadsWait) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "groups are of 8 lanes anyway";
  const char* source = R"(
extern "C" __global__ void k(const float* x, float* y) {
  __shared__ float s[1024];
  const int t = tid_y * ntid_x + tid_x;
  s[t] = x[t];
  __lanza_sync(1, 0, -1, 0, 0);
  y[t] = s[t > 0 ? t - 1 : 0];
})";
  EXPECT_THAT(report_of(source, 4, 16), HasSubstr("\"lanes\":4"));
  EXPECT_THAT(report_of(source, 8, 8), HasSubstr("\"lanes\":8"));
  EXPECT_THAT(report_of(source, 24, 4), HasSubstr("\"lanes\":8"));
  EXPECT_THAT(report_of(source, 12, 4), HasSubstr("\"lanes\":16"));
  EXPECT_THAT(report_of(source, 8, 1), HasSubstr("\"lanes\":8"));
}

// Where all threads read the same it does not.
TEST(EngineChoice, TakesGroupsOfSeveralRowsWhereAllReadTheSame) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "groups are of 8 lanes anyway";
  const char* source = R"(
extern "C" __global__ void k(const float* x, float* y, int n) {
  __shared__ float s[64];
  const int t = tid_y * ntid_x + tid_x;
  float sum = 0;
  for (int first = 0; first < n; first += 64) {
    s[t] = x[first + t];
    __lanza_sync(1, 0, -1, 0, 0);
    for (int i = 0; i < 64; ++i) sum += s[i] * (tid_x + i);
    __lanza_sync(1, 0, -1, 0, 0);
  }
  y[t] = sum;
})";
  EXPECT_THAT(report_of(source, 8, 8), AnyOf(HasSubstr("\"lanes\":16"), HasSubstr("\"lanes\":32")));
}

}  // namespace
}  // namespace lanza::compiler::testing
