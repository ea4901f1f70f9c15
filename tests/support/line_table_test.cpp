// The lines of a small library, loaded, and of files that are damaged.
#include "support/line_table.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "support/file.hpp"

namespace lanza {
namespace {

/// A loaded library, and the lines of its functions.
class LineTable : public ::testing::Test {
 protected:
  LineTable() : handle_(dlopen(LANZA_LINES_LIBRARY, RTLD_NOW)), bytes(read_file(LANZA_LINES_LIBRARY).value_or("")) {}
  ~LineTable() override { dlclose(handle_); }

  std::uint64_t address(const char* function) const {
    void* symbol = dlsym(handle_, function);
    Dl_info info{};
    dladdr(symbol, &info);
    return reinterpret_cast<std::uintptr_t>(symbol) - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  }

  void* handle_;
  std::string bytes;
};

TEST_F(LineTable, KnowsTheLineOfAnInstruction) {
  const auto first = find_line(bytes, address("first")), second = find_line(bytes, address("second"));
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->line == 2 || first->line == 3) << first->line;  // its head, or what it does first
  EXPECT_TRUE(first->file.ends_with("lines.c")) << first->file;
  EXPECT_EQ(second->line, 1000u);
  EXPECT_TRUE(second->file.ends_with("elsewhere.c")) << second->file;
}

TEST_F(LineTable, KnowsNothingElsewhere) {
  EXPECT_FALSE(find_line(bytes, 0));
  EXPECT_FALSE(find_line(bytes, ~std::uint64_t{0}));
  EXPECT_FALSE(find_line("", 0));
  EXPECT_FALSE(find_line("no ELF file at all, though long enough to hold the header of one, which has 64 bytes", 16));
}

TEST_F(LineTable, SurvivesDamage) {
  const std::uint64_t at = address("first");
  for (std::size_t size = 0; size < bytes.size(); size += 7) find_line(std::string_view(bytes).substr(0, size), at);
  unsigned random = 1;
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = bytes;
    for (int i = 0; i < 40; ++i) {
      random = random * 1664525 + 1013904223;
      damaged[random % damaged.size()] = static_cast<char>(random >> 24);
    }
    find_line(damaged, at);
  }
}

}  // namespace
}  // namespace lanza
