// A context of the CPU device, and launches of kernels that are linked into the test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "backend/backend.hpp"
#include "backend/cpu/kernel.hpp"
#include "thread_kernel.hpp"

namespace lanza::testing {

class ExecutorTest : public ::testing::Test {
 protected:
  backend::Device& device() { return backend::cpu().device(0); }

  std::unique_ptr<executor::Kernel> make_kernel(const LanzaKernelObject& object, std::string name = "k") {
    backend::KernelInfo info;
    info.symbol = info.name = std::move(name);
    auto record = std::make_shared<executor::ModuleRecord>(
        executor::ModuleRecord{"", {}, {}, executor::Segment(std::string(64, '\0'), {}), false, ""});
    auto kernel = std::make_unique<executor::Kernel>(std::move(record), std::move(info));
    kernel->share()->install(Dim3(0, 0, 0), std::make_shared<executor::KernelObject>(object));
    return kernel;
  }

  template <class... A>
  static backend::Launch launch_of(Dim3 grid, Dim3 block, const std::tuple<A...>& arguments) {
    backend::Launch launch;
    launch.grid = grid;
    launch.block = block;
    launch.arguments = &arguments;
    launch.argument_bytes = sizeof arguments;
    return launch;
  }

  /// Launches on the default stream with one argument and waits.
  template <class T>
  void run(const LanzaKernelObject& object, Dim3 grid, Dim3 block, T argument, bool cooperative = false) {
    const std::tuple<T> arguments(argument);
    auto launch = launch_of(grid, block, arguments);
    launch.cooperative = cooperative;
    make_kernel(object)->launch(stream, launch);
    stream.synchronize();
  }

  std::shared_ptr<backend::Context> context = device().create_context();
  backend::Stream& stream = context->default_stream();
};

/// The text of the exception that `f` throws.
template <class E, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another exception: " << e.what();
  }
  ADD_FAILURE() << "no exception";
  return {};
}

}  // namespace lanza::testing
