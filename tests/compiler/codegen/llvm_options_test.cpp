// LLVM's options: ours are known to it, and one that is not is no secret.
#include "compiler/codegen/llvm_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanza::compiler::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(LlvmOptions, OursAreTaken) { EXPECT_EQ(set_llvm_options(), ""); }

TEST(LlvmOptions, AnUnknownOneIsNamed) {
  EXPECT_THAT(take_llvm_options({"-no-such-option=3"}),
              AllOf(HasSubstr("its options -no-such-option=3: "), HasSubstr("Unknown command line argument")));
}

TEST(LlvmOptions, AValueThatDoesNotFitIsNamed) {
  EXPECT_THAT(take_llvm_options({"-dag-maps-huge-region=many"}), HasSubstr("its options -dag-maps-huge-region=many"));
}

}  // namespace
}  // namespace lanza::compiler::testing
