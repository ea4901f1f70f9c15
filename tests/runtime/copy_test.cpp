// Copies in every direction, and filling.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/lanza.hpp>

#include <array>
#include <span>
#include <vector>

#include "runtime/fake_backend.hpp"

namespace lanza {
namespace {

using testing::Each;

class CopyTest : public testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  fake::World& world() { return *scope_.world; }
  fake::Scope scope_;
};

TEST_P(CopyTest, ThereAndBack) {
  const Buffer<int> first(100, Device(GetParam().first)), second(100, Device(GetParam().second));
  const std::vector<int> source(100, 42);
  std::vector<int> result(100);
  copy(first, source);
  copy(second, first);
  copy(result, second);
  EXPECT_THAT(result, Each(42));
}

INSTANTIATE_TEST_SUITE_P(Devices, CopyTest,
                         testing::Values(std::pair("cuda", "cuda"), std::pair("cuda", "cuda:1"),
                                         std::pair("cuda", "cpu"), std::pair("cpu", "cuda"), std::pair("cpu", "cpu")));

class CopyCases : public testing::Test {
 protected:
  fake::World& world() { return *scope_.world; }
  fake::Scope scope_;
  Device cuda_{"cuda"};
};

TEST_F(CopyCases, BetweenBackendsWithoutHostMemory) {
  const fake::Scope scope(1, false);
  const Buffer<int> first(10, Device("cpu")), second(10, Device("cuda"));
  const std::vector<int> source(10, 42);
  std::vector<int> result(10);
  copy(first, source);
  copy(second, first);
  copy(result, second);
  EXPECT_THAT(result, Each(42));
}

TEST_F(CopyCases, SizesMustAgree) {
  const Buffer<int> buffer(10, cuda_);
  std::vector<int> host(11);
  try {
    copy(buffer, host);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "copy: the destination has 40 bytes, the source 44; they must agree");
  }
  EXPECT_THROW(copy(host, buffer), InvalidArgument);
  EXPECT_THROW(copy(buffer, Buffer<int>(9, cuda_)), InvalidArgument);
  EXPECT_EQ(world().count_of("to device"), 0);
}

TEST_F(CopyCases, NothingIsCopiedForNoElements) {
  const Buffer<int> none(0, cuda_);
  std::vector<int> host;
  copy(none, host);
  copy(host, none);
  copy(none, none);
  fill(none, 3);
  EXPECT_EQ(world().count_of("to device") + world().count_of("to host") + world().count_of("on device"), 0);
}

TEST_F(CopyCases, RangesAndBytes) {
  const Buffer<float> buffer(4, cuda_);
  float array[4] = {1, 2, 3, 4};
  copy(buffer, array);
  std::array<float, 2> tail{};
  copy(tail, buffer.subspan(2, 2));
  EXPECT_EQ(tail[1], 4.0F);
  copy(std::span(array), buffer.view<std::byte>());
  copy(buffer.view<std::byte>(), std::as_bytes(std::span(array)));
}

TEST_F(CopyCases, WaitsOnlyWhenAsked) {
  const Buffer<float> buffer(4, cuda_);
  float array[4] = {};
  copy(buffer, array, {}, false);
  EXPECT_EQ(world().count_of("synchronize"), 0);
  copy(array, buffer);
  EXPECT_EQ(world().count_of("synchronize"), 1);
}

TEST_F(CopyCases, SourceOnAnotherStreamIsWaitedFor) {
  const Stream stream(cuda_);
  const Buffer<float> a(4, cuda_), b(4, cuda_, stream);
  world().clear_trace();
  copy(b, a, stream, false);
  EXPECT_EQ(world().trace[0], "make event");
  EXPECT_EQ(world().trace.back(), "on device");
  EXPECT_GE(world().count_of("wait"), 1);
}

TEST_F(CopyCases, Fill) {
  struct Odd {
    char text[3];
  };
  const Buffer<double> numbers(5, cuda_);
  fill(numbers, 2);
  std::vector<double> result(5);
  copy(result, numbers);
  EXPECT_THAT(result, Each(2.0));
  const Buffer<Odd> odd(3, cuda_);
  fill(odd.subspan(1, 2), Odd{"ab"});
  std::vector<Odd> odds(3);
  copy(odds, odd);
  EXPECT_STREQ(odds[2].text, "ab");
}

}  // namespace
}  // namespace lanza
