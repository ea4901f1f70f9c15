// Messages and the level from LANZA_LOG. The level is read once, so each case runs in a process of its own.
#include "support/log.hpp"

#include <gtest/gtest.h>

#include "support/scoped_environment.hpp"

namespace lanza {
namespace {

void say_everything() {
  log::warning("cuidado {}", 1);
  log::info("info");
  log::debug("de{}", "talle");
}

void exits_with(const char* level, const char* pattern) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts the program anew, with this environment
  const test::ScopedEnvironment log("LANZA_LOG", level);
  EXPECT_EXIT(
      {
        say_everything();
        std::exit(0);
      },
      testing::ExitedWithCode(0), pattern);
}

TEST(LogDeathTest, default_is_warning) { exits_with(nullptr, "^lanza: cuidado 1\n$"); }
TEST(LogDeathTest, error_is_quiet) { exits_with("error", "^$"); }
TEST(LogDeathTest, info) { exits_with("info", "^lanza: cuidado 1\nlanza: info\n$"); }
TEST(LogDeathTest, debug) { exits_with("debug", "^lanza: cuidado 1\nlanza: info\nlanza: detalle\n$"); }
TEST(LogDeathTest, another_word_is_named) { exits_with("todo", "LANZA_LOG: expected .*'todo'\nlanza: cuidado 1\n$"); }

TEST(Log, a_message_is_one_line) {
  testing::internal::CaptureStderr();
  log::write(log::Level::Warning, "one\ntwo");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "lanza: one two\n");
}

}  // namespace
}  // namespace lanza
