// The disk cache as processes see it: a hit needs no compiler; whatever decides the code is in the key.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>

#include <lanza/error.hpp>

#include "compiler/loader.hpp"
#include "needs_compiler.hpp"
#include "support/file.hpp"
#include "support/scoped_environment.hpp"

namespace lanza {
namespace {

class CacheProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    LANZA_NEEDS_COMPILER();
    std::filesystem::create_directories(directory_.path() / "first");
    std::filesystem::create_directories(directory_.path() / "second");
    write("second/value.h", "#define VALUE 7\n");
    write(
        "k.cu",
        "#include <value.h>\n#ifndef PLUS\n#define PLUS 0\n#endif\n__global__ void k(int* a) { *a = VALUE + PLUS; }\n");
  }
  void write(const char* name, const std::string& text) {
    const auto path = directory_.path() / name;
    std::ofstream(path) << text;
    // As if written before: a file that changes while it is compiled is not cached.
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1));
  }
  /// What a new process says.
  std::string run(const std::string& options = {}) {
    const std::string path = directory_.path().string();
    const std::string command = std::string(LANZA_CACHE_CLIENT) + " " + path + "/k.cu -I" + path + "/first -I" + path +
                                "/second " + options + " 2>&1";
    std::string output;
    std::FILE* pipe = ::popen(command.c_str(), "r");
    std::array<char, 256> chunk;
    while (std::fgets(chunk.data(), chunk.size(), pipe)) output += chunk.data();
    EXPECT_EQ(::pclose(pipe), 0) << output;
    if (!output.empty() && output.back() == '\n') output.pop_back();
    return output;
  }

  TemporaryDirectory directory_;
  test::ScopedEnvironment cache_{"LANZA_CACHE_DIR", (directory_.path() / "cache").string()};
};

TEST_F(CacheProcessTest, HitNeedsNoCompiler) {
  EXPECT_EQ(run(), "7 compiled loaded");
  EXPECT_EQ(run(), "7 cached not-loaded");
  const test::ScopedEnvironment none("LANZA_COMPILER", "/nowhere/liblanza-compiler.so");
  EXPECT_EQ(run(), "7 cached not-loaded");
}

TEST_F(CacheProcessTest, Source) {
  run();
  write("k.cu", "__global__ void k(int* a) { *a = 8; }\n");
  EXPECT_EQ(run(), "8 compiled loaded");
}

TEST_F(CacheProcessTest, ContentOfAnIncludedHeader) {
  run();
  write("second/value.h", "#define VALUE 9\n");
  EXPECT_EQ(run(), "9 compiled loaded");
  write("second/value.h", "#define VALUE 7\n");
  EXPECT_EQ(run(), "7 cached not-loaded");
}

TEST_F(CacheProcessTest, HeaderThatAppearsEarlierInTheIncludePath) {
  run();
  write("first/value.h", "#define VALUE 10\n");
  EXPECT_EQ(run(), "10 compiled loaded");
  std::filesystem::remove(directory_.path() / "first/value.h");
  EXPECT_EQ(run(), "7 cached not-loaded");
}

TEST_F(CacheProcessTest, Option) {
  run();
  EXPECT_EQ(run("-DPLUS=4"), "11 compiled loaded");
  EXPECT_EQ(run("-DPLUS=4"), "11 cached not-loaded");
}

TEST_F(CacheProcessTest, Target) {
  run();
  const test::ScopedEnvironment target("LANZA_CPU_TARGET", "x86-64");
  EXPECT_EQ(run(), "7 compiled loaded");
}

TEST_F(CacheProcessTest, SwitchedOff) {
  run();
  const test::ScopedEnvironment off("LANZA_CACHE", "0");
  EXPECT_EQ(run(), "7 compiled loaded");
}

}  // namespace
}  // namespace lanza
