// compile() and load(): what reaches the compiler, and what is taken from the disk cache.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/lanza.hpp>

#include <fstream>
#include <random>

#include "runtime/fake_backend.hpp"
#include "support/file.hpp"

namespace lanza {
namespace {

class CompileTest : public testing::Test {
 protected:
  CompileTest() {
    world().compile = [this](const backend::CompileRequest& request) {
      last_ = request;
      auto result = fake::result({fake::kernel("k", {})});
      for (const std::string& name : request.names) result.code.kernels.push_back(fake::kernel(name, {}));
      return result;
    };
  }
  fake::World& world() { return *scope_.world; }
  int compilations() { return world().count_of("compile"); }

  fake::Scope scope_;
  TemporaryDirectory directory_;
  backend::CompileRequest last_;
  // The process's cache outlives the test: a source that was never there before.
  std::string source_ = "// " + std::to_string(std::random_device()()) + std::to_string(std::random_device()());
};

TEST_F(CompileTest, RequestHoldsWhatWasAskedFor) {
  compile(source_, {.filename = "mio.cu",
                    .device = Device("cuda:1"),
                    .names = {"axpy<float>"},
                    .options = {"-DN=4"},
                    .include_dirs = {"/inc"},
                    .headers = {{"a.h", "int a;"}},
                    .cache = false});
  EXPECT_EQ(last_.source, source_);
  EXPECT_EQ(last_.filename, "mio.cu");
  EXPECT_THAT(last_.names, testing::ElementsAre("axpy<float>"));
  EXPECT_THAT(last_.options, testing::ElementsAre("-DN=4"));
  EXPECT_THAT(last_.include_dirs, testing::ElementsAre("/inc"));
  EXPECT_EQ(last_.headers.at(0).text, "int a;");
}

TEST_F(CompileTest, SecondTimeComesFromTheCache) {
  const Device cpu("cpu");
  const Module first = compile(source_, {.device = cpu});
  const Module second = compile(source_, {.device = cpu});
  EXPECT_FALSE(first.cached());
  EXPECT_TRUE(second.cached());
  EXPECT_EQ(second.compiler(), "fake 1.0");
  EXPECT_EQ(second.kernels(), first.kernels());
  EXPECT_EQ(compilations(), 1);
  compile(source_, {.device = Device("cuda")});
  EXPECT_EQ(compilations(), 2);
  world().identity = "fake compiler 2";
  EXPECT_FALSE(compile(source_, {.device = cpu}).cached());
}

TEST_F(CompileTest, InstancesAreCachedToo) {
  const Device cpu("cpu");
  EXPECT_EQ(compile(source_, {.device = cpu}).kernel("axpy<int>").name(), "axpy<int>");
  const Module again = compile(source_, {.device = cpu});
  again.kernel("axpy<int>");
  EXPECT_TRUE(again.cached());
  EXPECT_EQ(compilations(), 2);
}

TEST_F(CompileTest, CacheCanBeLeftOut) {
  compile(source_, {.device = Device("cpu"), .cache = false});
  EXPECT_FALSE(compile(source_, {.device = Device("cpu"), .cache = false}).cached());
  EXPECT_FALSE(compile(source_, {.device = Device("cpu")}).cached());
  EXPECT_EQ(compilations(), 3);
}

TEST_F(CompileTest, ErrorsAreNotCached) {
  world().compile = [](const backend::CompileRequest&) -> backend::CompileResult {
    throw CompileError("kernel.cu:1:1: error", {});
  };
  EXPECT_THROW(compile(source_, {.device = Device("cpu")}), CompileError);
  EXPECT_THROW(compile(source_, {.device = Device("cpu")}), CompileError);
  EXPECT_EQ(compilations(), 2);
}

TEST_F(CompileTest, CachedCodeThatDoesNotLoadIsCompiledAgain) {
  const Device cpu("cpu");
  compile(source_, {.device = cpu});
  world().fail_at = world().calls + 1;  // load
  EXPECT_FALSE(compile(source_, {.device = cpu}).cached());
  EXPECT_EQ(compilations(), 2);
}

TEST_F(CompileTest, DeviceIsTheCurrentOne) {
  EXPECT_EQ(compile(source_).device(), Device("cuda"));
  const Current guard(Device("cpu"));
  EXPECT_EQ(compile(source_).device(), Device("cpu"));
}

TEST_F(CompileTest, FromAFile) {
  const auto path = directory_.path() / "suma.cu";
  std::ofstream(path) << source_;
  EXPECT_EQ(load(path, {.device = Device("cpu")}).filename(), path.string());
  EXPECT_EQ(last_.source, source_);
  EXPECT_EQ(last_.include_dirs.at(0), directory_.path().string());
  EXPECT_EQ(load(path, {.filename = "otro.cu", .device = Device("cpu")}).filename(), "otro.cu");
  EXPECT_THROW(load(directory_.path() / "nada.cu"), NotFound);
  EXPECT_THROW(load(directory_.path()), NotFound);
}

}  // namespace
}  // namespace lanza
