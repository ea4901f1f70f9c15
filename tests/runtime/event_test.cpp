// Events: what can be measured, and what is said when it cannot.
#include <gtest/gtest.h>

#include <lanza/lanza.hpp>

#include "runtime/fake_backend.hpp"

namespace lanza {
namespace {

std::string why_not(const Event& end, const Event& start) {
  try {
    end.time_since(start);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "measured";
}

TEST(EventTest, MeasuresTime) {
  const fake::Scope scope;
  const Stream stream(Device("cuda"));
  const Event start = stream.record(), end = stream.record();
  end.synchronize();
  EXPECT_TRUE(end.query());
  EXPECT_FLOAT_EQ(end.time_since(start).count(), 1.5F);
}

TEST(EventTest, WhatCannotBeMeasured) {
  const fake::Scope scope;
  const Event recorded = Stream(Device("cuda")).record();
  const Event never(Device("cuda"));
  const Event untimed(Device("cuda"), {.timing = false});
  untimed.record();
  const Event elsewhere = Stream(Device("cpu")).record();
  EXPECT_EQ(why_not(recorded, never), "time_since: the start event was never recorded");
  EXPECT_EQ(why_not(never, recorded), "time_since: the end event was never recorded");
  EXPECT_EQ(why_not(untimed, recorded), "time_since: the end event was made without timing");
  EXPECT_EQ(
      why_not(recorded, elsewhere),
      "time_since: the start event is of cpu, the end event of cuda:0; times of different devices cannot be compared");
}

TEST(EventTest, IsRecordedInItsOwnContextOnly) {
  const fake::Scope scope;
  const Event event(Device("cuda"));
  EXPECT_THROW(event.record(Stream(Device("cpu"))), InvalidArgument);
}

}  // namespace
}  // namespace lanza
