// What the threads of a grid launch: order, limits, errors.
#include "backend/cpu/child_launch.hpp"

#include <gtest/gtest.h>

#include <cstring>

using namespace lanza::executor;

namespace {

LanzaChildLaunch launch(unsigned long long parent = 0, unsigned long long stream = 0) {
  LanzaChildLaunch l{};
  for (int axis = 0; axis < 3; ++axis) l.grid[axis] = l.block[axis] = 1;
  l.parent = parent;
  l.stream = stream;
  return l;
}

TEST(ChildLaunches, RunByParentBlockAndTimeTheTailLast) {
  ChildLaunches launches(0);
  EXPECT_EQ(launches.add("tail of 0", "", 0, launch(0, LANZA_STREAM_TAIL)), LANZA_CHILD_QUEUED);
  EXPECT_EQ(launches.add("first of 2", "", 0, launch(2)), LANZA_CHILD_QUEUED);
  EXPECT_EQ(launches.add("first of 1", "", 0, launch(1)), LANZA_CHILD_QUEUED);
  EXPECT_EQ(launches.add("second of 2", "", 0, launch(2, LANZA_STREAM_FIRE_AND_FORGET)), LANZA_CHILD_QUEUED);
  std::vector<std::string> order;
  for (const ChildLaunch& child : launches.take()) order.push_back(child.symbol);
  EXPECT_EQ(order, (std::vector<std::string>{"first of 1", "first of 2", "second of 2", "tail of 0"}));
  EXPECT_TRUE(launches.take().empty());
}

TEST(ChildLaunches, ArgumentsAreCopied) {
  ChildLaunches launches(0);
  char arguments[] = "abc";
  LanzaChildLaunch l = launch();
  l.arguments = arguments;
  l.argument_bytes = sizeof arguments;
  launches.add("k", "", 0, l);
  std::memset(arguments, 0, sizeof arguments);
  EXPECT_STREQ(reinterpret_cast<const char*>(launches.take()[0].arguments.data()), "abc");
}

TEST(ChildLaunches, WhatCannotRunIsAnErrorOfItsThread) {
  ChildLaunches launches(0);
  LanzaChildLaunch l = launch(3);
  l.thread = 5;
  l.block[0] = 65;
  EXPECT_EQ(launches.add("k", "", 64, l), LANZA_CHILD_BAD_CONFIGURATION);
  l.grid[2] = 0;
  EXPECT_EQ(launches.add("k", "", 0, l), LANZA_CHILD_BAD_CONFIGURATION);
  l.grid[2] = 1, l.block[1] = 16;
  EXPECT_EQ(launches.add("k", "", 0, l), LANZA_CHILD_BAD_CONFIGURATION);
  EXPECT_EQ(launches.error(3, 4, true), LANZA_CHILD_QUEUED);
  EXPECT_EQ(launches.error(3, 5, false), LANZA_CHILD_BAD_CONFIGURATION);
  EXPECT_EQ(launches.error(3, 5, true), LANZA_CHILD_BAD_CONFIGURATION);
  EXPECT_EQ(launches.error(3, 5, true), LANZA_CHILD_QUEUED);
  EXPECT_TRUE(launches.take().empty());
}

TEST(ChildLaunches, Nest24Deep) {
  EXPECT_EQ(ChildLaunches(23).add("k", "", 0, launch()), LANZA_CHILD_QUEUED);
  EXPECT_EQ(ChildLaunches(24).add("k", "", 0, launch()), LANZA_CHILD_TOO_DEEP);
}

TEST(ChildLaunches, AreNotWithoutEnd) {
  ChildLaunches launches(0);
  for (std::size_t i = 0; i < ChildLaunches::most_waiting; ++i)
    ASSERT_EQ(launches.add("k", "", 0, launch()), LANZA_CHILD_QUEUED);
  EXPECT_EQ(launches.add("k", "", 0, launch()), LANZA_CHILD_TOO_MANY);
  EXPECT_EQ(launches.take().size(), ChildLaunches::most_waiting);
}

}  // namespace
