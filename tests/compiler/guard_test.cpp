// A compiler that crashes is an answer.
#include "compiler/plugin.hpp"

#include <gmock/gmock.h>
#include <setjmp.h>
#include <signal.h>

#include <thread>

using namespace lanza::test;
using ::testing::HasSubstr;

namespace {

// Not `__debug crash`: that one leaves a timer of the dead stack in a list of LLVM.
constexpr const char* good = "__global__ void k(int *p) { p[0] = 1; }";

std::string failure_of(const std::string& source) {
  const CompileResult r = compile({.source = std::string(good) + "\n" + source + "\n"});
  EXPECT_FALSE(r->ok) << source.substr(0, 100);
  const LanzaDiagnostic* error = first_error(*r);
  EXPECT_TRUE(compile({.source = good})->ok) << "after " << source.substr(0, 100);
  return error ? text(error->message) : "";
}

TEST(Guard, CrashesAreAnswers) {
  EXPECT_THAT(failure_of("#pragma clang __debug parser_crash"), HasSubstr("the compiler crashed"));
  EXPECT_THAT(failure_of("#pragma clang __debug llvm_fatal_error"),
              HasSubstr("fatal error in the compiler: #pragma clang __debug llvm_fatal_error"));
  EXPECT_THAT(failure_of("__device__ int deep = " + std::string(1'000'000, '~') + "1;"), HasSubstr("ran out of stack"));
}

TEST(Guard, WarningsBeforeACrashAreKept) {
  const CompileResult r = compile({.source = "#warning \"look here\"\n#pragma clang __debug parser_crash\n"});
  EXPECT_FALSE(r->ok);
  EXPECT_THAT(text(r->log), HasSubstr("kernel.cu:1:2: warning: \"look here\""));
  EXPECT_THAT(text(r->log), HasSubstr("error: the compiler crashed"));
}

TEST(Guard, CrashesOnManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 10; ++i) {
        const bool crash = (t + i) % 3 == 0;
        const CompileResult r = compile({.source = crash ? "#pragma clang __debug parser_crash" : good});
        EXPECT_EQ(r->ok, !crash) << view(r->log);
      }
    });
  for (std::thread& t : threads) t.join();
}

sigjmp_buf back;
volatile int own_faults = 0;
void on_fault(int, siginfo_t*, void*) {
  own_faults = own_faults + 1;
  siglongjmp(back, 1);
}

void fault() {
  if (sigsetjmp(back, 0) == 0) {
    volatile int* nowhere = nullptr;
    *nowhere = 1;
  }
}

// The executor's handler (D13), on a thread of the process, while another one compiles and crashes.
TEST(Guard, FaultsOfOtherThreadsReachTheirHandler) {
  own_faults = 0;
  struct sigaction action = {}, before = {}, after = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ASSERT_EQ(sigaction(SIGSEGV, &action, &before), 0);
  std::atomic<bool> done{false};
  std::thread compiler([&] {
    for (int i = 0; i < 20; ++i) compile({.source = i % 2 ? "#pragma clang __debug parser_crash" : good});
    done = true;
  });
  int faults = 0;
  while (!done) {
    fault();
    ++faults;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  compiler.join();
  EXPECT_EQ(own_faults, faults);
  ASSERT_EQ(sigaction(SIGSEGV, &before, &after), 0);
  EXPECT_EQ(after.sa_sigaction, &on_fault) << "the handler was not put back";
}

// For as long as the plug-in's first call takes, which prepares LLVM. The result: whether a crash is an answer then.
bool survives_faults_from_the_beginning() {
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
  std::atomic<bool> done{false};
  std::thread faulting([&] {
    while (!done) fault();
  });
  const bool compiled = compile({.source = good})->ok;
  done = true;
  faulting.join();
  return compiled && !compile({.source = "#pragma clang __debug parser_crash"})->ok;
}

TEST(GuardDeathTest, FaultsOfOtherThreadsWhileTheFirstCallBegins) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, in which the call is the first
  for (int i = 0; i < 5; ++i)
    EXPECT_EXIT(std::_Exit(survives_faults_from_the_beginning() ? 0 : 1), testing::ExitedWithCode(0), "");
}

// One that is installed while a compile runs, over ours, and that hands on to it for ever after.
struct sigaction next = {};
void hand_on(int signal, siginfo_t* info, void* context) {
  if (next.sa_flags & SA_SIGINFO) next.sa_sigaction(signal, info, context);
}

TEST(Guard, HandlersInstalledMeanwhileStay) {
  struct sigaction action = {}, original = {}, now = {};
  sigaction(SIGSEGV, nullptr, &original);
  action.sa_sigaction = hand_on;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int round = 0; round < 3; ++round) {
    std::atomic<bool> done{false};
    std::thread compiler([&] {
      for (int i = 0; i < 10; ++i) compile({.source = good});
      done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (round == 0) sigaction(SIGSEGV, &action, &next);
    compiler.join();
    sigaction(SIGSEGV, nullptr, &now);
    EXPECT_EQ(now.sa_sigaction, &hand_on);
    EXPECT_FALSE(compile({.source = "#pragma clang __debug parser_crash"})->ok);
  }
  sigaction(SIGSEGV, &original, nullptr);
}

TEST(Guard, SignalsOfTheProcessAreLeftAlone) {
  std::vector<struct sigaction> before(32), after(32);
  for (int s = 1; s < 32; ++s) sigaction(s, nullptr, &before[s]);
  EXPECT_TRUE(compile({.source = good})->ok);
  EXPECT_FALSE(compile({.source = "#pragma clang __debug parser_crash"})->ok);
  for (int s = 1; s < 32; ++s) {
    sigaction(s, nullptr, &after[s]);
    EXPECT_EQ(before[s].sa_sigaction, after[s].sa_sigaction) << "signal " << s;
  }
}

TEST(Guard, BadBitcodeIsAnAnswer) {
  const char junk[] = "BC\xC0\xDE this is no bitcode";
  const LanzaSpecialiseRequest request = {
      .bitcode = {junk, sizeof junk}, .kernel = {"k", 1}, .target = {"native", 6}, .block = {32, 1, 1}};
  const std::unique_ptr<LanzaSpecialiseResult, Free> r(plugin().specialise(&request));
  EXPECT_FALSE(r->ok);
  EXPECT_GT(r->log.size, 0u);
  const LanzaPtxRequest ptx = {.bitcode = {junk, sizeof junk}, .compute_capability = 80};
  const std::unique_ptr<LanzaPtxResult, Free> p(plugin().emit_ptx(&ptx));
  EXPECT_FALSE(p->ok);
}

}  // namespace
