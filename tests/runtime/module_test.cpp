// Modules: kernels by name, instances compiled when they are asked for, what is known of the compilation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/lanza.hpp>

#include <thread>
#include <vector>

#include "runtime/fake_backend.hpp"

namespace lanza {
namespace {

class ModuleTest : public testing::Test {
 protected:
  ModuleTest() {
    world().compile = [](const backend::CompileRequest& request) {
      std::vector<backend::KernelInfo> kernels{fake::kernel("multiplicar", {fake::pointer("a", DType::Float32)})};
      for (const std::string& name : request.names) {
        if (name.find("nada") != std::string::npos) throw CompileError("kernel.cu:1:1: no type 'nada'", {});
        kernels.push_back(fake::kernel(name, {fake::scalar("x", DType::Int32)}));
        kernels.back().expression = name;
      }
      auto result = fake::result(std::move(kernels));
      result.code.log = "kernel.cu:3:1: warning: unused variable";
      return result;
    };
  }
  Module compile_with(std::vector<std::string> names = {}) {
    return compile("source", {.device = Device("cuda"), .names = std::move(names), .cache = false});
  }
  fake::World& world() { return *scope_.world; }
  fake::Scope scope_;
};

TEST_F(ModuleTest, SaysWhatItIs) {
  const Module module = compile_with({"axpy<float>"});
  EXPECT_THAT(module.kernels(), testing::ElementsAre("multiplicar", "axpy<float>"));
  EXPECT_EQ(module.log(), "kernel.cu:3:1: warning: unused variable");
  EXPECT_EQ(module.compiler(), "fake 1.0");
  EXPECT_EQ(module.filename(), "kernel.cu");
  EXPECT_FALSE(module.cached());
  EXPECT_GT(module.compile_seconds(), 0);
  EXPECT_LT(module.compile_seconds(), 60);
  EXPECT_EQ(module.device(), Device("cuda"));
  EXPECT_THROW(module.image("cubin"), NotFound);
}

TEST_F(ModuleTest, KernelsKnowTheirNameAndParameters) {
  const Kernel kernel = compile_with().kernel("multiplicar");
  EXPECT_EQ(kernel.name(), "multiplicar");
  EXPECT_EQ(to_string(kernel.name(), kernel.signature()), "multiplicar(float* a)");
  EXPECT_EQ(kernel.attributes().front().first, "num_regs");
  EXPECT_EQ(kernel.report(), "fake");
}

TEST_F(ModuleTest, OneRecordAKernel) {
  const Module module = compile_with();
  EXPECT_EQ(module.kernel("multiplicar").handle(), module.kernel("_multiplicar").handle());
  EXPECT_EQ(world().count_of("kernel"), 1);
}

TEST_F(ModuleTest, UnknownKernel) {
  const Module module = compile_with();
  try {
    module.kernel("sumar");
    FAIL();
  } catch (const NotFound& error) {
    EXPECT_STREQ(error.what(), "no kernel 'sumar' in kernel.cu; it has: multiplicar");
  }
  EXPECT_EQ(world().count_of("compile"), 1);
}

TEST_F(ModuleTest, InstanceThatWasNotNamedIsCompiledOnce) {
  const Module module = compile_with();
  const Kernel kernel = module.kernel("axpy<float>");
  EXPECT_EQ(kernel.name(), "axpy<float>");
  EXPECT_EQ(module.kernel("axpy< float >").handle(), kernel.handle());
  EXPECT_EQ(world().count_of("compile"), 2);
  EXPECT_NE(kernel.module().handle(), module.handle());
  EXPECT_THAT(module.kernels(), testing::ElementsAre("multiplicar"));
}

TEST_F(ModuleTest, InstanceOutlivesTheModuleThatItWasAskedOf) {
  const Kernel kernel = compile_with().kernel("axpy<float>");
  kernel({.block = 1}, 3);
  EXPECT_EQ(world().live["module"], 1);
}

TEST_F(ModuleTest, InstanceThatDoesNotCompile) {
  const Module module = compile_with();
  try {
    module.kernel("axpy<nada>");
    FAIL();
  } catch (const NotFound& error) {
    EXPECT_STREQ(
        error.what(),
        "no kernel 'axpy<nada>' in kernel.cu (it does not compile as a name: kernel.cu:1:1: no type 'nada'); it "
        "has: multiplicar");
  }
}

TEST_F(ModuleTest, UnknownVariable) {
  try {
    compile_with().variable("tabla");
    FAIL();
  } catch (const NotFound& error) {
    EXPECT_STREQ(error.what(), "no variable 'tabla' in kernel.cu; it has no variables");
  }
}

TEST_F(ModuleTest, KernelsFromManyThreads) {
  const Module module = compile_with();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      module.kernel("axpy<int>")({.block = 1}, 1);
      module.kernel("multiplicar");
      (void)module.cached();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(world().count_of("launch"), 8);
  EXPECT_LE(world().count_of("kernel"), 9);
}

}  // namespace
}  // namespace lanza
