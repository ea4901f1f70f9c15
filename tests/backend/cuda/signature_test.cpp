// Parameter records from layout, types and source.
#include "backend/cuda/signature.hpp"

#include <gtest/gtest.h>

namespace lanza::cuda_backend {
namespace {

PtxKernel kernel_with(std::string symbol, std::vector<PtxParameter> parameters) {
  PtxKernel k;
  k.symbol = std::move(symbol);
  for (PtxParameter& p : parameters) {
    const std::size_t alignment = p.aggregate ? 4 : p.size;
    p.offset = (k.bytes + alignment - 1) / alignment * alignment;
    k.bytes = p.offset + p.size;
  }
  k.parameters = std::move(parameters);
  return k;
}

const PtxParameter u64{"u64", 0, 8, false}, u32{"u32", 0, 4, false}, f32{"f32", 0, 4, false}, u8{"u8", 0, 1, false};
PtxParameter aggregate(std::size_t size) { return {"b8", 0, size, true}; }

std::string text(const PtxKernel& k, const std::string& source) {
  const backend::KernelInfo info = describe_kernel(k, scan_source(source), {});
  return to_string(info.name, info.signature);
}

TEST(Signature, ExternCTypesOfEverySpelling) {
  EXPECT_EQ(text(kernel_with("k", {u64, u32, u64, u8, f32}),
                 "extern \"C\" __global__ void k(float const* const __restrict__ a, unsigned n, long unsigned int m, "
                 "signed char c, const float f) {}"),
            "k(const float* a, unsigned int n, unsigned long m, signed char c, float f)");
  EXPECT_EQ(text(kernel_with("k", {u64, u64, u64, u32}),
                 "extern \"C\" __global__ void k(size_t n, uint64_t* p, std::uint32_t** q, uint u) {}"),
            "k(unsigned long n, unsigned long* p, unsigned int** q, unsigned int u)");
  EXPECT_EQ(text(kernel_with("k", {u64, aggregate(8), aggregate(12)}),
                 "extern \"C\" __global__ void k(struct P* p, float2 v, ns::T t) {}"),
            "k(P* p, float2 v, ns::T t)");
}

TEST(Signature, AliasesAreFollowed) {
  EXPECT_EQ(text(kernel_with("k", {u64, f32}),
                 "#define REAL float\ntypedef REAL real; using ptr = const real*;\n"
                 "extern \"C\" __global__ void k(ptr p, real x) {}"),
            "k(const float* p, float x)");
}

TEST(Signature, WhatPtxContradictsIsNotBelieved) {
  const backend::KernelInfo info =
      describe_kernel(kernel_with("k", {u32, aggregate(16), u64}),
                      scan_source("extern \"C\" __global__ void k(float* p, int n, misterio q) {}"), {});
  EXPECT_EQ(info.signature.parameters[0].kind, Parameter::Kind::Unknown);
  EXPECT_EQ(info.signature.parameters[0].size, 4u);
  EXPECT_EQ(info.signature.parameters[1].kind, Parameter::Kind::Unknown);
  EXPECT_EQ(info.signature.parameters[1].size, 16u);
  EXPECT_EQ(info.signature.parameters[2].kind, Parameter::Kind::Unknown) << "may be a pointer";
}

TEST(Signature, WithoutASourceTheLayoutIsKnown) {
  const backend::KernelInfo info = describe_kernel(kernel_with("k", {u64, f32}), scan_source(""), {});
  EXPECT_TRUE(info.signature.known);
  EXPECT_EQ(info.signature.bytes, 12u);
  EXPECT_EQ(info.signature.parameters[1].offset, 8u);
  EXPECT_EQ(info.signature.parameters[1].kind, Parameter::Kind::Unknown);
}

TEST(Signature, MangledTypesWinOverTheSource) {
  EXPECT_EQ(text(kernel_with("_Z1kPKdi", {u64, u32}), "__global__ void k(const T* x, INT n) {}"),
            "k(const double* x, int n)");
}

TEST(Signature, NamesOfTemplatesComeFromTheSourceToo) {
  const backend::KernelInfo info = describe_kernel(
      kernel_with("_ZN2ns4axpyIfEEvPT_S1_", {u64, f32}),
      scan_source("namespace ns { template<class T> __global__ void axpy(T* x, T a) {} }"), "ns::axpy<float>");
  EXPECT_EQ(info.name, "ns::axpy<float>");
  EXPECT_EQ(to_string("axpy", info.signature), "axpy(float* x, float a)");
}

TEST(Signature, VectorAndHalfTypes) {
  const backend::KernelInfo info =
      describe_kernel(kernel_with("_Z1kP6float3P7double2P6__halfP5uint4P1S", {u64, u64, u64, u64, u64}), {}, {});
  const auto& p = info.signature.parameters;
  EXPECT_EQ(p[0].element_size, 12u);
  EXPECT_EQ(p[0].dtype, DType::Record);
  EXPECT_EQ(p[1].dtype, DType::Complex128);
  EXPECT_EQ(p[2].dtype, DType::Float16);
  EXPECT_EQ(p[3].element_size, 16u);
  EXPECT_EQ(p[4].dtype, DType::Opaque) << "a class of the user's, whose size the symbol does not tell";
}

}  // namespace
}  // namespace lanza::cuda_backend
