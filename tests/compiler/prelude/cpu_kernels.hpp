// Compiles a source for the CPU device: what the tests of whole kernels share.
#pragma once

#include <gtest/gtest.h>

#include <lanza/lanza.hpp>
#include <string_view>

#include "compiler/loader.hpp"
#include "needs_compiler.hpp"

namespace lanza::test {

class CpuKernels : public testing::Test {
 protected:
  void SetUp() override { LANZA_NEEDS_COMPILER(); }
  Module compile_here(std::string_view source) { return compile(source, {.device = device_}); }

  Device device_{"cpu"};
  Current current_{device_};
};

}  // namespace lanza::test
