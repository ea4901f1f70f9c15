// Every result code of the driver becomes the right exception, with routine, code, name and meaning.
#include "backend/cuda/driver_error.hpp"

#include <algorithm>
#include <set>

#include "backend/cuda/fixture.hpp"

namespace lanza::cuda_backend {
namespace {

using testing::HasSubstr;

TEST(DriverErrors, TheTableIsSortedAndComplete) {
  const auto& table = all_results();
  EXPECT_TRUE(std::is_sorted(table.begin(), table.end(),
                             [](const ResultInfo& a, const ResultInfo& b) { return a.code < b.code; }));
  EXPECT_EQ(table.size(), 101u);  // CUDA 13.0
  std::set<std::string> names;
  for (const ResultInfo& r : table) {
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    EXPECT_NE(std::string(r.meaning), "");
    EXPECT_EQ(std::string(describe(r.code).name), r.name);
  }
  EXPECT_STREQ(describe(12345).name, "unrecognised error code");
}

/// The exception's class for a code, by name.
std::string thrown_for(int code, const std::vector<std::string>& kernels = {}) {
  try {
    throw_result(static_cast<CUresult>(code), "cuRoutine", "64 bytes", kernels);
  } catch (const OutOfMemory&) {
    return "OutOfMemory";
  } catch (const LaunchError&) {
    return "LaunchError";
  } catch (const DriverError&) {
    return "DriverError";
  } catch (const Unavailable&) {
    return "Unavailable";
  }
}

TEST(DriverErrors, EachCodeHasItsClass) {
  const std::set<int> launch = {700, 701, 702, 703, 710, 714, 715, 716, 717, 718, 719, 720, 721},
                      unavailable = {3, 34, 100};
  for (const ResultInfo& r : all_results()) {
    if (r.code == 0) continue;
    const std::string expected = r.code == 2                 ? "OutOfMemory"
                                 : launch.count(r.code)      ? "LaunchError"
                                 : unavailable.count(r.code) ? "Unavailable"
                                                             : "DriverError";
    EXPECT_EQ(thrown_for(r.code), expected) << r.name;
  }
  EXPECT_EQ(thrown_for(4711), "DriverError");
}

TEST(DriverErrors, MessagesSayRoutineCodeNameAndMeaning) {
  try {
    throw_result(CUDA_ERROR_INVALID_VALUE, "cuMemAlloc_v2", "64 bytes");
  } catch (const DriverError& e) {
    EXPECT_STREQ(e.what(),
                 "cuMemAlloc_v2(64 bytes) failed: CUDA_ERROR_INVALID_VALUE (1): an argument is outside what the "
                 "routine accepts");
    EXPECT_EQ(e.routine(), "cuMemAlloc_v2");
    EXPECT_EQ(e.code(), 1);
    EXPECT_EQ(e.code_name(), "CUDA_ERROR_INVALID_VALUE");
  }
}

TEST(DriverErrors, FaultsNameTheKernel) {
  try {
    throw_result(CUDA_ERROR_ILLEGAL_ADDRESS, "cuStreamSynchronize", "", {"escribe"});
  } catch (const LaunchError& e) {
    EXPECT_EQ(e.kernel(), "escribe");
    EXPECT_THAT(e.what(), HasSubstr("kernel escribe failed: a thread read or wrote memory that is not allocated "
                                    "(CUDA_ERROR_ILLEGAL_ADDRESS, 700"));
    EXPECT_THAT(e.what(), HasSubstr("must start again in a new process"));
  }
  try {
    throw_result(CUDA_ERROR_ASSERT, "cuStreamSynchronize", "", {"a", "b"});
  } catch (const LaunchError& e) {
    EXPECT_EQ(e.kernel(), "");
    EXPECT_THAT(e.what(), HasSubstr("one of the kernels a, b failed"));
  }
}

TEST(DriverErrors, AMissingRoutineSaysThatTheDriverIsOld) {
  const Routine<CUresult(int)> routine{"cuNewThing"};
  EXPECT_THAT(message_of<Unavailable>([&] { routine(1); }), HasSubstr("no cuNewThing: it is too old"));
}

class InjectedError : public OnFakeDriver {};

/// One code through each way a user meets the driver.
TEST_F(InjectedError, EachCodeReachesTheCallerFromARealCall) {
  const auto context = device().primary_context();
  for (const ResultInfo& r : all_results()) {
    if (r.code == 0 || r.code == CUDA_ERROR_NOT_READY) continue;
    fake.fail("cuStreamSynchronize", r.code);
    std::string thrown;
    try {
      context->default_stream().synchronize();
    } catch (const Error& e) {
      thrown = e.what();
    }
    EXPECT_THAT(thrown, HasSubstr(r.name));
    EXPECT_THAT(thrown, HasSubstr(r.meaning));
  }
}

TEST_F(InjectedError, ADeadContextCanBeDroppedAndANewOneMade) {
  {
    const auto context = device().create_context();
    const auto stream = context->make_stream(0, false);
    const auto module = context->load(code("escribe"), true);
    const auto kernel = module->kernel(kernel_info("escribe"));
    const backend::Pointer memory = context->allocate(64, *stream);
    kernel->launch(*stream, {.grid = 1, .block = 32});
    fake.break_contexts(CUDA_ERROR_ILLEGAL_ADDRESS);
    try {
      stream->synchronize();
      ADD_FAILURE();
    } catch (const LaunchError& e) {
      EXPECT_EQ(e.kernel(), "escribe");
    }
    EXPECT_THROW(context->allocate(64, *stream), LaunchError);
    context->release(memory, 64, *stream);  // must not throw
  }
  EXPECT_EQ(fake.live("ctx"), 0);
  const auto fresh = device().create_context();
  EXPECT_NO_THROW(fresh->default_stream().synchronize());
  // What was alive in the lost context died with it: the driver refuses to destroy it one by one.
  EXPECT_THAT(fake.violations(), HasSubstr("destroyed before"));
  fake.reset();
}

}  // namespace
}  // namespace lanza::cuda_backend
