// Each option that is accepted has its effect; the others are refused by name.
#include <gmock/gmock.h>

#include <cstring>
#include <regex>

#include "compiler/ir.hpp"
#include "compiler/plugin.hpp"

using namespace lanza::test;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

using Options = std::vector<std::string>;

int value(const std::string& expression, const Options& options, const std::string& before = "") {
  const CompileResult r = compile({.source = before + "\n__device__ int v = " + expression + ";", .options = options});
  EXPECT_TRUE(r->ok) << view(r->log);
  int v = -1;
  if (r->data_bytes == sizeof v) v = 0;
  if (r->data.size == sizeof v) std::memcpy(&v, r->data.data, sizeof v);
  return v;
}

int flag(const std::string& name, const Options& options) {
  const CompileResult r = compile({.source = "__global__ void k(int *p) { p[0] = 1; }", .options = options});
  EXPECT_TRUE(r->ok) << view(r->log);
  const std::string ir = disassemble(view(r->bitcode));
  std::smatch match;
  if (!std::regex_search(ir, match, std::regex("!\"lanza." + name + "\", i(?:1|8|32) ([a-z0-9]+)"))) return -1;
  return match[1] == "true" ? 1 : match[1] == "false" ? 0 : std::stoi(match[1]);
}

TEST(OptionsTest, Macros) {
  for (const Options& o : {Options{"-DN=4"}, {"-D", "N=4"}, {"--define-macro=N=4"}, {"--define-macro", "N=4"}})
    EXPECT_EQ(value("N", o), 4) << o[0];
  EXPECT_EQ(value("N", {"-DN"}), 1);
  EXPECT_EQ(value("f(3)", {"-Df(x)=((x)+1)"}), 4);
  const std::string test = "#ifdef N\n#define W 1\n#else\n#define W 2\n#endif";
  EXPECT_EQ(value("W", {"-DN", "-UN"}, test), 2);
  EXPECT_EQ(value("W", {"-DN", "--undefine-macro=N"}, test), 2);
}

TEST(OptionsTest, Standard) {
  for (const auto& [name, number] :
       {std::pair{"c++11", 201103}, {"c++14", 201402}, {"c++17", 201703}, {"c++20", 202002}, {"c++23", 202302}}) {
    EXPECT_EQ(value("__cplusplus", {std::string("-std=") + name}), number);
    EXPECT_EQ(value("__cplusplus", {std::string("--std=") + name}), number);
    EXPECT_EQ(value("__cplusplus", {"-std", name}), number);
  }
  EXPECT_EQ(value("__cplusplus", {}), 201703);
  const CompileResult r = compile({.source = "", .options = {"-std=c++98"}});
  EXPECT_FALSE(r->ok);
  EXPECT_THAT(text(r->log), HasSubstr("option -std=c++98: Lanza's compiler takes c++11"));
}

TEST(OptionsTest, Arithmetic) {
  const std::pair<const char*, int> defaults[] = {{"fmad", 1},      {"ftz", 0},       {"prec_div", 1},
                                                  {"prec_sqrt", 1}, {"fast_math", 0}, {"debug", 0}};
  for (const auto& [name, number] : defaults) EXPECT_EQ(flag(name, {}), number) << name;
  EXPECT_EQ(flag("fmad", {"-fmad=false"}), 0);
  EXPECT_EQ(flag("fmad", {"--fmad", "false"}), 0);
  EXPECT_EQ(flag("fmad", {"-fmad=false", "--fmad=true"}), 1);
  EXPECT_EQ(flag("ftz", {"-ftz=true"}), 1);
  EXPECT_EQ(flag("prec_div", {"-prec-div=false"}), 0);
  EXPECT_EQ(flag("prec_sqrt", {"--prec-sqrt=false"}), 0);
  for (const char* fast : {"-use_fast_math", "--use_fast_math"}) {
    EXPECT_EQ(flag("fast_math", {fast}), 1);
    EXPECT_EQ(flag("ftz", {fast}), 1);
    EXPECT_EQ(flag("prec_div", {fast}), 0);
    EXPECT_EQ(flag("prec_sqrt", {fast}), 0);
    EXPECT_EQ(flag("fmad", {"-fmad=false", fast}), 1);
  }
  EXPECT_EQ(flag("debug", {"-G"}), 1);
  EXPECT_EQ(flag("debug", {"--device-debug"}), 1);
}

// One PCH serves both: the IR allows contraction, the passes' flag says whether it is done.
TEST(OptionsTest, ContractionIsLeftToThePasses) {
  const std::string source = "__global__ void k(float *p) { float t = p[0] * p[1]; p[2] = t + p[3]; }";
  for (const char* option : {"-fmad=true", "-fmad=false"}) {
    const CompileResult r = compile({.source = source, .options = {option}});
    EXPECT_THAT(disassemble(view(r->bitcode)), HasSubstr("fmul contract float"));
  }
}

TEST(OptionsTest, DebugInformation) {
  const std::string source = "__global__ void k(int *p) { int local = p[0]; p[1] = local; }";
  const std::string lines = disassemble(view(compile({.source = source, .options = {"-lineinfo"}})->bitcode));
  const std::string full = disassemble(view(compile({.source = source, .options = {"-G"}})->bitcode));
  EXPECT_THAT(lines, HasSubstr("!DILocation(line: 1"));
  EXPECT_THAT(lines, Not(HasSubstr("DILocalVariable")));
  EXPECT_THAT(full, HasSubstr("DILocalVariable(name: \"local\""));
}

TEST(OptionsTest, DefaultDevice) {
  const std::string source =
      "int scale = 3; int twice(int x) { return scale * x; } struct S { int m() { return 1; } };\n__global__ void "
      "k(int *p) { p[0] = twice(p[0]) + S().m(); }";
  const CompileResult without = compile({.source = source});
  EXPECT_FALSE(without->ok);
  EXPECT_THAT(text(without->log), HasSubstr("-default-device"));
  for (const char* option : {"-default-device", "--device-as-default-execution-space"}) {
    const CompileResult r = compile({.source = source, .options = {option}});
    EXPECT_TRUE(r->ok) << view(r->log);
    EXPECT_TRUE(find_variable(*r, "scale"));
    ASSERT_EQ(r->kernel_count, 1u);
    EXPECT_EQ(r->kernels[0].line, 2u);
  }
}

TEST(OptionsTest, PreInclude) {
  const CompileResult r =
      compile({.source = "__device__ int v = FROM_HEADER;",
               .options = {"--pre-include=first.h", "-include", "second.h"},
               .headers = {{"first.h", "#define TWO 2\n"}, {"second.h", "#define FROM_HEADER TWO\n"}}});
  EXPECT_TRUE(r->ok) << view(r->log);
}

TEST(OptionsTest, Warnings) {
  const std::string source = "#warning \"careful\"\n__global__ void k() {}";
  EXPECT_THAT(text(compile({.source = source})->log), HasSubstr("careful"));
  const CompileResult quiet = compile({.source = source, .options = {"-w"}});
  EXPECT_TRUE(quiet->ok);
  EXPECT_EQ(view(quiet->log), "");
  for (const char* option : {"-Werror", "-Werror=all-warnings", "--warning-as-error=all-warnings"})
    EXPECT_FALSE(compile({.source = source, .options = {option}})->ok) << option;
  EXPECT_THAT(text(compile({.source = "__device__ void f() { int unused; }", .options = {"-Wunused-variable"}})->log),
              HasSubstr("unused variable"));
}

TEST(OptionsTest, AcceptedWithoutEffect) {
  for (const Options& o : {Options{"-arch=sm_90"},
                           {"--gpu-architecture=compute_75"},
                           {"-arch", "sm_70"},
                           {"-maxrregcount=32"},
                           {"--maxrregcount", "64"},
                           {"-rdc=true"},
                           {"-rdc=false"},
                           {"-dlto"},
                           {"--ptxas-options=-v"},
                           {"-diag-suppress=177"},
                           {"--relocatable-device-code=false"},
                           {"-lineinfo"},
                           {"--generate-line-info"}}) {
    const CompileResult r = compile({.source = "__device__ int v = __CUDA_ARCH__;", .options = o});
    EXPECT_TRUE(r->ok) << o[0] << view(r->log);
    EXPECT_EQ(view(r->log), "");
    EXPECT_EQ(value("__CUDA_ARCH__", o), 800);
  }
}

TEST(OptionsTest, OthersAreRefusedByName) {
  for (const char* option : {"-O3", "-fplugin=x.so", "-Xclang", "-load", "kernel.cu", "-", "", "-o", "-Wl,-x",
                             "-ffast-math", "-D", "-optix-ir", "-time", "-fdevice-syntax-only"}) {
    const CompileResult r = compile({.source = "", .options = {option}});
    EXPECT_FALSE(r->ok) << option;
    EXPECT_THAT(text(r->log), HasSubstr(option));
    EXPECT_THAT(text(r->log), HasSubstr("option"));
    ASSERT_EQ(r->diagnostic_count, 1u);
  }
}

TEST(OptionsTest, ValuesThatAreNone) {
  EXPECT_THAT(text(compile({.source = "", .options = {"-fmad=maybe"}})->log),
              HasSubstr("option -fmad takes true or false, got 'maybe'"));
  EXPECT_THAT(text(compile({.source = "", .options = {"-I"}})->log), HasSubstr("option -I needs a value"));
}

TEST(OptionsTest, WhatNvrtcPredefines) {
  EXPECT_EQ(value("__CUDACC__ + __CUDACC_RTC__ + __LANZA__", {}), 3);
  EXPECT_EQ(value("W", {}, "#if defined(__clang__) || defined(__GNUC__)\n#define W 1\n#else\n#define W 2\n#endif"), 2);
  EXPECT_EQ(value("__CUDACC_VER_MAJOR__", {}), 13);
}

}  // namespace
