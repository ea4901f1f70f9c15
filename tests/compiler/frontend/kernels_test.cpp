// What the front end says of kernels: names, parameters, bounds.
#include <gmock/gmock.h>

#include <lanza/dtype.hpp>

#include "compiler/plugin.hpp"

using namespace lanza;
using namespace lanza::test;
using ::testing::HasSubstr;

namespace {

CompileResult compile_ok(const CompileRequest& request) {
  CompileResult result = compile(request);
  EXPECT_TRUE(result->ok) << view(result->log);
  return result;
}

// As a line: type name kind dtype const offset size element_size.
std::string line(const LanzaParameter& p) {
  static const char* kinds[] = {"pointer", "scalar", "record"};
  return text(p.type) + " " + text(p.name) + ": " + kinds[p.kind] + " " + std::to_string(p.dtype) +
         (p.read_only ? " const" : "") + " at " + std::to_string(p.offset) + " size " + std::to_string(p.size) +
         " element " + std::to_string(p.element_size);
}

std::string code(DType t) { return std::to_string(static_cast<int>(t)); }

std::string parameter(const std::string& declaration, const std::string& before = "") {
  const CompileResult r = compile({.source = before + "__global__ void k(" + declaration + ") {}"});
  if (!r->ok) return text(r->log);
  const LanzaKernelInfo* k = find_kernel(*r, "k");
  return k && k->parameter_count == 1 ? line(k->parameters[0]) : "no parameter";
}

TEST(Kernels, Saxpy) {
  const CompileResult r = compile_ok({.source = R"(
__global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
})"});
  ASSERT_EQ(r->kernel_count, 1u);
  const LanzaKernelInfo& k = r->kernels[0];
  EXPECT_EQ(view(k.name), "saxpy");
  EXPECT_EQ(view(k.symbol), "_Z5saxpyfPKfPfi");
  EXPECT_EQ(view(k.expression), "");
  EXPECT_EQ(k.line, 2u);
  EXPECT_EQ(k.argument_bytes, 28u);
  EXPECT_EQ(k.max_threads, 0u);
  EXPECT_EQ(k.static_shared, 0u);
  ASSERT_EQ(k.parameter_count, 4u);
  EXPECT_EQ(line(k.parameters[0]), "float a: scalar " + code(DType::Float32) + " at 0 size 4 element 4");
  EXPECT_EQ(line(k.parameters[1]), "const float* x: pointer " + code(DType::Float32) + " const at 8 size 8 element 4");
  EXPECT_EQ(line(k.parameters[2]), "float* y: pointer " + code(DType::Float32) + " at 16 size 8 element 4");
  EXPECT_EQ(line(k.parameters[3]), "int n: scalar " + code(DType::Int32) + " at 24 size 4 element 4");
  EXPECT_GT(r->bitcode.size, 100u);
  EXPECT_GT(r->seconds, 0);
}

TEST(Kernels, ScalarTypes) {
  const std::pair<const char*, DType> cases[] = {{"bool", DType::Bool},        {"char", DType::Int8},
                                                 {"signed char", DType::Int8}, {"unsigned char", DType::UInt8},
                                                 {"short", DType::Int16},      {"unsigned short", DType::UInt16},
                                                 {"int", DType::Int32},        {"unsigned int", DType::UInt32},
                                                 {"long", DType::Int64},       {"unsigned long", DType::UInt64},
                                                 {"long long", DType::Int64},  {"unsigned long long", DType::UInt64},
                                                 {"float", DType::Float32},    {"double", DType::Float64}};
  for (const auto& [type, dtype] : cases) {
    const std::size_t size = size_of(dtype);
    EXPECT_EQ(parameter(std::string(type) + " p"), std::string(type) + " p: scalar " + code(dtype) + " at 0 size " +
                                                       std::to_string(size) + " element " + std::to_string(size));
    EXPECT_EQ(parameter(std::string("const ") + type + " *__restrict__ p"),
              std::string("const ") + type + "* p: pointer " + code(dtype) + " const at 0 size 8 element " +
                  std::to_string(size));
  }
}

TEST(Kernels, TypesThatStandForNumbers) {
  EXPECT_EQ(parameter("size_t n"), "unsigned long n: scalar " + code(DType::UInt64) + " at 0 size 8 element 8");
  EXPECT_EQ(parameter("float2 *z"), "float2* z: pointer " + code(DType::Complex64) + " at 0 size 8 element 8");
  EXPECT_EQ(parameter("const double2 *z"),
            "const double2* z: pointer " + code(DType::Complex128) + " const at 0 size 8 element 16");
  EXPECT_EQ(parameter("float2 z"), "float2 z: record " + code(DType::Complex64) + " at 0 size 8 element 8");
  EXPECT_EQ(parameter("Colour c", "enum Colour : unsigned char { red };"),
            "Colour c: scalar " + code(DType::UInt8) + " at 0 size 1 element 1");
  EXPECT_EQ(parameter("ns::Colour *c", "namespace ns { enum class Colour { red }; }"),
            "ns::Colour* c: pointer " + code(DType::Int32) + " at 0 size 8 element 4");
}

TEST(Kernels, PointersOfOtherKinds) {
  EXPECT_EQ(parameter("void *p"), "void* p: pointer " + code(DType::Opaque) + " at 0 size 8 element 0");
  EXPECT_EQ(parameter("const Unknown *p", "struct Unknown;"),
            "const Unknown* p: pointer " + code(DType::Opaque) + " const at 0 size 8 element 0");
  EXPECT_EQ(parameter("Particle *p", "struct Particle { float x, y, z; int id; };"),
            "Particle* p: pointer " + code(DType::Record) + " at 0 size 8 element 16");
  EXPECT_EQ(parameter("float **p"), "float** p: pointer " + code(DType::UInt64) + " at 0 size 8 element 8");
  EXPECT_EQ(parameter("float4 *p"), "float4* p: pointer " + code(DType::Record) + " at 0 size 8 element 16");
  EXPECT_EQ(parameter("float (*p)[3]"), "float (*)[3] p: pointer " + code(DType::Float32) + " at 0 size 8 element 4");
  EXPECT_EQ(parameter("const int p[]"), "const int* p: pointer " + code(DType::Int32) + " const at 0 size 8 element 4");
  EXPECT_EQ(parameter("volatile int *p"), "volatile int* p: pointer " + code(DType::Int32) + " at 0 size 8 element 4");
}

TEST(Kernels, PackedArgumentBlock) {
  const CompileResult r = compile_ok({.source = R"(
struct alignas(16) Wide { float v[4]; };
struct Small { char a; short b; };
__global__ void k(char a, double b, char c, Wide w, Small s, float4 v, int2 i, char last) {})"});
  const LanzaKernelInfo& k = r->kernels[0];
  std::string offsets;
  for (std::size_t i = 0; i < k.parameter_count; ++i)
    offsets += std::to_string(k.parameters[i].offset) + "+" + std::to_string(k.parameters[i].size) + " ";
  EXPECT_EQ(offsets, "0+1 8+8 16+1 32+16 48+4 64+16 80+8 88+1 ");
  EXPECT_EQ(k.argument_bytes, 89u);
}

TEST(Kernels, LaunchBoundsAndSharedMemory) {
  const CompileResult r = compile_ok({.source = R"(
__device__ int helper(int i) { __shared__ int inner[8]; inner[i] = i; return inner[0]; }
template <int N> __global__ void __launch_bounds__(N) bounded(int *p) { p[0] = N; }
template __global__ void bounded<192>(int *);
__global__ void shares(int *p) { __shared__ float tile[16][16]; extern __shared__ int dynamic[]; tile[0][0] = 1; dynamic[0] = 1; p[0] = tile[0][0] + helper(0); }
__global__ void shares_not(int *p) { p[0] = 1; })"});
  ASSERT_TRUE(find_kernel(*r, "bounded<192>"));
  EXPECT_EQ(find_kernel(*r, "bounded<192>")->max_threads, 192u);
  EXPECT_EQ(find_kernel(*r, "shares")->static_shared, 1024u + 32u);
  EXPECT_EQ(find_kernel(*r, "shares_not")->static_shared, 0u);
}

TEST(Kernels, NamesAsUsersWriteThem) {
  const CompileResult r = compile_ok({.source = R"(
namespace a { namespace b { __global__ void k() {} } }
namespace { __global__ void hidden() {} }
extern "C" __global__ void plain() {}
template <class T, int N> __global__ void t(T*) {}
template __global__ void t<float, 3>(float*);
template __global__ void t<const int*, -1>(const int**);
__global__ void over(int) {}
__global__ void over(float) {}
static __global__ void internal() {}
template <class T> __global__ void never(T) {})"});
  EXPECT_TRUE(find_kernel(*r, "a::b::k"));
  EXPECT_TRUE(find_kernel(*r, "hidden"));
  ASSERT_TRUE(find_kernel(*r, "plain"));
  EXPECT_EQ(view(find_kernel(*r, "plain")->symbol), "plain");
  EXPECT_TRUE(find_kernel(*r, "t<float, 3>"));
  EXPECT_TRUE(find_kernel(*r, "t<const int*, -1>"));
  EXPECT_TRUE(find_kernel(*r, "internal"));
  EXPECT_EQ(r->kernel_count, 8u);
}

TEST(Kernels, NoneInASourceWithoutKernels) {
  const CompileResult r = compile_ok({.source = "__device__ int f() { return 1; }"});
  EXPECT_EQ(r->kernel_count, 0u);
  EXPECT_TRUE(compile({.source = ""})->ok);
}

TEST(Kernels, SameSourceSameBytes) {
  const CompileRequest request{
      .source = "template <class T> __global__ void k(T* p) { *p = 1; } __device__ int v[3] = {1, 2, 3};",
      .names = {"k<int>", "k<float>"}};
  const CompileResult a = compile_ok(request), b = compile_ok(request);
  EXPECT_EQ(view(a->bitcode), view(b->bitcode));
}

}  // namespace
