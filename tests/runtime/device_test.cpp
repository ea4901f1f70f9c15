// Devices: names, defaults, and what is said about those that are not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/lanza.hpp>

#include "runtime/fake_backend.hpp"
#include "support/scoped_environment.hpp"

namespace lanza {
namespace {

template <class E>
std::string message(const char* name) {
  try {
    Device device(name);
  } catch (const E& error) {
    return error.what();
  }
  return "no exception";
}

TEST(DeviceTest, ByName) {
  const fake::Scope scope;
  EXPECT_EQ(Device("cuda"), Device("cuda:0"));
  EXPECT_NE(Device("cuda"), Device("cuda:1"));
  EXPECT_EQ(Device("cuda:1").index(), 1);
  EXPECT_EQ(Device("cuda:1").id(), "cuda:1");
  EXPECT_EQ(Device("cpu").kind(), DeviceKind::Cpu);
  EXPECT_EQ(Device("cpu").id(), "cpu");
  EXPECT_EQ(Device("cpu").attribute("warp_size"), 32);
  EXPECT_THROW(Device("cpu").attribute("warp"), NotFound);
}

TEST(DeviceTest, WhatIsNotThere) {
  const fake::Scope scope;
  EXPECT_EQ(message<InvalidArgument>("gpu"), "there is no device 'gpu'; valid names are: cpu, cuda, cuda:0, cuda:1");
  EXPECT_EQ(message<InvalidArgument>("cuda:2"),
            "there is no device 'cuda:2'; valid names are: cpu, cuda, cuda:0, cuda:1");
  for (const char* name : {"", "cuda:", "cuda:-1", "cuda:1x", "CPU", "cuda:99999999999"}) {
    EXPECT_THROW(Device{name}, InvalidArgument) << name;
  }
}

TEST(DeviceTest, WithoutCudaTheReasonIsGiven) {
  const fake::Scope scope(0);
  EXPECT_EQ(message<Unavailable>("cuda"), "no CUDA device: this is a test");
  EXPECT_EQ(default_device(), Device("cpu"));
  EXPECT_FALSE(cuda::is_available());
  EXPECT_EQ(cuda::device_count(), 0);
  EXPECT_EQ(cuda::why_unavailable(), "no CUDA device: this is a test");
  EXPECT_THAT(devices(), testing::ElementsAre(Device("cpu")));
}

TEST(DeviceTest, DefaultIsTheFirstThatWorks) {
  const fake::Scope scope;
  scope.cuda->fake_device(0).compute_mode = 2;  // prohibited
  EXPECT_EQ(default_device(), Device("cuda:1"));
  EXPECT_EQ(cuda::device_count(), 2);
  EXPECT_THAT(devices(), testing::ElementsAre(Device("cuda:0"), Device("cuda:1"), Device("cpu")));
}

TEST(DeviceTest, EnvironmentOverridesTheDefault) {
  const fake::Scope scope;
  {
    const test::ScopedEnvironment environment("LANZA_DEVICE", "cpu");
    EXPECT_EQ(default_device(), Device("cpu"));
  }
  const test::ScopedEnvironment environment("LANZA_DEVICE", "tpu");
  try {
    default_device();
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "the environment variable LANZA_DEVICE: there is no device 'tpu'; valid names are: cpu, cuda, cuda:0, "
                 "cuda:1");
  }
}

TEST(DeviceTest, AskingMakesNoContext) {
  const fake::Scope scope;
  default_device();
  devices();
  Device("cuda").memory_info();
  EXPECT_EQ(scope.world->count_of("make context"), 0);
}

TEST(DeviceTest, PrimaryContextIsSharedAndOwnContextsAreNot) {
  const fake::Scope scope;
  const Device device("cuda");
  EXPECT_EQ(device.context(), device.context());
  EXPECT_NE(device.create_context(), device.context());
  EXPECT_EQ(scope.world->count_of("make context"), 2);
}

}  // namespace
}  // namespace lanza
