// What the tests on the fake driver share: a clean log, the device, and the check that nothing is left or misused.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/fake_driver/fake_driver.hpp"

namespace lanza::cuda_backend {

class OnFakeDriver : public testing::Test {
 protected:
  OnFakeDriver() {
    setenv("LANZA_FAKE_DEVICES", "2", 1);  // read when the driver is first used
    backend::cuda().device_count();        // so that no test's log begins with the driver's start
    fake.reset();
  }

  void TearDown() override {
    EXPECT_EQ(fake.live(nullptr), 0) << fake.log();
    EXPECT_EQ(fake.violations(), "");
  }

  backend::Device& device(int index = 0) { return backend::cuda().device(index); }

  /// The log, a call a line, without the calls before `clear_log`.
  std::vector<std::string> calls() {
    std::vector<std::string> lines;
    const std::string log = fake.log();
    for (std::size_t at = 0; at < log.size();) {
      const std::size_t end = log.find('\n', at);
      lines.push_back(log.substr(at, end - at));
      at = end + 1;
    }
    return lines;
  }
  /// Names of the routines called, in order.
  std::vector<std::string> routines() {
    std::vector<std::string> names = calls();
    for (std::string& n : names) n = n.substr(0, n.find('('));
    return names;
  }

  /// A module that knows these symbols, with kernels of unknown signature.
  static backend::Code code(const std::string& symbols) { return {.kind = "ptx", .image = "// " + symbols}; }
  static backend::KernelInfo kernel_info(const std::string& name) {
    backend::KernelInfo info{.symbol = name, .name = name};
    info.signature.known = false;
    return info;
  }

  const fake::Driver& fake = fake::driver();
};

/// The message of the exception of type E that f throws.
template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace lanza::cuda_backend
