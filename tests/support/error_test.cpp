// The hierarchy of exceptions, and what each carries.
#include <gtest/gtest.h>

#include <lanza/error.hpp>

namespace lanza {
namespace {

TEST(Error, everything_derives_from_error) {
  EXPECT_THROW(throw InvalidArgument("a"), Error);
  EXPECT_THROW(throw ArgumentTypeError("a"), InvalidArgument);
  EXPECT_THROW(throw NotFound("a"), Error);
  EXPECT_THROW(throw OutOfMemory("a"), Error);
  EXPECT_THROW(throw Unavailable("a"), Error);
  EXPECT_THROW(throw Error("a"), std::runtime_error);
}

TEST(Error, compile_error_keeps_position_log_and_options) {
  const CompileError error("kernel.cu(3): no",
                           {.file = "kernel.cu", .line = 3, .column = 7, .log = "log", .options = "-DN=4"});
  const CompileError copy = error;
  EXPECT_STREQ(copy.what(), "kernel.cu(3): no");
  EXPECT_EQ(copy.details().file, "kernel.cu");
  EXPECT_EQ(copy.details().line, 3u);
  EXPECT_EQ(copy.details().column, 7u);
  EXPECT_EQ(copy.details().log, "log");
  EXPECT_EQ(copy.details().options, "-DN=4");
}

TEST(Error, launch_error_names_the_kernel) {
  EXPECT_EQ(LaunchError("failed", "sumar").kernel(), "sumar");
  EXPECT_EQ(LaunchError("failed").kernel(), "");
}

TEST(Error, driver_error_keeps_routine_and_code) {
  const DriverError error("cuInit failed", "cuInit", 100, "CUDA_ERROR_NO_DEVICE");
  EXPECT_EQ(error.routine(), "cuInit");
  EXPECT_EQ(error.code(), 100);
  EXPECT_EQ(error.code_name(), "CUDA_ERROR_NO_DEVICE");
}

}  // namespace
}  // namespace lanza
