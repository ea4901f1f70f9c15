// Includes, and the record of the files that decided a result.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "compiler/plugin.hpp"

using namespace lanza::test;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() {
    std::string name = (fs::temp_directory_path() / "lanza-files-XXXXXX").string();
    root = ::mkdtemp(name.data());
    for (const char* folder : {"a", "b", "a/sub"}) fs::create_directories(root / folder);
  }
  ~FilesTest() override { fs::remove_all(root); }
  void write(const fs::path& path, const std::string& text) { std::ofstream(root / path) << text; }
  std::string dir(const char* name) { return (root / name).string(); }

  fs::path root;
};

std::map<std::string, bool> dependencies(const LanzaCompileResult& r) {
  std::map<std::string, bool> map;
  for (std::size_t i = 0; i < r.dependency_count; ++i) map[text(r.dependencies[i].path)] = r.dependencies[i].present;
  return map;
}

constexpr const char* uses_value = "#include \"value.h\"\n__device__ int v = VALUE;";

int value(const LanzaCompileResult& r) {
  EXPECT_TRUE(r.ok) << view(r.log);
  if (!r.data_bytes) return -1;
  return r.data.size ? r.data.data[0] : 0;
}

TEST_F(FilesTest, NoneForASourceThatIncludesNothing) {
  const CompileResult r = compile({.source = "__global__ void k(int *p) { p[0] = 1; }"});
  EXPECT_EQ(r->dependency_count, 0u) << text(r->dependencies[0].path);
}

TEST_F(FilesTest, ReadAndProbedPathsAreReported) {
  write("b/value.h", "#define VALUE 5\n");
  const CompileResult r = compile({.source = uses_value, .include_dirs = {dir("a"), dir("b")}});
  EXPECT_EQ(value(*r), 5);
  const auto d = dependencies(*r);
  EXPECT_EQ(d.size(), 2u);
  EXPECT_EQ(d.at(dir("b/value.h")), true);
  EXPECT_EQ(d.at(dir("a/value.h")), false);
}

// Those of a toolkit include each other by "name", which looks beside them first.
TEST_F(FilesTest, OursStandInPlaceOfAToolkits) {
  write("a/outer.h", "#include \"vector_types.h\"\n#define VALUE 7\n");
  write("a/vector_types.h", "struct int2 { int a, b; };\n");
  const CompileRequest request{.source = "#include <outer.h>\n__device__ int v = VALUE;", .include_dirs = {dir("a")}};
  EXPECT_FALSE(compile(request)->ok);
  fs::create_directories(root / "a/crt");
  write("a/crt/host_config.h", "");
  write("a/cuda_runtime_api.h", "");
  const CompileResult r = compile(request);
  EXPECT_EQ(value(*r), 7);
  const auto d = dependencies(*r);
  EXPECT_EQ(d.at(dir("a/cuda_runtime_api.h")), true);
  EXPECT_FALSE(d.contains(dir("a/vector_types.h")));
}

TEST_F(FilesTest, WholeClosureAndFoldersThatAreNotThere) {
  write("a/value.h", "#include \"sub/inner.h\"\n#if __has_include(<maybe.h>)\n#include <maybe.h>\n#endif\n");
  write("a/sub/inner.h", "#define VALUE 6\n");
  const CompileResult r = compile({.source = uses_value, .options = {"-I", dir("nowhere"), "-I" + dir("a")}});
  EXPECT_EQ(value(*r), 6);
  const auto d = dependencies(*r);
  EXPECT_EQ(d.at(dir("a/value.h")), true);
  EXPECT_EQ(d.at(dir("a/sub/inner.h")), true);
  EXPECT_EQ(d.at(dir("a/maybe.h")), false);
  EXPECT_EQ(d.at(dir("nowhere")), false);
}

TEST_F(FilesTest, ProbesOfAFailedCompileAreReportedToo) {
  const CompileResult r = compile({.source = uses_value, .include_dirs = {dir("a")}});
  EXPECT_FALSE(r->ok);
  EXPECT_EQ(dependencies(*r).at(dir("a/value.h")), false);
  EXPECT_THAT(text(r->log), HasSubstr("kernel.cu:1:10: fatal error: 'value.h' file not found"));
}

TEST_F(FilesTest, HeadersOfTheRequestComeFirst) {
  write("a/value.h", "#define VALUE 5\n");
  const CompileResult r = compile({.source = uses_value,
                                   .include_dirs = {dir("a")},
                                   .headers = {{"value.h", "#include <deep/er.h>\n"},
                                               {"deep/er.h", "#include \"sibling.h\"\n"},
                                               {"deep/sibling.h", "#define VALUE 9\n"}}});
  EXPECT_EQ(value(*r), 9);
  EXPECT_EQ(r->dependency_count, 0u);
}

TEST_F(FilesTest, BesideASourceWithAPath) {
  write("a/value.h", "#define VALUE 7\n");
  const CompileResult r = compile({.source = uses_value, .filename = dir("a/kernel.cu")});
  EXPECT_EQ(value(*r), 7);
  const CompileResult bad = compile({.source = "int x = ;", .filename = dir("a/kernel.cu")});
  EXPECT_EQ(text(first_error(*bad)->file), dir("a/kernel.cu"));
}

TEST_F(FilesTest, RelativeFolders) {
  write("a/value.h", "#define VALUE 8\n");
  const fs::path before = fs::current_path();
  fs::current_path(root);
  const CompileResult r = compile({.source = uses_value, .include_dirs = {"a"}});
  fs::current_path(before);
  EXPECT_EQ(value(*r), 8);
  EXPECT_EQ(dependencies(*r).count((fs::canonical(root) / "a/value.h").string()), 1u);
}

TEST_F(FilesTest, ChangedFilesAreReadAgain) {
  for (int v : {3, 4}) {
    write("a/value.h", "#define VALUE " + std::to_string(v) + "\n");
    EXPECT_EQ(value(*compile({.source = uses_value, .include_dirs = {dir("a")}})), v);
  }
}

TEST_F(FilesTest, WhatIsNoFileIsNotRead) {
  ASSERT_EQ(::mkfifo((root / "a/value.h").c_str(), 0600), 0);
  EXPECT_FALSE(compile({.source = uses_value, .include_dirs = {dir("a")}})->ok);
  EXPECT_FALSE(compile({.source = "#include \"/dev/zero\"\n"})->ok);
  EXPECT_FALSE(compile({.source = "#include \"" + root.string() + "\"\n"})->ok);
}

TEST_F(FilesTest, UnreadableAndBinaryFiles) {
  write("a/value.h", std::string("\0\xff\xfe junk", 8));
  EXPECT_FALSE(compile({.source = uses_value, .include_dirs = {dir("a")}})->ok);
}

TEST_F(FilesTest, HeadersThatEverySourceMayInclude) {
  for (const char* standard : {"c++11", "c++14", "c++17", "c++20", "c++23"}) {
    const CompileResult r = compile({.source = R"(
#include <cuda_runtime.h>
#include <stdio.h>
#include <cmath>
#include <cstdint>
__global__ void k(float *p, std::uint32_t n) { p[0] = sqrtf(p[0]) + n; printf("%d\n", 1); })",
                                     .options = {std::string("-std=") + standard}});
    EXPECT_TRUE(r->ok) << standard << "\n" << view(r->log);
    EXPECT_EQ(r->dependency_count, 0u);
    EXPECT_EQ(view(r->log), "");
  }
}

}  // namespace
