// Ownership: whatever order handles are dropped in, on whatever thread, backend objects die before their parents and
// nothing is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/lanza.hpp>

#include <algorithm>
#include <any>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/fake_backend.hpp"

namespace lanza {
namespace {

class LifetimeTest : public testing::Test {
 protected:
  LifetimeTest() { fake::teach_multiplicar(world()); }
  fake::World& world() { return *scope_.world; }

  /// One handle of each kind, all made in a context of their own.
  std::vector<std::any> make_handles() {
    const Device device("cuda");
    const Context context = device.create_context();
    const Current guard(context);
    const Module module = compile("", {.device = device, .cache = false});
    return {context, Stream(device), Event(device), Buffer<float>(16, device), module, module.kernel("multiplicar")};
  }
  void expect_nothing_left() {
    EXPECT_EQ(world().alive(), 0);
    EXPECT_THAT(world().violations, testing::IsEmpty());
    EXPECT_EQ(world().trace.back(), "~context");
  }

  fake::Scope scope_;
};

TEST_F(LifetimeTest, EveryOrderOfDropping) {
  std::vector<int> order(6);
  std::iota(order.begin(), order.end(), 0);
  do {
    auto handles = make_handles();
    for (const int i : order) handles[static_cast<std::size_t>(i)].reset();
    expect_nothing_left();
  } while (std::next_permutation(order.begin(), order.end()) && !HasFailure());
}

TEST_F(LifetimeTest, EveryOrderAcrossThreads) {
  std::vector<int> order(6);
  std::iota(order.begin(), order.end(), 0);
  do {
    auto handles = make_handles();
    for (const int i : order) std::thread([&] { handles[static_cast<std::size_t>(i)].reset(); }).join();
    expect_nothing_left();
  } while (std::next_permutation(order.begin(), order.end()) && !HasFailure());
}

TEST_F(LifetimeTest, AllAtOnceFromManyThreads) {
  for (int round = 0; round < 200; ++round) {
    auto handles = make_handles();
    std::vector<std::thread> threads;
    for (auto& handle : handles) threads.emplace_back([&handle] { handle.reset(); });
    for (std::thread& thread : threads) thread.join();
    expect_nothing_left();
  }
}

TEST_F(LifetimeTest, EachHandleAloneKeepsItsContext) {
  for (std::size_t keep = 0; keep < 6; ++keep) {
    auto handles = make_handles();
    for (std::size_t i = 0; i < handles.size(); ++i) {
      if (i != keep) handles[i].reset();
    }
    EXPECT_EQ(world().live["context"], 1) << keep;
    handles.clear();
    expect_nothing_left();
  }
}

TEST_F(LifetimeTest, KernelWorksAfterItsModuleAndContextWereDropped) {
  std::optional<Kernel> kernel;
  {
    const Context context = Device("cuda").create_context();
    const Current guard(context);
    kernel = compile("", {.device = Device("cuda"), .cache = false}).kernel("multiplicar");
  }
  std::vector<float> a(4, 3), dest(4);
  (*kernel)({.block = 4}, out(dest), in(a), in(a));
  EXPECT_EQ(dest[3], 9);
  EXPECT_EQ(kernel->module().kernels(), std::vector<std::string>{"multiplicar"});
  kernel.reset();
  expect_nothing_left();
}

TEST_F(LifetimeTest, VariableKeepsItsModule) {
  world().compile = [](const backend::CompileRequest&) {
    auto result = fake::result({});
    result.code.data = std::string(64, '\0');
    backend::VariableInfo variable;
    variable.name = variable.symbol = "tabla";
    variable.offset = 16;
    variable.size = 32;
    result.code.variables = {variable};
    return result;
  };
  const Context context = Device("cuda").create_context();
  std::optional<Buffer<>> variable;
  {
    const Current guard(context);
    variable = compile("", {.device = Device("cuda"), .cache = false}).variable("tabla");
  }
  EXPECT_EQ(variable->size(), 32u);
  const std::vector<float> values(8, 2.5F);
  std::vector<float> read(8);
  copy(variable->view<float>(), values);
  copy(read, variable->view<float>());
  EXPECT_EQ(read, values);
  EXPECT_EQ(world().live["module"], 1);
  variable.reset();
  EXPECT_EQ(world().live["module"], 0);
  EXPECT_EQ(world().live["memory"], 0);
}

TEST_F(LifetimeTest, PrimaryContextGoesWithTheLastHandleOnceReleased) {
  std::optional<Buffer<float>> buffer(std::in_place, 4, Device("cuda"));
  EXPECT_EQ(world().live["context"], 1);
  detail::replace_backends({[]() -> backend::Backend& { return *fake::Scope::cuda; },
                            []() -> backend::Backend& { return *fake::Scope::cpu; }});
  EXPECT_EQ(world().live["context"], 1);
  buffer.reset();
  expect_nothing_left();
}

// Handles in globals outlive main; nothing of the runtime may be gone before them. The child exits with live handles of
// every kind.
[[noreturn]] void exit_with(std::vector<std::any> made) {
  static std::vector<std::any> handles;
  static struct Late {
    ~Late() {
      const Kernel kernel = std::any_cast<Kernel>(handles[5]);
      std::vector<float> a(4, 3), dest(4);
      kernel({.block = 4}, out(dest), in(a), in(a));  // static destruction has begun
      if (dest[0] != 9 || current_device() != Device("cuda")) std::abort();
    }
  } late;
  handles = std::move(made);
  std::exit(0);
}

TEST_F(LifetimeTest, HandlesInGlobalsAtTheEndOfTheProcess) {
  EXPECT_EXIT(exit_with(make_handles()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lanza
