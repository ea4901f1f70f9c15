// For tests that need the compiler plug-in: skipped, with the reason, in builds without one; failed where one was
// built.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include <lanza/error.hpp>

#include "compiler/loader.hpp"

/// To stand in SetUp(). The build sets LANZA_TEST_NEEDS_COMPILER where the plug-in must be there.
#define LANZA_NEEDS_COMPILER()                                            \
  try {                                                                   \
    lanza::compiler::plugin();                                            \
  } catch (const lanza::Unavailable& error) {                             \
    if (std::getenv("LANZA_TEST_NEEDS_COMPILER")) FAIL() << error.what(); \
    GTEST_SKIP() << error.what();                                         \
  }                                                                       \
  static_assert(true)
