// The data segment: layout, initial bytes, relocations, and what of it the host sees.
#include <gmock/gmock.h>

#include <cstring>
#include <regex>

#include "compiler/ir.hpp"
#include "compiler/plugin.hpp"

using namespace lanza::test;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

template <class T>
T read(const LanzaCompileResult& r, std::uint64_t offset) {
  T value{};
  EXPECT_LE(offset + sizeof value, r.data_bytes);
  if (offset < r.data.size) std::memcpy(&value, r.data.data + offset, sizeof value);  // else zero
  return value;
}

template <class T>
T value_of(const LanzaCompileResult& r, const char* name, std::size_t index = 0) {
  const LanzaVariableInfo* v = find_variable(r, name);
  EXPECT_TRUE(v) << name;
  return v ? read<T>(r, v->offset + index * sizeof(T)) : T{};
}

bool relocated(const LanzaCompileResult& r, std::uint64_t offset) {
  for (std::size_t i = 0; i < r.relocation_count; ++i)
    if (r.relocations[i].offset == offset) return true;
  return false;
}

TEST(Variables, InitialValues) {
  const CompileResult r = compile({.source = R"(
struct Mixed { char c; double d; int a[2]; };
__device__ int counter = 42;
__constant__ float weights[3] = {0.5f, -1.0f, 2.0f};
__device__ double zero[2];
__device__ bool flag = true;
__device__ Mixed mixed = {'x', 2.5, {7, 8}};
__device__ long long minus = -3;
__device__ unsigned char bytes[5] = "abcd";
namespace ns { __constant__ short s = 300; }
__global__ void k(int *p) { p[0] = counter; }
)"});
  ASSERT_TRUE(r->ok) << view(r->log);
  EXPECT_EQ(value_of<int>(*r, "counter"), 42);
  EXPECT_EQ(value_of<float>(*r, "weights", 1), -1.0f);
  EXPECT_EQ(find_variable(*r, "weights")->constant, 1u);
  EXPECT_EQ(find_variable(*r, "counter")->constant, 0u);
  EXPECT_EQ(value_of<double>(*r, "zero", 1), 0.0);
  EXPECT_EQ(value_of<char>(*r, "flag"), 1);
  EXPECT_EQ(find_variable(*r, "mixed")->size, 24u);
  EXPECT_EQ(value_of<char>(*r, "mixed"), 'x');
  EXPECT_EQ(value_of<double>(*r, "mixed", 1), 2.5);
  EXPECT_EQ(value_of<int>(*r, "mixed", 5), 8);
  EXPECT_EQ(value_of<long long>(*r, "minus"), -3);
  EXPECT_EQ(value_of<char>(*r, "bytes", 3), 'd');
  EXPECT_EQ(value_of<short>(*r, "ns::s"), 300);
  EXPECT_EQ(r->relocation_count, 0u);
}

TEST(Variables, EachHasItsOwnAlignedPlace) {
  const CompileResult r = compile({.source = R"(
__device__ char a = 1; __device__ double b = 2; __device__ char c = 3; __device__ float big[100]; __device__ float4 v;)"});
  ASSERT_TRUE(r->ok) << view(r->log);
  ASSERT_EQ(r->variable_count, 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    const LanzaVariableInfo& v = r->variables[i];
    EXPECT_LE(v.offset + v.size, r->data_bytes);
    for (std::size_t j = i + 1; j < 5; ++j) {
      const LanzaVariableInfo& w = r->variables[j];
      EXPECT_TRUE(v.offset + v.size <= w.offset || w.offset + w.size <= v.offset);
    }
  }
  EXPECT_EQ(find_variable(*r, "b")->offset % 8, 0u);
  EXPECT_EQ(find_variable(*r, "big")->offset % 64, 0u);
  EXPECT_EQ(find_variable(*r, "v")->offset % 16, 0u);
  EXPECT_EQ(r->data.size, 17u) << "those that are zero at first are no part of the data";
}

TEST(Variables, PointersToVariablesAreRelocated) {
  const CompileResult r = compile({.source = R"(
__device__ int array[10];
__device__ int *third = &array[3];
struct Node { int value; Node *next; };
extern __device__ Node b;
__device__ Node a = {1, &b};
__device__ Node b = {2, &a};
__device__ const char *text = "hello";
__device__ int *null = nullptr;
__global__ void k(int *p) { p[0] = *third + a.next->value + text[0]; })"});
  ASSERT_TRUE(r->ok) << view(r->log);
  const std::uint64_t third = find_variable(*r, "third")->offset, array = find_variable(*r, "array")->offset;
  EXPECT_EQ(read<std::uint64_t>(*r, third), array + 12);
  EXPECT_TRUE(relocated(*r, third));
  EXPECT_EQ(value_of<std::uint64_t>(*r, "a", 1), find_variable(*r, "b")->offset);
  EXPECT_TRUE(relocated(*r, find_variable(*r, "a")->offset + 8));
  EXPECT_EQ(value_of<std::uint64_t>(*r, "b", 1), find_variable(*r, "a")->offset);
  EXPECT_FALSE(relocated(*r, find_variable(*r, "null")->offset));
  // The literal that a variable points to lives in the segment too.
  const std::uint64_t literal = value_of<std::uint64_t>(*r, "text");
  ASSERT_LE(literal + 6, r->data.size);
  EXPECT_STREQ(r->data.data + literal, "hello");
  EXPECT_EQ(r->relocation_count, 4u);
}

// A constant that points into the segment needs the segment's address: it lives there too.
TEST(Variables, ConstantsThatPointToVariables) {
  const CompileResult r = compile({.source = R"(
__device__ int a[2], b[2];
__global__ void k(int i) { static int *const rows[2] = {a, b}; rows[i][0] = 1; })"});
  ASSERT_TRUE(r->ok) << view(r->log);
  EXPECT_EQ(r->relocation_count, 2u);
  EXPECT_EQ(r->variable_count, 2u);
}

TEST(Variables, StaticsOfFunctionsOutliveALaunch) {
  const CompileResult r = compile({.source = R"(
__global__ void k(int *p) { static int calls = 5; static const int table[4] = {1, 2, 3, 4}; p[0] = ++calls + table[p[1]]; })"});
  ASSERT_TRUE(r->ok) << view(r->log);
  EXPECT_EQ(r->variable_count, 0u) << "the host cannot name them";
  EXPECT_EQ(r->data.size, 4u) << "the table stays a constant of the code";
  EXPECT_EQ(read<int>(*r, 0), 5);
}

// The passes find variables by this metadata, and must not fold what the host may write.
TEST(Variables, OffsetsAreInTheModule) {
  const CompileResult r = compile({.source = R"(
static __constant__ int hidden = 7; __device__ int second = 8;
__global__ void k(int *p) { p[0] = hidden + second; })"});
  ASSERT_TRUE(r->ok) << view(r->log);
  const std::string ir = disassemble(view(r->bitcode));
  std::smatch match;
  ASSERT_TRUE(
      std::regex_search(ir, match, std::regex("@second = [^\n]*externally_initialized[^\n]*!lanza.offset !([0-9]+)")))
      << ir;
  EXPECT_THAT(
      ir, HasSubstr("!" + match[1].str() + " = !{i64 " + std::to_string(find_variable(*r, "second")->offset) + "}"));
  EXPECT_TRUE(find_variable(*r, "hidden")) << "internal linkage, but the host may ask for it";
  EXPECT_TRUE(std::regex_search(ir, std::regex("@_ZL6hidden = [^\n]*externally_initialized[^\n]*!lanza.offset"))) << ir;
}

TEST(Variables, ThoseOfThePreludeAreNotReported) {
  const CompileResult r =
      compile({.source = "__global__ void k(float *p) { p[0] = sinf(p[0]) + threadIdx.x + warpSize; }"});
  ASSERT_TRUE(r->ok) << view(r->log);
  EXPECT_EQ(r->variable_count, 0u);
}

TEST(Variables, ReferencesAndMembersOfTemplates) {
  const CompileResult r = compile({.source = R"(
template <class T> struct Holder { static __device__ T value; };
template <class T> __device__ T Holder<T>::value = T(3);
__device__ int target = 9;
__global__ void k(int *p) { p[0] = Holder<int>::value + target; })"});
  ASSERT_TRUE(r->ok) << view(r->log);
  EXPECT_EQ(value_of<int>(*r, "Holder<int>::value"), 3);
}

TEST(Variables, WhatCannotBeInitialisedIsAnError) {
  const CompileResult dynamic = compile({.source = "__device__ int g() { return 1; }\n__device__ int v = g();\n"});
  EXPECT_FALSE(dynamic->ok);
  EXPECT_THAT(text(dynamic->log), HasSubstr("kernel.cu:2:"));
}

// Functions are numbers, the same for all kernels of a module; tables of virtual functions stand in the segment too.
// As NVRTC has it: what the default constructor and the destructor would do is left out, with a warning where the user
// wrote them; what is written at the variable itself is an error.
TEST(Variables, ConstructorsOfSharedVariablesDoNotRun) {
  const auto compiled = [](const std::string& type, const std::string& outside, const std::string& inside) {
    return compile({.source = type + " " + outside + " __global__ void k(int* out) { " + inside + " *out = d.x; }"});
  };
  const std::string with_default = "struct D { int x; __device__ D(int y = 4) : x(y) {} };",
                    member = "struct D { int x = 3; };", destructor = "struct D { int x; __device__ ~D() { x = 0; } };";
  const std::string of_template = "template <class T> struct E { T x; __device__ E() : x(5) {} }; using D = E<int>;";
  for (const std::string& type : {with_default, destructor, of_template}) {
    const CompileResult r = compiled(type, "", "__shared__ D d;");
    EXPECT_TRUE(r->ok) << type << text(r->log);
    EXPECT_THAT(text(r->log), HasSubstr("warning: shared variables are not initialised")) << type;
  }
  for (const CompileResult& r : {compiled(member, "", "__shared__ D d;"), compiled(member, "__shared__ D d;", "")}) {
    EXPECT_TRUE(r->ok) << text(r->log);
    EXPECT_EQ(text(r->log), "");
  }
  EXPECT_FALSE(compiled(with_default, "__shared__ D d;", "")->ok);
  for (const char* variable : {"__shared__ D d(5);", "__shared__ D d = 5;", "__shared__ D d{};"})
    EXPECT_FALSE(compiled(with_default, "", variable)->ok) << variable;
}

TEST(Variables, PointersToFunctionsAreNumbers) {
  const CompileResult r = compile({.source = R"(
__device__ int f(int x) { return x; }
__device__ int g(int x) { return -x; }
__device__ int (*pointers[])(int) = {f, nullptr, g};
)"});
  ASSERT_TRUE(r->ok) << text(r->log);
  ASSERT_EQ(r->variable_count, 1u);
  ASSERT_EQ(r->variables[0].size, 24u);
  std::uint64_t numbers[3];
  std::memcpy(numbers, r->data.data + r->variables[0].offset, sizeof numbers);
  EXPECT_NE(numbers[0], 0u);
  EXPECT_NE(numbers[2], 0u);
  EXPECT_NE(numbers[0], numbers[2]);
  EXPECT_EQ(numbers[0] % 16, 0u);
  EXPECT_EQ(numbers[1], 0u);
  EXPECT_EQ(r->relocation_count, 0u);
}

TEST(Variables, TooMuchIsAnError) {
  const CompileResult r = compile({.source = "__device__ char huge[1ull << 40];"});
  EXPECT_FALSE(r->ok);
  EXPECT_THAT(text(r->log), HasSubstr("1 GiB"));
}

}  // namespace
