// A real NVRTC, which needs no GPU: what it compiles, what is known of the result, what its errors become.
#include "backend/cuda/nvrtc_compile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "backend/cuda/nvrtc.hpp"
#include "support/file.hpp"

namespace lanza::cuda_backend {
namespace {

using backend::CompileRequest;
using backend::CompileResult;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class NvrtcCompile : public testing::Test {
 protected:
  void SetUp() override {
    if (Nvrtc::locate().empty()) GTEST_SKIP() << "no NVRTC on this machine (pip install nvidia-cuda-nvrtc)";
  }

  static CompileResult run(CompileRequest request) { return compile_with_nvrtc(request, {9, 0}); }
  static CompileResult run(const std::string& source) { return run(CompileRequest{.source = source}); }

  static const backend::KernelInfo& kernel(const CompileResult& r, const std::string& name) {
    for (const auto& k : r.code.kernels)
      if (k.name == name || k.expression == name) return k;
    throw NotFound(name);
  }
  static std::string signature(const CompileResult& r, const std::string& name) {
    return to_string(name, kernel(r, name).signature);
  }
  static CompileError error_of(const CompileRequest& request) {
    try {
      run(request);
    } catch (const CompileError& error) {
      return error;
    }
    throw std::logic_error("it compiled");
  }
  static CompileError error_of(const std::string& source) { return error_of(CompileRequest{.source = source}); }
};

TEST_F(NvrtcCompile, MakesACubinAndKeepsItsPtx) {
  const CompileResult r =
      run("__global__ void multiplicar(float *dest, float *a, float *b) { dest[threadIdx.x] = a[0] * b[0]; }");
  EXPECT_EQ(r.code.kind, "cubin");
  EXPECT_EQ(r.code.image.substr(1, 3), "ELF");
  EXPECT_THAT(r.code.data, HasSubstr(".target sm_90"));
  EXPECT_THAT(r.code.compiler, HasSubstr("NVRTC 1"));
  EXPECT_EQ(r.code.log, "");
  EXPECT_TRUE(r.cacheable);
  EXPECT_THAT(r.dependencies, IsEmpty());
}

TEST_F(NvrtcCompile, MangledKernelsHaveTypesAndNames) {
  const CompileResult r =
      run("__global__ void multiplicar(float *dest, const float *a, int n, double s) { dest[0] = a[n] * s; }");
  const backend::KernelInfo& k = kernel(r, "multiplicar");
  EXPECT_EQ(k.symbol, "_Z11multiplicarPfPKfid");
  ASSERT_EQ(k.signature.parameters.size(), 4u);
  const Parameter& a = k.signature.parameters[1];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.type, "const float*");
  EXPECT_EQ(a.kind, Parameter::Kind::Pointer);
  EXPECT_EQ(a.dtype, DType::Float32);
  EXPECT_TRUE(a.read_only);
  EXPECT_EQ(a.element_size, 4u);
  EXPECT_EQ(a.offset, 8u);
  EXPECT_FALSE(k.signature.parameters[0].read_only);
  EXPECT_EQ(k.signature.parameters[3].offset, 24u);
  EXPECT_EQ(k.signature.bytes, 32u);
}

TEST_F(NvrtcCompile, ExternCKernelsAreReadFromTheSource) {
  const CompileResult r = run(R"(
    typedef float real;
    #define ENTERO unsigned int
    struct P { float x; double y; };
    extern "C" __global__ void __launch_bounds__(128) mover(real* __restrict__ out, const real *in, ENTERO n, P p, float2 v, long long w) {
      out[0] = in[n] + p.y + v.x + w;
    })");
  const backend::KernelInfo& k = kernel(r, "mover");
  EXPECT_EQ(k.symbol, "mover");
  EXPECT_EQ(k.max_threads, 128u);
  const auto& p = k.signature.parameters;
  ASSERT_EQ(p.size(), 6u);
  EXPECT_EQ(p[0].type, "float*");
  EXPECT_EQ(p[0].name, "out");
  EXPECT_EQ(p[1].type, "const float*");
  EXPECT_TRUE(p[1].read_only);
  EXPECT_EQ(p[2].dtype, DType::UInt32);
  EXPECT_EQ(p[3].kind, Parameter::Kind::Record);
  EXPECT_EQ(p[3].size, 16u);
  EXPECT_EQ(p[3].offset, 24u);
  EXPECT_EQ(p[4].dtype, DType::Complex64);
  EXPECT_EQ(p[5].dtype, DType::Int64);
  EXPECT_EQ(p[5].offset, 48u);
}

TEST_F(NvrtcCompile, TypesOfEveryKind) {
  const CompileResult r = run(R"(
    namespace fisica { enum Modo { A, B }; struct Punto { char c[3]; };
    __global__ void todo(Modo e, Punto s, const float2* p, float4 v, bool b, char c, long l, unsigned long long u, void* q,
                         const int* const* pp, int (*fila)[4], unsigned char* bytes, double* d, short h, Punto* puntos) {} }
  )");
  EXPECT_EQ(signature(r, "fisica::todo"),
            "fisica::todo(fisica::Modo e, fisica::Punto s, const float2* p, float4 v, bool b, char c, long l, unsigned "
            "long long u, void* q, "
            "const int*const* pp, int (*)[4], unsigned char* bytes, double* d, short h, fisica::Punto* puntos)");
  const auto& p = kernel(r, "fisica::todo").signature.parameters;
  EXPECT_EQ(p[0].kind, Parameter::Kind::Scalar);
  EXPECT_EQ(p[0].dtype, DType::Int32);
  EXPECT_EQ(p[1].kind, Parameter::Kind::Record);
  EXPECT_EQ(p[1].size, 3u);
  EXPECT_EQ(p[2].dtype, DType::Complex64);
  EXPECT_EQ(p[3].kind, Parameter::Kind::Record);
  EXPECT_EQ(p[3].offset, 16u);
  EXPECT_EQ(p[4].dtype, DType::Bool);
  EXPECT_EQ(p[6].dtype, DType::Int64);
  EXPECT_EQ(p[8].dtype, DType::Opaque);
  EXPECT_EQ(p[9].element_size, 8u);
  EXPECT_EQ(p[10].dtype, DType::Int32);
  EXPECT_EQ(p[14].dtype, DType::Opaque);
}

TEST_F(NvrtcCompile, NameExpressionsInstantiate) {
  const CompileResult r =
      run(CompileRequest{.source = R"(
    template <class T, int N> __global__ void axpy(T* x, const T* y, T a) { x[0] = a * y[N]; }
    template <class... T> __global__ void varios(T... v) {}
    __constant__ float tabla[4]; __device__ int cuenta;)",
                         .names = {"axpy<float, 3>", "axpy<double,7>", "varios<int, float*>", "&tabla"}});
  ASSERT_EQ(r.code.kernels.size(), 3u);
  const auto& f = kernel(r, "axpy<float, 3>");
  EXPECT_EQ(f.name, "axpy<float, 3>");
  EXPECT_EQ(f.expression, "axpy<float, 3>");
  EXPECT_EQ(to_string("axpy", f.signature), "axpy(float* x, const float* y, float a)");
  const auto& d = kernel(r, "axpy<double,7>");
  EXPECT_EQ(d.name, "axpy<double, 7>");
  EXPECT_EQ(d.signature.parameters[2].dtype, DType::Float64);
  const auto& v = kernel(r, "varios<int, float*>");
  ASSERT_EQ(v.signature.parameters.size(), 2u);
  EXPECT_EQ(v.signature.parameters[1].type, "float*");
  ASSERT_EQ(r.code.variables.size(), 2u);
  EXPECT_EQ(r.code.variables[0].name, "tabla");
  EXPECT_EQ(r.code.variables[0].expression, "&tabla");
  EXPECT_TRUE(r.code.variables[0].constant);
  EXPECT_EQ(r.code.variables[0].size, 16u);
  EXPECT_EQ(r.code.variables[1].name, "cuenta");
}

TEST_F(NvrtcCompile, ErrorsHaveFileLineColumnAndLog) {
  const CompileError e =
      error_of(CompileRequest{.source = "__global__ void k(float* a) {\n\n    a[0] = nada + 1;\n\tint x = \"s\";\n}",
                              .filename = "mi.cu",
                              .options = {"-DN=4"}});
  EXPECT_EQ(e.details().file, "mi.cu");
  EXPECT_EQ(e.details().line, 3u);
  EXPECT_EQ(e.details().column, 12u);
  EXPECT_EQ(e.details().options, "-DN=4");
  EXPECT_STREQ(e.what(),
               "mi.cu:3:12: error: identifier \"nada\" is undefined\n"
               "      a[0] = nada + 1;\n"
               "             ^\n"
               "(and 1 more: the log has all)");
  EXPECT_THAT(e.details().log, HasSubstr("mi.cu(4): error:"));
}

TEST_F(NvrtcCompile, ErrorsWithoutAPosition) {
  EXPECT_THAT(error_of("__global__ void k(float* a) { __shared__ float s[100000]; s[threadIdx.x] = a[0]; "
                       "__syncthreads(); a[1] = s[3]; }")
                  .what(),
              HasSubstr("kernel.cu: error: Entry function '_Z1kPf' uses too much shared data"));
  EXPECT_THAT(error_of(CompileRequest{.source = "__global__ void k() {}", .options = {"--nope"}}).what(),
              HasSubstr("unrecognized option --nope"));
  EXPECT_THAT(
      error_of(CompileRequest{.source = "template<class T> __global__ void k(T*) {}", .names = {"k<flota>"}}).what(),
      HasSubstr("identifier \"flota\" is undefined"));
}

TEST_F(NvrtcCompile, WarningsAreKept) {
  EXPECT_THAT(run("__global__ void k(int* a) { int sin_uso; a[0] = 1; }").code.log, HasSubstr("sin_uso"));
}

TEST_F(NvrtcCompile, HostHeadersAreThere) {
  const CompileResult r = run(R"(
    #include <cuda_runtime.h>
    #include <stdio.h>
    #include <stdint.h>
    #include <cmath>
    #include <cassert>
    #include <limits.h>
    #include <cfloat>
    __global__ void k(float* a, int64_t n, std::uint32_t m, uint u) {
      a[0] = std::sqrt(a[1]) + M_PI + INFINITY + INT_MAX + std::max(a[2], FLT_MAX) + std::abs(-3) + sizeof(uint8_t);
      printf("%d\n", u); assert(n > m);
    })");
  EXPECT_EQ(r.code.log, "");
  EXPECT_EQ(kernel(r, "k").signature.parameters[1].dtype, DType::Int64);
  EXPECT_THAT(r.dependencies, IsEmpty());
}

TEST_F(NvrtcCompile, HeadersOfTheRequestComeFirst) {
  const CompileResult r = run(
      CompileRequest{.source = "#include \"propio.h\"\n#include <math.h>\n__global__ void k(float* a) { a[N] = MIO; }",
                     .headers = {{"propio.h", "#define N 3\n"}, {"math.h", "#define MIO 7\n"}}});
  EXPECT_THAT(r.dependencies, IsEmpty());
}

TEST_F(NvrtcCompile, IncludeDirectoriesInEverySpelling) {
  const TemporaryDirectory first, second;
  std::ofstream(second.path() / "b.h") << "#pragma once\n#include \"c.h\"\n";
  std::ofstream(second.path() / "c.h") << "#define N 3\n";
  const std::string source = "#include <b.h>\n__global__ void k(float* a) { a[N] = 1; }";
  const std::string one = first.path().string(), two = second.path().string();
  for (const std::vector<std::string>& options : {std::vector<std::string>{"-I" + one, "-I" + two},
                                                  {"-I", one, "-I", two},
                                                  {"--include-path=" + one, "--include-path", two}}) {
    const CompileResult r = run(CompileRequest{.source = source, .options = options});
    std::vector<std::pair<std::string, bool>> seen;
    for (const auto& d : r.dependencies) seen.emplace_back(d.path, d.present);
    EXPECT_THAT(seen, testing::UnorderedElementsAre(std::pair(one + "/b.h", false), std::pair(two + "/b.h", true),
                                                    std::pair(two + "/c.h", true)));
    EXPECT_TRUE(r.cacheable);
  }
  EXPECT_NO_THROW(run(CompileRequest{.source = source, .include_dirs = {one, two}}));
}

TEST_F(NvrtcCompile, CudaHeadersAreFound) {
  if (cuda_include_dirs().empty()) GTEST_SKIP() << "no CUDA headers on this machine (pip install nvidia-cuda-runtime)";
  const CompileResult r =
      run("#include <cuda_fp16.h>\n__global__ void k(__half* a, const half2* b, __half c) { a[0] = c + b[0].x; }");
  EXPECT_EQ(r.code.log, "");
  const auto& p = kernel(r, "k").signature.parameters;
  EXPECT_EQ(p[0].dtype, DType::Float16);
  EXPECT_EQ(p[1].element_size, 4u);
  EXPECT_EQ(p[2].dtype, DType::Float16);
  EXPECT_TRUE(r.cacheable);
  EXPECT_THAT(r.dependencies, Not(IsEmpty()));
}

TEST_F(NvrtcCompile, NewerDevicesGetPtx) {
  const CompileResult r = compile_with_nvrtc({.source = "__global__ void k(float* a) { a[0] = 1; }"}, {99, 9});
  EXPECT_EQ(r.code.kind, "ptx");
  EXPECT_THAT(r.code.image, HasSubstr(".entry _Z1kPf"));
  EXPECT_EQ(r.code.kernels.size(), 1u);
}

TEST_F(NvrtcCompile, DevicesThatItNoLongerKnowsAreSaidSo) {
  EXPECT_THROW(compile_with_nvrtc({.source = "__global__ void k() {}"}, {2, 0}), Unavailable);
}

TEST_F(NvrtcCompile, TheIdentityNamesBuildAndTarget) {
  const std::string identity = nvrtc_identity({9, 0}).value();
  EXPECT_THAT(identity, HasSubstr("sm_90"));
  EXPECT_THAT(identity, HasSubstr("nvrtc:" + build_id(Nvrtc::locate())));
  EXPECT_NE(identity, nvrtc_identity({8, 0}).value());
}

}  // namespace
}  // namespace lanza::cuda_backend
