// The end of a process while a kernel runs.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace {

TEST(Exit, AProcessEndsWhileAKernelNeverDoes) {
  const auto start = std::chrono::steady_clock::now();
  // What a kernel that still runs holds cannot be freed: no leak to report.
  FILE* program = popen("ASAN_OPTIONS=detect_leaks=0 timeout 60 " LANZA_EXIT_PROGRAM, "r");
  ASSERT_NE(program, nullptr);
  std::string output;
  char part[256];
  while (std::fgets(part, sizeof part, program)) output += part;
  const int status = pclose(program);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7) << "124: it hung";
  EXPECT_EQ(output, "said before the end\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

}  // namespace
