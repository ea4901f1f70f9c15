// The search for the plug-in: what is refused and how it is said, and what is taken.
#include "compiler/loader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/error.hpp>

#include "support/file.hpp"
#include "support/library.hpp"
#include "support/scoped_environment.hpp"

namespace lanza {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

void expect_refused(const std::string& path, const std::string& why) {
  const test::ScopedEnvironment plugin("LANZA_COMPILER", path);
  EXPECT_THAT(
      [] { compiler::plugin(); },
      ThrowsMessage<Unavailable>(AllOf(HasSubstr(path + ": " + why), HasSubstr("set LANZA_COMPILER to the path of"),
                                       HasSubstr(compiler::expected_version()))));
  EXPECT_FALSE(compiler::loaded());
}

// In this order: what was loaded once stays.
TEST(Loader, refuses_a_file_that_is_not_there) { expect_refused("/nowhere/plugin.so", "no such file"); }

TEST(Loader, refuses_what_cannot_be_loaded) {
  const TemporaryDirectory directory;
  write_file_atomically(directory.path() / "plugin.so", "no ELF");
  expect_refused((directory.path() / "plugin.so").string(), "cannot be loaded: ");
}

TEST(Loader, refuses_another_library) {
  const auto path = LibrarySearch{.names = {"libz.so.1", "libgcc_s.so.1"}}.locate();
  ASSERT_FALSE(path.empty());
  expect_refused(path.string(), "is not a compiler plug-in of Lanza");
}

TEST(Loader, refuses_another_interface) {
  expect_refused(PLUGIN_OTHER_INTERFACE, "speaks another version of the interface");
}

TEST(Loader, refuses_another_version) { expect_refused(PLUGIN_OLDER, "is of version 0-older, this liblanza needs"); }

TEST(Loader, looks_beside_the_library) {
  const test::ScopedEnvironment none("LANZA_COMPILER", nullptr);
  const std::string folder = own_library_path().parent_path().string();
  EXPECT_THAT(compiler::diagnosis(), testing::Contains(HasSubstr(folder + "/lanza/liblanza-compiler.so")));
  EXPECT_THAT(compiler::diagnosis(), testing::Contains(HasSubstr(folder + "/liblanza-compiler.so")));
}

TEST(Loader, takes_its_own_version) {
  const test::ScopedEnvironment plugin("LANZA_COMPILER", PLUGIN_RIGHT);
  const LanzaCompiler& table = compiler::plugin();
  EXPECT_STREQ(table.about, "fake");
  EXPECT_STREQ(table.version, compiler::expected_version());
  EXPECT_TRUE(compiler::loaded());
  EXPECT_EQ(&compiler::plugin(), &table);
}

}  // namespace
}  // namespace lanza
